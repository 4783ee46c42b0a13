/** States of a commit status, as GitHub and Gitea name them. */
export type CommitState = 'pending' | 'success' | 'failure' | 'error';

/** What a host shall show at a commit. Name, commit and ref have the form that git takes. */
export interface CommitStatus {
  /** Full name of the repository, as `owner/repo`. */
  repo: string;
  sha: string;
  /** Name of the branch, or null: not known. */
  branch: string | null;
  state: CommitState;
  /** One line. Longer ones are cut to what the host takes. */
  description: string;
  targetUrl: string;
}

/** The one context that all statuses of the service have: what branch protection names. */
export const STATUS_CONTEXT = 'cra/gate';

/** What became of a status. Reasons are sentences of ours, without anything the host said. */
export type PostResult =
  | { outcome: 'posted' }
  /** Not for this commit, or not yet; others may well be taken. */
  | { outcome: 'later'; reason: string }
  /** It will not be taken, however often it is sent. */
  | { outcome: 'refused'; reason: string }
  /** The host limits its callers: nothing should be sent for that time. */
  | { outcome: 'limited'; reason: string; waitMs: number }
  /** The host is not there, or does not work. */
  | { outcome: 'down'; reason: string; waitMs: number };

/** Tells a host the state of a commit. Never rejects. */
export type PostStatus = (status: CommitStatus, signal: AbortSignal) => Promise<PostResult>;

/** What differs between the hosts. */
export interface StatusDialect {
  /** In code points. */
  readonly descriptionCharsMax: number;
  /** Whether repositories are in groups within groups, or else all are `owner/repo`. */
  readonly hasSubgroups: boolean;
  /** Below the URL of the API, beginning with `/`. */
  path(status: CommitStatus): string;
  headers(token: string): Record<string, string>;
  body(status: CommitStatus): Readonly<Record<string, string>>;
  /** What an answer means where this host differs from the others; null: it does not. */
  judge(answer: ApiAnswer, status: CommitStatus): PostResult | null;
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
