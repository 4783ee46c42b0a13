import { createHmac } from 'node:crypto';
import test from 'ava';
import { HOSTS } from '../../src/hosts/settings.ts';
import { startSignatureCheck, type WebhookSecret } from '../../src/hosts/signature.ts';

/** The example that GitHub's documentation has for testing an implementation. */
const GITHUB_SECRET = "It's a Secret to Everybody";
const GITHUB_BODY = 'Hello, World!';
const GITHUB_SIGNATURE = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
const HEX = GITHUB_SIGNATURE.slice('sha256='.length);

const HUB: WebhookSecret = { family: 'hub', secret: GITHUB_SECRET, host: null };
const PROVIDER: WebhookSecret = { family: 'provider', secret: 'gitlab-words', host: null };
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const NOW = String(NOW_MS / 1000);

interface Sent {
  headers: Record<string, string>;
  body?: string;
  repeated?: string[];
  secrets?: WebhookSecret[];
}

/** The secrets that hold; null: the headers alone refuse it. */
function check({ headers, body = GITHUB_BODY, repeated = [], secrets = [HUB, PROVIDER] }: Sent) {
  const given = { values: new Map(Object.entries(headers)), repeated: new Set(repeated) };
  const started = startSignatureCheck(given, secrets, NOW_MS);
  // In pieces, as bodies come.
  for (const byte of Buffer.from(body)) started?.update(Uint8Array.of(byte));
  return started === null ? null : started.finish();
}

function signed(id: string, time: string, secret = PROVIDER.secret, body = GITHUB_BODY): string {
  const mac = createHmac('sha256', secret).update(`${id}.${time}.${body}`);
  return `v1,${mac.digest('base64')}`;
}

const WITH_HUB = { 'x-hub-signature-256': GITHUB_SIGNATURE };

test("GitHub's published example holds", (t) => {
  t.deepEqual(check({ headers: WITH_HUB }), [HUB]);
});

test('while secrets are rotated either holds, and says whose it is', (t) => {
  const other: WebhookSecret = { family: 'hub', secret: 'the-next-one', host: 'forge' };
  t.deepEqual(check({ headers: WITH_HUB, secrets: [other, HUB] }), [HUB]);
  const mac = createHmac('sha256', other.secret).update(GITHUB_BODY).digest('hex');
  const headers = { 'x-hub-signature-256': `sha256=${mac}` };
  t.deepEqual(check({ headers, secrets: [other, HUB] }), [other]);
});

test('the token of a provider holds under either name', (t) => {
  t.deepEqual(check({ headers: { 'x-provider-token': PROVIDER.secret } }), [PROVIDER]);
  t.deepEqual(check({ headers: { 'x-gitlab-token': PROVIDER.secret } }), [PROVIDER]);
});

test('the signed form of GitLab holds, one of several signatures is enough', (t) => {
  const base = { 'webhook-id': 'msg_1', 'webhook-timestamp': NOW };
  const good = signed('msg_1', NOW);
  t.deepEqual(check({ headers: { ...base, 'webhook-signature': good } }), [PROVIDER]);
  const both = `${signed('msg_1', NOW, 'another')} ${good}`;
  t.deepEqual(check({ headers: { ...base, 'webhook-signature': both } }), [PROVIDER]);
  const key = Buffer.from('thirty-two bytes of key material');
  const secret: WebhookSecret = {
    ...PROVIDER,
    secret: `whsec_${key.toString('base64')}`,
  };
  const mac = createHmac('sha256', key).update(`msg_1.${NOW}.${GITHUB_BODY}`).digest('base64');
  const headers = { ...base, 'webhook-signature': `v1,${mac}` };
  t.deepEqual(check({ headers, secrets: [secret] }), [secret]);
});

const LATE = String(NOW_MS / 1000 - HOSTS.SIGNED_AGE_MS / 1000 - 1);
const EARLY = String(NOW_MS / 1000 + HOSTS.SIGNED_AGE_MS / 1000 + 1);
const SIGNED = { 'webhook-id': 'msg_1', 'webhook-timestamp': NOW };

/** Each differs from what holds in one thing. */
const TAMPERED: Record<string, Sent> = {
  'another body': { headers: WITH_HUB, body: 'Hello, World?' },
  'a body with a newline more': { headers: WITH_HUB, body: `${GITHUB_BODY}\n` },
  'an empty body': { headers: WITH_HUB, body: '' },
  'another secret': { headers: WITH_HUB, secrets: [{ ...HUB, secret: 'guess' }] },
  'no secret configured': { headers: WITH_HUB, secrets: [] },
  'an empty secret': {
    headers: {
      'x-hub-signature-256': `sha256=${createHmac('sha256', '').update(GITHUB_BODY).digest('hex')}`,
    },
    secrets: [{ ...HUB, secret: '' }],
  },
  'the secret of the other family': {
    headers: WITH_HUB,
    secrets: [{ ...HUB, family: 'provider' }],
  },
  'no header at all': { headers: {} },
  'an empty digest': { headers: { 'x-hub-signature-256': 'sha256=' } },
  'an empty header': { headers: { 'x-hub-signature-256': '' } },
  'no prefix': { headers: { 'x-hub-signature-256': HEX } },
  'the prefix of the old form': { headers: { 'x-hub-signature-256': `sha1=${HEX}` } },
  'an unknown prefix': { headers: { 'x-hub-signature-256': `sha512=${HEX}` } },
  'upper-case hex': { headers: { 'x-hub-signature-256': `sha256=${HEX.toUpperCase()}` } },
  'an upper-case prefix': { headers: { 'x-hub-signature-256': `SHA256=${HEX}` } },
  'a digit too few': { headers: { 'x-hub-signature-256': GITHUB_SIGNATURE.slice(0, -1) } },
  'a digit too many': { headers: { 'x-hub-signature-256': `${GITHUB_SIGNATURE}0` } },
  'a digit that is not hexadecimal': {
    headers: { 'x-hub-signature-256': `sha256=g${HEX.slice(1)}` },
  },
  'one digit changed': { headers: { 'x-hub-signature-256': `sha256=8${HEX.slice(1)}` } },
  'blanks before': { headers: { 'x-hub-signature-256': ` ${GITHUB_SIGNATURE}` } },
  'blanks behind': { headers: { 'x-hub-signature-256': `${GITHUB_SIGNATURE} ` } },
  'a second line': { headers: { 'x-hub-signature-256': `${GITHUB_SIGNATURE}\n` } },
  'two values joined': {
    headers: { 'x-hub-signature-256': `${GITHUB_SIGNATURE}, ${GITHUB_SIGNATURE}` },
  },
  'the header twice': { headers: WITH_HUB, repeated: ['x-hub-signature-256'] },
  'non-ASCII digits': { headers: { 'x-hub-signature-256': `sha256=${'٣'.repeat(64)}` } },
  'only the legacy header': { headers: { 'x-hub-signature': 'sha1=0123456789abcdef' } },
  "only Gitea's plain header": { headers: { 'x-gitea-signature': HEX } },
  'a hub signature that fails beside a token that holds': {
    headers: {
      'x-hub-signature-256': `sha256=8${HEX.slice(1)}`,
      'x-provider-token': PROVIDER.secret,
    },
  },
  'an empty hub signature beside a token that holds': {
    headers: { 'x-hub-signature-256': '', 'x-provider-token': PROVIDER.secret },
  },
  'the token of the other family': { headers: { 'x-provider-token': GITHUB_SECRET } },
  'an empty token': { headers: { 'x-provider-token': '' } },
  'a prefix of the token': { headers: { 'x-provider-token': PROVIDER.secret.slice(0, -1) } },
  'the token with more behind': { headers: { 'x-provider-token': `${PROVIDER.secret}x` } },
  'the token in another case': { headers: { 'x-provider-token': PROVIDER.secret.toUpperCase() } },
  'two tokens that differ': {
    headers: { 'x-provider-token': PROVIDER.secret, 'x-gitlab-token': 'other' },
  },
  'the token twice': {
    headers: { 'x-gitlab-token': PROVIDER.secret },
    repeated: ['x-gitlab-token'],
  },
  'a signed form that fails beside a token that holds': {
    headers: {
      ...SIGNED,
      'webhook-signature': signed('msg_2', NOW),
      'x-gitlab-token': PROVIDER.secret,
    },
  },
  'a signed form for another id': {
    headers: { ...SIGNED, 'webhook-signature': signed('msg_2', NOW) },
  },
  'a signed form that is too old': {
    headers: {
      ...SIGNED,
      'webhook-timestamp': LATE,
      'webhook-signature': signed('msg_1', LATE),
    },
  },
  'a signed form from the future': {
    headers: {
      ...SIGNED,
      'webhook-timestamp': EARLY,
      'webhook-signature': signed('msg_1', EARLY),
    },
  },
  'a signed form whose time is not a number': {
    headers: {
      ...SIGNED,
      'webhook-timestamp': '1e9',
      'webhook-signature': signed('msg_1', '1e9'),
    },
  },
  'a signed form without an id': {
    headers: { 'webhook-timestamp': NOW, 'webhook-signature': signed('', NOW) },
  },
  'a signed form of another version': {
    headers: { ...SIGNED, 'webhook-signature': signed('msg_1', NOW).replace('v1', 'v2') },
  },
  'a signed form of the wrong length': { headers: { ...SIGNED, 'webhook-signature': 'v1,AAAA' } },
};

for (const [title, sent] of Object.entries(TAMPERED)) {
  test(`refused: ${title}`, (t) => {
    t.deepEqual(check(sent) ?? [], []);
  });
}

test('the digest of a body is the same for the same body, however it is signed for', (t) => {
  const digestOf = (headers: Record<string, string>, body: string) => {
    const given = { values: new Map(Object.entries(headers)), repeated: new Set<string>() };
    const started = startSignatureCheck(given, [HUB, PROVIDER], NOW_MS);
    for (const byte of Buffer.from(body)) started?.update(Uint8Array.of(byte));
    t.is(started?.finish().length, 1);
    return started?.bodyDigest().toString('hex');
  };
  const hub = (body: string) => {
    const mac = createHmac('sha256', GITHUB_SECRET).update(body).digest('hex');
    return digestOf({ 'x-hub-signature-256': `sha256=${mac}` }, body);
  };
  const gitlab = (id: string, body: string) => {
    const base = { 'webhook-id': id, 'webhook-timestamp': NOW };
    return digestOf({ ...base, 'webhook-signature': signed(id, NOW, PROVIDER.secret, body) }, body);
  };
  const token = (body: string) => digestOf({ 'x-gitlab-token': PROVIDER.secret }, body);
  t.is(hub('one'), hub('one'));
  t.not(hub('one'), hub('two'));
  t.is(gitlab('msg_1', 'one'), gitlab('msg_2', 'one'));
  t.not(gitlab('msg_1', 'one'), gitlab('msg_1', 'two'));
  t.is(token('one'), gitlab('msg_1', 'one'));
  t.not(token('one'), token('two'));
});
