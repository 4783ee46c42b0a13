import { invalidField } from './errors.ts';
import { type Discussion, SEVERITIES } from './finding.ts';
import { SEARCH } from './limits.ts';
import { addressDigest, type Principal } from './principal.ts';
import { type Gates, type RfcStatus, STATUSES } from './rfc.ts';

/**
 * The language of `GET rfcs?q=` and of the search box: terms `key:value` and words, all of which
 * an RFC has to match. The texts that `searchTexts` makes of a record are indexed by the stores, so
 * a search reads no record that an index does not lead to.
 */

/** What is looked for; a null does not narrow the search. */
export interface Search {
  status: RfcStatus | null;
  repo: string | null;
  component: string | null;
  /** Each is one of the texts that `searchTexts` makes of the record. */
  texts: string[];
  /** None of these: the terms with a minus before their key. */
  without: string[];
  /** Created at or before this time, ISO 8601. */
  until: string | null;
  /** Created at or after this time. */
  since: string | null;
}

/** Values and how many records have each, the most frequent first; at most FACETS.VALUES_MAX. */
export type Facet = { value: string; count: number }[];

/** What the newest records are that a search finds (`GET rfcs/facets`). */
export interface Facets {
  /** Records that were counted. */
  counted: number;
  /** Whether others match, too, which are not counted. */
  more: boolean;
  status: Facet;
  /** Of findings that count, as are the rules. */
  severity: Facet;
  repo: Facet;
  rule: Facet;
  component: Facet;
}

type Reader = (value: string, search: Search, context: Context) => string | null;

interface Context {
  principal: Principal;
  nowMs: number;
}

/** How each key reads its value: it answers what is wrong with it, or null. */
const KEYS: Readonly<Record<string, Reader>> = {
  repo(value, search) {
    if (search.repo !== null) return 'is given twice';
    search.repo = value;
    return null;
  },
  component(value, search) {
    if (search.component !== null) return 'is given twice';
    search.component = value;
    return null;
  },
  is(value, search) {
    if (value.toLowerCase() === 'any') return null;
    const status = STATUSES.find((each) => each === value.toUpperCase());
    if (status === undefined) return `must be any, ${STATUSES.join(', ').toLowerCase()}`;
    if (search.status !== null) return 'is given twice';
    search.status = status;
    return null;
  },
  rule(value, search) {
    search.texts.push(ruleText(value));
    return null;
  },
  severity(value, search) {
    const severity = SEVERITIES.find((each) => each === value.toLowerCase());
    if (severity === undefined) return `must be ${SEVERITIES.join(', ')}`;
    search.texts.push(`severity:${severity}`);
    return null;
  },
  finding(value, search) {
    if (!/^[0-9a-f]{16,64}$/i.test(value)) return 'must be a fingerprint, or its first 16 digits';
    search.texts.push(findingText(value));
    return null;
  },
  asked(value, search, { principal }) {
    const { id, email = id } = principal;
    search.texts.push(askedText(value.toLowerCase() === 'me' ? email : value));
    return null;
  },
  author(value, search, { principal }) {
    search.texts.push(value.toLowerCase() === 'me' ? ownText(principal) : authorText(value));
    return null;
  },
  age(value, search, { nowMs }) {
    const match = AGE.exec(value);
    const length = Number(match?.[2]) * (UNITS_MS[match?.[3] ?? ''] ?? Number.NaN);
    const ms = nowMs - length;
    if (Number.isNaN(ms) || ms < 0) return 'must be > or <, a number and m, h, d or w: age:>3d';
    const at = new Date(ms).toISOString();
    if (match?.[1] === '>') search.until = earlier(search.until, at);
    else search.since = search.since === null || search.since < at ? at : search.since;
    return null;
  },
};

const AGE = /^([<>])(\d{1,6})([mhdw])$/;
const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
  w: 7 * 24 * 3_600_000,
};

function earlier(one: string | null, other: string): string {
  return one === null || other < one ? other : one;
}

/**
 * One term: `key:value`, `-key:value`, `key:"a value"`, `"some words"` or a word; `\"` is a
 * quotation mark.
 */
const TERM = /(?:(-?[a-z]+):)?(?:"((?:[^"\\]|\\.)*)"|(\S+))/gisy;

/**
 * Reads a search. INVALID_ARGUMENT names the term that is wrong. `author:me` is the caller, by the
 * e-mail address of the login where it has one.
 */
export function parseSearch(q: string, context: Context): Search {
  if (q.length > SEARCH.CHARS_MAX) {
    throw invalidField('q', `must have at most ${SEARCH.CHARS_MAX} characters`);
  }
  const search = everything();
  let terms = 0;
  for (const [term, key, quoted, plain] of termsOf(q)) {
    terms += 1;
    if (terms > SEARCH.TERMS_MAX) {
      throw invalidField('q', `must have at most ${SEARCH.TERMS_MAX} terms`);
    }
    const problem = readTerm(key?.toLowerCase(), textOf(quoted, plain), search, context);
    if (problem !== null) throw invalidField('q', `"${term}" ${problem}`);
  }
  search.texts = [...new Set(search.texts)];
  search.without = [...new Set(search.without)];
  return search;
}

function everything(): Search {
  return {
    status: null,
    repo: null,
    component: null,
    texts: [],
    without: [],
    until: null,
    since: null,
  };
}

function* termsOf(q: string): Generator<RegExpExecArray> {
  const text = q.trimEnd();
  const pattern = new RegExp(TERM);
  const space = /\s*/y;
  for (let at = 0; at < text.length; ) {
    space.lastIndex = at;
    space.exec(text);
    pattern.lastIndex = space.lastIndex;
    const match = pattern.exec(text);
    if (match === null) return;
    at = pattern.lastIndex;
    yield match;
  }
}

function textOf(quoted: string | undefined, plain = ''): string {
  return quoted === undefined ? plain : quoted.replace(/\\(.)/gs, '$1');
}

function readTerm(
  key: string | undefined,
  value: string,
  search: Search,
  context: Context,
): string | null {
  if (key === undefined) {
    if (value.endsWith(':') && Object.hasOwn(KEYS, value.slice(0, -1).toLowerCase())) {
      return 'has no value';
    }
    const words = wordsOf(value);
    search.texts.push(...words.map(wordText));
    return words.length === 0 ? 'has no letter or digit to search for' : null;
  }
  if (key.startsWith('-')) {
    const left = everything();
    const problem = readTerm(key.slice(1), value, left, context);
    search.without.push(...left.texts);
    return problem ?? (left.texts.length === 0 ? 'can not be left out' : null);
  }
  const read = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
  if (read === undefined) return `has no such key: use ${Object.keys(KEYS).join(', ')}`;
  if (value === '') return 'has no value';
  return read(value, search, context);
}

/** What of a record is found. */
interface Found {
  repo_name: string;
  branch: string;
  commit_message: string;
  submitted_by: Pick<Principal, 'id' | 'name' | 'email'>;
  push: { pusher: string | null; contributors?: string[] } | null;
  pull_request?: { author: string | null };
  discussion?: Pick<Discussion, 'requests'>;
  gates: Gates;
}

/** What the stores index of a record: the texts by which a search finds it. */
export function searchTexts(record: Found): string[] {
  const texts = new Set<string>();
  const { submitted_by: by, push, pull_request: pull, gates } = record;
  for (const name of [by.id, by.name, push?.pusher, pull?.author]) {
    if (name) texts.add(authorText(name));
  }
  if (by.email !== undefined) texts.add(contributorText(addressDigest(by.email)));
  for (const digest of (push?.contributors ?? []).slice(0, SEARCH.CONTRIBUTORS_MAX)) {
    texts.add(contributorText(digest));
  }
  for (const { asked } of record.discussion?.requests ?? []) texts.add(askedText(asked));
  const rules = new Set<string>();
  const found = new Set<string>();
  for (const { id, severity, suppressed, fingerprint } of [
    gates.risk,
    gates.ast,
    gates.llm,
  ].flatMap(({ findings }) => findings)) {
    if (suppressed !== null) continue;
    texts.add(`severity:${severity}`);
    if (rules.size < SEARCH.RULES_MAX) rules.add(ruleText(id));
    if (found.size < SEARCH.FINDINGS_MAX) found.add(findingText(fingerprint));
  }
  const [subject = ''] = record.commit_message.trimStart().split('\n', 1);
  const words = wordsOf(`${record.repo_name} ${record.branch} ${subject}`);
  return [...texts, ...rules, ...found, ...words.slice(0, SEARCH.WORDS_MAX).map(wordText)];
}

/** The words of a text, each once, in lower case. */
function wordsOf(text: string): string[] {
  const part = text.slice(0, SEARCH.TEXT_CHARS_MAX).toLowerCase();
  return [...new Set(part.match(/[\p{L}\p{N}]+/gu) ?? [])];
}

/** The texts of the words of a name. */
export const wordTexts = (name: string) => wordsOf(name).map(wordText);
const wordText = (word: string) => `word:${cut(word)}`;
const ruleText = (rule: string) => `rule:${cut(rule.toLowerCase())}`;
/** Half of a fingerprint tells one from another, and takes half of the room. */
export const findingText = (fingerprint: string) =>
  `finding:${fingerprint.slice(0, 16).toLowerCase()}`;
const askedText = (asked: string) => `asked:${cut(asked.toLowerCase())}`;
const authorText = (author: string) => `author:${cut(author.toLowerCase())}`;
const contributorText = (digest: string) => `contributor:${cut(digest)}`;

function cut(text: string): string {
  return text.slice(0, SEARCH.VALUE_CHARS_MAX);
}

/** By which the changes of a caller are found. */
function ownText({ id, email }: Principal): string {
  return email === undefined ? authorText(id) : contributorText(addressDigest(email));
}
