import { CraError } from '../model/errors.ts';
import { READINESS } from '../model/limits.ts';
import { auditState, type StatusOptions, storeState } from './status.ts';

/**
 * Whether a load balancer may send requests to this daemon, apart from liveness. Rules need no
 * question: a daemon does not listen before some are in force.
 */
export interface Readiness {
  /**
   * Resolves while the daemon is ready; rejects with UNAVAILABLE, which says why it is not.
   * `caller`: the address that asks.
   */
  check(caller: string): Promise<void>;
  /**
   * To be called first at a stop: the daemon is not ready from now on. Resolves when load balancers
   * know, each by its own refusals, or at once where none has asked lately.
   */
  announceStop(): Promise<void>;
}

type ReadinessOptions = Pick<StatusOptions, 'store' | 'driver' | 'trail' | 'pool'>;

/** Creates it; the parts are looked at when somebody asks, at most once in `READINESS.LOOK_MS`. */
export function createReadiness(options: ReadinessOptions): Readiness {
  /** When each caller asked last, how often, and how often refused at the stop; the newest last. */
  const callers = new Map<string, { at: number; asks: number; refusals: number }>();
  /** The newest look at the parts. All callers share it: anybody may ask, without a credential. */
  let look: { at: number; problems: Promise<string[]> } | null = null;
  let stop: { told(): void } | null = null;

  function problems(): Promise<string[]> {
    const now = performance.now();
    if (look === null || now - look.at >= READINESS.LOOK_MS) {
      look = { at: now, problems: problemsOf(options) };
    }
    return look.problems;
  }

  /** The caller is noted, and the one forgotten that asked longest ago. */
  function note(caller: string): void {
    const { asks, refusals } = callers.get(caller) ?? { asks: 0, refusals: 0 };
    callers.delete(caller);
    const next = { asks: asks + 1, refusals: stop === null ? 0 : refusals + 1 };
    callers.set(caller, { at: performance.now(), ...next });
    const [oldest] = callers.keys();
    if (callers.size > READINESS.CALLERS_MAX && oldest !== undefined) callers.delete(oldest);
  }

  /** A caller that asked once is a person, not a balancer. */
  function isToldToAll(): boolean {
    const since = performance.now() - READINESS.ASKED_WITHIN_MS;
    const watching = [...callers.values()].filter(({ at, asks }) => at >= since && asks > 1);
    return watching.every(({ refusals }) => refusals >= READINESS.REFUSALS);
  }

  return {
    async check(caller) {
      note(caller);
      if (stop !== null) {
        if (isToldToAll()) stop.told();
        throw notReady(['the service is stopping']);
      }
      const found = await problems();
      if (found.length > 0) throw notReady(found);
    },
    async announceStop() {
      const isUnwatched = isToldToAll();
      const told = new Promise<void>((resolve) => {
        stop = { told: resolve };
      });
      if (isUnwatched) return;
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
