import type { Severity } from '../../../model/finding.ts';
import { words } from '../../../rules/catalogue/line.ts';
import type { SinkName } from '../../../rules/wording/sinks.ts';
import { child, list, type SyntaxNode, text } from '../parse/swc-node.ts';
import {
  type AssignSite,
  type CallSite,
  type Danger,
  exportOf,
  type PropertySite,
  type Sink,
  sourceFor,
  wholeWords,
} from './sink.ts';
import type { Value } from './value.ts';

const MODULES = new Set(['crypto', 'crypto-js', 'node-forge']);
const RECEIVERS = /(?:^|\.)(?:crypto|nodeCrypto|CryptoJS|cryptoJs)$/;
/** Ciphers and modes that are broken, by the names of OpenSSL. */
const BROKEN_CIPHER =
  /^(?:des(?!x?-?ede3-(?:cfb|ofb))|rc2|rc4|arcfour|bf|blowfish|seed|idea|3des)|-ecb$/i;
/** Ciphers that gate 1 finds where they are written as literals. */
const LITERAL_CIPHER = /^(?:des(?:-(?:ecb|cbc|cfb|ofb))?|rc4|rc2(?:-\w+)*|bf-ecb)$/;
const WEAK_HASH = /^(?:md4|md5|sha-?1|rmd160|ripemd)$/i;
/** Sound for signatures; passwords are tried out by the billion. */
const FAST_HASH = /^sha-?(?:2|3-)?(?:224|256|384|512)/i;
const PASSWORD = /^(?:\w{0,20}_)?(?:plain|raw|new|user)?_?pass(?:word|wd)$|^pwd$/i;
/** What a hash without salt or cost must not keep. */
const SECRET_TEXT = /pass(?:word|wd|phrase|code)?$|pwd$|credential/i;
/** Properties that switch the check of certificates on. */
const CHECKS = words('rejectUnauthorized strictSSL');
/** Names for what must not be guessed. */
const UNGUESSABLE =
  /(?:token|secret|password|passwd|passcode|nonce|salt|otp|session_?(?:id|key)|api_?key|auth_?(?:key|code)|csrf|(?:reset|verification|activation|invit(?:e|ation))_?(?:code|key)|remember_?me(?:_?key)?)$/i;
/** Whether a name says that its value must not be guessed. */
export function isUnguessable(name: string): boolean {
  return UNGUESSABLE.test(name) && !LATE_ANSWER.test(name);
}
/** Of variables and members: what tells late answers apart, and goes nowhere. */
const LATE_ANSWER = /(?:abort|cancel|fetch|load|poll|query|render|search)_?token$/i;
/** Calls that keep or send a value under the name given before it. */
const KEEPERS = words('setItem set append put cookie setCookie setHeader header');
const PREDICTABLE =
  /(?:token|secret|nonce|otp|csrf|apikey|session_?id|passw|resetcode|verificationcode)/i;

const TLS_FIX = 'Leave the check on; give the certificate of a private authority as `ca`.';
const CIPHER_FIX = 'Use aes-256-gcm with createCipheriv and a fresh random IV.';
const HASH_FIX = 'Keep passwords with scrypt, bcrypt or argon2.';
const RANDOM_FIX = 'Use crypto.randomBytes, randomInt or randomUUID.';

/** vuln-09: certificate checks off, broken crypto (CWE-295, 327); literals are gate 1's. */
export const crypto: Sink = {
  hints: [
    wholeWords([...CHECKS, 'NODE_TLS_REJECT_UNAUTHORIZED', 'checkServerIdentity']),
    wholeWords(['createCipher', 'createDecipher', 'createCipheriv', 'createDecipheriv']),
    {
      words: ['createHash', 'md5', 'sha1'],
      patterns: [/\b(?:createHash|md5|sha1|MD5|SHA1)\s{0,20}\(/, /pass|pwd|credential/i],
    },
    { words: ['math.random'], patterns: [/Math\.random/, PREDICTABLE] },
    {
      words: ['CryptoJS', 'crypto-js'],
      patterns: [/\b(?:DES|TripleDES|RC4|Rabbit|ECB|MD5|SHA1)\b/],
    },
  ],
  inCall: (site) => cipher(site) ?? hash(site) ?? randomKept(site),
  inProperty: (site) => check(site) ?? random(site.name, site.value),
  inAssign: (site) => environment(site) ?? checkOff(site) ?? randomNamed(site.name, site.value),
};

/** `rejectUnauthorized: verify` where `verify` is false, and `checkServerIdentity: () => {}`. */
function check(site: PropertySite): Danger | null {
  const { name, value } = site;
  if (name === 'checkServerIdentity' && isEmpty(value)) {
    return found('vuln-09', 'critical', 'CWE-295', 'certificate check', TLS_FIX, value);
  }
  if (!CHECKS.has(name) || site.isLiteral || !isOff(value)) return null;
  return found('vuln-09', 'critical', 'CWE-295', 'certificate check', TLS_FIX, value);
}

function isOff(value: Value): boolean {
  return value.setting === 'false' || value.setting === '0';
}

/** A function that gives nothing back accepts every name. */
function isEmpty({ callable }: Value): boolean {
  if (callable === null) return false;
  if (callable.isEmpty !== undefined) return callable.isEmpty;
  const body = child(callable.node as SyntaxNode, 'body');
  const isBlock = /^(?:FunctionBody|BlockStatement)$/.test(body?.type ?? '');
  return isBlock ? list(body, 'stmts').length === 0 : text(body, 'value') === 'undefined';
}

/** `options.rejectUnauthorized = false` */
function checkOff(site: AssignSite): Danger | null {
  if (!CHECKS.has(site.name) || !isOff(site.value)) return null;
  return found('vuln-09', 'critical', 'CWE-295', 'certificate check', TLS_FIX, site.value);
}

/** `process.env[NAME] = '0'` */
function environment(site: AssignSite): Danger | null {
  if (site.keys[1]?.constant !== 'NODE_TLS_REJECT_UNAUTHORIZED' || !isOff(site.value)) return null;
  return found('vuln-09', 'critical', 'CWE-295', 'certificate check', TLS_FIX, site.value);
}

function isCrypto(site: CallSite): boolean {
  if (exportOf(site.origin, MODULES) !== null) return true;
  if (site.origin !== null) return false;
  return site.receiver === null ? !site.isDeclared : RECEIVERS.test(site.receiverPath ?? '');
}

function cipher(site: CallSite): Danger | null {
  const { name, args } = site;
  if (/(?:^|\.)(?:TripleDES|DES|RC4|RC4Drop)$/.test(site.receiverPath ?? '')) {
    return name === 'encrypt'
      ? found('ast-crypto', 'high', 'CWE-327', 'cipher', CIPHER_FIX, args[0])
      : null;
  }
  if (!/^create(?:C|Dec)ipher(?:iv)?$/.test(name) || !isCrypto(site)) return null;
  const [algorithm] = args;
  if (/^create(?:C|Dec)ipher$/.test(name) && name === 'createCipher') {
    if (site.receiverPath === 'crypto') return null;
    const sink = 'MD5 key';
    return found('vuln-09', 'critical', 'CWE-327', sink, CIPHER_FIX, algorithm);
  }
  const isLiteral = site.argumentName(0) === '';
  if (isLiteral && LITERAL_CIPHER.test(algorithm?.constant ?? '')) return null;
  // What decrypts old data has no choice.
  if (!name.startsWith('createC') || !BROKEN_CIPHER.test(algorithm?.setting ?? '')) return null;
  return found('vuln-09', 'critical', 'CWE-327', 'cipher', CIPHER_FIX, algorithm);
}

/** `createHash('md5').update(password)` */
function hash(site: CallSite): Danger | null {
  const { name, args, receiver } = site;
  const value = args[0];
  if (value === undefined) return null;
  const isUpdate = name === 'update' && receiver?.role === 'hash';
  const isPlain = /^(?:md5|MD5|sha1|SHA1)$/.test(name) && args.length === 1;
  if (!isUpdate && !isPlain) return null;
  const isWeak = isPlain || WEAK_HASH.test(receiver?.constant ?? '');
  if (!isWeak && !FAST_HASH.test(receiver?.constant ?? '')) return null;
  if (!(isWeak ? SECRET_TEXT : PASSWORD).test(site.argumentName(0))) return null;
  return found('ast-crypto', isWeak ? 'high' : 'medium', 'CWE-916', 'hash', HASH_FIX, value);
}

/** `token = Math.random().toString(36)` */
function randomNamed(name: string, value: Value): Danger | null {
  return LATE_ANSWER.test(name) ? null : random(name, value);
}

/** `localStorage.setItem('fetchToken', Math.random().toString(36))` */
function randomKept({ name, args }: CallSite): Danger | null {
  const [key, value] = args;
  if (!KEEPERS.has(name) || value === undefined) return null;
  return random(key?.constant ?? '', value);
}

/** A name and its value in an object, or in a call that hands them on. */
function random(name: string, value: Value): Danger | null {
  if (!UNGUESSABLE.test(name) || value.role !== 'random') return null;
  return found('ast-random', 'high', 'CWE-338', 'random secret', RANDOM_FIX, value);
}

function found(
  id: string,
  severity: Severity,
  cwe: string,
  sink: SinkName,
  fix: string,
  value: Value | undefined,
): Danger | null {
  if (value === undefined) return null;
  return { id, severity, cwe, sink, fix, value, source: null, argument: -1 };
}

const TOKEN_MODULES = new Set([
  'jsonwebtoken',
  'jwt-simple',
  'koa-jwt',
  'express-jwt',
  'fast-jwt',
  'jose',
]);
const DECODERS = words('decode decodeJwt jwtDecode');
const TOKEN_RECEIVERS = /(?:^|\.)(?:jwt|JWT|jsonwebtoken|jsonWebToken|jwtSimple|JwtService)$/;
/** Functions and classes that take their secret in an object of options. */
const SECRET_TAKERS =
  /^(?:session|expressSession|cookieSession|cookieParser|express[jJ]wt|jwt|koaJwt|koajwt|JwtStrategy|Strategy|JWTStrategy|getToken|withIronSession\w*)$/;
const SECRET_MODULES =
  /^(?:express-session|cookie-session|cookie-parser|koa-jwt|express-jwt|koa-session|iron-session)(?:\.|$)/;
const SECRET_OPTIONS = words('secret secretOrKey secretOrPrivateKey keys signingKey');
/** Plugins that are registered with options: NestJS, Fastify. */
const PLUGINS = /jwt|session|cookie/i;

const TOKEN_FIX =
  'Verify every token with a key from the environment or a key store, and name the algorithms ' +
  'that are allowed.';

/** vuln-10: broken authentication (CWE-347, 345, 798, 321). */
export const token: Sink = {
  hints: [
    {
      words: ['jwt', 'jsonwebtoken'],
      patterns: [/\b(?:sign|verify|decode|register|secret\w*|Strategy)\b/],
    },
    {
      words: ['secret', 'keys'],
      patterns: [/session|cookie|jwt|passport/i, /\b(?:secret\w*|keys)\b/],
    },
    wholeWords(['ignoreExpiration', 'createHmac', 'cookieParser']),
    { words: ['createCipher'], patterns: [/createCipher/] },
  ],
  inCall: (site) => jwt(site) ?? secretOption(site) ?? fixedKey(site),
  inProperty: expiry,
};

function jwt(site: CallSite): Danger | null {
  const module = exportOf(site.origin, TOKEN_MODULES);
  const isJwt =
    module !== null || (site.origin === null && TOKEN_RECEIVERS.test(site.receiverPath ?? ''));
  if (!isJwt) return null;
  const { name, args } = site;
  if (DECODERS.has(name)) return undecided(site);
  if (name !== 'sign' && name !== 'verify') return null;
  const [, key, options] = args;
  // Written in the call it is seen by gate 1.
  if (site.argumentName(2) !== '' && acceptsNone(options))
    return badToken('token algorithm', 'CWE-347', options);
  if (name === 'verify' && isMissing(key))
    return badToken('token check without key', 'CWE-347', key);
  return literalKey(key, 1, 'token key');
}

function acceptsNone(options: Value | undefined): boolean {
  return /^none$/i.test(options?.properties?.get('algorithm')?.constant ?? '');
}

/** `''`, `null` and `undefined` switch the check off. */
function isMissing(key: Value | undefined): boolean {
  return key?.constant === '' || key?.role === 'nothing';
}

/** A decoded token proves nothing; with `complete` it is read for its header. */
function undecided(site: CallSite): Danger | null {
  const [value, , third] = site.args;
  if (value === undefined) return null;
  // jwt-simple: `decode(token, key, noVerify)`
  if (third?.constant === 'true') return badToken('token', 'CWE-345', value);
  if (site.args.length > 1) return null;
  const source = sourceFor(value, 'command', site.safetyOf);
  if (source?.strength !== 'strong') return null;
  return {
    ...base('token', 'CWE-345', value),
    id: 'ast-token',
    severity: 'high',
    source,
  };
}

/** A key that stands in the program, or is what it falls back to. */
function literalKey(value: Value | undefined, argument: number, sink: SinkName): Danger | null {
  if (value === undefined) return null;
  const key =
    value.constant ?? value.fallback ?? value.elements?.find((item) => item.constant)?.constant;
  // A public key is not a secret, nor is a path or name.
  if (!key || /BEGIN (?:RSA )?PUBLIC|\.(?:pem|key)$/.test(key)) return null;
  const isFallback = value.constant === null && value.fallback !== null;
  const id = isFallback ? 'ast-token' : 'vuln-10';
  const severity: Severity = isFallback ? 'high' : 'critical';
  return { ...base(sink, 'CWE-798', value), id, severity, argument };
}

function secretOption(site: CallSite): Danger | null {
  const isTaker =
    SECRET_MODULES.test(site.origin ?? '') ||
    (site.origin === null && SECRET_TAKERS.test(site.name));
  const isPlugin = /^register(?:Async)?$/.test(site.name) && isAuthPlugin(site);
  if ((!isTaker && !isPlugin) || site.isDeclared) return null;
  if (/^cookie-parser|^$/.test(site.origin ?? '') && site.name === 'cookieParser') {
    return literalKey(site.args[0], 0, 'cookie key');
  }
  for (const [index, argument] of site.args.entries()) {
    for (const [name, value] of argument.properties ?? []) {
      if (!SECRET_OPTIONS.has(name)) continue;
      const danger = literalKey(value, index, 'session secret');
      if (danger !== null) return danger;
    }
  }
  return null;
}

/** `JwtModule.register({...})`, `fastify.register(fastifyJwt, {...})` */
function isAuthPlugin(site: CallSite): boolean {
  return PLUGINS.test(site.receiverPath ?? '') || PLUGINS.test(site.argumentName(0));
}

/** `createHmac('sha256', 'literal')`, `createCipheriv(name, 'literal', iv)` */
function fixedKey(site: CallSite): Danger | null {
  if (!/^create(?:Hmac|Cipheriv)$/.test(site.name)) return null;
  const danger = literalKey(site.args[1], 1, 'fixed key');
  return danger === null ? null : { ...danger, id: 'ast-key', severity: 'high' };
}

function expiry(site: PropertySite): Danger | null {
  if (site.name !== 'ignoreExpiration' || site.value.constant !== 'true') return null;
  const { value } = site;
  const danger = base('token expiry', 'CWE-613', value);
  return { ...danger, id: 'ast-token', severity: 'high' };
}

function badToken(sink: SinkName, cwe: string, value: Value | undefined): Danger | null {
  if (value === undefined) return null;
  return { ...base(sink, cwe, value), id: 'vuln-10', severity: 'critical' };
}

function base(sink: SinkName, cwe: string, value: Value): Omit<Danger, 'id' | 'severity'> {
  return { cwe, sink, fix: TOKEN_FIX, value, source: null, argument: -1 };
}
