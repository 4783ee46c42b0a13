import type { ComponentVerdict } from './components.ts';
import { addressDigest, type Principal, plainAddress } from './principal.ts';
import { isPullRequestRef, repositoryKey } from './push.ts';
import {
  acceptsHead,
  acceptsPush,
  type Decision,
  deletedRecord,
  type Emergency,
  pinOf,
  type RfcRecord,
} from './records.ts';
import { commitId, isPassing, isRefusing, type RfcStatus } from './rfc.ts';

/** Statuses in which an RFC refuses its change. */
const REFUSED: ReadonlySet<RfcStatus> = new Set(['DRAFT', 'BLOCKED', 'REJECTED']);
const ACCEPTED: ReadonlySet<RfcStatus> = new Set(['PASSED', 'OVERRIDDEN', 'APPROVED']);

/**
 * Whether an RFC holds its change back: it has no verdict yet, is BLOCKED or REJECTED, or its
 * emergency override was not reviewed.
 */
function isHeld(record: Pick<RfcRecord, 'overall_status' | 'emergency'>): boolean {
  return REFUSED.has(record.overall_status) || openEmergency(record) !== null;
}

/** The emergency override that somebody has to review; null when absent. */
export function openEmergency(
  record: Pick<RfcRecord, 'overall_status' | 'emergency'>,
): Emergency | null {
  const { overall_status, emergency } = record;
  const isOpen = overall_status === 'OVERRIDDEN' && emergency?.review === 'due';
  return isOpen ? emergency : null;
}

/** What somebody asks for. `review`: another review by gate 3. */
export interface ReleaseRequest {
  action: Decision['action'] | 'delete' | 'review';
  principal: Principal;
}

/** A change that was held is let through, or its RFC goes with what holds it. */
interface Release {
  by: Principal;
  /** Against whom it was held: who submitted it, and who made its open emergency override. */
  against: { submitter: Principal; overrider: Principal | null };
}

/**
 * Whether a request lets a change through that an RFC holds, by whom, and against whom; null: it
 * does not. The one place that says so, for decisions, deletions and reviews alike.
 */
export function releaseOf(
  record: RfcRecord,
  { action, principal }: ReleaseRequest,
): Release | null {
  const isRelease = action === 'delete' ? isHeld(record) : releases(record, action);
  if (!isRelease) return null;
  const open = openEmergency(record);
  const made = record.override_history.find((one) => one.decision_id === open?.decision_id);
  const overrider = made?.principal ?? null;
  return { by: principal, against: { submitter: record.submitted_by, overrider } };
}

function releases({ overall_status, gates }: RfcRecord, action: ReleaseRequest['action']) {
  // A review only adds: it releases a change that waits for nothing but a review.
  if (action === 'review') return overall_status === 'BLOCKED' && gates.llm.held === true;
  return isPassing({ action }) || action === 'confirm';
}

/**
 * Why four eyes (SERVICE_FOUR_EYES) refuse a request; null: they do not, or it releases nothing.
 * Only people count, by their subject and their e-mail address: who uses a token is not known, and
 * a Git host names who pushed by the address alone. Authors, committers and pushers of the
 * commits of a push do not let it pass, though another person pushed it last. `rejected`: the RFCs
 * of `LiftedCommits`, whose rejections a decision lifts as well.
 */
export function releaseProblem(
  record: RfcRecord,
  request: ReleaseRequest,
  rejected: readonly RfcRecord[] = [],
): string | null {
  const release = releaseOf(record, request);
  if (release === null) return null;
  const { by, against } = release;
  const { submitter, overrider } = against;
  if (!isPerson(by)) {
    return 'SERVICE_FOUR_EYES: only a person may let a change pass, and a token names no person';
  }
  if (overrider !== null && isSamePerson(overrider, by)) {
    return 'SERVICE_FOUR_EYES: this emergency override is your own; another person has to review it';
  }
  const problem = submitterProblem(submitter, by, 'this change') ?? contributorProblem(record, by);
  if (problem !== null || !lifts(request)) return problem;
  for (const { rfc_id, submitted_by } of rejected) {
    const what = `${rfc_id}, which was rejected for the same commit,`;
    const other = submitterProblem(submitted_by, by, what);
    if (other !== null) return other;
  }
  return null;
}

/** `what` is the change that was submitted, in words. */
function submitterProblem(submitter: Principal, by: Principal, what: string): string | null {
  const isOwn = isPerson(submitter) && submitter.id === by.id;
  if (isOwn || isSameAddress(submitter, by)) {
    return `SERVICE_FOUR_EYES: ${what} is your own; somebody else has to let it pass`;
  }
  if (isPerson(submitter)) return null;
  if (submitter.credential !== 'webhook' || submitter.email === undefined) {
    const name = what.replace(/,$/, '');
    return `SERVICE_FOUR_EYES: it is not known who submitted ${name}, so nobody can let it pass`;
  }
  return by.email === undefined
    ? 'SERVICE_FOUR_EYES: your login has no e-mail address to compare with that of the pusher'
    : null;
}

/** Somebody else's push may bring commits that were held as one's own. */
function contributorProblem({ push }: RfcRecord, { email }: Principal): string | null {
  const contributors = push?.contributors ?? [];
  const isOwn = email !== undefined && contributors.includes(addressDigest(email));
  return isOwn
    ? 'SERVICE_FOUR_EYES: you wrote, committed or pushed commits of this change; somebody else has to let it pass'
    : null;
}

/** Whether it may lift the rejection of a commit: an override, an approval or what completes it. */
function lifts({ action }: Pick<ReleaseRequest, 'action'>): boolean {
  return isPassing({ action }) || action === 'confirm';
}

/** Commits of a repository whose rejections a decision lifts. */
export interface LiftedCommits {
  tenant_id: string;
  /** What the repository is called. */
  names: string[];
  repo_key: string;
  shas: string[];
}

/**
 * The commits whose rejections a decision lifts: that of its RFC, and the commit that it is pinned
 * to. Null: it lifts none.
 */
export function commitsLifted(
  record: RfcRecord,
  request: Pick<Decision, 'commit_sha' | 'repo_full_name'> & Pick<ReleaseRequest, 'action'>,
): LiftedCommits | null {
  if (!lifts(request)) return null;
  const { tenant_id, repo_name, repo_full_name } = record;
  const shas = [record.commit_sha, request.commit_sha].filter((sha) => sha !== null);
  if (shas.length === 0) return null;
  const names = [repo_name, repo_full_name, request.repo_full_name].filter((one) => one !== null);
  return {
    tenant_id,
    names: [...new Set(names)],
    repo_key: repositoryKey(record),
    shas: [...new Set(shas.map(commitId))],
  };
}

/** Whether a credential names a person. */
export function isPerson({ credential }: Principal): boolean {
  return credential === 'session' || credential === 'oidc';
}

/** Whether two callers are one person: by tenant and id, or by the e-mail address. */
export function isSamePerson(one: Principal, other: Principal): boolean {
  if (one.tenant_id !== other.tenant_id) return false;
  return one.id === other.id || isSameAddress(one, other);
}

/** Whether both have an e-mail address, and the same one. */
function isSameAddress({ email: one }: Principal, { email: other }: Principal): boolean {
  if (one === undefined || other === undefined) return false;
  return plainAddress(one) === plainAddress(other);
}

/**
 * What a deletion leaves of an RFC that holds its change back, so that `prod-check` and heads go on
 * refusing: which change it is, and by which verdicts and rejections it is refused, without
 * findings, texts and approvals. Null: the RFC refuses nothing. An emergency override that nobody
 * reviewed is gone with the RFC: its change is BLOCKED again.
 */
export function refusalLeft(record: RfcRecord, at: string): RfcRecord | null {
  if (!isHeld(record)) return null;
  const { emergency, ...left } = deletedRecord(record, at);
  const refusal = { ...left, override_history: left.override_history.filter(isRefusing) };
  if (openEmergency(record) === null) return refusal;
  const overall_status = 'BLOCKED';
  if (refusal.components === undefined) return { ...refusal, overall_status };
  const components = refusal.components.map((one): ComponentVerdict => {
    return one.status === 'OVERRIDDEN' ? { ...one, status: overall_status } : one;
  });
  return { ...refusal, overall_status, components };
}

/**
 * The RFC whose rejection of a commit stands: no later override or approval is about that commit.
 * `records`: RFCs of the commit in its repository, with what deletions left of some. Null: it is
 * not rejected. An RFC that somebody submitted clears no push: a decision about one lifts the
 * rejections of submitted RFCs alone.
 */
export function standingRejection(records: readonly RfcRecord[]): RfcRecord | null {
  const rejections = records
    .map((record) => ({ record, at: newestAt(record, isRefusing) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => other.at - one.at);
  const standing = rejections.find(({ record, at }) => !isLifted(records, record, at));
  return standing?.record ?? null;
}

/**
 * Whether a person let the commit pass after `at` (ms since the epoch), when `rejected` was
 * rejected.
 */
function isLifted(records: readonly RfcRecord[], rejected: RfcRecord, at: number): boolean {
  const counts = (record: RfcRecord) => {
    if (record.push === null) return rejected.push === null && acceptsCommit(record);
    return isPullRequestRef(rejected.ref) ? acceptsPush(record) : acceptsHead(record);
  };
  // Of two decisions at once the one may not have seen the other: it was not compared with it.
  const isMeant = (decision: Decision) =>
    isPassing(decision) && (decision.lifts?.includes(rejected.rfc_id) ?? true);
  return records.some((record) => {
    return newestAt(record, isMeant) > at && counts(record) && isOfRepository(record, rejected);
  });
}

/**
 * Whether two RFCs of a commit are about one repository by themselves: an RFC that names two
 * repositories must not carry what was decided in the one over to the other. Pushes are: the
 * records were found by the key of their repository, which stays when its name changes.
 */
function isOfRepository(one: RfcRecord, other: RfcRecord): boolean {
  if (one.push !== null && other.push !== null) return true;
  const names = new Set(namesOf(other));
  return namesOf(one).some((name) => names.has(name));
}

function namesOf({ repo_name, repo_full_name }: RfcRecord): string[] {
  return [repo_name, repo_full_name ?? repo_name].map((name) => name.toLowerCase());
}

/** Whether pushes of a commit were let pass by a person after `at` (ms since the epoch). */
export function isLiftedByPush(records: readonly RfcRecord[], at: number): boolean {
  return records.some((record) => acceptsHead(record) && newestAt(record, isPassing) > at);
}

/** Whether a submitted RFC lets its own commit pass; a pin names the commit that it counts for. */
function acceptsCommit(record: RfcRecord): boolean {
  if (!ACCEPTED.has(record.overall_status)) return false;
  const pin = pinOf(record);
  return pin === null || record.commit_sha === null || pin === record.commit_sha;
}

/** When the newest of these decisions was made, ms since the epoch; -1: never. */
function newestAt(record: RfcRecord, isMeant: (decision: Decision) => boolean): number {
  const times = record.override_history.filter(isMeant).map(({ at }) => Date.parse(at));
  return Math.max(-1, ...times);
}
