import type { Admission } from '../analysis/admission.ts';
import { type RulesSource, refuseJob, runJob } from '../analysis/job.ts';
import { type Base, findBase } from '../heads/base.ts';
import { knownBaseline } from '../heads/baseline.ts';
import { GIT, PIPELINE, PUSHES } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import { type GateFinding, plainFinding } from '../model/finding.ts';
import { BRANCH_PREFIX } from '../model/push.ts';
import type { TreeFile } from '../model/tree-file.ts';
import type { Analysis, AnalysisOutcome } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { DiffOutput, Source, SyncOutput } from '../rpc/source-contract.ts';
import type { Baseline, PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { PushInHand } from './push-in-hand.ts';
import type { PushTimes } from './times.ts';

export interface JudgementOptions {
  pushes: PushStore;
  store: Pick<RecordStore, 'completeDraft'>;
  source: Client<typeof Source>;
  analysis: Client<typeof Analysis>;
  admission: Admission;
  rules: RulesSource;
  /** What a repository that is seen for the first time counts as accepted. */
  adopt: 'baseline' | 'scan';
  times: PushTimes;
  now(): Date;
}

/** The same for one push. */
export interface PushOptions extends JudgementOptions {
  /** Fires when somebody decided about it, or the daemon stops. */
  signal: AbortSignal;
}

/** The change of a push, as git gave it. */
interface Change {
  diff: DiffOutput;
  base: Base;
}

/** Why there is no change to judge. `id`: of the finding that blocks; null: it may pass by. */
interface Hindrance {
  id: 'scan-crashed' | 'diff-too-large' | 'other-host' | null;
  reason: string;
}

/**
 * Takes a claimed push to its verdict: range, diff, gates, record. `known` is the baseline of its
 * repository where there was one when it was claimed. What keeps it from that for a
 * moment puts it off; what keeps it for longer is BLOCKED with the reason, never a pass. Rejects
 * with ABORTED when somebody else changed the record meanwhile.
 */
export async function judgePush(
  hand: PushInHand,
  sync: SyncOutput,
  known: Baseline | null,
  options: PushOptions,
): Promise<void> {
  const attempts = hand.record.queue?.attempts ?? 0;
  const change =
    attempts > PIPELINE.ATTEMPTS_MAX
      ? tooManyAttempts()
      : await findChange(hand, sync, known, options);
  if ('reason' in change) return await hinder(hand, change, options);
  await judgeChange(hand, change, options);
}

function tooManyAttempts(): Hindrance {
  return {
    id: 'scan-crashed',
    reason: `${PIPELINE.ATTEMPTS_MAX} attempts ended with their daemon`,
  };
}

/** The range and its diff, or what is in the way. */
async function findChange(
  hand: PushInHand,
  sync: SyncOutput,
  before: Baseline | null,
  options: PushOptions,
): Promise<Change | Hindrance> {
  if (sync.missing.includes(hand.sha)) {
    return { id: null, reason: sync.problem ?? 'the host does not show the commit yet' };
  }
  const known = await knownBaseline(hand.record, sync.refs, before, options);
  if (known === null) return { id: null, reason: sync.problem ?? AWAITED };
  // Another host's push may have been the first one meanwhile.
  if (known.baseline.host !== hand.push.host) return ofStranger(known.baseline.host);
  try {
    const base = await findBase(headOf(hand), options);
    await hand.save(
      { phase: 'scanning', base: base.sha, base_kind: base.kind, waiting_for: null },
      PUSHES.LEASE_MS,
    );
    const range = { ...hand.repository, base: base.sha, head: hand.sha };
    const diff = await options.source.diff(range);
    hand.note({ commits: diff.commits });
    const { adopted, baseline } = known;
    const notes =
      adopted && baseline.sha !== null ? [...diff.notes, adoptedNote(baseline.sha)] : diff.notes;
    return { diff: { ...diff, notes }, base };
  } catch (thrown) {
    return sourceHindrance(thrown);
  }
}

const AWAITED =
  'the repository is seen for the first time, and a webhook of its default branch may be on its way';

function headOf({ record, repository, sha, push }: PushInHand) {
  const refs = [record.ref ?? ''];
  if (push.default_branch !== null) refs.push(BRANCH_PREFIX + push.default_branch);
  return { repository, tenantId: record.tenant_id, sha, refs: [...new Set(refs)] };
}

/** What git could not do, in its safe sentence; whatever else went wrong is thrown on. */
function sourceHindrance(thrown: unknown): Hindrance {
  const { code, details } = CraError.fromUnknown(thrown);
  const { reason } = details;
  if (typeof reason !== 'string') throw thrown;
  return { id: code === 'OUT_OF_RANGE' ? 'diff-too-large' : null, reason };
}

/** Gates and record; written if nobody has changed the record meanwhile. */
async function judgeChange(
  hand: PushInHand,
  { diff, base }: Change,
  options: PushOptions,
): Promise<void> {
  const { admission, rules, analysis, pushes, store, signal } = options;
  const { record } = hand;
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
    const files = await readFiles(hand, { diff, base }, options);
    // Hosts keep statuses of commits; an annotated tag is an object of its own.
    const judged = diff.is_annotated ? { ...record, post_vcs_status: false } : record;
    const texts = { diff: bytes, history, messages, message, notes, files };
    const input = { rfc_id, principal, created_at, record: judged, ...texts };
    outcome = await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      analysis.judge({ ...input, ...job }, call),
    );
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const { code, message, details } = CraError.fromUnknown(thrown);
    if (details['reason'] !== undefined)
      return await hinder(hand, sourceHindrance(thrown), options);
    const late = `it was not done after ${PIPELINE.ATTEMPT_DEADLINE_MS} ms`;
    const reason = code === 'CANCELLED' ? late : message;
    return await hinder(hand, { id: 'scan-crashed', reason }, options);
  } finally {
    release();
  }
  // A rejection may have taken the base back while the gates ran.
  if (outcome.record.overall_status === 'PASSED' && base.sha !== null) {
    const { accepted } = await pushes.acceptedHeads({ tenant_id, repo_name, shas: [base.sha] });
    if (accepted.length === 0) return await hand.save({ phase: 'waiting' }, 0);
  }
  await store.completeDraft({ record: outcome.record, expectedRev: record.rev });
}

/** The whole files that the gates ask for beside the diff, from the mirror. */
async function readFiles(
  hand: PushInHand,
  { diff, base }: Change,
  { analysis, rules, source, signal }: PushOptions,
): Promise<TreeFile[]> {
  const { wants } = await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
    analysis.wantedFiles({ ...job, diff: diff.diff }, call),
  );
  if (wants.length === 0) return [];
  const range = { ...hand.repository, base: base.sha, head: hand.sha };
  const { files } = await source.blobs({ ...range, wants, bytes_max: GIT.BLOBS_BYTES_MAX });
  return files;
}

/** Blocks a push of a host that does not own the name of its repository (see `Baseline.host`). */
export async function blockStranger(
  hand: PushInHand,
  owner: string,
  options: JudgementOptions,
): Promise<void> {
  await hinder(hand, ofStranger(owner), options);
}

function ofStranger(owner: string): Hindrance {
  const why = `the name of this repository belongs to the host ${owner}`;
  const reason = `${why}: give hosts whose repositories may have the same names tenants of their own`;
  return { id: 'other-host', reason };
}

/** Puts the push off, or blocks it when that was done often enough or is of no use. */
async function hinder(
  hand: PushInHand,
  { id, reason }: Hindrance,
  { analysis, rules, store, times }: JudgementOptions,
): Promise<void> {
  const { tries } = hand.push;
  const holdMs = times.retryMs[tries];
  if (id === null && holdMs !== undefined) {
    return await hand.putOff({ tries: tries + 1, waiting_for: reason }, holdMs);
  }
  // What nobody had is no base, whoever lets it pass; what crashed or is too large was had.
  const isUnseen = id === null || id === 'other-host';
  hand.note({ waiting_for: isUnseen ? reason : null });
  const { record } = hand;
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
  await store.completeDraft({ record: outcome.record, expectedRev: record.rev });
}

function blockedBy(id: string, reason: string): GateFinding {
  return plainFinding({
    id,
    gate: 'risk',
    severity: 'high',
    message: `the change of this push could not be judged: ${reason}`,
    fix: 'See docs/webhooks.md, "Troubleshooting"; push again, or have it reviewed and override.',
  });
}

/** Tells whoever reads the first RFC of a repository what it was compared with. */
function adoptedNote(sha: string): GateFinding {
  return plainFinding({
    id: 'baseline-adopted',
    gate: 'risk',
    severity: 'info',
    message: `this repository was seen for the first time: its state at ${sha} counts as accepted`,
  });
}
