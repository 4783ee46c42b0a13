import { CraError } from '../model/errors.ts';
import { callApi, createHostCalls, readRefusal } from './api.ts';
import { checkRunCalls, openCheckRunReader, openCheckRuns } from './check-runs.ts';
import { createAppTokens } from './github-app.ts';
import {
  type ApiAnswer,
  type CommitStatus,
  contextOf,
  type HostWork,
  type PostResult,
  type PostStatus,
  type ReadStatus,
  type ReportPlace,
} from './host.ts';
import { gitHost, hasCredentials } from './hosts.ts';
import { cutText } from './markdown.ts';
import { mergeNoteCalls, openMergeNotes } from './merge-notes.ts';
import type { PullReport } from './pull-comments.ts';
import { objectOf, textOf } from './push-payload.ts';
import { openReviews, REVIEW_CALLS } from './reviews.ts';
import { HOSTS, type VcsHost, type VcsSettings } from './settings.ts';

/** Posts statuses to a host; null: it has no API or no token, so none are posted. */
export function openStatusApi(settings: VcsHost, options: StatusApiOptions): PostStatus | null {
  const ways = openWays(settings, options);
  if (ways === null) return null;
  const { post, comments } = ways;
  const { hasSubgroups, descriptionCharsMax } = gitHost(settings.provider);
  const postChecked: Post = async (status, work) => {
    // More or fewer parts would address something else of the API.
    if (!hasSubgroups && status.repo.split('/').length !== 2) {
      return { outcome: 'refused', reason: 'the repository is not named owner/repo' };
    }
    const { inPullRequest = false, report } = status;
    if (inPullRequest) {
      if (comments === null || report === undefined) throw new TypeError('it takes no reports');
      return await comments.post({ ...status, report }, work);
    }
    const description = cutText(status.description, descriptionCharsMax);
    return await post({ ...status, description }, work);
  };
  const callsOf = (status: CommitStatus) =>
    status.inPullRequest && comments !== null ? comments.callsOf(status) : ways.callsOf(status);
  return Object.assign(postChecked, { callsOf, reports: ways.reports });
}

/** How a host takes statuses, or reports where it has another form for them. */
interface Ways {
  post: Post;
  callsOf(status: CommitStatus): number;
  comments: Comments | null;
  reports: ReportPlace | null;
}

/** How a host takes comments in pull requests. */
interface Comments {
  post(report: PullReport, work: HostWork): Promise<PostResult>;
  callsOf(status: CommitStatus): number;
  annotationsMax: number;
}

function openWays(host: VcsHost, options: StatusApiOptions): Ways | null {
  const tokens = createAppTokens(host, options);
  if (tokens !== null) {
    const post = openCheckRuns({ host, tokens, ...options });
    const reports = { in: 'check run', annotationsMax: HOSTS.ANNOTATIONS_MAX } as const;
    return { post, callsOf: checkRunCalls, comments: null, reports };
  }
  const post = openCommitStatuses(host, options);
  if (post === null) return null;
  const comments = openComments(host, options);
  const reports =
    comments === null
      ? null
      : ({ in: 'pull request', annotationsMax: comments.annotationsMax } as const);
  return { post, callsOf: () => 1, comments, reports };
}

/** GitHub takes check runs of an App in their place. */
function openComments(
  { provider, apiUrl, token }: VcsHost,
  options: StatusApiOptions,
): Comments | null {
  if (provider === 'github' || apiUrl === null || token === null) return null;
  const headers = gitHost(provider).apiHeaders(token);
  const calls = createHostCalls({ apiUrl, headers, ...options });
  if (provider === 'gitlab') {
    return {
      post: openMergeNotes(calls),
      callsOf: ({ report }) => mergeNoteCalls(report?.annotations.length ?? 0),
      annotationsMax: HOSTS.DISCUSSIONS_MAX,
    };
  }
  return {
    post: openReviews(calls),
    callsOf: () => REVIEW_CALLS,
    annotationsMax: HOSTS.REVIEW_COMMENTS_MAX,
  };
}

type Post = (...args: Parameters<PostStatus>) => ReturnType<PostStatus>;

interface StatusApiOptions {
  /** Of one call. */
  deadlineMs: number;
  /** Ms since the epoch. */
  now(): number;
}

/** Reads statuses of a host, or check runs where it shows those; null: it has no credentials. */
export function openStatusReader(host: VcsHost, options: StatusApiOptions): ReadStatus | null {
  const { provider, apiUrl, token } = host;
  const tokens = createAppTokens(host, options);
  if (tokens !== null) return openCheckRunReader({ host, tokens, ...options });
  const { statusesPath, apiHeaders, shownStates } = gitHost(provider);
  if (apiUrl === null || token === null) return null;
  const { call } = createHostCalls({ apiUrl, headers: apiHeaders(token), ...options });
  return async ({ repoFullName: repo, sha, component }, signal) => {
    const work = { signal, onCall: () => undefined };
    const place = component === null ? {} : { component };
    const called = await call('GET', statusesPath({ repo, sha, ...place }), { work });
    if ('problem' in called) throw new CraError('UNAVAILABLE', called.problem.reason);
    const { json } = called.answer;
    const list: unknown[] = Array.isArray(json) ? json : [];
    // GitLab says `name` and `status`, GitHub `context` and `state`, Gitea `context` and `status`.
    const isOwn = ({ context, name }: ReturnType<typeof objectOf>) =>
      (context ?? name) === contextOf(place);
    const own = list.map(objectOf).filter(isOwn);
    // Gitea sorts statuses of one second in no order: the newest has the highest id.
    const [found] = own.sort((one, other) => Number(other['id'] ?? 0) - Number(one['id'] ?? 0));
    if (found === undefined) return null;
    const said = textOf(found['state']) ?? textOf(found['status']) ?? '';
    const state = shownStates[said] ?? said;
    return { state, description: textOf(found['description']) ?? '' };
  };
}

function openCommitStatuses(
  { provider, apiUrl, token }: VcsHost,
  options: StatusApiOptions,
): Post | null {
  if (apiUrl === null || token === null) return null;
  const host = gitHost(provider);
  return async (status, work) => {
    work.onCall();
    const called = await callApi({
      url: `${apiUrl}${host.statusPath(status)}`,
      headers: host.apiHeaders(token),
      body: host.statusBody(status),
      deadlineMs: options.deadlineMs,
      signal: work.signal,
    });
    if ('problem' in called) return { outcome: 'down', reason: called.problem, waitMs: 0 };
    const { answer } = called;
    const own = host.readAnswer(answer, status);
    if (own !== null) return own;
    const isTaken = answer.status === 200 || answer.status === 201;
    return isTaken ? readSuccess(answer) : readRefusal(answer, options.now());
  };
}

/**
 * Why the statuses that a tenant's callers ask for cannot be posted, in a sentence; null: they
 * can. Those name no host, so they go to the default one.
 */
export function statusProblem(
  { hosts, defaultHost }: Pick<VcsSettings, 'hosts' | 'defaultHost'>,
  tenantId: string,
): string | null {
  const host = hosts.find(({ id }) => id === defaultHost);
  if (host === undefined) return 'no default Git host is configured (SERVICE_VCS_CONFIG)';
  if (host.tenantId !== tenantId) return 'the default Git host belongs to another tenant';
  if (host.apiUrl === null) return `the Git host ${host.id} has no API that takes statuses`;
  return hasCredentials(host) ? null : `no token is configured for the Git host ${host.id}`;
}

/** A page of a proxy has status 200, too. Gitea and GitLab say `status`, GitHub `state`. */
function readSuccess({ json, status }: ApiAnswer): PostResult {
  const { state, status: said } = (json ?? {}) as { state?: unknown; status?: unknown };
  if (typeof (state ?? said) === 'string') return { outcome: 'posted' };
  const reason = `something else than the host's API answers (status ${status})`;
  return { outcome: 'down', reason, waitMs: 0 };
}
