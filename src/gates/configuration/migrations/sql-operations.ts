import type { Facts, Operation } from './operation.ts';
import {
  type Dialect,
  otherReadings,
  readStatements,
  type Statement,
  type Token,
} from './sql-tokens.ts';

/** What a migration tool does around the statements. */
export interface Surroundings {
  readonly dialect: Dialect;
  /** Whether the tool runs them in a transaction; 'unknown': it may. */
  readonly transaction: 'tool' | 'unknown' | 'none';
}

/** What statements before made or set, in the same file. */
export class Progress {
  /** Tables that are made in this file: they are empty, and nothing waits for them. */
  readonly made = new Set<string>();
  /** Of these, tables that may have been there before: `IF NOT EXISTS`. */
  readonly perhapsMade = new Set<string>();
  /** Columns added in this file, `table.column`. */
  readonly added = new Set<string>();
  /** Names of tables that a table of this file takes: the one before was copied. */
  readonly rebuilt = new Set<string>();
  /** Constraints that were added in this transaction without a check of the rows. */
  readonly unchecked = new Set<string>();
  /** Columns of which a checked constraint says that they are not null, `table.column`. */
  readonly checked = new Set<string>();
  readonly notNull = new Map<string, string>();
  isInTransaction = false;
  hasLockTimeout = false;
  statementTimeout = false;

  /** Whether a table has no rows but rows of this file. */
  isNew(table: string): boolean {
    return this.made.has(table) && !this.perhapsMade.has(table);
  }

  /** The same, to be changed apart from it. */
  copy(): Progress {
    const { made, perhapsMade, added, rebuilt, unchecked, checked, notNull, ...flags } = this;
    const copy = new Progress();
    for (const one of made) copy.made.add(one);
    for (const one of perhapsMade) copy.perhapsMade.add(one);
    for (const one of added) copy.added.add(one);
    for (const one of rebuilt) copy.rebuilt.add(one);
    for (const one of unchecked) copy.unchecked.add(one);
    for (const one of checked) copy.checked.add(one);
    for (const [column, constraint] of notNull) copy.notNull.set(column, constraint);
    return Object.assign(copy, flags);
  }
}

/** A statement at which a cursor looks token by token. */
class Cursor {
  private at = 0;
  private readonly tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  get token(): Token | undefined {
    return this.tokens[this.at];
  }

  get isAtEnd(): boolean {
    return this.at >= this.tokens.length;
  }

  /** Goes on if words stand here, separated by spaces. */
  take(words: string): boolean {
    const wanted = words.split(' ');
    const isHere = wanted.every((word, index) => {
      const token = this.tokens[this.at + index];
      return (token?.kind === 'word' || token?.kind === 'symbol') && token.value === word;
    });
    if (isHere) this.at += wanted.length;
    return isHere;
  }

  takeAny(...choices: string[]): string | null {
    return choices.find((words) => this.take(words)) ?? null;
  }

  /** A name, with what is before a dot: the last part of it, in lower case. */
  name(): string {
    let name = '';
    for (;;) {
      const token = this.token;
      if (token === undefined || token.kind === 'symbol') return name;
      name = token.value.slice(token.value.lastIndexOf('.') + 1).toLowerCase();
      this.at += 1;
      const isMore = token.kind === 'word' && token.value.endsWith('.');
      if (isMore) continue;
      const next = this.token;
      if (next?.kind !== 'word' || next.value[0] !== '.') return name;
      if (next.value !== '.') continue;
      this.at += 1;
    }
  }

  skip(): void {
    this.at += 1;
  }

  rest(): Token[] {
    return this.tokens.slice(this.at);
  }
}

/**
 * What a text of SQL does, as its database reads it, and what only another database would see.
 * Parts that `partOf` calls `down` are left out.
 */
export function operationsOfText(
  text: string,
  around: Surroundings,
  progress: Progress,
  partOf?: (comment: string) => string | null,
): Operation[] {
  const parts = partOf === undefined ? {} : { partOf };
  const operationsOfAll = (statements: ReturnType<typeof readStatements>, own: Progress) => {
    return [...statements].flatMap(({ tokens, part }) => {
      return part === 'down' ? [] : operationsOf(tokens, around, own);
    });
  };
  const before = progress.copy();
  const { dialect } = around;
  const found = operationsOfAll(readStatements(text, { dialect, ...parts }), progress);
  const placeOf = ({ type, start }: Operation) => `${type} ${start}`;
  for (const reading of otherReadings(text, { dialect })) {
    const known = new Set(found.map(placeOf));
    const others = operationsOfAll(readStatements(text, { ...reading, ...parts }), before.copy());
    found.push(...others.filter((one) => !known.has(placeOf(one))));
  }
  return found;
}

/** What a statement of SQL does, as far as rules ask; the rest is left out. */
function operationsOf(statement: Statement, around: Surroundings, progress: Progress): Operation[] {
  const first = statement[0];
  if (first?.kind !== 'word') return [];
  const { dialect } = around;
  const transaction = progress.isInTransaction ? 'explicit' : around.transaction;
  const make = (type: string, facts: Facts, tokens = statement) => {
    const words = tokens.slice(0, TEXT_TOKENS_MAX).map(({ value }) => value.slice(0, 100));
    const text = words.join(' ');
    return { type, facts: { dialect, transaction, ...facts }, text, ...rangeOf(tokens) };
  };
  const cursor = new Cursor(statement);
  const read = STATEMENTS[first.value];
  cursor.skip();
  return read?.({ cursor, make, around, progress, statement }) ?? [];
}

/** Longer statements are compared by their beginning. */
const TEXT_TOKENS_MAX = 200;

interface Reader {
  cursor: Cursor;
  make(type: string, facts: Facts, tokens?: Statement): Operation;
  around: Surroundings;
  progress: Progress;
  statement: Statement;
}

type Read = (reader: Reader) => Operation[];

const STATEMENTS: Readonly<Record<string, Read>> = {
  __proto__: null as never,
  alter: readAlter,
  begin: begin,
  start: begin,
  commit: commit,
  end: commit,
  rollback: commit,
  cluster: ({ make }) => [make('Cluster', {})],
  create: readCreate,
  delete: readDelete,
  do: readBlock,
  drop: readDrop,
  grant: readGrant,
  lock: ({ cursor, make, progress }) => {
    cursor.takeAny('table', 'tables');
    const isMade = tablesOf(cursor).every((table) => progress.made.has(table));
    return isMade ? [] : [make('LockTable', {})];
  },
  optimize: ({ make }) => [make('OptimizeTable', {})],
  pragma: readSet,
  refresh: ({ cursor, make }) => {
    cursor.take('materialized view');
    return [make('RefreshView', { concurrently: cursor.take('concurrently') })];
  },
  reindex: ({ statement, make }) => {
    return [make('Reindex', { concurrently: hasWords(statement, 'concurrently') })];
  },
  rename: ({ cursor, make }) => {
    if (cursor.take('table')) return [make('RenameTable', { table: cursor.name() })];
    return cursor.take('column') ? [make('RenameColumn', { column: cursor.name() })] : [];
  },
  select: readSelect,
  set: readSet,
  truncate: ({ cursor, make, progress }) => {
    cursor.take('table');
    const table = tablesOf(cursor).find((one) => !progress.isNew(one));
    return table === undefined ? [] : [make('Truncate', { table })];
  },
  update: readUpdate,
  vacuum: ({ cursor, statement, make, around }) => {
    const isFull = cursor.take('full') || (cursor.take('(') && hasWords(statement, 'full'));
    return isFull || around.dialect === 'sqlite' ? [make('VacuumFull', {})] : [];
  },
  with: ({ statement, ...reader }) => {
    // What another query computes does not limit a statement.
    return statementsWithin(statement).flatMap((own) => {
      const cursor = new Cursor(own);
      cursor.skip();
      return (STATEMENTS[own[0]?.value ?? ''] as Read)({ ...reader, cursor, statement: own });
    });
  },
};

/** `DELETE` and `UPDATE` of a statement `WITH`, in its queries `AS (...)` and behind them. */
function statementsWithin(statement: Statement): Statement[] {
  const found: Statement[] = [];
  let isBehind = true;
  let depth = 0;
  for (const [at, { kind, value }] of statement.entries()) {
    if (kind === 'symbol' && value === '(') depth += 1;
    if (kind === 'symbol' && value === ')') depth -= 1;
    if (kind !== 'word' || !/^(?:delete|update)$/.test(value)) continue;
    const before = statement[at - 2]?.value ?? '';
    const last = statement[at - 1]?.value ?? '';
    const next = statement[at + 1]?.value ?? '';
    // Before these it is the name of a query.
    const isName = next === 'as' || next === '(';
    if (depth === 0 && isBehind && !isName && !/^(?:do|for|on|key)$/.test(last)) {
      found.push(statement.slice(at));
      isBehind = false;
    } else if (depth === 1 && last === '(' && /^(?:as|materialized)$/.test(before)) {
      found.push(queryAt(statement, at));
    }
  }
  return found;
}

/** Tokens up to the `)` around them. */
function queryAt(statement: Statement, start: number): Statement {
  let depth = 0;
  for (let at = start; at < statement.length; at += 1) {
    const { kind, value } = statement[at] as Token;
    if (kind === 'symbol' && value === '(') depth += 1;
    if (kind === 'symbol' && value === ')') depth -= 1;
    if (depth < 0) return statement.slice(start, at);
  }
  return statement.slice(start);
}

/** The names of a list of tables. */
function tablesOf(cursor: Cursor): string[] {
  const tables: string[] = [];
  do {
    cursor.take('only');
    tables.push(cursor.name());
    cursor.take('*');
  } while (cursor.take(','));
  return tables;
}

function begin({ cursor, make, progress, statement }: Reader): Operation[] {
  if (statement[0]?.value === 'start' && !cursor.take('transaction')) return [];
  const isNested = progress.isInTransaction;
  progress.isInTransaction = true;
  return isNested ? [make('NestedTransaction', {})] : [];
}

function commit({ cursor, statement, make, progress }: Reader): Operation[] {
  if (cursor.takeAny('to', 'transaction to', 'work to') !== null) return [];
  const isStray = statement[0]?.value === 'commit' && !progress.isInTransaction;
  progress.isInTransaction = false;
  progress.unchecked.clear();
  // Of a part of a file, a missing fact says nothing: BEGIN may stand above it.
  return isStray ? [make('StrayCommit', { begun: null })] : [];
}

function readSelect({ statement, make }: Reader): Operation[] {
  const isOff = hasWords(statement, 'pg_catalog.set_config', 'session_replication_role');
  return isOff ? [make('ConstraintsOff', {})] : [];
}

function readSet(reader: Reader): Operation[] {
  const { statement, make, progress } = reader;
  const words = statement.map(({ value }) => value.toLowerCase());
  const text = words.join(' ').replace(/ ?([=.]) ?/g, '$1');
  const isWaiting = /[=\s](?:0|default|off)\b/.test(text);
  if (/\b(?:innodb_)?lock_(?:wait_)?timeout\b/.test(text)) progress.hasLockTimeout = !isWaiting;
  if (/\bstatement_timeout\b/.test(text)) progress.statementTimeout = !isWaiting;
  const isOff =
    /\bforeign_key_checks=(?:0|off)\b|session_replication_role(?:=| to )replica\b/.test(text) ||
    /^pragma foreign_keys(?:=| ?\( ?)(?:off|0|false|no)\b/.test(text);
  if (isOff) return [make('ConstraintsOff', {})];
  const isUnsafe =
    /^pragma (?:writable_schema(?:=| ?\( ?)(?:on|1)|(?:synchronous|journal_mode)(?:=| ?\( ?)(?:off|0))/;
  return isUnsafe.test(text) ? [make('UnsafePragma', {})] : [];
}

function readGrant({ statement, make }: Reader): Operation[] {
  const words = statement.map(({ value }) => value.toLowerCase());
  const on = words.indexOf('on');
  const to = words.lastIndexOf('to');
  if (on === -1 || to < on) return [];
  return [
    make('Grant', {
      all: words[1] === 'all',
      public: words.slice(to).includes('public'),
      wide: /^(?:\*\.\*|\* \. \*|all |database )/.test(`${words.slice(on + 1, to).join(' ')} `),
    }),
  ];
}

function readDelete({ cursor, statement, make, progress }: Reader): Operation[] {
  if (!cursor.take('from')) return [];
  cursor.take('only');
  const table = cursor.name();
  const isLimited = hasCondition(statement) || hasOutermost(statement, 'join', 'limit');
  return isLimited || table === '' || progress.isNew(table) ? [] : [make('DeleteAll', { table })];
}

function readUpdate({ cursor, statement, make, progress }: Reader): Operation[] {
  cursor.takeAny('only', 'low_priority', 'ignore', 'or replace', 'or ignore');
  const table = cursor.name();
  const isLimited = hasCondition(statement) || hasOutermost(statement, 'join', 'limit');
  if (isLimited || table === '' || progress.isNew(table)) return [];
  while (!cursor.isAtEnd && !cursor.take('set')) cursor.skip();
  const isNew = progress.added.has(`${table}.${cursor.name()}`);
  return [make('UpdateAll', { table, fills_new_column: isNew })];
}

/** The statements in a block of code: conditions count as met. */
function readBlock({ statement, around, progress }: Reader): Operation[] {
  const body = statement.find(({ kind }) => kind === 'text');
  if (body === undefined) return [];
  const length = body.value.length;
  // Behind the quotes, which are as long on both sides.
  const offset = body.start + (body.end - body.start - length) / 2;
  const found: Operation[] = [];
  const { dialect } = around;
  for (const { tokens: inner } of readStatements(body.value, { dialect, offset })) {
    const before = inner.findLastIndex(({ kind, value }) => {
      return kind === 'word' && /^(?:begin|then|else|loop|declare)$/.test(value);
    });
    const own = inner.slice(before + 1);
    if (/^(?:do|begin|end|commit)$/.test(own[0]?.value ?? '')) continue;
    const isRun = own[0]?.value === 'execute' && own[1]?.kind === 'text';
    const text = own[1]?.value.replaceAll("''", "'") ?? '';
    const run = isRun ? [...readStatements(text, { dialect })].flatMap((one) => one.tokens) : own;
    const range = { start: own[0]?.start ?? offset, end: own.at(-1)?.end ?? offset };
    for (const one of operationsOf(run, { ...around, transaction: 'unknown' }, progress)) {
      found.push(isRun ? { ...one, ...range } : one);
    }
  }
  return found;
}

const DROPPED: readonly (readonly [words: string, type: string])[] = [
  ['materialized view', 'DropView'],
  ['foreign table', 'DropTable'],
  ['temporary table', ''],
  ['table', 'DropTable'],
  ['view', 'DropView'],
  ['schema', 'DropSchema'],
  ['database', 'DropDatabase'],
  ['index', 'DropIndex'],
  ['type', 'DropType'],
  ['domain', 'DropType'],
  ['sequence', 'DropSequence'],
  ['trigger', 'DropTrigger'],
  ['policy', 'DropPolicy'],
  ['extension', 'DropExtension'],
  ['owned by', 'DropOwned'],
];

function readDrop({ cursor, statement, make, progress }: Reader): Operation[] {
  const [, type] = DROPPED.find(([words]) => cursor.take(words)) ?? [];
  if (type === undefined || type === '') return [];
  const concurrently = cursor.take('concurrently');
  const ifExists = cursor.take('if exists');
  const names: string[] = [];
  do names.push(cursor.name());
  while (cursor.take(','));
  const [name = ''] = names;
  if (type === 'DropIndex' && cursor.take('on') && progress.made.has(cursor.name())) return [];
  const isOwn = (one: string) => progress.isNew(one) || progress.made.has(`index ${one}`);
  if (names.every(isOwn)) {
    for (const one of names) progress.made.delete(one);
    return [];
  }
  const facts = {
    name,
    if_exists: ifExists,
    cascade: hasWords(statement, 'cascade'),
  };
  return [make(type, type === 'DropIndex' ? { ...facts, concurrently } : facts)];
}

function readCreate(reader: Reader): Operation[] {
  const { cursor, make, progress, statement } = reader;
  cursor.take('or replace');
  cursor.takeAny('global temporary', 'local temporary', 'temporary', 'temp', 'unlogged', 'foreign');
  const unique = cursor.takeAny('unique', 'fulltext', 'spatial') === 'unique';
  if (cursor.takeAny('table', 'virtual table') !== null) return readCreateTable(reader);
  if (cursor.take('materialized view')) {
    cursor.take('if not exists');
    progress.made.add(cursor.name());
    return [];
  }
  if (cursor.take('domain')) {
    const constrained = hasWords(statement, 'check') || hasWords(statement, 'not', 'null');
    return [make('CreateDomain', { constrained })];
  }
  if (cursor.takeAny('trigger', 'constraint trigger') !== null) {
    const on = statement.findIndex(({ kind, value }) => kind === 'word' && value === 'on');
    const table = new Cursor(statement.slice(on + 1)).name();
    return progress.made.has(table) ? [] : [make('CreateTrigger', { table })];
  }
  if (!cursor.take('index')) return [];
  const concurrently = cursor.take('concurrently');
  const ifNotExists = cursor.take('if not exists');
  const name = cursor.take('on') ? '' : cursor.name();
  if (name !== '') cursor.take('on');
  cursor.take('only');
  const table = cursor.name();
  if (name !== '') progress.made.add(`index ${name}`);
  if (progress.made.has(table)) return [];
  return [make('CreateIndex', { table, name, unique, concurrently, if_not_exists: ifNotExists })];
}

function readCreateTable({ cursor, make, progress, around }: Reader): Operation[] {
  const ifNotExists = cursor.take('if not exists');
  const table = cursor.name();
  if (ifNotExists && !progress.made.has(table)) progress.perhapsMade.add(table);
  progress.made.add(table);
  if (!cursor.take('(')) return [];
  const columns = clausesOf(cursor.rest()).flatMap((clause) => {
    const own = new Cursor(clause);
    if (own.takeAny(...CONSTRAINT_WORDS) !== null || takeKey(own, around) !== null) return [];
    const name = own.name();
    return [make('NewColumn', { table, name, ...typeOf(own.rest()) }, clause)];
  });
  const created = make('CreateTable', { table, name: table, if_not_exists: false });
  return ifNotExists ? columns : [created, ...columns];
}

const CONSTRAINT_WORDS = [
  'constraint',
  'primary key',
  'foreign key',
  'unique',
  'check',
  'exclude',
  'like',
  'period for',
];

/** `KEY name (a)` and the like of MySQL; elsewhere these words may be names of columns. */
function takeKey(cursor: Cursor, { dialect }: Surroundings): string | null {
  const [word, ...rest] = cursor.rest();
  const isWord = word?.kind === 'word' && /^(?:fulltext|spatial|index|key)$/.test(word.value);
  if (!isWord) return null;
  if (dialect !== 'mysql') {
    const [name, next] = rest.slice(/^(?:index|key)$/.test(rest[0]?.value ?? '') ? 1 : 0);
    const isSized = name?.kind === 'word' && SIZED.test(name.value);
    const isNamed = /^(?:\(|using)$/.test(next?.value ?? '') && !isSized;
    if (!isNamed && name?.value !== '(' && name?.value !== 'using') return null;
  }
  cursor.skip();
  return word.value;
}

/** Types that have a length in parentheses. */
const SIZED =
  /^(?:(?:var)?char2?|n(?:var)?char2?|character|varying|bpchar|(?:var)?bit|(?:var)?binary|numeric|decimal|dec|number|float|double|time|timestamp|timestamptz|datetime2?|interval|(?:tiny|small|medium|big)?int|integer|vector)$/;

/** What stands behind the name of a column. */
function typeOf(tokens: readonly Token[]) {
  const words = tokens.map(({ value }) => value.toLowerCase());
  const text = ` ${words.join(' ')} `;
  const usual = words.indexOf('default');
  const value = words.slice(usual + 1).join(' ');
  const isCall = /^(?:\( )*[\w.]+ \(/.test(value);
  const isStable =
    /^(?:\( )*(?:now|current_\w+|localtime\w*|transaction_timestamp|datetime|strftime|date|json_array|json_object|jsonb_build_\w+|array|to_tsvector|cast|coalesce|lower|upper)\b/;
  const volatile = usual !== -1 && isCall && !isStable.test(value);
  const [type = ''] = words;
  const isAsText = / as identity | generated (?:always|by default) as identity /.test(text);
  const isOfTwo = words[1] === 'varying' || words[1] === 'precision';
  const hasNumber = words[isOfTwo ? 2 : 1] === '(';
  return {
    type: isOfTwo ? `${type} ${words[1]}` : type,
    has_length: hasNumber,
    zoned: / with time zone /.test(text),
    not_null: / not null /.test(text),
    default:
      usual === -1
        ? 'none'
        : volatile
          ? 'volatile'
          : value.startsWith('null')
            ? 'none'
            : 'constant',
    serial: /^(?:small|big)?serial[248]?$/.test(type) || isAsText || / auto_?increment /.test(text),
    stored: / stored /.test(text) && / as \( /.test(text),
    generated: / as \( /.test(text),
    unique: / unique /.test(text),
    primary: / primary key /.test(text),
    references: / references /.test(text),
    check: / check \( /.test(text),
  };
}

function readAlter(reader: Reader): Operation[] {
  const { cursor, make, statement } = reader;
  if (cursor.take('system')) return [make('AlterSystem', {})];
  if (cursor.take('type')) {
    cursor.name();
    if (cursor.take('add value')) {
      const isPlaced = hasWords(statement, 'before') || hasWords(statement, 'after');
      return [make('AddEnumValue', { placed: isPlaced })];
    }
    if (cursor.take('rename value')) return [make('RenameEnumValue', {})];
    return cursor.take('rename to') ? [make('RenameSchema', {})] : [];
  }
  if (cursor.take('schema')) {
    cursor.name();
    return cursor.take('rename to') ? [make('RenameSchema', {})] : [];
  }
  if (cursor.take('domain')) {
    cursor.name();
    const isAdded = cursor.take('add') && !hasWords(statement, 'valid');
    return isAdded ? [make('AlterDomain', {})] : [];
  }
  if (cursor.take('index')) {
    cursor.take('if exists');
    cursor.name();
    return cursor.take('set tablespace') ? [make('MoveTable', { what: 'tablespace' })] : [];
  }
  if (cursor.takeAny('materialized view', 'view') !== null) {
    cursor.take('if exists');
    const table = cursor.name();
    return cursor.take('rename to') ? [make('RenameTable', { table })] : [];
  }
  cursor.takeAny('online', 'ignore', 'foreign');
  return cursor.take('table') ? readAlterTable(reader) : [];
}

function readAlterTable(reader: Reader): Operation[] {
  const { cursor, progress, around } = reader;
  const ifExists = cursor.take('if exists');
  cursor.take('only');
  const table = cursor.name();
  cursor.take('*');
  const clauses = clausesOf(cursor.rest());
  const own = clauses.flatMap((clause) => alterations(reader, table, clause));
  if (progress.made.has(table)) return [];
  if (own.length === 0) return [];
  const text = reader.statement.map(({ value }) => value).join(' ');
  const extra =
    around.dialect === 'mysql' ? [reader.make('AlterTable', { table, ...copyOf(text) })] : [];
  const bare = ifExists ? [] : [reader.make('AlterWithoutIf', { table })];
  return [...own, ...extra, ...(around.dialect === 'mysql' ? [] : bare)];
}

function copyOf(text: string) {
  const [, algorithm = 'unsaid'] = /\balgorithm (?:= )?(\w+)/i.exec(text) ?? [];
  const [, lock = 'unsaid'] = /\block (?:= )?(\w+)/i.exec(text) ?? [];
  return { algorithm: algorithm.toLowerCase(), lock: lock.toLowerCase() };
}

function alterations(reader: Reader, table: string, clause: Statement): Operation[] {
  const { progress, around } = reader;
  const cursor = new Cursor(clause);
  const isNew = progress.made.has(table);
  const make = (type: string, facts: Facts = {}) => {
    if (isNew) return [];
    return [reader.make(type, { table, ...facts }, clause)];
  };
  const isAdded = (column: string) => progress.added.has(`${table}.${column}`);
  if (cursor.takeAny('add', 'with check add', 'with nocheck add') !== null) {
    return added(reader, table, cursor, clause, make);
  }
  if (cursor.take('drop')) {
    const kind = cursor.takeAny(
      'constraint',
      'foreign key',
      'check',
      'primary key',
      'index',
      'key',
      'partition',
      'column',
    );
    // PostgreSQL has columns of these names.
    const word = WORDS_FOR_COLUMNS.has(kind ?? '') && isEnd(cursor.token) ? kind : null;
    if (word !== null) return isAdded(word) ? [] : make('DropColumn', { name: word });
    const ifExists = cursor.take('if exists');
    const name = cursor.name();
    const facts = { name, if_exists: ifExists, cascade: hasWords(clause, 'cascade') };
    if (kind === 'partition') return make('DropPartition', facts);
    if (kind === 'index' || kind === 'key') return make('DropKey', facts);
    if (kind === 'primary key') return make('DropPrimaryKey', facts);
    if (kind !== null && kind !== 'column') return make('DropConstraint', facts);
    return name === '' || isAdded(name) ? [] : make('DropColumn', facts);
  }
  if (cursor.take('truncate partition')) return make('DropPartition', { name: cursor.name() });
  if (cursor.takeAny('alter column', 'alter') !== null) {
    const column = cursor.name();
    const key = `${table}.${column}`;
    if (cursor.takeAny('set data type', 'type') !== null)
      return make('ChangeType', changeOf(cursor, column));
    if (cursor.take('set not null'))
      return make('SetNotNull', { column, checked: progress.checked.has(key) || isAdded(column) });
    if (cursor.take('drop not null')) return make('DropNotNull', { column });
    if (
      cursor.takeAny(
        'set default',
        'drop default',
        'set statistics',
        'set storage',
        'set compression',
        'set (',
        'add generated',
        'drop identity',
        'set generated',
        'restart',
        'drop expression',
        'set invisible',
        'set visible',
      ) !== null
    )
      return [];
    return around.dialect === 'mssql' ? make('ChangeType', changeOf(cursor, column)) : [];
  }
  if (cursor.takeAny('modify column', 'modify') !== null) {
    cursor.take('(');
    const column = cursor.name();
    return isAdded(column) ? [] : make('ChangeType', changeOf(cursor, column));
  }
  if (cursor.takeAny('change column', 'change') !== null) {
    const column = cursor.name();
    const next = cursor.name();
    const renamed = column === next ? [] : make('RenameColumn', { column });
    return isAdded(column) ? [] : [...renamed, ...make('ChangeType', changeOf(cursor, column))];
  }
  if (cursor.takeAny('rename index to', 'rename key to') !== null) {
    return make('RenameColumn', { column: clause[1]?.value ?? '' });
  }
  if (cursor.takeAny('rename constraint', 'rename index', 'rename key') !== null) return [];
  if (cursor.takeAny('rename to', 'rename as') !== null) {
    const next = cursor.name();
    const found = make('RenameTable', { next });
    if (isNew) {
      progress.made.delete(table);
      progress.made.add(next);
      progress.rebuilt.add(next);
    }
    return found;
  }
  if (cursor.takeAny('rename column', 'rename') !== null) {
    const column = cursor.name();
    return isAdded(column) ? [] : make('RenameColumn', { column });
  }
  if (cursor.take('validate constraint')) {
    const name = cursor.name();
    const known = progress.notNull.get(name);
    if (known !== undefined) progress.checked.add(known);
    return make('ValidateConstraint', { same_transaction: progress.unchecked.has(name) });
  }
  if (cursor.take('set tablespace')) return make('MoveTable', { what: 'tablespace' });
  if (cursor.take('set access method')) return make('MoveTable', { what: 'access method' });
  const logged = cursor.takeAny('set logged', 'set unlogged');
  if (logged !== null) return make('MoveTable', { what: logged.slice(4) });
  if (cursor.take('disable trigger')) return make('TriggersOff', { name: cursor.name() });
  if (cursor.takeAny('disable row level security', 'no force row level security') !== null) {
    return make('RowSecurityOff');
  }
  if (cursor.take('nocheck constraint')) return make('ConstraintsOff');
  if (cursor.take('convert to')) return make('ConvertCharset');
  if (cursor.takeAny('engine', 'force', 'order by', 'row_format') !== null)
    return make('RebuildTable');
  if (cursor.take('set schema')) return make('SetSchema');
  if (cursor.take('detach partition')) {
    const concurrently = hasWords(clause, 'concurrently') || hasWords(clause, 'finalize');
    return make('DetachPartition', { concurrently });
  }
  return cursor.take('attach partition') ? make('AttachPartition') : [];
}

const WORDS_FOR_COLUMNS: ReadonlySet<string> = new Set(['index', 'key', 'partition']);

function isEnd(token: Token | undefined): boolean {
  return token === undefined || /^(?:cascade|restrict)$/.test(token.value);
}

function changeOf(cursor: Cursor, column: string) {
  const { type, has_length, not_null } = typeOf(cursor.rest());
  const using = hasWords(cursor.rest(), 'using');
  const isWidest =
    !using && (type === 'text' || (/^(?:varchar|character varying)$/.test(type) && !has_length));
  return { column, to: type, using, not_null, only_wider: isWidest };
}

const PARTITIONS = [
  'partition (',
  'partition partitions',
  'partition no_write_to_binlog',
  'partition if',
  'period for',
];

function added(
  reader: Reader,
  table: string,
  cursor: Cursor,
  clause: Statement,
  make: (type: string, facts?: Facts) => Operation[],
): Operation[] {
  const { progress } = reader;
  if (cursor.takeAny(...PARTITIONS) !== null) return [];
  const kinds = ['foreign key', 'check', 'unique', 'primary key', 'exclude', 'not null'];
  const isNamed = cursor.take('constraint');
  cursor.take('if not exists');
  const name = isNamed ? cursor.name() : '';
  const kind = cursor.takeAny(...kinds);
  if (kind !== null) {
    const notValid = hasWords(clause, 'not', 'valid');
    if (notValid) progress.unchecked.add(name);
    const words = clause.map(({ value }) => value.toLowerCase()).join(' ');
    const [, column] = /check \(+ (?:\( )*(\S+) is not null/.exec(words) ?? [];
    if (kind === 'check' && column !== undefined) {
      progress.notNull.set(name, `${table}.${column}`);
      if (!notValid) progress.checked.add(`${table}.${column}`);
    }
    // A key of a new column has no values to check.
    const [, keyed = ''] = /foreign key \( (\S+) \)/.exec(words) ?? [];
    const isOfNew = progress.added.has(`${table}.${keyed}`);
    const facts = {
      kind,
      name,
      not_valid: notValid,
      using_index: hasWords(clause, 'using', 'index'),
    };
    return make('AddConstraint', { ...facts, of_new_column: isOfNew });
  }
  const index = takeKey(cursor, reader.around);
  if (index !== null) return make('AddKey', { kind: index });
  if (isNamed) return [];
  cursor.take('column');
  const ifNotExists = cursor.take('if not exists');
  // MySQL and Oracle take several columns in parentheses.
  const isList = cursor.take('(');
  return (isList ? clausesOf(cursor.rest()) : [cursor.rest()]).flatMap((own) => {
    const column = new Cursor(own);
    const columnName = column.name();
    if (columnName === '') return [];
    progress.added.add(`${table}.${columnName}`);
    const facts = { name: columnName, if_not_exists: ifNotExists };
    return make('AddColumn', { ...facts, ...typeOf(column.rest()) });
  });
}

/** The parts of a list, up to the `)` that ends it. */
function clausesOf(tokens: readonly Token[]): Token[][] {
  const clauses: Token[][] = [];
  let clause: Token[] = [];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === 'symbol') {
      if (token.value === '(') depth += 1;
      if (token.value === ')') depth -= 1;
      if (depth < 0) break;
      if (token.value === ',' && depth === 0) {
        if (clause.length > 0) clauses.push(clause);
        clause = [];
        continue;
      }
    }
    clause.push(token);
  }
  return clause.length > 0 ? [...clauses, clause] : clauses;
}

function rangeOf(tokens: Statement) {
  return { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 };
}

/** Whether words stand one behind the other. */
function hasWords(tokens: Statement, ...words: string[]): boolean {
  return tokens.some((_, at) => {
    return words.every((word, index) => {
      const token = tokens[at + index];
      return token?.kind !== 'text' && token?.value === word;
    });
  });
}

/** Tokens that stand in no parentheses. */
function outermost(tokens: Statement): Token[] {
  let depth = 0;
  return tokens.filter(({ kind, value }) => {
    if (kind === 'symbol' && value === '(') depth += 1;
    if (kind === 'symbol' && value === ')') depth -= 1;
    return depth === 0 && kind === 'word';
  });
}

/** Whether a WHERE names some of the rows. */
function hasCondition(statement: Statement): boolean {
  const where = outermost(statement).findLast(({ value }) => value === 'where');
  if (where === undefined) return false;
  const rest = statement.slice(statement.indexOf(where) + 1, statement.indexOf(where) + 6);
  return namesRows(rest.map(({ value }) => value).join(''));
}

/** Whether a condition (SQL behind WHERE) names some of the rows: it is there, and may not hold. */
export function namesRows(condition: string): boolean {
  return !/^\(?(?:true|1(?:=1)?)?\)?;?$/i.test(condition.replace(/\s/g, ''));
}

function hasOutermost(tokens: Statement, ...words: string[]): boolean {
  return outermost(tokens).some(({ value }) => words.includes(value));
}
