import { words } from '../../../rules/catalogue/line.ts';
import type { Source, Value } from '../taint/value.ts';
import {
  type AssignSite,
  type CallSite,
  callsNearSource,
  type Danger,
  exportOf,
  firstOf,
  fromOutside,
  type PropertySite,
  type Sink,
  wordsNearSource,
} from './sink.ts';

/** Clients for HTTP. */
const MODULES = new Set([
  'axios',
  'got',
  'request',
  'request-promise',
  'request-promise-native',
  'node-fetch',
  'cross-fetch',
  'isomorphic-fetch',
  'undici',
  'needle',
  'superagent',
  'ky',
  'http',
  'https',
  'http2',
  'phin',
  'bent',
  'urllib',
  'ofetch',
  'follow-redirects.http',
  'follow-redirects.https',
  '@nestjs/axios',
  'puppeteer',
  'playwright',
  'wreck',
]);
/** Names that clients go by where their import is out of sight. */
const RECEIVERS = new RegExp(
  String.raw`(?:^|\.)(?:axios|\w*[aA]xios\w*|got|needle|superagent|undici|https?|ky|` +
    'http(?:Service|Client)|rp|urllib|fetcher|agent)$',
);
const REQUEST_METHODS = words(`
  get post put patch delete del head options request fetch stream json buffer axiosRef all
`);
const FREE_CALLS = words(`
  fetch axios got needle $fetch ofetch nodeFetch node_fetch crossFetch superagent ky phin rp
  fetchUrl
`);
const PAGES = /(?:^|\.)(?:page|tab|frame|browserPage|newPage)$/;
/** Options that hold the place to go to. */
const PLACE_OPTIONS = ['url', 'uri', 'baseURL', 'host', 'hostname', 'href'];
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+[/?#]/i;

const FIX =
  'Choose the host from a list: parse the address, compare its host name and scheme with what is ' +
  'allowed, and refuse private addresses and redirects.';
const REDIRECT_FIX =
  'Redirect to fixed paths or to hosts of a list; a path must begin with a single slash.';

const SSRF = {
  use: 'url',
  cwe: 'CWE-918',
  sink: 'the address of a request',
  fix: FIX,
  grades: { strong: ['vuln-06', 'critical'] },
} as const;
/** A page's own script sends no requests that its user could not. */
const CLIENT = { ...SSRF, grades: { strong: ['ast-ssrf', 'medium'] } } as const;
const REDIRECT = {
  use: 'redirect',
  cwe: 'CWE-601',
  sink: 'the target of a redirect',
  fix: REDIRECT_FIX,
  grades: { strong: ['ast-redirect', 'high'] },
} as const;

/** vuln-06: requests to places that outsiders choose (CWE-918), and redirects there (CWE-601). */
export const request: Sink = {
  hints: [
    callsNearSource(
      [...FREE_CALLS, 'http', 'request'],
      `(?:${[...FREE_CALLS].join('|').replaceAll('$', String.raw`\$`)}|` +
        String.raw`request|https?|undici|\w{0,40}[cC]lient|\w{0,40}Service|axiosRef)` +
        String.raw`(?:\s{0,20}\??\.\s{0,20}[a-z]{2,10}){0,2}`,
    ),
    wordsNearSource(['goto', 'urllib', 'node-fetch', 'undici', 'superagent', 'axiosRef']),
    wordsNearSource(['redirect', 'Location', 'permanentRedirect', 'sendRedirect']),
    {
      words: ['location'],
      patterns: [
        /\blocation['"]?\s{0,20}[=:,(.]/,
        /searchParams|URLSearchParams|\breq|location\.(?:hash|search)|referrer|useRouter/,
      ],
    },
    wordsNearSource(['axios']),
    wordsNearSource(['window.open', 'WebSocket', 'EventSource', 'importScripts']),
  ],
  inCall: (site) => outgoing(site) ?? redirect(site),
  inAssign: navigation,
  inProperty: header,
};

function outgoing(site: CallSite): Danger | null {
  if (!isClient(site)) return null;
  const [first, second] = site.args;
  // `needle('get', url)`, `client.request('GET', url)`
  const isVerb = /^(?:get|post|put|patch|delete|head)$/i.test(first?.constant ?? '');
  return isVerb ? place(second, 1, site) : place(first, 0, site);
}

function isClient(site: CallSite): boolean {
  const module = exportOf(site.origin, MODULES);
  if (site.name === 'goto') return PAGES.test(site.receiverPath ?? '');
  if (module !== null) return module !== 'Agent' && !/^(?:createServer|create)$/.test(module);
  if (site.origin !== null || site.isNew) return false;
  if (site.receiver === null) {
    // Frameworks hand their `fetch` in as a parameter: `load({ fetch, url })`.
    if (site.name === 'fetch') return site.callable === null;
    if (FREE_CALLS.has(site.name)) return !site.isDeclared;
    return site.name === 'request' && !site.isDeclared && site.args.length > 0;
  }
  if (!REQUEST_METHODS.has(site.name)) return false;
  const path = site.receiverPath ?? '';
  return path === 'request' ? site.receiver.role === 'request' : RECEIVERS.test(path);
}

/** An address as text, or options that hold one. */
function place(value: Value | undefined, argument: number, site: CallSite): Danger | null {
  if (value === undefined) return null;
  if (value.properties === null) return address(value, argument, site);
  const { properties } = value;
  return firstOf(
    PLACE_OPTIONS.map((name) => {
      const option = properties.get(name);
      if (option === undefined) return null;
      // A host is one whatever stands before it; behind a base, an url is only a path.
      const isBased = name === 'url' && properties.has('baseURL');
      return isBased ? null : address(option, argument, site);
    }),
  );
}

/** An address whose host is open. */
export function address(
  value: Value,
  argument: number,
  site: Pick<PropertySite, 'safetyOf'>,
): Danger | null {
  const open = openStart(value);
  if (open === null) return null;
  const kind = isOfClient(open.source) ? CLIENT : SSRF;
  return fromOutside(open, argument, kind, site);
}

function isOfClient(source: Source | null): boolean {
  return /^(?:window\.)?(?:location|document)\.|^use[A-Z]/.test(source?.text ?? '');
}

/** The part of an address that names its host, when it is not fixed; else null. */
function openStart(value: Value): Value | null {
  if (value.pieces === null) return value.isTrusted ? null : value;
  let before = '';
  for (const piece of value.pieces) {
    if (typeof piece === 'string') {
      before += piece;
      // `/path` on the own host, `https://host/`; `//` and `https://` leave the host open.
      if (ORIGIN.test(before) || /^\/(?:[^/\\]|$)/.test(before)) return null;
    } else if (piece.source !== null) return piece;
    else return null;
  }
  return null;
}

const REDIRECTS = /^(?:redirect|permanentRedirect|sendRedirect|redirectTo)$/;
const NAVIGATIONS = /^(?:assign|replace)$/;

function redirect(site: CallSite): Danger | null {
  const { name, args, receiver } = site;
  if (REDIRECTS.test(name)) {
    const at = args.length > 1 && args[0]?.source == null && args[1]?.source != null ? 1 : 0;
    return target(args[at], at, site);
  }
  if (NAVIGATIONS.test(name) && receiver?.role === 'location') return target(args[0], 0, site);
  if (name === 'open' && (site.receiverPath === 'window' || site.receiver === null)) {
    return site.isDeclared || site.origin !== null ? null : target(args[0], 0, site);
  }
  const isHeader = /^(?:set|setHeader|header|append)$/.test(name);
  if (isHeader && args[0]?.constant?.toLowerCase() === 'location') return target(args[1], 1, site);
  return name === 'location' && receiver !== null ? target(args[0], 0, site) : null;
}

/** `{ Location: url }` of `writeHead` and of answers of functions. */
function header(site: PropertySite): Danger | null {
  const isHeader = site.element === null && /^[lL]ocation$/.test(site.name);
  return isHeader ? target(site.value, -1, site) : null;
}

/** `window.location = x`, `location.href = x`. */
function navigation(site: AssignSite): Danger | null {
  const isHref = site.name === 'href' && site.object.role === 'location';
  const isLocation =
    site.name === 'location' && /^(?:window|document|self|top|parent)$/.test(site.objectPath ?? '');
  return isHref || isLocation ? target(site.value, -1, site) : null;
}

/** Where a browser is sent, when its host is open. */
export function target(
  value: Value | undefined,
  argument: number,
  site: Pick<PropertySite, 'safetyOf'>,
): Danger | null {
  if (value === undefined) return null;
  const open = redirectStart(value);
  return open === null ? null : fromOutside(open, argument, REDIRECT, site);
}

/** As for a request, but a lone slash leaves the host open: `'/' + '/evil.example'`. */
function redirectStart(value: Value): Value | null {
  const [start, next] = value.pieces ?? [];
  // A part of the path holds no slash of its own.
  const isPart = typeof next !== 'object' || /params/.test(next.source?.text ?? '');
  return start === '/' && !isPart ? next : openStart(value);
}
