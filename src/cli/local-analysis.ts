import { createHash, randomBytes } from 'node:crypto';
import { isThreadLost, type RulesSource, refuseJob, runJob } from '../analysis/job.ts';
import { type ScanPool, startScanPool } from '../analysis/scan-pool.ts';
import { createSocketDir } from '../daemon/data-dir.ts';
import { CraError } from '../model/errors.ts';
import { plainFinding } from '../model/finding.ts';
import { DEFAULT_TENANT, type Principal } from '../model/principal.ts';
import type { RfcRecord } from '../model/records.ts';
import { newRfcId } from '../model/rfc.ts';
import { loadActiveRules, readBuiltInRules } from '../rulebook/active-rules.ts';
import { judgeGates, skippedGate } from '../verdict/verdict.ts';
import type { AnalyzeAnswer } from './answer.ts';
import type { Change } from './change.ts';

/** The gates of a run of the program; call `close` at its end. */
export interface LocalGates {
  /** Judges a change. Rejects when the rules are not in order. */
  analyze(change: Change, signal: AbortSignal): Promise<RfcRecord>;
  close(): Promise<void>;
}

const KEY_BYTES = 32;
const NO_YIELD = { yieldAfterMs: null };

/** The user who runs the command. */
const LOCAL: Principal = {
  id: 'local',
  name: null,
  credential: 'local',
  role: 'submitter',
  tenant_id: DEFAULT_TENANT,
};

/**
 * Starts what judges a change without a service: the same threads, gates and verdict, but nothing
 * is stored and the keys are made for this one run, so fingerprints differ from the service's. It
 * comes up in the background, while git is asked for the change. `rulesPath`: the rules file;
 * null: the built-in rules.
 */
export function openLocalGates(rulesPath: string | null): LocalGates {
  const rules = loadActiveRules(rulesPath);
  const sockets = createSocketDir(null);
  const pool = startScanPool({
    threads: 1,
    data: {
      fingerprintKey: randomBytes(KEY_BYTES),
      sealKey: randomBytes(KEY_BYTES),
      socketDir: sockets.path,
    },
    rules,
    // Parts that a lost thread or child could not judge are among the findings.
    onThreadLost: () => undefined,
    onChildExit: () => undefined,
  });
  return {
    analyze: async (change, signal) => analyze(change, pool, await rules, signal),
    async close() {
      await pool.close();
      sockets.remove();
    },
  };
}

async function analyze(
  { request, readFiles }: Change,
  { analysis }: ScanPool,
  rules: RulesSource,
  signal: AbortSignal,
): Promise<RfcRecord> {
  const now = new Date();
  const body = Buffer.from(JSON.stringify(request));
  const rfc_id = newRfcId(now.getTime());
  const context = { rfc_id, principal: LOCAL, created_at: now.toISOString() };
  const findWants = async () => {
    const diff = Buffer.from(request.diff);
    const { wants } = await runJob(rules, NO_YIELD, signal, (job, call) =>
      analysis.wantedFiles({ ...job, diff }, call),
    );
    return wants;
  };
  const run = async () => {
    try {
      const files = readFiles === null ? null : await readFiles(await findWants());
      return await runJob(rules, NO_YIELD, signal, (job, call) =>
        analysis.analyze({ ...context, ...job, body, files, vcs_problem: null }, call),
      );
    } catch (thrown) {
      if (!isThreadLost(thrown)) throw thrown;
      const reason = CraError.fromUnknown(thrown).message;
      return refuseJob(analysis, rules, context, { body, record: null }, reason);
    }
  };
  const { record } = await run();
  return JSON.parse(record.json) as RfcRecord;
}

/** The answer for a range or an index in which git finds no change. */
export function unchangedAnswer(): AnalyzeAnswer {
  const settings = readBuiltInRules().rules.pipeline;
  const stats = { files: 0, additions: 0, deletions: 0, bytes: 0 };
  const rfc_id = newRfcId(Date.now());
  const message = 'git finds no change to analyze';
  const none = plainFinding({ id: 'no-changes', gate: 'risk', severity: 'info', message });
  const llm = skippedGate('no_tier');
  const { gates } = judgeGates(rfc_id, [none], { risk: 0, ast: 0 }, settings, llm);
  return {
    rfc_id,
    diff_hash: createHash('sha256').digest('hex'),
    overall_status: 'PASSED',
    risk_score: 0,
    gates,
    stats,
  };
}
