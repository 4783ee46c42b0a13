import type { RfcRecord } from '../../model/records.ts';
import { findingIdRange } from '../../model/rfc.ts';
import {
  duplicateTask,
  isOfFormerFinding,
  isOpenTask,
  requireFinding,
  type TaskRecord,
  unknownTask,
  withStatus,
} from '../../model/task.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import { decodeCursor, encodeCursor, tasksPage } from '../lists.ts';
import { updatedTask } from '../steps/task.ts';
import { type Connection, insertInto, prepared, sql } from './connection.ts';
import type { Steps } from './group-commit.ts';
import { type JsonRow, QUERIES } from './queries.ts';
import { createRecordSetter, findRecord } from './records.ts';

/** Statements on tasks. */
export const TASK_QUERIES = {
  addTask: insertInto('task', 'task_id tenant_id finding_id status json', 'ON CONFLICT DO NOTHING'),
  openTask: sql<JsonRow>(`
    SELECT json FROM task INDEXED BY task_open
    WHERE tenant_id = ? AND finding_id = ? AND status IN ('pending', 'picked')`),
  /** Open tasks of an RFC: the ids of its findings begin alike. */
  openTasksOf: sql<JsonRow>(`
    SELECT json FROM task INDEXED BY task_open
    WHERE tenant_id = ? AND finding_id >= ? AND finding_id < ? AND status IN ('pending', 'picked')`),
  task: sql<JsonRow>('SELECT json FROM task WHERE task_id = ? AND tenant_id = ?'),
  setTask: 'UPDATE task SET status = ?, json = ? WHERE task_id = ?',
  listTasks: sql<PageRow>(`
    SELECT seq, json FROM task INDEXED BY task_by_tenant
    WHERE tenant_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  listTasksOf: sql<PageRow>(`
    SELECT seq, json FROM task INDEXED BY task_by_status
    WHERE tenant_id = ? AND status = ? AND seq < ? ORDER BY seq DESC LIMIT ?`),
  pendingTasks: sql<PageRow>(`
    SELECT seq, json FROM task INDEXED BY task_pending
    WHERE tenant_id = ? AND status = 'pending' AND seq > ? ORDER BY seq LIMIT ?`),
} as const;

/** The reading methods of Tasks. */
export function createTaskReader(database: Connection): StoreReader['tasks'] {
  const queries = prepared(database, TASK_QUERIES);
  return {
    listTasks({ tenant_id, status, limit, cursor }) {
      const before = cursor === null ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor);
      const rows =
        status === null
          ? queries.listTasks.all(tenant_id, before, limit + 1)
          : queries.listTasksOf.all(tenant_id, status, before, limit + 1);
      return tasksPage(rows, limit, encodeCursor);
    },
    listPendingTasks({ tenant_id, limit, cursor }) {
      const after = cursor === null ? 0 : decodeCursor(cursor);
      const rows = queries.pendingTasks.all(tenant_id, after, limit + 1);
      return tasksPage(rows, limit, encodeCursor);
    },
  };
}

/** The writing steps on tasks. */
export function createTaskSteps(database: Connection): Steps<StoreWriter['tasks']> {
  const queries = prepared(database, TASK_QUERIES);
  const ofRecords = prepared(database, QUERIES);
  const setRecord = createRecordSetter(database);

  return {
    createTask({ task }) {
      const { taskId, tenant_id, findingId, status } = task;
      requireFinding(task, { status, resolvedBy: null }, findRecord(ofRecords, task));
      const json = JSON.stringify(task);
      const open = taskIn(queries.openTask.get(tenant_id, findingId));
      if (open !== null && isOfFormerFinding(open, task)) {
        const failed = withStatus(open, 'failed', task.created_at);
        queries.setTask.run(failed.status, JSON.stringify(failed), failed.taskId);
      }
      const { changes } = queries.addTask.run(taskId, tenant_id, findingId, status, json);
      if (changes === 1) return { task, created: true };
      const same = open ?? taskIn(queries.task.get(taskId, tenant_id));
      if (same === null) throw duplicateTask();
      return { task: same, created: false };
    },

    updateTask(input) {
      const { tenant_id, task_id } = input;
      const row = queries.task.get(task_id, tenant_id);
      if (row === undefined) throw unknownTask();
      const known = JSON.parse(row.json) as TaskRecord;
      const isOpened = isOpenTask(input.status);
      const open = isOpened ? queries.openTask.get(tenant_id, known.findingId) : undefined;
      const { task, record } = updatedTask(known, input, {
        record: findRecord(ofRecords, known),
        open: taskIn(open),
      });
      if (record !== null) setRecord(record);
      if (task !== known) queries.setTask.run(task.status, JSON.stringify(task), task_id);
      return { task };
    },
  };
}

function taskIn(row: JsonRow | undefined): TaskRecord | null {
  return row === undefined ? null : (JSON.parse(row.json) as TaskRecord);
}

/** Closes the open tasks of an RFC that is deleted. */
export function createTaskCloser(database: Connection): (rfc: RfcRecord, at: string) => void {
  const queries = prepared(database, TASK_QUERIES);
  return ({ rfc_id, tenant_id }, at) => {
    const { from, below } = findingIdRange(rfc_id);
    for (const { json } of queries.openTasksOf.all(tenant_id, from, below)) {
      const task = withStatus(JSON.parse(json) as TaskRecord, 'failed', at);
      queries.setTask.run(task.status, JSON.stringify(task), task.taskId);
    }
  };
}

interface PageRow extends JsonRow {
  seq: number;
}
