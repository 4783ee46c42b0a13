import { createHash } from 'node:crypto';
import type {
  CheckReport,
  CommitState,
  CommitStatus,
  HostWork,
  PostResult,
  PostStatus,
  Problem,
  ReportPlace,
} from '../../hosts/host.ts';
import { type FindingsSetting, FULL_SHA, REPO_FULL_NAME } from '../../hosts/settings.ts';
import {
  type Component,
  type ComponentVerdict,
  isPassing,
  touchedComponents,
} from '../../model/components.ts';
import { branchOf, isPullRequestRef, type StatusEvent } from '../../model/push.ts';
import {
  approveUrl,
  carriedFrom,
  passingDecision,
  pinOf,
  type RfcRecord,
} from '../../model/records.ts';
import { awaitedSentence } from '../../model/reports.ts';
import { commitId, type RfcStatus } from '../../model/rfc.ts';
import type { DueStatus } from '../../store/contract/pushes.ts';
import { BY_MODE } from '../../verdict/suppression.ts';
import { COMMIT_STATUS } from '../limits.ts';
import { reportOf } from './report.ts';

/** The outcome of a record's statuses, to settle it by; null: it stays due as it is. */
export type Settlement = {
  /** As `settleStatus` takes it. */
  posted: string | null;
  dueMs: number | null;
  counted: 'posted' | 'failed' | 'skipped' | 'put off';
  /** Why it was given up or put off; null: it was not. */
  reason: string | null;
} | null;

/** A due status, and whether its commit is rejected. */
export interface DueRecord extends DueStatus {
  /** The RFC whose rejection of the commit stands; null: it is absent, or the status not green. */
  rejectedBy: string | null;
}

export interface PostRecordOptions {
  /** Null: nothing is posted to the host. */
  post: PostStatus | null;
  /** Tenant of the records that are posted to the host. */
  tenantId: string | null;
  baseUrl: string;
  /** What the host shows of findings; null: nothing. */
  findings: FindingsSetting | null;
  /** Of the rules in force. */
  components: readonly Component[];
  /** Freezes that hold deploys of the repository, in sentences. */
  freezes: readonly string[];
  now: number;
  signal: AbortSignal;
  /** Keeps so many calls free for one status; null: there are not so many now. */
  reserve(count: number): Reservation | null;
  /** Notes that posting a draft begins: the host may take it although its answer never arrives. */
  onFirst(): Promise<unknown>;
  onPosted(): void;
  onProblem(problem: Problem): void;
}

/** Calls that are kept free for one status. */
export interface Reservation extends Pick<HostWork, 'onCall'> {
  /** Frees the calls that were not made. */
  release(): void;
}

/** Posts what one record wants to be shown and is not shown yet. */
export async function postRecord(due: DueRecord, options: PostRecordOptions): Promise<Settlement> {
  const { post, tenantId, baseUrl, now } = options;
  const { record } = due;
  if (post === null) return done('skipped', null);
  if (tenantId !== record.tenant_id) return failed('the host belongs to another tenant', null);
  const intents = statusIntents(record, {
    isOutdated: due.isOutdated,
    isDeleted: due.isDeleted,
    rejectedBy: due.rejectedBy,
    baseUrl,
    findings: options.findings,
    components: options.components,
    freezes: options.freezes,
    reports: post.reports,
  });
  let posted = readPosted(due.posted);
  const missing = intents.statuses.filter((status) => !isPosted(posted, status));
  const ageMs = now - Date.parse(record.updated_at);
  const age = retryDelay(ageMs);
  let waitsForPull = false;
  let refusal = intents.problem;
  let later: string | null = null;
  let isNew = false;
  const text = () => (isNew ? writePosted(posted) : null);
  let isRecorded = due.posted !== null || record.overall_status !== 'DRAFT';
  for (const status of missing) {
    // What was posted is noted, or the next round would post it again.
    const stop = isNew ? putOff('more is due', text(), now) : null;
    const calls = options.reserve(post.callsOf(status));
    if (calls === null) return stop;
    let result: PostResult;
    try {
      if (!isRecorded) await options.onFirst();
      isRecorded = true;
      result = await post(status, { signal: options.signal, onCall: calls.onCall });
    } finally {
      calls.release();
    }
    if (result.outcome === 'posted') {
      posted = withStatus(posted, status);
      isNew = true;
      options.onPosted();
      continue;
    }
    if (result.outcome === 'no pull request') {
      waitsForPull = status.report?.isQuiet === false;
      continue;
    }
    if (options.signal.aborted) return stop;
    options.onProblem(result);
    const { outcome, reason } = result;
    if (outcome === 'limited') return stop;
    if (outcome === 'refused') refusal = reason;
    else later = reason;
    // To the end of what is due: one record that brings its host down must not hold up others.
    if (outcome === 'down' && age !== null) return putOff(reason, text(), now);
  }
  if (later !== null && age !== null) return putOff(later, text(), now + age);
  if (later !== null || refusal !== null) return failed(later ?? refusal ?? '', text());
  // Pull requests are opened soon after the push of their branch.
  if (waitsForPull && age !== null && ageMs < COMMIT_STATUS.RETRY_SOON_FOR_MS) {
    return putOff('the commit is the head of no pull request yet', text(), now + age);
  }
  return done(missing.length > 0 ? 'posted' : 'skipped', text());
}

function done(counted: 'posted' | 'skipped', posted: string | null): Settlement {
  return { posted, dueMs: null, counted, reason: null };
}

function failed(reason: string, posted: string | null): Settlement {
  return { posted, dueMs: null, counted: 'failed', reason };
}

function putOff(reason: string, posted: string | null, dueMs: number): Settlement {
  return { posted, dueMs, counted: 'put off', reason };
}

/**
 * How long (ms) until a status that waits since `ageMs` is tried again: 1, 2, 4 ... 60 s for ten
 * minutes, then every ten minutes; null: it is given up after three days. It depends on
 * the age alone, so no attempts have to be counted anywhere.
 */
function retryDelay(ageMs: number): number | null {
  if (ageMs >= COMMIT_STATUS.RETRY_FOR_MS) return null;
  if (ageMs >= COMMIT_STATUS.RETRY_SOON_FOR_MS) return COMMIT_STATUS.RETRY_LATE_MS;
  return Math.min(COMMIT_STATUS.RETRY_MS_MAX, Math.max(COMMIT_STATUS.RETRY_MS_MIN, ageMs));
}

/** The statuses of one record that were posted: the text of each by its place. */
type PostedStatuses = ReadonlyMap<string, string>;

/** Reads a text of `writePosted`; any other text counts as nothing posted. */
export function readPosted(text: string | null): PostedStatuses {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return new Map(Object.entries((value ?? {}) as Record<string, string>));
  } catch {
    return new Map();
  }
}

/** As a text that the store keeps beside the record. */
export function writePosted(posted: PostedStatuses): string {
  return JSON.stringify(Object.fromEntries(posted));
}

/** The host shows nothing that we know of: the whole is to be posted. */
export const NOTHING_POSTED = writePosted(new Map());

/** The posted statuses and this one. */
function withStatus(posted: PostedStatuses, status: CommitStatus): PostedStatuses {
  return new Map(posted).set(placeOf(status), textOf(status));
}

/** Whether a host shows this status already, as far as we know. */
function isPosted(posted: PostedStatuses, status: CommitStatus): boolean {
  return posted.get(placeOf(status)) === textOf(status);
}

/** The key of a status among the posted statuses of a record. */
export function placeOf({
  repo,
  sha,
  component,
  inPullRequest,
}: Pick<CommitStatus, 'repo' | 'sha' | 'component' | 'inPullRequest'>): string {
  // No component has a name with a space.
  if (inPullRequest) return `${repo}@${sha} pull request`;
  return component === undefined ? `${repo}@${sha}` : `${repo}@${sha} ${component}`;
}

function textOf({ state, description, report }: CommitStatus): string {
  if (report === undefined) return `${state}: ${description}`;
  const digest = createHash('sha256').update(JSON.stringify(report)).digest('base64url');
  return `${state}: ${description} ${digest.slice(0, DIGEST_CHARS)}`;
}

/** Whether a host shows what was posted; hosts cut long descriptions. */
export function showsPosted(shown: Pick<StatusEvent, 'state' | 'description'>, posted: string) {
  const { state, description } = shown;
  if (description === null) return posted.startsWith(`${state}: `);
  const text = `${state}: ${description.replace(/…$/, '')}`;
  if (description.endsWith('…')) return posted.startsWith(text);
  return (
    posted === text || (posted.startsWith(`${text} `) && REPORT.test(posted.slice(text.length)))
  );
}

/** Of the findings that a host shows: enough that no two reports of a record are taken for one. */
const DIGEST_CHARS = 16;
const REPORT = new RegExp(`^ [\\w-]{${DIGEST_CHARS}}$`);

/** What a host shall show for a record. */
export interface StatusIntents {
  /** For commits that get a status, what takes a green away first. */
  statuses: CommitStatus[];
  /** Why a commit is left out, in a sentence; null when absent. */
  problem: string | null;
}

/**
 * The statuses of a record: at its own commit, and at the commit that its decision is pinned to.
 * A pinned decision counts for that commit alone, so its own never becomes green by it. Nothing
 * is said at the own commit of an outdated record: a newer one speaks for it, unless this one
 * rejected the commit. A verdict of before a rejection does not turn the commit green again.
 */
export function statusIntents(record: RfcRecord, facts: StatusFacts): StatusIntents {
  const { isOutdated: hasNewer, isDeleted, rejectedBy = null, baseUrl } = facts;
  const own = record.commit_sha === null ? null : commitId(record.commit_sha);
  if (mayBeTagObject(record)) return { statuses: [], problem: null };
  const isOutdated = hasNewer && rejectedBy !== record.rfc_id;
  const rejection = rejectedBy === record.rfc_id ? null : rejectedBy;
  const places = placesOf(record, own).filter(({ sha }) => !(isOutdated && sha === own));
  const statuses: CommitStatus[] = [];
  const comments: CommitStatus[] = [];
  let problem: string | null = null;
  for (const { repo, sha, isOwn } of places) {
    if (repo === null || !REPO_FULL_NAME.test(repo)) {
      problem = 'the RFC names no repository as owner/repo';
    } else if (sha === null || !FULL_SHA.test(sha)) {
      problem = 'the RFC names no commit by its full id';
    } else {
      const isOfBranch = isOwn && record.ref !== null && !isPullRequestRef(record.ref);
      const branch = isOfBranch ? branchOf(record.ref ?? '') : null;
      const at = { repo, sha, branch, targetUrl: approveUrl(baseUrl, record.rfc_id) };
      const shown = isDeleted ? DELETED : statusOf(record, isOwn ? sha : null);
      const status = { ...at, ...(isOwn ? withRejection(shown, rejection) : shown) };
      const report = isDeleted
        ? null
        : reportFor(record, facts, { url: at.targetUrl, rejectedBy: rejection });
      if (report?.in === 'check run') statuses.push({ ...status, report: report.report });
      else statuses.push(status);
      if (!isOwn) continue;
      if (report?.in === 'pull request' && isVerdict(record)) {
        const { number } = record.pull_request ?? {};
        const pull = number === undefined ? {} : { pullRequest: number };
        comments.push({ ...status, ...pull, report: report.report, inPullRequest: true });
      }
      for (const one of shownComponents(record)) {
        const status = isDeleted ? DELETED : statusOfComponent(record, one);
        statuses.push({ ...at, component: one.id, ...withRejection(status, rejection) });
      }
    }
  }
  // No status waits for a comment.
  return { statuses: [...statuses, ...comments], problem };
}

/** A comment reports a verdict: until there is one the older comment stands. */
function isVerdict({ overall_status }: RfcRecord): boolean {
  return overall_status !== 'DRAFT' && overall_status !== 'SUPERSEDED';
}

/** What the host shows of the findings, and where; null: nothing. */
function reportFor(
  record: RfcRecord,
  { findings = null, reports = null, components = [], freezes = [], baseUrl }: StatusFacts,
  target: { url: string; rejectedBy: string | null },
): (ReportPlace & { report: CheckReport }) | null {
  if (findings === null || reports === null) return null;
  const { annotationsMax } = reports;
  return {
    ...reports,
    report: reportOf(record, findings, {
      annotationsMax,
      components,
      freezes,
      baseUrl,
      ...target,
    }),
  };
}

/** Components that the push touches, failed components first. */
function shownComponents(record: RfcRecord): ComponentVerdict[] {
  const { components = [], overall_status } = record;
  if (overall_status === 'DRAFT') return [];
  const ids = new Set(touchedComponents(record));
  const touched = components.filter(({ id }) => ids.has(id));
  const refused = touched.filter(({ status }) => !isPassing(status));
  const passed = touched.filter(({ status }) => isPassing(status));
  return [...refused, ...passed].slice(0, COMMIT_STATUS.COMPONENTS_MAX);
}

function statusOfComponent(
  record: RfcRecord,
  { status, risk_score, findings_total: total }: ComponentVerdict,
): Pick<CommitStatus, 'state' | 'description'> {
  const findings = total === 1 ? '1 finding' : `${total} findings`;
  const description = `${findings}, score ${risk_score}${ENDINGS[status] ?? ''}`;
  const state = STATES[status];
  const pin = pinOf(record);
  const isElsewhere = pin !== null && record.commit_sha !== null && pin !== record.commit_sha;
  const isDecided = status === 'OVERRIDDEN' || status === 'APPROVED';
  if (!isDecided || !isElsewhere) return { state, description };
  return { state: 'failure', description: `${description} for commit ${pin} alone` };
}

/** Until a tag is fetched its id may be that of a tag object, at which hosts keep no statuses. */
function mayBeTagObject({ ref, overall_status }: RfcRecord): boolean {
  return overall_status === 'DRAFT' && ref?.startsWith('refs/tags/') === true;
}

type Shown = Pick<CommitStatus, 'state' | 'description'>;

function withRejection(shown: Shown, rejectedBy: string | null): Shown {
  if (rejectedBy === null || shown.state !== 'success') return shown;
  return { state: 'failure', description: `${shown.description}, rejected by ${rejectedBy}` };
}

export interface StatusFacts {
  isOutdated: boolean;
  isDeleted: boolean;
  /** Absent or null: the commit is not rejected. */
  rejectedBy?: string | null;
  /** Where people reach the service, without `/api/cra`. */
  baseUrl: string;
  /** Absent or null: the host shows no findings. */
  findings?: FindingsSetting | null;
  /** Of the rules in force. Absent: the settings of the host count. */
  components?: readonly Component[];
  /** In sentences. */
  freezes?: readonly string[];
  /** Absent or null: the host has no place for them. */
  reports?: ReportPlace | null;
}

/** Neither green nor red: nothing speaks for the commit any more. */
const DELETED = { state: 'error', description: 'the RFC was deleted' } as const;

interface Place {
  repo: string | null;
  sha: string | null;
  isOwn: boolean;
}

function placesOf(record: RfcRecord, sha: string | null): Place[] {
  const { repo_full_name, post_vcs_status } = record;
  const own: Place = { repo: repo_full_name, sha, isOwn: true };
  const pin = pinOf(record);
  const repo = passingDecision(record)?.repo_full_name ?? repo_full_name;
  const pinned: Place = { repo, sha: pin ?? sha, isOwn: false };
  const isPinned = pin !== null || repo !== repo_full_name;
  if (!post_vcs_status) return isPinned ? [pinned] : [];
  return isPinned && !(pinned.sha === sha && repo === repo_full_name) ? [own, pinned] : [own];
}

const STATES: Readonly<Record<RfcStatus, CommitState>> = {
  DRAFT: 'pending',
  PASSED: 'success',
  OVERRIDDEN: 'success',
  APPROVED: 'success',
  BLOCKED: 'failure',
  REJECTED: 'failure',
  SUPERSEDED: 'error',
};

/** Every status reads differently, so that none is taken for an earlier status. */
const ENDINGS: Readonly<Partial<Record<RfcStatus, string>>> = {
  BLOCKED: '; what to do: see the details',
  OVERRIDDEN: ', overridden',
  APPROVED: ', approved',
  REJECTED: ', rejected',
};

/** `ownSha`: the record's own commit; null: the commit that its decision is pinned to. */
function statusOf(
  record: RfcRecord,
  ownSha: string | null,
): Pick<CommitStatus, 'state' | 'description'> {
  const { overall_status } = record;
  const state = STATES[overall_status];
  if (overall_status === 'DRAFT') {
    const awaited = awaitedSentence(record);
    const what = awaited === null ? 'the analysis has not ended' : `waits for ${awaited}`;
    return { state, description: what };
  }
  if (overall_status === 'SUPERSEDED') return { state, description: 'superseded by a newer push' };
  const [carried] = carriedFrom(record);
  const ending =
    carried === undefined
      ? (ENDINGS[overall_status] ?? '')
      : `, covered by the decision on ${carried}`;
  const description = `${sums(record)}${ending}`;
  const pin = pinOf(record);
  if (state === 'success' && ownSha !== null && pin !== null && pin !== ownSha) {
    return { state: 'failure', description: `${description} for commit ${pin} alone` };
  }
  return { state, description };
}

/** Numbers alone: a finding may hold a secret. */
function sums({ gates, risk_score }: RfcRecord): string {
  const findings = [gates.risk, gates.ast, gates.llm].flatMap((gate) => gate.findings);
  const count = (severity: string) =>
    findings.filter((found) => found.severity === severity && found.suppressed === null).length;
  // Records of before the field existed lack it.
  const suppressed = [gates.risk, gates.ast, gates.llm]
    .map((gate) => gate.suppressed_count ?? 0)
    .reduce((sum, count) => sum + count);
  const warned = findings.filter((found) => found.suppressed?.by === BY_MODE.warn).length;
  const warnings = warned === 0 ? '' : `, ${warned} ${warned === 1 ? 'warning' : 'warnings'}`;
  const hidden = suppressed <= warned ? '' : `, ${suppressed - warned} suppressed`;
  const counts = `${count('critical')} critical, ${count('high')} high${warnings}${hidden}`;
  return `${counts}, score ${risk_score}`;
}
