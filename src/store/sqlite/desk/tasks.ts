import { summarise } from '../../../model/records.ts';
import { resolveFinding } from '../../../model/resolve-finding.ts';
import type { TaskRecord } from '../../../model/task.ts';
import type { UpdateTask } from '../../contract/tasks.ts';
import { decodeCursor, encodeCursor } from '../../list-cursor.ts';
import { parseRecord } from '../../stored-record.ts';
import { isOpenTask, otherOpenTask, takenTaskId, unknownTask } from '../../stored-task.ts';
import type { Connection } from '../database.ts';
import { QUERIES } from '../queries.ts';
import { DESK_QUERIES } from './queries.ts';

interface TaskRow {
  json: string;
}

/** The writing steps on tasks, as they run within a transaction. */
export function createTaskSteps(database: Connection) {
  const addTask = database.prepare(DESK_QUERIES.addTask);
  const findOpen = database.prepare<unknown[], TaskRow>(DESK_QUERIES.openTask);
  const findTask = database.prepare<unknown[], TaskRow>(DESK_QUERIES.task);
  const setTask = database.prepare(DESK_QUERIES.setTask);
  const findState = database.prepare<unknown[], { json: string }>(QUERIES.state);
  const setRecord = database.prepare(DESK_QUERIES.setRecord);

  return {
    create(task: TaskRecord): { task: TaskRecord; created: boolean } {
      const { taskId, tenant_id, findingId, status } = task;
      const json = JSON.stringify(task);
      const { changes } = addTask.run(taskId, tenant_id, findingId, status, json);
      if (changes === 1) return { task, created: true };
      const open = findOpen.get(tenant_id, findingId) ?? findTask.get(taskId, tenant_id);
      if (open === undefined) throw takenTaskId();
      return { task: JSON.parse(open.json) as TaskRecord, created: false };
    },

    update({ tenant_id, task_id, status, resolved_by, at }: UpdateTask): { task: TaskRecord } {
      const row = findTask.get(task_id, tenant_id);
      if (row === undefined) throw unknownTask();
      const known = JSON.parse(row.json) as TaskRecord;
      if (isOpenTask(status)) refuseSecond(known);
      if (resolved_by !== null) resolve(known, { by: resolved_by, at });
      if (known.status === status) return { task: known };
      const task = { ...known, status, updated_at: at, rev: known.rev + 1 };
      setTask.run(status, JSON.stringify(task), task_id);
      return { task };
    },
  };

  /** A finding has one open task: a closed one is not opened again beside it. */
  function refuseSecond({ tenant_id, findingId, taskId }: TaskRecord): void {
    const open = findOpen.get(tenant_id, findingId);
    if (open === undefined) return;
    const other = JSON.parse(open.json) as TaskRecord;
    if (other.taskId !== taskId) throw otherOpenTask(other);
  }

  function resolve({ rfc_id, findingId }: TaskRecord, resolved: { by: string; at: string }): void {
    const state = findState.get(rfc_id);
    if (state === undefined) return;
    const next = resolveFinding(parseRecord(state.json), findingId, resolved);
    if (next === null) return;
    setRecord.run(next.rev, JSON.stringify(summarise(next)), JSON.stringify(next), rfc_id);
  }
}

/** Pending tasks of a tenant, the oldest first. */
export function createTaskReader(database: Connection) {
  const pending = database.prepare<unknown[], { seq: number; json: string }>(
    DESK_QUERIES.pendingTasks,
  );
  return (tenantId: string, limit: number, cursor: string | null) => {
    const rows = pending.all(tenantId, cursor === null ? 0 : decodeCursor(cursor), limit + 1);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      tasks: page.map(({ json }) => JSON.parse(json) as TaskRecord),
      next_cursor: rows.length > limit && last !== undefined ? encodeCursor(last.seq) : null,
    };
  };
}
