import { CraError } from '../model/errors.ts';
import { READINESS } from '../model/limits.ts';
import { auditState, type StatusOptions, storeState } from './status.ts';

/**
 * Whether a load balancer may send requests to this daemon, apart from liveness. Rules need no
 * question: a daemon does not listen before some are in force.
 */
export interface Readiness {
  /** Resolves while the daemon is ready; rejects with UNAVAILABLE, which says why it is not. */
  check(): Promise<void>;
  /**
   * To be called first at a stop: the daemon is not ready from now on. Resolves when load balancers
   * know, or at once where none has asked lately.
   */
  announceStop(): Promise<void>;
}

type ReadinessOptions = Pick<StatusOptions, 'store' | 'driver' | 'trail' | 'pool'>;

/** Creates it; the parts are looked at when somebody asks, at most once in `READINESS.LOOK_MS`. */
export function createReadiness(options: ReadinessOptions): Readiness {
  let asked = Number.NEGATIVE_INFINITY;
  /** The newest look at the parts. All callers share it: anybody may ask, without a credential. */
  let look: { at: number; problems: Promise<string[]> } | null = null;
  let stop: { refusals: number; told(): void } | null = null;

  function problems(): Promise<string[]> {
    const now = performance.now();
    if (look === null || now - look.at >= READINESS.LOOK_MS) {
      look = { at: now, problems: problemsOf(options) };
    }
    return look.problems;
  }

  return {
    async check() {
      asked = performance.now();
      if (stop !== null) {
        stop.refusals += 1;
        if (stop.refusals >= READINESS.REFUSALS) stop.told();
        throw notReady(['the service is stopping']);
      }
      const found = await problems();
      if (found.length > 0) throw notReady(found);
    },
    async announceStop() {
      const isWatched = performance.now() - asked < READINESS.ASKED_WITHIN_MS;
      const told = new Promise<void>((resolve) => {
        stop = { refusals: 0, told: resolve };
      });
      if (!isWatched) return;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, READINESS.STOP_WAIT_MS);
      });
      await Promise.race([told, late]);
      clearTimeout(timer);
    },
  };
}

/**
 * Each part that would refuse work, in words. A trail that is full is full for every daemon, and
 * refuses decisions alone: it does not count.
 */
async function problemsOf(options: ReadinessOptions): Promise<string[]> {
  const [store, audit] = await Promise.all([storeState(options), auditState(options)]);
  const found: string[] = [];
  if (store.state !== 'up') found.push(`the store is ${store.state}`);
  if (options.pool.alive === 0) found.push('no scan thread runs');
  const said = AUDIT_PROBLEMS[audit.state];
  if (said !== undefined) found.push(said);
  return found;
}

const AUDIT_PROBLEMS: Readonly<Record<string, string>> = {
  down: 'the audit trail is down',
  checking: 'the audit trail is being checked',
  refused: 'the audit trail lacks entries',
};

function notReady(problems: readonly string[]): CraError {
  return new CraError('UNAVAILABLE', `not ready: ${problems.join(', ')}`);
}
