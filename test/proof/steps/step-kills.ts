import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { createRandom } from '../../../bench/random.ts';
import type { DecideInput, TrailStore } from '../../../src/store/contract/trail.ts';
import { openSqlite } from '../../store/sqlite/harness.ts';
import { SETTLED_WITHIN_MS } from '../operations/kill-rounds.ts';
import type { StorePlace } from '../operations/place.ts';
import { differences, readStored, type Stored, verifyFaults } from '../operations/stored.ts';
import { openStepMongo } from './mongo-driver.ts';
import { MONGO_STEPS } from './mongo-steps.ts';
import { SQLITE_STEPS } from './sqlite-steps.ts';
import { LINES, STEP_SEED, stepOperations } from './step-operations.ts';

export interface StepKillOptions {
  place: StorePlace;
  kills: number;
  seed: number;
  onKill?: (report: StepKillReport) => void;
}

export interface StepKillReport {
  kills: number;
  byStep: Map<string, number>;
  answered: number;
  /** Decisions that were sent again: answered before, and not. */
  replayed: number;
  asked: number;
  settledMs: number[];
  entries: number;
  faults: string[];
}

const NTH_MAX = 30;

/** Kills a process at each step of a decision in turn, each time on what the last one left. */
export async function killAtSteps({ place, kills, seed, onKill }: StepKillOptions) {
  const report: StepKillReport = {
    kills: 0,
    byStep: new Map(),
    answered: 0,
    replayed: 0,
    asked: 0,
    settledMs: [],
    entries: 0,
    faults: [],
  };
  const steps = place.name === 'SQLite' ? SQLITE_STEPS : MONGO_STEPS;
  for (let round = 0; round < kills; round += 1) {
    const index = round % steps.length;
    const random = createRandom(seed * 1_000_003 + round);
    const nth = random.between(1, NTH_MAX);
    const run = await runUntilStep(place, [seed * 10_000 + round, index, nth]);
    const name = steps[index]?.name ?? '';
    report.byStep.set(name, (report.byStep.get(name) ?? 0) + 1);
    report.kills += 1;
    report.answered += run.answered.length;
    await checkAfter(place, run, report);
    onKill?.(report);
  }
  const stored = await readStored(place);
  report.entries = stored.entries;
  report.faults.push(...(await verifyFaults(place, STEP_SEED)));
  return report;
}

interface StepRun {
  seed: number;
  /** Numbers of the workers whose record was stored. */
  asked: number[];
  /** op_ids. */
  answered: string[];
}

async function runUntilStep(place: StorePlace, args: [number, number, number]): Promise<StepRun> {
  const file = place.name === 'SQLite' ? './sqlite-step-child.js' : './mongo-step-child.js';
  const where = place.name === 'SQLite' ? [place.dataDir] : [urlOf(place), place.dataDir];
  const entry = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [entry, ...where, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  const run: StepRun = { seed: args[0], asked: [], answered: [] };
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, rest = ''] = line.split(' ');
    if (what === LINES.asked) run.asked.push(Number(rest));
    if (what === LINES.answered) run.answered.push(rest);
    if (what === LINES.reached) child.kill('SIGKILL');
  }
  const [code, end] = await exited;
  if (end !== 'SIGKILL') throw new Error(`the deciding process ended by itself: ${end ?? code}`);
  return run;
}

function urlOf({ settings }: StorePlace): string {
  return settings['SERVICE_STORE_URL'] ?? '';
}

/** The store as the next daemon opens it: it settles what was left and answers repeats. */
async function checkAfter(place: StorePlace, run: StepRun, report: StepKillReport): Promise<void> {
  const { faults } = report;
  const opened =
    place.name === 'SQLite'
      ? openSqlite(place.dataDir, Date.now, { checkpointSeed: STEP_SEED })
      : await openStepMongo(urlOf(place), place.dataDir);
  try {
    report.settledMs.push(await untilSettled(opened.trail, faults));
    const stored = await readStored(place);
    faults.push(...differences(stored), ...lost(run, stored));
    const answered = new Set(run.answered);
    for (const n of run.asked) {
      for (const operation of stepOperations(run.seed, n).operations) {
        if (answered.has(operation.op_id)) report.replayed += 1;
        else report.asked += 1;
        const fault = await repeatFault(
          opened.trail,
          operation,
          stored,
          answered.has(operation.op_id),
        );
        if (fault !== null) faults.push(`${operation.op_id}: ${fault}`);
      }
    }
    faults.push(...differences(await readStored(place)));
  } finally {
    await opened.close();
  }
}

async function untilSettled(trail: TrailStore, faults: string[]): Promise<number> {
  const start = performance.now();
  for (;;) {
    const status = await trail.auditStatus(null);
    const ms = performance.now() - start;
    if (status.open_intents === 0) return ms;
    if (ms > SETTLED_WITHIN_MS) {
      faults.push(`after ${Math.round(ms)} ms the trail says ${JSON.stringify(status)}`);
      return ms;
    }
    await delay(10);
  }
}

function lost({ answered }: StepRun, { operations }: Stored): string[] {
  const missing = answered.filter((opId) => operations.get(opId)?.done == null);
  return missing.map((opId) => `${opId}: answered, but the trail does not tell of it`);
}

/** Twice more: the first repeat is a replay exactly where the trail says done, then always. */
async function repeatFault(
  trail: TrailStore,
  operation: DecideInput,
  { operations }: Stored,
  isAnswered: boolean,
): Promise<string | null> {
  const isDone = operations.get(operation.op_id)?.done != null;
  if (isAnswered && !isDone) return 'answered, but not done';
  const { replayed, ...first } = await trail.decide(operation);
  if (replayed !== isDone) return `a repeat is ${replayed ? '' : 'not '}taken for one`;
  const again = await trail.decide(operation);
  if (!again.replayed) return 'it was done twice';
  return isDeepStrictEqual({ ...again, replayed }, { ...first, replayed })
    ? null
    : 'another answer to the same';
}
