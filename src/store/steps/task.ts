import type { RfcRecord } from '../../model/records.ts';
import {
  isOpenTask,
  otherOpenTask,
  requireFinding,
  resolveFinding,
  type TaskRecord,
  withStatus,
} from '../../model/task.ts';
import type { UpdateTask } from '../contract/store.ts';

/** What an update of a task changes. */
export interface TaskChange {
  /** The task after it; the same object when it stays as it is. */
  task: TaskRecord;
  /** The record of its RFC, with the finding marked as resolved; null: it stays as it is. */
  record: RfcRecord | null;
}

/**
 * What an update makes of a task. `record`: of its RFC; null: it was deleted. `open`: the open task
 * of its finding, which counts where this one is to be opened; null when absent. Throws NOT_FOUND
 * when the finding is needed and gone, and ALREADY_EXISTS for a closed task beside an open one: a
 * finding has one open task.
 */
export function updatedTask(
  known: TaskRecord,
  { status, resolvedBy, at }: UpdateTask,
  { record, open }: { record: RfcRecord | null; open: TaskRecord | null },
): TaskChange {
  requireFinding(known, { status, resolvedBy }, record);
  const isSecond = open !== null && open.taskId !== known.taskId;
  if (isSecond && isOpenTask(status)) throw otherOpenTask(open);
  const resolves = record !== null && resolvedBy !== null;
  return {
    task: known.status === status ? known : withStatus(known, status, at),
    record: resolves ? resolveFinding(record, known.findingId, { by: resolvedBy, at }) : null,
  };
}
