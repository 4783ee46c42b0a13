import type { Severity } from '../../../model/finding.ts';
import { words } from '../../../rules/catalogue/line.ts';
import type { SinkName } from '../../../rules/wording/sinks.ts';
import {
  type AssignSite,
  type CallSite,
  type Danger,
  exportOf,
  fromOutside,
  type Sink,
  SOURCE_SIGN,
  sourceFor,
  threatOf,
  wholeWords,
  wordsNearSource,
} from './sink.ts';
import { type Source, TRUSTED, type Value } from './value.ts';

/** Packages whose readers rebuild functions, which is to run them. */
const UNSAFE_MODULES = new Set([
  'node-serialize',
  'serialize-to-js',
  'funcster',
  'cryo',
  'serialijse',
]);
const UNSAFE_CALLS = words('unserialize deserialize deepDeserialize parse');
const YAML_MODULES = new Set(['js-yaml']);
const YAML = /^(?:yaml|YAML|jsyaml|jsYaml|js_yaml)$/;
const SAFE_SCHEMA = /(?:JSON|CORE|FAILSAFE|DEFAULT_SAFE|SAFE)_?SCHEMA|^(?:SAFE|CORE|JSON|FAILSAFE)/;
const XML_CALLS = words(`
  parseXml parseXmlString parseXmlAsync parseXML parseString parseHtml fromString parse
`);
const V8 = new Set(['v8']);
const XPATH_MODULES = new Set(['xpath']);
const XPATH = /^(?:xpath|xp)$/;

const READER_FIX =
  'Read JSON and check it against a schema; give YAML readers a schema without functions ' +
  '(JSON_SCHEMA, or js-yaml 4).';
const XML_FIX = 'Leave the resolving of entities off (no noent, no dtdload).';

const UNSAFE = {
  use: 'command',
  cwe: 'CWE-502',
  sink: 'deserialiser',
  fix: READER_FIX,
  grades: {
    strong: ['vuln-07', 'critical'],
    weak: ['ast-deserialise', 'high'],
  },
} as const;
const DOUBTFUL = { ...UNSAFE, grades: { strong: ['ast-deserialise', 'high'] } } as const;
const ENTITIES = {
  ...UNSAFE,
  cwe: 'CWE-611',
  sink: 'XML reader',
  fix: XML_FIX,
} as const;
const EXPRESSION = {
  ...UNSAFE,
  cwe: 'CWE-643',
  sink: 'XPath expression',
  fix: 'Bind values as variables of the expression, or refuse quotes in them.',
} as const;

/** vuln-07: unsafe deserialisation and XML entities (CWE-502, 611, 643). */
export const deserialise: Sink = {
  hints: [
    wholeWords(['unserialize', 'deepDeserialize', 'noent', 'DEFAULT_FULL_SCHEMA', 'cryo']),
    wordsNearSource(['deserialize', 'serialijse', 'yaml', 'jsyaml', 'YAML', 'js-yaml', 'xpath']),
  ],
  inCall(site) {
    return unsafeReader(site) ?? yaml(site) ?? xml(site) ?? xpath(site);
  },
};

function unsafeReader(site: CallSite): Danger | null {
  const isDoubtful = site.name === 'deserialize' && exportOf(site.origin, V8) !== null;
  const module = exportOf(site.origin, UNSAFE_MODULES);
  const isKnown = module !== null && UNSAFE_CALLS.has(site.name);
  const isNamed = site.name === 'unserialize' && site.origin === null;
  const [value] = site.args;
  if (!(isDoubtful || isKnown || isNamed) || value === undefined || value.isTrusted) return null;
  if (isDoubtful) return fromOutside(value, 0, DOUBTFUL, site);
  const found = fromOutside(value, 0, UNSAFE, site);
  if (found !== null) return found;
  // Nothing but what comes from elsewhere is worth being read.
  const isOpen = value.source === null && value.properties === null && !site.isDeclared;
  return isOpen ? open(value, 'CWE-502', UNSAFE.sink, READER_FIX) : null;
}

function yaml(site: CallSite): Danger | null {
  const module = exportOf(site.origin, YAML_MODULES);
  const isYaml = module !== null || (site.origin === null && YAML.test(site.receiverPath ?? ''));
  if (!isYaml || !/^(?:load|loadAll)$/.test(site.name)) return null;
  const [value, ...options] = site.args;
  const schema = options.map((option) => option.properties?.get('schema')).find(Boolean);
  const name = schema?.origin?.split('.').at(-1) ?? schema?.constant ?? null;
  if (name === 'DEFAULT_FULL_SCHEMA') return fromOutside(value, 0, UNSAFE, site);
  const isSafe = schema !== undefined && (name === null || SAFE_SCHEMA.test(name));
  return isSafe ? null : fromOutside(value, 0, DOUBTFUL, site);
}

/** libxmljs with `noent`. */
function xml(site: CallSite): Danger | null {
  if (!XML_CALLS.has(site.name)) return null;
  if (!site.args.some((argument) => isOn(argument.properties?.get('noent')))) return null;
  const [value] = site.args;
  const found = fromOutside(value, 0, ENTITIES, site);
  if (found !== null || value === undefined || value.isTrusted) return found;
  return open(value, 'CWE-611', ENTITIES.sink, XML_FIX);
}

function isOn(value: Value | undefined): boolean {
  return value?.constant === 'true' || value?.constant === '1';
}

function xpath(site: CallSite): Danger | null {
  const isXpath =
    exportOf(site.origin, XPATH_MODULES) !== null || XPATH.test(site.receiverPath ?? '');
  if (!isXpath || !/^(?:select1?|evaluate|parse)$/.test(site.name)) return null;
  const [value] = site.args;
  return value === undefined || threatOf(value, 'command', site.safetyOf).kind === null
    ? null
    : fromOutside(value, 0, EXPRESSION, site);
}

function open(value: Value, cwe: string, sink: SinkName, fix: string): Danger {
  const severity: Severity = 'high';
  return {
    id: cwe === 'CWE-611' ? 'ast-xxe' : 'ast-deserialise',
    severity,
    cwe,
    sink,
    fix,
    value,
    argument: 0,
  };
}

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

const KEY_FIX =
  'Refuse the keys __proto__, constructor and prototype, or write into a Map or an object made ' +
  'by Object.create(null).';
const FIELDS_FIX = 'Take the fields that callers may set one by one, or check them with a schema.';

const KEY_PATH = {
  use: 'key',
  cwe: 'CWE-1321',
  sink: 'object key',
  fix: KEY_FIX,
  grades: { strong: ['ast-prototype', 'high'] },
} as const;
const MERGED = { ...KEY_PATH, sink: 'deep merge' } as const;
const OWN_MERGE = { ...MERGED, grades: { strong: ['vuln-08', 'critical'] } } as const;
const FIELDS = {
  use: 'key',
  cwe: 'CWE-915',
  sink: 'stored fields',
  fix: FIELDS_FIX,
  grades: { strong: ['ast-mass-assignment', 'high'] },
} as const;
const MODEL_FIELDS = { ...FIELDS, grades: { strong: ['ast-mass-assignment', 'medium'] } } as const;

/** The finding for a function that lets keys of data reach a prototype, for any caller. */
export function pollutionDanger(severity: 'high' | 'medium'): Danger {
  const { cwe, fix } = KEY_PATH;
  const sink = 'prototype';
  return { id: 'ast-prototype', severity, cwe, sink, fix, value: TRUSTED, argument: -1 };
}

/** vuln-08: prototype pollution and mass assignment (CWE-1321, 915). */
export const pollution: Sink = {
  hints: [
    // A computed member of a computed member, or a member that is assigned within a loop.
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
    // `set(object[key], rest, value)`, `set(keys, object[key], value)` and `object[key] = value`
    {
      words: ['] =', ']='],
      patterns: [
        /\(\s{0,9}(?:[\w$.]{1,80},\s{0,9}){0,3}[\w$.]{1,80}\[[^;\n]{1,160}[,)]/,
        /\[\s{0,9}[a-zA-Z_$][\w$[\].]{0,40}\s{0,9}\]\s{0,9}=(?![=>])/,
        /\bfunction\b|=>/,
      ],
    },
    // `const element = object[first]` and `element[second] = value`
    {
      words: ['] =', ']='],
      patterns: [
        /=\s{0,9}[\w$.]{1,80}\[\s{0,9}[a-zA-Z_$][\w$.]{0,80}\s{0,9}\]/,
        /\[\s{0,9}[a-zA-Z_$][\w$.]{0,80}\s{0,9}\]\s{0,9}=(?![=>])/,
        SOURCE_SIGN,
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
    // Without it, and in lodash and underscore always, `extend` copies one level.
    (/(?:^|\.)extend$/.test(origin ?? name) && args[0]?.constant === 'true') ||
    /(?:^|\.)(?:deepmerge|merge-deep|deep-extend|lodash\.merge|lodash\.defaultsdeep)$/.test(
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
  const name = site.isNew ? site.name : (site.receiverPath ?? '');
  const isModel = site.isNew || MODEL_CALLS.has(site.name);
  if (!isModel || !/(?:^|\.)[A-Z]\w*$/.test(name) || BUILT_IN.test(name)) return null;
  const [value] = site.args;
  if (value?.source?.isWhole !== true || value.pieces !== null) return null;
  if (value.properties !== null) return null;
  return fromOutside(value, 0, MODEL_FIELDS, site);
}

/**
 * `object[req.body.a][req.body.b] = value`. Keys that a caller of the module gives count where the
 * inner object is made on demand, which says that they are names and not indexes.
 */
function twoKeys(site: AssignSite): Danger | null {
  const [outer, inner] = site.keys;
  if (outer === null || inner === null) return null;
  const source = openKey(outer, site);
  if (source === null || source.strength === 'operator') return null;
  const { cwe, fix, sink } = KEY_PATH;
  const base = { cwe, fix, sink, value: outer, source, argument: -1 };
  const chosen = openKey(inner, site);
  if (source.strength === 'weak') {
    const isWritten = site.isMadeOnDemand && chosen !== null && site.value.properties?.size !== 0;
    const isName = isWritten && isGivenName(source) && isGivenName(chosen);
    return isName ? { ...base, id: 'ast-prototype', severity: 'medium' } : null;
  }
  if (chosen === null && inner.source === null) {
    return { ...base, id: 'ast-prototype', severity: 'medium' };
  }
  if (source.strength === 'checked') return { ...base, id: 'ast-prototype', severity: 'high' };
  return { ...base, id: 'vuln-08', severity: 'critical' };
}

/** A parameter itself or a part of its text; programs group records by their fields. */
function isGivenName({ text }: Source): boolean {
  return /^[\w$]+$/.test(text) || text.includes('(');
}

function openKey(value: Value, site: AssignSite): Source | null {
  return value.pieces === null ? sourceFor(value, 'key', site.safetyOf) : null;
}
