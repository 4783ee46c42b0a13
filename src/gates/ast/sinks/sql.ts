import type { Severity } from '../../../domain/finding.ts';
import { holes, type Piece, type Value } from '../taint/value.ts';
import { words } from '../words.ts';
import { type CallSite, type Danger, type Sink, threat, wholeWords } from './sink.ts';

/** Methods that take SQL as text. */
const SQL_CALLS = words(`
  query execute raw unsafe literal prepare exec all get each run one none any many oneOrNone
  manyOrNone queryRaw queryRawUnsafe executeRawUnsafe $queryRawUnsafe $executeRawUnsafe
  $queryRaw $executeRaw whereRaw orWhereRaw havingRaw orderByRaw groupByRaw joinRaw selectRaw
  fromRaw rawQuery executeSql runQuery
`);
/** Of these, every text is SQL, also a part of a statement. */
const PART_CALLS = words(`
  raw unsafe literal $queryRawUnsafe $executeRawUnsafe queryRawUnsafe executeRawUnsafe whereRaw
  orWhereRaw havingRaw orderByRaw groupByRaw joinRaw selectRaw fromRaw
`);
/** Methods of document stores that take a filter object first. */
const FILTER_CALLS = words(`
  find findOne findOneAndUpdate findOneAndDelete findOneAndReplace findOneAndRemove updateOne
  updateMany deleteOne deleteMany replaceOne count countDocuments where
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

const NAME_CHAIN = String.raw`[\w$]{1,80}(?:\s{0,20}\??\.\s{0,20}[\w$]{1,80}){0,4}`;
/** A filter that is a name or has one spread into it, not an object or function written there. */
const OPEN_FILTER = new RegExp(
  String.raw`\b(?:${[...FILTER_CALLS].join('|')})\s{0,20}\(\s{0,80}` +
    String.raw`(?:${NAME_CHAIN}\s{0,20}[,)]|\{\s{0,80}\.\.\.|await\b)`,
);

const FIX =
  'Keep the text fixed and pass the values as parameters (`?`, `$1`, named); choose names of ' +
  'tables and columns from a list.';
const FILTER_FIX =
  'Build the filter from single fields whose types are checked; never pass the object of a ' +
  'request as it came, and do without $where.';

/** vuln-03: SQL and NoSQL injection (CWE-89, 943). */
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
    wholeWords([...PART_CALLS, '$where', '$queryRaw', '$executeRaw'].filter(isTelling)),
    {
      words: ['raw', 'literal', 'unsafe'],
      patterns: [/\.\s{0,20}(?:raw|literal|unsafe)\s{0,20}\(\s{0,80}[^'")\s]/],
    },
    { words: [...FILTER_CALLS], patterns: [OPEN_FILTER] },
  ],
  inCall(site) {
    if (site.isNew) return null;
    if (SQL_CALLS.has(site.name)) {
      const danger = statement(site);
      if (danger !== null) return danger;
    }
    if (site.name === '$where') return script(site.args[0], 0);
    return FILTER_CALLS.has(site.name) ? filter(site) : null;
  },
  inProperty: (name, value) => (name === '$where' ? script(value, -1) : null),
};

/** Everyday words have a pattern of their own. */
function isTelling(word: string): boolean {
  return word !== 'raw' && word !== 'literal' && word !== 'unsafe';
}

function statement(site: CallSite): Danger | null {
  const [first] = site.args;
  if (first === undefined || site.receiver?.role === 'regex') return null;
  const value = first.properties?.get('text') ?? first.properties?.get('sql') ?? first;
  if (value.pieces === null) return wholeStatement(site, value);
  const isPart = PART_CALLS.has(site.name) && site.receiver !== null;
  if (!isPart && !STATEMENT.test(staticText(value.pieces))) return null;
  return built(value);
}

/** A text that is from outside as a whole: SQL only where the method says so. */
function wholeStatement(site: CallSite, value: Value): Danger | null {
  const isRaw = PART_CALLS.has(site.name) && site.name !== 'literal' && site.receiver !== null;
  const isPlainRaw = site.name === 'raw' && site.origin === null && site.receiverPath === null;
  if (!isRaw || isPlainRaw || value.source?.strength !== 'strong') return null;
  return danger('vuln-03', 'critical', value);
}

function built(value: Value): Danger | null {
  const inValue = holesInValues(value.pieces ?? []);
  switch (threat(value)) {
    case 'strong':
      return danger('vuln-03', 'critical', value);
    case 'checked':
      return danger('ast-sql', 'high', value);
    case 'operator':
      return danger('ast-sql', 'medium', value);
    case 'weak':
      return danger('ast-sql', 'high', value);
    case 'built':
      return danger('ast-sql', inValue > 0 ? 'high' : 'medium', value);
    case null:
      return null;
  }
}

function danger(id: string, severity: Severity, value: Value): Danger {
  return { id, severity, cwe: 'CWE-89', sink: 'an SQL statement', fix: FIX, value, argument: 0 };
}

/** The known text, with `?` for each hole. */
function staticText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : '?')).join('');
}

/** Holes that stand where SQL has a value, not a name. */
function holesInValues(pieces: readonly Piece[]): number {
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

/** `$where` holds JavaScript that the database runs. */
function script(value: Value | undefined, argument: number): Danger | null {
  if (value === undefined) return null;
  const found = (id: string, severity: Severity): Danger => {
    return { ...nosql('a script that the database runs', value), id, severity, argument };
  };
  const kind = threat(value);
  if (kind === 'strong') return found('vuln-03', 'critical');
  return kind === 'built' || kind === 'checked' || kind === 'weak'
    ? found('ast-sql', 'high')
    : null;
}

/** A whole object of the sender's as a filter; cheerio's and jQuery's `find` take selectors. */
function filter(site: CallSite): Danger | null {
  const [value] = site.args;
  if (value === undefined || site.receiver === null || holes(value).length > 0) return null;
  if (value.source?.strength !== 'strong' || !value.source.isWhole) return null;
  if (site.receiverPath?.startsWith('$') === true || site.receiver.elements !== null) return null;
  return { ...nosql('a database filter', value), id: 'vuln-03', severity: 'critical', argument: 0 };
}

function nosql(
  sink: string,
  value: Value,
): { cwe: string; sink: string; fix: string; value: Value } {
  return { cwe: 'CWE-943', sink, fix: FILTER_FIX, value };
}
