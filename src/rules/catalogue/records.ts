import type { Package } from './line.ts';

/** Object mappers: what of them takes fragments, whole objects or connection options. */
export const records: readonly Package[] = [
  {
    package: 'mongoose',
    link: 'https://mongoosejs.com/docs/api/model.html',
    types: 'Model',
    sinks: [
      {
        exports: '*.updateOne *.updateMany *.update *.replaceOne',
        kind: 'fields',
        args: [1],
        receivers: '',
        link: '#Model.updateOne()',
      },
      {
        exports: '*.updateOne *.updateMany *.findByIdAndUpdate *.findOneAndUpdate',
        kind: 'fields',
        args: [],
        options: '$set',
        receivers: '',
        link: 'https://mongoosejs.com/docs/tutorials/findoneandupdate.html',
      },
      {
        exports: '*.populate',
        kind: 'query',
        severity: 'medium',
        receivers: '',
        link: 'https://mongoosejs.com/docs/populate.html',
      },
      {
        exports: '*.select *.sort',
        kind: 'query',
        severity: 'low',
        receivers: '',
        link: 'https://mongoosejs.com/docs/api/query.html#Query.prototype.select()',
      },
      {
        exports: 'Schema',
        kind: 'exposure',
        args: [],
        options: 'strict',
        value: /^false$/,
        severity: 'low',
        link: 'https://mongoosejs.com/docs/guide.html#strict',
      },
    ],
  },
  {
    package: 'sequelize',
    link: 'https://sequelize.org/docs/v6/core-concepts/raw-queries/',
    sinks: [
      {
        exports: '*.findAll *.findOne *.findAndCountAll *.count',
        kind: 'sql',
        args: [],
        options: 'order group',
        link: 'https://sequelize.org/docs/v6/core-concepts/model-querying-basics/#ordering-and-grouping',
      },
      {
        exports: '*.create *.bulkCreate *.build *.upsert',
        kind: 'fields',
        link: 'https://sequelize.org/docs/v6/core-concepts/model-instances/#note-creating-instances',
      },
      {
        exports: '*.findAll *.findOne *.destroy *.update',
        kind: 'filter',
        args: [],
        options: 'where',
        severity: 'high',
        receivers: '',
        link: 'https://sequelize.org/docs/v6/core-concepts/model-querying-basics/#applying-where-clauses',
      },
    ],
  },
  {
    package: '@prisma/client',
    link: 'https://www.prisma.io/docs/orm/reference/prisma-client-reference',
    receivers: 'prisma',
    sinks: [
      {
        exports: '*.findFirst *.findMany',
        kind: 'filter',
        args: [],
        options: 'orderBy select include',
        severity: 'medium',
        link: '#select',
      },
    ],
  },
  {
    package: 'knex',
    link: 'https://knexjs.org/guide/query-builder.html',
    receivers: 'knex trx',
    sinks: [
      {
        exports: '*.orderBy *.groupBy *.column *.columns',
        kind: 'sql',
        severity: 'medium',
        receivers: '',
        link: '#orderby',
      },
      {
        exports: 'default knex',
        kind: 'secret',
        args: [],
        options: 'connection.password',
        severity: 'medium',
        link: 'https://knexjs.org/guide/#configuration-options',
      },
      {
        exports: '*.from *.into *.table',
        kind: 'sql',
        severity: 'medium',
        receivers: '',
        link: '#from',
      },
    ],
  },
  {
    package: 'kysely',
    link: 'https://kysely.dev/docs/recipes/raw-sql',
    sinks: [
      {
        exports: 'sql.id sql.ref sql.table',
        kind: 'sql',
        severity: 'medium',
        link: 'https://kysely-org.github.io/kysely-apidoc/interfaces/Sql.html',
      },
    ],
  },
  {
    package: 'drizzle-orm',
    link: 'https://orm.drizzle.team/docs/sql',
    sinks: [
      {
        exports: '*.execute *.run *.all',
        kind: 'sql',
        link: 'https://orm.drizzle.team/docs/sql#sqlraw',
      },
    ],
  },
  {
    package: '@mikro-orm/core',
    link: 'https://mikro-orm.io/docs/raw-queries',
    sinks: [
      {
        exports: '*.find *.findOne *.nativeUpdate *.nativeDelete',
        kind: 'filter',
        args: [1],
        link: 'https://mikro-orm.io/docs/entity-manager#fetching-entities-with-entitymanager',
      },
      {
        exports: '*.assign *.create',
        kind: 'fields',
        args: [1],
        link: 'https://mikro-orm.io/docs/entity-helper#updating-entity-values-with-entityassign',
      },
    ],
  },
  {
    package: 'waterline',
    link: 'https://sailsjs.com/documentation/reference/waterline-orm',
    sinks: [
      {
        exports: '*.find *.findOne *.destroy *.update',
        kind: 'filter',
        severity: 'high',
        link: 'https://sailsjs.com/documentation/concepts/models-and-orm/query-language',
      },
    ],
  },
  {
    package: 'ldapjs',
    link: 'https://ldapjs.org/client.html',
    receivers: 'ldap ldapClient',
    sinks: [
      {
        exports: '*.bind',
        kind: 'secret',
        args: [1],
        severity: 'medium',
        link: 'https://ldapjs.org/client.html#bind',
      },
    ],
  },
  {
    package: 'pg',
    link: 'https://node-postgres.com/apis/pool',
    receivers: 'pool pgClient pgPool pg',
    sinks: [
      {
        exports: 'Pool Client',
        kind: 'secret',
        args: [],
        options: 'password',
        severity: 'medium',
        receivers: '',
        link: 'https://node-postgres.com/features/connecting',
      },
      {
        exports: 'Pool Client',
        kind: 'host',
        args: [],
        options: 'connectionString host',
        receivers: '',
        link: 'https://node-postgres.com/features/connecting',
      },
    ],
  },
];
