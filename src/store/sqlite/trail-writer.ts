import type { AuditStatus } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import type { TrailWriter } from '../contract/trail.ts';
import { unwritableTrail } from '../errors.ts';
import type { TrailGate } from '../trail-gate.ts';
import type { AuditLog } from './audit-log.ts';
import type { AuditSeals } from './checkpoints.ts';
import type { Connection } from './database.ts';
import { createDecisionSteps } from './decide.ts';
import { errorCode } from './errors.ts';
import type { GroupCommit } from './group-commit.ts';

export interface TrailWriterOptions {
  database: Connection;
  log: AuditLog;
  commits: GroupCommit;
  settle: TrailSettle;
  gate: TrailGate;
  /** Ms since the epoch. */
  now: () => number;
}

/** Waits for a write to the trail; its failures become errors for callers. */
export type TrailSettle = <Output>(write: Promise<Output>) => Promise<Output>;

/** Creates it; `seals` learns of new entries. */
export function createTrailSettle(seals: AuditSeals): TrailSettle {
  return async (write) => {
    try {
      const output = await write;
      seals.noticeEntries();
      return output;
    } catch (thrown) {
      throw asTrailError(thrown);
    }
  };
}

/** The writing methods of Trail on an open database. */
export function createTrailWriter(options: TrailWriterOptions): TrailWriter {
  const { database, log, commits, settle, gate } = options;
  const steps = createDecisionSteps(database, log, options.now);

  return {
    async decide(input, call) {
      if (gate.state !== 'open') await gate.pass();
      return settle(commits.write(DECISION_BYTES, () => steps.decide(input), call));
    },
    appendEvent: ({ event }, call) =>
      settle(commits.write(DECISION_BYTES, () => steps.appendEvent(event), call)),
    auditStatus: () => statusOf(log, commits.isFull, gate),
  };
}

/** About what a record, its entry and its output weigh; only the size of batches depends on it. */
const DECISION_BYTES = 8 * 1024;

const NOT_ENFORCED =
  'SQLite can not refuse its own writer: what is changed or removed in the file is found by ' +
  '`cra audit verify`, not prevented';
const FULL = 'the disk is full: decisions are refused until there is room again';

function statusOf(log: AuditLog, isFull: boolean, gate: TrailGate): AuditStatus {
  const { chain, bytes, checkpoint } = log.mark();
  return {
    worm: 'tamper-evident',
    problems: [NOT_ENFORCED, isFull ? FULL : null, gate.problem].filter((one) => one !== null),
    state: isFull ? 'full' : gate.state === 'open' ? 'up' : gate.state,
    chain: chain.chain,
    seq: chain.size,
    bytes,
    bytes_max: null,
    last_checkpoint: checkpoint === null ? null : { seq: checkpoint.seq, at: checkpoint.at },
    open_intents: 0,
  };
}

/** Codes after which nothing of a write is there: its transaction was undone or never begun. */
const UNDONE = new Set(['UNAVAILABLE', 'RESOURCE_EXHAUSTED']);

/**
 * A trail that can't be written is UNAVAILABLE, whatever the reason; `changed: false` sets it
 * apart from a thread that was lost on the way. A sync that fails leaves open what is on the disk.
 */
function asTrailError(thrown: unknown): unknown {
  if (!(thrown instanceof CraError) || !UNDONE.has(thrown.code)) return thrown;
  const cause = errorCode(thrown.cause);
  if (cause.endsWith('_FSYNC')) {
    const message = 'the disk failed: it is not known whether this was done';
    return new CraError('UNKNOWN', message, { cause: thrown });
  }
  // Too many writes wait: that passes, and the trail itself works.
  if (cause === '' && thrown.code === 'RESOURCE_EXHAUSTED') return thrown;
  return unwritableTrail(thrown);
}
