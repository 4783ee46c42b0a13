import { setTimeout as delay } from 'node:timers/promises';
import { createHttpClient, type HttpClient } from '../../../bench/daemon/http-client.ts';
import { startServedDaemon } from '../../../bench/daemon/served-daemon.ts';
import { createRandom } from '../../../bench/random.ts';
import type { MongodMember } from '../../mongod/member.ts';
import type { Mongod } from '../../mongod/mongod.ts';
import { changedAnswers, lostOperations } from './answered.ts';
import { untilSettled } from './kill-rounds.ts';
import { type DecisionLoad, startLoad } from './load.ts';
import type { Operation } from './operation.ts';
import type { StorePlace } from './place.ts';
import { startRawWriters } from './raw-writers.ts';
import { differences, readStored, verifyFaults } from './stored.ts';

export interface ServerKillReport {
  kills: number;
  changes: number;
  done: number;
  /** Operations without an answer that says what happened: none, or 5xx. */
  open: number;
  repeats: number;
  entries: number;
  strong: { acknowledged: number; lost: number };
  weak: { acknowledged: number; lost: number };
  /** From a kill to the next operation that was answered with 200. */
  gapMs: number[];
  /** From the end of the load until no intent was open. */
  settledMs: number;
  faults: string[];
}

export interface ServerKillOptions {
  mongod: Mongod;
  place: StorePlace;
  kills: number;
  seed: number;
  onKill?: (report: ServerKillReport) => void;
}

const SENDERS = 6;
const LOAD_MS_MIN = 300;
const LOAD_MS_MAX = 1_500;
const RECOVERY_MS_MAX = 60_000;

/** Kills the primary again and again under decisions of one daemon and under raw writers. */
export async function killServers(options: ServerKillOptions): Promise<ServerKillReport> {
  const { mongod, place, seed } = options;
  const none = { acknowledged: 0, lost: 0 };
  const report: ServerKillReport = {
    kills: 0,
    changes: 0,
    done: 0,
    open: 0,
    repeats: 0,
    entries: 0,
    strong: none,
    weak: none,
    gapMs: [],
    settledMs: 0,
    faults: [],
  };
  const daemon = await startServedDaemon(place.dataDir, place.settings);
  const client = createHttpClient(daemon.port);
  const [strong, weak] = await Promise.all([
    startRawWriters(mongod.url, false),
    startRawWriters(mongod.url, true),
  ]);
  const common = { ports: [daemon.port], senders: SENDERS, withRules: true, keepsTrying: true };
  const load = startLoad({ ...common, seed });
  load.expectTrouble();
  await load.reached(1);
  const random = createRandom(seed);
  while (report.kills < options.kills) {
    await delay(random.between(LOAD_MS_MIN, LOAD_MS_MAX));
    await killOnce(mongod, load, client, report);
    options.onKill?.(report);
  }
  await Promise.all([load.stop(), strong.stop(), weak.stop()]);
  report.strong = { acknowledged: strong.acknowledged, lost: await strong.countLost() };
  report.weak = { acknowledged: weak.acknowledged, lost: await weak.countLost() };
  await check(place, client, load, report);
  client.close();
  const code = await daemon.stop();
  if (code !== 0) report.faults.push(`the daemon ended with ${code}`);
  report.faults.push(...(await verifyFaults(place)));
  return report;
}

async function killOnce(
  mongod: Mongod,
  load: DecisionLoad,
  client: HttpClient,
  report: ServerKillReport,
): Promise<void> {
  const primary = await mongod.primary();
  await primary.kill();
  const killed = performance.now();
  report.kills += 1;
  const health = await client.get('health');
  if (health.status !== 200) report.faults.push(`health answered ${health.status} in an outage`);
  const { done } = load;
  // Alone, it is started at once; of several, when another one has taken over.
  if (mongod.members.length === 1) await primary.start();
  await reachedInTime(load, done + 1, report);
  report.gapMs.push(performance.now() - killed);
  if (mongod.members.length > 1) await rejoin(primary, report);
}

async function reachedInTime(load: DecisionLoad, done: number, report: ServerKillReport) {
  const late = delay(RECOVERY_MS_MAX, 'late', { ref: false });
  if ((await Promise.race([load.reached(done), late])) === 'late') {
    report.faults.push(`no decision was made within ${RECOVERY_MS_MAX} ms after a kill`);
  }
}

/** Another kill must find a majority. */
async function rejoin(member: MongodMember, report: ServerKillReport): Promise<void> {
  const { MongoClient } = await import('mongodb');
  await member.start();
  const client = new MongoClient(`mongodb://${member.host}/?directConnection=true`);
  const end = performance.now() + RECOVERY_MS_MAX;
  for (;;) {
    const hello = await client.db('admin').command({ hello: 1 });
    if (hello['secondary'] === true || hello['isWritablePrimary'] === true) break;
    if (performance.now() > end) {
      report.faults.push('a member that was started again did not come back');
      break;
    }
    await delay(50);
  }
  await client.close();
}

async function check(
  place: StorePlace,
  client: HttpClient,
  load: DecisionLoad,
  report: ServerKillReport,
): Promise<void> {
  report.settledMs = await untilSettled(client, report.faults, SETTLED_MS_MAX);
  const operations = load.operations.map((operation) =>
    isOpen(operation) ? { ...operation, answer: null } : operation,
  );
  report.open = operations.filter(({ answer }) => answer === null).length;
  report.changes = load.rfcIds.length;
  report.done = load.done;
  const before = await readStored(place);
  report.faults.push(...differences(before), ...lostOperations(operations, before));
  const deleted = new Set([...before.operations.values()].map(deletedBy));
  const gone = load.rfcIds.filter((id) => !before.records.has(id) && !deleted.has(id));
  report.faults.push(...gone.map((id) => `${id}: answered, but not there`));
  const { repeats, faults } = await changedAnswers(client.port, operations);
  report.repeats = repeats;
  const after = await readStored(place);
  report.entries = after.entries;
  report.faults.push(...faults, ...differences(after));
}

/** The daemon lives on: what it left open is settled when it is overdue (20 s). */
const SETTLED_MS_MAX = 45_000;

function isOpen({ answer }: Operation): boolean {
  return answer !== null && answer.status >= 500;
}

function deletedBy({ kind, done, rfcId }: { kind: string; done: unknown; rfcId: string | null }) {
  return kind === 'delete' && done !== null ? rfcId : null;
}
