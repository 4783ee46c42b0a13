import type { Package } from '../line.ts';

const JDK = 'https://docs.oracle.com/en/java/javase/21/docs/api/java.sql/java/sql';
const SPRING =
  'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework';
const HIBERNATE =
  'https://docs.jboss.org/hibernate/orm/6.6/userguide/html_single/Hibernate_User_Guide.html';

/** What takes statements of SQL, or parts of them, as text; and filters of document stores. */
export const javaDatabases: readonly Package[] = [
  {
    package: 'java.sql',
    types: 'Connection Statement PreparedStatement CallableStatement',
    link: `${JDK}/Statement.html`,
    receivers: 'statement stmt st',
    sinks: [
      {
        exports:
          '*.executeQuery *.executeUpdate *.executeLargeUpdate *.prepareStatement *.prepareCall ' +
          '*.nativeSQL',
        kind: 'sql',
        free: true,
      },
      { exports: '*.execute *.addBatch', kind: 'sql' },
    ],
  },
  {
    package: 'javax.sql',
    types: 'DataSource JdbcRowSet',
    link: 'https://docs.oracle.com/en/java/javase/21/docs/api/java.sql/javax/sql/DataSource.html',
    sinks: [
      {
        exports: '*.executeQuery *.executeUpdate *.prepareStatement *.prepareCall *.execute',
        kind: 'sql',
      },
      { exports: '*.setCommand', kind: 'sql', link: `${JDK}/../../javax/sql/RowSet.html` },
    ],
  },
  {
    package: 'org.springframework.jdbc.core',
    types: 'JdbcTemplate JdbcOperations',
    link: `${SPRING}/jdbc/core/JdbcTemplate.html`,
    receivers: 'jdbcTemplate jdbc template',
    sinks: [
      {
        exports:
          '*.queryForObject *.queryForList *.queryForMap *.queryForRowSet *.queryForStream ' +
          '*.batchUpdate',
        kind: 'sql',
        free: true,
      },
      { exports: '*.query *.update *.execute', kind: 'sql' },
    ],
  },
  {
    package: 'org.springframework.jdbc.core.namedparam',
    link: `${SPRING}/jdbc/core/namedparam/NamedParameterJdbcTemplate.html`,
    receivers: 'namedParameterJdbcTemplate',
    sinks: [
      {
        exports:
          'NamedParameterJdbcTemplate.query NamedParameterJdbcTemplate.update ' +
          'NamedParameterJdbcTemplate.queryForObject NamedParameterJdbcTemplate.queryForList ' +
          'NamedParameterJdbcOperations.query',
        kind: 'sql',
      },
    ],
  },
  {
    package: 'org.springframework.jdbc.core.simple',
    link: `${SPRING}/jdbc/core/simple/JdbcClient.html`,
    receivers: 'jdbcClient',
    sinks: [{ exports: 'JdbcClient.sql', kind: 'sql' }],
  },
  {
    package: 'jakarta.persistence',
    types: 'EntityManager EntityManagerFactory',
    link: 'https://jakarta.ee/specifications/persistence/3.1/',
    receivers: 'entityManager em',
    sinks: [{ exports: '*.createQuery *.createNativeQuery', kind: 'sql', free: true }],
  },
  {
    package: 'org.hibernate',
    types: 'Session SessionFactory StatelessSession',
    link: `${HIBERNATE}#sql`,
    receivers: 'session',
    sinks: [
      {
        exports:
          '*.createQuery *.createSQLQuery *.createNativeQuery *.createMutationQuery ' +
          '*.createSelectionQuery *.createNativeMutationQuery',
        kind: 'sql',
      },
    ],
  },
  {
    package: 'org.hibernate.criterion',
    link: 'https://docs.jboss.org/hibernate/orm/5.6/javadocs/org/hibernate/criterion/Restrictions.html',
    sinks: [{ exports: 'Restrictions.sqlRestriction', kind: 'sql' }],
  },
  {
    package: 'org.apache.ibatis.annotations',
    link: 'https://mybatis.org/mybatis-3/java-api.html',
    sinks: [{ exports: 'Select Update Insert Delete', kind: 'sql' }],
  },
  {
    package: 'com.baomidou.mybatisplus.core.conditions.query',
    types: 'QueryWrapper LambdaQueryWrapper',
    link: 'https://baomidou.com/en/guides/wrapper/',
    receivers: 'queryWrapper wrapper',
    sinks: [
      { exports: '*.apply *.last *.inSql *.exists *.having', kind: 'sql' },
      { exports: '*.orderByAsc *.orderByDesc', kind: 'sql', receivers: 'queryWrapper' },
    ],
  },
  {
    package: 'org.jooq',
    link: 'https://www.jooq.org/doc/latest/manual/sql-building/plain-sql/',
    receivers: 'dsl dslContext create',
    sinks: [
      {
        exports:
          'DSLContext.query DSLContext.execute DSLContext.fetch DSLContext.fetchOne ' +
          'DSLContext.resultQuery',
        kind: 'sql',
      },
    ],
  },
  {
    package: 'org.jooq.impl',
    link: 'https://www.jooq.org/doc/latest/manual/sql-building/plain-sql/',
    sinks: [
      { exports: 'DSL.condition DSL.sql DSL.query DSL.resultQuery', kind: 'sql' },
      { exports: 'DSL.field DSL.table', kind: 'sql' },
      {
        exports: 'DSL.using.fetch DSL.using.execute DSL.using.query DSL.using.resultQuery',
        kind: 'sql',
      },
    ],
  },
  {
    package: 'org.jdbi.v3.core',
    types: 'Jdbi Handle',
    link: 'https://jdbi.org/',
    receivers: 'handle jdbi',
    sinks: [
      {
        exports: '*.createQuery *.createUpdate *.select *.execute *.createBatch *.createCall',
        kind: 'sql',
      },
    ],
  },
  {
    package: 'io.r2dbc.spi',
    link: 'https://r2dbc.io/spec/1.0.0.RELEASE/spec/html/',
    sinks: [{ exports: '*.createStatement', kind: 'sql', receivers: 'connection' }],
  },
  {
    package: 'org.springframework.r2dbc.core',
    link: `${SPRING}/r2dbc/core/DatabaseClient.html`,
    receivers: 'databaseClient',
    sinks: [{ exports: 'DatabaseClient.sql', kind: 'sql' }],
  },
  {
    package: 'io.vertx.sqlclient',
    types: 'SqlClient Pool',
    link: 'https://vertx.io/docs/vertx-pg-client/java/',
    receivers: 'sqlClient pgPool pool',
    sinks: [{ exports: '*.query *.preparedQuery', kind: 'sql' }],
  },
  {
    package: 'org.apache.commons.dbutils',
    link: 'https://commons.apache.org/proper/commons-dbutils/',
    receivers: 'queryRunner',
    sinks: [
      {
        exports: 'QueryRunner.query QueryRunner.update QueryRunner.insert',
        kind: 'sql',
        args: [0, 1],
      },
    ],
  },
  {
    package: 'com.datastax.oss.driver.api.core',
    link: 'https://docs.datastax.com/en/developer/java-driver/latest/',
    receivers: 'cqlSession',
    sinks: [{ exports: 'CqlSession.execute CqlSession.prepare', kind: 'sql' }],
  },
  {
    package: 'org.bson',
    link: 'https://www.mongodb.com/docs/drivers/java/sync/current/',
    sinks: [{ exports: 'Document.parse BsonDocument.parse', kind: 'query', severity: 'high' }],
  },
  {
    package: 'com.mongodb',
    link: 'https://www.mongodb.com/docs/drivers/java/sync/current/',
    sinks: [{ exports: 'BasicDBObject.parse', kind: 'query' }],
  },
  {
    package: 'org.springframework.data.mongodb.core.query',
    link: 'https://docs.spring.io/spring-data/mongodb/docs/current/api/',
    sinks: [{ exports: 'BasicQuery', kind: 'query' }],
  },
  {
    package: 'org.neo4j.driver',
    link: 'https://neo4j.com/docs/java-manual/current/',
    receivers: 'neo4jSession',
    sinks: [{ exports: '*.run *.executableQuery', kind: 'query' }],
  },
  {
    package: 'javax.naming.directory',
    link: 'https://docs.oracle.com/en/java/javase/21/docs/api/java.naming/javax/naming/directory/DirContext.html',
    receivers: 'dirContext',
    sinks: [{ exports: 'DirContext.search InitialDirContext.search', kind: 'ldap', args: [0, 1] }],
  },
];
