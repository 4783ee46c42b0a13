import test, { type ExecutionContext } from 'ava';
import { webhookMac } from '../../src/core/standard-webhooks.ts';
import { EVENTS } from '../../src/events/limits.ts';
import { messageOf } from '../../src/events/message.ts';
import { createEventOutbox } from '../../src/events/outbox.ts';
import { isPublicAddress } from '../../src/events/public-address.ts';
import type { Subscription } from '../../src/events/subscription.ts';
import { startSignatureCheck } from '../../src/hosts/signature.ts';
import type { ServiceEvent } from '../../src/model/event.ts';
import { fake } from '../../src/rules/fake.ts';
import { createSteppedClock } from '../hosts/stepped-clock.ts';
import { listLogger } from '../pushes/statuses/outbox-house.ts';
import { LANES } from '../store/conformance/events.ts';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness } from '../store/sqlite/harness.ts';
import { type Received, startReceiver } from './receiver.ts';

const SECRET = `whsec_${Buffer.from(fake('event-', 32)).toString('base64')}`;
const BASE_URL = 'https://cra.example';
const HOUR_MS = 3_600_000;

function subscription(url: string, over: Partial<Subscription> = {}): Subscription {
  const [lane] = LANES;
  if (lane === undefined) throw new Error('no lane');
  return { ...lane, url, secrets: [SECRET], format: 'cloudevents', allowPrivate: true, ...over };
}

function eventOf(subject: string, place: number): ServiceEvent {
  return {
    event_id: `${subject}.${place}`,
    type: 'rfc.blocked',
    tenant_id: 'told',
    subject,
    place,
    repo: 'acme/shop',
    at: new Date(NOW - 60_000 + place).toISOString(),
    data: { rfc_id: subject, status: 'BLOCKED', branch: 'main' },
  };
}

/** The outbox over a real SQLite store, and a real receiver. */
async function open(
  t: ExecutionContext,
  over: Partial<Subscription> = {},
  deadlineMs: number = EVENTS.DELIVERY_MS,
) {
  const clock = createSteppedClock(NOW);
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const receiver = await startReceiver(t);
  const start = (at = clock) => {
    const outbox = createEventOutbox({
      subscriptions: [subscription(receiver.url, over)],
      store: harness.events,
      baseUrl: () => BASE_URL,
      log: listLogger([]),
      clock: at,
      deadlineMs,
    });
    outbox.start();
    t.teardown(outbox.stop);
    return outbox;
  };
  const tell = (...events: ServiceEvent[]) => harness.events.addEvents({ events });
  const ids = () => receiver.received.map(({ id }) => id);
  const stateNow = async () => (await harness.events.eventDepth({ lanes: ['all'] })).lanes[0];
  return { clock, harness, receiver, start, tell, ids, stateNow };
}

/** Whether a delivery is signed with this secret, by the check of webhooks that come in. */
function isSigned({ headers, body }: Received, secret: string, nowMs: number): boolean {
  const values = new Map(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const delivery = { values, repeated: new Set<string>() };
  const known = [{ family: 'provider' as const, secret, host: null }];
  const check = startSignatureCheck(delivery, known, nowMs);
  check?.update(Buffer.from(body));
  return check?.kind === 'signed' && check.finish().length === 1;
}

test('webhookMac gives the signature of the example of Standard Webhooks', (t) => {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  const secret = `whsec_${'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'}`;
  const mac = webhookMac(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330');
  const body = '{"test": 2432232314}';
  t.is(mac.update(body).digest('base64'), 'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('deliveries are signed CloudEvents, each subject in its order, over few connections', async (t) => {
  const old = fake('old-event-secret-', 24);
  const { clock, receiver, start, tell, ids, stateNow } = await open(t, { secrets: [SECRET, old] });
  await tell(eventOf('RFC-1', 1), eventOf('RFC-1', 2), eventOf('RFC-2', 1), eventOf('RFC-1', 3));
  const outbox = start();
  await clock.advance(1);
  t.deepEqual(
    ids().filter((id) => id.startsWith('RFC-1')),
    ['RFC-1.1', 'RFC-1.2', 'RFC-1.3'],
  );
  t.is(ids().length, 4);
  t.true(receiver.connections <= 4);
  const [first] = receiver.received;
  if (first === undefined) return t.fail();
  t.is(first.headers['content-type'], 'application/cloudevents+json; charset=utf-8');
  for (const secret of [SECRET, old]) t.true(isSigned(first, secret, clock.now()));
  t.false(isSigned(first, fake('another-secret-', 24), clock.now()));
  t.false(isSigned({ ...first, body: first.body.replace('main', 'evil') }, SECRET, clock.now()));
  const subject = first.id.replace(/\.\d$/, '');
  t.deepEqual(JSON.parse(first.body), {
    specversion: '1.0',
    id: first.id,
    source: BASE_URL,
    type: 'rfc.blocked',
    subject,
    time: eventOf(subject, 1).at,
    datacontenttype: 'application/json',
    data: {
      tenant_id: 'told',
      rfc_id: subject,
      status: 'BLOCKED',
      branch: 'main',
      url: `${BASE_URL}/cra#approve-${subject}`,
    },
  });
  t.like(outbox.state('told'), [{ state: 'up', delivered: 4, given_up: 0, error: null }]);
  t.deepEqual(outbox.state('another'), []);
  t.like(await stateNow(), { waiting: 0, dead: 0 });
});

test('an event that the receiver refuses is tried for a day, and holds up its subject alone', async (t) => {
  const { clock, harness, receiver, start, tell, ids, stateNow } = await open(t);
  receiver.answer = ({ id }, response) => response.writeHead(id === 'RFC-1.1' ? 422 : 200).end();
  await tell(eventOf('RFC-1', 1), eventOf('RFC-1', 2), eventOf('RFC-2', 1));
  const outbox = start();
  await clock.advance(1);
  t.deepEqual(ids().sort(), ['RFC-1.1', 'RFC-2.1']);
  t.like(outbox.state(null), [{ state: 'up', delivered: 1, error: 'it answered 422' }]);
  await clock.advance(60_000);
  // At once, after 5 s, 10 s and 20 s; each look is 2 s after the one before.
  t.is(ids().filter((id) => id === 'RFC-1.1').length, 4);
  t.false(ids().includes('RFC-1.2'));
  t.like(await stateNow(), { waiting: 2, dead: 0 });
  const stopped = outbox.stop();
  await clock.advance(0, 0);
  await stopped;
  const dayLater = createSteppedClock(NOW + 24 * HOUR_MS + 1);
  start(dayLater);
  await dayLater.advance(1);
  t.deepEqual(ids().slice(-2), ['RFC-1.1', 'RFC-1.2']);
  t.like(await stateNow(), { waiting: 0, dead: 1 });
  const { events } = await harness.events.listDeadEvents({ tenant_id: 'told', limit: 9 });
  t.like(events, [{ event_id: 'RFC-1.1', reason: 'it answered 422' }]);
  receiver.answer = 204;
  const span = { fromMs: NOW - HOUR_MS, toMs: NOW, nowMs: dayLater.now() };
  t.is((await harness.events.replayEvents({ tenant_id: 'told', lane: null, ...span })).replayed, 3);
  await dayLater.advance(5_000);
  t.deepEqual(ids().slice(-3).sort(), ['RFC-1.1', 'RFC-1.2', 'RFC-2.1']);
  t.like(await stateNow(), { waiting: 0, dead: 0 });
});

test('events that the receiver refuses hold up no event of another subject', async (t) => {
  const { clock, receiver, start, tell, ids, stateNow } = await open(t);
  const refused = Array.from({ length: 20 }, (_, n) => eventOf(`RFC-${n}`, 1));
  receiver.answer = ({ id }, response) => response.writeHead(id === 'RFC-99.1' ? 200 : 400).end();
  await tell(...refused, { ...eventOf('RFC-99', 1), at: new Date(NOW - 1).toISOString() });
  const outbox = start();
  await clock.advance(1);
  t.true(ids().includes('RFC-99.1'));
  t.like(outbox.state(null), [{ state: 'up', delivered: 1, error: 'it answered 400' }]);
  t.like(await stateNow(), { waiting: 20, dead: 0 });
});

test('410 ends an event at once; 429 is waited for; redirects are not followed', async (t) => {
  const { clock, receiver, start, tell, ids, stateNow } = await open(t);
  receiver.answer = 410;
  await tell(eventOf('RFC-1', 1));
  const outbox = start();
  await clock.idle();
  t.like(await stateNow(), { waiting: 0, dead: 1 });
  receiver.answer = (_request, response) => {
    response.writeHead(429, { 'retry-after': '600' }).end();
  };
  await tell(eventOf('RFC-2', 1));
  await clock.advance(5_000);
  t.like(outbox.state(null), [{ state: 'limited', error: 'it answered 429' }]);
  const { length } = ids();
  receiver.answer = (_request, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  };
  await clock.advance(590_000);
  t.is(ids().length, length);
  await clock.advance(12_000);
  t.is(ids().length, length + 1);
  t.like(outbox.state(null), [{ error: 'it answered 302' }]);
});

test('a receiver that hangs, lies or restarts costs time alone', async (t) => {
  const { clock, receiver, start, tell, ids, stateNow } = await open(t, {}, 3_000);
  const garbage: typeof receiver.answer = (_request, _response, socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\n');
  };
  const ends: (typeof receiver.answer)[] = [
    () => undefined,
    garbage,
    (_r, _s, socket) => socket.destroy(),
  ];
  const reasons: (string | null)[] = [];
  const outbox = start();
  for (const [index, answer] of ends.entries()) {
    receiver.answer = answer;
    await tell(eventOf(`RFC-${index}`, 1));
    await clock.advance(2_000);
    reasons.push(outbox.state(null)[0]?.error ?? null);
  }
  t.deepEqual(reasons, [
    'no answer in time',
    'not reached (HPE_UNEXPECTED_CONTENT_LENGTH)',
    'not reached (ECONNRESET)',
  ]);
  t.is(outbox.state(null)[0]?.state, 'down');
  await receiver.close();
  await clock.advance(60_000);
  t.is(outbox.state(null)[0]?.error, 'not reached (ECONNREFUSED)');
  t.like(await stateNow(), { waiting: 3, dead: 0 });
  const { length } = ids();
  await receiver.reopen();
  // An endless answer with a good status is a delivery.
  receiver.answer = (_request, response) => {
    response.writeHead(200);
    const more = () => {
      while (response.write('x'.repeat(65_536)) && !response.destroyed);
    };
    response.on('drain', more);
    more();
  };
  await clock.advance(300_000);
  t.deepEqual(ids().slice(length).sort(), ['RFC-0.1', 'RFC-1.1', 'RFC-2.1']);
  t.like(outbox.state(null), [{ state: 'up' }]);
  t.like(await stateNow(), { waiting: 0 });
});

test('what a stop breaks off is delivered by the next start, with the same id', async (t) => {
  const { clock, receiver, start, tell, ids, stateNow } = await open(t);
  const arrived = new Promise<void>((resolve) => {
    receiver.answer = () => resolve();
  });
  await tell(eventOf('RFC-1', 1));
  const first = start();
  await arrived;
  const stopped = first.stop();
  await clock.advance(3_000, 0);
  await stopped;
  t.like(await stateNow(), { waiting: 1, dead: 0 });
  receiver.answer = 204;
  start();
  await clock.advance(1);
  t.deepEqual(ids(), ['RFC-1.1', 'RFC-1.1']);
  t.like(await stateNow(), { waiting: 0 });
});

test('a private address gets nothing, by number or by name, unless it is allowed', async (t) => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
    const { clock, receiver, start, tell } = await open(t, { allowPrivate: false });
    const { port } = new URL(receiver.url);
    receiver.url = `http://${host}:${port}/`;
    await tell(eventOf('RFC-1', 1));
    const outbox = start();
    await clock.idle();
    t.is(receiver.connections, 0, host);
    const reason = 'the receiver has a private address: see allow_private';
    t.like(outbox.state(null), [{ delivered: 0, error: reason }], host);
  }
  for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111']) {
    t.true(isPublicAddress(address), address);
  }
  const special =
    '10.1.2.3 100.64.0.1 169.254.169.254 172.31.9.9 192.168.0.1 0.0.0.0 255.255.255.255 224.0.0.1 ' +
    'fd00:ec2::254 fe80::1 64:ff9b::a00:1 2002:a00:: ::ffff:10.0.0.1 :: name';
  for (const address of special.split(' ')) t.false(isPublicAddress(address), address);
});

test('messageOf for Slack is one line; names make no mention, link or format', (t) => {
  const hostile = { ...eventOf('RFC-1', 1), repo: '<!channel> <https://evil.example|x> *a*' };
  const { body, headers } = messageOf(
    { ...hostile, data: { ...hostile.data, branch: '@here & `b`\n>c' } },
    { format: 'slack', secrets: [] },
    { baseUrl: BASE_URL, nowMs: NOW },
  );
  t.is(headers['webhook-signature'], undefined);
  t.deepEqual(JSON.parse(body), {
    text:
      '*rfc.blocked* <https://cra.example/cra#approve-RFC-1|RFC-1>: ' +
      '`&lt;!channel&gt; &lt;https://evil.example x&gt;  a `, branch `@here &amp;  b  &gt;c`, ' +
      'status `BLOCKED`',
  });
  // Nor does the name of a repository or environment that the event is about.
  const deploy: ServiceEvent = { ...hostile, type: 'deploy.started', subject: '@all', data: {} };
  const { body: ofDeploy } = messageOf(
    { ...deploy, repo: '@all', data: { environment: '@here', risk_score: 7, asked: '@eve' } },
    { format: 'slack', secrets: [] },
    { baseUrl: BASE_URL, nowMs: NOW },
  );
  t.is(
    JSON.parse(ofDeploy).text,
    '*deploy.started* <https://cra.example/cra|cra>: `@all`, risk score 7, environment `@here`, ' +
      'asked `@eve`',
  );
});
