import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createHttpClient, type HttpAnswer } from '../../bench/daemon/http-client.ts';
import { startServedDaemon } from '../../bench/daemon/served-daemon.ts';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom, type Random } from '../../bench/random.ts';
import type { Report } from '../../bench/report.ts';
import { withPlace } from './decisions.ts';
import type { StorePlace } from './operations/place.ts';
import { readStored, verifyFaults } from './operations/stored.ts';

const KILLS = 30;
const DEPLOYS_A_ROUND = 12;
const STATED_A_ROUND = 2;
const PLACES = ['production', 'staging'] as const;
const REPO = 'acme/shop';
/** Clocks of callers are wrong by up to so much. */
const SKEW_MS_MAX = 6 * 3_600_000;
/** In true time deploys are so far apart. */
const STEP_MS = 60_000;
const SENDERS = 6;
const FAULTS_SHOWN = 20;

/** A report or statement that is sent, perhaps several times, until it is answered. */
interface Sent {
  path: 'deploys' | 'outcomes';
  environment: string;
  body: Record<string, unknown>;
  /** When it was, by a true clock; null: it has no time of its own. */
  atMs: number | null;
  skewMs: number;
  key: string;
  reportId: string | null;
}

/** What a place must have, by a walk through its deploys in true order. */
interface Expected {
  succeeded: { sha: string; atMs: number }[];
  rolledBack: Map<string, number>;
  /** Commits about which something was said. */
  stated: Set<string>;
}

interface Counts {
  kills: number;
  sent: number;
  doubled: number;
  cutOff: number;
  again: number;
}

/**
 * Kills the daemon among reports of deploys and statements, which come doubled, in any order and
 * with wrong clocks; after each restart what had no answer is sent again, and the ledger must be
 * what a walk through the deploys in true order gives.
 */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const rows: (string | number)[][] = [];
  const faults: string[] = [];
  try {
    for (const name of ['SQLite', 'MongoDB'] as const) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const found = await withPlace(name, join(temporary.path, name), (place) =>
        killAmongReports(place, options, name),
      );
      const { kills, sent, doubled, cutOff, again } = found.counts;
      rows.push([name, kills, sent, doubled, cutOff, again, found.entries, found.faults.length]);
      faults.push(...found.faults.map((fault) => `${name}: ${fault}`));
    }
  } finally {
    temporary.remove();
  }
  return {
    title: 'kill -9 among reports of deploys and outcomes',
    facts: [
      `seed ${options.seed}; ${SENDERS} callers at once, whose clocks are wrong by up to 6 hours; ` +
        'started, succeeded, failed, rolled_back, and statements; a third is sent twice, all in ' +
        'any order',
    ],
    tables: [
      {
        columns: [
          'store',
          'kills',
          'reports',
          'of them sent twice',
          'without an answer',
          'sent again',
          'entries of the trail',
          '**faults**',
        ],
        rows,
      },
    ],
    notes: [
      'after each restart: what runs in each place, the number of its outcomes, and for each ' +
        'report the same id when it comes again; at the end one entry of the trail for each, ' +
        'verified with its signatures',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

async function killAmongReports(place: StorePlace, options: RunOptions, name: string) {
  const counts: Counts = { kills: 0, sent: 0, doubled: 0, cutOff: 0, again: 0 };
  const faults: string[] = [];
  const random = createRandom(options.seed);
  const all: Sent[] = [];
  const expected = new Map<string, Expected>(
    PLACES.map((one) => [one, { succeeded: [], rolledBack: new Map(), stated: new Set() }]),
  );
  const baseMs = Date.now() - 24 * 3_600_000;
  const kills = options.count ?? KILLS;
  for (let round = 0; round <= kills; round += 1) {
    const daemon = await startServedDaemon(place.dataDir, place.settings);
    const clients = Array.from({ length: SENDERS }, (_one, index) =>
      createHttpClient(daemon.port, `127.0.0.${index + 1}`),
    );
    const send = async (one: Sent, index: number): Promise<HttpAnswer> => {
      const client = clients[index % SENDERS] ?? createHttpClient(daemon.port);
      const body = Buffer.from(JSON.stringify(bodyOf(one)));
      const headers = { 'idempotency-key': one.key };
      return await client.send({ method: 'POST', path: one.path, body, headers });
    };
    const open = all.filter(({ reportId }) => reportId === null);
    counts.again += open.length;
    for (const [index, one] of open.entries()) note(one, await send(one, index), faults);
    faults.push(...(await ledgerFaults(expected, (path) => clients[0]?.get(path))));
    const known = all.filter(({ reportId }) => reportId !== null);
    for (let index = 0; index < Math.min(SENDERS, known.length); index += 1) {
      const one = random.pick(known);
      note(one, await send(one, index), faults);
    }
    if (round === kills) {
      for (const client of clients) client.close();
      const code = await daemon.stop();
      if (code !== 0) faults.push(`the last daemon ended with ${code}`);
      break;
    }
    const drawn = drawDeploys(random, expected, baseMs + round * DEPLOYS_A_ROUND * STEP_MS);
    all.push(...drawn);
    counts.sent += drawn.length;
    const doubled = drawn.filter(() => random.next() < 1 / 3);
    counts.doubled += doubled.length;
    const queue = shuffled(random, [...drawn, ...doubled]);
    let left = random.between(1, queue.length - SENDERS);
    const sendAll = async (index: number) => {
      for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
        try {
          note(one, await send(one, index), faults);
        } catch {
          counts.cutOff += 1;
        }
        left -= 1;
        if (left === 0) process.kill(daemon.pid, 'SIGKILL');
      }
    };
    await Promise.all(clients.map((_client, index) => sendAll(index)));
    await daemon.exited;
    for (const client of clients) client.close();
    counts.kills += 1;
    options.progress(`deploys: ${name}, ${counts.kills} kills, ${faults.length} faults`);
  }
  const { operations, entries } = await readStored(place);
  for (const { reportId } of all) {
    const phases = operations.get(reportId ?? '')?.phases ?? [];
    if (phases.length !== 1) faults.push(`${reportId}: ${phases.length} entries`);
  }
  faults.push(...(await verifyFaults(place)));
  return { counts, faults, entries };
}

function bodyOf({ body, atMs, skewMs, path }: Sent): Record<string, unknown> {
  if (path === 'outcomes' || atMs === null) return body;
  const told = (ms: number) => new Date(ms + skewMs).toISOString();
  const started = body['started_ms'] as number | undefined;
  const { started_ms: _, ...rest } = body;
  return {
    ...rest,
    at: told(atMs),
    ...(started === undefined ? {} : { started_at: told(started) }),
    sent_at: told(Date.now()),
  };
}

function note(one: Sent, { status, text }: HttpAnswer, faults: string[]): void {
  if (status !== 200) {
    faults.push(`${one.path}: ${status} ${text.slice(0, 200)}`);
    return;
  }
  const { report_id } = JSON.parse(text).data.deploy as { report_id: string };
  if (one.reportId !== null && one.reportId !== report_id) faults.push(`${report_id}: another id`);
  one.reportId = report_id;
}

/** Deploys from a time on, one after the other; the expectation moves with them. */
function drawDeploys(random: Random, expected: Map<string, Expected>, fromMs: number): Sent[] {
  const sent: Sent[] = [];
  for (let index = 0; index < DEPLOYS_A_ROUND; index += 1) {
    const environment = random.pick(PLACES);
    const place = expected.get(environment);
    if (place === undefined) continue;
    const startedMs = fromMs + index * STEP_MS;
    const endMs = startedMs + STEP_MS / 2;
    const isAgain = place.succeeded.length > 0 && random.next() < 0.2;
    const sha = isAgain ? random.pick(place.succeeded).sha : shaOf(random);
    const skewMs = random.between(-SKEW_MS_MAX, SKEW_MS_MAX);
    const about = { repo: REPO, environment, sha };
    const common = { environment, skewMs, reportId: null } as const;
    const add = (path: Sent['path'], body: Record<string, unknown>, atMs: number | null) =>
      sent.push({ ...common, path, body: { ...about, ...body }, atMs, key: randomUUID() });
    add('deploys', { result: 'started' }, startedMs);
    const result = random.pick(['succeeded', 'succeeded', 'succeeded', 'failed', 'rolled_back']);
    add('deploys', { result, started_ms: startedMs }, endMs);
    if (result === 'succeeded') {
      place.succeeded.push({ sha, atMs: endMs });
    } else if (result === 'rolled_back') place.rolledBack.set(sha, endMs);
  }
  for (const [environment, { succeeded, stated }] of expected) {
    const earlier = succeeded.filter(({ atMs }) => atMs < fromMs);
    for (let index = 0; index < Math.min(STATED_A_ROUND, earlier.length); index += 1) {
      const { sha } = random.pick(earlier);
      const kind = random.pick(['incident', 'defect']);
      const body = { repo: REPO, environment, sha, kind };
      const common = { environment, skewMs: 0, atMs: null, reportId: null };
      sent.push({ path: 'outcomes', body, key: randomUUID(), ...common });
      stated.add(sha);
    }
  }
  return sent;
}

function shaOf(random: Random): string {
  return Array.from({ length: 40 }, () => random.between(0, 16).toString(16)).join('');
}

function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const keyed = values.map((value) => ({ value, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}

async function ledgerFaults(
  expected: ReadonlyMap<string, Expected>,
  get: (path: string) => Promise<HttpAnswer> | undefined,
): Promise<string[]> {
  const faults: string[] = [];
  for (const [environment, { succeeded, rolledBack, stated }] of expected) {
    const standing = succeeded.filter(({ sha, atMs }) => (rolledBack.get(sha) ?? 0) < atMs);
    const wanted = standing.at(-1)?.sha ?? null;
    const answer = await get(`deploys?repo=${REPO}&environment=${environment}`);
    const [row] = JSON.parse(answer?.text ?? '{"data":[]}').data as {
      runs: { sha: string }[];
    }[];
    const runs = row?.runs[0]?.sha ?? null;
    if (runs !== wanted) faults.push(`${environment} runs ${runs}, not ${wanted}`);
    const told = await get(`outcomes?repo=${REPO}&environment=${environment}`);
    const [place] = JSON.parse(told?.text ?? '{"data":[]}').data as {
      outcomes: { sha: string; by_statement: boolean }[];
      outcomes_total: number;
    }[];
    const found = (place?.outcomes ?? []).filter(({ by_statement }) => by_statement);
    const isWhole = (place?.outcomes_total ?? 0) === (place?.outcomes.length ?? 0);
    const isRight = found.length === stated.size && found.every(({ sha }) => stated.has(sha));
    if (isWhole && !isRight) faults.push(`${environment}: ${found.length} statements`);
  }
  return faults;
}
