import type { Severity } from '../../../model/finding.ts';
import { words } from '../../../rules/catalogue/line.ts';
import type { SinkName } from '../../../rules/wording/sinks.ts';
import {
  type CallSite,
  type Danger,
  fromOutside,
  type PropertySite,
  type Sink,
  sourceFor,
  threatOf,
  wholeWords,
  wordsNearSource,
} from './sink.ts';
import { holes, type Piece, type Source, type Value } from './value.ts';

/** Methods that take SQL as text. */
const SQL_CALLS = words(`
  query execute raw unsafe literal prepare exec all get each run one none any many oneOrNone
  manyOrNone queryRaw queryRawUnsafe executeRawUnsafe $queryRawUnsafe $executeRawUnsafe
  $queryRaw $executeRaw whereRaw orWhereRaw havingRaw orderByRaw groupByRaw joinRaw selectRaw
  fromRaw rawQuery executeSql runQuery
`);
/** Query builders' methods that take a condition or a column as text. */
const CONDITION_CALLS = words(`
  where andWhere orWhere having andHaving orHaving orderBy addOrderBy groupBy
  innerJoin leftJoin
`);
/** A condition that a value is written into. */
const CONDITION =
  /[\w"'`\])]\s*(?:=|<>|!=|<=?|>=?|\b(?:not\s+)?(?:like|in|ilike|between)\b)\s*[('"%]*$/i;
const BUILT_CONDITION = new RegExp(
  String.raw`\b(?:${[...CONDITION_CALLS].join('|')})\s{0,20}\(\s{0,80}` +
    String.raw`(?:['"][^'"\n]{0,200}['"]{0,3}\s{0,20}\+|\x60[^\x60\n]{0,200}\$\{)`,
);
/** Names of connections: what they are given is SQL whatever it looks like. */
const CONNECTIONS =
  /(?:^|\.)(?:db|pool|conn|connection|sequelize|knex|mysql|sqlite|pg|pgClient|pgPool|database)$/;
/** Of these, every text is SQL, also a part of a statement. */
const PART_CALLS = words(`
  raw unsafe literal $queryRawUnsafe $executeRawUnsafe queryRawUnsafe executeRawUnsafe whereRaw
  orWhereRaw havingRaw orderByRaw groupByRaw joinRaw selectRaw fromRaw
`);
/** `?` and `$1` stand for holes here. */
const STATEMENT = new RegExp(
  [
    String.raw`\bselect\b[\s\S]*\bfrom\b`,
    String.raw`\binsert\s+(?:or\s+\w+\s+|ignore\s+)?into\b`,
    String.raw`\b(?:replace|merge)\s+into\b`,
    String.raw`\bupdate\b[\s\S]+\bset\b`,
    String.raw`\bdelete\s+from\b`,
    String.raw`^\s*(?:create|alter|drop|truncate)\s+(?:temp\w*\s+|unique\s+|or\s+replace\s+)*` +
      String.raw`(?:table|index|view|database|schema|user|role|function|trigger|sequence)\b`,
    String.raw`^\s*(?:call|exec|execute|grant|revoke)\s+\w`,
  ].join('|'),
  'i',
);
/** Where a value stands: after an operator, within quotes, in a list of values. */
const BEFORE_VALUE = new RegExp(
  String.raw`(?:=|<>|!=|<|>|\blike|\bin\s*\(|\bbetween|\band|\blimit|\boffset|` +
    String.raw`\bvalues\s*\((?:[^()]|\([^()]*\))*[,(]?)\s*['"%(]*$|['%]$`,
  'i',
);

const FIX =
  'Keep the text fixed and pass the values as parameters (`?`, `$1`, named); choose names of ' +
  'tables and columns from a list.';
/** vuln-03: SQL injection (CWE-89). */
export const sql: Sink = {
  hints: [
    { words: ['select'], patterns: [/\bselect\b/i, /\bfrom\b/i] },
    { words: ['update'], patterns: [/\bupdate\b/i, /\bset\s{1,20}[\w"`[$'+]/i] },
    { words: ['delete'], patterns: [/\bdelete\s{1,20}from\b/i] },
    { words: ['into'], patterns: [/\b(?:insert|replace|merge)\b/i] },
    {
      words: ['create', 'alter', 'drop', 'truncate', 'call', 'exec', 'grant', 'revoke'],
      patterns: [/['"`]\s{0,80}(?:create|alter|drop|truncate|call|exec|execute|grant|revoke)\s/i],
    },
    wholeWords([...PART_CALLS, '$queryRaw', '$executeRaw'].filter(isTelling)),
    {
      words: ['raw', 'literal', 'unsafe'],
      patterns: [/\.\s{0,20}(?:raw|literal|unsafe)\s{0,20}\(\s{0,80}[^'")\s]/],
    },
    { words: [...CONDITION_CALLS], patterns: [BUILT_CONDITION] },
    {
      words: ['query', 'execute'],
      patterns: [/\b(?:query|execute)\s{0,20}\([^)]{0,80}\b(?:req|request|ctx|body)\b/],
    },
  ],
  inCall(site) {
    if (site.isNew) return null;
    if (CONDITION_CALLS.has(site.name)) return condition(site);
    return SQL_CALLS.has(site.name) ? statement(site) : null;
  },
};

/** Everyday words have a pattern of their own. */
function isTelling(word: string): boolean {
  return word !== 'raw' && word !== 'literal' && word !== 'unsafe';
}

function statement(site: CallSite): Danger | null {
  const [first] = site.args;
  if (first === undefined || site.receiver?.role === 'regex') return null;
  const value =
    first.properties?.get('text') ??
    first.properties?.get('sql') ??
    first.properties?.get('query') ??
    first;
  if (value.pieces === null) return wholeStatement(site, value);
  const isPart = PART_CALLS.has(site.name) && site.receiver !== null;
  if (!isPart && !STATEMENT.test(staticText(value.pieces))) return null;
  return built(value, site);
}

/** A text that is from outside as a whole: SQL only where the method says so. */
function wholeStatement(site: CallSite, value: Value): Danger | null {
  const isRaw = PART_CALLS.has(site.name) && site.name !== 'literal' && site.receiver !== null;
  const isPlainRaw = site.name === 'raw' && site.origin === null && site.receiverPath === null;
  const isConnection =
    /^(?:query|execute)$/.test(site.name) && CONNECTIONS.test(site.receiverPath ?? '');
  const { kind, source } = threatOf(value, 'sql', site.safetyOf);
  if (source?.isWhole === true || value.properties !== null) return null;
  // Of a package of the catalogue its lines say what takes SQL: `git.raw` does not.
  const path = site.made ?? site.origin;
  if (path !== null && site.isCatalogued(path)) return null;
  if (!(isRaw || isConnection) || isPlainRaw || kind !== 'strong') return null;
  return danger('vuln-03', 'critical', value, source);
}

/** `where("name = '" + name + "'")` */
function condition(site: CallSite): Danger | null {
  const [value] = site.args;
  if (value?.pieces == null || site.receiver === null) return null;
  const { kind, source } = threatOf(value, 'sql', site.safetyOf);
  const isOrder = /order/i.test(site.name) && typeof value.pieces[0] !== 'string';
  if (kind === null || isOrder || !hasCondition(value.pieces)) return null;
  const isStrong = kind === 'strong';
  return danger(isStrong ? 'vuln-03' : 'ast-sql', isStrong ? 'critical' : 'high', value, source);
}

function hasCondition(pieces: readonly Piece[]): boolean {
  let before = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') before += piece;
    else if (!piece.isTrusted && CONDITION.test(before.slice(-300))) return true;
    else before += '?';
  }
  return false;
}

/** Text of a method that takes nothing but SQL, or a part of it. */
export function sqlText(value: Value, argument: number, site: Where): Danger | null {
  if (value.properties !== null || value.source?.isWhole === true) return null;
  if (value.pieces === null) {
    const { kind, source } = threatOf(value, 'sql', site.safetyOf);
    if (kind !== 'strong' && kind !== 'checked') return null;
    const isStrong = kind === 'strong';
    const id = isStrong ? 'vuln-03' : 'ast-sql';
    return { ...danger(id, isStrong ? 'critical' : 'high', value, source), argument };
  }
  const found = built(value, site);
  const isUnknown = found?.source == null && !STATEMENT.test(staticText(value.pieces));
  return found === null || isUnknown ? null : { ...found, argument };
}

type Where = Pick<PropertySite, 'safetyOf'>;

function built(value: Value, site: Where): Danger | null {
  const inValue = holesInValues(value.pieces ?? []);
  const { kind, source } = threatOf(value, 'sql', site.safetyOf);
  switch (kind) {
    case 'strong':
      return danger('vuln-03', 'critical', value, source);
    case 'checked':
      return danger('ast-sql', 'high', value, source);
    case 'operator':
      return danger('ast-sql', 'medium', value, source);
    case 'weak':
      return danger('ast-sql', 'high', value, source);
    case 'built':
      return danger('ast-sql', inValue > 0 ? 'high' : 'medium', value, source);
    case null:
      return null;
  }
}

function danger(id: string, severity: Severity, value: Value, source: Source | null): Danger {
  const sink = 'SQL statement';
  return { id, severity, cwe: 'CWE-89', sink, fix: FIX, value, source, argument: 0 };
}

/** The known text, with `?` for each hole. */
function staticText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : '?')).join('');
}

/** Holes that stand where SQL has a value, not a name. */
export function holesInValues(pieces: readonly Piece[]): number {
  let before = '';
  let count = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') before += piece;
    else {
      if (!piece.isTrusted && BEFORE_VALUE.test(before.slice(-300))) count += 1;
      before += '?';
    }
  }
  return count;
}

/** Methods of document stores that take a filter object first. */
const FILTER_CALLS = words(`
  find findOne findOneAndUpdate findOneAndDelete findOneAndReplace findOneAndRemove updateOne
  updateMany deleteOne deleteMany replaceOne count countDocuments where exists distinct remove
`);
/** Keys by which people are let in: an operator object in their place matches everybody. */
const CREDENTIAL =
  /^(?:password|passwd|pass|pwd|token|resetToken|resetPasswordToken|secret|apiKey|otp|code)$/i;
/** The driver's own collections, which cast nothing: `db.users`, `db.collection('users')`. */
const COLLECTION = /(?:^|\.)db\.\w+$|[cC]ollection$|(?:^|\.)(?:col|coll)$/;

const NAME_CHAIN = String.raw`[\w$]{1,80}(?:\s{0,20}\??\.\s{0,20}[\w$]{1,80}){0,4}`;
/** A filter that is a name, has one spread into it, or has a request's member for a value. */
const OPEN_FILTER = new RegExp(
  String.raw`\b(?:${[...FILTER_CALLS].join('|')})\s{0,20}\(\s{0,80}` +
    String.raw`(?:${NAME_CHAIN}\s{0,20}[,)]|\{\s{0,80}\.\.\.|await\b|JSON\b|` +
    String.raw`\{[^{}]{0,300}\b(?:req|request|body|query|password|token|username|email|data|input)\b)`,
);

const NOSQL_FIX =
  'Build the filter from single fields whose types are checked (String(x), a schema); never pass ' +
  'the object of a request as it came, and do without $where.';

/** vuln-03: injection into filters of document stores (CWE-943). */
export const nosql: Sink = {
  hints: [
    wholeWords(['$where', 'mapReduce', '$accumulator', '$function']),
    { words: [...FILTER_CALLS], patterns: [OPEN_FILTER] },
  ],
  inCall(site) {
    if (site.isNew) return null;
    if (site.name === '$where') return script(site.args[0], 0, site);
    if (site.name === 'mapReduce') return script(site.args[0], 0, site);
    return FILTER_CALLS.has(site.name) ? filter(site) : null;
  },
  inProperty: (site) => (site.name === '$where' ? script(site.value, -1, site) : null),
};

/** `$where` holds JavaScript that the database runs. */
export function script(
  value: Value | undefined,
  argument: number,
  site: Pick<PropertySite, 'safetyOf'>,
): Danger | null {
  if (value === undefined) return null;
  const { kind, source } = threatOf(value, 'sql', site.safetyOf);
  const found = (id: string, severity: Severity): Danger => {
    return { ...base('database script', value), id, severity, source, argument };
  };
  if (kind === 'strong') return found('vuln-03', 'critical');
  return kind === 'built' || kind === 'checked' || kind === 'weak'
    ? found('ast-sql', 'high')
    : null;
}

/** A whole object of the sender's as a filter; cheerio's and jQuery's `find` take selectors. */
function filter(site: CallSite): Danger | null {
  const [value] = site.args;
  if (value === undefined || site.receiver === null || holes(value).length > 0) return null;
  if (site.receiverPath?.startsWith('$') === true || site.receiver.elements !== null) return null;
  if (isWhole(value)) {
    return {
      ...base('database filter', value),
      id: 'vuln-03',
      severity: 'critical',
      argument: 0,
    };
  }
  const isCollection = COLLECTION.test(site.receiverPath ?? '') || isCollectionCall(site);
  return value.properties === null ? null : fields(site, value.properties, isCollection);
}

function isWhole({ source }: Value): boolean {
  return source?.strength === 'strong' && source.isWhole;
}

/** An object of a driver that takes `{ $ne: null }` wherever it expects a text. */
export function filterObject(value: Value, argument: number, site: Where): Danger | null {
  if (holes(value).length > 0) return null;
  if (isWhole(value)) {
    return { ...base('database filter', value), id: 'vuln-03', severity: 'critical', argument };
  }
  const found = fields(site, value.properties ?? new Map([['', value]]), true);
  return found === null ? null : { ...found, argument };
}

/** `findOne({ user: req.body.user, password: req.body.password })`: each may be `{ $ne: null }`. */
function fields(
  site: Where,
  properties: ReadonlyMap<string, Value>,
  isCollection: boolean,
): Danger | null {
  for (const [name, value] of properties) {
    const source = value.pieces === null ? sourceFor(value, 'sql', site.safetyOf) : null;
    const isOpen = source?.strength === 'strong' || source?.strength === 'checked';
    if (!isOpen || !source.mayBeObject || value.properties !== null) continue;
    const found = { ...base('filter value', value), source, argument: 0 };
    if (isCollection) return { ...found, id: 'ast-nosql', severity: 'high' };
    if (CREDENTIAL.test(name)) return { ...found, id: 'ast-nosql', severity: 'high' };
  }
  return null;
}

/** `db.collection('users').findOne(...)` */
function isCollectionCall(site: CallSite): boolean {
  return site.receiver?.role === 'collection';
}

function base(
  sink: SinkName,
  value: Value,
): { cwe: string; sink: SinkName; fix: string; value: Value } {
  return { cwe: 'CWE-943', sink, fix: NOSQL_FIX, value };
}

const REGEX = {
  use: 'regex',
  cwe: 'CWE-1333',
  sink: 'regular expression',
  fix: 'Escape the text (escapeRegExp), or look for it with includes.',
  grades: { strong: ['ast-regex', 'high'] },
} as const;
const LDAP = {
  use: 'sql',
  cwe: 'CWE-90',
  sink: 'LDAP filter',
  fix: 'Escape values as RFC 4515 says, or build the filter from objects.',
  grades: { strong: ['ast-ldap', 'high'] },
} as const;
const ORIGIN = {
  use: 'key',
  cwe: 'CWE-942',
  sink: 'allowed origin',
  fix: 'Compare the Origin header with a list.',
  grades: { strong: ['ast-cors', 'medium'] },
} as const;

/** Expressions of other languages: regular expressions, LDAP filters, allowed origins. */
export const expression: Sink = {
  hints: [
    wordsNearSource(['RegExp']),
    { words: ['ldap', 'filter'], patterns: [/\bldap|client\.search/i, /\bfilter\b/] },
    { words: ['access-control-allow-origin'], patterns: [/\b(?:req|request|ctx|c|origin)\b/] },
  ],
  inCall: (site) => regex(site) ?? origin(site),
  inProperty: ldap,
};

function regex(site: CallSite): Danger | null {
  const isRegex = site.name === 'RegExp' && site.receiver === null && !site.isDeclared;
  return isRegex ? fromOutside(site.args[0], 0, REGEX, site) : null;
}

function origin(site: CallSite): Danger | null {
  const isHeader = /^(?:set|setHeader|header)$/.test(site.name);
  if (!isHeader || site.args[0]?.constant?.toLowerCase() !== 'access-control-allow-origin')
    return null;
  return fromOutside(site.args[1], 1, ORIGIN, site);
}

/** `{ filter: '(uid=' + name + ')' }` */
function ldap(site: PropertySite): Danger | null {
  const start = site.value.pieces?.[0];
  const isFilter =
    site.name === 'filter' && typeof start === 'string' && /^\([&|!(]*\w+=/.test(start);
  return isFilter ? fromOutside(site.value, -1, LDAP, site) : null;
}
