import type { TaskRecord, TaskStatus } from '../../model/task.ts';
import { type Client, read, write } from '../../rpc/service.ts';
import { STORE } from './limits.ts';

/** Worker tasks at rest. The promises of `Records` hold here, too. */
export const Tasks = {
  name: 'Tasks',
  methods: {
    /**
     * Creates a task, or answers the open one (`pending`, `picked`) of the same finding with
     * `created: false`: of racing calls one creates.
     */
    createTask: write<{ task: TaskRecord }, { task: TaskRecord; created: boolean }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /**
     * Sets a task's status, whatever it was; the same again changes nothing. With `resolved_by`
     * the finding in its RFC gets `resolved` (the first one stays), its rev one higher, as one
     * step; the verdict stays. NOT_FOUND for an unknown task; a deleted RFC does not fail it.
     */
    updateTask: write<UpdateTask, { task: TaskRecord }>(STORE.CALL_DEADLINE_MS),
    /** Of any status, or of one; newest first. */
    listTasks: read<ListTasksInput, { tasks: TaskRecord[]; next_cursor: string | null }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /** Oldest first. */
    listPendingTasks: read<
      { tenant_id: string; limit: number; cursor: string | null },
      { tasks: TaskRecord[]; next_cursor: string | null }
    >(STORE.CALL_DEADLINE_MS),
  },
} as const;

export type TaskStore = Client<typeof Tasks>;

export interface ListTasksInput {
  tenant_id: string;
  /** Null: any. */
  status: TaskStatus | null;
  limit: number;
  cursor: string | null;
}

export interface UpdateTask {
  tenant_id: string;
  task_id: string;
  status: TaskStatus;
  /** Also marks the finding resolved, by this name; null: leaves it. */
  resolved_by: string | null;
  /** ISO 8601, UTC. */
  at: string;
}
