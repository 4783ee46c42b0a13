import type { Severity } from '../../../model/finding.ts';
import { words } from '../../../rules/catalogue/line.ts';
import type { Value } from '../taint/value.ts';
import {
  type CallSite,
  type Danger,
  exportOf,
  fromOutside,
  type Sink,
  threatOf,
  wholeWords,
  wordsNearSource,
} from './sink.ts';

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

const FIX =
  'Read JSON and check it against a schema; give YAML readers a schema without functions ' +
  '(JSON_SCHEMA, or js-yaml 4).';
const XML_FIX = 'Leave the resolving of entities off (no noent, no dtdload).';

const UNSAFE = {
  use: 'command',
  cwe: 'CWE-502',
  sink: 'a reader that runs what it reads',
  fix: FIX,
  grades: {
    strong: ['vuln-07', 'critical'],
    weak: ['ast-deserialise', 'high'],
  },
} as const;
const DOUBTFUL = { ...UNSAFE, grades: { strong: ['ast-deserialise', 'high'] } } as const;
const ENTITIES = {
  ...UNSAFE,
  cwe: 'CWE-611',
  sink: 'an XML reader that resolves entities',
  fix: XML_FIX,
} as const;
const EXPRESSION = {
  ...UNSAFE,
  cwe: 'CWE-643',
  sink: 'an XPath expression',
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
  const [value] = site.args;
  if (value === undefined || value.isTrusted) return null;
  const module = exportOf(site.origin, UNSAFE_MODULES);
  if (site.name === 'deserialize' && exportOf(site.origin, V8) !== null) {
    return fromOutside(value, 0, DOUBTFUL, site);
  }
  const isKnown = module !== null && UNSAFE_CALLS.has(site.name);
  const isNamed = site.name === 'unserialize' && site.origin === null;
  if (!isKnown && !isNamed) return null;
  const found = fromOutside(value, 0, UNSAFE, site);
  if (found !== null) return found;
  // Nothing but what comes from elsewhere is worth being read.
  const isOpen = value.source === null && value.properties === null && !site.isDeclared;
  return isOpen ? open(value, 'CWE-502', UNSAFE.sink, FIX) : null;
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
  const resolves = site.args.some((argument) => isOn(argument.properties?.get('noent')));
  if (!XML_CALLS.has(site.name) || !resolves) return null;
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

function open(value: Value, cwe: string, sink: string, fix: string): Danger {
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
