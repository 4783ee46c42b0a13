import { words } from '../../../rules/catalogue/line.ts';
import { type Source, TRUSTED, type Value } from '../taint/value.ts';
import {
  type AssignSite,
  type CallSite,
  type Danger,
  fromOutside,
  type Sink,
  sourceFor,
  wholeWords,
  wordsNearSource,
} from './sink.ts';

/** Functions that merge deeply: `_.merge`, `$.extend(true, ...)`, `deepmerge`. */
const DEEP_MERGES = words(`
  merge mergeWith defaultsDeep deepMerge deepmerge mergeDeep deepExtend deepAssign extendDeep
  deepDefaults recursiveMerge
`);
const LIBRARIES =
  /^(?:_|lodash|fp|R|hoek|Hoek|\$|jQuery|angular|utils?|merge|config|convict|nconf)$/;
/** Constructors and methods of models that take every field they are given. */
const MODEL_CALLS = words('create insertMany build bulkCreate upsert insertOne insert');
/** Classes that are not models. */
const BUILT_IN = new RegExp(
  '^(?:Object|URL|URLSearchParams|Buffer|Response|NextResponse|Headers|FormData|Blob|Date|Map|Set|' +
    String.raw`String|Promise|Proxy|Array|RegExp|JSON|\w*(?:Error|Array|Dto|DTO|Event|Command|Exception))$`,
);

const FIX =
  'Refuse the keys __proto__, constructor and prototype, or write into a Map or an object made ' +
  'by Object.create(null).';
const FIELDS_FIX = 'Take the fields that callers may set one by one, or check them with a schema.';

const KEY_PATH = {
  use: 'key',
  cwe: 'CWE-1321',
  sink: 'the keys of an object, which may lead to a prototype,',
  fix: FIX,
  grades: { strong: ['ast-prototype', 'high'] },
} as const;
const MERGED = { ...KEY_PATH, sink: 'an object merged deeply, __proto__ and all,' } as const;
const OWN_MERGE = { ...MERGED, grades: { strong: ['vuln-08', 'critical'] } } as const;
const FIELDS = {
  use: 'key',
  cwe: 'CWE-915',
  sink: 'all fields of an object',
  fix: FIELDS_FIX,
  grades: { strong: ['ast-mass-assignment', 'high'] },
} as const;
const MODEL_FIELDS = { ...FIELDS, grades: { strong: ['ast-mass-assignment', 'medium'] } } as const;

/** The finding for a function that lets keys of data reach a prototype, for any caller. */
export function pollutionDanger(severity: 'high' | 'medium'): Danger {
  const { cwe, fix } = KEY_PATH;
  const sink = 'a prototype: keys of data are written unchecked';
  return { id: 'ast-prototype', severity, cwe, sink, fix, value: TRUSTED, argument: -1 };
}

/** vuln-08: prototype pollution and mass assignment (CWE-1321, 915). */
export const pollution: Sink = {
  hints: [
    // A computed member of a computed member, or one that is assigned within a loop.
    { words: [']['], patterns: [/\]\s{0,20}\[[^\]\n]{1,200}\]\s{0,20}=(?!=)/] },
    {
      words: ['for', 'while', 'reduce', 'each'],
      patterns: [
        /\[\s{0,20}[\w$.]{1,80}(?:\[[^\]\n]{1,80}\])?(?:\s{0,9}[-+]\s{0,9}\d)?\s{0,20}\]\s{0,20}(?:=(?!=|>)|\|\|=|\?\?=)/,
        /\b(?:for|while|reduce|forEach|each)\b/,
      ],
    },
    // `Object.assign(target, { [key]: value })`
    {
      words: ['.assign'],
      patterns: [
        /\bassign\s{0,9}\([^,)]{1,80},\s{0,9}\{\s{0,9}\[/,
        /\b(?:for|while|reduce|forEach|each)\b/,
      ],
    },
    // `set(object[key], rest, value)` and `object[key] = value`
    {
      words: ['] =', ']='],
      patterns: [
        /\(\s{0,9}[\w$.]{1,80}\[[^\]\n]{1,80}\]\s{0,9},/,
        /\[\s{0,9}[a-zA-Z_$][\w$]{0,40}\s{0,9}\]\s{0,9}=(?![=>])/,
        /\bfunction\b|=>/,
      ],
    },
    wordsNearSource([...DEEP_MERGES, 'extend', 'zipObjectDeep', 'assign']),
    {
      words: ['set', 'setwith', 'create', 'insert', 'build', 'new'],
      patterns: [
        /(?:\b(?:set|setWith|create|insert\w*|build|bulkCreate|upsert)|\bnew [A-Z]\w{0,60})\s{0,20}\([^)]{0,200}\b(?:req|request|ctx|body|payload)\b/,
      ],
    },
    wholeWords(['__proto__']),
  ],
  inCall: (site) => ownMerge(site) ?? deepMerge(site) ?? assigned(site) ?? model(site),
  inAssign: twoKeys,
};

/** A call of a merge or setter that the fragment shows to check no keys. */
function ownMerge(site: CallSite): Danger | null {
  if (site.callable?.pollutes !== true) return null;
  for (const [index, value] of site.args.entries()) {
    const found = fromOutside(value, index, OWN_MERGE, site);
    if (found !== null) return found;
  }
  return null;
}

function deepMerge(site: CallSite): Danger | null {
  const { name, args, receiverPath, origin } = site;
  const isDeep =
    DEEP_MERGES.has(name) ||
    (name === 'extend' && args[0]?.constant === 'true') ||
    /(?:^|\.)(?:deepmerge|merge-deep|deep-extend|lodash\.merge|lodash\.defaultsdeep|extend)$/.test(
      origin ?? '',
    );
  if (!isDeep || site.callable !== null) return null;
  const isKnown = origin !== null || site.receiver === null || LIBRARIES.test(receiverPath ?? '');
  if (!isKnown || site.isDeclared) return null;
  return wholeArgument(site, MERGED);
}

function wholeArgument(site: CallSite, kind: typeof FIELDS | typeof MERGED): Danger | null {
  for (const [index, value] of site.args.entries()) {
    if (value.pieces !== null || value.properties !== null) continue;
    if (value.source?.mayBeObject !== true) continue;
    const found = fromOutside(value, index, kind, site);
    if (found !== null) return found;
  }
  return null;
}

/** `Object.assign(user, req.body)`; into a new object it copies nothing of weight. */
function assigned(site: CallSite): Danger | null {
  const isAssign = site.name === 'assign' && site.receiverPath === 'Object';
  const isExtend =
    /^(?:extend|assign)$/.test(site.name) && /^(?:_|lodash|\$)$/.test(site.receiverPath ?? '');
  if (!isAssign && !isExtend) return null;
  const [target, ...rest] = site.args;
  if (target === undefined || target.properties !== null || target.source !== null) return null;
  const at = rest.findIndex((value) => value.source?.isWhole === true);
  return at < 0 ? null : fromOutside(rest[at], at + 1, FIELDS, site);
}

/** `new User(req.body)`, `User.create(req.body)` */
function model(site: CallSite): Danger | null {
  const [value] = site.args;
  if (value?.source?.isWhole !== true || value.pieces !== null) return null;
  const name = site.isNew ? site.name : (site.receiverPath ?? '');
  const isModel = site.isNew || MODEL_CALLS.has(site.name);
  if (!isModel || !/(?:^|\.)[A-Z]\w*$/.test(name) || BUILT_IN.test(name)) return null;
  if (value.properties !== null) return null;
  return fromOutside(value, 0, MODEL_FIELDS, site);
}

/** `object[req.body.a][req.body.b] = value` */
function twoKeys(site: AssignSite): Danger | null {
  const [outer, inner] = site.keys;
  if (outer === null || inner === null) return null;
  const source = openKey(outer, site);
  if (source === null) return null;
  const { cwe, fix, sink } = KEY_PATH;
  const base = { cwe, fix, sink, value: outer, source, argument: -1 };
  const isChosen = openKey(inner, site) !== null || inner.source !== null;
  if (!isChosen) return { ...base, id: 'ast-prototype', severity: 'medium' };
  if (source.strength === 'checked') return { ...base, id: 'ast-prototype', severity: 'high' };
  return { ...base, id: 'vuln-08', severity: 'critical' };
}

function openKey(value: Value, site: AssignSite): Source | null {
  const source = value.pieces === null ? sourceFor(value, 'key', site.safetyOf) : null;
  return source?.strength === 'strong' || source?.strength === 'checked' ? source : null;
}
