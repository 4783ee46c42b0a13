import { createHash, createHmac } from 'node:crypto';
import test from 'ava';
import { BODY } from '../../../src/model/limits.ts';
import { request, startDaemonProcess, temporaryDir } from '../../daemon.ts';
import { rawRequest } from '../../http/raw.ts';
import { type Hook, type HookKind, pushHook } from './hooks.ts';
import { houseForAll, SECRETS } from './house.ts';
import { MAIN } from './pushed-repository.ts';

const house = houseForAll(test, { env: { SERVICE_LOG_LEVEL: 'trace' } });

const SENTENCE = 'the webhook is not signed with a secret known here';
const REPO = 'acme/never-there';
const PUSHED = { repo: REPO, ref: MAIN, before: null, after: 'a'.repeat(40) };
const GOOD = pushHook('github', PUSHED, { secret: SECRETS.hub, id: 'known' });
const LAB = pushHook('gitlab', PUSHED, { secret: SECRETS.lab });
const SIGNED = pushHook('gitlab-signed', PUSHED, { secret: SECRETS.lab });
const HUB = 'x-hub-signature-256';
const DIGEST = GOOD.headers[HUB] ?? '';
const OTHER = `sha256=${'8'.repeat(64)}`;

/** A header line each; the same name may come twice. */
type Lines = [name: string, value: string][];

interface Tampered {
  lines: Lines;
  body?: Buffer;
}

function without(hook: Hook, ...names: string[]): Lines {
  return Object.entries(hook.headers).filter(([name]) => !names.includes(name));
}

/** The lines of a good delivery with another signature. */
function hub(...values: string[]): Tampered {
  const lines = values.map((value): [string, string] => [HUB, value]);
  return { lines: [...without(GOOD, HUB), ...lines] };
}

function signedWith(secret: string, kind: HookKind = 'github'): Tampered {
  const { headers, body } = pushHook(kind, PUSHED, { secret });
  return { lines: Object.entries(headers), body };
}

const TAMPERED: Record<string, Tampered> = {
  'another body': { lines: without(GOOD), body: Buffer.from(`${GOOD.body} `) },
  'no body': { lines: without(GOOD), body: Buffer.alloc(0) },
  'another secret': signedWith('guess'),
  'the secret of another host under its own header': {
    lines: [...without(LAB, 'x-gitlab-token'), ['x-gitlab-token', SECRETS.hub]],
  },
  'the secret of GitLab as a hub signature': signedWith(SECRETS.lab),
  'an empty secret': signedWith('', 'github'),
  'no signature': { lines: without(GOOD, HUB, 'x-hub-signature') },
  'only the legacy signature': { lines: without(GOOD, HUB) },
  'the empty digest of a hook without a secret': hub('sha256='),
  'an empty header': hub(''),
  'no prefix': hub(DIGEST.slice(7)),
  'upper case': hub(DIGEST.toUpperCase()),
  'a digit too few': hub(DIGEST.slice(0, -1)),
  'a digit too many': hub(`${DIGEST}0`),
  'one digit': hub('sha256=a'),
  'ten thousand digits': hub(`sha256=${'a'.repeat(10_000)}`),
  'bytes that are not ASCII': hub(`sha256=${'\u00e9'.repeat(64)}`),
  'the right one twice': hub(DIGEST, DIGEST),
  'the right one and a wrong one': hub(DIGEST, OTHER),
  'a wrong one and the right one': hub(OTHER, DIGEST),
  'two in one line': hub(`${DIGEST}, ${DIGEST}`),
  'a digest of its base64': hub(
    `sha256=${createHmac('sha256', SECRETS.hub).update(GOOD.body).digest('base64')}`,
  ),
  'a digest without a key': hub(`sha256=${createHash('sha256').update(GOOD.body).digest('hex')}`),
  'a wrong digest beside a token that holds': {
    lines: [...hub(OTHER).lines, ['x-gitlab-token', SECRETS.lab]],
  },
  'a token cut short': {
    lines: [...without(LAB, 'x-gitlab-token'), ['x-gitlab-token', SECRETS.lab.slice(0, -1)]],
  },
  'a token twice': { lines: [...without(LAB), ['x-gitlab-token', SECRETS.lab]] },
  'a signed form with another id': {
    lines: [...without(SIGNED, 'webhook-id'), ['webhook-id', 'other']],
  },
  'a signed form from another day': {
    lines: [...without(SIGNED, 'webhook-timestamp'), ['webhook-timestamp', '1700000000']],
  },
  'an unsigned ping': { lines: [['x-github-event', 'ping']] },
};

function head(lines: Lines, length: string): string {
  const all = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `POST /api/cra/webhook HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${all}${length}\r\n`;
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

for (const [title, { lines, body = GOOD.body }] of Object.entries(TAMPERED)) {
  test(`refused with the one sentence: ${title}`, async (t) => {
    const length = `Content-Length: ${body.length}\r\n`;
    const { port } = house().daemon;
    const reply = await rawRequest(port, [bytes(head(lines, length)), body]);
    t.is(reply.status, 401, reply.raw);
    const { request_id, ...told } = JSON.parse(reply.body);
    t.is(typeof request_id, 'string');
    t.deepEqual(told, { ok: false, error: SENTENCE, code: 'UNAUTHENTICATED' });
  });
}

test('a multi-line header is not a 500', async (t) => {
  const length = `Content-Length: ${GOOD.body.length}\r\n`;
  const folded = `${DIGEST.slice(0, 30)}\r\n ${DIGEST.slice(30)}`;
  const values = [folded, `${DIGEST}\r\n x`, `${DIGEST}\n`, `\0${DIGEST}`];
  const { port } = house().daemon;
  // Some are left to wait for the rest of a head that never comes.
  const replies = await Promise.all(
    values.map((value) => rawRequest(port, [bytes(head(hub(value).lines, length)), GOOD.body])),
  );
  for (const { status, raw } of replies) t.true([0, 400, 401].includes(status), raw);
});

test('a chunked body is checked as a whole', async (t) => {
  const chunks = (body: Buffer) => {
    const parts = [body.subarray(0, 7), body.subarray(7, 100), body.subarray(100)];
    const lines = parts.flatMap((part) => [`${part.length.toString(16)}\r\n`, part, '\r\n']);
    return [...lines, '0\r\n\r\n'];
  };
  const post = async (lines: Lines, body: Buffer) => {
    const first = bytes(head(lines, 'Transfer-Encoding: chunked\r\n'));
    return (await rawRequest(house().daemon.port, [first, ...chunks(body)])).status;
  };
  const ping = pushHook('github', PUSHED, { secret: SECRETS.hub, event: 'ping' });
  t.is(await post(without(ping), ping.body), 200);
  t.is(await post(without(ping), Buffer.from(`${ping.body} `)), 401);
  t.is(await post(hub(OTHER).lines, ping.body), 401);
});

test('a body as large as there may be is refused as a whole when it is not signed', async (t) => {
  const body = Buffer.alloc(BODY.LARGE_BYTES_MAX, ' ');
  const length = `Content-Length: ${body.length}\r\n`;
  const { port } = house().daemon;
  for (const lines of [hub(OTHER).lines, without(GOOD, HUB)]) {
    // A reply is lost when the connection ends before the client has sent everything.
    let reply = await rawRequest(port, [bytes(head(lines, length)), body]);
    while (reply.raw === '') reply = await rawRequest(port, [bytes(head(lines, length)), body]);
    t.is(reply.status, 401);
    t.is(JSON.parse(reply.body).error, SENTENCE);
  }
  // Without a signature the headers alone are enough: the body need not arrive.
  t.is((await rawRequest(port, [bytes(head(without(GOOD, HUB), length))])).status, 401);
});

test('a secret verifies the pushes of its own host alone', async (t) => {
  const others: [HookKind, string][] = [
    ['github', SECRETS.tea],
    ['gitea', SECRETS.hub],
    ['forgejo', SECRETS.hub],
  ];
  for (const [kind, secret] of others) {
    const answer = await house().deliver(pushHook(kind, PUSHED, { secret }));
    t.is(answer.status, 400, 'it is signed, but by nobody who may speak for that host');
  }
  t.is((await house().deliver(pushHook('gitlab', PUSHED, { secret: SECRETS.hub }))).status, 401);
});

test('without a secret nothing is taken in', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  for (const secret of ['', 'x', 'undefined', 'null', SECRETS.hub]) {
    for (const kind of ['github', 'gitea', 'gitlab', 'gitlab-signed'] as const) {
      const answer = await house().deliver(pushHook(kind, PUSHED, { secret }), daemon);
      t.is(answer.status, 401, `${kind} ${secret}`);
      t.is(answer.body.error, SENTENCE);
    }
  }
  t.is((await request(`${daemon.url}/webhook-status/${REPO}`)).status, 404);
});

test.after('no digest, token or secret is in the log, and no RFC came of it', async (t) => {
  const log = JSON.stringify(house().daemon.log);
  const digests = [DIGEST, GOOD.headers['x-hub-signature'], SIGNED.headers['webhook-signature']];
  for (const secret of [...digests, ...Object.values(SECRETS)]) {
    t.truthy(secret);
    t.false(log.includes((secret ?? '').replace(/^[^=,]*[=,]/, '').slice(0, 20)));
  }
  t.is((await request(`${house().daemon.url}/rfcs`)).body.data.length, 0);
});
