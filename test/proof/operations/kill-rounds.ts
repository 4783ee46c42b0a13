import { setTimeout as delay } from 'node:timers/promises';
import { createHttpClient, type HttpClient } from '../../../bench/daemon/http-client.ts';
import { type ServedDaemon, startServedDaemon } from '../../../bench/daemon/served-daemon.ts';
import { createRandom } from '../../../bench/random.ts';
import { changedAnswers, lostOperations, rulesFaults } from './answered.ts';
import { type DecisionLoad, startLoad } from './load.ts';
import type { Operation } from './operation.ts';
import type { Moment, StorePlace } from './place.ts';
import { differences, readStored, verifyFaults } from './stored.ts';

export interface DecisionKillOptions {
  place: StorePlace;
  kills: number;
  seed: number;
  onKill?: (report: DecisionKillReport) => void;
}

export interface DecisionKillReport {
  kills: number;
  /** Kills by the moment that they waited for. */
  byMoment: Record<string, number>;
  changes: number;
  /** Operations answered with 200, otherwise, and not at all. */
  done: number;
  refused: number;
  cutOff: number;
  /** Requests that were sent once more after the restart. */
  repeats: number;
  entries: number;
  startMs: number[];
  /** From listening until no intent was open. */
  settledMs: number[];
  faults: string[];
}

const SENDERS = 6;
const DONE_MAX = 60;
const DELAY_MS_MAX = 20;
/** Ops.md: no open intents so long after the restart. */
export const SETTLED_WITHIN_MS = 10_000;
const MOMENT_WAIT_MS = 2_000;

/** Kills a daemon among decisions again and again, each time on what the last one left. */
export async function killAmongDecisions(options: DecisionKillOptions) {
  const { place } = options;
  const report: DecisionKillReport = {
    kills: 0,
    byMoment: {},
    changes: 0,
    done: 0,
    refused: 0,
    cutOff: 0,
    repeats: 0,
    entries: 0,
    startMs: [],
    settledMs: [],
    faults: [],
  };
  const all: Operation[] = [];
  let last: DecisionLoad | null = null;
  for (let round = 0; round <= options.kills; round += 1) {
    const daemon = await start(place, report);
    const client = createHttpClient(daemon.port);
    if (last !== null) await checkAfter(place, client, last, report);
    client.close();
    if (round === options.kills) {
      const code = await daemon.stop();
      if (code !== 0) report.faults.push(`the last daemon ended with ${code}`);
      break;
    }
    last = await loadUntilKilled(daemon, round, options, report);
    all.push(...last.operations);
    options.onKill?.(report);
  }
  const stored = await readStored(place);
  report.entries = stored.entries;
  report.faults.push(...differences(stored), ...lostOperations(all, stored));
  report.faults.push(...(await verifyFaults(place)));
  return report;
}

async function start(place: StorePlace, report: DecisionKillReport): Promise<ServedDaemon> {
  const started = performance.now();
  const daemon = await startServedDaemon(place.dataDir, place.settings);
  report.startMs.push(performance.now() - started);
  return daemon;
}

async function loadUntilKilled(
  daemon: ServedDaemon,
  round: number,
  { place, seed }: DecisionKillOptions,
  report: DecisionKillReport,
): Promise<DecisionLoad> {
  const random = createRandom(seed * 1_000_003 + round);
  const withRules = round === 0 || random.next() < 0.2;
  const common = { ports: [daemon.port], senders: SENDERS, keepsTrying: false };
  const load = startLoad({ ...common, seed: seed * 7_919 + round, withRules });
  await load.reached(random.between(1, DONE_MAX));
  // A third at any moment, the others when the database shows a step of a decision.
  const moment = random.next() < 0.34 ? null : random.pick(place.moments);
  await untilMoment(place, moment, random.between(0, DELAY_MS_MAX));
  load.expectTrouble();
  process.kill(random.next() < 0.5 ? -daemon.pid : daemon.pid, 'SIGKILL');
  await Promise.all([daemon.exited, load.stop()]);
  report.kills += 1;
  const name = moment ?? 'any';
  report.byMoment[name] = (report.byMoment[name] ?? 0) + 1;
  report.changes += load.rfcIds.length;
  report.done += load.done;
  report.cutOff += load.operations.filter(({ answer }) => answer === null).length;
  report.refused += load.operations.filter(
    ({ answer }) => answer !== null && answer.status !== 200,
  ).length;
  report.faults.push(...load.faults);
  return load;
}

async function untilMoment(place: StorePlace, moment: Moment | null, ms: number): Promise<void> {
  if (moment === null) return delay(ms);
  const { seen, stop } = await place.watch(moment);
  const ended = new AbortController();
  await Promise.race([seen, delay(MOMENT_WAIT_MS, undefined, { signal: ended.signal })]);
  ended.abort();
  void stop();
}

/** What a kill has left behind, after the restart. */
async function checkAfter(
  place: StorePlace,
  client: HttpClient,
  load: DecisionLoad,
  report: DecisionKillReport,
): Promise<void> {
  report.settledMs.push(await untilSettled(client, report.faults));
  const stored = await readStored(place);
  report.faults.push(...differences(stored), ...lostOperations(load.operations, stored));
  report.faults.push(...(await rulesFaults(client, stored)));
  const gone = load.rfcIds.filter((id) => !isThereOrDeleted(id, stored));
  report.faults.push(...gone.map((id) => `${id}: answered, but not there`));
  const { repeats, faults } = await changedAnswers(client.port, load.operations);
  report.repeats += repeats;
  report.faults.push(...faults);
}

function isThereOrDeleted(rfcId: string, stored: Awaited<ReturnType<typeof readStored>>): boolean {
  if (stored.records.has(rfcId)) return true;
  return [...stored.operations.values()].some(
    (operation) =>
      operation.kind === 'delete' && operation.rfcId === rfcId && operation.done !== null,
  );
}

/** Ms until the daemon sees no open intent; a fault after too long. */
export async function untilSettled(
  client: HttpClient,
  faults: string[],
  withinMs = SETTLED_WITHIN_MS,
): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { text } = await client.get('dispatcher/status');
    const { audit } = (JSON.parse(text) as { data: { audit: { open_intents?: number } } }).data;
    const ms = performance.now() - start;
    if (audit.open_intents === 0) return ms;
    if (ms > withinMs) {
      faults.push(`after ${Math.round(ms)} ms the trail says ${JSON.stringify(audit)}`);
      return ms;
    }
    await delay(20);
  }
}
