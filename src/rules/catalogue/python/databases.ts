import type { Package, SinkLine } from '../line.ts';

/** PEP 249: the same methods in every driver. */
const cursor: SinkLine = {
  exports: '*.execute *.executemany *.executescript *.callproc',
  kind: 'sql',
  args: [0],
  options: 'query sql operation statement',
};

function driver(name: string, link: string): Package {
  return { package: name, link, sinks: [cursor] };
}

/** What takes statements of SQL as text. */
export const pythonDatabases: readonly Package[] = [
  {
    package: 'sqlite3',
    link: 'https://docs.python.org/3/library/sqlite3.html#sqlite3.Cursor.execute',
    receivers: 'cursor cur curs conn connection db database c',
    sinks: [{ ...cursor, exports: '*.execute *.executemany *.executescript' }],
  },
  {
    package: 'sqlite3.any',
    link: 'https://peps.python.org/pep-0249/#cursor-methods',
    sinks: [{ ...cursor, exports: '*.execute *.executemany', free: true }],
  },
  driver('psycopg2', 'https://www.psycopg.org/docs/cursor.html#cursor.execute'),
  driver('psycopg', 'https://www.psycopg.org/psycopg3/docs/api/cursors.html'),
  driver('MySQLdb', 'https://mysqlclient.readthedocs.io/user_guide.html#cursor-objects'),
  driver('pymysql', 'https://pymysql.readthedocs.io/en/latest/modules/cursors.html'),
  driver(
    'mysql.connector',
    'https://dev.mysql.com/doc/connector-python/en/connector-python-api-mysqlcursor-execute.html',
  ),
  driver('pyodbc', 'https://github.com/mkleehammer/pyodbc/wiki/Cursor#executesql-parameters'),
  driver('pymssql', 'https://pymssql.readthedocs.io/en/stable/ref/pymssql.html#cursor-class'),
  driver('oracledb', 'https://python-oracledb.readthedocs.io/en/latest/api_manual/cursor.html'),
  driver('cx_Oracle', 'https://cx-oracle.readthedocs.io/en/latest/api_manual/cursor.html'),
  driver('aiosqlite', 'https://aiosqlite.omnilib.dev/en/stable/api.html'),
  driver('aiomysql', 'https://aiomysql.readthedocs.io/en/latest/cursors.html'),
  driver(
    'snowflake.connector',
    'https://docs.snowflake.com/en/developer-guide/python-connector/python-connector-api',
  ),
  driver('duckdb', 'https://duckdb.org/docs/stable/clients/python/dbapi.html'),
  {
    package: 'duckdb.sql',
    link: 'https://duckdb.org/docs/stable/clients/python/overview.html',
    sinks: [{ exports: 'default', kind: 'sql' }],
  },
  {
    package: 'asyncpg',
    link: 'https://magicstack.github.io/asyncpg/current/api/index.html#asyncpg.connection.Connection.fetch',
    receivers: 'conn connection pool db',
    sinks: [
      {
        exports: '*.fetch *.fetchrow *.fetchval *.execute *.executemany *.prepare *.cursor',
        kind: 'sql',
        args: [0],
        options: 'query',
      },
    ],
  },
  {
    package: 'databases',
    link: 'https://www.encode.io/databases/database_queries/#raw-queries',
    receivers: 'database db',
    sinks: [
      {
        exports: '*.fetch_all *.fetch_one *.fetch_val *.iterate *.execute *.execute_many',
        kind: 'sql',
        args: [0],
        options: 'query',
      },
    ],
  },
  {
    package: 'sqlalchemy',
    link: 'https://docs.sqlalchemy.org/en/20/core/sqlelement.html#sqlalchemy.sql.expression.text',
    receivers: 'session db engine connection conn',
    sinks: [
      {
        exports: 'text sql.text sql.expression.text literal_column sql.literal_column',
        kind: 'sql',
        args: [0],
        options: 'text',
        receivers: '',
      },
      {
        exports: '*.execute *.scalar *.scalars *.exec_driver_sql *.from_statement',
        kind: 'sql',
        args: [0],
        options: 'statement',
      },
    ],
  },
  {
    package: 'sqlalchemy.any',
    link: 'https://docs.sqlalchemy.org/en/20/core/sqlelement.html#sqlalchemy.sql.expression.text',
    sinks: [{ exports: 'text', kind: 'sql', free: true }],
  },
  {
    package: 'flask_sqlalchemy',
    link: 'https://flask-sqlalchemy.readthedocs.io/en/stable/queries/',
    receivers: 'db',
    sinks: [{ exports: '*.execute *.scalar *.exec_driver_sql *.text', kind: 'sql', args: [0] }],
  },
  {
    package: 'sqlmodel',
    link: 'https://sqlmodel.tiangolo.com/tutorial/select/',
    sinks: [{ exports: 'text *.exec *.execute', kind: 'sql' }],
  },
  {
    package: 'django.db',
    link: 'https://docs.djangoproject.com/en/stable/topics/db/sql/',
    receivers: 'objects queryset qs manager',
    sinks: [
      cursor,
      { exports: '*.raw', kind: 'sql', args: [0], options: 'raw_query' },
      {
        exports: '*.extra',
        kind: 'sql',
        args: [0, 1],
        options: 'select where tables order_by',
        link: 'https://docs.djangoproject.com/en/stable/ref/models/querysets/#extra',
      },
    ],
  },
  {
    package: 'django.db.models.expressions',
    link: 'https://docs.djangoproject.com/en/stable/ref/models/expressions/#raw-sql-expressions',
    sinks: [{ exports: 'RawSQL', kind: 'sql', args: [0], options: 'sql', free: true }],
  },
  {
    package: 'peewee',
    link: 'https://docs.peewee-orm.com/en/latest/peewee/query_operators.html#sql-helper',
    sinks: [
      { exports: 'SQL *.raw *.execute_sql', kind: 'sql' },
      { exports: '*.execute_sql', kind: 'sql', receivers: 'db database' },
    ],
  },
  {
    package: 'tortoise',
    link: 'https://tortoise.github.io/databases.html',
    sinks: [
      { exports: '*.execute_query *.execute_query_dict *.execute_script *.raw', kind: 'sql' },
    ],
  },
  {
    package: 'pandas',
    link: 'https://pandas.pydata.org/docs/reference/api/pandas.read_sql.html',
    sinks: [
      {
        exports: 'read_sql read_sql_query io.sql.read_sql',
        kind: 'sql',
        args: [0],
        options: 'sql',
      },
    ],
  },
];
