import { CraError } from '../model/errors.ts';
import type { TaskRecord, TaskStatus } from '../model/task.ts';

/** What both drivers say of tasks. */

export function isOpenTask(status: TaskStatus): boolean {
  return status === 'pending' || status === 'picked';
}

/** For an id that is not there, and for one of another tenant. */
export function unknownTask(): CraError {
  return new CraError('NOT_FOUND', 'there is no such task');
}

/** For another task under a known id. */
export function takenTaskId(): CraError {
  return new CraError('ALREADY_EXISTS', 'another task has this id');
}

/** For a task that would be opened beside another one of its finding. */
export function otherOpenTask({ taskId }: TaskRecord): CraError {
  return new CraError('ALREADY_EXISTS', `the finding has another open task, ${taskId}`);
}
