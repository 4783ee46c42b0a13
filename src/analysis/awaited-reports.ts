import { CraError } from '../model/errors.ts';
import type { RecordText, RfcRecord } from '../model/records.ts';
import {
  type KeptReport,
  type ReportName,
  reportSubject,
  requiredReports,
  uncounted,
} from '../model/reports.ts';
import { isTerminal } from '../model/rfc.ts';
import type { AnalysisOutcome, SettleReportsInput } from '../rpc/contract.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { type RulesSource, refuseJob, runJob, type ScanAccess } from './job.ts';

export interface ReportsAccess extends ScanAccess {
  store: Pick<RecordStore, 'reportNames' | 'getReport'>;
}

export type ReportedChange = Pick<RfcRecord, 'tenant_id' | 'repo_name' | 'commit_sha' | 'rfc_id'>;

function subjectOf(record: ReportedChange) {
  const { tenant_id, repo_name } = record;
  return { tenant_id, repo_name, subject: reportSubject(record) };
}

/** What is kept of the commit of a record, or of itself where it names none. */
export async function keptReports(
  record: ReportedChange,
  store: Pick<RecordStore, 'reportNames'>,
): Promise<ReportName[]> {
  return (await store.reportNames(subjectOf(record))).reports;
}

/**
 * The DRAFT that waits for reports, or is judged by the kept ones, in place of the verdict of its
 * gates, of the same rev; null: the verdict stands. `begun`: the DRAFT whose gates ran. What
 * changes no file waits for nothing.
 */
export function heldForReports(
  outcome: AnalysisOutcome,
  begun: Pick<RfcRecord, 'queue' | 'created_at'>,
  kept: readonly ReportName[],
  { rules: { pipeline } }: RulesSource,
): RfcRecord | null {
  const { overall_status } = outcome.record;
  const isVerdict = overall_status === 'PASSED' || overall_status === 'BLOCKED';
  const mayWait = pipeline.required_reports !== undefined || kept.length > 0;
  if (!isVerdict || !mayWait) return null;
  const record = JSON.parse(outcome.record.json) as RfcRecord;
  if (!takesReports(record)) return null;
  const queue = begun.queue ?? { attempts: 1, queued_at: begun.created_at };
  const required_reports = requiredReports(record, pipeline, queue.queued_at);
  if (required_reports.length === 0 && kept.length === 0) return null;
  return {
    ...record,
    overall_status: 'DRAFT',
    queue,
    push: record.push && { ...record.push, phase: 'waiting' },
    required_reports,
  };
}

/** Whether reports say something of a record: its gates have run, and it changes files. */
export function takesReports({ gates, stats }: Pick<RfcRecord, 'gates' | 'stats'>): boolean {
  return gates.risk.duration_ms !== null && stats.files > 0;
}

/** The texts of a change: its diff as it is, or sealed; both null: it is not kept. */
export type ReadTexts = () => Promise<Pick<SettleReportsInput, 'diff' | 'sealed'>>;

interface HeldSteps {
  readTexts: ReadTexts;
  /** Writes that reports are still awaited; resolves with the DRAFT as it is stored then. */
  onHeld(record: RecordText): Promise<RfcRecord>;
  onVerdict(outcome: AnalysisOutcome): Promise<void>;
}

/**
 * Judges a held DRAFT by the reports that are kept of it, and again while others come: their
 * senders saw a DRAFT, and left them to its verdict. A report that cannot be judged is refused.
 */
export async function settleHeld(
  held: RfcRecord,
  { readTexts, onHeld, onVerdict }: HeldSteps,
  access: ReportsAccess,
  signal: AbortSignal,
): Promise<void> {
  const { analysis, rules, store } = access;
  let draft = held;
  for (;;) {
    let isRefused = false;
    const refuse = (thrown: unknown) => {
      if (signal.aborted) throw thrown;
      isRefused = true;
      const { rfc_id, submitted_by: principal, created_at } = draft;
      const context = { rfc_id, principal, created_at };
      const about = { body: null, record: draft };
      return refuseJob(analysis, rules, context, about, CraError.fromUnknown(thrown).message);
    };
    const kept = await keptReports(draft, store);
    const outcome = await judgeReports(draft, { kept, readTexts }, access, signal, refuse);
    const next = JSON.parse(outcome.record.json) as RfcRecord;
    const isVerdict = isTerminal(next.overall_status);
    if (!isVerdict) draft = await onHeld(outcome.record);
    const seen = isVerdict ? next : draft;
    const came = isRefused ? [] : uncounted(await keptReports(seen, store), seen);
    if (came.length > 0) continue;
    return isVerdict ? await onVerdict(outcome) : undefined;
  }
}

/**
 * The record with reports that are kept of it: a held DRAFT judged by them, a verdict with what
 * they add. They are read once the job has a place. `onFailed` answers for a thread that fails.
 */
export async function judgeReports(
  record: RfcRecord,
  { kept, readTexts }: { kept: readonly ReportName[]; readTexts: ReadTexts },
  access: ReportsAccess,
  signal: AbortSignal | null,
  onFailed: (thrown: unknown) => Promise<AnalysisOutcome>,
): Promise<AnalysisOutcome> {
  const { admission, analysis, rules, store } = access;
  const release = await admission.acquire({
    caller: record.submitted_by.id,
    bytes: kept.reduce((sum, { bytes }) => sum + bytes, record.stats.bytes),
    waitMs: null,
    signal,
  });
  try {
    const subject = subjectOf(record);
    const reports: KeptReport[] = [];
    for (const { tool } of kept) {
      const { report } = await store.getReport({ ...subject, tool });
      if (report !== null) reports.push(report);
    }
    const input = { record, reports, ...(await readTexts()) };
    const judging = runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      analysis.settleReports({ ...job, ...input }, call),
    );
    return await judging.catch(onFailed);
  } finally {
    release();
  }
}
