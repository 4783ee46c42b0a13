import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../harness.ts';
import { type Connection, openConnection } from './connection.ts';
import type {
  BareRun,
  Entry,
  LoadAnswer,
  LoadOutcome,
  LoadPlan,
  LoadQuestion,
  PushRun,
  StormRun,
} from './load-message.ts';
import { createTrafficSource, type TrafficSource, type Webhook } from './webhooks.ts';

/** The Git host of a storm: moves its refs and posts their webhooks, and keeps what it was told. */
let plan: LoadPlan | null = null;
let source: TrafficSource | null = null;
const entries: Entry[] = [];
let unanswered: Webhook[] = [];

process.on('message', (question: LoadQuestion) => void answer(question));
// Without its parent nobody would ever end it.
process.on('disconnect', () => process.exit());

async function answer(question: LoadQuestion): Promise<void> {
  const { id } = question;
  const reply: LoadAnswer = { id, outcome: null, ledger: null };
  if (question.kind === 'plan') {
    plan = question.plan;
    source = createTrafficSource(plan);
  } else if (question.kind === 'ledger') {
    reply.ledger = entries;
  } else {
    reply.outcome = await runOne(question);
  }
  process.send?.(reply);
}

async function runOne(question: PushRun | StormRun | BareRun): Promise<LoadOutcome> {
  switch (question.kind) {
    case 'push':
      return await pushOnce(question);
    case 'storm':
      return await storm(question);
    case 'bare':
      return await bare(question);
  }
}

function traffic(): TrafficSource {
  if (source === null) throw new Error('there is no plan yet');
  return source;
}

async function pushOnce({ port, repo, ref, name, after, isLarge }: PushRun): Promise<LoadOutcome> {
  const webhook = traffic().push(repo, ref, name, { after, isLarge });
  return await send([webhook], port, 1, null);
}

async function storm(run: StormRun): Promise<LoadOutcome> {
  const again = run.resend ? unanswered : [];
  unanswered = [];
  const drawn = traffic().draw(run.count, run.name, run.floodedShare);
  return await send([...again, ...drawn], run.port, run.connections, run.perSecond);
}

/** Pushes of a source of its own: those of the host stay as they are. */
async function bare({ port, count, connections }: BareRun): Promise<LoadOutcome> {
  if (plan === null) throw new Error('there is no plan yet');
  const drawn = createTrafficSource(plan).draw(count, 'bare', 0.6);
  const still = drawn.map((webhook) => ({ ...webhook, isAgain: true }));
  return await send(still, port, connections, null, []);
}

async function send(
  webhooks: readonly Webhook[],
  port: number,
  connections: number,
  perSecond: number | null,
  ledger = entries,
): Promise<LoadOutcome> {
  const cpu = process.cpuUsage();
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const start = performance.now();
  let next = 0;
  let isLost = false;

  async function worker(): Promise<void> {
    const connection = openConnection(port);
    while (!isLost && next < webhooks.length) {
      const at = next++;
      const webhook = webhooks[at];
      if (webhook === undefined) break;
      const early = perSecond === null ? 0 : start + (at * 1000) / perSecond - performance.now();
      if (early > 0) await delay(early);
      if (!webhook.isAgain) moveRef(webhook);
      const sentAt = performance.now();
      const entry = await post(connection, webhook);
      latencies.push(performance.now() - sentAt);
      if (latencies.length === 1)
        process.send?.({ id: 0, outcome: null, ledger: null } satisfies LoadAnswer);
      ledger.push(entry);
      statuses[entry.status] = (statuses[entry.status] ?? 0) + 1;
      if (entry.status === 0) {
        unanswered.push({ ...webhook, isAgain: true });
        isLost = true;
      }
    }
    connection.close();
  }

  await Promise.all(Array.from({ length: connections }, worker));
  const { user, system } = process.cpuUsage(cpu);
  return {
    sent: latencies.length,
    seconds: (performance.now() - start) / 1000,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    maxMs: latencies.reduce((most, ms) => Math.max(most, ms), 0),
    statuses,
    cpuSeconds: (user + system) / 1e6,
    rfcId: ledger.at(-1)?.rfcId ?? null,
  };
}

/** The host has the commit before it tells of it. */
function moveRef({ repo, ref, after }: Webhook): void {
  const name = plan?.repos[repo]?.name ?? '';
  const path = join(plan?.root ?? '', `${name}.git`, ref);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, `${after}\n`);
  renameSync(`${path}.new`, path);
}

async function post(connection: Connection, webhook: Webhook): Promise<Entry> {
  const { delivery, body, repo, ref, signature } = webhook;
  const headers =
    'User-Agent: GitHub-Hookshot/044aadd\r\nAccept: */*\r\nContent-Type: application/json\r\n' +
    `X-GitHub-Event: push\r\nX-GitHub-Delivery: ${delivery}\r\nX-GitHub-Hook-ID: 292430182\r\n` +
    `X-Hub-Signature-256: ${signature}\r\n`;
  const place = { delivery, body, repo, ref };
  const entry: Entry = { ...place, status: 0, rfcId: null, outcome: null, error: null };
  try {
    const answered = await connection.post('/api/cra/webhook', headers, traffic().bodyOf(webhook));
    const { data, error = null } = JSON.parse(answered.text) as {
      data?: { rfc_id?: string; outcome?: string };
      error?: string;
    };
    const { status } = answered;
    return { ...entry, status, rfcId: data?.rfc_id ?? null, outcome: data?.outcome ?? null, error };
  } catch {
    return entry;
  }
}
