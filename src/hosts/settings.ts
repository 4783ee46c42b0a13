import type { Severity } from '../model/finding.ts';
import type { Provider } from '../model/push.ts';
import { FULL_NAME } from '../model/schema.ts';

const KIB = 1024;
const SECOND_MS = 1000;

/** Bounds of calls from and to Git hosts. */
export const HOSTS = {
  /** JSON values in the payload of one webhook; GitHub lists at most 2,048 commits. */
  DELIVERY_VALUES_MAX: 2_000_000,
  DELIVERY_ID_CHARS_MAX: 200,
  /** Of the title of a pull request: what is searched for secrets, and what is kept of it. */
  TITLE_READ_CHARS_MAX: 4_096,
  TITLE_CHARS_MAX: 256,
  PULL_REQUEST_URL_CHARS_MAX: 1_024,
  /** Standard Webhooks: how far the time of a signature may be from ours. */
  SIGNED_AGE_MS: 300 * SECOND_MS,
  ANSWER_BYTES_MAX: 256 * KIB,
  /** Lists of repositories (some 8 KiB each), of pull requests and comments with their texts. */
  LIST_BYTES_MAX: 8_192 * KIB,
  /** The wait that a host imposes on its callers: when it names none, and its bounds. */
  LIMITED_MS: 60 * SECOND_MS,
  LIMITED_MS_MIN: 1 * SECOND_MS,
  LIMITED_MS_MAX: 3_600 * SECOND_MS,
  /** GitHub refuses longer descriptions; GitLab's column. Code points. */
  GITHUB_DESCRIPTION_CHARS_MAX: 140,
  DESCRIPTION_CHARS_MAX: 255,
  /** A signature of a GitHub App may be ten minutes old; clocks differ, so it begins earlier. */
  APP_JWT_SECONDS: 9 * 60,
  APP_JWT_SKEW_SECONDS: 60,
  /** Installation tokens are valid for an hour; they are renewed so long before their end. */
  APP_TOKEN_RENEW_MS: 10 * 60 * SECOND_MS,
  /** Owners whose installation tokens are kept. */
  APP_TOKENS_MAX: 10_000,
  /** GitHub takes so many annotations in one call. */
  ANNOTATIONS_PER_CALL: 50,
  /** Findings that the summary of a check run lists. */
  SUMMARY_FINDINGS_MAX: 20,
  /** Packages in one summary, and of a name or version: hosts take 65,535 characters. */
  SUMMARY_PACKAGES_MAX: 50,
  PACKAGE_CHARS_MAX: 80,
  /** GitHub takes 255 of a title, and 64 KiB of a message. Code points. */
  ANNOTATION_TITLE_CHARS_MAX: 200,
  ANNOTATION_MESSAGE_CHARS_MAX: 2_000,
  /** Entries of a page where the host takes so many; Gitea's default bound is lower. */
  PER_PAGE: 100,
  GITEA_PER_PAGE: 50,
  /** How long an answer about the webhooks of an owner is kept, and for how many owners. */
  SHARED_MS: 3_600 * SECOND_MS,
  SHARED_MAX: 1_000,
  /** Annotations of one check run; how many are left out is said. */
  ANNOTATIONS_MAX: 200,
  /** Comments of one review on lines: Gitea looks each line up while it takes the review. */
  REVIEW_COMMENTS_MAX: 50,
  /** Discussions of a merge request on lines: GitLab takes each in a call of its own. */
  DISCUSSIONS_MAX: 5,
  /** Pages of a list that are read to find the pull request of a commit, or our own comment. */
  COMMENT_PAGES_MAX: 3,
  /** Pages of open pull requests that a sweep reads, the last changed first. */
  PULL_PAGES_MAX: 3,
  /** Pages of runs of one repository that wait. */
  RUN_PAGES_MAX: 3,
  /** GitHub's bound of the name of an environment. */
  ENVIRONMENT_CHARS_MAX: 255,
  CALLBACK_URL_CHARS_MAX: 1_024,
  /** Comments of ours that are one too many, and go in one turn. */
  COMMENTS_REMOVED_MAX: 2,
} as const;

/** Settings of Git hosts (`SERVICE_VCS_CONFIG`), checked. Holds credentials. */
export interface VcsSettings {
  readonly hosts: readonly VcsHost[];
  /** Id of the host of RFCs that name a repository but no host; null: it is absent. */
  readonly defaultHost: string | null;
  /** Whether a repository seen first counts as accepted as it was, or is judged as a whole. */
  readonly adopt: 'baseline' | 'scan';
  /** Whether pushes of tags make RFCs, too. */
  readonly judgesTags: boolean;
  readonly sweepIntervalMs: number;
  /** All mirrors together; mirrors that were unused for longest go first. */
  readonly mirrorBytesMax: number;
}

export interface VcsHost {
  readonly id: string;
  readonly provider: Provider;
  /**
   * Where its repositories are, without `/` at the end: `https://git.example.com`; a clone is made
   * from `<url>/<full name>.git`. A `file:///` URL is a local folder of repositories.
   */
  readonly url: string;
  /** Where its REST API is; null: no statuses are posted. */
  readonly apiUrl: string | null;
  /** For git and the API; null when absent, or when an App has tokens of its own. */
  readonly token: string | null;
  /** A GitHub App that stands in place of a token. */
  readonly app?: GitHubApp;
  /** Name that goes with the token where git asks for one (HTTP Basic). */
  readonly username: string;
  /** What it shows of findings, where it can show them; absent: nothing. */
  readonly findings?: FindingsSetting;
  /**
   * Names of branches on which a refused change has landed, beside the default branch; a name may
   * end with `*`. Absent: no others.
   */
  readonly protectedBranches?: readonly string[];
  /** Organizations, groups and users whose repositories shall be covered. Absent: not checked. */
  readonly owners?: readonly string[];
  /** Secrets of its webhooks, beside secrets of the environment; several while they are rotated. */
  readonly webhookSecrets: readonly string[];
  /** Tenant of its repositories. */
  readonly tenantId: string;
  /** PEM file of the certificate authorities that git trusts for it; absent: the machine's. */
  readonly caFile?: string;
  /**
   * Folder with bare repositories `<full name>.git` of this host, whose objects mirrors borrow; it
   * is only read. Absent: mirrors fetch everything.
   */
  readonly mirrorPath?: string;
  /** Absent: git goes to it directly. */
  readonly proxy?: GitProxy;
}

/** https://docs.github.com/en/apps/creating-github-apps/about-creating-github-apps */
export interface GitHubApp {
  /** Its App ID or client ID. */
  readonly appId: string;
  /** PEM of its RSA key. */
  readonly privateKey: string;
}

/** The wish of somebody on the host that a commit is checked again. */
export interface CheckRequest {
  readonly repoFullName: string;
  /** Null: the host gives none. */
  readonly repositoryId: string | null;
  readonly sha: string;
  /** Of the App whose check it is: App ID and client ID. */
  readonly appIds: readonly string[];
  /** Scheme, name and port of the host. */
  readonly origin: string | null;
}

/** The question of a host whether a job may deploy. */
export interface DeployRequest {
  readonly repoFullName: string;
  /** As the host names it. */
  readonly environment: string;
  readonly sha: string;
  /** Id of the run whose job waits. */
  readonly runId: string;
  /** Scheme, name and port of the host. */
  readonly origin: string | null;
}

/** What a host shows of the findings of a change. */
export interface FindingsSetting {
  /** In a summary alone, or at their lines, too. */
  readonly show: 'summary' | 'lines';
  /** Milder findings are counted and not shown. */
  readonly leastSeverity: Severity;
  /** Also a pull request in which nothing was found gets a comment; absent: it does not. */
  readonly always?: true;
}

/** Proxies as variables of git's environment. Their addresses may hold a password. */
export type GitProxy = Readonly<Partial<Record<'https_proxy' | 'http_proxy' | 'no_proxy', string>>>;

/** The names and ids that git and the hosts take; nothing else reaches a command or URL. */
export const REPO_FULL_NAME = new RegExp(FULL_NAME);
export const FULL_SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
