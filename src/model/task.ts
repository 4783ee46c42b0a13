import type { Static } from 'typebox';
import { CraError } from './errors.ts';
import { type Finding, SEVERITIES } from './finding.ts';
import { FIELDS } from './limits.ts';
import { findingsOf, type RfcRecord } from './records.ts';
import { type GateResult, isTerminal } from './rfc.ts';
import { COUNT, exactly, TEXT } from './schema.ts';

const STATUSES = ['pending', 'picked', 'done', 'failed'] as const;
export type TaskStatus = (typeof STATUSES)[number];
export const TASK_STATUS = { type: 'string', enum: [...STATUSES] } as const;

const TASK_FIELDS = {
  taskId: TEXT,
  // `finding_id` of the finding it was made from.
  findingId: TEXT,
  title: TEXT,
  severity: { type: 'string', enum: [...SEVERITIES] },
  description: TEXT,
  suggestedFix: TEXT,
  filePath: TEXT,
  lineHint: { ...COUNT, description: '1-based; 0 without a line' },
} as const;

/** A worker task, as `pending-tasks` lists it (spec, "Worker task"). */
export const TASK = exactly(TASK_FIELDS);
export type WorkerTask = Static<typeof TASK>;

/** A task, and whether it is a new one. */
export const CREATED_TASK = exactly({
  ...TASK_FIELDS,
  status: TASK_STATUS,
  created: { type: 'boolean' },
});
export type CreatedTask = Static<typeof CREATED_TASK>;

/** The name of a task, or of a finding, in a request. */
export const TASK_ID = { type: 'string', minLength: 1, maxLength: FIELDS.ID_CHARS_MAX } as const;

/** The body of `POST task-status`. */
export const TASK_UPDATE = {
  type: 'object',
  required: ['taskId', 'status'],
  properties: {
    taskId: TASK_ID,
    status: TASK_STATUS,
    markFixed: { type: 'boolean', description: 'Also marks the finding as resolved' },
  },
} as const;
export type TaskUpdate = Static<typeof TASK_UPDATE>;

/** A task as stored. */
export interface TaskRecord extends WorkerTask {
  tenant_id: string;
  rfc_id: string;
  repo_name: string;
  status: TaskStatus;
  /** Of its finding: another one may get its id when the gates run again. Old tasks have none. */
  fingerprint?: string;
  created_at: string;
  created_by: string;
  updated_at: string;
  /** Raised by one with every change. */
  rev: number;
}

/** Whether somebody shall work on the task. A finding has at most one such task. */
export function isOpenTask(status: TaskStatus): boolean {
  return status === 'pending' || status === 'picked';
}

/** The task after an update; its rev is one higher. */
export function withStatus(task: TaskRecord, status: TaskStatus, at: string): TaskRecord {
  return { ...task, status, updated_at: at, rev: task.rev + 1 };
}

/**
 * Throws NOT_FOUND when a task is to be opened, or its finding to be marked (`resolvedBy`), and
 * the finding does not exist any more: `record` is null where the RFC was deleted.
 */
export function requireFinding(
  { findingId, fingerprint }: TaskRecord,
  { status, resolvedBy }: { status: TaskStatus; resolvedBy: string | null },
  record: RfcRecord | null,
): void {
  if (!isOpenTask(status) && resolvedBy === null) return;
  const findings = record === null ? [] : findingsOf(record);
  const finding = findings.find(({ finding_id }) => finding_id === findingId);
  if (finding === undefined || isOther(fingerprint, finding.fingerprint)) throw goneFinding();
}

/** Whether an open task is of a finding that had the id of another one's before. */
export function isOfFormerFinding(open: TaskRecord, task: TaskRecord): boolean {
  return isOther(open.fingerprint, task.fingerprint);
}

function isOther(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** For a finding whose RFC was deleted or has no such finding any more. */
function goneFinding(): CraError {
  return new CraError('NOT_FOUND', 'the finding of this task does not exist any more');
}

/** For an unknown id, and for one of another tenant. */
export function unknownTask(): CraError {
  return new CraError('NOT_FOUND', 'task not found');
}

/** For another task under a known id. */
export function duplicateTask(): CraError {
  return new CraError('ALREADY_EXISTS', 'another task has this id');
}

/** For a task that would be opened beside another one of its finding. */
export function otherOpenTask({ taskId }: TaskRecord): CraError {
  return new CraError('ALREADY_EXISTS', `the finding has another open task, ${taskId}`);
}

/**
 * The findings that somebody means by a name: the finding with this finding_id, else the open
 * findings (neither suppressed nor resolved) of this rule. Two at most, which tell that it is
 * ambiguous.
 */
export function findingsNamed(record: RfcRecord, name: string): Finding[] {
  const findings = findingsOf(record);
  const own = findings.find(({ finding_id }) => finding_id === name);
  if (own !== undefined) return [own];
  const isOpen = ({ suppressed, resolved }: Finding) => suppressed === null && resolved === null;
  return findings.filter((one) => one.id === name && isOpen(one)).slice(0, 2);
}

/**
 * The record with one finding marked resolved, its rev one higher; the verdict stays. Null when
 * there is no such finding, or it was resolved before. Of a DRAFT its outcome keeps the mark
 * (`withMarks`), once gates 1 and 2 have run: until then its findings have no ids that stay.
 */
export function resolveFinding(
  record: RfcRecord,
  findingId: string,
  resolved: { by: string; at: string },
): RfcRecord | null {
  const { risk, ast, llm } = record.gates;
  if (!isTerminal(record.overall_status) && risk.duration_ms === null) return null;
  const open = [risk, ast, llm]
    .flatMap((gate) => gate.findings)
    .find((finding) => finding.finding_id === findingId && finding.resolved === null);
  if (open === undefined) return null;
  const mark = (gate: GateResult): GateResult => ({
    ...gate,
    findings: gate.findings.map((one) => (one === open ? { ...one, resolved } : one)),
  });
  return {
    ...record,
    gates: { risk: mark(risk), ast: mark(ast), llm: mark(llm) },
    updated_at: resolved.at,
    rev: record.rev + 1,
  };
}

/** The outcome of a DRAFT with the findings resolved that were marked so in `current` meanwhile. */
export function withMarks(outcome: RfcRecord, current: RfcRecord): RfcRecord {
  const marks = new Map(findingsOf(current).map((one) => [one.finding_id, one.resolved]));
  const mark = (gate: GateResult): GateResult => ({
    ...gate,
    findings: gate.findings.map((one) => ({
      ...one,
      resolved: one.resolved ?? marks.get(one.finding_id) ?? null,
    })),
  });
  const { risk, ast, llm } = outcome.gates;
  const gates = { risk: mark(risk), ast: mark(ast), llm: mark(llm) };
  return { ...outcome, gates, rev: current.rev + 1 };
}
