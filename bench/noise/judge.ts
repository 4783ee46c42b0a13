import { openLocalGates } from '../../src/cli/analyze.ts';
import { messageField, type RepositoryRange } from '../../src/cli/change.ts';
import type { Commit, Git } from '../../src/cli/git.ts';
import { type RunGit, readBlobs } from '../../src/git/diff.ts';
import type { TreeFile, WantedFile } from '../../src/model/change.ts';
import { CraError } from '../../src/model/errors.ts';
import type { Finding } from '../../src/model/finding.ts';
import { SOURCE } from '../../src/model/limits.ts';
import { findingsOf } from '../../src/model/records.ts';
import type { DiffStats } from '../../src/model/rfc.ts';

/** A commit and what the gates say of it; null: it is too large, or its analysis did not end. */
export interface Judged {
  sha: string;
  result: { isBlocked: boolean; findings: readonly Finding[]; stats: DiffStats } | null;
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
      if (diff === null) return { sha, result: null };
      // Some histories hold messages longer than a request may have.
      const names = { repo_name: repoName, branch: 'main', commit_message: messageField(message) };
      const request = { ...names, diff: diff.toString('utf8') };
      const readFiles = (wants: readonly WantedFile[]) => readTrees(git, sha, wants);
      const readRange = () => rangeOf(git, sha);
      const record = await gates
        .analyze({ request, readFiles, readRange }, signal)
        .catch(lateAsNull);
      if (record === null) return { sha, result: null };
      const findings = findingsOf(record);
      if (findings.some(({ id }) => id === 'scan-crashed')) return { sha, result: null };
      const { overall_status, stats } = record;
      return { sha, result: { isBlocked: overall_status === 'BLOCKED', findings, stats } };
    },
    close: gates.close,
  };
}

/** A deadline may pass on a busy machine: that commit counts as blocked, and the others go on. */
function lateAsNull(thrown: unknown): null {
  if (/^(?:CANCELLED|DEADLINE_EXCEEDED)$/.test(CraError.fromUnknown(thrown).code)) return null;
  throw thrown;
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
  const parent = ['rev-parse', '--verify', '--quiet', `${sha}^`];
  const id = await git.run(parent).catch(() => Buffer.alloc(0));
  const run: RunGit = (args, { input, bytesMax }) => git.run(args, bytesMax, input);
  return { base: id.toString('latin1').trim() || null, head: sha, run };
}
