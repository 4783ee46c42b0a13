import type { Severity } from '../../../model/finding.ts';
import type { Value } from '../taint/value.ts';
import { words } from '../words.ts';
import {
  type CallSite,
  type Danger,
  exportOf,
  type PropertySite,
  type Sink,
  sourceFor,
  wholeWords,
} from './sink.ts';

const MODULES = new Set([
  'jsonwebtoken',
  'jwt-simple',
  'koa-jwt',
  'express-jwt',
  'fast-jwt',
  'jose',
]);
const RECEIVERS = /(?:^|\.)(?:jwt|JWT|jsonwebtoken|jsonWebToken|jwtSimple|JwtService)$/;
/** Functions and classes that take their secret in an object of options. */
const SECRET_TAKERS =
  /^(?:session|expressSession|cookieSession|cookieParser|express[jJ]wt|jwt|koaJwt|koajwt|JwtStrategy|Strategy|JWTStrategy|getToken|withIronSession\w*)$/;
const SECRET_MODULES =
  /^(?:express-session|cookie-session|cookie-parser|koa-jwt|express-jwt|koa-session|iron-session)(?:\.|$)/;
const SECRET_OPTIONS = words('secret secretOrKey secretOrPrivateKey keys signingKey');
/** Plugins that are registered with options: NestJS, Fastify. */
const PLUGINS = /jwt|session|cookie/i;

const FIX =
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
  const module = exportOf(site.origin, MODULES);
  const isJwt =
    module !== null || (site.origin === null && RECEIVERS.test(site.receiverPath ?? ''));
  if (!isJwt) return null;
  const { name, args } = site;
  if (name === 'decode') return undecided(site);
  if (name !== 'sign' && name !== 'verify') return null;
  const [, key, options] = args;
  // Written in the call it is seen by gate 1.
  if (site.argumentName(2) !== '' && acceptsNone(options))
    return found('the check of a token, which takes algorithm none,', 'CWE-347', options);
  if (name === 'verify' && isMissing(key))
    return found('the check of a token without a key', 'CWE-347', key);
  return literalKey(key, 1, 'the key of a token');
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
  if (third?.constant === 'true') return found('a token that is not verified', 'CWE-345', value);
  if (site.args.length > 1) return null;
  const source = sourceFor(value, 'command', site.safetyOf);
  if (source?.strength !== 'strong') return null;
  return {
    ...base('a token that is not verified', 'CWE-345', value),
    id: 'ast-token',
    severity: 'high',
    source,
  };
}

/** A key that stands in the program, or is what it falls back to. */
function literalKey(value: Value | undefined, argument: number, sink: string): Danger | null {
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
    return literalKey(site.args[0], 0, 'the key of signed cookies');
  }
  for (const [index, argument] of site.args.entries()) {
    for (const [name, value] of argument.properties ?? []) {
      if (!SECRET_OPTIONS.has(name)) continue;
      const danger = literalKey(value, index, 'the secret of sessions or tokens');
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
  const danger = literalKey(site.args[1], 1, 'a key that stands in the program');
  return danger === null ? null : { ...danger, id: 'ast-key', severity: 'high' };
}

function expiry(site: PropertySite): Danger | null {
  if (site.name !== 'ignoreExpiration' || site.value.constant !== 'true') return null;
  const { value } = site;
  const danger = base('the check of a token, which takes expired ones,', 'CWE-613', value);
  return { ...danger, id: 'ast-token', severity: 'high' };
}

function found(sink: string, cwe: string, value: Value | undefined): Danger | null {
  if (value === undefined) return null;
  return { ...base(sink, cwe, value), id: 'vuln-10', severity: 'critical' };
}

function base(sink: string, cwe: string, value: Value): Omit<Danger, 'id' | 'severity'> {
  return { cwe, sink, fix: FIX, value, source: null, argument: -1 };
}
