import type { Package, SinkLine } from '../line.ts';

const DOC = 'https://pkg.go.dev';
const DB = 'db tx conn pool database dbx sqlDB';
const plain: SinkLine = { exports: '*.Query *.QueryRow *.Exec *.Prepare', kind: 'sql' };
const withContext: SinkLine = {
  exports: '*.QueryContext *.QueryRowContext *.ExecContext *.PrepareContext',
  kind: 'sql',
};
/** Builders of GORM and its kin take conditions, columns and orders as text. */
const builder: SinkLine = {
  exports:
    '*.Raw *.Exec *.Where *.Or *.Not *.Having *.Order *.Group *.Select *.Joins *.Table *.Distinct',
  kind: 'sql',
};
const GORM = 'https://gorm.io/docs/security.html';

/** What takes statements of SQL, or parts of them, as text. */
export const golangDatabases: readonly Package[] = [
  {
    package: 'database/sql',
    link: 'https://go.dev/doc/database/sql-injection',
    receivers: DB,
    sinks: [plain, withContext],
  },
  {
    package: 'github.com/jmoiron/sqlx',
    link: `${DOC}/github.com/jmoiron/sqlx`,
    receivers: DB,
    sinks: [
      { ...plain, receivers: '' },
      { ...withContext, receivers: '' },
      {
        exports:
          '*.Queryx *.QueryRowx *.QueryxContext *.QueryRowxContext *.NamedExec *.NamedQuery ' +
          '*.NamedExecContext *.MustExec *.MustExecContext *.Preparex *.PrepareNamed',
        kind: 'sql',
      },
      { exports: '*.Get *.Select *.GetContext *.SelectContext', kind: 'sql', args: [1] },
      { exports: 'Get Select', kind: 'sql', args: [2], receivers: '' },
    ],
  },
  {
    package: 'github.com/jackc/pgx',
    link: `${DOC}/github.com/jackc/pgx/v5#Conn.Query`,
    sinks: [
      { exports: '*.Query *.QueryRow *.Exec *.QueryEx *.ExecEx', kind: 'sql' },
      { exports: '*.Prepare', kind: 'sql', args: [1] },
      { exports: 'Batch.Queue', kind: 'sql' },
    ],
  },
  {
    package: 'github.com/jackc/pgx/pgxpool',
    link: `${DOC}/github.com/jackc/pgx/v5/pgxpool#Pool.Query`,
    sinks: [{ exports: '*.Query *.QueryRow *.Exec', kind: 'sql' }],
  },
  {
    package: 'gorm.io/gorm',
    link: GORM,
    receivers: 'db tx DB gdb',
    sinks: [
      builder,
      {
        exports: '*.First *.Last *.Take *.Find *.Delete *.Scan',
        kind: 'sql',
        args: [1],
        receivers: '',
      },
      { exports: 'Expr', kind: 'sql', receivers: '' },
    ],
  },
  {
    package: 'github.com/jinzhu/gorm',
    link: GORM,
    sinks: [builder, { exports: '*.First *.Find *.Delete', kind: 'sql', args: [1] }],
  },
  {
    package: 'xorm.io/xorm',
    link: `${DOC}/xorm.io/xorm#Session.Where`,
    receivers: 'sess session engine',
    sinks: [
      {
        exports:
          '*.SQL *.Where *.And *.Or *.OrderBy *.GroupBy *.Having *.Query *.Exec *.QueryString ' +
          '*.Select',
        kind: 'sql',
      },
      { exports: '*.Join', kind: 'sql', args: [2] },
    ],
  },
  {
    package: 'github.com/uptrace/bun',
    link: `${DOC}/github.com/uptrace/bun#SelectQuery.Where`,
    sinks: [
      plain,
      withContext,
      {
        exports:
          '*.NewRaw *.Where *.WhereOr *.OrderExpr *.ColumnExpr *.TableExpr *.GroupExpr *.Having',
        kind: 'sql',
      },
    ],
  },
  {
    package: 'github.com/go-pg/pg',
    link: `${DOC}/github.com/go-pg/pg/v10`,
    sinks: [
      { exports: '*.Exec *.Where *.WhereOr *.OrderExpr *.ColumnExpr *.TableExpr', kind: 'sql' },
      { exports: '*.Query *.QueryOne', kind: 'sql', args: [1] },
    ],
  },
  {
    package: 'github.com/Masterminds/squirrel',
    link: `${DOC}/github.com/Masterminds/squirrel#SelectBuilder.Where`,
    sinks: [
      {
        exports: '*.Where *.OrderBy *.GroupBy *.Having *.From *.Column *.Prefix *.Suffix Expr',
        kind: 'sql',
      },
    ],
  },
  {
    package: 'github.com/beego/beego/client/orm',
    link: `${DOC}/github.com/beego/beego/v2/client/orm#Ormer`,
    sinks: [{ exports: '*.Raw', kind: 'sql' }],
  },
  {
    package: 'entgo.io/ent/dialect/sql',
    link: `${DOC}/entgo.io/ent/dialect/sql#Raw`,
    sinks: [{ exports: 'Raw ExprP Expr', kind: 'sql' }],
  },
  {
    package: 'zombiezen.com/go/sqlite/sqlitex',
    link: `${DOC}/zombiezen.com/go/sqlite/sqlitex#Execute`,
    sinks: [{ exports: 'Execute ExecuteTransient ExecuteScript', kind: 'sql', args: [1] }],
  },
  {
    package: 'github.com/gocql/gocql',
    link: `${DOC}/github.com/gocql/gocql#Session.Query`,
    sinks: [{ exports: '*.Query', kind: 'sql' }],
  },
  {
    package: 'cloud.google.com/go/spanner',
    link: `${DOC}/cloud.google.com/go/spanner#Statement`,
    sinks: [
      { exports: 'NewStatement', kind: 'sql' },
      { exports: 'Statement', kind: 'sql', options: 'SQL' },
    ],
  },
  {
    package: 'cloud.google.com/go/bigquery',
    link: `${DOC}/cloud.google.com/go/bigquery#Client.Query`,
    sinks: [{ exports: '*.Query', kind: 'sql' }],
  },
];
