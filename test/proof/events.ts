import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom } from '../../bench/random.ts';
import type { Report } from '../../bench/report.ts';
import { createEventOutbox } from '../../src/events/outbox.ts';
import type { ServiceEvent } from '../../src/model/event.ts';
import { fake } from '../../src/rules/fake.ts';
import type { EventStore } from '../../src/store/contract/events.ts';
import { type Received, startReceiver } from '../events/receiver.ts';
import { databaseUrl, startMongod } from '../mongod/mongod.ts';
import { LANES } from '../store/conformance/events.ts';
import { openMongo } from '../store/mongo/harness.ts';
import { openSqlite } from '../store/sqlite/harness.ts';

const COUNT = 100_000;
const EVENTS_PER_SUBJECT = 5;
const AT_A_TIME = 500;
/** Of one delivery: a receiver that hangs costs so long. */
const DEADLINE_MS = 2_000;
/** The receiver is gone for so long, and the outbox begins anew, after so many deliveries. */
const GONE_MS = 1_500;
const RESTARTS = 5;
const FAULTS_SHOWN = 20;

interface Opened {
  events: EventStore;
  close(): Promise<unknown>;
}

const STORES: Readonly<Record<string, (folder: string) => Promise<Opened>>> = {
  SQLite: async (folder) => openSqlite(folder, Date.now, { lanes: LANES }),
  async MongoDB(folder) {
    const mongod = await startMongod({ folder });
    const opened = await openMongo(databaseUrl(mongod));
    return { events: opened.events, close: () => opened.close().finally(mongod.stop) };
  },
};

/** Events through a receiver that fails, hangs, lies and restarts, from each store. */
export async function run(options: RunOptions): Promise<Report> {
  const count = options.count ?? COUNT;
  const rows: string[][] = [];
  const faults: string[] = [];
  for (const [name, open] of Object.entries(STORES)) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    const outcome = await measure(open, count, options.seed);
    rows.push([name, ...outcome.figures.map(String)]);
    faults.push(...outcome.faults.map((fault) => `${name}: ${fault}`));
  }
  const columns = [
    'store',
    'events',
    'taken',
    'refused',
    'more than once',
    'connections',
    'seconds',
  ];
  return {
    title: 'Events through a receiver that fails',
    facts: [`${count} events, ${EVENTS_PER_SUBJECT} of each subject, seed ${options.seed}`],
    tables: [{ columns, rows }],
    notes: [
      'each event is taken at least once, and no event before the ones of its subject before it',
      'a subscription whose receiver has a private address makes no connection',
      ...faults.slice(0, FAULTS_SHOWN),
    ],
    holds: faults.length === 0,
  };
}

async function measure(open: (folder: string) => Promise<Opened>, count: number, seed: number) {
  const folder = makeTemporary();
  const { events, close } = await open(folder.path);
  const closers: (() => unknown)[] = [];
  const t = { teardown: (closer: () => unknown) => void closers.push(closer) };
  const receiver = await startReceiver(t);
  const hidden = await startReceiver(t);
  const random = createRandom(seed);
  const faults: string[] = [];
  /** How often each event was taken, and the newest one that was taken of each subject. */
  const taken = new Map<string, number>();
  const newest = new Map<string, number>();
  let refused = 0;

  function take({ id, body }: Received, response: ServerResponse): void {
    const { subject, data } = JSON.parse(body) as { subject: string; data: { place: number } };
    const before = newest.get(subject) ?? 0;
    if (data.place > before + 1) faults.push(`${id} came after event ${before} of its subject`);
    newest.set(subject, Math.max(before, data.place));
    taken.set(id, (taken.get(id) ?? 0) + 1);
    response.writeHead(200).end('taken');
  }

  receiver.answer = (received, response, socket: Socket) => {
    const chance = random.next();
    if (chance < 0.9) return take(received, response);
    refused += 1;
    if (chance < 0.94) response.writeHead(500).end();
    else if (chance < 0.96) response.writeHead(302, { location: hidden.url }).end();
    else if (chance < 0.98) socket.destroy();
    else if (chance < 0.998)
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\nno header\r\n\r\n');
  };

  for (let at = 0; at < count; at += AT_A_TIME) {
    const part = Array.from({ length: Math.min(AT_A_TIME, count - at) }, (_, n) => eventOf(at + n));
    await events.addEvents({ events: part });
  }
  const [all, shop] = LANES;
  if (all === undefined || shop === undefined) throw new Error('the lanes are missing');
  const secrets = [fake('event-secret-', 32)];
  const start = () => {
    const format = 'cloudevents' as const;
    const outbox = createEventOutbox({
      subscriptions: [
        { ...all, url: receiver.url, secrets, format, allowPrivate: true },
        { ...shop, url: hidden.url, secrets, format, allowPrivate: false },
      ],
      store: events,
      baseUrl: () => 'https://cra.example',
      log: pino({ level: 'silent' }),
      deadlineMs: DEADLINE_MS,
    });
    outbox.start();
    return outbox;
  };
  const began = performance.now();
  let outbox = start();
  const waiting = async () => (await events.eventDepth({ lanes: ['all'] })).lanes[0]?.waiting ?? 0;
  let restarts = 0;
  // The depth counts rows, so it is asked for at the end alone.
  while (taken.size < count || (await waiting()) > 0) {
    await delay(250);
    if (restarts === RESTARTS || taken.size < ((restarts + 1) * count) / (RESTARTS + 1)) continue;
    restarts += 1;
    await receiver.close();
    await delay(GONE_MS);
    await outbox.stop();
    await receiver.reopen();
    outbox = start();
  }
  const seconds = Math.round((performance.now() - began) / 1_000);
  await outbox.stop();
  if (taken.size !== count) faults.push(`${count - taken.size} events were not taken`);
  if (hidden.connections > 0) faults.push(`${hidden.connections} connections to a private address`);
  const { lanes } = await events.eventDepth({ lanes: ['all'] });
  if (lanes[0]?.dead !== 0) faults.push(`${lanes[0]?.dead} events were given up`);
  const again = [...taken.values()].filter((times) => times > 1).length;
  for (const closer of closers) await closer();
  await close();
  folder.remove();
  return { figures: [count, taken.size, refused, again, receiver.connections, seconds], faults };
}

/** Of both subscriptions. */
function eventOf(index: number): ServiceEvent {
  const subject = `RFC-${Math.floor(index / EVENTS_PER_SUBJECT)}`;
  const place = (index % EVENTS_PER_SUBJECT) + 1;
  return {
    event_id: `${subject}.${place}`,
    type: 'rfc.blocked',
    tenant_id: 'told',
    subject,
    place,
    repo: index % 100 === 0 ? 'acme/shop' : 'acme/other',
    at: new Date().toISOString(),
    data: { rfc_id: subject, place },
  };
}
