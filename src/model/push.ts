import type { Static } from 'typebox';
import type { RfcStatus } from './rfc.ts';
import { COUNT, exactly, TEXT, TEXT_OR_NULL, TIME } from './schema.ts';

/** Kinds of Git hosts whose pushes and statuses the service speaks. */
export const PROVIDERS = ['github', 'gitea', 'forgejo', 'gitlab'] as const;
export type Provider = (typeof PROVIDERS)[number];

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
  /** As the host says; null: it does not, or it is not an address. */
  pusherEmail: string | null;
  /** Scheme, name and port of the host, by which the configured host is found. */
  origin: string | null;
  /** Whether the ref was moved, or is said to stand at `after`. */
  says: 'moved' | 'stands';
  /** Null: it is the event of a push. */
  pullRequest: PullRequest | null;
}

/** The pull request (GitLab: merge request) of a commit. Texts are redacted and bounded. */
export const PULL_REQUEST = exactly({
  number: { type: 'integer', minimum: 1 },
  title: TEXT,
  author: { ...TEXT_OR_NULL, description: 'Name at the host; null: the host gives no plain name' },
  from_fork: { type: 'boolean', description: 'Its branch is in another repository' },
  first_time: { type: 'boolean', description: 'The host says that its author is new there' },
  base_branch: { ...TEXT, description: 'Where it is to be merged' },
  url: {
    ...TEXT_OR_NULL,
    description: 'Page at the host; null: the host gives no address of its own',
  },
});
export type PullRequest = Static<typeof PULL_REQUEST>;

/** A status under our name, set at a commit of a repository, as a webhook describes it. */
export interface StatusEvent extends Pick<PushEvent, 'repoFullName' | 'repositoryId' | 'origin'> {
  sha: string;
  /** Null: the status of the whole repository. */
  component: string | null;
  state: string;
  /** Null: the event does not say. */
  description: string | null;
  /** Login of the account that set it; null: the host does not say. */
  sender: string | null;
  /** Ids of the App whose check run it is; null: it is a commit status. */
  appIds: readonly string[] | null;
}

/** What an RFC knows of the push that made it. Branch, commit and names stand in the record. */
const PLAIN_PUSH = exactly({
  host: { type: 'string', description: 'Id in SERVICE_VCS_CONFIG' },
  provider: { type: 'string', enum: [...PROVIDERS] },
  // A rename keeps it; null: the host gives no id.
  repository_id: { ...TEXT_OR_NULL, description: 'Id of the repository on the host' },
  // Whether a webhook announced it, or a sweep or an event of a pull request found it.
  source: { type: 'string', enum: ['webhook', 'sweep', 'pull-request'] },
  delivery_id: TEXT,
  // As the host said: where the ref stood before; null: the push created it. Only a hint.
  before: TEXT_OR_NULL,
  // Without `refs/heads/`; null: the host did not say.
  default_branch: TEXT_OR_NULL,
  pusher: TEXT_OR_NULL,
  phase: {
    type: ['string', 'null'],
    enum: ['waiting', 'fetching', 'scanning', null],
    description: 'Where a DRAFT stands; null: there is a verdict',
  },
  // Null until the range was computed, and where there is no such commit.
  base: { ...TEXT_OR_NULL, description: 'Commit that the diff starts from' },
  /*
   * The newest accepted head among its ancestors; an accepted head of the same or the default
   * branch that is not an ancestor (its tree is what was accepted all the same); or nothing, so
   * that the whole tree is judged.
   */
  base_kind: { type: ['string', 'null'], enum: ['ancestor', 'other-branch', 'empty-tree', null] },
  // The RFC that accepted the base, or the baseline (`baselineId`), and the carried RFCs.
  rests_on: {
    type: 'array',
    items: TEXT,
    description: 'RFCs, or the baseline, that the verdict falls with',
  },
  // Null until it was computed.
  commits: { type: ['integer', 'null'], minimum: 0, description: 'Commits in the range' },
  // How often it was put off because the host did not have it yet.
  tries: COUNT,
  // Of a BLOCKED push: its change could not be read, so it is not a base, and a sweep asks again.
  waiting_for: { ...TEXT_OR_NULL, description: 'Why it is not judged yet, or could not be' },
  // Of a SUPERSEDED push: the RFC that was judged instead.
  superseded_by: TEXT_OR_NULL,
});

/** Older records have none of the further fields. */
export const PUSH = {
  ...PLAIN_PUSH,
  properties: {
    ...PLAIN_PUSH.properties,
    based_at: {
      ...TIME,
      description: 'When the base was looked up: what was decided later is not in the verdict',
    },
    contributors: {
      type: 'array',
      items: TEXT,
      description:
        'Digests of e-mail addresses: authors and committers of the range, pushers of its commits',
    },
    is_protected: {
      type: 'boolean',
      enum: [true],
      description: 'The ref is the default branch, or a protected one by SERVICE_VCS_CONFIG',
    },
  },
} as const;
export type PushInfo = Static<typeof PUSH>;
export type BaseKind = NonNullable<PushInfo['base_kind']>;

/** `refs/heads/` and a branch's name; other refs are judged like branches where configured. */
export const BRANCH_PREFIX = 'refs/heads/';

/** Whether pushes of a ref make RFCs: branches, and tags where they are configured to. */
export function isJudgedRef(ref: string, judgesTags: boolean): boolean {
  return ref.startsWith(BRANCH_PREFIX) || (judgesTags && ref.startsWith('refs/tags/'));
}

/** Whether a ref is the host's own of a pull request: no branch, whatever its commits become. */
export function isPullRequestRef(ref: string | null): boolean {
  return ref !== null && PULL_REQUEST_REF.test(ref);
}

/** Refs that hosts keep for pull requests. */
export const PULL_REQUEST_REF = /^refs\/(?:pull|merge-requests)\//;

/** The name that an RFC shows for a ref: a branch's short one, else the ref itself. */
export function branchOf(ref: string): string {
  return ref.startsWith(BRANCH_PREFIX) ? ref.slice(BRANCH_PREFIX.length) : ref;
}

/**
 * Whether what is pushed to a ref has landed: the default branch, and branches that match one of
 * these names, which may end with `*`.
 */
export function isProtectedRef(
  ref: string,
  defaultBranch: string | null,
  names: readonly string[],
): boolean {
  if (!ref.startsWith(BRANCH_PREFIX)) return false;
  const branch = branchOf(ref);
  return branch === defaultBranch || isNamedBranch(branch, names);
}

/** Whether a branch has one of these names; a name that ends with `*` stands for its beginning. */
export function isNamedBranch(branch: string, names: readonly string[]): boolean {
  return names.some((name) =>
    name.endsWith('*') ? branch.startsWith(name.slice(0, -1)) : branch === name,
  );
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

/** A repository of a tenant; the name without regard to case. */
export interface Repository {
  tenant_id: string;
  repo_name: string;
}

/** A repository as its pushes and heads are kept: `repo_key` as `repositoryKey` makes it. */
export interface RepositoryPlace {
  tenant_id: string;
  repo_key: string;
}

/** Both. */
export interface NamedPlace extends Repository, RepositoryPlace {}

/** A ref of a repository. */
export interface RefPlace extends RepositoryPlace {
  ref: string;
}

/** A commit that counts as accepted; null as `rfc_id`: the baseline does. */
export interface AcceptedHead {
  sha: string;
  rfc_id: string | null;
  /** Null for the baseline. */
  ref: string | null;
}

/** The state of a repository when it was seen first. */
export interface Baseline {
  /** Id of the host that it was seen on: the name belongs to that one alone. */
  host: string;
  /** Head of the default branch that counts as accepted; null: nothing does. */
  sha: string | null;
  /** Every ref that the host had then, with its commit: the commit is known without a push. */
  heads: Record<string, string>;
  adopted_at: string;
}

/** A revoked RFC or baseline on which heads may depend. */
export interface Revocation extends RepositoryPlace {
  /** Id of the RFC, or `baselineId` of the commit. */
  id: string;
  sha: string;
  /** Whether a person rejected it: then no verdict about the same commit stands. */
  is_rejected: boolean;
  /** Ms since the epoch. */
  at_ms: number;
}

export interface ProdFacts {
  rfc_id: string;
  overall_status: RfcStatus;
  risk_score: number;
  commit_sha: string | null;
  /** The commit that its decision is pinned to; null: to none. */
  pin: string | null;
  /** The RFCs whose decisions let it pass; empty: its own verdict or decision does. */
  carried_from: string[];
  /** The RFC was deleted; what it refused stays refused. */
  deleted?: true;
}

/** The newest push of a ref. */
export interface PushView {
  ref: string;
  rfc_id: string;
  commit_sha: string;
  overall_status: RfcStatus;
  /** Whether its commit counts as an accepted head by this RFC. */
  isAccepted: boolean;
  /** BLOCKED because its change could not be had (`push.waiting_for` says why). */
  isUnjudged: boolean;
}

export interface QueueDepth {
  /** DRAFT pushes, running ones included; counted up to PUSH_STORE.DEPTH_COUNTED_MAX. */
  open: number;
  /** Open pushes that are leased to a daemon or put off. */
  held: number;
  /** `created_at` of the oldest; null: it is absent. */
  oldestAt: string | null;
  /** Commit statuses that are to be posted, counted up to the same. */
  statuses_due: number;
  /**
   * Pushes that landed against their verdict (`landed_blocked`) and are BLOCKED or REJECTED still,
   * with no accepted push of the ref after them; among the newest PUSH_STORE.LANDED_COUNTED_MAX.
   */
  landed_blocked: number;
}
