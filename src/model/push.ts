/** Kinds of Git hosts whose pushes and statuses the service speaks. */
export const PROVIDERS = ['github', 'gitea', 'forgejo', 'gitlab'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Where a pushed RFC stands on its way to a verdict. */
export type PushPhase = 'waiting' | 'fetching' | 'scanning';

/**
 * What the diff of a push starts from: the newest accepted head among its ancestors; an accepted
 * head of the same or the default branch that is not an ancestor (its tree is what was accepted all
 * the same); or nothing, so that the whole tree is judged.
 */
export type BaseKind = 'ancestor' | 'other-branch' | 'empty-tree';

/** A push as a webhook describes it, checked. Nothing of it is fetched as it stands. */
export interface PushEvent {
  repoFullName: string;
  /** The id that the host has for the repository, which a rename keeps; null: it gives none. */
  repositoryId: string | null;
  /** `refs/heads/main`. */
  ref: string;
  /** Null: the push created the ref. */
  before: string | null;
  /** Null: the push deleted the ref. */
  after: string | null;
  defaultBranch: string | null;
  pusher: string | null;
  /** As the host says; null: it does not, or it is none. */
  pusherEmail: string | null;
  /** Scheme, name and port of the host, by which the configured host is found. */
  origin: string | null;
}

/** What an RFC knows of the push that made it. Branch, commit and names stand in the record. */
export interface PushInfo {
  /** Id of the configured host. */
  host: string;
  provider: Provider;
  /** The id that the host has for the repository; null: it gives none. */
  repository_id: string | null;
  /** Whether a webhook announced it, or a sweep found it. */
  source: 'webhook' | 'sweep';
  delivery_id: string;
  /** As the host said: where the ref stood before; null: the push created it. Only a hint. */
  before: string | null;
  /** Without `refs/heads/`; null: the host did not say. */
  default_branch: string | null;
  pusher: string | null;
  /** Null once there is a verdict. */
  phase: PushPhase | null;
  /** Null until the range was computed, and where there is no such commit. */
  base: string | null;
  base_kind: BaseKind | null;
  /**
   * What the verdict stands on besides its own range: the RFC that accepted the base, or the
   * baseline (`baselineId`), and RFCs whose decisions were carried. Taken back with any of them.
   */
  rests_on: string[];
  /** Commits in the range; null until it was computed. */
  commits: number | null;
  /** How often it was put off because the host did not have it yet. */
  tries: number;
  /**
   * Why it is not judged, in a sentence; null: nothing is in the way. Of a BLOCKED push: its change
   * could not be read, so it is not a base, and a sweep asks for it again.
   */
  waiting_for: string | null;
  /** Of a SUPERSEDED push: the RFC that was judged instead; null: none was. */
  superseded_by: string | null;
}

/** `refs/heads/` and a branch's name; other refs are judged like branches where configured. */
export const BRANCH_PREFIX = 'refs/heads/';

/** Whether pushes of a ref make RFCs: branches, and tags where they are configured to. */
export function isJudgedRef(ref: string, judgesTags: boolean): boolean {
  return ref.startsWith(BRANCH_PREFIX) || (judgesTags && ref.startsWith('refs/tags/'));
}

/** The name that an RFC shows for a ref: a branch's short one, else the ref itself. */
export function branchOf(ref: string): string {
  return ref.startsWith(BRANCH_PREFIX) ? ref.slice(BRANCH_PREFIX.length) : ref;
}

/** The id by which `rests_on` names the baseline of a repository while it is at this commit. */
export function baselineId(sha: string): string {
  return `baseline ${sha}`;
}

/** Of a record that is a push. */
interface PushedRecord {
  repo_name: string;
  push: Pick<PushInfo, 'host' | 'repository_id'> | null;
}

/**
 * The key under which a repository's pushes and heads are kept: the host and its own id, so that a
 * rename or transfer keeps them; the name in lower case where the host gives no id. No name has a
 * `#`, so the two never meet.
 */
export function repositoryKey({ push, repo_name }: PushedRecord): string {
  const id = push?.repository_id ?? null;
  return push === null || id === null ? repo_name.toLowerCase() : `${push.host}#${id}`;
}
