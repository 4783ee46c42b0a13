import type { Severity } from '../../../model/finding.ts';
import { child, list, type SyntaxNode, text } from '../taint/node.ts';
import type { Value } from '../taint/value.ts';
import { words } from '../words.ts';
import {
  type AssignSite,
  type CallSite,
  type Danger,
  exportOf,
  type PropertySite,
  type Sink,
  wholeWords,
} from './sink.ts';

const MODULES = new Set(['crypto', 'crypto-js', 'node-forge']);
const RECEIVERS = /(?:^|\.)(?:crypto|nodeCrypto|CryptoJS|cryptoJs)$/;
/** Ciphers and modes that are broken, by the names of OpenSSL. */
const BROKEN_CIPHER =
  /^(?:des(?!x?-?ede3-(?:cfb|ofb))|rc2|rc4|arcfour|bf|blowfish|seed|idea|3des)|-ecb$/i;
/** Those of them that gate 1 finds where they are written as literals. */
const LITERAL_CIPHER = /^(?:des(?:-(?:ecb|cbc|cfb|ofb))?|rc4|rc2(?:-\w+)*|bf-ecb)$/;
const WEAK_HASH = /^(?:md4|md5|sha-?1|rmd160|ripemd)$/i;
/** What a hash without salt or cost must not keep. */
const SECRET_TEXT = /pass(?:word|wd|phrase|code)?$|pwd$|credential/i;
/** Properties that switch the check of certificates on. */
const CHECKS = words('rejectUnauthorized strictSSL');
/** Names for what must not be guessed. */
const UNGUESSABLE =
  /(?:token|secret|password|passwd|nonce|salt|otp|session_?id|api_?key|csrf|resetcode|verificationcode)$/i;
const PREDICTABLE = /(?:token|secret|nonce|otp|csrf|apikey|sessionid)/i;

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
  inCall: (site) => cipher(site) ?? hash(site),
  inProperty: (site) => check(site) ?? random(site.name, site.value),
  inAssign: (site) => environment(site) ?? checkOff(site) ?? random(site.name, site.value),
};

/** `rejectUnauthorized: verify` where `verify` is false, and `checkServerIdentity: () => {}`. */
function check(site: PropertySite): Danger | null {
  const { name, value } = site;
  if (name === 'checkServerIdentity' && isEmpty(value)) {
    return found('vuln-09', 'critical', 'CWE-295', 'the check of certificates', TLS_FIX, value);
  }
  if (!CHECKS.has(name) || site.isLiteral || !isOff(value)) return null;
  return found('vuln-09', 'critical', 'CWE-295', 'the check of certificates', TLS_FIX, value);
}

function isOff(value: Value): boolean {
  return value.constant === 'false' || value.constant === '0';
}

/** A function that gives nothing back accepts every name. */
function isEmpty({ callable }: Value): boolean {
  if (callable === null) return false;
  const body = child(callable.node as SyntaxNode, 'body');
  const isBlock = /^(?:FunctionBody|BlockStatement)$/.test(body?.type ?? '');
  return isBlock ? list(body, 'stmts').length === 0 : text(body, 'value') === 'undefined';
}

/** `options.rejectUnauthorized = false` */
function checkOff(site: AssignSite): Danger | null {
  if (!CHECKS.has(site.name) || !isOff(site.value)) return null;
  return found('vuln-09', 'critical', 'CWE-295', 'the check of certificates', TLS_FIX, site.value);
}

/** `process.env[NAME] = '0'` */
function environment(site: AssignSite): Danger | null {
  if (site.keys[1]?.constant !== 'NODE_TLS_REJECT_UNAUTHORIZED' || !isOff(site.value)) return null;
  return found('vuln-09', 'critical', 'CWE-295', 'the check of certificates', TLS_FIX, site.value);
}

function isCrypto(site: CallSite): boolean {
  if (exportOf(site.origin, MODULES) !== null) return true;
  if (site.origin !== null) return false;
  return site.receiver === null ? !site.isDeclared : RECEIVERS.test(site.receiverPath ?? '');
}

function cipher(site: CallSite): Danger | null {
  const { name, args } = site;
  if (/^(?:TripleDES|DES|RC4|RC4Drop)$/.test(site.receiverPath?.split('.').at(-1) ?? '')) {
    return name === 'encrypt'
      ? found('ast-crypto', 'high', 'CWE-327', 'a broken cipher', CIPHER_FIX, args[0])
      : null;
  }
  if (!/^create(?:C|Dec)ipher(?:iv)?$/.test(name) || !isCrypto(site)) return null;
  const [algorithm] = args;
  if (/^create(?:C|Dec)ipher$/.test(name) && name === 'createCipher') {
    if (site.receiverPath === 'crypto') return null;
    const sink = 'a key made by MD5 without salt';
    return found('vuln-09', 'critical', 'CWE-327', sink, CIPHER_FIX, algorithm);
  }
  const isLiteral = site.argumentName(0) === '';
  if (isLiteral && LITERAL_CIPHER.test(algorithm?.constant ?? '')) return null;
  // What decrypts old data has no choice.
  if (!name.startsWith('createC') || !BROKEN_CIPHER.test(algorithm?.constant ?? '')) return null;
  return found('vuln-09', 'critical', 'CWE-327', 'a broken cipher', CIPHER_FIX, algorithm);
}

/** `createHash('md5').update(password)` */
function hash(site: CallSite): Danger | null {
  const { name, args, receiver } = site;
  const value = args[0];
  if (value === undefined) return null;
  const isUpdate = name === 'update' && receiver?.role === 'hash';
  const isPlain = /^(?:md5|MD5|sha1|SHA1)$/.test(name) && args.length === 1;
  if (!isUpdate && !isPlain) return null;
  if (isUpdate && !WEAK_HASH.test(receiver.constant ?? '')) return null;
  if (!SECRET_TEXT.test(site.argumentName(0))) return null;
  return found('ast-crypto', 'high', 'CWE-916', 'a hash that is fast to try out', HASH_FIX, value);
}

/** `token = Math.random().toString(36)` */
function random(name: string, value: Value): Danger | null {
  if (!UNGUESSABLE.test(name) || value.role !== 'random') return null;
  return found('ast-random', 'high', 'CWE-338', 'a secret that can be guessed', RANDOM_FIX, value);
}

function found(
  id: string,
  severity: Severity,
  cwe: string,
  sink: string,
  fix: string,
  value: Value | undefined,
): Danger | null {
  if (value === undefined) return null;
  return { id, severity, cwe, sink, fix, value, source: null, argument: -1 };
}
