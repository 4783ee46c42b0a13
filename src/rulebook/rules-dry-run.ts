import { type CurvesFor, type RulesSource, runJob } from '../analysis/job.ts';
import type { Admission } from '../analysis/scan-pool.ts';
import { CraError, type StatusCode } from '../model/errors.ts';
import { type GateFinding, plainFinding } from '../model/finding.ts';
import { RULES } from '../model/limits.ts';
import type { Principal } from '../model/principal.ts';
import { findingsOf, type RfcRecord, type RfcSummary } from '../model/records.ts';
import type { Analysis } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { RecordStore, RfcView } from '../store/contract/records.ts';
import { parseRecord } from '../store/stored-record.ts';
import type { RulesKeeper } from './rules-keeper.ts';

/** What rules would make of recent changes, and the revision that they would be. */
export interface DryRunReport extends DryRun {
  revision: string;
}

/** The RFCs to try rules on: the newest of the tenant, or one of it. */
export type TriedOn = { limit: number } | { rfc_id: string };

/**
 * Tries rules on RFCs of the caller's tenant. INVALID_ARGUMENT names what is wrong with them.
 * Nothing is stored.
 */
export type RulesDryRun = (
  principal: Principal,
  text: string,
  of: TriedOn,
  signal: AbortSignal | null,
) => Promise<DryRunReport>;

/** Creates it; one runs at a time, as each takes a thread for long. */
export function createRulesDryRun(
  keeper: Pick<RulesKeeper, 'build'>,
  options: DryRunOptions,
): RulesDryRun {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return (principal, text, of, signal) => {
    if (waiting >= RULES.DRY_RUNS_WAITING_MAX) return Promise.reject(tooMany());
    waiting += 1;
    const run = async (): Promise<DryRunReport> => {
      // A caller that waited behind others may be gone.
      signal?.throwIfAborted();
      const start = performance.now();
      const { rules, revision } = await keeper.build(text);
      // Rules that are slow to compile take their time from that of the analyses.
      const withinMs = options.withinMs - (performance.now() - start);
      const tried = { rules, revision };
      const left = { ...options, withinMs };
      const result = await dryRun(left, principal.tenant_id, tried, of, signal);
      return { revision, ...result };
    };
    const mine = last.then(run);
    last = mine.then(done, done);
    return mine;
  };
  function done(): void {
    waiting -= 1;
  }
}

function tooMany(): CraError {
  return new CraError('RESOURCE_EXHAUSTED', 'other rules are being tried; try again later');
}

/** Why an RFC was not judged again, however much time there is. */
export const SKIP_REASONS = [
  /** It has no verdict yet. */
  'draft',
  /** Another push was judged in its place. */
  'superseded',
  /** Its change was never read: it was BLOCKED for that. */
  'unread',
  /** Its diff was submitted, and is not kept any more. */
  'diff-not-kept',
  /** Neither the mirror nor the host has a commit of its range any more. */
  'commit-gone',
  /** Git could not show its range: the host is down, or not configured any more. */
  'mirror-unavailable',
  /** It was deleted meanwhile. */
  'deleted',
] as const;
type SkipReason = (typeof SKIP_REASONS)[number];

/** What ran out before an RFC was judged again. */
export const UNREACHED_REASONS = ['time', 'bytes'] as const;
type UnreachedReason = (typeof UNREACHED_REASONS)[number];

/** What a dry run looked at. */
export interface LookedAt {
  /** RFCs: the newest of the tenant, in all. */
  rfcs: number;
  /** When the oldest and the newest of them were made; null: no RFC. */
  from: string | null;
  until: string | null;
  /** RFCs that were judged again by the submitted diff, and by the diff of a mirror. */
  from_store: number;
  from_mirror: number;
  /** Bytes of their diffs. */
  bytes: number;
}

/** RFCs that were left out for one reason. */
export interface LeftOut {
  reason: SkipReason | UnreachedReason;
  count: number;
  /** What git said of the first of them; null: nothing. */
  detail: string | null;
}

/** The verdicts that other rules would give to recent changes. */
export interface DryRun {
  looked_at: LookedAt;
  /** RFCs that were analysed again. */
  checked: number;
  /** RFCs of which there is nothing to analyse (`SKIP_REASONS`). */
  skipped: number;
  /** RFCs for which no thread was free, or neither time nor bytes were left. */
  unreached: number;
  /** Why they were left out, the most frequent reason first. */
  left_out: LeftOut[];
  changed: ChangedVerdict[];
}

export interface ChangedVerdict {
  rfc_id: string;
  repo_name: string;
  from: Verdict;
  to: Verdict;
  /** Findings by rule that would be new, and findings that would be gone. */
  new_rules: string[];
  gone_rules: string[];
  /**
   * Components with another verdict; a component that the RFC does not name had that of the whole.
   */
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
  /**
   * The record that a push would have under other rules, over the range that it was judged over.
   * Passes the bytes of what it reads to `count`. Rejects with `details.reason` where git cannot
   * show the range.
   */
  pushAgain(input: {
    before: RfcRecord;
    rules: RulesSource;
    signal: AbortSignal;
    notes: GateFinding[];
    count(bytes: number): void;
  }): Promise<RfcRecord>;
  /** Absent: the shipped curve counts. */
  curvesFor?: CurvesFor | undefined;
  /** How long it may take, waiting for threads included. */
  withinMs: number;
  /** Bytes of all diffs that it may read; absent: RULES.DRY_RUN_BYTES_MAX. */
  bytesMax?: number;
}

/**
 * Analyses RFCs of a tenant again under other rules, one after the other and
 * behind all other jobs that wait for a thread: submitted diffs as they are kept, diffs of pushes
 * as the mirrors show them. Nothing is stored.
 */
export async function dryRun(
  options: DryRunOptions,
  tenant_id: string,
  rules: RulesSource,
  of: TriedOn,
  signal: AbortSignal | null,
): Promise<DryRun> {
  const { admission, analysis, store, pushAgain, withinMs } = options;
  const { bytesMax = RULES.DRY_RUN_BYTES_MAX } = options;
  const endAt = performance.now() + withinMs;
  const summaries = await toTry();
  const times = summaries.map(({ created_at }) => created_at).sort();
  const looked_at: LookedAt = {
    rfcs: summaries.length,
    from: times[0] ?? null,
    until: times.at(-1) ?? null,
    from_store: 0,
    from_mirror: 0,
    bytes: 0,
  };
  const leftOut = new Map<LeftOut['reason'], LeftOut>();
  const changed: ChangedVerdict[] = [];
  let checked = 0;
  for (const { rfc_id } of summaries) {
    const again = await analyseAgain(rfc_id);
    if ('reason' in again) {
      const { reason, detail } = again;
      const known = leftOut.get(reason) ?? { reason, count: 0, detail };
      leftOut.set(reason, { ...known, count: known.count + 1 });
      continue;
    }
    checked += 1;
    looked_at[again.before.push === null ? 'from_store' : 'from_mirror'] += 1;
    const change = compare(again.before, again.after);
    // Who asks about one RFC asks about its findings, too.
    if ('rfc_id' in of || isOther(change)) changed.push(change);
  }
  const left_out = [...leftOut.values()].sort((one, other) => other.count - one.count);
  const unreached = countOf(left_out.filter(({ reason }) => isUnreached(reason)));
  const skipped = countOf(left_out) - unreached;
  return { looked_at, checked, skipped, unreached, left_out, changed };

  async function toTry(): Promise<Pick<RfcSummary, 'rfc_id' | 'created_at'>[]> {
    if ('rfc_id' in of) {
      return [parseView(await store.getRfc({ tenant_id, rfc_id: of.rfc_id }))];
    }
    const asked = { tenant_id, status: null, repo: null, limit: of.limit, cursor: null };
    return JSON.parse((await store.listRfcs(asked)).json) as RfcSummary[];
  }

  function count(bytes: number): void {
    looked_at.bytes += bytes;
    if (looked_at.bytes > bytesMax) throw new Left('bytes');
  }

  async function analyseAgain(rfc_id: string): Promise<Again | Left> {
    const waitMs = endAt - performance.now();
    if (waitMs <= 0) return new Left('time');
    if (looked_at.bytes >= bytesMax) return new Left('bytes');
    const late = AbortSignal.timeout(Math.ceil(waitMs));
    const either = signal === null ? late : AbortSignal.any([signal, late]);
    try {
      const before = await readRecord({ tenant_id, rfc_id });
      const reason = reasonToSkip(before);
      if (reason !== null) return new Left(reason);
      const ticket = { caller: 'rules-dry-run', bytes: 0, waitMs, signal: either };
      const release = await admission.acquire(ticket);
      return await analyseOn(before, either).finally(release);
    } catch (thrown) {
      signal?.throwIfAborted();
      if (late.aborted || hasCode(thrown, 'RESOURCE_EXHAUSTED')) return new Left('time');
      if (thrown instanceof Left) return thrown;
      throw thrown;
    }
  }

  async function readRecord(key: { tenant_id: string; rfc_id: string }): Promise<RfcRecord> {
    return parseView(await store.getRfc(key).catch(ifNotFound('deleted')));
  }

  async function analyseOn(before: RfcRecord, until: AbortSignal): Promise<Again> {
    const notes = keptNotes(before);
    if (before.push !== null) {
      const asked = { before, rules, signal: until, notes, count };
      return { before, after: await pushAgain(asked).catch(ofGit) };
    }
    const { rfc_id, submitted_by: principal, created_at } = before;
    const { chunks } = await store
      .getDiff({ tenant_id, rfc_id })
      .catch(ifNotFound('diff-not-kept'));
    count(before.stats.bytes);
    const curves = (await options.curvesFor?.(tenant_id)) ?? null;
    const context = { rfc_id, principal, created_at, curves, record: before, chunks, notes };
    const outcome = await runJob(rules, { yieldAfterMs: null }, until, (job, call) =>
      analysis.resume({ ...context, ...job }, call),
    );
    return { before, after: parseRecord(outcome.record.json) };
  }
}

interface Again {
  before: RfcRecord;
  after: RfcRecord;
}

/** An RFC that is left out, and why. */
class Left extends Error {
  readonly reason: LeftOut['reason'];
  readonly detail: string | null;

  constructor(reason: LeftOut['reason'], detail: string | null = null) {
    super(reason);
    this.reason = reason;
    this.detail = detail;
  }
}

function isUnreached(reason: LeftOut['reason']): boolean {
  return UNREACHED_REASONS.some((one) => one === reason);
}

function countOf(list: readonly LeftOut[]): number {
  return list.reduce((sum, { count }) => sum + count, 0);
}

/** Null: there is a verdict over a change that was read. */
function reasonToSkip({ overall_status, push }: RfcRecord): SkipReason | null {
  if (overall_status === 'DRAFT') return 'draft';
  if (overall_status === 'SUPERSEDED') return 'superseded';
  const isUnread = push !== null && (push.base_kind === null || push.waiting_for !== null);
  return isUnread ? 'unread' : null;
}

function ifNotFound(reason: SkipReason): (thrown: unknown) => never {
  return (thrown) => {
    throw hasCode(thrown, 'NOT_FOUND') ? new Left(reason) : thrown;
  };
}

/** What git could not do, in its safe sentence; whatever else went wrong is thrown on. */
function ofGit(thrown: unknown): never {
  if (!(thrown instanceof CraError)) throw thrown;
  const { reason } = thrown.details;
  if (thrown.code === 'CANCELLED' || typeof reason !== 'string') throw thrown;
  throw new Left(thrown.code === 'NOT_FOUND' ? 'commit-gone' : 'mirror-unavailable', reason);
}

/** What blocks a change whatever the rules are, and stands beside its diff. */
function keptNotes({ gates }: RfcRecord): GateFinding[] {
  return gates.risk.findings
    .filter(({ id }) => id === 'commit-rejected')
    .map(({ id, severity, message, fix }) =>
      plainFinding({ id, gate: 'risk', severity, message, fix }),
    );
}

function hasCode(thrown: unknown, code: StatusCode): boolean {
  return thrown instanceof CraError && thrown.code === code;
}

function isOther({ from, to, components }: ChangedVerdict): boolean {
  return from !== to || components.length > 0;
}

function compare(before: RfcRecord, after: RfcRecord): ChangedVerdict {
  const from = verdictOf(before);
  const to = verdictOf(after);
  const components = compareComponents(before, after);
  const was = rulesOf(before);
  const is = rulesOf(after);
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

/** A change of components that the new map names; others have no verdict any more. */
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

function parseView({ json }: RfcView): RfcRecord {
  return parseRecord(Buffer.from(json).toString());
}
