import { openLocalGates } from '../../src/cli/analyze.ts';
import type { Commit } from '../../src/cli/git.ts';
import type { Finding } from '../../src/model/finding.ts';
import { findingsOf } from '../../src/model/records.ts';
import type { DiffStats } from '../../src/model/rfc.ts';

/** A commit and what the gates say of it; null: it is too large, or its analysis did not end. */
export interface Judged {
  sha: string;
  result: { isBlocked: boolean; findings: readonly Finding[]; stats: DiffStats } | null;
}

interface Judge {
  judge(commit: Commit, repoName: string): Promise<Judged>;
  close(): Promise<void>;
}

/** Scan threads and AST children as the service has them, without a store. */
export function startJudge(threads: number): Judge {
  const gates = openLocalGates(null, threads);
  const { signal } = new AbortController();
  return {
    async judge({ sha, message, diff }, repoName) {
      if (diff === null) return { sha, result: null };
      const names = { repo_name: repoName, branch: 'main', commit_message: message };
      const request = { ...names, diff: diff.toString('utf8') };
      const record = await gates.analyze({ request, readFiles: null }, signal);
      const findings = findingsOf(record);
      if (findings.some(({ id }) => id === 'scan-crashed')) return { sha, result: null };
      const { overall_status, stats } = record;
      return { sha, result: { isBlocked: overall_status === 'BLOCKED', findings, stats } };
    },
    close: gates.close,
  };
}
