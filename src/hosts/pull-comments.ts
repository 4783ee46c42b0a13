import { createHash } from 'node:crypto';
import type { HostCalls } from './api.ts';
import type { Annotation, CheckReport, CommitStatus, HostWork, Problem } from './host.ts';
import { codeSpan } from './markdown.ts';

/** A report that is to be shown in the pull request of its commit. */
export interface PullReport extends Pick<CommitStatus, 'repo' | 'sha' | 'pullRequest'> {
  report: CheckReport;
}

/** The Markdown of a report. It names the commit: a pull request has several. */
export function commentOf({ sha, report }: PullReport): string {
  return `Commit ${codeSpan(sha.slice(0, SHA_CHARS))}: ${report.summary}`;
}

const SHA_CHARS = 12;

/** The Markdown of a finding at its lines. */
export function lineCommentOf({ title, message }: Annotation): string {
  const paragraphs = message.split(/\n{2,}/).filter((text) => text.trim() !== '');
  return [`**${codeSpan(title)}**`, ...paragraphs.map(codeSpan)].join('\n\n');
}

/** A hidden line by which a comment of ours is found again; it has to begin the comment. */
export function markerOf(kind: string): string {
  return `<!-- cra/gate ${kind} -->`;
}

/** Tells two texts from each other. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS);
}

const DIGEST_CHARS = 32;

/**
 * Finds out once which account the token belongs to: anybody may write a comment that begins like
 * one of ours.
 */
export function createOwnAccount({
  call,
}: Pick<HostCalls, 'call'>): (work: HostWork) => Promise<OwnAccount> {
  let known: number | null = null;
  return async (work) => {
    if (known !== null) return { id: known };
    const called = await call('GET', '/user', { work });
    if ('problem' in called) {
      const { problem } = called;
      return problem.outcome === 'refused' ? { problem: ACCOUNT_UNKNOWN } : { problem };
    }
    const { id } = (called.answer.json ?? {}) as { id?: unknown };
    if (!Number.isSafeInteger(id)) return { problem: ACCOUNT_UNKNOWN };
    known = id as number;
    return { id: known };
  };
}

type OwnAccount = { id: number } | { problem: Problem };

const ACCOUNT_UNKNOWN: Problem = {
  outcome: 'refused',
  reason: 'the host does not name the account of our token: may the token read its own account?',
};

/** Why our comment is not looked for any further. */
export const TOO_MANY_COMMENTS: Problem = {
  outcome: 'refused',
  reason: 'the pull request has more comments than we read to find our own',
};
