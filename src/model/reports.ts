import type { Static } from 'typebox';
import { touchedComponents } from './components.ts';
import type { RequiredReport, RfcRecord } from './records.ts';
import { STATUS } from './rfc.ts';
import type { PipelineSettings } from './rules.ts';
import { COUNT, exactly, TEXT, TEXT_OR_NULL } from './schema.ts';

/** Reports of other tools that a change waits for, and reports that are kept. */

/** A report of one tool as it is kept. */
export interface KeptReport {
  tool: string;
  /** Of the report as it was sent, hex. */
  sha256: string;
  at: string;
  /** Results of the tool. */
  results: number;
  /** SARIF of this tool alone, as `sealDiff` leaves it under `reportSealName`. */
  sealed: { chunks: Uint8Array[]; bytes: number };
}

/** What a report is kept by, without its text. */
export interface ReportName extends Pick<KeptReport, 'tool' | 'sha256'> {
  /** As they count against the bounds of the store. */
  bytes: number;
}

/** The reports that are kept of a change and do not count in its record. */
export function uncounted(
  names: readonly ReportName[],
  { reports = [] }: Pick<RfcRecord, 'reports'>,
): ReportName[] {
  return names.filter(({ tool, sha256 }) => {
    return !reports.some((one) => one.tool === tool && one.sha256 === sha256);
  });
}

/** What became of a report about a commit. */
export const COMMIT_REPORT = exactly({
  repo_name: TEXT,
  commit_sha: TEXT,
  tools: { type: 'array', items: exactly({ tool: TEXT, results: COUNT }) },
  rfcs: {
    type: 'array',
    description: 'Of the commit, the newest first; empty: the report is kept until one comes',
    items: exactly({
      rfc_id: TEXT,
      overall_status: STATUS,
      reason: { ...TEXT_OR_NULL, description: 'Why the report does not count; null: it does' },
    }),
  },
  has_more: {
    type: 'boolean',
    description: 'The commit has older RFCs, whose verdicts stay as they are',
  },
});
export type CommitReport = Static<typeof COMMIT_REPORT>;

/** What reports of a record are kept by: its commit, or its own id where it names none. */
export function reportSubject({ commit_sha, rfc_id }: Pick<RfcRecord, 'commit_sha' | 'rfc_id'>) {
  return commit_sha ?? rfc_id;
}

/** What a kept report is sealed for: it opens as nothing else. */
export function reportSealName(subject: string, tool: string): string {
  return `report ${subject} ${tool}`;
}

type AwaitingState = Pick<RfcRecord, 'overall_status' | 'gates' | 'required_reports' | 'push'>;

/** Whether the gates of a DRAFT have run, and its verdict waits for reports of other tools. */
export function awaitsReports(record: AwaitingState): boolean {
  const { overall_status, gates, required_reports, push } = record;
  const hasRun = gates.risk.duration_ms !== null && gates.llm.skip_reason !== 'pending';
  // A push that is claimed is judged again from the start.
  const isHeld = push === null || push.phase === 'waiting';
  return overall_status === 'DRAFT' && required_reports !== undefined && hasRun && isHeld;
}

/** What a DRAFT waits for, as the end of a sentence; null: for no report. */
export function awaitedSentence(record: AwaitingState): string | null {
  const tools = awaitedTools(record);
  if (tools.length === 0) return null;
  const shown = tools.slice(0, TOOLS_SHOWN).join(', ');
  const more = tools.length > TOOLS_SHOWN ? ` and ${tools.length - TOOLS_SHOWN} more` : '';
  return `${tools.length === 1 ? 'the report' : 'reports'} of ${shown}${more}`;
}

/** A commit status is short. */
const TOOLS_SHOWN = 3;

/** Names of the tools whose reports a DRAFT waits for; empty: for none. */
function awaitedTools(record: AwaitingState): string[] {
  if (!awaitsReports(record)) return [];
  const awaited = (record.required_reports ?? []).filter(({ state }) => state === 'awaited');
  return [...new Set(awaited.map(({ tool }) => tool))];
}

/** When the first report that a DRAFT waits for is overdue, ms; null: it waits for none. */
function reportsDueMs({ required_reports = [] }: Pick<RfcRecord, 'required_reports'>) {
  const awaited = required_reports.filter(({ state }) => state === 'awaited');
  const times = awaited.map(({ due_at }) => Date.parse(due_at));
  return times.length === 0 ? null : Math.min(...times);
}

/** How long a push is held for its reports, ms; 0: it waits for none, or one is overdue. */
export function reportsHoldMs(record: Pick<RfcRecord, 'required_reports'>, now: Date): number {
  return Math.max(0, (reportsDueMs(record) ?? 0) - now.getTime());
}

/** The reports that the rules require of a change which came at `since` (ISO 8601). */
export function requiredReports(
  record: RfcRecord,
  { required_reports: rules = [] }: Pick<PipelineSettings, 'required_reports'>,
  since: string,
): RequiredReport[] {
  const touched = new Set(touchedComponents(record));
  const own = rules.filter(({ component }) => component === undefined || touched.has(component));
  return own.map(({ tool, component = null, within }) => {
    const due_at = new Date(Date.parse(since) + within * SECOND_MS).toISOString();
    return { tool, component, due_at, state: 'awaited' };
  });
}

const SECOND_MS = 1000;
