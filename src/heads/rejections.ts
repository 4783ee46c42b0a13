import { type GateFinding, plainFinding } from '../model/finding.ts';
import { type RepositoryPlace, repositoryKey } from '../model/push.ts';
import { pinOf, type RfcRecord } from '../model/records.ts';
import { standingRejection } from '../model/release.ts';
import type { SourceRepository } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/contract/pushes.ts';

/** The commit of a change, and what its repository is called. */
export type CommitOf = Pick<
  RfcRecord,
  'tenant_id' | 'repo_name' | 'repo_full_name' | 'commit_sha' | 'push'
>;

interface Narrowed {
  /** The key of its pushes, where the store has another one than the record says. */
  repo_key?: string;
  /** What else the repository is called. */
  names?: readonly string[];
  /** Counts as an RFC of the commit where a decision about it is pinned to that. */
  about?: RfcRecord;
  /** Id of a component: only a rejection that concerns it counts; null: any. */
  component?: string | null;
}

/**
 * The RFC whose rejection of a commit stands in its repository, pushed or submitted, under any of
 * the names of that; null: the commit is not rejected.
 */
export async function rejectionOf(
  change: CommitOf,
  pushes: RejectionReads,
  { names = [], about, component = null, repo_key = repositoryKey(change) }: Narrowed = {},
): Promise<RfcRecord | null> {
  const { tenant_id, repo_name, repo_full_name, commit_sha: sha, push } = change;
  if (sha === null) return null;
  const all = [...new Set([repo_name, repo_full_name ?? repo_name, ...names])];
  // A failure of both is one error: an error that no caller awaits would end the daemon.
  const [decided, pushed] = await Promise.all([
    pushes.decisionsOfCommit({ tenant_id, names: all, sha }),
    // A repository keeps its pushes under another name, too.
    push === null ? null : pushes.pushesOfCommit({ tenant_id, repo_key, sha }),
  ]);
  const records = [...decided.records, ...(pushed?.records ?? [])];
  const isPinned = about !== undefined && pinOf(about) === sha;
  const known = isPinned ? [...records, { ...about, commit_sha: sha }] : records;
  const byId = new Map(known.map((record) => [record.rfc_id, record]));
  const concerned = [...byId.values()].filter((record) => concerns(record, component));
  return standingRejection(concerned);
}

/** What tells whether a commit was rejected. */
export type RejectionReads = Pick<PushStore, 'decisionsOfCommit' | 'pushesOfCommit'>;

/** A repository by its key and by the name under which git finds it. */
interface RejectionPlace {
  place: RepositoryPlace;
  repository: Pick<SourceRepository, 'repo_full_name'>;
}

/**
 * Whether a rejection of a pushed commit stands, in a push of it or in an RFC that was submitted
 * under any name that its repository has now or had at a push of it. Such a commit must not be a
 * base: a submitted RFC revokes no verdict, so an earlier push of it may still be accepted.
 */
export async function isHeadRejected(
  sha: string,
  { place, repository }: RejectionPlace,
  pushes: RejectionReads,
): Promise<boolean> {
  const { tenant_id } = place;
  const { records } = await pushes.pushesOfCommit({ ...place, sha });
  const known = [repository.repo_full_name, ...records.flatMap(namesOf)];
  const names = [...new Set(known)];
  const { records: decided } = await pushes.decisionsOfCommit({ tenant_id, names, sha });
  const all = new Map([...records, ...decided].map((record) => [record.rfc_id, record]));
  return standingRejection([...all.values()]) !== null;
}

function namesOf({ repo_name, repo_full_name }: RfcRecord): string[] {
  return [repo_name, repo_full_name ?? repo_name];
}

/** The finding that blocks a change whose commit was rejected. */
export function rejectedNote(): GateFinding {
  return plainFinding({
    id: 'commit-rejected',
    gate: 'risk',
    severity: 'critical',
    message: 'this commit was rejected in another RFC of the repository',
    fix: 'Make another commit, or override this RFC: the newest decision about a commit counts.',
  });
}

/** Whether a decision about an RFC is one about a component. */
function concerns({ components, overall_status }: RfcRecord, id: string | null): boolean {
  if (id === null || components === undefined) return true;
  const own = components.find((one) => one.id === id);
  return own !== undefined && (overall_status !== 'REJECTED' || own.status === 'REJECTED');
}
