import { openLocalGates } from '../../src/cli/analyze.ts';
import { messageField, type RepositoryRange } from '../../src/cli/change.ts';
import type { Commit, Git } from '../../src/cli/git.ts';
import { readBlobs } from '../../src/git/diff.ts';
import type { TreeFile, WantedFile } from '../../src/model/change.ts';
import { CraError } from '../../src/model/errors.ts';
import type { Finding } from '../../src/model/finding.ts';
import { SOURCE } from '../../src/model/limits.ts';
import { findingsOf } from '../../src/model/records.ts';
import type { DiffStats } from '../../src/model/rfc.ts';

/**
 * A commit and what the gates say of it. No result: a commit that is too large counts as blocked;
 * an analysis that failed or did not end in its time says nothing, `error` is why.
 */
export interface Judged {
  sha: string;
  result: { isBlocked: boolean; findings: readonly Finding[]; stats: DiffStats } | null;
  error: string | null;
}

interface Judge {
  /** As a push of it is judged: with the files of both trees that the gates ask for. */
  judge(commit: Commit, repoName: string, git: Git): Promise<Judged>;
  close(): Promise<void>;
}

/** Scan threads and AST children as the service has them, without a store. */
export function startJudge(threads: number): Judge {
  const gates = openLocalGates(null, threads);
  const { signal } = new AbortController();
  return {
    async judge({ sha, message, diff }, repoName, git) {
      if (diff === null) return { sha, result: null, error: null };
      // Some histories hold messages longer than a request may have.
      const names = { repo_name: repoName, branch: 'main', commit_message: messageField(message) };
      const request = { ...names, diff: diff.toString('utf8') };
      const readFiles = (wants: readonly WantedFile[]) => readTrees(git, sha, wants);
      const readRange = () => rangeOf(git, sha);
      try {
        const record = await gates.analyze({ request, readFiles, readRange }, signal);
        const findings = findingsOf(record);
        const crash = findings.find(({ id }) => id === 'scan-crashed');
        if (crash !== undefined) return { sha, result: null, error: crash.message };
        const { overall_status, stats } = record;
        const isBlocked = overall_status === 'BLOCKED';
        return { sha, result: { isBlocked, findings, stats }, error: null };
      } catch (thrown) {
        return { sha, result: null, error: reasonOf(thrown) };
      }
    },
    close: gates.close,
  };
}

/** Why an analysis has no result; of an unexpected error with the place that threw it. */
function reasonOf(thrown: unknown): string {
  const { code, message, cause } = CraError.fromUnknown(thrown);
  const trace = cause instanceof Error ? ` ${cause.stack}` : '';
  return `${code}: ${message}${trace}`;
}

/** Whole files of a commit and of its parent. */
export async function readTrees(
  git: Git,
  sha: string,
  wants: readonly WantedFile[],
): Promise<TreeFile[]> {
  if (wants.length === 0) return [];
  const { run, ...range } = await rangeOf(git, sha);
  return readBlobs(run, range, wants, SOURCE.BLOBS_BYTES_MAX);
}

/** A commit and its parent. */
async function rangeOf(git: Git, sha: string): Promise<RepositoryRange> {
  const parent = { input: Buffer.from(`${sha}^\n`), bytesMax: PARENT_BYTES_MAX };
  const answer = await git.readObjects(['cat-file', '--batch-check'], parent);
  const [, base = null] = /^([0-9a-f]+) commit/.exec(answer.toString('latin1')) ?? [];
  return { base, head: sha, run: git.readObjects };
}

const PARENT_BYTES_MAX = 256;
