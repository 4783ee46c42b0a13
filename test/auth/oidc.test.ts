import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { AuthRefusal } from '../../src/auth/access.ts';
import { digestOf } from '../../src/auth/authenticate.ts';
import { createJwtCheck } from '../../src/auth/oidc.ts';
import type { Principal } from '../../src/model/principal.ts';
import {
  makeKey,
  NOW_MS,
  type SigningIssuer,
  standardClaims,
  startSigningIssuer,
} from './signing-issuer.ts';

type Check = (token: string) => Promise<Principal>;

function checkOf(issuer: SigningIssuer): Check {
  const { url, audience } = issuer;
  const onProblem = () => undefined;
  const check = createJwtCheck({ issuer: url, audience, now: () => NOW_MS, onProblem });
  return async (token) => check(token, digestOf(token));
}

const SECONDS = NOW_MS / 1000;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with this header and the claims of a good one, signed by `sign`. */
function forge(issuer: SigningIssuer, header: object, sign: (input: string) => string): string {
  const input = `${encode(header)}.${encode(standardClaims(issuer))}`;
  return `${input}.${sign(input)}`;
}

const hmac = (secret: string | Buffer) => (input: string) =>
  createHmac('sha256', secret).update(input).digest('base64url');

const ACCEPTED: [string, object, object][] = [
  ['as issued', {}, {}],
  ['with several audiences', { aud: ['account', 'cra-api'] }, {}],
  ['of type at+jwt', {}, { typ: 'at+jwt' }],
  ['that ended 29 s ago', { exp: SECONDS - 29 }, {}],
  ['that begins in 29 s', { nbf: SECONDS + 29 }, {}],
  ['of type Bearer', { typ: 'Bearer' }, {}],
  ['without kid, if there is one key', {}, { kid: undefined }],
  ['that names keys elsewhere, which are not asked', {}, { jku: 'http://127.0.0.1:9/keys' }],
];

for (const [title, claims, header] of ACCEPTED) {
  test(`createJwtCheck accepts a token ${title}`, async (t) => {
    const issuer = await startSigningIssuer(t);
    const person = await checkOf(issuer)(await issuer.sign(claims, header));
    t.is(person.id, 'ann');
    t.is(person.credential, 'oidc');
  });
}

const shownAs = (text: string) => JSON.stringify(encodeURI(text));

const REFUSED: [string, object, object, RegExp][] = [
  ['of another issuer', { iss: 'https://elsewhere.example' }, {}, /CLAIM_VALIDATION_FAILED iss/],
  ['without aud', { aud: undefined }, {}, /CLAIM_VALIDATION_FAILED aud/],
  ['for another audience', { aud: 'account' }, {}, /CLAIM_VALIDATION_FAILED aud/],
  ['with an odd aud', { aud: { 'cra-api': true } }, {}, /CLAIM_VALIDATION_FAILED aud/],
  ['without exp', { exp: undefined }, {}, /CLAIM_VALIDATION_FAILED exp/],
  ['whose exp is text', { exp: String(SECONDS + 60) }, {}, /CLAIM_VALIDATION_FAILED exp/],
  ['that ended 31 s ago', { exp: SECONDS - 31 }, {}, /EXPIRED exp/],
  ['that begins in 31 s', { nbf: SECONDS + 31 }, {}, /CLAIM_VALIDATION_FAILED nbf/],
  ['without sub', { sub: undefined }, {}, /CLAIM_VALIDATION_FAILED sub/],
  ['whose sub is a number', { sub: 7 }, {}, /sub is not a usable text/],
  ['whose sub is empty', { sub: '' }, {}, /sub is not a usable text/],
  ['whose sub has a line break', { sub: 'a\nb' }, {}, /sub is not a usable text/],
  ...[' ', 'ann ', ' ann', '\u200b', 'a\u200bnn', '\u3164', 'a\u202eb', '...', 'ʟocal-admin'].map(
    (sub): [string, object, object, RegExp] => [
      `whose sub is ${shownAs(sub)}`,
      { sub },
      {},
      /sub is not a usable text/,
    ],
  ),
  ...[' acme', 'acme ', 'acme\u200b', '\ufeffacme'].map(
    (tenant): [string, object, object, RegExp] => [
      `whose tenant is ${shownAs(tenant)}`,
      { meridian_tenant: tenant },
      {},
      /meridian_tenant is not a usable text/,
    ],
  ),
  ['whose sub is too long', { sub: 'a'.repeat(256) }, {}, /sub is not a usable text/],
  ['of kind ID', { typ: 'ID' }, {}, /not an access token/],
  ['of kind Refresh', { typ: 'Refresh' }, {}, /not an access token/],
  ['of kind Logout', { typ: 'Logout' }, {}, /not an access token/],
  ['with a nonce', { nonce: 'n' }, {}, /an ID token/],
  ['with an at_hash', { at_hash: 'h' }, {}, /an ID token/],
  [
    'of a back-channel logout',
    { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
    {},
    /an event/,
  ],
  ['with an unknown kid', {}, { kid: 'other' }, /NO_MATCHING_KEY/],
  ['whose kid is a path', {}, { kid: '../../../../dev/null' }, /NO_MATCHING_KEY/],
  ['whose kid is of the prototype', {}, { kid: '__proto__' }, /NO_MATCHING_KEY/],
  ['whose kid is huge', {}, { kid: 'k'.repeat(8_000) }, /NO_MATCHING_KEY/],
  ['whose kid is null', {}, { kid: null }, /odd kid/],
  ['whose kid is an object', {}, { kid: { first: true } }, /odd kid/],
];

for (const [title, claims, header, reason] of REFUSED) {
  test(`createJwtCheck refuses a token ${title}`, async (t) => {
    const issuer = await startSigningIssuer(t);
    await refuses(t, checkOf(issuer), await issuer.sign(claims, header), reason);
  });
}

test('createJwtCheck refuses a token that it accepted before its end', async (t) => {
  const issuer = await startSigningIssuer(t);
  let nowMs = NOW_MS;
  const { url, audience } = issuer;
  const options = { issuer: url, audience, now: () => nowMs, onProblem: () => undefined };
  const remembering = createJwtCheck(options);
  const check: Check = async (token) => remembering(token, digestOf(token));
  const token = await issuer.sign({ exp: SECONDS + 60 });
  t.is((await check(token)).id, 'ann');
  nowMs += 120_000;
  await refuses(t, check, token, /EXPIRED exp/);
});

test('createJwtCheck refuses an issuer with a slash too many', async (t) => {
  const issuer = await startSigningIssuer(t);
  const token = await issuer.sign({ iss: `${issuer.url}/` });
  await refuses(t, checkOf(issuer), token, /CLAIM_VALIDATION_FAILED iss/);
});

test('createJwtCheck refuses tokens that are not signed by a key of the issuer', async (t) => {
  const issuer = await startSigningIssuer(t, 'RS256');
  const thief = await makeKey('RS256', 'first');
  const elsewhere = await startSigningIssuer(t, 'RS256');
  elsewhere.shown = [thief.jwk];
  const check = checkOf(issuer);
  const { jwk } = issuer.key;
  const kid = 'first';
  const pem = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const spki = pem.export({ type: 'spki', format: 'pem' });
  const good = await issuer.sign();
  t.is((await check(good)).id, 'ann');
  const [head = '', body = '', signature = ''] = good.split('.');
  const hs256 = { alg: 'HS256', kid };

  const attacks: [string, string, RegExp][] = [
    ['alg none', forge(issuer, { alg: 'none' }, () => ''), /ALG_NOT_ALLOWED/],
    ['alg None with a signature', forge(issuer, { alg: 'None', kid }, hmac('x')), /ALG_NOT_ALL/],
    ['HS256 by the PEM', forge(issuer, hs256, hmac(spki)), /ALG_NOT_ALLOWED/],
    ['HS256 by the JWK', forge(issuer, hs256, hmac(JSON.stringify(jwk))), /ALG_NOT_ALLOWED/],
    ['HS256 by the modulus', forge(issuer, hs256, hmac(String(jwk.n))), /ALG_NOT_ALLOWED/],
    ['another key by that kid', await issuer.sign({}, {}, thief), /SIGNATURE_VERIFICATION/],
    ['a jwk of its own', await issuer.sign({}, { jwk: thief.jwk }, thief), /SIGNATURE_VER/],
    ['a jku', await issuer.sign({}, { jku: `${elsewhere.url}/keys` }, thief), /SIGNATURE_VER/],
    ['an x5u', await issuer.sign({}, { x5u: `${elsewhere.url}/keys` }, thief), /SIGNATURE_VER/],
    ['a token of another issuer', await elsewhere.sign(), /SIGNATURE_VERIFICATION/],
    ['crit', forge(issuer, { alg: 'RS256', kid, crit: ['exp'], exp: 1 }, () => 'AA'), /JOSE_NOT_/],
    [
      'other claims',
      `${head}.${encode({ ...standardClaims(issuer), sub: 'eve' })}.${signature}`,
      /SIG/,
    ],
    ['no signature', `${head}.${body}.`, /SIGNATURE_VERIFICATION/],
    ['no claims', `${head}..${signature}`, /JW[ST]_INVALID|SIGNATURE/],
    ['no JSON', `${Buffer.from('{').toString('base64url')}.${body}.${signature}`, /JWS_INVALID/],
    ['a header that is null', `${encode(null)}.${body}.${signature}`, /JWS_INVALID/],
    ['a header without alg', `${encode({ kid })}.${body}.${signature}`, /JWS_INVALID/],
  ];
  for (const [title, token, reason] of attacks) await refuses(t, check, token, reason, title);
  t.deepEqual(elsewhere.requests, []);
});

test('createJwtCheck refuses an empty signature by elliptic curve', async (t) => {
  const issuer = await startSigningIssuer(t);
  const zeros = Buffer.alloc(64).toString('base64url');
  const token = forge(issuer, { alg: 'ES256', kid: 'first' }, () => zeros);
  await refuses(t, checkOf(issuer), token, /SIGNATURE_VERIFICATION/);
});

test('createJwtCheck refuses a token without kid when two keys would fit', async (t) => {
  const issuer = await startSigningIssuer(t);
  issuer.shown.push((await makeKey('ES256', 'second')).jwk);
  const token = await issuer.sign({}, { kid: undefined });
  await refuses(t, checkOf(issuer), token, /MULTIPLE_MATCHING_KEYS/);
});

test('createJwtCheck uses no key that is for encryption, symmetric or of another algorithm', async (t) => {
  const issuer = await startSigningIssuer(t);
  const secret = Buffer.from('x'.repeat(32));
  const oct = { kty: 'oct', k: secret.toString('base64url'), kid: 'oct', alg: 'HS256' };
  issuer.shown = [{ ...issuer.key.jwk, use: 'enc' }, oct];
  const check = checkOf(issuer);
  await refuses(t, check, await issuer.sign(), /NO_MATCHING_KEY/);
  await refuses(t, check, forge(issuer, { alg: 'HS256', kid: 'oct' }, hmac(secret)), /ALG_NOT_/);
  await refuses(t, check, forge(issuer, { alg: 'RS256', kid: 'first' }, hmac('')), /NO_MATCHING/);
});

async function refuses(
  t: ExecutionContext,
  check: Check,
  token: string,
  reason: RegExp,
  title = '',
): Promise<void> {
  const refusal = await t.throwsAsync<AuthRefusal>(check(token), undefined, title);
  t.is(refusal?.code, 'UNAUTHENTICATED', title);
  t.is(refusal?.message, 'the credential is not valid', title);
  t.regex(refusal?.reason ?? '', reason, title);
  t.false(refusal?.reason.includes('ann'));
}
