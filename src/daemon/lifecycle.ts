import { PIPELINE } from '../analysis/limits.ts';
import { AUTH } from '../auth/limits.ts';
import { AST_GATE } from '../gates/limits.ts';
import { GIT } from '../git/limits.ts';
import { HTTP } from '../http/server/limits.ts';
import { BODY, FIELDS, JOB, READINESS, SOURCE } from '../model/limits.ts';
import { COMMIT_STATUS, PUSHES } from '../pushes/limits.ts';
import { MONGO, MONGO_TRAIL, STORE, TRAIL } from '../store/limits.ts';

const SECOND_MS = 1000;

export const LIFECYCLE = {
  /** A start that is asked to stop may end first; with the stop it is below TimeoutStopSec. */
  START_GRACE_MS: 9 * SECOND_MS,
  /** SIGTERM to exit: requests in flight get this long. */
  SHUTDOWN_DEADLINE_MS: 30 * SECOND_MS,
  /**
   * A job past its own deadline, or a thread without an answer, for so long: systemd is not
   * notified any more, and restarts the daemon.
   */
  STUCK_MS: 10 * SECOND_MS,
} as const;

export interface Lifecycle {
  /** Registers a step of the stop; the last registered runs first. */
  onStop(name: string, stop: () => Promise<void> | void): void;
  /** Registers a part that must not get stuck: `lateMs` says how long, in ms, it has been. */
  onLook(name: string, lateMs: () => number): void;
  /** The part that has been stuck for `LIFECYCLE.STUCK_MS`, in words; null when none is. */
  stuck(): string | null;
  /** Stops everything once; later calls get the same promise. Resolves with the exit code. */
  stop(): Promise<number>;
}

export interface LifecycleOptions {
  /** Receives every step, with its error if it failed or ran out of time. */
  onStep(step: string, error: unknown): void;
  deadlineMs?: number;
}

/**
 * Ordered stop under one deadline. Steps run one after the other; a step that fails does not
 * keep the next from running. When the deadline passes, the remaining steps are skipped and the
 * code is 1.
 */
export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const steps: { name: string; stop: () => Promise<void> | void }[] = [];
  const looks: { name: string; lateMs: () => number }[] = [];
  let stopping: Promise<number> | null = null;

  async function runSteps(): Promise<number> {
    let code = 0;
    for (const step of steps.reverse()) {
      if (!(await runStep(step))) code = 1;
    }
    return code;
  }

  async function runStep({ name, stop }: (typeof steps)[number]): Promise<boolean> {
    try {
      await stop();
      options.onStep(name, null);
      return true;
    } catch (error) {
      options.onStep(name, error);
      return false;
    }
  }

  async function withDeadline(): Promise<number> {
    const deadlineMs = options.deadlineMs ?? LIFECYCLE.SHUTDOWN_DEADLINE_MS;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<number>((resolve) => {
      timer = setTimeout(() => {
        options.onStep('deadline', new Error(`not stopped after ${deadlineMs} ms`));
        resolve(1);
      }, deadlineMs);
    });
    const code = await Promise.race([runSteps(), late]);
    clearTimeout(timer);
    return code;
  }

  return {
    onStop(name, stop) {
      // What came up while everything else already went down goes down at once.
      if (stopping !== null) void runStep({ name, stop });
      else steps.push({ name, stop });
    },
    onLook: (name, lateMs) => looks.push({ name, lateMs }),
    stuck() {
      const late = looks.map(({ name, lateMs }) => ({ name, ms: lateMs() }));
      const found = late.find(({ ms }) => ms >= LIFECYCLE.STUCK_MS);
      if (found === undefined || stopping !== null) return null;
      return `${found.name} has not gone on for ${Math.round(found.ms / 1000)} s`;
    },
    stop() {
      stopping ??= withDeadline();
      return stopping;
    },
  };
}

/**
 * Throws an Error that names two bounds which contradict each other. Bounds live with their rooms,
 * so an edit of one could break another without a test that fails; this ends the start instead.
 */
export function checkBounds(): void {
  checkMongoLimits();
  checkDeadlines();
  checkLeases();
  checkSizes();
}

/** A caller waits longer than what it calls. */
function checkDeadlines(): void {
  assertAscending({
    'STORE.LOOKUP_MS': STORE.LOOKUP_MS,
    'PIPELINE.ADMISSION_WAIT_MS': PIPELINE.ADMISSION_WAIT_MS,
    'PIPELINE.ANSWER_WITHIN_MS': PIPELINE.ANSWER_WITHIN_MS,
    'JOB.ATTEMPT_DEADLINE_MS': JOB.ATTEMPT_DEADLINE_MS,
  });
  assertAscending({
    'AST_GATE.CALL_CPU_MS': AST_GATE.CALL_CPU_MS,
    'AST_GATE.WHOLE_CPU_MS': AST_GATE.WHOLE_CPU_MS,
    'AST_GATE.RFC_CPU_MS': AST_GATE.RFC_CPU_MS,
    'both of these': AST_GATE.WHOLE_CPU_MS + AST_GATE.RFC_CPU_MS,
    'JOB.ATTEMPT_DEADLINE_MS': JOB.ATTEMPT_DEADLINE_MS,
  });
  assertAscending({
    'PUSHES.STORE_RETRY_MS': PUSHES.STORE_RETRY_MS,
    'PUSHES.STORE_WAIT_MS': PUSHES.STORE_WAIT_MS,
    'STORE.CALL_DEADLINE_MS': STORE.CALL_DEADLINE_MS,
    'HTTP.BODY_DEADLINE_MS': HTTP.BODY_DEADLINE_MS,
  });
  assertAscending({
    'the parts of a diff': GIT.RENAMES_MS + GIT.PATCH_MS + GIT.HISTORY_MS,
    'SOURCE.DIFF_DEADLINE_MS': SOURCE.DIFF_DEADLINE_MS,
    'SOURCE.SYNC_DEADLINE_MS': SOURCE.SYNC_DEADLINE_MS,
  });
  assertAscending({
    'HTTP.DRAIN_UPLOADS_MS': HTTP.DRAIN_UPLOADS_MS,
    'HTTP.DRAIN_MS': HTTP.DRAIN_MS,
    'HTTP.DRAIN_MS and READINESS.STOP_WAIT_MS': HTTP.DRAIN_MS + READINESS.STOP_WAIT_MS,
    'LIFECYCLE.SHUTDOWN_DEADLINE_MS': LIFECYCLE.SHUTDOWN_DEADLINE_MS,
  });
}

/** Leases are renewed before they end, even if one renewal is missed. */
function checkLeases(): void {
  assertAscending({
    'twice PUSHES.RENEW_INTERVAL_MS': 2 * PUSHES.RENEW_INTERVAL_MS,
    'PUSHES.LEASE_MS': PUSHES.LEASE_MS,
  });
  assertAscending({
    'AUTH.SESSION_TOUCH_MS': AUTH.SESSION_TOUCH_MS,
    'AUTH.SESSION_IDLE_MS': AUTH.SESSION_IDLE_MS,
    'AUTH.SESSION_MAX_MS': AUTH.SESSION_MAX_MS,
  });
  assertAscending({
    'COMMIT_STATUS.RETRY_MS_MIN': COMMIT_STATUS.RETRY_MS_MIN,
    'COMMIT_STATUS.RETRY_MS_MAX': COMMIT_STATUS.RETRY_MS_MAX,
    'COMMIT_STATUS.RETRY_LATE_MS': COMMIT_STATUS.RETRY_LATE_MS,
    'COMMIT_STATUS.RETRY_FOR_MS': COMMIT_STATUS.RETRY_FOR_MS,
  });
}

/** Smaller bounds of sizes fit into larger ones. */
function checkSizes(): void {
  assertAscending({
    'FIELDS.COMMIT_MESSAGE_CHARS_MAX': FIELDS.COMMIT_MESSAGE_CHARS_MAX,
    'BODY.SMALL_BYTES_MAX': BODY.SMALL_BYTES_MAX,
    'BODY.LARGE_BYTES_MAX': BODY.LARGE_BYTES_MAX,
    'HTTP.UNPROVEN_BUDGET_BYTES': HTTP.UNPROVEN_BUDGET_BYTES,
    'HTTP.SPOOL_BUDGET_BYTES': HTTP.SPOOL_BUDGET_BYTES,
  });
  assertAscending({
    'HTTP.HEADER_BYTES_MAX': HTTP.HEADER_BYTES_MAX,
    'HTTP.HEADER_BYTES_HARD_MAX': HTTP.HEADER_BYTES_HARD_MAX,
  });
  assertAscending({
    'GIT.BLOB_BYTES_MAX': GIT.BLOB_BYTES_MAX,
    'SOURCE.BLOBS_BYTES_MAX': SOURCE.BLOBS_BYTES_MAX,
  });
}

/** A caller of MongoDB, too, waits longer than what it calls. */
function checkMongoLimits(): void {
  assertAscending({
    'MONGO.HEARTBEAT_MS': MONGO.HEARTBEAT_MS,
    'MONGO.SERVER_SELECTION_MS': MONGO.SERVER_SELECTION_MS,
    'MONGO.READ_WAIT_MS': MONGO.READ_WAIT_MS,
    'MONGO.OPERATION_MS': MONGO.OPERATION_MS,
    'MONGO.ANSWER_MS': MONGO.ANSWER_MS,
    'STORE.CALL_DEADLINE_MS': STORE.CALL_DEADLINE_MS,
    'MONGO.HUNG_MS': MONGO.HUNG_MS,
  });
  assertAscending({
    'MONGO_TRAIL.INTENT_WAIT_MS': MONGO_TRAIL.INTENT_WAIT_MS,
    'MONGO_TRAIL.ATTEMPT_MS': MONGO_TRAIL.ATTEMPT_MS,
    'MONGO_TRAIL.ATTEMPT_HUNG_MS': MONGO_TRAIL.ATTEMPT_HUNG_MS,
    'TRAIL.DECIDE_DEADLINE_MS': TRAIL.DECIDE_DEADLINE_MS,
    'MONGO_TRAIL.INTENT_OVERDUE_MS': MONGO_TRAIL.INTENT_OVERDUE_MS,
  });
  const { ALARM_FILL, REFUSE_FILL } = MONGO_TRAIL;
  assertAscending({ ALARM_FILL, REFUSE_FILL, 'the whole collection': 1 });
}

/**
 * Throws unless each value is above the one before it: bounds that only work in this order (a
 * driver gives up before its caller does). To be called at start, so that an edit of one bound
 * cannot quietly break another.
 */
export function assertAscending(bounds: Readonly<Record<string, number>>): void {
  const entries = Object.entries(bounds);
  for (const [at, [name, value]] of entries.entries()) {
    const next = entries[at + 1];
    if (next === undefined || value < next[1]) continue;
    throw new Error(`${name} (${value}) must be below ${next[0]} (${next[1]})`);
  }
}
