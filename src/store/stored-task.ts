import { CraError } from '../model/errors.ts';
import { findingsOf } from '../model/outcome.ts';
import type { RfcRecord } from '../model/records.ts';
import type { TaskRecord, TaskStatus } from '../model/task.ts';
import type { UpdateTask } from './contract/tasks.ts';

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

/** For a finding whose RFC was deleted or has no such finding any more. */
export function goneFinding(): CraError {
  return new CraError('NOT_FOUND', 'the finding of this task does not exist any more');
}

/** For an unknown id, and for one of another tenant. */
export function unknownTask(): CraError {
  return new CraError('NOT_FOUND', 'task not found');
}

/** For another task under a known id. */
export function takenTaskId(): CraError {
  return new CraError('ALREADY_EXISTS', 'another task has this id');
}

/** For a task that would be opened beside another one of its finding. */
export function otherOpenTask({ taskId }: TaskRecord): CraError {
  return new CraError('ALREADY_EXISTS', `the finding has another open task, ${taskId}`);
}
