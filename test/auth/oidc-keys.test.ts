import test, { type ExecutionContext } from 'ava';
import type { AuthRefusal } from '../../src/auth/access.ts';
import { digestOf } from '../../src/auth/authenticate.ts';
import { AUTH } from '../../src/auth/limits.ts';
import { createIssuerKeys, createJwtCheck } from '../../src/auth/oidc.ts';
import { collectGarbage } from '../core/garbage.ts';
import {
  discovery,
  type Misbehave,
  makeKey,
  NOW_MS,
  type SigningIssuer,
  sendJson,
  startSigningIssuer,
} from './signing-issuer.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The check of an issuer under a clock that the test moves. */
function open(issuer: SigningIssuer) {
  const problems: string[] = [];
  let nowMs = NOW_MS;
  const options = {
    issuer: issuer.url,
    audience: issuer.audience,
    now: () => nowMs,
    onProblem: (reason: string) => problems.push(reason),
  };
  const keys = createIssuerKeys(options);
  const check = createJwtCheck(options, keys);
  return {
    problems,
    isReachable: keys.isReachable,
    /** Whether a refusal of it counts against its sender. */
    async isCounted(token: string): Promise<boolean> {
      const person = Promise.resolve(check(token, digestOf(token)));
      return person.then(
        () => false,
        (thrown: AuthRefusal) => thrown.isFailedAttempt,
      );
    },
    /** The person's id, or the reason of the refusal. */
    async outcome(token: string): Promise<string> {
      try {
        return (await check(token, digestOf(token))).id;
      } catch (thrown) {
        return (thrown as AuthRefusal).reason;
      }
    },
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

/** Tokens that live for days: only the keys decide. */
const lasting = (issuer: SigningIssuer, n: number, key = issuer.key) =>
  issuer.sign({ exp: NOW_MS / 1000 + 100_000, jti: String(n) }, {}, key);

const UNKNOWN = 'JWT: the keys of the issuer are not known';

test('the keys are had once, when the first token comes, however many come at once', async (t) => {
  const issuer = await startSigningIssuer(t);
  const verifier = open(issuer);
  t.deepEqual(issuer.requests, []);
  const tokens = await Promise.all(Array.from({ length: 30 }, (_, n) => lasting(issuer, n)));
  const outcomes = await Promise.all(tokens.map(verifier.outcome));
  t.deepEqual(new Set(outcomes), new Set(['ann']));
  t.deepEqual(issuer.requests, ['/.well-known/openid-configuration', '/keys']);
});

const broken: Misbehave = (_request, response) => {
  response.statusCode = 500;
  response.end('oops');
};

/** Answers the discovery as it should and the keys so. */
const keysAs =
  (url: () => string, document: unknown): Misbehave =>
  (request, response) =>
    sendJson(response, request.url === '/keys' ? document : discovery(url()));

const TROUBLES: [string, (issuer: SigningIssuer) => Misbehave, RegExp][] = [
  ['answers 500', () => broken, /^discovery: status 500$/],
  ['hangs up', () => (request) => request.socket.destroy(), /^discovery: not reached/],
  [
    'serves HTML',
    () => (_request, response) => response.end('<html>sign in</html>'),
    /^discovery: the document is not JSON$/,
  ],
  ['serves a list', () => (_request, response) => sendJson(response, []), /not a JSON object/],
  ['serves null', () => (_request, response) => sendJson(response, null), /not a JSON object/],
  [
    'serves without end',
    () => (_request, response) => {
      const more = () => response.write('x'.repeat(65_536), () => response.destroyed || more());
      more();
    },
    /^discovery: the document is too large$/,
  ],
  [
    'redirects',
    ({ url }) =>
      (request, response) => {
        if (request.url === '/elsewhere') return sendJson(response, discovery(url));
        response.writeHead(302, { Location: `${url}/elsewhere` }).end();
      },
    /^discovery: not reached/,
  ],
  [
    'names another issuer',
    ({ url }) =>
      (_request, response) =>
        sendJson(response, discovery(`${url}/`)),
    /^discovery: names another issuer$/,
  ],
  [
    'has keys on plain http',
    ({ url }) =>
      (_request, response) =>
        sendJson(response, { issuer: url, jwks_uri: 'http://keys.example/keys' }),
    /jwks_uri is not an https address/,
  ],
  [
    'has keys in a file',
    ({ url }) =>
      (_request, response) =>
        sendJson(response, { issuer: url, jwks_uri: 'file:///etc/passwd' }),
    /jwks_uri is not an https address/,
  ],
  [
    'has no keys',
    (issuer) => keysAs(() => issuer.url, {}),
    /^keys: the document is not a key set$/,
  ],
  ['has odd keys', (issuer) => keysAs(() => issuer.url, { keys: [null, 1] }), /is not a key set$/],
];

for (const [title, misbehave, reason] of TROUBLES) {
  test(`an issuer that ${title} lets nobody in and is asked again after 30 s`, async (t) => {
    const issuer = await startSigningIssuer(t);
    const verifier = open(issuer);
    const token = await lasting(issuer, 1);
    issuer.misbehave = misbehave(issuer);
    t.is(await verifier.outcome(token), UNKNOWN);
    t.regex(verifier.problems.join(), reason);
    const asked = issuer.requests.length;
    issuer.misbehave = null;
    verifier.pass(29 * SECOND);
    t.is(await verifier.outcome(token), UNKNOWN);
    t.is(issuer.requests.length, asked);
    verifier.pass(SECOND);
    t.is(await verifier.outcome(token), 'ann');
    t.is(verifier.problems.length, 1);
  });
}

test('an issuer whose key set holds nothing usable lets nobody in', async (t) => {
  const issuer = await startSigningIssuer(t);
  const verifier = open(issuer);
  issuer.misbehave = keysAs(() => issuer.url, { keys: [{}, { kty: 7 }, { kty: 'EC', crv: [] }] });
  t.regex(await verifier.outcome(await lasting(issuer, 1)), /NO_MATCHING_KEY/);
});

test('an issuer that says nothing, or ever so slowly, is given up after 5 s', async (t) => {
  collectGarbage(t);
  const silent = await startSigningIssuer(t);
  silent.misbehave = () => undefined;
  const slow = await startSigningIssuer(t);
  slow.misbehave = (_request, response) => {
    const drip = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(drip));
  };
  const verifiers = [silent, slow].map((issuer) => ({ issuer, verifier: open(issuer) }));
  await Promise.all(
    verifiers.map(async ({ issuer, verifier }) =>
      t.is(await verifier.outcome(await lasting(issuer, 1)), UNKNOWN),
    ),
  );
  t.deepEqual(
    verifiers.map(({ verifier }) => verifier.problems.join()),
    ['discovery: no answer in time', 'discovery: no complete answer in time'],
  );
});

test('few requests wait for a slow issuer, the others are answered', async (t) => {
  const issuer = await startSigningIssuer(t);
  const verifier = open(issuer);
  const asked = new Promise<() => void>((resolve) => {
    issuer.misbehave = (_request, response) =>
      resolve(() => {
        issuer.misbehave = null;
        sendJson(response, discovery(issuer.url));
      });
  });
  const token = await lasting(issuer, 1);
  const waiting = Array.from({ length: AUTH.KEYS_WAITING_MAX }, () => verifier.outcome(token));
  t.is(await verifier.outcome(token), 'JWT: too many wait for the keys');
  const answer = await asked;
  answer();
  t.deepEqual(new Set(await Promise.all(waiting)), new Set(['ann']));
  t.is(await verifier.outcome(await lasting(issuer, 2)), 'ann');
});

test('a new key is known after 30 s at the latest, and asking costs one fetch', async (t) => {
  const issuer = await startSigningIssuer(t);
  const verifier = open(issuer);
  t.is(await verifier.outcome(await lasting(issuer, 1)), 'ann');
  const next = await makeKey('ES256', 'second');
  issuer.shown = [issuer.key.jwk, next.jwk];
  const token = await lasting(issuer, 2, next);
  t.regex(await verifier.outcome(token), /NO_MATCHING_KEY/);
  t.is(issuer.requests.length, 2);
  verifier.pass(30 * SECOND);
  const others = await Promise.all([3, 4, 5].map((n) => lasting(issuer, n, next)));
  const outcomes = await Promise.all([token, ...others].map(verifier.outcome));
  t.deepEqual(outcomes, ['ann', 'ann', 'ann', 'ann']);
  t.is(issuer.requests.length, 4);
});

test('made-up kids do not make the service ask more often', async (t) => {
  const issuer = await startSigningIssuer(t);
  const verifier = open(issuer);
  for (let n = 0; n < 20; n += 1) {
    await verifier.outcome(await issuer.sign({ jti: String(n) }, { kid: `made-up-${n}` }));
  }
  t.is(issuer.requests.length, 2);
});

test('a key that was withdrawn counts for 10 minutes, and for tokens that were seen 5 more', async (t) => {
  const issuer = await startSigningIssuer(t);
  const verifier = open(issuer);
  t.is(await verifier.outcome(await lasting(issuer, 1)), 'ann');
  issuer.shown = [(await makeKey('ES256', 'second')).jwk];
  verifier.pass(10 * MINUTE - SECOND);
  const seen = await lasting(issuer, 2);
  t.is(await verifier.outcome(seen), 'ann');
  verifier.pass(SECOND);
  t.regex(await verifier.outcome(await lasting(issuer, 3)), /NO_MATCHING_KEY/);
  t.is(await verifier.outcome(seen), 'ann');
  verifier.pass(5 * MINUTE - SECOND);
  t.regex(await verifier.outcome(seen), /NO_MATCHING_KEY/);
});

test('a token that was seen ends when it ends', async (t) => {
  const issuer = await startSigningIssuer(t);
  const verifier = open(issuer);
  const token = await issuer.sign({ exp: NOW_MS / 1000 + 60 });
  t.is(await verifier.outcome(token), 'ann');
  verifier.pass(MINUTE + 31 * SECOND);
  t.regex(await verifier.outcome(token), /EXPIRED/);
});

test('old keys count for an hour while the issuer is away, and no longer', async (t) => {
  const issuer = await startSigningIssuer(t);
  const verifier = open(issuer);
  t.is(await verifier.outcome(await lasting(issuer, 1)), 'ann');
  issuer.misbehave = broken;
  verifier.pass(10 * MINUTE);
  t.is(await verifier.outcome(await lasting(issuer, 2)), 'ann');
  t.is(issuer.requests.length, 3);
  t.is(await verifier.outcome(await lasting(issuer, 3)), 'ann');
  t.is(issuer.requests.length, 3, 'held for 30 s');
  verifier.pass(HOUR - SECOND);
  t.is(await verifier.outcome(await lasting(issuer, 4)), 'ann');
  verifier.pass(SECOND);
  t.is(await verifier.outcome(await lasting(issuer, 5)), UNKNOWN);
  issuer.misbehave = null;
  verifier.pass(30 * SECOND);
  t.is(await verifier.outcome(await lasting(issuer, 6)), 'ann');
});

test('whether the issuer is there is asked once a minute, and never guessed', async (t) => {
  const issuer = await startSigningIssuer(t);
  const verifier = open(issuer);
  t.deepEqual(await Promise.all([verifier.isReachable(), verifier.isReachable()]), [true, true]);
  const fetched = issuer.requests.length;
  issuer.misbehave = broken;
  verifier.pass(AUTH.ISSUER_CHECK_MS - 1);
  t.true(await verifier.isReachable());
  t.is(issuer.requests.length, fetched, 'not asked yet');
  verifier.pass(1);
  t.false(await verifier.isReachable());
  t.is(await verifier.outcome(await lasting(issuer, 1)), 'ann', 'the known keys count on');
  issuer.misbehave = null;
  t.false(await verifier.isReachable());
  verifier.pass(AUTH.ISSUER_CHECK_MS);
  t.true(await verifier.isReachable());
});

test('an issuer that is not there at all refuses JWTs at once', async (t) => {
  const issuer = await startSigningIssuer(t);
  const token = await lasting(issuer, 1);
  const verifier = open({ ...issuer, url: 'http://127.0.0.1:9' });
  await refusedOften(t, verifier, token);
  t.false(await verifier.isCounted(token), 'its sender is not to blame');
  t.deepEqual(verifier.problems, [
    'discovery: not reached (fetch refuses this port, which belongs to another protocol: use another)',
  ]);
});

async function refusedOften(t: ExecutionContext, verifier: ReturnType<typeof open>, token: string) {
  for (let n = 0; n < 5; n += 1) t.is(await verifier.outcome(token), UNKNOWN);
}
