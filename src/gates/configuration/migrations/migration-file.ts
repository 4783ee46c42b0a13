import { REHEARSAL } from '../../../rules/risk/paths.ts';
import type { Dialect } from './sql-tokens.ts';

/** The language that a migration is written in. */
type Language = 'sql' | 'ruby' | 'python' | 'javascript' | 'xml' | 'data';

/** A file that changes databases, as far as its path says it. */
export interface MigrationFile {
  readonly language: Language;
  /** `script`: SQL that no tool is known to run. */
  readonly place: 'migration' | 'script';
}

const LANGUAGES: readonly (readonly [path: RegExp, language: Language])[] = [
  [/\.(?:p?g?sql|psql|ddl)$/i, 'sql'],
  // Rails.
  [
    /(?:^|\/)db\/(?:\w+_)?migrate\/(?:[^/]+\/)*[^/]+\.rb$|(?:^|\/)db\/migrations?\/[^/]+\.rb$/i,
    'ruby',
  ],
  // Alembic and Django.
  [
    /(?:^|\/)(?:alembic|migrations?)\/(?:[^/]+\/)*[^/]+\.py$|(?:^|\/)versions\/[^/]+\.py$/i,
    'python',
  ],
  // Knex, Sequelize, TypeORM.
  [/(?:^|\/)[\w-]*migrations?\/(?:[^/]+\/)*[^/]+\.[cm]?[jt]s$/i, 'javascript'],
  // Liquibase.
  [/(?:changelog|liquibase|changesets?)[^/]*(?:\/(?:[^/]+\/)*[^/]+)?\.xml$/i, 'xml'],
  [/(?:changelog|liquibase|changesets?)[^/]*(?:\/(?:[^/]+\/)*[^/]+)?\.(?:ya?ml|json)$/i, 'data'],
];

/** Flyway, golang-migrate, goose, dbmate, Prisma, sqitch and folders of the usual names. */
const MIGRATIONS =
  /(?:^|\/)(?:[\w-]*migrations?|migrate|alembic|flyway|liquibase|changelogs?|changesets?|deploy|upgrades?|patches)\/|(?:^|\/)[VRB]\d*[\w.]*__[^/]*\.sql$|\.up\.sql$|(?:^|\/)up\.sql$/i;
/** What takes a migration back drops what the migration made; what verifies it changes nothing. */
const UNDO =
  /(?:[._-]|\/)(?:down|rollback|undo|revert)\.\w+$|(?:^|\/)(?:down|rollbacks?|undo|revert|verify)\/|(?:^|\/)U\d[\w.]*__[^/]*\.sql$/i;
/** Rows and whole schemas for a database that is empty. */
const SEEDS = /(?:^|\/|[._-])(?:seeds?|seeders?|dumps?|fixtures?|init(?:db)?)(?:[/._-]|$)/i;
const TESTS = new RegExp(REHEARSAL.replaceAll('(?i)', '').replaceAll('(?-i:', '(?:'));

/** Extensions of the rows above, so that one test is enough for most files. */
const MAY_MIGRATE = /(?:sql|ddl|rb|py|[jt]s|xml|ya?ml|json)$/i;

/** What a path says of migrations; null: the file is not read as one. */
export function migrationFileOf(path: string): MigrationFile | null {
  if (!MAY_MIGRATE.test(path)) return null;
  const language = LANGUAGES.find(([name]) => name.test(path))?.[1];
  if (language === undefined || UNDO.test(path) || SEEDS.test(path) || TESTS.test(path))
    return null;
  const isMigration = language !== 'sql' || MIGRATIONS.test(path);
  return { language, place: isMigration ? 'migration' : 'script' };
}

const DIALECTS: readonly (readonly [dialect: Dialect, path: RegExp, text: RegExp])[] = [
  [
    'mysql',
    /(?:^|[/._-])(?:mysql|mariadb|tidb)/i,
    /`\w+`|\bENGINE\s*=|\bAUTO_INCREMENT\b|\bMODIFY\s+(?:COLUMN\s+)?\w+\s+\w|\bUNSIGNED\b|\bALGORITHM\s*=|\bCONVERT\s+TO\s+CHARACTER\b|\bFOREIGN_KEY_CHECKS\b/i,
  ],
  [
    'sqlite',
    /(?:^|[/._-])(?:sqlite3?|d1)/i,
    /\bAUTOINCREMENT\b|^\s*PRAGMA\b|\bWITHOUT\s+ROWID\b/im,
  ],
  [
    'mssql',
    /(?:^|[/._-])(?:mssql|sqlserver)/i,
    /^\s*GO\s*$|\bNVARCHAR\b|\[dbo\]|\bIDENTITY\s*\(\s*1|\bWITH\s+(?:NO)?CHECK\s+ADD\b/im,
  ],
  ['oracle', /(?:^|[/._-])(?:oracle|ora)(?:[/._-])/i, /\bVARCHAR2\b|\bEXECUTE\s+IMMEDIATE\b/i],
];

/** The database that a text is for; PostgreSQL where nothing says another. */
export function dialectOf(path: string, text: string): Dialect {
  if (/(?:^|[/._-])(?:postgres|postgresql|pg|psql|cockroach)/i.test(path)) return 'postgresql';
  const byPath = DIALECTS.find(([, name]) => name.test(path));
  if (byPath !== undefined) return byPath[0];
  if (/\b(?:CONCURRENTLY|SERIAL|BIGSERIAL|TIMESTAMPTZ|JSONB)\b|\$\$/i.test(text))
    return 'postgresql';
  return DIALECTS.find(([, , words]) => words.test(text))?.[0] ?? 'postgresql';
}
