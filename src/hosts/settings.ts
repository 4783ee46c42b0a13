import type { Provider } from '../model/push.ts';
import { FULL_NAME } from '../model/schema.ts';

const KIB = 1024;
const SECOND_MS = 1000;

/** Bounds of calls from and to Git hosts. */
export const HOSTS = {
  /** JSON values in the payload of one webhook; GitHub lists at most 2,048 commits. */
  DELIVERY_VALUES_MAX: 2_000_000,
  DELIVERY_ID_CHARS_MAX: 200,
  /** Standard Webhooks: how far the time of a signature may be from ours. */
  SIGNED_AGE_MS: 300 * SECOND_MS,
  ANSWER_BYTES_MAX: 64 * KIB,
  /** The wait that a host imposes on its callers: when it names none, and its bounds. */
  LIMITED_MS: 60 * SECOND_MS,
  LIMITED_MS_MIN: 1 * SECOND_MS,
  LIMITED_MS_MAX: 3_600 * SECOND_MS,
  /** GitHub refuses longer descriptions; GitLab's column. Code points. */
  GITHUB_DESCRIPTION_CHARS_MAX: 140,
  DESCRIPTION_CHARS_MAX: 255,
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
  /** All mirrors together; those unused for longest go first. */
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
  /** For git and the API; null when absent. */
  readonly token: string | null;
  /** Name that goes with the token where git asks for one (HTTP Basic). */
  readonly username: string;
  /** Secrets of its webhooks, beside those of the environment; several while they are rotated. */
  readonly webhookSecrets: readonly string[];
  /** Tenant of its repositories. */
  readonly tenantId: string;
  /** PEM file of the certificate authorities that git trusts for it; absent: the machine's. */
  readonly caFile?: string;
  /** Absent: git goes to it directly. */
  readonly proxy?: GitProxy;
}

/** Proxies as variables of git's environment. Their addresses may hold a password. */
export type GitProxy = Readonly<Partial<Record<'https_proxy' | 'http_proxy' | 'no_proxy', string>>>;

/** The names and ids that git and the hosts take; nothing else reaches a command or URL. */
export const REPO_FULL_NAME = new RegExp(FULL_NAME);
export const FULL_SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
