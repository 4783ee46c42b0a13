import { type RulesSource, runJob } from '../analysis/job.ts';
import type { Admission } from '../analysis/scan-pool.ts';
import { CraError, type StatusCode } from '../model/errors.ts';
import type { Principal } from '../model/principal.ts';
import { findingsOf, type RfcRecord, type RfcSummary } from '../model/records.ts';
import type { Analysis } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { parseRecord } from '../store/stored-record.ts';
import type { RulesKeeper } from './rules-keeper.ts';

/** What rules would make of recent changes, and the revision that they would be. */
export interface DryRunReport extends DryRun {
  revision: string;
}

/**
 * Tries rules on the newest `limit` RFCs of the caller's tenant. INVALID_ARGUMENT names what is
 * wrong with them. Nothing is stored.
 */
export type RulesDryRun = (
  principal: Principal,
  text: string,
  limit: number,
  signal: AbortSignal | null,
) => Promise<DryRunReport>;

/** Creates it; one runs at a time, as each takes a thread for long. */
export function createRulesDryRun(
  keeper: Pick<RulesKeeper, 'build'>,
  options: DryRunOptions,
): RulesDryRun {
  let last: Promise<unknown> = Promise.resolve();
  return (principal, text, limit, signal) => {
    const run = async (): Promise<DryRunReport> => {
      // A caller that waited behind others may be gone.
      signal?.throwIfAborted();
      const start = performance.now();
      const { rules, revision } = await keeper.build(text);
      // Rules that are slow to compile take their time from that of the analyses.
      const withinMs = options.withinMs - (performance.now() - start);
      const tried = { rules, revision };
      const left = { ...options, withinMs };
      const result = await dryRun(left, principal.tenant_id, tried, limit, signal);
      return { revision, ...result };
    };
    const mine = last.then(run);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** The verdicts that other rules would give to recent changes. */
export interface DryRun {
  /** RFCs that were analysed again. */
  checked: number;
  /** RFCs whose diff is not kept any more. */
  skipped: number;
  /** RFCs that were not looked at: no thread was free for them, or not long enough. */
  unreached: number;
  changed: ChangedVerdict[];
}

export interface ChangedVerdict {
  rfc_id: string;
  repo_name: string;
  from: Verdict;
  to: Verdict;
  /** Rules with findings that were not there, and those that would be gone. */
  new_rules: string[];
  gone_rules: string[];
  /** Components with another verdict; one that the RFC does not name had that of the whole. */
  components: ChangedComponent[];
}

type Verdict = 'PASSED' | 'BLOCKED';

interface ChangedComponent {
  id: string;
  from: Verdict;
  to: Verdict;
}

export interface DryRunOptions {
  admission: Admission;
  analysis: Client<typeof Analysis>;
  store: Pick<RecordStore, 'getDiff' | 'getRfc' | 'listRfcs'>;
  /** How long it may take, waiting for threads included. */
  withinMs: number;
}

/**
 * Analyses the newest `limit` RFCs of a tenant again under other rules, one after the other and
 * behind all other jobs that wait for a thread. Nothing is stored.
 */
export async function dryRun(
  { admission, analysis, store, withinMs }: DryRunOptions,
  tenant_id: string,
  rules: RulesSource,
  limit: number,
  signal: AbortSignal | null,
): Promise<DryRun> {
  const endAt = performance.now() + withinMs;
  const page = await store.listRfcs({ tenant_id, status: null, repo: null, limit, cursor: null });
  const summaries = JSON.parse(page.json) as RfcSummary[];
  const result: DryRun = { checked: 0, skipped: 0, unreached: 0, changed: [] };
  for (const { rfc_id } of summaries) {
    const again = await analyseAgain(rfc_id);
    if (typeof again === 'string') {
      result[again] += 1;
      continue;
    }
    result.checked += 1;
    const change = compare(again.before, again.after);
    if (change !== null) result.changed.push(change);
  }
  return result;

  async function analyseAgain(rfc_id: string) {
    const waitMs = endAt - performance.now();
    if (waitMs <= 0) return 'unreached';
    const late = AbortSignal.timeout(Math.ceil(waitMs));
    const either = signal === null ? late : AbortSignal.any([signal, late]);
    try {
      const ticket = { caller: 'rules-dry-run', bytes: 0, waitMs, signal: either };
      const release = await admission.acquire(ticket);
      return await analyseOn({ tenant_id, rfc_id }, either).finally(release);
    } catch (thrown) {
      signal?.throwIfAborted();
      if (late.aborted || hasCode(thrown, 'RESOURCE_EXHAUSTED')) return 'unreached';
      // Its diff is gone, or it was deleted meanwhile.
      if (hasCode(thrown, 'NOT_FOUND')) return 'skipped';
      throw thrown;
    }
  }

  async function analyseOn(key: { tenant_id: string; rfc_id: string }, until: AbortSignal) {
    const before = parseRecord(Buffer.from((await store.getRfc(key)).json).toString());
    const { chunks } = await store.getDiff(key);
    const { rfc_id, submitted_by: principal, created_at } = before;
    const context = { rfc_id, principal, created_at, record: before, chunks };
    const outcome = await runJob(rules, { yieldAfterMs: null }, until, (job, call) =>
      analysis.resume({ ...context, ...job }, call),
    );
    return { before, after: parseRecord(outcome.record.json) };
  }
}

function hasCode(thrown: unknown, code: StatusCode): boolean {
  return thrown instanceof CraError && thrown.code === code;
}

function compare(before: RfcRecord, after: RfcRecord): ChangedVerdict | null {
  const [from, to] = [verdictOf(before), verdictOf(after)];
  const components = compareComponents(before, after);
  if (from === to && components.length === 0) return null;
  const [was, is] = [rulesOf(before), rulesOf(after)];
  return {
    rfc_id: before.rfc_id,
    repo_name: before.repo_name,
    from,
    to,
    new_rules: [...is].filter((id) => !was.has(id)),
    gone_rules: [...was].filter((id) => !is.has(id)),
    components,
  };
}

/** A change of those that the new map knows; what it does not name has no verdict any more. */
function compareComponents(before: RfcRecord, after: RfcRecord): ChangedComponent[] {
  const known = new Map(before.components?.map((one) => [one.id, one.status]));
  return (after.components ?? []).flatMap(({ id, status }) => {
    const was = known.get(id);
    // A decision about the RFC says what the gates had said, but for a rejection.
    if (was === 'REJECTED') return [];
    const isBlocked = was === 'BLOCKED' || was === 'OVERRIDDEN';
    const from = was === undefined ? verdictOf(before) : isBlocked ? 'BLOCKED' : 'PASSED';
    const to = status === 'BLOCKED' ? 'BLOCKED' : 'PASSED';
    return from === to ? [] : [{ id, from, to }];
  });
}

/** Of gates 1 and 2, whatever was decided about the RFC since. */
function verdictOf({ gates }: RfcRecord): Verdict {
  return gates.risk.status === 'fail' || gates.ast.status === 'fail' ? 'BLOCKED' : 'PASSED';
}

function rulesOf(record: RfcRecord): Set<string> {
  const open = findingsOf(record).filter(({ suppressed }) => suppressed === null);
  return new Set(open.map(({ id }) => id));
}
