import { randomness, shannonEntropy } from '../gates/patterns/randomness.ts';

/** Bytes of a text, as offsets. */
export interface Hidden {
  start: number;
  end: number;
}

/**
 * Values that a text gives the name of a secret, wherever that stands: `password is X`,
 * `token: X`, `API_KEY=X`, `-p X`, `--token X`, `Authorization: Bearer X`, `"secret": "X"`,
 * `?token=X`, `scheme://name:X@host`. Words of a sentence, types, variables, paths and numbers that
 * stand there instead are left. Every pattern is bounded, so the time is linear in the text.
 */
export function namedValues(bytes: Buffer): Hidden[] {
  // One character a byte, so that indexes are offsets.
  const text = bytes.toString('latin1');
  return [
    ...afterNames(text),
    ...afterFlags(text),
    ...afterSchemes(text),
    ...inUrls(text),
    ...inCookies(text),
    ...inCommands(text),
  ];
}

/** A value, and whether it would be hidden whatever it looks like. */
interface Value extends Hidden {
  text: string;
  isQuoted: boolean;
}

/** Names of secrets that also count as the end of a longer word, as in `dbpassword`. */
const LONG_NAMES =
  'password|passwd|passphrase|passcode|secret|token|credentials?|api[ _.-]?key|access[ _.-]?key|' +
  'secret[ _.-]?key|private[ _.-]?key|signing[ _.-]?key|encryption[ _.-]?key|auth[ _.-]?key|' +
  'account[ _.-]?key|session[ _.-]?key|master[ _.-]?key|connection[ _.-]?string|authorization|' +
  // In the languages in which people write reasons; Latin-1 of their UTF-8.
  [
    ...['passwort', 'kennwort', 'mot de passe', 'contraseña', 'clave', 'senha', 'hasło', 'heslo'],
    ...['wachtwoord', 'lösenord', 'adgangskode', 'salasana', 'parola', 'jelszó', 'şifre'],
    ...['пароль', '密码', '密碼', 'パスワード', '비밀번호', 'सांकेतिक शब्द'],
  ]
    .map((name) => Buffer.from(name).toString('latin1'))
    .join('|');
/** Names that are parts of ordinary words: they begin where a word, or a part of one, begins. */
const SHORT_NAMES = 'pwd|pass|pw|psw|psk|jwt|bearer';
const NAME = new RegExp(
  `(?:${LONG_NAMES}|(?<![A-Za-z])(?:${SHORT_NAMES}))(?![A-Za-z0-9]|[_-][A-Za-z])`,
  'gi',
);
/** The label of a token: the first digits of its digest. */
const TOKEN_LABEL = /:[0-9a-f]{6,12}(?![A-Za-z0-9])/y;
/** `key` alone means much else: what follows must look like a secret. */
const BARE_KEY = /(?<![A-Za-z])key(?![A-Za-z0-9]|[_-][A-Za-z])/gi;

const QUOTE = '(?:\\\\{0,3}["\'`]|&quot;|\\xe2\\x80[\\x98-\\x9f])';
/** `=`, `:`, `=>`, an arrow, `>` of a tag; with what closes the name before it. */
const ASSIGNED = new RegExp(
  `(?:${QUOTE}|\\]|\\)){0,2}(?:[ \\t]{0,8}(?:=>|:=|={1,3}|\\xe2\\x86\\x92|->|%3[Dd]|%3[Aa]|\\xef\\xbc\\x9a|\\xef\\xbc\\x9d)|[ \\t]{0,8}:(?!//)|>)` +
    '(?:[ \\t]{0,8}[|>][+-]?(?=[ \\t]{0,8}\\r?\\n))?',
  'y',
);
/** Up to six words between the name and what says that its value follows. */
const BETWEEN = "(?:[ \\t]{1,3}[(]?[A-Za-z0-9_.@/#'-]{1,40}[)]?){0,6}?";
const SAID = new RegExp(
  `${BETWEEN}(?:[ \\t]{1,3}(?:is|was|are|were|been|be|equals|as)(?![A-Za-z])(?:[ \\t]{1,3}(?:now|still|currently|just|simply|only|been)){0,3}(?:[ \\t]{1,3}(?:set|changed|reset|rotated|updated)[ \\t]{1,3}to)?[ \\t]{0,3}:?|[ \\t]{1,3}(?:set|changed|reset|rotated|updated)[ \\t]{1,3}to[ \\t]{0,3}:?)`,
  'y',
);
const DISTANT = new RegExp(
  `${BETWEEN}(?:[ \\t]{0,3}[:=]|[ \\t]{1,3}(?:to|from|ist|war|lautet|est|es|era|jest|je))`,
  'y',
);
/** Cells of a table, arguments of a call, the next line. */
const BESIDE = /(?:["'`]?[ \t]{0,8}[|;,<([{/]|[ \t]{0,8}\r?\n|\xe3\x80[\x8c\x8e])/y;
const BLANKS = /[ \t]{0,16}(?:\r?\n[ \t]{0,16})?/y;
const QUOTED = new RegExp(`(${QUOTE})((?:(?!\\1)[^\\r\\n]){1,512})\\1`, 'y');
const SMART_QUOTED =
  /\xe2\x80[\x98-\x9f]((?:(?!\xe2\x80[\x98-\x9f])[^\r\n]){1,512})\xe2\x80[\x98-\x9f]/y;
const UNQUOTED = /[^\s"'`]{1,1024}/y;

function afterNames(text: string): Hidden[] {
  const hidden: Hidden[] = [];
  for (const name of text.matchAll(NAME)) {
    const at = name.index + name[0].length;
    const isHeader = /authorization$/i.test(name[0]);
    const assigned = endOf(ASSIGNED, text, at);
    if (assigned !== null) {
      // How the service itself names a token: `override-token:1f2e3d4c`.
      if (text[name.index - 1] === '-' && isAt(TOKEN_LABEL, text, at)) continue;
      const from = isHeader ? afterScheme(text, skipBlanks(text, assigned)) : assigned;
      const isTight = text[assigned - 1] !== ':' && !isBlank(text[assigned]);
      const value = valueAt(text, from);
      if (value !== null && isSecretValue(value, text, isTight ? 'tight' : 'loose')) {
        hidden.push(value);
      }
      continue;
    }
    const said = valueAfter(SAID, text, at);
    if (said !== null && isSecretValue(said, text, 'loose')) {
      hidden.push(said);
      continue;
    }
    const others = [
      valueAfter(DISTANT, text, at),
      valueAfter(BESIDE, text, at),
      isBlank(text[at]) ? valueAt(text, at) : null,
    ];
    hidden.push(
      ...(others.filter(
        (value) => value !== null && isSecretValue(value, text, 'strong'),
      ) as Value[]),
    );
  }
  for (const name of text.matchAll(BARE_KEY)) {
    const at = name.index + name[0].length;
    const value = valueAfter(ASSIGNED, text, at) ?? valueAfter(SAID, text, at);
    if (
      value !== null &&
      value.text.length >= KEY_CHARS_MIN &&
      isSecretValue(value, text, 'strong')
    ) {
      hidden.push(value);
    }
  }
  return hidden;
}

/** Shorter values of something that is only called `key` are names and numbers. */
const KEY_CHARS_MIN = 12;

/** `--token X`, and `-p X` where a command that takes a password stands before it. */
const NAMED_FLAG = new RegExp(
  `(?<![A-Za-z0-9_-])--?(?:[A-Za-z0-9]{1,20}[-_]){0,4}(?:${LONG_NAMES}|${SHORT_NAMES})(?=[ \\t])`,
  'gi',
);
const KEY_FLAG = /(?<![A-Za-z0-9_-])--?(?:[A-Za-z0-9]{1,20}[-_]){0,4}key(?=[ \t])/gi;
const SHORT_FLAG = /(?<![A-Za-z0-9_-])-([paPwu])[ \t]{0,3}(?=[^\s-])/g;
const USER_FLAG = /(?<![A-Za-z0-9_-])--(?:proxy-)?user(?:=|[ \t]{1,3})(?=\S)/g;
/** Commands whose `-p` is something else, and commands whose `-p` (`-a`, `-w`, `-P`) is one. */
const OTHER_COMMANDS =
  /\b(?:mkdir|cp|rsync|tar|touch|patch|git|npm|npx|pnpm|yarn|tsc|cargo|run|nc|ps|ssh|scp|pip|install|perl|python3?|node|kill|make|grep|lsof|ss|netstat|nmap|read|declare|test|time|nmcli|systemctl|journalctl|iptables|pg_dump|pg_restore|psql|pg_isready|createdb)\b/gi;
const PASSWORD_COMMANDS =
  /\b(?:mysql\w*|mariadb\w*|sshpass|mongo\w*|redis-cli|login|htpasswd|ldap\w+|mosquitto\w*|7z\w?|7za|zip|unzip|rar|unrar|cqlsh|sqlcmd|smbclient|expect|influx|clickhouse\w*|rabbitmqadmin|kinit|vault)\b/gi;
const LOOK_BACK_CHARS = 200;

function afterFlags(text: string): Hidden[] {
  const hidden: Hidden[] = [];
  for (const flag of text.matchAll(NAMED_FLAG)) {
    const value = valueAt(text, flag.index + flag[0].length);
    if (value !== null && !value.text.startsWith('-') && isSecretValue(value, text, 'tight')) {
      hidden.push(value);
    }
  }
  for (const flag of text.matchAll(KEY_FLAG)) {
    const value = valueAt(text, flag.index + flag[0].length);
    if (value !== null && isSecretValue(value, text, 'strong')) hidden.push(value);
  }
  for (const flag of text.matchAll(SHORT_FLAG)) {
    const [whole, letter = ''] = flag;
    const at = flag.index + whole.length;
    const value = valueAt(text, at);
    if (value === null) continue;
    if (letter === 'u') {
      const pair = whole.length > 2 ? passwordOf(value, text) : null;
      if (pair !== null) hidden.push(pair);
      continue;
    }
    const command = commandBefore(text, flag.index);
    const isPassword = command === 'password';
    if (letter !== 'p' && !isPassword) continue;
    if (command === 'other' || PORTS.test(value.text)) continue;
    if (isSecretValue(value, text, isPassword ? 'tight' : 'strong')) hidden.push(value);
  }
  for (const flag of text.matchAll(USER_FLAG)) {
    const value = valueAt(text, flag.index + flag[0].length);
    const pair = value === null ? null : passwordOf(value, text);
    if (pair !== null) hidden.push(pair);
  }
  return hidden;
}

/** `80`, `8080:80`, `127.0.0.1:80:80/tcp` */
const PORTS = /^[\d.:]+(?:\/(?:tcp|udp))?$/;

/** The part behind the colon of `name:password`. */
function passwordOf({ start, end, text: pair }: Value, text: string): Value | null {
  const colon = pair.indexOf(':');
  if (colon < 1 || colon + 1 >= pair.length || PORTS.test(pair)) return null;
  const value = { start: start + colon + 1, end, text: pair.slice(colon + 1), isQuoted: false };
  return isSecretValue(value, text, 'tight') && !/^\d+$/.test(value.text) ? value : null;
}

/** What the nearest command before a flag takes for `-p`. */
function commandBefore(text: string, at: number): 'password' | 'other' | null {
  const before = text.slice(Math.max(0, at - LOOK_BACK_CHARS), at);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const last = (pattern: RegExp) => [...line.matchAll(pattern)].at(-1)?.index ?? -1;
  const password = last(PASSWORD_COMMANDS);
  const other = last(OTHER_COMMANDS);
  if (password === other) return null;
  return password > other ? 'password' : 'other';
}

/** Schemes of RFC 7235 headers; their credentials have no blanks. */
const SCHEME =
  /(?<![A-Za-z])(bearer|basic|digest|negotiate|apikey)[ \t]{1,3}(?=[A-Za-z0-9+/_.~-]{8})/gi;
const SCHEME_NAME = /(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)[ \t]{1,3}/iy;
const CREDENTIAL = /[A-Za-z0-9+/_.~-]{8,1024}={0,2}/y;

function afterSchemes(text: string): Hidden[] {
  const hidden: Hidden[] = [];
  for (const scheme of text.matchAll(SCHEME)) {
    const start = scheme.index + scheme[0].length;
    const end = endOf(CREDENTIAL, text, start);
    if (end === null) continue;
    const value = { start, end, text: text.slice(start, end), isQuoted: false };
    if (isSecretValue(value, text, 'strong')) hidden.push(value);
  }
  return hidden;
}

function afterScheme(text: string, at: number): number {
  const open = /["'`]/.test(text[at] ?? '') ? at + 1 : at;
  return endOf(SCHEME_NAME, text, open) ?? at;
}

const URL_PASSWORD = /:\/\/[^\s/@:"'<>]{0,256}:([^\s/@"'<>]{1,256})@/g;

function inUrls(text: string): Hidden[] {
  return [...text.matchAll(URL_PASSWORD)]
    .filter(([, password = '']) => !isPlaceholder(password))
    .map((found) => {
      const end = found.index + found[0].length - 1;
      return { start: end - (found[1]?.length ?? 0), end };
    });
}

const COOKIES =
  /(?<![A-Za-z])(?:set-)?cookie["'`]?[ \t]{0,3}:[ \t]{0,3}["'`]?([^\r\n"'`]{1,1024})/gi;
const COOKIE = /=([^;\s]{4,512})/g;

function inCookies(text: string): Hidden[] {
  return [...text.matchAll(COOKIES)].flatMap((header) => {
    const start = header.index + header[0].length - (header[1]?.length ?? 0);
    return [...(header[1] ?? '').matchAll(COOKIE)]
      .filter(([, value = '']) => !isPlaceholder(value))
      .map((pair) => {
        const from = start + pair.index + 1;
        return { start: from, end: from + (pair[1]?.length ?? 0) };
      });
  });
}

/** Where commands take a password that nothing names; the last group is what may be one. */
const PIPED =
  /\b(?:echo|printf)[ \t]{1,3}(?:-[neE]{1,3}[ \t]{1,3})?(["']?)([^"'|\r\n]{3,256}?)\1[ \t]{0,8}\|[^|\r\n]{0,80}(?:--password-stdin|passwd|sudo[ \t]{1,3}-S|--passphrase-fd)/g;
const IN_COMMANDS: readonly RegExp[] = [
  /\bnet[ \t]{1,3}user[ \t]{1,3}[\w.\\-]{1,64}[ \t]{1,3}([^\s/"'][^\s"']{2,256})/gi,
  /\bhtpasswd(?:[ \t]{1,3}-\w{1,8}){0,4}[ \t]{1,3}[^\s-][^\s]{0,256}[ \t]{1,3}[^\s]{1,64}[ \t]{1,3}([^\s"']{3,256})/g,
  /\bopenssl\b[^\r\n]{0,200}?[ \t]-[kK][ \t]{1,3}["']?([^\s"']{3,256})/g,
  /[ \t]-U[ \t]{0,3}[\w.\\-]{1,64}%([^\s"']{3,256})/g,
  // The lines of .pgpass.
  /(?<![\w:/.-])[\w.*-]{1,128}:\d{2,5}:[\w*-]{1,64}:[\w*-]{1,64}:([^\s:"']{3,256})/g,
];
/** A name and a password side by side, where people write how to log in. */
const PAIRS =
  /(?<![A-Za-z])(?:credentials?|creds|log(?:ged|ging)?[ -]?(?:in|on)|logins?|basic[ -]auth)(?:[ \t]{1,3}(?:with|as|using|via)|[ \t]{0,3}[:=]|[ \t]{1,3}(?:is|are|was|were))[ \t]{1,3}[\w.@-]{1,64}[ \t]{0,3}[/:,][ \t]{0,3}([^\s"',;]{6,256})/gi;

function inCommands(text: string): Hidden[] {
  const hidden = (pattern: RegExp, sureness: Sureness) =>
    [...text.matchAll(pattern)].flatMap((found) => {
      const value = found.at(-1) ?? '';
      const start = found.index + found[0].lastIndexOf(value);
      const at = valueAt(text, start);
      return at !== null && isSecretValue(at, text, sureness) ? [at] : [];
    });
  const strong = [...IN_COMMANDS, PAIRS].flatMap((pattern) => hidden(pattern, 'strong'));
  return [...hidden(PIPED, 'tight'), ...strong];
}

function valueAfter(pattern: RegExp, text: string, at: number): Value | null {
  const end = endOf(pattern, text, at);
  return end === null ? null : valueAt(text, end);
}

/** The value that begins here, behind blanks and at most one line break. */
function valueAt(text: string, from: number): Value | null {
  const at = skipBlanks(text, from);
  for (const pattern of [QUOTED, SMART_QUOTED]) {
    pattern.lastIndex = at;
    const quoted = pattern.exec(text);
    if (quoted === null) continue;
    const inner = quoted.at(-1) ?? '';
    const closing = pattern === SMART_QUOTED ? 3 : (quoted[1] ?? '').length;
    const end = at + quoted[0].length - closing;
    return { start: end - inner.length, end, text: inner, isQuoted: true };
  }
  // A quote that nothing closes belongs to what follows it.
  const start = /["'`]/.test(text[at] ?? '') ? at + 1 : at;
  const most = endOf(UNQUOTED, text, start);
  if (most === null) return null;
  const value = text.slice(start, most);
  const cut = /[,;&](?=[A-Za-z_][\w.-]{0,40}=)|<|&(?:quot|amp|lt|gt);|\\["']|[)\]}](?=[,;]?$)/.exec(
    value,
  );
  const bare = (cut === null || cut.index === 0 ? value : value.slice(0, cut.index)).replace(
    /[.,;:!?)\]}>]+$/,
    '',
  );
  if (bare === '') return null;
  return { start, end: start + bare.length, text: bare, isQuoted: false };
}

function skipBlanks(text: string, at: number): number {
  return endOf(BLANKS, text, at) ?? at;
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found === null ? null : at + found[0].length;
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  return endOf(pattern, text, at) !== null;
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}

/**
 * How surely a value follows. `tight`: anything is a secret but a variable or a type; `loose`: but
 * also words of a sentence; `strong`: only what looks like a secret is one.
 */
type Sureness = 'tight' | 'loose' | 'strong';

function isSecretValue(value: Value, text: string, sureness: Sureness): boolean {
  const { text: given, isQuoted } = value;
  if (given.length < VALUE_CHARS_MIN || isPlaceholder(given) || isCode(given)) return false;
  if (sureness === 'strong') return isStrong(given) && !isName(given);
  if (isLocation(given)) return false;
  if (sureness === 'tight') return isQuoted || !WORDS.has(given.toLowerCase());
  if (isQuoted) return true;
  if (isName(given)) return false;
  if (!WORD.test(given)) return given.length >= LOOSE_CHARS_MIN;
  return !isOrdinary(given) && endsClause(text, value.end);
}

const VALUE_CHARS_MIN = 3;
const LOOSE_CHARS_MIN = 4;
const STRONG_CHARS_MIN = 6;

/** Letters, also of several words; but four of them are a phrase to log in with. */
const WORD = /^[A-Za-z]+(?:[-'/][A-Za-z]+){0,2}$/;

/** Letters with digits, or with the signs that passwords must hold. */
function isStrong(given: string): boolean {
  if (given.length < STRONG_CHARS_MIN || !/[A-Za-z]/.test(given)) return false;
  return /\d/.test(given) || /[!@#$%^&*?+=~]/.test(given);
}

/** Versions, tickets, dates, ids of RFCs, digests, files: what people write beside such a name. */
const NAMES: readonly RegExp[] = [
  /^v?\d+(?:\.[\w-]+)+$/i,
  /^v\d+$/i,
  /^[A-Za-z]{1,10}-\d{1,8}$/,
  /^#\d+$/,
  /^\d{4}-\d\d(?:-\d\d(?:T[\d:.]+Z?)?)?$/,
  /^\d{1,3}$/,
  /^\d+(?:\.\d+)?(?:%|[smhd]|ms|[kmg]i?b)?$/i,
  /^RFC-[0-9A-F]{10,40}$/,
  /^F-[0-9A-F]{10,40}-P?[0-9a-z]+$/i,
  /^(?:[\w./-]+@)?sha(?:256|384|512)[:-]/i,
  /^[\w./-]*[A-Za-z][\w-]*\.(?:[cm]?[jt]sx?|json|ya?ml|toml|py|go|java|rb|rs|sh|sql|md|txt|env|pem|crt|cfg|conf|ini|lock)(?::\d+)*$/i,
  /^[A-Za-z]+\d{0,2}(?:\/[A-Za-z0-9.]+)+$/,
  /^(?:oauth2?|base64|base32|sha\d+|hs256|rs256|es256|ed25519|bcrypt|argon2(?:id)?|md5|pbkdf2|aes\d*|x509|utf-?8|http2?|tls1\.\d|s3|k8s|ec2|i18n|auth0)$/i,
];

function isName(given: string): boolean {
  return NAMES.some((name) => name.test(given));
}

/** A variable, a type, or a mask instead of a value. */
function isPlaceholder(given: string): boolean {
  return (
    /^(?:\$\{?\w|\$\{\{|\$\(|\{\{|<|%\w+%$|\*+$|\.{3}|\xe2\x80\xa6|x{3,}$|\[(?:redacted|secret)|@\w+@$)/i.test(
      given,
    ) ||
    /^.{0,8}\xe2\x80\xa6$/.test(given) ||
    PLACEHOLDERS.has(given.toLowerCase())
  );
}

const PLACEHOLDERS = new Set(
  (
    'true false null none nil undefined void any string str text varchar boolean bool number int ' +
    'integer object array required optional empty redacted hidden removed unset masked tbd todo n/a'
  ).split(' '),
);

/** A call, or a member of an object. */
function isCode(given: string): boolean {
  return (
    /^[A-Za-z_$][\w$]*(?:\.[\w$]+)*[([]/.test(given) ||
    /^(?:process\.env|os\.environ|env|secrets|vars|config|settings|this|self|req|request|ctx)\./.test(
      given,
    )
  );
}

function isLocation(given: string): boolean {
  return (
    /^(?:\.{0,2}|~)\/[\w.-]+(?:\/[\w.-]*)+$/.test(given) ||
    /^(?:https?|file|vault|ssm|arn):/.test(given)
  );
}

/** What may stand behind a word that ends a clause. */
const CLAUSE_END =
  /[ \t]{0,3}(?:$|[.,;:!?)\]}"'\r\n]|(?:-|\xe2\x80[\x93\x94])|(?:and|or|but|for|on|at|in|so|please|which|until|then|now)(?![A-Za-z]))/y;

function endsClause(text: string, at: number): boolean {
  return isAt(CLAUSE_END, text, at);
}

/** Words that sentences about passwords and tokens go on with. */
const WORDS = new Set(
  (
    'a an the this that these those it its my our your his her their some any no not never always ' +
    'also only just still already now then there here so too very more less most least well ' +
    'in on at of to for from by with without within inside outside under over per via as like than ' +
    'and or but if when while until because since where which who whose what how why see e.g i.e ' +
    'is was are were be been being has have had do does did can could may might must shall should ' +
    'will would set get got put kept let made sent read held left lost found bad good ok okay fine ' +
    'safe secure unsafe weak strong long short old new same different wrong right correct incorrect ' +
    'valid invalid real fake dummy sample example test demo default public private internal external ' +
    'local remote global random unique common plain clear raw empty blank null none missing absent ' +
    'present gone dead alive live active inactive obsolete stale fresh current former previous next ' +
    'last first second third false true yes unknown known secret open closed free full ready done ' +
    'due late early temporary permanent static dynamic constant variable optional mandatory ' +
    'necessary legacy part type kind name value field text string number file path id hash salt ' +
    'handling rotation reset refresh change update policy store vault storage manager management ' +
    'exchange validation verification check review scope scopes format length minimum maximum ' +
    'expiry expiration lifetime header parser parsing user users admin operator team nothing ' +
    'everything something ours theirs mine redacted up down off out back again both either neither ' +
    'one two three four five six yet exposed leaked harmless irrelevant unrelated unused unchanged ' +
    'ours bound short-lived long-lived read-only write-only case-sensitive well-known built-in ' +
    'one-time single-use third-party up-to-date out-of-date opaque longer shorter enough broken ' +
    'written taken given chosen stolen forgotten hidden shown driven proven frozen revoked'
  ).split(' '),
);

function isOrdinary(given: string): boolean {
  const word = given.toLowerCase();
  return (
    WORDS.has(word) || word.split(/[-'/]/).some((part) => WORDS.has(part)) || SUFFIX.test(word)
  );
}

/** Participles, adverbs and adjectives: `expired`, `expiring`, `probably`, `available`. */
const SUFFIX = /.{2}(?:ed|ing|ly|able|ible|less|ful|ous|ive|tion|ment)$/;

/** Long words of the characters that keys are made of. */
const TOKEN = /[A-Za-z0-9+/=_-]{24,}/g;
/** Words and names of code have less of both: see `randomness`, and gitleaks' generic rule. */
const TOKEN_ENTROPY_MIN = 3.8;
const TOKEN_RANDOMNESS_MIN = 0.45;

/** Long runs that look random. */
export function randomRuns(bytes: Buffer): Hidden[] {
  return [...bytes.toString('latin1').matchAll(TOKEN)]
    .map(({ index, 0: value }) => ({ start: index, end: index + value.length }))
    .filter(({ start, end }) => {
      const token = bytes.subarray(start, end);
      return (
        shannonEntropy(token) >= TOKEN_ENTROPY_MIN && randomness(token) >= TOKEN_RANDOMNESS_MIN
      );
    });
}

/** The same, less the ids and digests that people write in reasons. */
export function randomValues(bytes: Buffer): Hidden[] {
  const text = bytes.toString('latin1');
  return randomRuns(bytes)
    .filter(({ start, end }) => !isReadable(text, start, end))
    .map(({ start, end }) => {
      // Folders before it stay: `refs/heads/`.
      const folders = /^\/?(?:[a-z]{1,16}\/)*/.exec(text.slice(start, end))?.[0] ?? '';
      return { start: start + folders.length, end };
    });
}

/** Commits (SHA-1, SHA-256), UUIDs, RFCs, findings, tasks, chains of the trail, digests. */
const READABLE =
  /^(?:[0-9a-f]{40}|[0-9a-f]{64}|(?:T-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|RFC-[0-9A-F]{10,40}|F-[0-9A-F]{10,40}-(?:\d{1,6}|P[0-9a-f]{16})|\d{8}T\d{6}Z-[0-9a-f]{1,16}|sha(?:256|384|512)-[A-Za-z0-9+/]{43,88}={0,2}|sha256-[0-9a-f]{64})$/i;
/** Image digests of more digits stand behind their algorithm. */
const LONG_DIGEST = /^[0-9a-f]{96}$|^[0-9a-f]{128}$/i;
/** Names of pods, paths: short parts, in one case each. */
const NAME_PART_CHARS_MAX = 16;

function isReadable(text: string, start: number, end: number): boolean {
  const run = text.slice(start, end).replace(/^[=/+_-]+|[=/+_-]+$/g, '');
  // `image=sha256-…`, `commit/<sha>`: the parts of an address.
  const parts = run.split(/[/=]/);
  if (READABLE.test(run) || parts.every((part) => part.length < 24 || READABLE.test(part))) {
    if (READABLE.test(run) || parts.some((part) => READABLE.test(part))) return true;
  }
  if (
    LONG_DIGEST.test(run) &&
    /sha(?:384|512):$/i.test(text.slice(Math.max(0, start - 7), start))
  ) {
    return true;
  }
  if (/[+=]/.test(run)) return false;
  return run.split(/[/_-]/).every(isNamePart);
}

function isNamePart(part: string): boolean {
  if (part.length > NAME_PART_CHARS_MAX) return /^[A-Za-z]+$/.test(part) && !isMixed(part);
  return !isMixed(part);
}

/** Letters of both cases, in another order than names have them, or with digits. */
function isMixed(part: string): boolean {
  return /[a-z]/.test(part) && /[A-Z]/.test(part.slice(1)) && /\d/.test(part);
}
