import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TrailGap } from '../audit/continuity.ts';
import { CraError } from '../model/errors.ts';
import { TRAIL } from './contract/limits.ts';

/** Keeps decisions out until the trail was compared with what it should hold. */
export interface TrailGate {
  /** Null: the trail lacks nothing. A sentence for the operator else. */
  readonly problem: string | null;
  readonly state: 'checking' | 'open' | 'refused';
  /**
   * Resolves when decisions may be made. While the comparison runs it waits TRAIL.GATE_WAIT_MS for
   * it. Rejects with UNAVAILABLE, `details.code` is `trail-check`: nothing was changed.
   */
  pass(): Promise<void>;
  /** Compares (again). Resolves when that has ended, whatever it found. */
  check(): Promise<void>;
}

/** Creates a gate that is closed until `check` has found no gap. */
export function createTrailGate(
  findGap: () => Promise<TrailGap | null>,
  waitMs: number = TRAIL.GATE_WAIT_MS,
): TrailGate {
  let state: TrailGate['state'] = 'checking';
  let problem: string | null = 'the audit trail is compared with its last checkpoint';
  let running: Promise<void> | null = null;

  async function compare(): Promise<void> {
    try {
      const gap = await findGap();
      state = gap === null ? 'open' : 'refused';
      problem = gap === null ? null : sentenceOf(gap);
    } catch (thrown) {
      state = 'refused';
      const { message } = CraError.fromUnknown(thrown);
      problem = `the audit trail could not be compared with its last checkpoint: ${message}`;
    } finally {
      running = null;
    }
  }

  function check(): Promise<void> {
    running ??= compare();
    return running;
  }

  return {
    get problem() {
      return problem;
    },
    get state() {
      return state;
    },
    check,
    async pass() {
      if (state === 'open') return;
      if (state === 'checking') {
        const waited = new AbortController();
        const { signal } = waited;
        const late = delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
        await Promise.race([check(), late]);
        waited.abort();
      }
      // It may have changed meanwhile.
      if ((state as TrailGate['state']) !== 'open') throw refusal(state);
    },
  };
}

function sentenceOf({ chain, seq, reason }: TrailGap): string {
  const place = seq === null ? '' : `chain ${chain}, entry ${seq}: `;
  const advice = `run cra audit verify; to go on, cra audit accept --chain ${chain} --reason TEXT`;
  return `the audit trail lacks entries, so decisions are refused (${place}${reason}): ${advice}`;
}

function refusal(state: TrailGate['state']): CraError {
  const message =
    state === 'checking'
      ? 'the audit trail is being checked after the start: nothing was changed, try again'
      : 'the audit trail lacks entries or could not be checked: nothing was changed; ' +
        'an administrator has to look at it';
  return new CraError('UNAVAILABLE', message, {
    details: { code: 'trail-check', changed: false },
  });
}

/** Copied off the machine, this note proves that nothing before it was changed. */
const NOTE_FILE = 'checkpoint.note';

/** Puts a checkpoint into the data directory, durably and whole: a copy of it is never half. */
export function keepNote(dataDir: string, note: string): void {
  const file = join(dataDir, NOTE_FILE);
  const descriptor = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(descriptor, note);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
}

/** The checkpoint that was kept last; null: it is absent. */
export function readKeptNote(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, NOTE_FILE), 'utf8');
  } catch {
    return null;
  }
}
