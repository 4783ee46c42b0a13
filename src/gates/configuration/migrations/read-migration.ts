import type { Document, Node } from '../document.ts';
import { MIGRATIONS } from '../limits.ts';
import { codeOperations, isDjango } from './code-operations.ts';
import { liquibaseOperations, tagsOf, tagsOfTree } from './liquibase.ts';
import { dialectOf, type MigrationFile, migrationFileOf } from './migration-file.ts';
import { entryOf, type Facts, type ReadOperations } from './operation.ts';
import { operationsOfText, Progress, type Surroundings } from './sql-operations.ts';
import type { Dialect } from './sql-tokens.ts';

/**
 * A migration as a document: an entry for each thing that it does to a database, by type, and one
 * for the file. What takes it back is left out. `tree`: the text as YAML or JSON, if it is that.
 */
export function readMigration(path: string, text: string, tree: () => readonly Node[]): Document {
  const file = migrationFileOf(path);
  const isLong = text.length > MIGRATIONS.CHARS_MAX;
  if (file === null || isLong) {
    return { format: 'sql', roots: [], problem: isLong ? TOO_LONG : null };
  }
  const dialect = dialectOf(path, text);
  const read = readAs(file.language, text, dialect, tree);
  const about = { place: file.place, tool: toolOf(file.language, text), dialect };
  const operations = read.operations.slice(0, MIGRATIONS.OPERATIONS_MAX);
  const problem = read.operations.length > operations.length ? TOO_MANY : null;
  const locks = operations.find(({ type }) => LOCKING.has(type));
  const facts = {
    undo: read.undo,
    lock_timeout: read.hasLockTimeout,
    // In a part of a file, the end of the transaction may stand elsewhere: what is missing there
    // counts for nothing.
    committed: read.isOpen === true ? null : true,
    locks: locks !== undefined,
  };
  const { start = 0, end = 0 } = locks ?? operations[0] ?? {};
  const all = [{ type: 'Migration', facts, text: '', start, end }, ...operations];
  const placed = all.map((one) => ({ ...one, facts: { ...USUAL, ...about, ...one.facts } }));
  const root = { kind: 'map', start: 0, end: text.length, entries: placed.map(entryOf) } as const;
  return { format: 'sql', roots: [root], problem };
}

/** What rules ask of operations whose language does not say it. */
const USUAL: Facts = {
  cascade: false,
  checked: false,
  concurrently: false,
  default: 'none',
  fills_new_column: false,
  generated: false,
  if_exists: false,
  not_null: false,
  not_valid: false,
  of_new_column: false,
  only_wider: false,
  primary: false,
  references: false,
  same_transaction: false,
  serial: false,
  stored: false,
  unique: false,
  using_index: false,
};

const TOO_LONG = `it has more than ${MIGRATIONS.CHARS_MAX / 1024} Ki characters`;
const TOO_MANY = `it does more than ${MIGRATIONS.OPERATIONS_MAX} things`;
const LOCKING = new Set(
  'AddColumn AddConstraint ChangeType DropColumn DropConstraint RenameColumn RenameTable SetNotNull'.split(
    ' ',
  ),
);

/** What runs a migration, as far as rules go by it. */
function toolOf(language: MigrationFile['language'], text: string): string {
  if (language === 'python') return isDjango(text) ? 'django' : 'alembic';
  return TOOLS[language];
}

const TOOLS = {
  sql: 'sql',
  ruby: 'rails',
  javascript: 'javascript',
  xml: 'liquibase',
  data: 'liquibase',
} as const;

function readAs(
  language: MigrationFile['language'],
  text: string,
  dialect: Dialect,
  tree: () => readonly Node[],
): ReadOperations {
  switch (language) {
    case 'sql':
      return sqlOperations(text, dialect);
    case 'xml':
      return liquibaseOperations(tagsOf(text), dialect);
    case 'data':
      return liquibaseOperations(tagsOfTree(tree()), dialect);
    default:
      return codeOperations(language, text, dialect);
  }
}

/**
 * Comments by which goose, sql-migrate, dbmate and MyBatis divide a file. A comment that just says
 * "rollback" divides nothing: whatever stands behind it runs.
 */
const DOWN = /^--+\s*(?:\+(?:goose|migrate)\s+down|migrate:down|\/\/\s*@undo)\b/i;
const UP = /^--+\s*(?:\+(?:goose|migrate)\s+up|migrate:up)\b/i;
const NO_TRANSACTION = /^--+.*\b(?:NO TRANSACTION|notransaction|transaction\s*[:=]\s*false)\b/im;
const TOOL_TRANSACTION = /^--+\s*(?:\+(?:goose|migrate)\s+up|migrate:up)/im;

function sqlOperations(text: string, dialect: Dialect): ReadOperations {
  const isFree = NO_TRANSACTION.test(text);
  const transaction = isFree ? 'none' : TOOL_TRANSACTION.test(text) ? 'tool' : 'unknown';
  const around: Surroundings = { dialect, transaction };
  const progress = new Progress();
  const partOf = (comment: string) =>
    DOWN.test(comment) ? 'down' : UP.test(comment) ? 'up' : null;
  const found = operationsOfText(text, around, progress, partOf);
  const operations = found.filter(({ type, facts }) => {
    return type !== 'DropTable' || !progress.rebuilt.has(String(facts['name']));
  });
  const { hasLockTimeout, isInTransaction: isOpen } = progress;
  return { operations, undo: 'unknown', hasLockTimeout, isOpen };
}
