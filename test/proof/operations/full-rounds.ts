import { setTimeout as delay } from 'node:timers/promises';
import { createHttpClient, type HttpClient } from '../../../bench/daemon/http-client.ts';
import { createRandom } from '../../../bench/random.ts';
import type { MongodMember } from '../../mongod/member.ts';
import { changedAnswers, lostOperations } from './answered.ts';
import type { SmallDisk } from './full-disk.ts';
import { untilSettled } from './kill-rounds.ts';
import { startLoad } from './load.ts';
import { dataOf, makeChange, makeOperation, type Operation } from './operation.ts';
import type { StorePlace } from './place.ts';
import { differences, readStored, verifyFaults } from './stored.ts';

export interface FullDiskReport {
  rounds: number;
  done: number;
  /** Answers of the probes while the disk was full, by what was asked and the status. */
  probes: Map<string, number>;
  /** From the room made (mongod started again) to the next decision. */
  recoveryMs: number[];
  faults: string[];
}

export interface FullDiskOptions {
  place: StorePlace;
  disk: SmallDisk;
  port: number;
  /** The mongod whose data are on the disk; null: the store of the daemon is. */
  member: MongodMember | null;
  rounds: number;
  seed: number;
  onRound?: (report: FullDiskReport) => void;
}

const SENDERS = 4;
const LOAD_DONE = 20;
/** Fewer than the quota of ops-log allows in a minute, all rounds together. */
const PROBES = 10;
const RECOVERY_MS_MAX = 10_000;
const FULL_MS_MAX = 60_000;

/** Fills the disk under load, looks at what is answered, makes room, and compares what is left. */
export async function fillRepeatedly(options: FullDiskOptions): Promise<FullDiskReport> {
  const { place, port, seed } = options;
  const client = createHttpClient(port);
  const report: FullDiskReport = {
    rounds: 0,
    done: 0,
    probes: new Map(),
    recoveryMs: [],
    faults: [],
  };
  const common = { ports: [port], senders: SENDERS, withRules: false, keepsTrying: true };
  for (let round = 0; round < options.rounds; round += 1) {
    const analyzed = await client.analyze(makeChange(true));
    const rfcId = String(dataOf(analyzed)['rfc_id']);
    const load = startLoad({ ...common, seed: seed * 100 + round });
    load.expectTrouble();
    await load.reached(LOAD_DONE);
    await fillOnce(
      options,
      client,
      report,
      makeOperation('override', createRandom(round), [rfcId]),
    );
    await load.stop();
    await untilSettled(client, report.faults, SETTLED_MS_MAX);
    const stored = await readStored(place);
    const operations = load.operations.map((operation) =>
      (operation.answer?.status ?? 0) >= 500 ? { ...operation, answer: null } : operation,
    );
    report.faults.push(...differences(stored), ...lostOperations(operations, stored));
    const { faults } = await changedAnswers(client.port, operations);
    report.faults.push(...faults);
    report.rounds += 1;
    report.done += load.done;
    options.onRound?.(report);
  }
  client.close();
  report.faults.push(...(await verifyFaults(place)));
  return report;
}

/** The daemon lives on: what it left open is settled when it is overdue (20 s). */
const SETTLED_MS_MAX = 45_000;

/** `override` is about an RFC that the load leaves alone: it is sent until it is made. */
async function fillOnce(
  { disk, member }: FullDiskOptions,
  client: HttpClient,
  report: FullDiskReport,
  override: Operation,
): Promise<void> {
  disk.fill();
  await untilRefused(client, member, report);
  for (let probe = 0; probe < PROBES; probe += 1) await probeAll(client, override, member, report);
  disk.free();
  if (member !== null) await member.start();
  const start = performance.now();
  for (;;) {
    const answer = await client.send(override.request);
    const ms = performance.now() - start;
    if (answer.status === 200) {
      report.recoveryMs.push(ms);
      return;
    }
    if (ms > RECOVERY_MS_MAX) {
      report.faults.push(`no decision ${Math.round(ms)} ms after room was made: ${answer.text}`);
      return;
    }
    await delay(20);
  }
}

async function untilRefused(
  client: HttpClient,
  member: MongodMember | null,
  report: FullDiskReport,
): Promise<void> {
  const end = performance.now() + FULL_MS_MAX;
  while (performance.now() < end) {
    const { status } = await client.analyze(makeChange(false));
    if (status !== 200 && (member === null || member.pid() === null)) return;
    await delay(20);
  }
  report.faults.push('nothing is refused on a full disk');
}

async function probeAll(
  client: HttpClient,
  { request, rfcIds }: Operation,
  member: MongodMember | null,
  report: FullDiskReport,
): Promise<void> {
  // With mongod gone there is nothing to read from.
  const readable = member === null ? 200 : 503;
  const event = makeOperation('ops-log', createRandom(1), rfcIds);
  const probes = [
    ['override', 503, await client.send(request)],
    ['ops-log', 503, await client.send(event.request)],
    ['GET rfc', readable, await client.get(`rfc/${rfcIds[0]}`)],
    ['GET rfcs', readable, await client.get('rfcs')],
    ['GET health', 200, await client.get('health')],
    ['GET dispatcher/status', 200, await client.get('dispatcher/status')],
  ] as const;
  for (const [name, expected, { status, text }] of probes) {
    const key = `${name}: ${status}`;
    report.probes.set(key, (report.probes.get(key) ?? 0) + 1);
    if (status !== expected) report.faults.push(`${key} ${text.slice(0, 200)}`);
  }
}
