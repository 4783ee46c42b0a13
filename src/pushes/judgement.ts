import { heldForReports, keptReports, settleHeld } from '../analysis/awaited-reports.ts';
import { refuseJob, runJob } from '../analysis/job.ts';
import { completeDraft } from '../analysis/pipeline.ts';
import type { ReviewJob } from '../analysis/review.ts';
import { knownBaseline } from '../heads/adoption.ts';
import { type Base, findBase } from '../heads/base.ts';
import { isHeadRejected, rejectedNote, rejectionOf } from '../heads/rejections.ts';
import { type AuditEvent, plainEvent } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { type GateFinding, plainFinding } from '../model/finding.ts';
import { JOB } from '../model/limits.ts';
import { type Baseline, isProtectedRef } from '../model/push.ts';
import { type RecordText, type RfcRecord, recordText, withLanding } from '../model/records.ts';
import { reportsHoldMs } from '../model/reports.ts';
import { isTerminal } from '../model/rfc.ts';
import type { AnalysisOutcome } from '../rpc/contract.ts';
import type { DiffOutput, SyncOutput } from '../rpc/source-contract.ts';
import { carriedOutcome, partitionedOutcome, rangeOf, readFiles } from './carry.ts';
import { contributorsOf } from './contributors.ts';
import { readDecidedFiles } from './decided-files.ts';
import type { JudgementOptions, PushOptions } from './judgement-options.ts';
import { PUSHES } from './limits.ts';
import type { ClaimedPush } from './push-record.ts';
import { lowerBaseline, revokeDependents } from './revocation.ts';

/** The change of a push, as git gave it. */
interface Change {
  diff: DiffOutput;
  base: Base;
  baseline: Baseline;
  /** A person rejected this commit, in a push of the same repository. */
  isRefused: boolean;
}

/** Why there is no change to judge. `id`: of the finding that blocks; null: it may get better. */
interface BlockReason {
  id: 'scan-crashed' | 'diff-too-large' | 'other-host' | 'commit-rejected' | null;
  reason: string;
}

/**
 * Takes a claimed push to its verdict: range, diff, gates, record. `known` is the baseline of its
 * repository where there was one when it was claimed. A push that cannot be judged yet is put off;
 * a push that cannot be judged for longer is BLOCKED with the reason, never passed. Rejects with
 * ABORTED when the record was changed meanwhile. Resolves with the work that remains when gate 3 is
 * to come: that needs no thread, and may take minutes.
 */
export async function judgePush(
  claimed: ClaimedPush,
  sync: SyncOutput,
  known: Baseline | null,
  options: PushOptions,
): Promise<Rest | null> {
  const attempts = claimed.record.queue?.attempts ?? 0;
  if (isProtected(claimed, options)) claimed.note({ is_protected: true });
  const change =
    attempts > JOB.ATTEMPTS_MAX
      ? tooManyAttempts()
      : await findChange(claimed, sync, known, options);
  if ('reason' in change) {
    await putOffOrBlock(claimed, change, options);
    return null;
  }
  return await judgeChange(claimed, change, options);
}

/** Takes a push whose gates 1 and 2 have run to its verdict; the signal ends that. */
export type Rest = (signal: AbortSignal) => Promise<void>;

function isProtected({ record, push }: ClaimedPush, { hosts }: JudgementOptions): boolean {
  const names = hosts.find(({ id }) => id === push.host)?.protectedBranches ?? [];
  return isProtectedRef(record.ref ?? '', push.default_branch, names);
}

function tooManyAttempts(): BlockReason {
  return {
    id: 'scan-crashed',
    reason: `${JOB.ATTEMPTS_MAX} attempts ended with their daemon`,
  };
}

/** The range and its diff, or the problem that prevents a diff. */
async function findChange(
  claimed: ClaimedPush,
  sync: SyncOutput,
  before: Baseline | null,
  options: PushOptions,
): Promise<Change | BlockReason> {
  if (sync.missing.includes(claimed.sha)) {
    return { id: null, reason: sync.problem ?? 'the host does not show the commit yet' };
  }
  const { repo_key } = claimed.place;
  const { repo_name } = claimed.record;
  const known = await knownBaseline(claimed.record, repo_key, sync.refs, before, options);
  if (known === null) return { id: null, reason: sync.problem ?? AWAITED };
  // Another host's push may have been the first one of this name meanwhile.
  const { nameHost } = await options.pushes.findBaseline({ ...claimed.place, repo_name });
  const owner = known.baseline.host === claimed.push.host ? nameHost : known.baseline.host;
  if (owner !== null && owner !== claimed.push.host) return ofOtherHost(owner);
  try {
    const based_at = options.now().toISOString();
    const base = await findBase(headOf(claimed), known.baseline.sha, options);
    const chosen = { base: base.sha, base_kind: base.kind, rests_on: base.dependsOn, based_at };
    await claimed.save({ phase: 'scanning', ...chosen, waiting_for: null }, PUSHES.LEASE_MS);
    const range = { ...claimed.repository, base: base.sha, head: claimed.sha };
    const diff = await options.source.diff(range);
    const commits = { objects: diff.messages, isWhole: base.sha === null };
    const contributors = await contributorsOf(commits, claimed.place, options.pushes);
    claimed.note({ commits: diff.commits, contributors });
    const { adopted, baseline } = known;
    const isRefused = await isCommitRejected(claimed, diff.is_annotated, options);
    const notes = [
      ...diff.notes,
      ...(adopted && baseline.sha !== null ? [adoptedNote(baseline.sha)] : []),
      ...(isRefused ? [rejectedNote()] : []),
    ];
    return { diff: { ...diff, notes }, base, baseline, isRefused };
  } catch (thrown) {
    return sourceReason(thrown);
  }
}

const AWAITED =
  'the repository is seen for the first time, and a webhook of its default branch may be on its way';

function headOf({ record, repository, place, sha, push }: ClaimedPush) {
  const baseBranch = record.pull_request?.base_branch;
  return { repository, place, sha, ref: record.ref ?? '', push, baseBranch };
}

/** A decision counts for the commit, whatever ref it is pushed to next, and for a tag of it. */
async function isCommitRejected(
  { record, place, repository, sha }: ClaimedPush,
  isAnnotated: boolean,
  { pushes, source }: Pick<PushOptions, 'pushes' | 'source'>,
): Promise<boolean> {
  const { repo_key } = place;
  if ((await rejectionOf(record, pushes, { repo_key })) !== null) return true;
  if (!isAnnotated) return false;
  const { shas } = await source.ancestry({ ...repository, from: sha, skip: 0, limit: 1 });
  const [commit_sha = null] = shas;
  return (await rejectionOf({ ...record, commit_sha }, pushes, { repo_key })) !== null;
}

/** What git could not do, in its safe sentence; whatever else went wrong is thrown on. */
function sourceReason(thrown: unknown): BlockReason {
  const { code, details } = CraError.fromUnknown(thrown);
  const { reason } = details;
  if (typeof reason !== 'string') throw thrown;
  return { id: code === 'OUT_OF_RANGE' ? 'diff-too-large' : null, reason };
}

/** Gates and record; written if nobody has changed the record meanwhile. */
async function judgeChange(
  claimed: ClaimedPush,
  change: Change,
  options: PushOptions,
): Promise<Rest | null> {
  const { diff, base } = change;
  const range = { base: base.sha, head: claimed.sha };
  const { admission, rules, analysis, reviewer, signal } = options;
  const { record } = claimed;
  const { rfc_id, tenant_id, repo_name, submitted_by: principal, created_at } = record;
  const release = await admission.acquire({
    caller: `push ${tenant_id} ${repo_name}`,
    bytes: diff.diff.byteLength + (diff.history?.byteLength ?? 0) + diff.messages.byteLength,
    waitMs: null,
    signal,
  });
  let outcome: AnalysisOutcome;
  try {
    const { diff: bytes, history, messages, message, notes } = diff;
    const files = await readFiles(claimed, { diff, range }, options);
    const decided = await readDecidedFiles(claimed, files, options);
    // Hosts keep statuses of commits; an annotated tag is an object of its own.
    const judged = diff.is_annotated ? { ...record, post_vcs_status: false } : record;
    const places = rangeOf(claimed.repository, range);
    const texts = { diff: bytes, history, messages, message, notes, files, decided, range: places };
    const reviews = reviewer.isConfigured;
    const curves = (await options.curvesFor?.(tenant_id)) ?? null;
    const input = { rfc_id, principal, created_at, reviews, curves, record: judged, ...texts };
    const whole = await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      analysis.judge({ ...input, ...job }, call),
    );
    outcome = await partitionedOutcome(claimed, change, whole, options);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const { code, message, details } = CraError.fromUnknown(thrown);
    const late = `it was not done after ${JOB.ATTEMPT_DEADLINE_MS} ms`;
    const reason = code === 'CANCELLED' ? late : message;
    const isOfSource = details['reason'] !== undefined;
    const why = isOfSource ? sourceReason(thrown) : ({ id: 'scan-crashed', reason } as const);
    await putOffOrBlock(claimed, why, options);
    return null;
  } finally {
    release();
  }
  if (isTerminal(outcome.record.overall_status)) {
    await settleReported(claimed, change, outcome, options);
    return null;
  }
  await claimed.replace(outcome.record, PUSHES.LEASE_MS);
  const job = { record: claimed.record, diff: diff.diff };
  return (until) => reviewPush(claimed, change, job, { ...options, signal: until });
}

async function reviewPush(
  claimed: ClaimedPush,
  change: Change,
  job: ReviewJob,
  options: PushOptions,
): Promise<void> {
  const { reviewer, signal } = options;
  const release = await reviewer.acquire(job.record.tenant_id, signal);
  try {
    await settleReported(claimed, change, await reviewer.review(job, signal), options);
  } finally {
    release();
  }
}

/**
 * The verdict with what reports of other tools say of the commit. Where the rules wait for a report
 * the push is held until it comes or is overdue, and judged again then.
 */
async function settleReported(
  claimed: ClaimedPush,
  change: Change,
  outcome: AnalysisOutcome,
  options: PushOptions,
): Promise<void> {
  const { store, signal, now, rules, late } = options;
  const begun = claimed.record;
  const queue = begun.queue && { ...begun.queue, attempts: Math.max(0, begun.queue.attempts - 1) };
  const kept = await keptReports(begun, store);
  const held = heldForReports(outcome, { ...begun, queue }, kept, rules);
  const onVerdict = async (settled: AnalysisOutcome) => {
    await settleVerdict(claimed, change, settled, options);
    await late.count(begun);
  };
  if (held === null) return await onVerdict(outcome);
  const { diff } = change.diff;
  const steps = {
    readTexts: async () => ({ diff, sealed: null }),
    async onHeld(record: RecordText) {
      const holdMs = reportsHoldMs(JSON.parse(record.json), now());
      await claimed.replace(record, holdMs, true);
      return claimed.record;
    },
    onVerdict,
  };
  // Its rev is that of the stored record, which stays behind until this one is written.
  await settleHeld({ ...held, rev: begun.rev }, steps, options, signal);
}

const BASE_FELL = 'heads that depend on it are judged again first';

/** Writes the verdict, unless its base was revoked while the gates ran. */
async function settleVerdict(
  claimed: ClaimedPush,
  { base, baseline, isRefused }: Change,
  outcome: AnalysisOutcome,
  options: PushOptions,
): Promise<void> {
  const { pushes } = options;
  const { record, place } = claimed;
  const { rfc_id, repo_name } = record;
  const carried = await carriedOutcome(claimed, base, outcome, options);
  const settled = carried?.record ?? outcome.record;
  const isPassed = settled.overall_status !== 'BLOCKED';
  if (isPassed && isRefused) return await putOffOrBlock(claimed, COMMIT_REJECTED, options);
  if (isPassed && base.sha !== null && !base.isOpened) {
    const [{ accepted }, isBaseRejected, { records: resting }] = await Promise.all([
      pushes.acceptedHeads({ ...place, shas: [base.accepted ?? base.sha] }),
      isHeadRejected(base.sha, claimed, pushes),
      pushes.dependentsOf({ ...place, id: rfc_id, limit: 1 }),
    ]);
    if (accepted.length === 0 || isBaseRejected) return await claimed.save({ phase: 'waiting' }, 0);
    if (resting.length > 0) {
      await revokeDependents(place, rfc_id, options);
      return await claimed.putOff({ waiting_for: BASE_FELL }, 0);
    }
  }
  if (!isPassed && base.isOpened && baseline.sha !== null) {
    const from = baseline.sha;
    await lowerBaseline({ ...place, repo_name, rfc_id, from, to: base.sha }, options);
  }
  if (carried !== null) await pushes.completePush({ ...carried, expectedRev: record.rev });
  else await giveVerdict(claimed, settled, options);
}

/** Writes a verdict; where it refuses a landed change, together with its entry in the trail. */
async function giveVerdict(
  { record: begun }: ClaimedPush,
  verdict: RecordText,
  { pushes, store }: Pick<JudgementOptions, 'pushes' | 'store'>,
): Promise<void> {
  // A long record is read only where it may land against its verdict.
  const mayLand = begun.push?.is_protected === true && verdict.overall_status === 'BLOCKED';
  if (!mayLand) return await completeDraft(store, begun, verdict);
  const judged = JSON.parse(verdict.json) as RfcRecord;
  const landed = withLanding(judged);
  if (landed === judged) return await completeDraft(store, begun, verdict);
  const expectedRev = begun.rev;
  await pushes.completePush({ record: recordText(landed), expectedRev, event: landing(landed) });
}

/** Only the host says who pushed or merged; of a push that a sweep found nobody is known. */
function landing(record: RfcRecord): AuditEvent {
  const { rfc_id, tenant_id, repo_name, rev, ref, commit_sha, overall_status, push } = record;
  return plainEvent({
    kind: 'landed-blocked',
    op_id: `landed-blocked ${rfc_id} ${rev}`,
    principal: null,
    tenant_id,
    rfc_id,
    rfc_rev: rev,
    repo_name,
    details: {
      commit_sha,
      ref,
      pushed_by: push?.pusher?.toWellFormed() ?? null,
      source: push?.source ?? null,
      status: overall_status,
    },
  });
}

const REJECTED = 'this commit was rejected in another RFC of the repository';
const COMMIT_REJECTED: BlockReason = { id: 'commit-rejected', reason: REJECTED };

/** Blocks a push of a host that does not own the name of its repository (see `Baseline.host`). */
export async function blockOtherHost(
  claimed: ClaimedPush,
  owner: string,
  options: JudgementOptions,
): Promise<void> {
  await putOffOrBlock(claimed, ofOtherHost(owner), options);
}

function ofOtherHost(owner: string): BlockReason {
  const why = `the name of this repository belongs to the host ${owner}`;
  const reason = `${why}: give hosts whose repositories may have the same names tenants of their own`;
  return { id: 'other-host', reason };
}

/** Puts the push off, or blocks it when that was done often enough or is of no use. */
async function putOffOrBlock(
  claimed: ClaimedPush,
  { id, reason }: BlockReason,
  options: JudgementOptions,
): Promise<void> {
  const { analysis, rules, times } = options;
  const { tries } = claimed.push;
  const holdMs = times.retryMs[tries];
  if (id === null && holdMs !== undefined) {
    return await claimed.putOff({ tries: tries + 1, waiting_for: reason }, holdMs);
  }
  // A change that could not be fetched is not a base, even if it is overridden.
  const isUnseen = id === null || id === 'other-host';
  claimed.note({ waiting_for: isUnseen ? reason : null });
  const { record } = claimed;
  const { rfc_id, submitted_by: principal, created_at } = record;
  const finding = id === 'scan-crashed' ? null : blockedBy(id ?? 'diff-unavailable', reason);
  const context = { rfc_id, principal, created_at };
  const outcome = await refuseJob(
    analysis,
    rules,
    context,
    { body: null, record },
    reason,
    finding,
  );
  await giveVerdict(claimed, outcome.record, options);
}

function blockedBy(id: string, reason: string): GateFinding {
  return plainFinding({
    id,
    gate: 'risk',
    severity: 'high',
    message: `the change of this push could not be judged: ${reason}`,
    fix: 'See /cra/docs/how-to/webhooks.html#troubleshooting; push again, or have a person review and override.',
  });
}

/** Says in the first RFC of a repository what it was compared with. */
function adoptedNote(sha: string): GateFinding {
  return plainFinding({
    id: 'baseline-adopted',
    gate: 'risk',
    severity: 'info',
    message: `this repository was seen for the first time: its state at ${sha} counts as accepted`,
  });
}
