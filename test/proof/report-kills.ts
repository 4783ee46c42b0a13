import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHttpClient, type HttpClient } from '../../bench/daemon/http-client.ts';
import { startServedDaemon } from '../../bench/daemon/served-daemon.ts';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom, type Random } from '../../bench/random.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { change, newFile, until } from '../daemon.ts';
import { type Receiver, startReceiver } from '../events/receiver.ts';
import { withPlace } from './decisions.ts';
import type { StorePlace } from './operations/place.ts';
import { readStored, verifyFaults } from './operations/stored.ts';

const KILLS = 30;
const CHANGES_A_ROUND = 6;
const REPO = 'acme/shop';
/** How long a change waits for its report, s. */
const WITHIN_S = 4;
/** A kill around the deadline comes so much before or after it, ms. */
const AROUND_MS = 600;
/** When the daemon is killed. */
const MOMENTS = ['in the wait', 'at receipt', 'at the deadline'] as const;

/** A change that waits, and what the service said of it and of its report. */
interface Waiting {
  rfcId: string;
  commit: string;
  /** Before the call, and after its answer: the deadline counts from between them. */
  sentMs: number;
  answeredMs: number;
  /** When its report was sent last before it was acknowledged, and acknowledged; null: not. */
  reported: { sentMs: number; ackedMs: number } | null;
  /** Its verdict, as it was first read. */
  verdict: string | null;
}

/** Kills the daemon while changes wait for required reports, at receipt and at the deadline. */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const rows: Cell[][] = [];
  const faults: string[] = [];
  try {
    for (const name of ['SQLite', 'MongoDB'] as const) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const folder = join(temporary.path, name);
      mkdirSync(folder, { recursive: true });
      const found = await withPlace(name, folder, (place) =>
        killAmongWaiting(place, folder, options),
      );
      rows.push([name, ...found.cells, found.faults.length]);
      faults.push(...found.faults.map((fault) => `${name}: ${fault}`));
    }
  } finally {
    temporary.remove();
  }
  return {
    title: 'kill -9 while changes wait for required reports',
    facts: [
      `seed ${options.seed}; ${CHANGES_A_ROUND} changes a round, each waits ${WITHIN_S} s for a ` +
        `report; the daemon is killed ${MOMENTS.join(', ')}, in turn`,
    ],
    tables: [
      {
        columns: [
          'store',
          'kills',
          'changes',
          'PASSED',
          'BLOCKED',
          'reports acknowledged',
          'without an answer',
          'deliveries of rfc.blocked',
          '**faults**',
        ],
        rows,
      },
    ],
    notes: [
      'a fault: a change or an acknowledged report that is lost; one acknowledged in time that ' +
        'does not count, one that never came and passes; a verdict that changes; two events of ' +
        'one verdict; an entry of the trail that is missing',
      ...faults.slice(0, 20).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

async function killAmongWaiting(place: StorePlace, folder: string, options: RunOptions) {
  const random = createRandom(options.seed);
  const faults: string[] = [];
  const all: Waiting[] = [];
  const ends: (() => unknown)[] = [];
  const receiver = await startReceiver({ teardown: (end) => void ends.push(end) });
  const settings = { ...place.settings, ...writeSettings(folder, receiver.url) };
  const kills = options.count ?? KILLS;
  let cutOff = 0;
  for (let round = 0; round < kills; round += 1) {
    const daemon = await startServedDaemon(place.dataDir, settings);
    const client = createHttpClient(daemon.port);
    faults.push(...(await verdictFaults(all, client)));
    const waiting: Waiting[] = [];
    for (let index = 0; index < CHANGES_A_ROUND; index += 1) {
      waiting.push(await submit(client, createHash('sha1').update(`${round} ${index}`)));
    }
    all.push(...waiting);
    cutOff += await killAt(MOMENTS[round % MOMENTS.length] ?? '', {
      client,
      waiting,
      random,
      kill: () => process.kill(daemon.pid, 'SIGKILL'),
    });
    await daemon.exited;
    client.close();
    options.progress(`report-kills: ${place.name}, ${round + 1} kills, ${faults.length} faults`);
  }
  const daemon = await startServedDaemon(place.dataDir, settings);
  const client = createHttpClient(daemon.port);
  await until(async () => {
    const { text } = await client.get('rfcs?status=DRAFT');
    return JSON.parse(text).data.length === 0;
  });
  faults.push(...(await verdictFaults(all, client)));
  const blocked = all.filter(({ verdict }) => verdict === 'BLOCKED');
  const ids = () => new Set(receiver.received.map(({ id }) => id));
  await until(() => ids().size >= blocked.length);
  faults.push(...eventFaults(receiver, blocked));
  client.close();
  const code = await daemon.stop();
  if (code !== 0) faults.push(`the last daemon ended with ${code}`);
  for (const end of ends) await end();
  const acked = all.filter(({ reported }) => reported !== null);
  const { entries } = await readStored(place);
  if (entries < acked.length) faults.push(`${entries} entries for ${acked.length} reports`);
  faults.push(...(await verifyFaults(place)));
  const passed = all.length - blocked.length;
  const cells = [kills, all.length, passed, blocked.length, acked.length, cutOff];
  return { cells: [...cells, receiver.received.length], faults };
}

function writeSettings(folder: string, url: string): Record<string, string> {
  const rules = join(folder, 'rules.json');
  const required_reports = [{ tool: 'one', within: WITHIN_S }];
  writeFileSync(
    rules,
    JSON.stringify({ version: 1, extends: 'default', pipeline: { required_reports } }),
  );
  const events = join(folder, 'events.json');
  const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`];
  const one = { id: 'all', url, secrets, types: ['rfc.blocked'], allow_private: true };
  writeFileSync(events, JSON.stringify({ subscriptions: [one] }), { mode: 0o600 });
  return { SERVICE_RULES_PATH: rules, SERVICE_EVENTS_CONFIG: events };
}

async function submit(client: HttpClient, hash: ReturnType<typeof createHash>): Promise<Waiting> {
  const commit = hash.digest('hex');
  const body = change(newFile(`${commit}.txt`, 'x\n'), { repo_name: REPO, commitSha: commit });
  const sentMs = Date.now();
  const { status, text } = await client.analyze(Buffer.from(JSON.stringify(body)));
  if (status !== 200) throw new Error(text);
  const { rfc_id: rfcId } = JSON.parse(text).data as { rfc_id: string };
  const answeredMs = Date.now();
  return { rfcId, commit, sentMs, answeredMs, reported: null, verdict: null };
}

interface Killing {
  client: HttpClient;
  waiting: readonly Waiting[];
  random: Random;
  kill: () => void;
}

/** Sends reports of half of the changes, and kills at the moment. Returns calls without answer. */
async function killAt(moment: string, { client, waiting, random, kill }: Killing): Promise<number> {
  const half = waiting.slice(0, CHANGES_A_ROUND / 2);
  if (moment === 'in the wait') {
    await pause(random.between(0, AROUND_MS));
    kill();
    return 0;
  }
  let left = random.between(1, half.length);
  let cutOff = 0;
  const sending = half.map(async (one) => {
    try {
      await report(client, one);
      left -= 1;
      if (moment === 'at receipt' && left === 0) kill();
    } catch {
      cutOff += 1;
    }
  });
  await Promise.all(sending);
  if (moment === 'at the deadline') {
    const first = Math.min(...waiting.map(({ sentMs }) => sentMs)) + WITHIN_S * 1_000;
    await pause(first - Date.now() + random.between(-AROUND_MS, AROUND_MS));
    kill();
  }
  return cutOff;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

async function report(client: HttpClient, one: Waiting): Promise<void> {
  const region = { startLine: 1 };
  const artifactLocation = { uri: `${one.commit}.txt` };
  const locations = [{ physicalLocation: { artifactLocation, region } }];
  const result = { ruleId: 'a', level: 'note', message: { text: 'a' }, locations };
  const runs = [{ tool: { driver: { name: 'One' } }, results: [result] }];
  const sentMs = Date.now();
  const { status, text } = await client.send({
    method: 'POST',
    path: `reports?repo=${REPO}&commit=${one.commit}`,
    body: Buffer.from(JSON.stringify({ version: '2.1.0', runs })),
    headers: { 'content-type': 'application/json' },
  });
  if (status !== 200) throw new Error(text);
  one.reported = { sentMs, ackedMs: Date.now() };
}

/** What is wrong with changes that were acknowledged, as they are read now. */
async function verdictFaults(all: readonly Waiting[], client: HttpClient): Promise<string[]> {
  const faults: string[] = [];
  for (const one of all) {
    const { status, text } = await client.get(`rfc/${one.rfcId}`);
    if (status !== 200) {
      faults.push(`${one.rfcId}: GET answers ${status}`);
      continue;
    }
    const { overall_status, required_reports, gates } = JSON.parse(text).data;
    if (overall_status === 'DRAFT') continue;
    const verdict = `${overall_status}`;
    if (one.verdict !== null && one.verdict !== verdict) {
      faults.push(`${one.rfcId}: ${one.verdict}, later ${verdict}`);
    }
    one.verdict = verdict;
    const state = required_reports[0]?.state;
    const isMissing = state === 'missing';
    const { reported } = one;
    const isInTime = reported !== null && reported.ackedMs < one.sentMs + WITHIN_S * 1_000;
    if (isInTime && isMissing) faults.push(`${one.rfcId}: its report came in time, and is missing`);
    if (reported === null && !isMissing && state !== 'came') {
      faults.push(`${one.rfcId}: its report is ${state}`);
    }
    if (isMissing !== (verdict === 'BLOCKED')) faults.push(`${one.rfcId}: ${state}, ${verdict}`);
    const found = gates.risk.findings.filter(({ id }: { id: string }) => id === 'report-missing');
    if (found.length !== Number(isMissing)) faults.push(`${one.rfcId}: ${found.length} findings`);
  }
  return faults;
}

/** Each verdict has one event, however often that is delivered. */
function eventFaults({ received }: Receiver, blocked: readonly Waiting[]): string[] {
  const ids = new Map<string, Set<string>>();
  for (const { id, body } of received) {
    const { rfc_id } = JSON.parse(body).data as { rfc_id: string };
    ids.set(rfc_id, (ids.get(rfc_id) ?? new Set()).add(id));
  }
  return blocked.flatMap(({ rfcId }) => {
    const count = ids.get(rfcId)?.size ?? 0;
    return count === 1 ? [] : [`${rfcId}: ${count} events of its verdict`];
  });
}
