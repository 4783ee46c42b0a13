import { randomBytes } from 'node:crypto';
import { isThreadLost, runJob } from '../../src/analysis/job.ts';
import { startScanPool } from '../../src/analysis/scan-pool.ts';
import type { Commit } from '../../src/cli/git.ts';
import { createSocketDir } from '../../src/daemon/data-dir.ts';
import type { AnalyzeRequest } from '../../src/model/change.ts';
import type { Finding } from '../../src/model/finding.ts';
import { DEFAULT_TENANT } from '../../src/model/principal.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { type DiffStats, newRfcId } from '../../src/model/rfc.ts';
import { loadActiveRules, readBuiltInKeywords } from '../../src/rulebook/active-rules.ts';

/** A commit and what the gates say of it; null: it is too large, or its analysis did not end. */
export interface Judged {
  sha: string;
  result: { isBlocked: boolean; findings: readonly Finding[]; stats: DiffStats } | null;
}

interface Judge {
  judge(commit: Commit, repoName: string): Promise<Judged>;
  close(): Promise<void>;
}

const KEY_BYTES = 32;
const PRINCIPAL = {
  id: 'bench',
  name: null,
  credential: 'local',
  role: 'submitter',
  tenant_id: DEFAULT_TENANT,
} as const;

/** Scan threads and AST children as the service has them, without a store. */
export async function startJudge(threads: number): Promise<Judge> {
  const rules = await loadActiveRules(null);
  const sockets = createSocketDir(null);
  const pool = startScanPool({
    threads,
    data: {
      fingerprintKey: randomBytes(KEY_BYTES),
      sealKey: randomBytes(KEY_BYTES),
      socketDir: sockets.path,
      keywords: readBuiltInKeywords(),
    },
    rules,
    onThreadLost: () => undefined,
    onChildExit: () => undefined,
  });
  await pool.ready;

  async function analyze(request: AnalyzeRequest): Promise<RfcRecord> {
    const body = Buffer.from(JSON.stringify(request));
    const now = Date.now();
    const created_at = new Date(now).toISOString();
    const context = { rfc_id: newRfcId(now), principal: PRINCIPAL, created_at };
    const { record } = await runJob(rules, { yieldAfterMs: null }, null, (job, call) =>
      pool.analysis.analyze({ ...context, ...job, body, files: null, vcs_problem: null }, call),
    );
    return JSON.parse(record.json) as RfcRecord;
  }

  return {
    async judge({ sha, message, diff }, repoName) {
      if (diff === null) return { sha, result: null };
      const names = { repo_name: repoName, branch: 'main', commit_message: message };
      try {
        const record = await analyze({ ...names, diff: diff.toString('utf8') });
        const { gates, stats } = record;
        const findings = [...gates.risk.findings, ...gates.ast.findings];
        return { sha, result: { isBlocked: record.overall_status === 'BLOCKED', findings, stats } };
      } catch (thrown) {
        if (!isThreadLost(thrown)) throw thrown;
        return { sha, result: null };
      }
    },
    async close() {
      await pool.close();
      sockets.remove();
    },
  };
}
