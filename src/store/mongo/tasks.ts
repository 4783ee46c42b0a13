import { setTimeout as delay } from 'node:timers/promises';
import { type Collection, type Filter, Timestamp } from 'mongodb';
import { CraError } from '../../model/errors.ts';
import { type RfcRecord, summarise } from '../../model/records.ts';
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
import type { ListTasksInput, StoreDriver, UpdateTask } from '../contract/store.ts';
import { MONGO } from '../limits.ts';
import { tasksPage } from '../lists.ts';
import { updatedTask } from '../steps/task.ts';
import { parseRecord } from '../stored-record.ts';
import type { Collections } from './database.ts';
import type { RfcDocument, TaskDocument } from './documents.ts';
import { isDuplicate } from './operations.ts';
import {
  decodeSequence,
  encodeSequence,
  findAll,
  findFirst,
  newest,
  QUERIES,
  type Query,
  query,
} from './queries.ts';

/** A task that stands in the way of another one of its finding. */
export const OPEN_TASK = { status: { $in: ['pending', 'picked'] } } as const;

/** Queries on tasks; test/store/mongo/services.test.ts holds the plan of each. */
export const TASK_QUERIES = {
  openTask: (tenant_id: string, finding_id: string): Query<TaskDocument> =>
    query({ tenant_id, finding_id, status: { $in: [...OPEN_TASK.status.$in] } }, 'json', {
      hint: 'open',
    }),
  /** Open tasks of an RFC, by the range of its findings' ids. */
  openTasksOf: (tenant_id: string, { from, below }: ReturnType<typeof findingIdRange>) => {
    const status = { $in: [...OPEN_TASK.status.$in] };
    const filter = { tenant_id, finding_id: { $gte: from, $lt: below }, status };
    return query<TaskDocument>(filter, 'json', { hint: 'open' });
  },
  listTasks: ({ tenant_id, status, limit }: ListTasksInput, before: Timestamp | null) => {
    const filter: Filter<TaskDocument> = {
      tenant_id,
      ...(status === null ? {} : { status }),
      ...(before === null ? {} : { seq: { $lt: before } }),
    };
    const hint = status === null ? 'by_tenant' : 'by_status';
    return newest(filter, 'seq json', { limit: limit + 1, hint });
  },
  pendingTasks: (tenant_id: string, after: Timestamp | null, limit: number) => {
    const behind = after === null ? {} : { seq: { $gt: after } };
    const filter: Filter<TaskDocument> = { tenant_id, status: 'pending', ...behind };
    return query(filter, 'seq json', { sort: { seq: 1 }, limit, hint: 'pending' });
  },
} as const;

type TaskCollections = Pick<Collections, 'tasks' | 'rfcs'>;

/** The methods of Tasks. */
export function createTaskService(collections: TaskCollections): StoreDriver['tasks'] {
  const steps = createTaskSteps(collections);
  return {
    createTask: ({ task }) => steps.create(task),
    updateTask: steps.update,
    async listTasks(input) {
      const before = input.cursor === null ? null : decodeSequence(input.cursor);
      const found = await findAll(collections.tasks, TASK_QUERIES.listTasks(input, before));
      return tasksPage(found, input.limit, encodeSequence);
    },
    async listPendingTasks({ tenant_id, limit, cursor }) {
      const after = cursor === null ? null : decodeSequence(cursor);
      const query = TASK_QUERIES.pendingTasks(tenant_id, after, limit + 1);
      return tasksPage(await findAll(collections.tasks, query), limit, encodeSequence);
    },
  };
}

/**
 * The steps on tasks. Each is a compare-and-set of one document; the unique index "open" keeps a
 * finding from having two open tasks, of whichever daemon.
 */
function createTaskSteps({ tasks, rfcs }: TaskCollections) {
  async function find(tenantId: string, taskId: string): Promise<TaskRecord | null> {
    const found = await tasks.findOne({ _id: taskId, tenant_id: tenantId });
    return found === null ? null : taskOf(found);
  }

  async function findOpen(tenantId: string, findingId: string): Promise<TaskRecord | null> {
    const found = await findFirst(tasks, TASK_QUERIES.openTask(tenantId, findingId));
    return found === null ? null : taskOf(found);
  }

  /** The task that keeps a new one from being made; null: a majority has no such task. */
  async function findSame({ taskId, tenant_id, findingId }: TaskRecord) {
    const open = await findOpen(tenant_id, findingId);
    if (open !== null) return open;
    const named = await tasks.findOne({ _id: taskId });
    if (named === null) return null;
    if (named.tenant_id !== tenant_id) throw duplicateTask();
    return taskOf(named);
  }

  /** After the insertion, so that of a deletion at the same time one sees the other. */
  async function requireRecord(task: TaskRecord): Promise<void> {
    try {
      requireFinding(task, { status: task.status, resolvedBy: null }, await findRecord(rfcs, task));
    } catch (thrown) {
      await tasks.deleteOne({ _id: task.taskId, rev: task.rev });
      throw thrown;
    }
  }

  async function create(task: TaskRecord): Promise<{ task: TaskRecord; created: boolean }> {
    for (let race = 0; race < MONGO.RACES_MAX; race += 1) {
      if (await isTaken(tasks.insertOne(documentOf(task)))) {
        const same = await findSame(task);
        if (same !== null && isOpenTask(same.status) && isOfFormerFinding(same, task)) {
          await replaceTask(tasks, same, withStatus(same, 'failed', task.created_at));
          continue;
        }
        if (same !== null) return { task: same, created: false };
        // It is not confirmed yet, or was just closed.
        await delay(MONGO.RACE_PAUSE_MS);
        continue;
      }
      await requireRecord(task);
      return { task, created: true };
    }
    throw contended('another task of this finding is not confirmed yet');
  }

  async function update(input: UpdateTask): Promise<{ task: TaskRecord }> {
    const { tenant_id, task_id } = input;
    for (let race = 0; race < MONGO.RACES_MAX; race += 1) {
      const known = await find(tenant_id, task_id);
      if (known === null) throw unknownTask();
      const before = await findRecord(rfcs, known);
      const isOpened = isOpenTask(input.status);
      const open = isOpened ? await findOpen(tenant_id, known.findingId) : null;
      const { task, record } = updatedTask(known, input, { record: before, open });
      // First the finding: a caller that fails in between asks again, as the task is still open.
      const isMarked = before === null || record === null || (await mark(before, record));
      if (isMarked && task === known) return { task };
      if (isMarked && (await replaceTask(tasks, known, task))) return { task };
      await delay(MONGO.RACE_PAUSE_MS);
    }
    throw contended('other writers keep changing the task or its RFC');
  }

  /** False: another writer has changed the record. */
  async function mark(before: RfcRecord, next: RfcRecord): Promise<boolean> {
    const { filter } = QUERIES.view(before);
    const texts = { json: JSON.stringify(next), summary: JSON.stringify(summarise(next)) };
    const change = { $set: { rev: next.rev, ...texts } };
    return (await rfcs.updateOne({ ...filter, rev: before.rev }, change)).matchedCount === 1;
  }

  return { create, update };
}

/**
 * Closes the open tasks of an RFC that was deleted; again changes nothing. A task whose creation
 * had not been confirmed by then is closed by `create`.
 */
export async function closeTasksOf(
  tasks: Collection<TaskDocument>,
  { tenant_id, rfc_id, at }: { tenant_id: string; rfc_id: string; at: string },
): Promise<void> {
  const open = TASK_QUERIES.openTasksOf(tenant_id, findingIdRange(rfc_id));
  for (const found of await findAll(tasks, open)) {
    const known = taskOf(found);
    await replaceTask(tasks, known, withStatus(known, 'failed', at));
  }
}

/** False: another writer has changed it, or opened another one of the same finding. */
async function replaceTask(
  tasks: Collection<TaskDocument>,
  known: TaskRecord,
  next: TaskRecord,
): Promise<boolean> {
  const { taskId: _id, tenant_id, rev } = known;
  const change = { $set: { status: next.status, rev: next.rev, json: JSON.stringify(next) } };
  let matched = 0;
  const written = tasks.updateOne({ _id, tenant_id, rev }, change).then((result) => {
    matched = result.matchedCount;
  });
  return !(await isTaken(written)) && matched === 1;
}

/** Null: the RFC does not exist, or was deleted. */
async function findRecord(
  rfcs: Collection<RfcDocument>,
  { rfc_id, tenant_id }: TaskRecord,
): Promise<RfcRecord | null> {
  const state = await findFirst(rfcs, QUERIES.view({ tenant_id, rfc_id }));
  return state === null ? null : parseRecord(state.json);
}

/** Whether a write met a unique key; other failures are thrown. */
async function isTaken(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return false;
  } catch (thrown) {
    if (isDuplicate(thrown)) return true;
    throw thrown;
  }
}

function documentOf(task: TaskRecord): TaskDocument {
  const { taskId: _id, tenant_id, findingId: finding_id, status, rev } = task;
  const seq = new Timestamp({ t: 0, i: 0 });
  return { _id, tenant_id, finding_id, status, rev, seq, json: JSON.stringify(task) };
}

function taskOf({ json }: Pick<TaskDocument, 'json'>): TaskRecord {
  return JSON.parse(json) as TaskRecord;
}

function contended(message: string): CraError {
  return new CraError('UNAVAILABLE', `${message}: try again`);
}
