import { setImmediate as turn } from 'node:timers/promises';
import { type Clock, createPause, systemClock } from '../core/rate-limit.ts';
import { CraError } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { CALIBRATION, type ScoreCurve, type ScoreCurves } from '../model/score.ts';
import type { DeployStore } from '../store/contract/deploys.ts';
import { type LabelReads, type Labels, labelledChanges } from './score-labels.ts';
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
  /** Fits the curves of a tenant now; a new version is made where one differs. */
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
  /** Ms since the epoch. */
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
    const labels = await labelledChanges(tenant_id, clock.now(), options);
    const curves: ScoreCurve[] = [];
    for (const [group, changes] of groupsOf(labels.changes).slice(0, CALIBRATION.GROUPS_MAX)) {
      // Each takes some ms; requests are served in between.
      await turn();
      const fitted = fitGroup(changes);
      if (typeof fitted === 'string') continue;
      const failures = changes.filter(({ isFailure }) => isFailure).length;
      curves.push({ group, ...fitted, changes: changes.length, failures });
    }
    curves.sort((a, b) => (a.group < b.group ? -1 : 1));
    known.fittedMs = clock.now();
    const newest = await deploys.newestCurves({ tenant_id, below: null });
    known.curves = newest.curves;
    if (isSame(newest.curves?.curves ?? [], curves)) return;
    const version = (newest.curves?.version ?? 0) + 1;
    const made_at = new Date(clock.now()).toISOString();
    const next = { version, made_at, curves };
    const { added } = await deploys.addCurves({ tenant_id, curves: next });
    // Another daemon was faster: its version is read at the next interval.
    if (added) known.curves = next;
  }

  async function refresh(tenant_id: string): Promise<void> {
    const known = await knownOf(tenant_id);
    if (clock.now() - known.fittedMs >= CALIBRATION.FIT_INTERVAL_MS)
      return await fitCurves(tenant_id);
    known.curves = (await deploys.newestCurves({ tenant_id, below: null })).curves;
  }

  async function makeReport(tenant_id: string): Promise<ScoreReport> {
    const { changes, isWhole }: Labels = await labelledChanges(tenant_id, clock.now(), options);
    const { curves } = await deploys.newestCurves({ tenant_id, below: null });
    const groups: GroupReport[] = [];
    for (const [group, own] of groupsOf(changes)) {
      await turn();
      groups.push(reportGroup(group, own, { place: groups.length, curves }));
    }
    return {
      version: curves?.version ?? null,
      made_at: curves?.made_at ?? null,
      read_at: new Date(clock.now()).toISOString(),
      is_whole: isWhole,
      groups,
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
      throw new CraError('NOT_FOUND', `there is no version ${version} of the curves`);
    },
    start() {
      const run = async () => {
        while (!stopping.signal.aborted) {
          await pause.wait(CALIBRATION.READ_INTERVAL_MS);
          for (const tenant of [...tenants.keys()]) {
            if (stopping.signal.aborted) return;
            await refresh(tenant).catch((thrown) => onError(CraError.fromUnknown(thrown), tenant));
          }
        }
      };
      running = run();
    },
    async stop() {
      stopping.abort();
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
