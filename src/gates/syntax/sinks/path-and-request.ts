import { words } from '../../../rules/catalogue/line.ts';
import {
  type AssignSite,
  builtNearExport,
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
import { isServedPath, type Source, type Value } from './value.ts';

/** Modules for files. */
const FILE_MODULES = new Set([
  'fs',
  'fs.promises',
  'fs/promises',
  'fs-extra',
  'mz/fs',
  'jsonfile',
  'rimraf',
  'del',
]);
/** Names that these go by where the import is out of sight. */
const FILE_RECEIVERS =
  /(?:^|\.)(?:fs|fsp|fse|fsExtra|fsPromises|fileSystem|fs\.promises|jsonfile)$/;
/** Functions that read, write or remove the file that their first argument names. */
const FILE_CALLS = words(`
  readFile readFileSync writeFile writeFileSync appendFile appendFileSync createReadStream
  createWriteStream unlink unlinkSync rm rmSync rmdir rmdirSync readdir readdirSync open openSync
  mkdir mkdirSync mkdirp ensureDir ensureFile outputFile outputFileSync outputJson remove
  removeSync readJson readJsonSync writeJson writeJsonSync readJSON emptyDir truncate chmod
  chmodSync chown readlink opendir rimraf
`);
/** Functions that take two paths. */
const PAIR_CALLS = words(`
  copyFile copyFileSync rename renameSync copy copySync move moveSync symlink symlinkSync link
  linkSync cp cpSync
`);
/** Of all these, the names that mean files without their module. */
const FREE_FILE_CALLS = words(`
  readFile readFileSync writeFile writeFileSync appendFile appendFileSync createReadStream
  createWriteStream unlink unlinkSync rmSync readdirSync copyFile copyFileSync rimraf readJson
  outputFile readFileAsync writeFileAsync
`);
/** What only tells whether a file is there, or how large it is. */
const LOOK_CALLS = words('stat statSync lstat lstatSync access accessSync existsSync exists');
/** Methods of a response or upload that take a file's name. */
const SEND_CALLS = words('sendFile sendfile download');
const RESPONSES = /(?:^|\.)(?:res|resp|response|reply|ctx|this)$/;

const FILE_FIX =
  'Resolve the path against a fixed directory and refuse what does not begin with that directory ' +
  'and a separator; or take path.basename of the name, or look the file up by an id.';

const CLASS = {
  use: 'path',
  cwe: 'CWE-22',
  sink: 'file path',
  fix: FILE_FIX,
  isWeakIfBuilt: true,
  grades: { strong: ['vuln-05', 'critical'], weak: ['ast-path', 'medium'] },
} as const;
const LOOK_CLASS = { ...CLASS, grades: { strong: ['ast-path', 'medium'] } } as const;

/** vuln-05: path traversal, and archives whose entries leave their directory (CWE-22, 73). */
export const path: Sink = {
  hints: [
    wordsNearSource([...new Set([...FILE_CALLS, ...PAIR_CALLS, ...LOOK_CALLS])].filter(isTelling)),
    builtNearExport([...FILE_CALLS, ...PAIR_CALLS].filter(isTelling)),
    wordsNearSource([...SEND_CALLS, 'mv']),
    callsNearSource(
      ['fs', 'bun', 'promises'],
      String.raw`(?:fs\w{0,20}|Bun|promises)\s{0,20}\.\s{0,20}\w{2,20}`,
    ),
  ],
  inCall(site) {
    if (site.isNew) return null;
    if (SEND_CALLS.has(site.name)) return sent(site);
    if (site.name === 'mv' && site.receiver !== null) return moved(site);
    if (site.receiverPath === 'Bun' && /^(?:file|write)$/.test(site.name)) return file(site, [0]);
    const module = exportOf(site.origin, FILE_MODULES);
    const name = module === null || module === '' ? site.name : module;
    if (!isFile(site, module)) return null;
    if (LOOK_CALLS.has(name)) return fromOutside(site.args[0], 0, LOOK_CLASS, site);
    if (PAIR_CALLS.has(name)) return file(site, [0, 1]);
    return FILE_CALLS.has(name) || module === '' ? file(site, [0]) : null;
  },
};

/** Everyday words count with their module's name only. */
function isTelling(word: string): boolean {
  return (word.length > 6 || word === 'unlink') && word !== 'truncate';
}

/** A function of a module for files, or what goes by such a name and is not declared here. */
function isFile(site: CallSite, module: string | null): boolean {
  if (module !== null) return true;
  if (site.origin !== null) return false;
  if (site.receiver === null) return FREE_FILE_CALLS.has(site.name) && !site.isDeclared;
  return FILE_RECEIVERS.test(site.receiverPath ?? '');
}

function file(site: CallSite, at: readonly number[]): Danger | null {
  return firstOf(at.map((index) => fromOutside(site.args[index], index, CLASS, site)));
}

/** `res.sendFile(name, { root })` refuses to leave the root. */
function sent(site: CallSite): Danger | null {
  const { receiverPath, receiver, args, name } = site;
  const isResponse = RESPONSES.test(receiverPath ?? '') || receiver?.role === 'page';
  if (!isResponse) return null;
  if (name !== 'download' && args.some(hasRoot)) return null;
  if (receiverPath?.endsWith('reply') === true) return null;
  return file(site, [0]);
}

function hasRoot(value: Value): boolean {
  return value.properties?.has('root') === true;
}

/** `req.files.a.mv(dir + req.files.a.name)` of express-fileupload. */
function moved(site: CallSite): Danger | null {
  return site.receiver?.source === null ? null : file(site, [0]);
}

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
  sink: 'request address',
  fix: FIX,
  grades: { strong: ['vuln-06', 'critical'] },
} as const;
/** A page's own script sends no requests that its user could not. */
const CLIENT = { ...SSRF, grades: { strong: ['ast-ssrf', 'medium'] } } as const;
const REDIRECT = {
  use: 'redirect',
  cwe: 'CWE-601',
  sink: 'redirect target',
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

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** Where a browser is sent, when its host is open. */
export function target(
  value: Value | undefined,
  argument: number,
  site: Pick<PropertySite, 'safetyOf'>,
): Danger | null {
  if (value === undefined) return null;
  const open = redirectStart(value);
  const danger = open === null ? null : fromOutside(open, argument, REDIRECT, site);
  if (danger === null || danger.source == null || !isServedPath(danger.source)) return danger;
  const start = value.pieces?.[0];
  // Behind slashes or a scheme alone the path still names the host: `'https:' + req.url`.
  const isBehindHost = typeof start === 'string' && /[^/\\]/.test(start.replace(SCHEME, ''));
  return isBehindHost ? null : { ...danger, severity: 'medium' };
}

/** As for a request, but a lone slash leaves the host open: `'/' + '/evil.example'`. */
function redirectStart(value: Value): Value | null {
  const [start, next] = value.pieces ?? [];
  // A part of the path holds no slash of its own.
  const isPart = typeof next !== 'object' || /params/.test(next.source?.text ?? '');
  return start === '/' && !isPart ? next : openStart(value);
}
