import { lesserId, type Severity, severityRank } from '../../../model/finding.ts';
import type { SinkKind, SinkLine, Use } from '../../../rules/catalogue/line.ts';
import type { SinkName } from '../../../rules/wording/sinks.ts';
import { address, target } from './path-and-request.ts';
import { filterObject, script, sqlText } from './query.ts';
import { type Danger, isPartOfText, type PropertySite, threatOf } from './sink.ts';
import { holes, type Value } from './value.ts';
import { attribute, markup, page } from './xss.ts';

/** Tells whether a value is a danger where it arrives. */
type Grader = (value: Value, argument: number, site: Where) => Danger | null;
type Where = Pick<PropertySite, 'safetyOf'>;
type Grade = readonly [id: string, severity: Severity];

/** A kind of sink to which data from outside is a danger. */
interface Kind {
  readonly use: Use;
  readonly cwe: string;
  readonly sink: SinkName;
  readonly fix: string;
  /** Data of a request or message; what only a validator has seen is high at most. */
  readonly strong: Grade;
  /** A parameter of an exported function among other text. */
  readonly weak?: Grade;
  /** A text put together from values of which nothing is known. */
  readonly built?: Grade;
  readonly operator?: Grade;
  /** A plain value alone counts, no text put together: a name, a whole object. */
  readonly isPlain?: true;
  /** Only what the sender may have made an object. */
  readonly isObject?: true;
  /** Only an object that the sender made with all its keys. */
  readonly isWhole?: true;
}

/** A kind of sink to which a fixed value, or the call itself, is the danger. */
interface Setting {
  readonly cwe: string;
  readonly sink: SinkName;
  readonly fix: string;
  readonly grade: Grade;
}

const CODE_FIX = 'Do not make code from data: use JSON.parse, a table of functions or a parser.';
const PATH_FIX =
  'Resolve the path against a fixed directory and refuse what does not begin with that directory ' +
  'and a separator; or take path.basename of the name, or look the file up by an id.';
const HOST_FIX =
  'Choose the host from a list, and refuse private addresses and redirects to others.';
const KEY_FIX =
  'Refuse the keys __proto__, constructor and prototype, or write into a Map or an object made ' +
  'by Object.create(null).';
const CIPHER_FIX = 'Use aes-256-gcm with a fresh random IV for each message, and check its tag.';

const CODE: Kind = {
  use: 'command',
  cwe: 'CWE-94',
  sink: 'code',
  fix: CODE_FIX,
  strong: ['vuln-02', 'critical'],
  weak: ['ast-code', 'high'],
  operator: ['ast-code', 'medium'],
};
const FILE: Kind = {
  use: 'path',
  cwe: 'CWE-22',
  sink: 'file path',
  fix: PATH_FIX,
  strong: ['vuln-05', 'critical'],
};
const READER: Kind = {
  use: 'command',
  cwe: 'CWE-502',
  sink: 'deserialiser',
  fix: 'Read JSON and check it against a schema.',
  strong: ['vuln-07', 'critical'],
  weak: ['ast-deserialise', 'high'],
};
const KEYS: Kind = {
  use: 'key',
  cwe: 'CWE-1321',
  sink: 'object key',
  fix: KEY_FIX,
  strong: ['ast-prototype', 'high'],
  isPlain: true,
};
const HEADER: Kind = {
  use: 'line',
  cwe: 'CWE-113',
  sink: 'header',
  fix: 'Refuse line ends in what is put into a header, or choose its value from a list.',
  strong: ['ast-header', 'medium'],
};

/** What data from outside is a danger to. */
const KINDS: Readonly<Partial<Record<SinkKind, Kind>>> = {
  shell: {
    use: 'command',
    cwe: 'CWE-78',
    sink: 'shell command',
    fix: 'Run the program with an array of arguments, without a shell.',
    strong: ['vuln-01', 'critical'],
    weak: ['ast-command', 'high'],
    built: ['ast-command', 'high'],
    operator: ['ast-command', 'medium'],
  },
  program: {
    use: 'command',
    cwe: 'CWE-78',
    sink: 'program name',
    fix: 'Choose the program from a list.',
    strong: ['vuln-01', 'critical'],
    isPlain: true,
  },
  code: CODE,
  template: { ...CODE, cwe: 'CWE-1336', sink: 'template' },
  locals: {
    use: 'command',
    cwe: 'CWE-1336',
    sink: 'template values',
    fix: 'Hand a template the values that it shows, one by one.',
    strong: ['ast-code', 'high'],
    isWhole: true,
  },
  module: { ...CODE, cwe: 'CWE-829', sink: 'module name', isPlain: true },
  render: {
    use: 'html',
    cwe: 'CWE-918',
    sink: 'rendered markup',
    fix: 'Escape the text, and render without scripts and without access to network and files.',
    strong: ['ast-ssrf', 'high'],
  },
  path: { ...FILE, weak: ['ast-path', 'medium'] },
  look: { ...FILE, strong: ['ast-path', 'medium'] },
  archive: {
    ...FILE,
    sink: 'archive',
    strong: ['ast-path', 'high'],
  },
  host: {
    use: 'url',
    cwe: 'CWE-918',
    sink: 'host',
    fix: HOST_FIX,
    strong: ['ast-ssrf', 'high'],
  },
  deserialise: READER,
  objects: {
    ...READER,
    sink: 'object deserialiser',
    strong: ['ast-deserialise', 'high'],
    weak: ['ast-deserialise', 'medium'],
  },
  entities: {
    ...READER,
    cwe: 'CWE-611',
    sink: 'XML reader',
    fix: 'Leave the resolving of entities off.',
    weak: ['ast-xxe', 'high'],
  },
  xpath: {
    ...READER,
    use: 'xpath',
    cwe: 'CWE-643',
    sink: 'XPath expression',
    fix: 'Bind values as variables of the expression, or refuse quotes in them.',
    weak: ['ast-deserialise', 'medium'],
  },
  ldap: {
    use: 'ldap',
    cwe: 'CWE-90',
    sink: 'LDAP filter',
    fix: 'Escape values as RFC 4515 and RFC 4514 say, or build the filter from objects.',
    strong: ['ast-ldap', 'high'],
  },
  query: {
    use: 'sql',
    cwe: 'CWE-943',
    sink: 'query',
    fix: 'Keep the text fixed and pass the values as parameters or variables.',
    strong: ['ast-query', 'high'],
    weak: ['ast-query', 'medium'],
  },
  regex: {
    use: 'regex',
    cwe: 'CWE-1333',
    sink: 'regular expression',
    fix: 'Escape the text, or look for it with includes.',
    strong: ['ast-regex', 'high'],
  },
  merge: { ...KEYS, sink: 'deep merge', isObject: true },
  keys: KEYS,
  fields: {
    ...KEYS,
    cwe: 'CWE-915',
    sink: 'stored fields',
    fix: 'Take the fields that callers may set one by one, or check them with a schema.',
    strong: ['ast-mass-assignment', 'medium'],
    isObject: true,
  },
  header: HEADER,
  log: {
    use: 'line',
    cwe: 'CWE-117',
    sink: 'log entry',
    fix: 'Write structured logs, or escape line ends and control characters.',
    strong: ['ast-log', 'low'],
  },
  trust: {
    use: 'key',
    cwe: 'CWE-501',
    sink: 'session value',
    fix: 'Check the value before it becomes part of the session, or keep it outside of the session.',
    strong: ['ast-trust', 'low'],
  },
  format: {
    use: 'key',
    cwe: 'CWE-400',
    sink: 'work size',
    fix: 'Check the number against a bound.',
    strong: ['ast-limit', 'medium'],
  },
  origin: {
    use: 'key',
    cwe: 'CWE-942',
    sink: 'allowed origin',
    fix: 'Compare the Origin header with a list.',
    strong: ['ast-cors', 'medium'],
  },
};

/** What a fixed value, a missing one, or the call itself is a danger to. */
const SETTINGS: Readonly<Partial<Record<SinkKind, Setting>>> = {
  certificate: {
    cwe: 'CWE-295',
    sink: 'certificate check',
    fix: 'Leave the check on; give the certificate of a private authority as `ca`.',
    grade: ['vuln-09', 'critical'],
  },
  tls: {
    cwe: 'CWE-326',
    sink: 'TLS setting',
    fix: 'Use TLS 1.2 or later with the ciphers that are the default.',
    grade: ['ast-crypto', 'high'],
  },
  cipher: {
    cwe: 'CWE-327',
    sink: 'cipher',
    fix: CIPHER_FIX,
    grade: ['ast-crypto', 'high'],
  },
  hash: {
    cwe: 'CWE-916',
    sink: 'hash',
    fix: 'Keep passwords with scrypt, bcrypt or argon2, and sign with SHA-256 or better.',
    grade: ['ast-crypto', 'high'],
  },
  random: {
    cwe: 'CWE-338',
    sink: 'random secret',
    fix: 'Use crypto.randomBytes, randomInt or randomUUID.',
    grade: ['ast-random', 'high'],
  },
  secret: {
    cwe: 'CWE-798',
    sink: 'fixed key',
    fix: 'Take the key from the environment or a key store.',
    grade: ['ast-key', 'high'],
  },
  token: {
    cwe: 'CWE-347',
    sink: 'token',
    fix: 'Verify every token with a key, and name the algorithms that are allowed.',
    grade: ['vuln-10', 'critical'],
  },
  cookie: {
    cwe: 'CWE-614',
    sink: 'cookie',
    fix: 'Set httpOnly, secure and sameSite.',
    grade: ['ast-cookie', 'medium'],
  },
  dtd: {
    cwe: 'CWE-611',
    sink: 'XML reader setting',
    fix: 'Switch document type definitions and external entities off before the reader is made.',
    grade: ['ast-xxe', 'medium'],
  },
  escaping: {
    cwe: 'CWE-79',
    sink: 'escaping',
    fix: 'Leave the escaping on, and mark the texts that are markup one by one.',
    grade: ['ast-xss', 'high'],
  },
  exposure: {
    cwe: 'CWE-693',
    sink: 'protection',
    fix: 'Leave the protection on, or say in a comment what stands in for it.',
    grade: ['ast-setting', 'medium'],
  },
};

/** What the name of a view begins with that sends the browser elsewhere. */
const REDIRECT_VIEW = 'redirect:';

/** As a character or as it is written. */
const EMPTY_LINE = /(?:\n|\\n)(?:\r|\\r)?(?:\n|\\n)/;
const MAIL = { ...HEADER, cwe: 'CWE-93', sink: 'mail header' } as const;

/** Kinds that have a way of their own to look at a value. */
const OWN: Readonly<Partial<Record<SinkKind, Grader>>> = {
  sql: sqlText,
  filter: filterObject,
  script,
  html: markup,
  markup: (value, argument, site) => {
    const found = markup(value, argument, site);
    return /^(?:strong|checked)$/.test(found?.source?.strength ?? '') ? found : null;
  },
  page: (value, argument, site) => {
    // An object is sent as JSON.
    if (value.properties !== null || value.elements !== null) return null;
    const found = page(value, site, 'critical');
    return found === null ? null : { ...found, argument };
  },
  answer: (value, argument, site) => {
    const isMarkup = value.pieces?.some((one) => typeof one === 'string' && one.includes('<'));
    const found = page(value, site, isMarkup === true ? 'critical' : 'high');
    if (found === null) return null;
    return { ...found, argument, ...(isMarkup === true ? {} : { severity: 'medium' }) };
  },
  view: (value, argument, site) => {
    const [start, ...rest] = value.pieces ?? [];
    if (typeof start !== 'string' || !start.startsWith(REDIRECT_VIEW)) return null;
    const before = start.slice(REDIRECT_VIEW.length);
    const [only] = rest;
    const isWhole = before === '' && rest.length === 1 && typeof only === 'object';
    const address = isWhole ? only : { ...value, pieces: before === '' ? rest : [before, ...rest] };
    return target(address, argument, site);
  },
  // What stands behind an empty line is the text of the mail.
  mail: (value, argument, site) => {
    const { pieces } = value;
    const end = pieces?.findIndex((one) => typeof one === 'string' && EMPTY_LINE.test(one)) ?? -1;
    const headers = end < 0 ? pieces : (pieces?.slice(0, end + 1) ?? null);
    return graded(MAIL, { ...value, pieces: headers }, argument, site);
  },
  link: (value, argument, site) => attribute('href', value, argument, site),
  // Only options that a line names are an address.
  request: (value, argument, site) =>
    value.properties === null ? address(value, argument, site) : null,
  redirect: (value, argument, site) =>
    value.properties === null ? target(value, argument, site) : null,
};

/** The danger of a value at a sink of that kind; null where there is no danger. */
export function dangerAt(
  kind: SinkKind,
  value: Value,
  argument: number,
  site: Where,
): Danger | null {
  const known = KINDS[kind];
  if (known !== undefined) return graded(known, value, argument, site);
  return OWN[kind]?.(value, argument, site) ?? null;
}

/** The danger of a fixed value; null for kinds of sinks that data is a danger to. */
export function settingAt(kind: SinkKind, value: Value, argument: number): Danger | null {
  const known = SETTINGS[kind];
  if (known === undefined) return null;
  const { cwe, sink, fix, grade } = known;
  const [id, severity] = grade;
  return { id, severity, cwe, sink, fix, value, source: null, argument };
}

/** Whether a fixed value is what is dangerous at sinks of the kind. */
export function isSetting(kind: SinkKind): boolean {
  return SETTINGS[kind] !== undefined;
}

const NO_SECRET = /BEGIN (?:RSA )?PUBLIC|\.(?:pem|key|crt)$|^(?:true|false)$/;

/** Whether a value is the wrong one of a row; `texts`: literals and names of constants in it. */
export function isWrong(
  { kind, value: wrong }: SinkLine,
  value: Value,
  texts: readonly string[],
): boolean {
  if (kind === 'random' && wrong === undefined) return value.role === 'random';
  const { constant } = value;
  if (wrong !== undefined) return texts.some((text) => wrong.test(text));
  // A secret: any literal, but for what tells where it is.
  return kind === 'secret' && constant !== null && constant !== '' && !NO_SECRET.test(constant);
}

/** The danger with no more than the severity of a row. */
export function lessened({ severity }: SinkLine, danger: Danger | null): Danger | null {
  if (danger === null) return null;
  const given = severity ?? danger.severity;
  const least = severityRank(given) > severityRank(danger.severity) ? given : danger.severity;
  if (danger.severity === 'critical' && least === 'critical') return danger;
  return { ...danger, severity: least, id: lesserId(danger) };
}

function graded(kind: Kind, value: Value, argument: number, site: Where): Danger | null {
  if (value.isJson || (kind.isPlain && value.pieces !== null)) return null;
  // An object that is written there is looked at by its properties.
  if (value.properties !== null || isJsonText(value)) return null;
  if (kind.isObject && value.source?.mayBeObject !== true) return null;
  if (kind.isWhole && value.source?.isWhole !== true) return null;
  const { kind: threat, source } = threatOf(value, kind.use, site.safetyOf);
  const grade = gradeOf(kind, threat, value);
  if (grade === undefined) return null;
  const [id, severity] = grade;
  const { cwe, sink, fix } = kind;
  const found = { id, severity, cwe, sink, fix, value, source, argument };
  return threat === 'checked' && severity === 'critical' ? { ...found, severity: 'high' } : found;
}

function weakOf({ weak }: Kind, value: Value): Grade | undefined {
  return value.pieces !== null || value.isResult ? weak : undefined;
}

/** Known text with nothing but JSON between. */
function isJsonText(value: Value): boolean {
  return value.pieces !== null && holes(value).every((hole) => hole.isJson);
}

function gradeOf(
  kind: Kind,
  threat: ReturnType<typeof threatOf>['kind'],
  value: Value,
): Grade | undefined {
  switch (threat) {
    case 'strong':
    case 'checked':
      return kind.strong;
    case 'weak':
      return kind.use !== 'path' || isPartOfText(value, kind.use) ? weakOf(kind, value) : undefined;
    case 'built':
      return kind.built;
    case 'operator':
      return kind.operator;
    case null:
      return undefined;
  }
}

/** Programs that start the program behind them, with its arguments. */
export const STARTS_OTHERS =
  /(?:^|\/)(?:env|sudo|doas|nice|ionice|nohup|timeout|setsid|stdbuf|time|strace|unshare|chroot|busybox|nsenter|docker|podman|kubectl)$/;

/** Programs that run text that is one of their arguments. */
export const RUNNER =
  /(?:^|\/)(?:python[\d.]*|pypy\d*|perl|ruby|node|deno|bun|php|lua[\d.]*|osascript|Rscript|ssh|su|xargs)$/;

/** What stands before that text: `-c`, `-ne`, `--eval`. */
export const RUNNER_FLAG = /^(?:-[cer]|-[a-zA-Z]{1,3}e|--?(?:eval|print|execute|run)|-p|eval)$/;
