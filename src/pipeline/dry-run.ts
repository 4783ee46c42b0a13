import { CraError } from '../domain/errors.ts';
import { findingsOf } from '../domain/outcome.ts';
import type { RfcRecord, RfcSummary } from '../domain/records.ts';
import { PIPELINE, RULES } from '../limits.ts';
import type { Analysis } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Store } from '../store/store.ts';
import type { Admission } from './admission.ts';
import { type RulesSource, runJob } from './job.ts';

/** What other rules would make of recent changes. */
export interface DryRun {
  /** RFCs that were analysed again. */
  checked: number;
  /** RFCs whose diff is not kept any more, or that could not be analysed in time. */
  skipped: number;
  changed: ChangedVerdict[];
}

export interface ChangedVerdict {
  rfc_id: string;
  repo_name: string;
  from: 'PASSED' | 'BLOCKED';
  to: 'PASSED' | 'BLOCKED';
  /** Rules with findings that were not there, and those that would be gone. */
  new_rules: string[];
  gone_rules: string[];
}

export interface DryRunOptions {
  admission: Admission;
  analysis: Client<typeof Analysis>;
  store: Pick<Store, 'getDiff' | 'getRfc' | 'listRfcs'>;
}

/**
 * Analyses the newest `limit` RFCs of a tenant again under other rules, one after the other and
 * behind whoever waits for a thread, for RULES.DRY_RUN_MS at most. Nothing is stored.
 */
export async function dryRun(
  { admission, analysis, store }: DryRunOptions,
  tenant_id: string,
  rules: RulesSource,
  limit: number,
  signal: AbortSignal | null,
): Promise<DryRun> {
  const endAt = performance.now() + RULES.DRY_RUN_MS;
  const page = await store.listRfcs({ tenant_id, status: null, repo: null, limit, cursor: null });
  const summaries = JSON.parse(Buffer.from(page.json).toString()) as RfcSummary[];
  const result: DryRun = { checked: 0, skipped: 0, changed: [] };
  for (const { rfc_id } of summaries) {
    const again = performance.now() < endAt ? await analyseAgain(rfc_id) : null;
    if (again === null) {
      result.skipped += 1;
      continue;
    }
    result.checked += 1;
    const change = compare(again.before, again.after);
    if (change !== null) result.changed.push(change);
  }
  return result;

  async function analyseAgain(rfc_id: string) {
    const key = { tenant_id, rfc_id };
    const release = await admission.acquire({
      caller: 'rules-dry-run',
      bytes: 0,
      waitMs: PIPELINE.ADMISSION_WAIT_MS,
      signal,
    });
    try {
      const before = JSON.parse(
        Buffer.from((await store.getRfc(key)).json).toString(),
      ) as RfcRecord;
      const { chunks } = await store.getDiff(key);
      const { submitted_by: principal, created_at } = before;
      const context = { rfc_id, principal, created_at, record: before, chunks };
      const outcome = await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
        analysis.resume({ ...context, ...job }, call),
      );
      return { before, after: JSON.parse(outcome.record.json) as RfcRecord };
    } catch (thrown) {
      if (signal?.aborted || !isSkippable(thrown)) throw thrown;
      return null;
    } finally {
      release();
    }
  }
}

/** Its diff is gone, or it was deleted meanwhile. */
function isSkippable(thrown: unknown): boolean {
  return thrown instanceof CraError && thrown.code === 'NOT_FOUND';
}

function compare(before: RfcRecord, after: RfcRecord): ChangedVerdict | null {
  const [from, to] = [verdictOf(before), verdictOf(after)];
  if (from === to) return null;
  const [was, is] = [rulesOf(before), rulesOf(after)];
  return {
    rfc_id: before.rfc_id,
    repo_name: before.repo_name,
    from,
    to,
    new_rules: [...is].filter((id) => !was.has(id)),
    gone_rules: [...was].filter((id) => !is.has(id)),
  };
}

/** Of gates 1 and 2, whatever was decided about the RFC since. */
function verdictOf({ gates }: RfcRecord): 'PASSED' | 'BLOCKED' {
  return gates.risk.status === 'fail' || gates.ast.status === 'fail' ? 'BLOCKED' : 'PASSED';
}

function rulesOf(record: RfcRecord): Set<string> {
  const open = findingsOf(record).filter(({ suppressed }) => suppressed === null);
  return new Set(open.map(({ id }) => id));
}
