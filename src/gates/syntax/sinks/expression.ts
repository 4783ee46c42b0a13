import { fromOutside } from './grade.ts';
import {
  type CallSite,
  type Danger,
  type PropertySite,
  type Sink,
  wordsNearSource,
} from './sink.ts';

const REGEX = {
  use: 'regex',
  cwe: 'CWE-1333',
  sink: 'a regular expression, which may take forever,',
  fix: 'Escape the text (escapeRegExp), or look for it with includes.',
  grades: { strong: ['ast-regex', 'high'] },
} as const;
const LDAP = {
  use: 'sql',
  cwe: 'CWE-90',
  sink: 'an LDAP filter',
  fix: 'Escape values as RFC 4515 says, or build the filter from objects.',
  grades: { strong: ['ast-ldap', 'high'] },
} as const;
const ORIGIN = {
  use: 'key',
  cwe: 'CWE-942',
  sink: 'the origin that may read answers',
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
