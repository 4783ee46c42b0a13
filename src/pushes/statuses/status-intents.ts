import type { CommitState, CommitStatus } from '../../hosts/commit-status.ts';
import { FULL_SHA, REPO_FULL_NAME } from '../../hosts/settings.ts';
import { commitId } from '../../model/ids.ts';
import { branchOf } from '../../model/push.ts';
import {
  approveUrl,
  carriedFrom,
  passingDecision,
  pinOf,
  type RfcRecord,
} from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';

/** What a host shall show for a record. */
export interface StatusIntents {
  /** For commits that get a status, what takes a green away first. */
  statuses: CommitStatus[];
  /** Why a commit is left out, in a sentence; null: none is. */
  problem: string | null;
}

/**
 * The statuses of a record: at its own commit, and at the commit that its decision is pinned to.
 * A pinned decision counts for that commit alone, so its own never becomes green by it. Nothing
 * is said at the own commit of an outdated record: a newer one speaks for it.
 */
export function statusIntents(
  record: RfcRecord,
  { isOutdated, isDeleted, baseUrl }: StatusFacts,
): StatusIntents {
  const own = record.commit_sha === null ? null : commitId(record.commit_sha);
  if (mayBeTagObject(record)) return { statuses: [], problem: null };
  const places = placesOf(record, own).filter(({ sha }) => !(isOutdated && sha === own));
  const statuses: CommitStatus[] = [];
  let problem: string | null = null;
  for (const { repo, sha, isOwn } of places) {
    if (repo === null || !REPO_FULL_NAME.test(repo)) {
      problem = 'the RFC names no repository as owner/repo';
    } else if (sha === null || !FULL_SHA.test(sha)) {
      problem = 'the RFC names no commit by its full id';
    } else {
      statuses.push({
        ...{ repo, sha, branch: isOwn && record.ref !== null ? branchOf(record.ref) : null },
        ...(isDeleted ? DELETED : statusOf(record, isOwn ? sha : null)),
        targetUrl: approveUrl(baseUrl, record.rfc_id),
      });
    }
  }
  return { statuses, problem };
}

/** Until a tag is fetched its id may be that of a tag object, at which hosts keep no statuses. */
function mayBeTagObject({ ref, overall_status }: RfcRecord): boolean {
  return overall_status === 'DRAFT' && ref?.startsWith('refs/tags/') === true;
}

export interface StatusFacts {
  isOutdated: boolean;
  isDeleted: boolean;
  /** Where people reach the service, without `/api/cra`. */
  baseUrl: string;
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

/** Every status reads differently, so that none is taken for one that was posted before. */
const ENDINGS: Readonly<Partial<Record<RfcStatus, string>>> = {
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
  if (overall_status === 'DRAFT') return { state, description: 'the analysis has not ended' };
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

/** Numbers alone: what was found may hold a secret. */
function sums({ gates, risk_score }: RfcRecord): string {
  const findings = [gates.risk, gates.ast, gates.llm].flatMap((gate) => gate.findings);
  const count = (severity: string) =>
    findings.filter((found) => found.severity === severity && found.suppressed === null).length;
  // Records of before the field existed lack it.
  const suppressed = [gates.risk, gates.ast, gates.llm]
    .map((gate) => gate.suppressed_count ?? 0)
    .reduce((sum, count) => sum + count);
  const hidden = suppressed === 0 ? '' : `, ${suppressed} suppressed`;
  return `${count('critical')} critical, ${count('high')} high${hidden}, score ${risk_score}`;
}
