import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, createPause, systemClock } from '../core/rate-limit.ts';
import { CraError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { CALIBRATION, type ScoreCurve, type ScoreCurves } from '../model/score.ts';
import type { DeployStore } from '../store/contract/deploys.ts';
import { type LabelReads, labelledChanges } from './score-labels.ts';
import { fitGroup, type GroupReport, groupsOf, reportGroup } from './score-report.ts';

/** The scores of a tenant beside what became of its changes. */
export interface ScoreReport {
  /** Null: no curve was fitted yet. */
  version: number | null;
  made_at: string | null;
  /** When this was read, ISO 8601. */
  read_at: string;
  /** False: it has more RFCs or reports than one look reads. */
  is_whole: boolean;
  groups_total: number;
  /** At most `CALIBRATION.GROUPS_MAX`. */
  groups: GroupReport[];
}

/** Fits curves of scores to outcomes, and hands them to analyses. */
export interface ScoreKeeper {
  /**
   * The newest curves of a tenant as this daemon knows them; null: the shipped curve counts. Only
   * the first call of a tenant reads the store; where that fails, the shipped curve counts.
   */
  curvesFor(tenant_id: string): Promise<ScoreCurves | null>;
  /** At most `CALIBRATION.READ_INTERVAL_MS` old. */
  report(principal: Principal): Promise<ScoreReport>;
  /** A version of the curves. NOT_FOUND: it does not exist. */
  version(principal: Principal, version: number): Promise<ScoreCurves>;
  /**
   * Reads the newest curves of a tenant. Once in `CALIBRATION.FIT_INTERVAL_MS`, over all daemons,
   * they are fitted, and a new version is made where one differs; the curve of a group stays while
   * not all of its reports can be read.
   */
  fitCurves(tenant_id: string): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface ScoreKeeperOptions extends LabelReads {
  deploys: LabelReads['deploys'] & Pick<DeployStore, 'addCurves' | 'newestCurves'>;
  onError(error: CraError, tenantId: string): void;
  clock?: Clock;
}

/** What the keeper knows of a tenant. */
interface Known {
  curves: ScoreCurves | null;
  /** Ms since the epoch; 0: not by this daemon. */
  fittedMs: number;
  report: { readMs: number; made: Promise<ScoreReport> } | null;
}

/** Creates it. Every tenant is looked at that this daemon has analysed for or reported to. */
export function createScoreKeeper(options: ScoreKeeperOptions): ScoreKeeper {
  const { deploys, onError, clock = systemClock } = options;
  const stopping = new AbortController();
  const pause = createPause(clock);
  const tenants = new Map<string, Promise<Known>>();
  let running: Promise<void> = Promise.resolve();

  function knownOf(tenant_id: string): Promise<Known> {
    const known = tenants.get(tenant_id) ?? load(tenant_id);
    tenants.set(tenant_id, known);
    return known;
  }

  async function load(tenant_id: string): Promise<Known> {
    try {
      const { curves } = await deploys.newestCurves({ tenant_id, below: null });
      return { curves, fittedMs: 0, report: null };
    } catch (thrown) {
      tenants.delete(tenant_id);
      throw thrown;
    }
  }

  async function fitCurves(tenant_id: string): Promise<void> {
    const known = await knownOf(tenant_id);
    const { curves: newest } = await deploys.newestCurves({ tenant_id, below: null });
    known.curves = newest;
    const madeMs = newest === null ? 0 : Date.parse(newest.made_at);
    if (clock.now() - Math.max(known.fittedMs, madeMs) < CALIBRATION.FIT_INTERVAL_MS) return;
    const { groups, unread } = await look(tenant_id);
    const inForce = newest?.curves ?? [];
    const curves = inForce.filter(({ group }) => unread.has(group));
    const read = groups.filter(([group]) => !unread.has(group));
    for (const [group, own] of read.slice(0, CALIBRATION.GROUPS_MAX - curves.length)) {
      const fitted = await fitGroup(own);
      if (typeof fitted !== 'string') curves.push({ group, ...fitted });
    }
    curves.sort((a, b) => (a.group < b.group ? -1 : 1));
    known.fittedMs = clock.now();
    if (isSame(inForce, curves)) return;
    const version = (newest?.version ?? 0) + 1;
    const made_at = new Date(clock.now()).toISOString();
    const next = { version, made_at, curves };
    const { added } = await deploys.addCurves({ tenant_id, curves: next });
    // Another daemon was faster: its version is read at the next interval.
    if (added) known.curves = next;
  }

  async function look(tenant_id: string) {
    const reads = { ...options, signal: stopping.signal };
    const { changes, ...labels } = await labelledChanges(tenant_id, clock.now(), reads);
    await turn();
    return { ...labels, groups: groupsOf(changes) };
  }

  async function makeReport(tenant_id: string): Promise<ScoreReport> {
    const { groups, isWhole, unread } = await look(tenant_id);
    const { curves } = await deploys.newestCurves({ tenant_id, below: null });
    const reports: GroupReport[] = [];
    for (const [group, own] of groups.slice(0, CALIBRATION.GROUPS_MAX)) {
      reports.push(await reportGroup(group, own, { isUnread: unread.has(group), curves }));
    }
    return {
      version: curves?.version ?? null,
      made_at: curves?.made_at ?? null,
      read_at: new Date(clock.now()).toISOString(),
      is_whole: isWhole,
      groups_total: groups.length,
      groups: reports,
    };
  }

  return {
    fitCurves,
    async curvesFor(tenant_id) {
      try {
        return (await knownOf(tenant_id)).curves;
      } catch (thrown) {
        onError(CraError.fromUnknown(thrown), tenant_id);
        return null;
      }
    },
    async report({ tenant_id }) {
      const known = await knownOf(tenant_id);
      const nowMs = clock.now();
      const isFresh = nowMs - (known.report?.readMs ?? 0) < CALIBRATION.READ_INTERVAL_MS;
      const report =
        known.report !== null && isFresh
          ? known.report
          : { readMs: nowMs, made: makeReport(tenant_id) };
      known.report = report;
      try {
        return await report.made;
      } catch (thrown) {
        known.report = null;
        throw thrown;
      }
    },
    async version({ tenant_id }, version) {
      const { curves } = await deploys.newestCurves({ tenant_id, below: version + 1 });
      if (curves?.version === version) return curves;
      throw new CraError('NOT_FOUND', 'no curves of this version were made');
    },
    start() {
      const run = async () => {
        while (!stopping.signal.aborted) {
          await pause.wait(CALIBRATION.READ_INTERVAL_MS);
          for (const tenant of [...tenants.keys()]) {
            if (stopping.signal.aborted) return;
            await fitCurves(tenant).catch((thrown) => {
              if (!stopping.signal.aborted) onError(CraError.fromUnknown(thrown), tenant);
            });
          }
        }
      };
      running = run();
    },
    async stop() {
      stopping.abort(new CraError('UNAVAILABLE', 'the service is stopping'));
      pause.wake();
      await running;
    },
  };
}

/** Whether both say the same of every group; how many changes they are fitted to does not count. */
function isSame(one: readonly ScoreCurve[], other: readonly ScoreCurve[]): boolean {
  const line = (curves: readonly ScoreCurve[]) =>
    JSON.stringify(curves.map(({ group, slope, offset }) => [group, slope, offset]));
  return line(one) === line(other);
}
