import type { Package } from './line.ts';

/** Query builders and object-relational mappers: their ways to pass text of SQL on as it is. */
export const sqlBuilders: readonly Package[] = [
  {
    package: 'knex',
    link: 'https://knexjs.org/guide',
    receivers: 'knex trx',
    sinks: [
      { exports: '*.raw', kind: 'sql', link: '/raw.html#raw-queries' },
      {
        exports: '*.whereRaw *.orWhereRaw *.andWhereRaw',
        kind: 'sql',
        link: '/query-builder.html#whereraw',
      },
      { exports: '*.havingRaw *.orHavingRaw', kind: 'sql', link: '/query-builder.html#havingraw' },
      { exports: '*.orderByRaw *.groupByRaw', kind: 'sql', link: '/query-builder.html#orderbyraw' },
      {
        exports: '*.joinRaw *.fromRaw *.withRaw',
        kind: 'sql',
        link: '/query-builder.html#joinraw',
      },
      { exports: '*.where *.andWhere *.orWhere', kind: 'filter', receivers: '' },
      { exports: '*.insert *.update', kind: 'fields', receivers: '' },
    ],
  },
  {
    package: 'sequelize',
    link: 'https://sequelize.org/docs/v6/core-concepts',
    receivers: 'sequelize Sequelize',
    sinks: [
      { exports: '*.query', kind: 'sql', args: [0], options: 'query', link: '/raw-queries' },
      {
        exports: '*.literal literal',
        kind: 'sql',
        link: 'https://sequelize.org/api/v6/class/src/sequelize.js~sequelize#static-method-literal',
      },
      { exports: '*.col *.cast', kind: 'sql', receivers: '' },
      { exports: '*.dropSchema *.createSchema', kind: 'sql', receivers: '' },
    ],
  },
  {
    package: 'sequelize-typescript',
    link: 'https://github.com/sequelize/sequelize-typescript',
    sinks: [{ exports: '*.query *.literal', kind: 'sql' }],
  },
  {
    package: 'typeorm',
    link: 'https://typeorm.io/docs',
    receivers: 'queryRunner dataSource entityManager',
    types: 'DataSource EntityManager QueryRunner',
    sinks: [
      { exports: '*.query', kind: 'sql', link: '/query-runner' },
      {
        exports: '*.where *.andWhere *.orWhere *.having *.andHaving',
        kind: 'sql',
        link: '/query-builder/select-query-builder',
        receivers: '',
      },
      { exports: '*.orderBy *.addOrderBy *.groupBy *.addGroupBy', kind: 'sql', receivers: '' },
      { exports: '*.select *.addSelect *.from *.addFrom', kind: 'sql', receivers: '' },
      {
        exports: '*.leftJoin *.innerJoin *.leftJoinAndSelect *.innerJoinAndSelect',
        kind: 'sql',
        args: [2],
        receivers: '',
      },
      { exports: 'Raw', kind: 'sql', link: '/working-with-entity-manager/find-options' },
      { exports: '*.find *.findBy *.findOneBy *.findOne', kind: 'filter', receivers: '' },
    ],
  },
  {
    package: '@prisma/client',
    link: 'https://www.prisma.io/docs/orm/prisma-client/using-raw-sql/raw-queries',
    receivers: 'prisma',
    types: 'PrismaClient',
    sinks: [
      { exports: '*.$queryRawUnsafe', kind: 'sql', link: '#queryrawunsafe' },
      { exports: '*.$executeRawUnsafe', kind: 'sql', link: '#executerawunsafe' },
      { exports: 'Prisma.raw', kind: 'sql', link: '#raw-query-parameters' },
      {
        exports: '*.findFirst *.findMany *.deleteMany',
        kind: 'filter',
        options: 'where',
        receivers: '',
      },
      { exports: '*.create *.update *.upsert', kind: 'fields', options: 'data create update' },
      {
        exports: '*.$runCommandRaw *.findRaw *.aggregateRaw',
        kind: 'filter',
        args: [0],
        options: 'filter',
      },
    ],
  },
  {
    package: 'drizzle-orm',
    link: 'https://orm.drizzle.team/docs/sql',
    sinks: [
      { exports: '*.raw', kind: 'sql', link: '#sqlraw' },
      { exports: '*.identifier', kind: 'sql' },
    ],
  },
  {
    package: 'kysely',
    link: 'https://kysely-org.github.io/kysely-apidoc/interfaces/Sql.html',
    sinks: [
      { exports: 'sql.raw sql.lit', kind: 'sql', link: '#raw' },
      { exports: 'CompiledQuery.raw', kind: 'sql' },
    ],
  },
  {
    package: 'objection',
    link: 'https://vincit.github.io/objection.js/api',
    sinks: [
      { exports: 'raw *.raw', kind: 'sql', link: '/objection/#raw' },
      { exports: '*.whereRaw *.orWhereRaw *.orderByRaw *.havingRaw', kind: 'sql' },
    ],
  },
  {
    package: 'bookshelf',
    link: 'https://bookshelfjs.org/api.html',
    sinks: [{ exports: '*.raw *.whereRaw *.orderByRaw', kind: 'sql' }],
  },
  {
    package: '@mikro-orm/core',
    link: 'https://mikro-orm.io/docs/raw-queries',
    sinks: [
      { exports: 'raw *.raw', kind: 'sql' },
      { exports: '*.execute', kind: 'sql' },
    ],
  },
  {
    package: '@mikro-orm/postgresql',
    link: 'https://mikro-orm.io/docs/query-builder',
    sinks: [{ exports: '*.execute *.raw', kind: 'sql' }],
  },
  {
    package: '@adonisjs/lucid',
    link: 'https://lucid.adonisjs.com/docs/raw-query-builder',
    sinks: [
      { exports: '*.rawQuery *.raw', kind: 'sql' },
      { exports: '*.whereRaw *.havingRaw *.orderByRaw', kind: 'sql' },
    ],
  },
  {
    package: 'massive',
    link: 'https://massivejs.org/docs',
    sinks: [
      { exports: '*.query', kind: 'sql', link: '/raw-sql' },
      { exports: '*.where', kind: 'sql' },
    ],
  },
  {
    package: 'squel',
    link: 'https://hiddentao.github.io/squel',
    sinks: [{ exports: '*.where *.having *.order *.field *.from *.join', kind: 'sql' }],
  },
  {
    package: '@databases/sql',
    link: 'https://www.atdatabases.org/docs/sql',
    sinks: [{ exports: '*.__dangerous__rawValue', kind: 'sql', free: true }],
  },
  {
    package: 'zapatos',
    link: 'https://jawj.github.io/zapatos',
    sinks: [{ exports: '*.raw', kind: 'sql', link: '#rawvalue-string-dangerousrawstring' }],
  },
  {
    package: 'orchid-orm',
    link: 'https://orchid-orm.netlify.app/guide/sql-expressions',
    sinks: [{ exports: '*.whereSql *.orderSql *.$query', kind: 'sql' }],
  },
  {
    package: 'waterline',
    link: 'https://sailsjs.com/documentation/reference/waterline-orm/datastores/send-native-query',
    sinks: [{ exports: '*.sendNativeQuery', kind: 'sql', free: true }],
  },
  {
    package: '@nozbe/watermelondb',
    link: 'https://watermelondb.dev/docs/Query',
    sinks: [{ exports: 'Q.unsafeSqlQuery Q.unsafeSqlExpr', kind: 'sql' }],
  },
  {
    package: '@supabase/supabase-js',
    link: 'https://supabase.com/docs/reference/javascript',
    receivers: 'supabase',
    sinks: [
      { exports: '*.or', kind: 'query', link: '/or', receivers: '' },
      { exports: '*.filter', kind: 'query', args: [0, 1], link: '/filter', receivers: '' },
      { exports: '*.rpc', kind: 'query', severity: 'low', link: '/rpc' },
      { exports: '*.insert *.update *.upsert', kind: 'fields', receivers: '' },
    ],
  },
];
