import type { Pattern } from '../../model/rules.ts';
import { DOCUMENT_TAG, REHEARSAL, SQL } from './paths.ts';

const raw = String.raw;

/** What undoes a migration is expected to drop what the migration made. */
const ROLLBACKS = raw`(?i)(?:[._-]|/)(?:down|rollback|undo|revert)\.sql$|(?:^|/)U\d[\w.]*__[^/]*\.sql$`;
const SEEDS = raw`(?i)(?:^|/|[._-])(?:seeds?|dumps?|fixtures?|init(?:db)?)(?:[/._-]|$)`;
const QUIET = { description: 'tests, examples, dumps', paths: [REHEARSAL, SEEDS] };
const NAME = raw`["\x60\[]?\w[\w."\x60\[\]$-]*`;

/** SQL that destroys, blocks or opens up, in migrations and other SQL files. */
export const sqlPatterns = [
  {
    id: 'risk-schema-drop',
    description: 'Migration drops or truncates a table, schema or database',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)\b(?:DROP\s+(?:TABLE|SCHEMA|DATABASE)|TRUNCATE\s+TABLE)\s+[\w"\x60\[]`,
    path: SQL,
    keywords: ['drop table', 'drop schema', 'drop database', 'truncate table'],
    allowlists: [
      { description: 'rollbacks, tests, dumps', paths: [ROLLBACKS, REHEARSAL, SEEDS] },
      {
        description: 'comments, and the rollbacks of goose, dbmate and migrate',
        regexTarget: 'line',
        regexes: [raw`^\s*(?:--|#|//|\*)`],
      },
    ],
    severity: 'medium',
    message: 'This migration destroys data; a rollback will not bring it back.',
    fix: 'Take the readers out first, keep a backup, and drop in a later release.',
    source: 'https://www.postgresql.org/docs/current/sql-droptable.html',
    examples: {
      path: 'db/migrations/0042_cleanup.sql',
      match: ['DROP TABLE users;', '  truncate table "audit_log" cascade;'],
      noMatch: ['ALTER TABLE users DROP COLUMN nickname;', '-- drop table users;'],
    },
  },
  {
    id: 'risk-sql-column-drop',
    description: 'Migration drops a column',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)\bDROP\s+COLUMN\s+(?:IF\s+EXISTS\s+)?["\x60\[\w]`,
    path: SQL,
    keywords: ['drop column'],
    allowlists: [
      { description: 'rollbacks, tests, dumps', paths: [ROLLBACKS, REHEARSAL, SEEDS] },
      { description: 'comments', regexTarget: 'line', regexes: [raw`^\s*(?:--|#|//|\*)`] },
    ],
    severity: 'medium',
    message: 'The data of this column is lost, and running code that still reads it fails.',
    fix: 'Stop reading the column in one release, drop it in the next.',
    source: 'https://www.postgresql.org/docs/current/sql-altertable.html',
    examples: {
      path: 'prisma/migrations/2026_drop/migration.sql',
      match: ['ALTER TABLE "User" DROP COLUMN "nickname";', '  drop column if exists legacy_id,'],
      noMatch: ['ALTER TABLE users ADD COLUMN nickname text;', '-- drop column later'],
    },
  },
  {
    id: 'risk-sql-delete-all',
    description: 'DELETE without WHERE',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)^\s*DELETE\s+FROM\s+${NAME}\s*;`,
    path: SQL,
    keywords: ['delete from'],
    allowlists: [QUIET],
    severity: 'medium',
    message: 'Every row of the table is deleted.',
    fix: 'Add the WHERE clause, or say why all rows must go.',
    source: 'https://www.postgresql.org/docs/current/sql-delete.html',
    examples: {
      path: 'db/migrations/7_sessions.sql',
      match: ['DELETE FROM sessions;', 'delete from "app"."tokens" ;'],
      noMatch: [
        'DELETE FROM sessions WHERE expires_at < now();',
        'GRANT DELETE ON sessions TO app;',
      ],
    },
  },
  {
    id: 'risk-sql-update-all',
    description: 'UPDATE without WHERE',
    tags: [DOCUMENT_TAG],
    regex: raw`(?im)^[ \t]*UPDATE\s+(?:ONLY\s+)?${NAME}\s+SET\s+[^;]{1,800};`,
    target: 'hunk',
    path: raw`(?i)\.sql$`,
    keywords: ['update '],
    allowlists: [
      QUIET,
      {
        description: 'limited by a condition or a join',
        regexTarget: 'match',
        regexes: [raw`(?i)\b(?:where|join|from|limit)\b`],
      },
    ],
    severity: 'low',
    message: 'Every row of the table is rewritten, in one transaction.',
    fix: 'Add the WHERE clause, or fill the column in batches.',
    source: 'https://www.postgresql.org/docs/current/sql-update.html',
    examples: {
      path: 'db/migrations/8_role.sql',
      match: [`UPDATE users SET role = 'admin';`, 'update users\n  set active = true,\n  x = 1;'],
      noMatch: [
        `UPDATE users SET role = 'admin' WHERE id = 1;`,
        'update users\nset active = true\nwhere id in (1, 2);',
        'ON CONFLICT (id) DO UPDATE SET n = 1;',
      ],
    },
  },
  {
    id: 'risk-sql-grant-wide',
    description: 'Privileges granted to PUBLIC, on ALL, or WITH GRANT OPTION',
    regex: raw`(?i)\bGRANT\s+(?:ALL(?:\s+PRIVILEGES)?\s+ON\s+(?:\*\.\*|ALL\s|DATABASE\s)|[\w\s,]{1,80}\bON\s[^;]{1,120}\bTO\s+PUBLIC\b|[^;]{1,160}\bWITH\s+GRANT\s+OPTION\b)`,
    keywords: ['grant all', 'to public', 'with grant option'],
    allowlists: [
      {
        description: 'prose, tests, local set-up',
        paths: [REHEARSAL, raw`(?i)\.(?:md|rst|adoc|txt|po)$`],
      },
    ],
    severity: 'medium',
    message: 'These rights reach further than one application needs.',
    fix: 'Grant the needed rights on the needed tables to one role.',
    cwe: 'CWE-732',
    source: 'https://www.postgresql.org/docs/current/sql-grant.html',
    examples: {
      path: 'db/roles.sql',
      match: [
        `GRANT ALL PRIVILEGES ON *.* TO 'app'@'%';`,
        'GRANT SELECT, INSERT ON accounts TO PUBLIC;',
        'grant select on accounts to reporting with grant option;',
      ],
      noMatch: ['GRANT SELECT ON accounts TO reporting;', 'GRANT USAGE ON SCHEMA app TO app;'],
    },
  },
  {
    id: 'risk-sql-superuser',
    description: 'Database role with superuser or bypass privileges',
    regex: raw`(?i)\b(?:CREATE|ALTER)\s+(?:USER|ROLE)\s[^;]{1,200}\b(?:SUPERUSER|BYPASSRLS|CREATEROLE|REPLICATION)\b|\bALTER\s+SERVER\s+ROLE\s+\[?sysadmin\]?\s+ADD\b`,
    keywords: ['superuser', 'bypassrls', 'createrole', 'sysadmin', 'replication'],
    path: raw`(?i)\.(?:sql|sh|ya?ml|tf)$|(?:^|/)(?:migrations?|migrate|db)/`,
    allowlists: [{ description: 'tests', paths: [REHEARSAL] }],
    severity: 'medium',
    message: 'This role may read and change everything, whatever the other rules say.',
    fix: 'Give the role the rights on its own tables only.',
    cwe: 'CWE-250',
    source: 'https://www.postgresql.org/docs/current/role-attributes.html',
    examples: {
      path: 'db/roles.sql',
      match: ['CREATE ROLE app LOGIN SUPERUSER;', 'ALTER USER app WITH BYPASSRLS;'],
      noMatch: ['CREATE ROLE app LOGIN;', 'CREATE TABLE superuser (id int);'],
    },
  },
  {
    id: 'risk-sql-row-security-off',
    description: 'Row-level security is disabled',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)\b(?:DISABLE|NO\s+FORCE)\s+ROW\s+LEVEL\s+SECURITY\b`,
    keywords: ['row level security'],
    path: SQL,
    allowlists: [{ description: 'rollbacks, tests', paths: [ROLLBACKS, REHEARSAL] }],
    severity: 'medium',
    message: 'Every role that may read the table now sees all of its rows.',
    fix: 'Leave the policies on; give maintenance a role of its own.',
    cwe: 'CWE-863',
    source: 'https://www.postgresql.org/docs/current/ddl-rowsecurity.html',
    examples: {
      path: 'supabase/migrations/9_rls.sql',
      match: [
        'ALTER TABLE accounts DISABLE ROW LEVEL SECURITY;',
        'alter table accounts no force row level security;',
      ],
      noMatch: [
        'ALTER TABLE accounts ENABLE ROW LEVEL SECURITY;',
        'ALTER TABLE accounts FORCE ROW LEVEL SECURITY;',
      ],
    },
  },
  {
    id: 'risk-sql-blocking-index',
    description: 'CREATE INDEX without CONCURRENTLY blocks writes (PostgreSQL)',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)^\s*CREATE\s+(?:UNIQUE\s+)?INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?["\w]+\s+ON\s`,
    path: raw`(?i)(?:^|/)(?:migrations?|migrate|flyway)/.*\.sql$|(?:^|/)V\d[\w.]*__[^/]*\.sql$`,
    keywords: ['create index', 'create unique index'],
    severity: 'info',
    message: 'On a large PostgreSQL table writes wait until this index is built.',
    fix: 'CREATE INDEX CONCURRENTLY, outside of a transaction.',
    source:
      'https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY',
    examples: {
      path: 'db/migrations/10_index.sql',
      match: [
        'CREATE INDEX users_email ON users (email);',
        'create unique index "u" on "users" (a);',
      ],
      noMatch: [
        'CREATE INDEX CONCURRENTLY users_email ON users (email);',
        'DROP INDEX users_email;',
      ],
    },
  },
  {
    id: 'risk-sql-not-null',
    description: 'NOT NULL added to a column without a default',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)\bADD\s+(?:COLUMN\s+)?(?:IF\s+NOT\s+EXISTS\s+)?["\x60]?\w+["\x60]?\s+\w[^,;]*\bNOT\s+NULL\b[^,;]*|\bALTER\s+(?:COLUMN\s+)?["\x60]?\w+["\x60]?\s+SET\s+NOT\s+NULL\b`,
    path: SQL,
    keywords: ['not null'],
    allowlists: [
      QUIET,
      {
        description: 'with a value for existing rows',
        regexTarget: 'match',
        regexes: [
          raw`(?i)\b(?:default|generated|serial|bigserial|identity|auto_increment|constraint|check)\b`,
        ],
      },
    ],
    severity: 'low',
    message: 'This fails, or locks the table, as soon as there are rows.',
    fix: 'Add the column with a default or nullable, fill it, then set NOT NULL.',
    source: 'https://www.postgresql.org/docs/current/ddl-alter.html',
    examples: {
      path: 'db/migrations/11_tenant.sql',
      match: [
        'ALTER TABLE users ADD COLUMN tenant_id uuid NOT NULL;',
        'ALTER TABLE users ALTER COLUMN email SET NOT NULL;',
      ],
      noMatch: [
        'ALTER TABLE users ADD COLUMN n int NOT NULL DEFAULT 0;',
        'CREATE TABLE a (id int NOT NULL);',
      ],
    },
  },
  {
    id: 'risk-sql-type-change',
    description: 'Column type changes',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)\bALTER\s+(?:COLUMN\s+)?["\x60]?\w+["\x60]?\s+(?:SET\s+DATA\s+)?TYPE\s+\w|\bALTER\s+TABLE\s[^;]{1,100}\b(?:MODIFY|CHANGE)\s+(?:COLUMN\s+)?["\x60]?\w+["\x60]?\s+\w`,
    path: SQL,
    keywords: ['alter '],
    allowlists: [QUIET],
    severity: 'low',
    message: 'The table is rewritten under a lock, and values that do not fit are an error or cut.',
    fix: 'Add a column of the new type, copy in batches, then switch the readers.',
    source: 'https://www.postgresql.org/docs/current/sql-altertable.html',
    examples: {
      path: 'db/migrations/12_type.sql',
      match: [
        'ALTER TABLE t ALTER COLUMN id TYPE bigint;',
        'ALTER TABLE t MODIFY COLUMN name VARCHAR(20);',
      ],
      noMatch: ['CREATE TYPE mood AS ENUM (1);', 'ALTER TABLE t ADD COLUMN type text;'],
    },
  },
  {
    id: 'risk-sql-rename',
    description: 'Table or column is renamed',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)\bALTER\s+(?:TABLE|VIEW)\s[^;]{1,120}\bRENAME\s+(?:COLUMN\s+)?(?:["\x60]?\w+["\x60]?\s+)?TO\s|^\s*RENAME\s+(?:COLUMN\s+["\x60\w]+\s+TO|TABLE)\s`,
    path: SQL,
    keywords: ['rename '],
    allowlists: [QUIET],
    severity: 'low',
    message: 'Code that runs during the roll-out still uses the old name.',
    fix: 'Keep the old name as a view or generated column for one release.',
    source: 'https://www.postgresql.org/docs/current/sql-altertable.html',
    examples: {
      path: 'db/migrations/13_rename.sql',
      match: [
        'ALTER TABLE users RENAME COLUMN mail TO email;',
        'ALTER TABLE "users" RENAME TO "accounts";',
      ],
      noMatch: ['COMMENT ON TABLE t IS 1; -- rename', 'ALTER TABLE t ADD COLUMN renamed boolean;'],
    },
  },
  {
    id: 'risk-sql-constraints-off',
    description: 'Foreign key checks or triggers are disabled',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)\bFOREIGN_KEY_CHECKS\s*=\s*0|\bDISABLE\s+TRIGGER\s+(?:ALL|USER)\b|\bsession_replication_role\s*(?:=|TO)\s*'?replica|\bPRAGMA\s+foreign_keys\s*=\s*(?:OFF|0)|\bNOCHECK\s+CONSTRAINT\s+ALL\b`,
    path: SQL,
    keywords: [
      'foreign_key_checks',
      'disable trigger',
      'session_replication_role',
      'pragma foreign_keys',
      'nocheck constraint',
    ],
    allowlists: [QUIET],
    severity: 'low',
    message: 'Rows that break the rules of the schema get in, and stay.',
    fix: 'Load the rows in the order of their keys.',
    source:
      'https://dev.mysql.com/doc/refman/8.4/en/server-system-variables.html#sysvar_foreign_key_checks',
    examples: {
      path: 'db/migrations/14_load.sql',
      match: ['SET FOREIGN_KEY_CHECKS = 0;', 'ALTER TABLE t DISABLE TRIGGER ALL;'],
      noMatch: ['SET FOREIGN_KEY_CHECKS = 1;', 'ALTER TABLE t ENABLE TRIGGER ALL;'],
    },
  },
  {
    id: 'risk-sql-runs-programs',
    description: 'SQL that runs programs or writes files on the database server',
    regex: raw`(?i)\bxp_cmdshell\b|\bCOPY\s[^;]{1,200}\b(?:FROM|TO)\s+PROGRAM\s+'|\bINTO\s+(?:OUTFILE|DUMPFILE)\s+['"]|\bUTL_HTTP\.REQUEST\b|\bLOAD_EXTENSION\s*\(`,
    keywords: ['xp_cmdshell', 'program ', 'outfile', 'dumpfile', 'utl_http', 'load_extension'],
    path: raw`(?i)\.(?:sql|py|rb|php|java|go|cs|[cm]?[jt]s)$`,
    allowlists: [
      { description: 'tests', paths: [REHEARSAL] },
      { description: 'comments', regexTarget: 'line', regexes: [raw`^\s*(?:--|#|//|\*)`] },
    ],
    severity: 'medium',
    message: 'The database server runs a program or writes a file of this statement.',
    fix: 'Do it outside of the database, with rights of its own.',
    cwe: 'CWE-250',
    source: 'https://www.postgresql.org/docs/current/sql-copy.html',
    examples: {
      path: 'db/jobs/export.sql',
      match: [
        `EXEC xp_cmdshell 'dir';`,
        `COPY users TO PROGRAM 'gzip > /tmp/users.gz';`,
        `SELECT 1 INTO OUTFILE '/var/www/html/a.php';`,
      ],
      noMatch: [
        `COPY users FROM STDIN;`,
        '-- never use xp_cmdshell',
        'CREATE TABLE program (id int);',
      ],
    },
  },
] satisfies readonly Pattern[];
