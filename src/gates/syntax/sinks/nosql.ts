import type { Severity } from '../../../model/finding.ts';
import { holes, type Value } from '../taint/value.ts';
import { words } from '../words.ts';
import {
  type CallSite,
  type Danger,
  type PropertySite,
  type Sink,
  sourceFor,
  threatOf,
  wholeWords,
} from './sink.ts';

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

const FIX =
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
function script(
  value: Value | undefined,
  argument: number,
  site: Pick<PropertySite, 'safetyOf'>,
): Danger | null {
  if (value === undefined) return null;
  const { kind, source } = threatOf(value, 'sql', site.safetyOf);
  const found = (id: string, severity: Severity): Danger => {
    return { ...base('a script that the database runs', value), id, severity, source, argument };
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
      ...base('a database filter', value),
      id: 'vuln-03',
      severity: 'critical',
      argument: 0,
    };
  }
  return value.properties === null ? null : fields(site, value.properties);
}

function isWhole({ source }: Value): boolean {
  return source?.strength === 'strong' && source.isWhole;
}

/** `findOne({ user: req.body.user, password: req.body.password })`: each may be `{ $ne: null }`. */
function fields(site: CallSite, properties: ReadonlyMap<string, Value>): Danger | null {
  const isCollection = COLLECTION.test(site.receiverPath ?? '') || isCollectionCall(site);
  for (const [name, value] of properties) {
    const source = value.pieces === null ? sourceFor(value, 'sql', site.safetyOf) : null;
    const isOpen = source?.strength === 'strong' || source?.strength === 'checked';
    if (!isOpen || !source.mayBeObject || value.properties !== null) continue;
    const found = { ...base('a value of a database filter', value), source, argument: 0 };
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
  sink: string,
  value: Value,
): { cwe: string; sink: string; fix: string; value: Value } {
  return { cwe: 'CWE-943', sink, fix: FIX, value };
}
