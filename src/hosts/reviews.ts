import type { Entries, HostCalls } from './api.ts';
import type { Annotation, HostWork, PostResult, Problem } from './host.ts';
import {
  commentOf,
  createOwnAccount,
  digestOf,
  lineCommentOf,
  markerOf,
  type PullReport,
  TOO_MANY_COMMENTS,
} from './pull-comments.ts';
import { objectOf } from './push-payload.ts';
import { HOSTS } from './settings.ts';

/** Calls of one report, at most: two lists, three others, and reviews that go. */
export const REVIEW_CALLS = 2 * HOSTS.COMMENT_PAGES_MAX + 3 + 2 * HOSTS.COMMENTS_REMOVED_MAX;

/**
 * Shows reports as reviews of pull requests of Gitea and Forgejo, one at a time in each: a review
 * can't be edited, so a new verdict makes a new one and then deletes the old one. The reviews that
 * are there are looked up each time, so that no answer that was lost doubles one.
 */
export function openReviews(
  calls: HostCalls,
): (report: PullReport, work: HostWork) => Promise<PostResult> {
  const { call, list } = calls;
  const ownAccount = createOwnAccount(calls);

  return async (report, work) => {
    const found = await pullRequestOf(report, work);
    if ('problem' in found) return found.problem;
    const { number } = found;
    if (number === null) return { outcome: 'no pull request' };
    const account = await ownAccount(work);
    if ('problem' in account) return account.problem;

    const reviews = `/repos/${report.repo}/pulls/${number}/reviews`;
    const pathOf = (page: number) => `${reviews}?limit=${REVIEWS_PER_PAGE}&page=${page}`;
    const listed = await list(pathOf, { perPage: REVIEWS_PER_PAGE, work });
    if ('problem' in listed) return listed.problem;
    if (!listed.isWhole) return TOO_MANY_COMMENTS;
    const own = ownReviews(listed.entries, account.id);
    const body = bodyOf(report);
    const same = own.find(({ digest, isPending }) => digest === body.digest && !isPending);
    const isSaid = own.length > 0 || !report.report.isQuiet;
    // What a call that failed has left would become a part of the new review.
    const pending = own.filter(({ isPending }) => isPending);
    const left = await remove(reviews, pending, work);
    if (left !== null) return left;
    if (same === undefined && isSaid) {
      const made = await call('POST', reviews, { body: body.review, work });
      if ('problem' in made) return made.problem;
    }
    const old = own.filter((one) => one !== same && !one.isPending && !one.isAnswered);
    return (await remove(reviews, old, work)) ?? { outcome: 'posted' };
  };

  /** The open pull request of which the commit is the head; null: it is absent (yet). */
  async function pullRequestOf(
    report: PullReport,
    work: HostWork,
  ): Promise<{ number: number | null } | { problem: Problem }> {
    const { repo, pullRequest } = report;
    if (pullRequest !== undefined) {
      const known = await call('GET', `/repos/${repo}/pulls/${pullRequest}`, { work });
      if ('problem' in known && known.status !== 404) return known;
      const pull = 'problem' in known ? null : known.answer.json;
      const number = numberOf([objectOf(pull)], report);
      if (number !== null) return { number };
    }
    const found = await list(pathOfPulls(report), {
      perPage: PULLS_PER_PAGE,
      isEnough: (entries) => numberOf(entries, report) !== null,
      work,
    });
    return 'problem' in found ? found : { number: numberOf(found.entries, report) };
  }

  async function remove(
    reviews: string,
    list: readonly Review[],
    work: HostWork,
  ): Promise<Problem | null> {
    for (const { id } of list.slice(0, HOSTS.COMMENTS_REMOVED_MAX)) {
      const called = await call('DELETE', `${reviews}/${id}`, { work });
      if ('problem' in called) return called.problem;
    }
    return null;
  }
}

/** Gitea takes at most 50, where its administrator did not change that. */
const PULLS_PER_PAGE = 50;
const REVIEWS_PER_PAGE = 50;

/** Gitea finds a pull request by its merge commit, not by its head: so all open ones are listed. */
function pathOfPulls({ repo }: PullReport): (page: number) => string {
  const query = `state=open&sort=recentupdate&limit=${PULLS_PER_PAGE}`;
  return (page) => `/repos/${repo}/pulls?${query}&page=${page}`;
}

/** The open pull request of which the commit is the head; null: it is not among these. */
function numberOf(pulls: Entries, { sha }: PullReport): number | null {
  const found = pulls.find(
    ({ state, head }) => state === 'open' && (head as { sha?: unknown } | null)?.sha === sha,
  );
  return Number.isSafeInteger(found?.['number']) ? Number(found?.['number']) : null;
}

/** A review of ours, as the host keeps it. */
interface Review {
  id: number;
  /** `''`: it was never finished. */
  digest: string;
  isPending: boolean;
  /** People answered on its lines: their words would go with it. */
  isAnswered: boolean;
}

function ownReviews(reviews: Entries, account: number): Review[] {
  return reviews.flatMap(({ id, user, state, body, comments_count: comments }) => {
    if ((user as { id?: unknown } | null)?.id !== account || !Number.isSafeInteger(id)) return [];
    const isPending = state === 'PENDING';
    const [, digest = '', count] = MARKER.exec(String(body)) ?? [];
    if (digest === '' && !isPending) return [];
    const isAnswered = Number(comments) > Number(count);
    return [{ id: id as number, digest, isPending, isAnswered }];
  });
}

const MARKER = /^<!-- cra\/gate ([0-9a-f]{32}) (\d{1,4}) -->/;

function bodyOf(report: PullReport) {
  const { sha } = report;
  const text = commentOf(report);
  const comments = report.report.annotations.map(commentOfLine);
  const digest = digestOf(JSON.stringify([sha, text, comments]));
  const body = `${markerOf(`${digest} ${comments.length}`)}\n\n${text}`;
  return { digest, review: { event: 'COMMENT', commit_id: sha, body, comments } };
}

function commentOfLine(annotation: Annotation) {
  const { path, startLine } = annotation;
  return { path, new_position: startLine, body: lineCommentOf(annotation) };
}
