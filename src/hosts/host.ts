import type { Provider, PushEvent, StatusEvent } from '../model/push.ts';
import type { CheckRequest, DeployRequest } from './settings.ts';
import type { SignatureFamily } from './signature.ts';

/**
 * A kind of Git host: all that differs between GitHub, Gitea, Forgejo and GitLab. A new host is one
 * object of this kind, listed in `hosts.ts`, and its tests.
 */
export interface GitHost extends DeliveryDialect, StatusDialect {
  readonly provider: Provider;
  /** Name that goes with the token for git (HTTP Basic); these hosts look at the token alone. */
  readonly cloneUsername: string;
  /** Where the REST API is, for the address of a host without `/` at the end. */
  apiUrl(url: string): string;
}

/** How a host reports pushes and pull requests. */
interface DeliveryDialect {
  readonly signature: SignatureFamily;
  /** Hosts of one family send each other's headers: one may be configured as the other. */
  readonly family: 'github' | 'gitea' | 'gitlab';
  /** Headers that name the event and the delivery, the newest name first. */
  readonly deliveryHeaders: readonly DeliveryHeaderNames[];
  /** Events that may be the push of a ref. */
  readonly pushEvents: ReadonlySet<string>;
  /** Fields of the payload that `readPush` looks at. */
  readonly pushFields: readonly string[];
  /**
   * Reads the push of a ref; null for another event. Throws INVALID_ARGUMENT naming a malformed
   * field.
   */
  readPush(payload: Readonly<Record<string, unknown>>): PushEvent | null;
  /** Events about pull requests. */
  readonly pullRequestEvents: ReadonlySet<string>;
  /**
   * Reads where the head of a pull request stands; null for what gives nothing to judge (closed,
   * labelled). The title may hold secrets still. Throws as `readPush`.
   */
  readPullRequest(payload: Readonly<Record<string, unknown>>): PushEvent | null;
  /** Where the open pull requests of a repository are listed, the last changed first. */
  openPullsPath(repo: string, page: number): string;
  /** Open pull requests of one page. */
  readonly openPullsPerPage: number;
  /** An entry of that list as the payload of an event that says where its head stands. */
  pullPayload(
    entry: Readonly<Record<string, unknown>>,
    repo: string,
  ): Readonly<Record<string, unknown>>;
  /** Events about commit statuses. */
  readonly statusEvents: ReadonlySet<string>;
  /** Reads a status under our name; null for any other. Throws as `readPush`. */
  readStatus(payload: Readonly<Record<string, unknown>>): StatusEvent | null;
  /** Events by which people ask for another check. */
  readonly checkEvents: ReadonlySet<string>;
  /** Reads which check is asked for; null for another event. Throws as `readPush`. */
  readCheckRequest(payload: Readonly<Record<string, unknown>>): CheckRequest | null;
  /** Events by which the host asks whether a job may deploy. */
  readonly deployEvents: ReadonlySet<string>;
  /** Reads which deploy is asked about; null for another event. Throws as `readPush`. */
  readDeployRequest(payload: Readonly<Record<string, unknown>>): DeployRequest | null;
}

interface DeliveryHeaderNames {
  readonly event: string;
  /** The first that is there counts. */
  readonly ids: readonly string[];
}

/** How a host takes commit statuses. */
interface StatusDialect {
  /** In code points. */
  readonly descriptionCharsMax: number;
  /** Whether repositories are in groups within groups, or else all are `owner/repo`. */
  readonly hasSubgroups: boolean;
  /** Below the URL of the API, beginning with `/`. */
  statusPath(status: CommitStatus): string;
  apiHeaders(token: string): Record<string, string>;
  statusBody(status: CommitStatus): Readonly<Record<string, string>>;
  /** Where the statuses of a commit are read, the newest first. */
  statusesPath(status: Pick<CommitStatus, 'repo' | 'sha' | 'component'>): string;
  /** States by the names that the host gives them, where they differ. */
  readonly shownStates: Readonly<Record<string, CommitState>>;
  /** Reads an answer where this host differs from the others; null where it does not. */
  readAnswer(answer: ApiAnswer, status: CommitStatus): PostResult | null;
}

/** States of a commit status, as GitHub and Gitea name them. */
export type CommitState = 'pending' | 'success' | 'failure' | 'error';

/** The status of a commit. Name, commit and ref have the form that git takes. */
export interface CommitStatus {
  /** Full name of the repository, as `owner/repo`. */
  repo: string;
  sha: string;
  /** Name of the branch; null: not known. */
  branch: string | null;
  /** Id of the component that it is about; absent: of the whole repository. */
  component?: string;
  state: CommitState;
  /** One line. Longer lines are cut to the length that the host takes. */
  description: string;
  targetUrl: string;
  /** For hosts that show findings; absent: they are not shown. */
  report?: CheckReport;
  /** Only the report is meant, as a comment in the pull request of the commit. */
  inPullRequest?: true;
  /** Number of its pull request; absent: the host is asked for that of the commit. */
  pullRequest?: number;
}

/** Findings as a host shows them beside the lines. Redacted, and escaped for Markdown. */
export interface CheckReport {
  /** Markdown. */
  summary: string;
  /** Worst first. */
  annotations: readonly Annotation[];
  /** There is nothing to say, unless something else was said before. */
  isQuiet: boolean;
}

/** A finding at its lines, in plain text. */
export interface Annotation {
  /** Path in the new tree. */
  path: string;
  startLine: number;
  endLine: number;
  level: 'failure' | 'warning' | 'notice';
  title: string;
  message: string;
}

/** The context of a status: the name that branch protection requires. */
export function contextOf({ component }: Pick<CommitStatus, 'component'>): string {
  return component === undefined ? STATUS_CONTEXT : `${STATUS_CONTEXT}/${component}`;
}

const STATUS_CONTEXT = 'cra/gate';

/** The component that a context is about (null: the whole); undefined: the context is not ours. */
export function componentOf(context: string): string | null | undefined {
  if (context === STATUS_CONTEXT) return null;
  const prefix = `${STATUS_CONTEXT}/`;
  return context.startsWith(prefix) ? context.slice(prefix.length) : undefined;
}

/** An answer of an API, its body read to an end that is bounded. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  /** The body as JSON; null: it is not JSON, or too large. */
  json: unknown;
  /** `message` of a JSON object; hostile text, only to look for known words in. */
  message: string;
}

/** Posts the status of a commit. */
export interface PostStatus {
  /** Never rejects. */
  (status: CommitStatus, work: HostWork): Promise<PostResult>;
  /** Calls of the API that a status takes, at most. */
  callsOf(status: CommitStatus): number;
  /** Null: the host shows no findings. */
  readonly reports: ReportPlace | null;
}

/** A status as a host shows it. */
export interface ShownStatus {
  state: string;
  description: string;
}

/**
 * Reads the newest status under a name at a commit, by any account; null: it is not there, or
 * nobody says. Throws UNAVAILABLE.
 */
export type ReadStatus = (
  status: Pick<StatusEvent, 'repoFullName' | 'sha' | 'component'>,
  signal: AbortSignal,
) => Promise<ShownStatus | null>;

/** Calls that belong to one post. */
export interface HostWork {
  signal: AbortSignal;
  /** Each call is counted as it is made. */
  onCall(): void;
}

/** Where a host shows the findings of a change. */
export interface ReportPlace {
  /** In the status itself, or in a comment of ours. */
  readonly in: 'check run' | 'pull request';
  /** Findings that it shows at their lines. */
  readonly annotationsMax: number;
}

/** Result of posting a status. Reasons are our own sentences, without any text of the host. */
export type PostResult =
  | { outcome: 'posted' }
  /** The commit is the head of no open pull request (yet), so a report has no place. */
  | { outcome: 'no pull request' }
  /** Not for this commit, or not yet; others may well be taken. */
  | { outcome: 'later'; reason: string }
  /** It will not be taken, however often it is sent. */
  | { outcome: 'refused'; reason: string }
  /** The host limits its callers: nothing should be sent for that time. */
  | { outcome: 'limited'; reason: string; waitMs: number }
  /** The host cannot be reached, or does not work. */
  | { outcome: 'down'; reason: string; waitMs: number };

/** Why nothing was posted. */
export type Problem = Extract<PostResult, { reason: string }>;
