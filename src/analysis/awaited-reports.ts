import type { RfcRecord } from '../model/records.ts';
import { type KeptReport, reportSubject, requiredReports } from '../model/reports.ts';
import { isTerminal } from '../model/rfc.ts';
import type { AnalysisOutcome, SettleReportsInput } from '../rpc/contract.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { runAdmitted, type ScanAccess } from './job.ts';

export interface ReportsAccess extends ScanAccess {
  store: Pick<RecordStore, 'reportsOf'>;
}

/** Reports that are kept of the commit of a record, or of itself where it names none. */
export async function reportsOf(
  record: Pick<RfcRecord, 'tenant_id' | 'repo_name' | 'commit_sha' | 'rfc_id'>,
  store: Pick<RecordStore, 'reportsOf'>,
): Promise<KeptReport[]> {
  const { tenant_id, repo_name } = record;
  return (await store.reportsOf({ tenant_id, repo_name, subject: reportSubject(record) })).reports;
}

/**
 * The DRAFT that waits for reports, or is judged by kept ones, in place of the verdict of its
 * gates, of the same rev; null: the verdict stands. `begun`: the DRAFT whose gates ran. What
 * changes no file waits for nothing.
 */
export async function heldForReports(
  outcome: AnalysisOutcome,
  begun: Pick<RfcRecord, 'queue' | 'created_at'>,
  { rules, store }: Pick<ReportsAccess, 'rules' | 'store'>,
): Promise<RfcRecord | null> {
  const { overall_status, commit_sha } = outcome.record;
  const { pipeline } = rules.rules;
  const mayBeKept = commit_sha !== null;
  const isVerdict = overall_status === 'PASSED' || overall_status === 'BLOCKED';
  if (!isVerdict || (pipeline.required_reports === undefined && !mayBeKept)) return null;
  const reports = mayBeKept ? await reportsOf(outcome.record, store) : [];
  if (pipeline.required_reports === undefined && reports.length === 0) return null;
  const record = JSON.parse(outcome.record.json) as RfcRecord;
  if (record.gates.risk.duration_ms === null || record.stats.files === 0) return null;
  const queue = begun.queue ?? { attempts: 1, queued_at: begun.created_at };
  const required_reports = requiredReports(record, pipeline, queue.queued_at);
  if (required_reports.length === 0 && reports.length === 0) return null;
  return {
    ...record,
    overall_status: 'DRAFT',
    queue,
    push: record.push && { ...record.push, phase: 'waiting' },
    required_reports,
  };
}

/** Judges a held DRAFT by the reports that are kept of it. */
export async function settleReports(
  record: RfcRecord,
  input: Pick<SettleReportsInput, 'reports' | 'diff' | 'sealed'>,
  access: ScanAccess,
  signal: AbortSignal,
): Promise<AnalysisOutcome> {
  const ticket = {
    caller: record.submitted_by.id,
    bytes: record.stats.bytes,
    waitMs: null,
    signal,
  };
  return await runAdmitted(access, ticket, (analysis, job, call) =>
    analysis.settleReports({ ...job, ...input, record }, call),
  );
}

/** Whether two lists of kept reports are of the same texts. */
export function areSame(some: readonly KeptReport[], others: readonly KeptReport[]): boolean {
  const names = (reports: readonly KeptReport[]) =>
    reports.map(({ tool, sha256 }) => `${tool} ${sha256}`).sort();
  return names(some).join() === names(others).join();
}

/** The record of an outcome. */
export function recordOf(outcome: AnalysisOutcome): RfcRecord {
  return JSON.parse(outcome.record.json) as RfcRecord;
}

/** Whether the outcome is a verdict. */
export function isVerdict({ record }: AnalysisOutcome): boolean {
  return isTerminal(record.overall_status);
}
