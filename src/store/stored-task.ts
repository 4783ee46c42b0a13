import { findingsOf } from '../model/outcome.ts';
import type { RfcRecord } from '../model/records.ts';
import type { TaskRecord, TaskStatus } from '../model/task.ts';
import type { UpdateTask } from './contract/tasks.ts';
import { goneFinding } from './errors.ts';

/** The rules of tasks, and their errors, for both drivers. */

export function isOpenTask(status: TaskStatus): boolean {
  return status === 'pending' || status === 'picked';
}

/** The task after an update; its rev is one higher. */
export function withStatus(task: TaskRecord, status: TaskStatus, at: string): TaskRecord {
  return { ...task, status, updated_at: at, rev: task.rev + 1 };
}

/**
 * Throws NOT_FOUND when a task is to be opened, or its finding to be marked, and the finding does
 * not exist any more: `record` is null where the RFC was deleted.
 */
export function requireFinding(
  { findingId }: TaskRecord,
  { status, resolved_by }: Pick<UpdateTask, 'status' | 'resolved_by'>,
  record: RfcRecord | null,
): void {
  if (!isOpenTask(status) && resolved_by === null) return;
  const findings = record === null ? [] : findingsOf(record);
  if (!findings.some(({ finding_id }) => finding_id === findingId)) throw goneFinding();
}
