import type { ExecutionContext } from 'ava';
import type { CraError } from '../../../src/model/errors.ts';
import type { DecideSteps } from '../../../src/store/mongo/decide-steps.ts';
import {
  decisionInput,
  entriesOf,
  getRecord,
  openTrail,
  putRecord,
  type TrailPlace,
} from './trail-harness.ts';

/** Lets one of several actors take a step at a time; which one, a seed decides. */
interface Turns {
  step<Result>(run: () => Promise<Result>): Promise<Result>;
  /** An actor takes no more steps. */
  leave(): void;
}

function createTurns(seed: number, actors: number): Turns {
  const random = createRandom(seed);
  const waiting: (() => void)[] = [];
  let live = actors;
  const next = () => {
    if (waiting.length < live || waiting.length === 0) return;
    const [chosen] = waiting.splice(Math.floor(random() * waiting.length), 1);
    chosen?.();
  };
  return {
    async step(run) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        next();
      });
      return run();
    },
    leave() {
      live -= 1;
      next();
    },
  };
}

/** Mulberry32: the same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Runs decisions of one daemon against the reconciler of another that takes every intent for
 * overdue, step by step in an order drawn from each seed. Returns what the trail says wrongly.
 */
export async function raceRuns(
  t: ExecutionContext,
  place: TrailPlace,
  { seeds, isFenced }: { seeds: number; isFenced: boolean },
): Promise<string[]> {
  let turns = createTurns(0, 0);
  let onIntent: () => void = () => undefined;
  const gate = (steps: DecideSteps): DecideSteps => ({
    ...steps,
    replaceRecord: (...args) => turns.step(() => steps.replaceRecord(...args)),
    readDecision: (...args) => turns.step(() => steps.readDecision(...args)),
    fence: (...args) =>
      turns.step(() => (isFenced ? steps.fence(...args) : steps.readDecision(...args))),
    accept: (...args) => turns.step(() => steps.accept(...args)),
    async append(event, waitMs) {
      if (event.phase !== 'intent') return turns.step(() => steps.append(event, waitMs));
      const written = await steps.append(event, waitMs);
      onIntent();
      return written;
    },
  });
  const writer = await openTrail(t, place, { instance: 'racing', wrapSteps: gate });
  // Opened with the name of the first, it takes that one for dead.
  const reconciler = await openTrail(t, place, { instance: 'racing', wrapSteps: gate });

  const faults: string[] = [];
  for (let seed = 0; seed < seeds; seed += 1) {
    const rfcId = `RFC-${isFenced}-${seed}`;
    await putRecord(place, { rfc_id: rfcId });
    turns = createTurns(seed, 2);
    const started = new Promise<void>((resolve) => {
      onIntent = resolve;
    });
    const settling = started.then(() => reconciler.reconcile()).finally(() => turns.leave());
    const answer = await writer
      .decide(decisionInput(rfcId, `op ${rfcId}`, { accept_findings: true }))
      .then(
        () => 'done',
        (thrown: CraError) => thrown.code,
      )
      .finally(() => {
        turns.leave();
        // On a busy machine a decision may be refused before its intent is written.
        onIntent();
      });
    await settling;
    const fault = await faultOf(place, rfcId, answer);
    if (fault !== null) faults.push(`seed ${seed}: ${fault}`);
  }
  return faults;
}

/** Record, trail and answer must tell the same; null: they do. */
async function faultOf(place: TrailPlace, rfcId: string, answer: string): Promise<string | null> {
  const opId = `op ${rfcId}`;
  const record = await getRecord(place, rfcId);
  const isDecided = record?.override_history.some(({ decision_id }) => decision_id === opId);
  const phase = (await entriesOf(place, opId)).find(({ slot }) => slot === 'outcome')?.phase;
  const isTold = phase === 'done';
  const isAnswered = answer === 'done';
  if (isDecided === isTold && isTold === isAnswered) return null;
  return `decided ${isDecided}, the trail says ${phase}, the answer was ${answer}`;
}
