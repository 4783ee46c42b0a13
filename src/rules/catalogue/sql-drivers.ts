import type { Package } from './line.ts';

/** Drivers of relational databases: whatever takes a statement as text. */
export const sqlDrivers: readonly Package[] = [
  {
    package: 'mysql',
    link: 'https://github.com/mysqljs/mysql',
    aliases: 'mysql',
    receivers: 'mysql connection conn pool',
    sinks: [
      {
        exports: '*.query',
        kind: 'sql',
        args: [0],
        options: 'sql',
        link: '#performing-queries',
      },
      { exports: 'raw', kind: 'sql', link: '#escaping-query-values' },
    ],
  },
  {
    package: 'mysql2',
    link: 'https://sidorares.github.io/node-mysql2/docs',
    receivers: 'mysql connection conn pool db',
    sinks: [
      { exports: '*.query', kind: 'sql', args: [0], options: 'sql' },
      {
        exports: '*.execute *.prepare',
        kind: 'sql',
        args: [0],
        options: 'sql',
        link: '/documentation/prepared-statements',
      },
    ],
  },
  {
    package: 'mariadb',
    link: 'https://mariadb.com/docs/connectors/mariadb-connector-nodejs/connector-nodejs-promise-api',
    receivers: 'mariadb conn',
    sinks: [
      { exports: '*.query *.execute *.prepare', kind: 'sql', args: [0], options: 'sql' },
      { exports: '*.batch', kind: 'sql', args: [0], options: 'sql' },
      { exports: '*.queryStream', kind: 'sql', args: [0], options: 'sql' },
      { exports: '*.importFile', kind: 'path', args: [], options: 'file' },
    ],
  },
  {
    package: 'pg',
    link: 'https://node-postgres.com/apis/client',
    receivers: 'pg pool pgClient pgPool',
    types: 'PoolClient',
    sinks: [
      { exports: '*.query', kind: 'sql', args: [0], options: 'text', link: '#clientquery' },
      { exports: 'Query', kind: 'sql', args: [0], options: 'text', receivers: '' },
    ],
  },
  {
    package: 'pg-query-stream',
    link: 'https://github.com/brianc/node-postgres/tree/master/packages/pg-query-stream',
    sinks: [{ exports: 'default', kind: 'sql' }],
  },
  {
    package: 'pg-cursor',
    link: 'https://node-postgres.com/apis/cursor',
    sinks: [{ exports: 'default', kind: 'sql' }],
  },
  {
    package: 'pg-promise',
    link: 'https://vitaly-t.github.io/pg-promise/Database.html',
    sinks: [
      { exports: '*.any *.many *.manyOrNone *.none *.one *.oneOrNone *.result', kind: 'sql' },
      { exports: '*.multi *.multiResult *.each *.map *.stream', kind: 'sql' },
      { exports: 'PreparedStatement ParameterizedQuery', kind: 'sql', args: [0], options: 'text' },
      {
        exports: 'QueryFile',
        kind: 'path',
        link: 'https://vitaly-t.github.io/pg-promise/QueryFile.html',
      },
      {
        exports: 'as.format',
        kind: 'sql',
        link: 'https://vitaly-t.github.io/pg-promise/formatting.html',
      },
    ],
  },
  {
    package: 'postgres',
    link: 'https://github.com/porsager/postgres',
    receivers: 'sql',
    sinks: [
      { exports: '*.unsafe', kind: 'sql', link: '#unsafe-raw-string-queries' },
      {
        exports: '*.file',
        kind: 'path',
        receivers: '',
        link: '#await-sqlfilepath-args-options---result',
      },
    ],
  },
  {
    package: '@vercel/postgres',
    link: 'https://vercel.com/docs/storage/vercel-postgres/sdk',
    sinks: [{ exports: '*.query', kind: 'sql' }],
  },
  {
    package: '@neondatabase/serverless',
    link: 'https://neon.com/docs/serverless/serverless-driver',
    sinks: [
      { exports: '*.query *.unsafe', kind: 'sql' },
      { exports: 'neon', kind: 'host', link: '#use-the-driver-over-http' },
    ],
  },
  {
    package: 'slonik',
    link: 'https://github.com/gajus/slonik',
    sinks: [{ exports: '*.raw', kind: 'sql', link: 'https://github.com/gajus/slonik-sql-tag-raw' }],
  },
  {
    package: 'pg-format',
    link: 'https://github.com/datalanche/node-pg-format',
    sinks: [{ exports: 'default withArray', kind: 'sql' }],
  },
  {
    package: '@electric-sql/pglite',
    link: 'https://pglite.dev/docs/api',
    types: 'PGlite',
    sinks: [
      { exports: '*.exec', kind: 'sql', link: '#exec' },
      { exports: '*.query', kind: 'sql', link: '#query' },
    ],
  },
  {
    package: 'sqlite3',
    closed: 'prepare',
    link: 'https://github.com/TryGhost/node-sqlite3/wiki/API',
    sinks: [
      { exports: '*.run *.get *.all *.each *.exec *.prepare', kind: 'sql' },
      { exports: 'Database cached.Database', kind: 'path' },
      { exports: '*.loadExtension', kind: 'path' },
    ],
  },
  {
    package: 'sqlite',
    closed: 'prepare DatabaseSync',
    link: 'https://github.com/kriasoft/node-sqlite',
    sinks: [
      { exports: '*.run *.get *.all *.each *.exec *.prepare', kind: 'sql' },
      { exports: 'open', kind: 'path', args: [], options: 'filename' },
    ],
  },
  {
    package: 'better-sqlite3',
    closed: 'prepare',
    link: 'https://github.com/WiseLibs/better-sqlite3/blob/master/docs/api.md',
    receivers: 'sqlite',
    sinks: [
      { exports: '*.prepare', kind: 'sql', link: '#preparestring---statement' },
      { exports: '*.exec', kind: 'sql', link: '#execstring---this' },
      { exports: '*.pragma', kind: 'sql', link: '#pragmastring-options---results' },
      { exports: 'default', kind: 'path', link: '#new-databasepath-options' },
      { exports: '*.loadExtension', kind: 'path', link: '#loadextensionpath-entrypoint---this' },
      { exports: '*.backup', kind: 'path', link: '#backupdestination-options---promise' },
    ],
  },
  {
    package: 'sqlite',
    link: 'https://nodejs.org/api/sqlite.html',
    types: 'DatabaseSync',
    sinks: [
      { exports: 'DatabaseSync.exec DatabaseSync.prepare', kind: 'sql' },
      { exports: 'DatabaseSync', kind: 'path', link: '#new-databasesyncpath-options' },
    ],
  },
  {
    package: '@libsql/client',
    link: 'https://docs.turso.tech/sdk/ts/reference',
    receivers: 'turso libsql',
    sinks: [
      { exports: '*.execute', kind: 'sql', args: [0], options: 'sql', link: '#simple-query' },
      { exports: '*.executeMultiple', kind: 'sql' },
      { exports: 'createClient', kind: 'host', args: [], options: 'url syncUrl' },
    ],
  },
  {
    package: 'sql.js',
    closed: 'prepare',
    link: 'https://sql.js.org/documentation/Database.html',
    sinks: [{ exports: '*.exec *.run *.prepare *.each', kind: 'sql' }],
  },
  {
    package: 'bun:sqlite',
    closed: 'query prepare',
    link: 'https://bun.com/docs/api/sqlite',
    sinks: [{ exports: '*.query *.run *.prepare *.exec', kind: 'sql' }],
  },
  {
    package: 'expo-sqlite',
    link: 'https://docs.expo.dev/versions/latest/sdk/sqlite',
    sinks: [
      { exports: '*.execAsync *.execSync', kind: 'sql' },
      { exports: '*.runAsync *.getAllAsync *.getFirstAsync *.getEachAsync *.runSync', kind: 'sql' },
    ],
  },
  {
    package: 'mssql',
    link: 'https://github.com/tediousjs/node-mssql',
    sinks: [
      { exports: '*.query', kind: 'sql', link: '#query-command-callback' },
      { exports: '*.batch', kind: 'sql', link: '#batch-batch-callback' },
      { exports: '*.execute', kind: 'sql', link: '#execute-procedure-callback' },
    ],
  },
  {
    package: 'tedious',
    link: 'https://tediousjs.github.io/tedious/api-request.html',
    sinks: [{ exports: 'Request', kind: 'sql' }],
  },
  {
    package: 'msnodesqlv8',
    link: 'https://github.com/TimelordUK/node-sqlserver-v8',
    sinks: [
      { exports: '*.query *.queryRaw', kind: 'sql', args: [0] },
      { exports: 'query queryRaw', kind: 'sql', args: [1] },
    ],
  },
  {
    package: 'oracledb',
    link: 'https://node-oracledb.readthedocs.io/en/latest/api_manual/connection.html',
    sinks: [
      { exports: '*.execute', kind: 'sql', args: [0], options: 'statement' },
      { exports: '*.executeMany *.queryStream *.getStatementInfo', kind: 'sql' },
    ],
  },
  {
    package: 'ibm_db',
    link: 'https://github.com/ibmdb/node-ibm_db/blob/master/APIDocumentation.md',
    sinks: [
      {
        exports: '*.query *.querySync *.queryStream *.queryResult',
        kind: 'sql',
        args: [0],
        options: 'sql',
      },
      { exports: '*.prepare *.prepareSync *.executeFile', kind: 'sql' },
    ],
  },
  {
    package: 'odbc',
    link: 'https://github.com/markdirish/node-odbc',
    sinks: [
      { exports: '*.query', kind: 'sql' },
      { exports: 'connect pool', kind: 'host', args: [0], options: 'connectionString' },
    ],
  },
  {
    package: 'snowflake-sdk',
    link: 'https://docs.snowflake.com/en/developer-guide/node-js/nodejs-driver-execute',
    sinks: [{ exports: '*.execute', kind: 'sql', options: 'sqlText' }],
  },
  {
    package: '@google-cloud/bigquery',
    link: 'https://cloud.google.com/nodejs/docs/reference/bigquery/latest',
    receivers: 'bigquery bigQuery',
    sinks: [
      { exports: '*.query *.createQueryJob', kind: 'sql', args: [0], options: 'query' },
      { exports: '*.createQueryStream', kind: 'sql', args: [0], options: 'query' },
    ],
  },
  {
    package: '@google-cloud/spanner',
    link: 'https://cloud.google.com/nodejs/docs/reference/spanner/latest',
    sinks: [
      { exports: '*.run *.runStream *.runUpdate', kind: 'sql', args: [0], options: 'sql' },
      { exports: '*.updateSchema', kind: 'sql' },
    ],
  },
  {
    package: '@clickhouse/client',
    link: 'https://clickhouse.com/docs/integrations/javascript',
    receivers: 'clickhouse',
    sinks: [{ exports: '*.query *.command *.exec', kind: 'sql', options: 'query' }],
  },
  {
    package: 'clickhouse',
    link: 'https://github.com/TimonKK/clickhouse',
    sinks: [{ exports: '*.query *.insert', kind: 'sql' }],
  },
  {
    package: 'duckdb',
    closed: 'prepare',
    link: 'https://duckdb.org/docs/stable/clients/nodejs/reference',
    sinks: [
      { exports: '*.all *.run *.exec *.each *.prepare *.stream', kind: 'sql' },
      { exports: 'Database', kind: 'path' },
    ],
  },
  {
    package: '@duckdb/node-api',
    link: 'https://duckdb.org/docs/stable/clients/node_neo/overview',
    sinks: [{ exports: '*.run *.runAndReadAll *.stream *.prepare *.runAndRead', kind: 'sql' }],
  },
  {
    package: 'cassandra-driver',
    link: 'https://docs.datastax.com/en/developer/nodejs-driver/4.8/api/class.Client',
    sinks: [{ exports: '*.execute *.eachRow *.stream', kind: 'sql' }],
  },
  {
    package: '@databricks/sql',
    link: 'https://docs.databricks.com/aws/en/dev-tools/nodejs-sql-driver',
    sinks: [{ exports: '*.executeStatement', kind: 'sql' }],
  },
  {
    package: '@planetscale/database',
    link: 'https://github.com/planetscale/database-js',
    sinks: [{ exports: '*.execute', kind: 'sql', link: '#usage' }],
  },
  {
    package: '@aws-sdk/client-rds-data',
    link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/client/rds-data',
    sinks: [
      {
        exports: 'ExecuteStatementCommand BatchExecuteStatementCommand',
        kind: 'sql',
        options: 'sql',
        free: true,
      },
      { exports: '*.executeStatement *.batchExecuteStatement', kind: 'sql', options: 'sql' },
    ],
  },
  {
    package: '@aws-sdk/client-athena',
    link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/client/athena',
    sinks: [
      {
        exports: 'StartQueryExecutionCommand *.startQueryExecution',
        kind: 'sql',
        options: 'QueryString',
      },
      { exports: 'CreateNamedQueryCommand', kind: 'sql', options: 'QueryString' },
    ],
  },
  {
    package: '@aws-sdk/client-redshift-data',
    link: 'https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/client/redshift-data',
    sinks: [{ exports: 'ExecuteStatementCommand *.executeStatement', kind: 'sql', options: 'Sql' }],
  },
  {
    package: 'alasql',
    link: 'https://github.com/AlaSQL/alasql/wiki',
    sinks: [
      { exports: 'default', kind: 'sql' },
      { exports: 'exec promise compile', kind: 'sql' },
    ],
  },
  {
    package: '@sap/hana-client',
    link: 'https://help.sap.com/docs/SAP_HANA_CLIENT',
    sinks: [{ exports: '*.exec *.prepare *.execute', kind: 'sql' }],
  },
  {
    package: 'node-firebird',
    link: 'https://github.com/hgourvest/node-firebird',
    sinks: [{ exports: '*.query *.execute *.sequentially', kind: 'sql' }],
  },
  {
    package: 'trino-client',
    link: 'https://github.com/trinodb/trino-js-client',
    sinks: [{ exports: '*.query', kind: 'sql', args: [0], options: 'query' }],
  },
  {
    package: 'influx',
    link: 'https://node-influx.github.io/class/src/index.js~InfluxDB.html',
    sinks: [
      { exports: '*.query *.queryRaw', kind: 'sql' },
      { exports: '*.createUser *.dropMeasurement *.dropDatabase', kind: 'query' },
    ],
  },
  {
    package: '@influxdata/influxdb-client',
    link: 'https://influxdata.github.io/influxdb-client-js/influxdb-client.queryapi.html',
    sinks: [{ exports: '*.queryRows *.collectRows *.iterateRows *.queryRaw', kind: 'query' }],
  },
  {
    package: 'sql-template-strings',
    link: 'https://github.com/felixfbecker/node-sql-template-strings',
    sinks: [{ exports: '*.append', kind: 'sql' }],
  },
  {
    package: 'sqlstring',
    link: 'https://github.com/mysqljs/sqlstring',
    sinks: [{ exports: 'raw', kind: 'sql', link: '#escaping-query-values' }],
  },
];
