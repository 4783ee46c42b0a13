import { ACCESS } from '../../auth/access.ts';
import { SEVERITIES } from '../../model/finding.ts';
import { BODY, TASKS } from '../../model/limits.ts';
import { exactly, TEXT, TIME } from '../../model/schema.ts';
import {
  CREATED_TASK,
  TASK,
  TASK_ID,
  TASK_STATUS,
  TASK_UPDATE,
  type TaskStatus,
} from '../../model/task.ts';
import type { TaskQueue } from '../../tasks/tasks.ts';
import type { Call, Handler, Route } from '../server/dispatch.ts';
import { dataReply, type Reply } from '../server/reply.ts';
import { createBodyReader, GET, NEXT_CURSOR, POST, textOrNull } from './endpoint.ts';

const CLAUDE_TASK_REQUEST = {
  type: 'object',
  required: ['findingId'],
  properties: {
    findingId: {
      ...TASK_ID,
      description: 'finding_id of a finding, or its rule if only one open finding has that rule',
    },
  },
} as const;

export const TASK_LIST = { type: 'array', items: TASK } as const;
export const TASK_STATUS_ANSWER = exactly({ taskId: TEXT, findingId: TEXT, status: TASK_STATUS });

const TASKS_QUERY = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: TASKS.LIST_LIMIT_MAX },
    cursor: { type: 'string', minLength: 1 },
  },
} as const;

const TASK_STATE = exactly({
  taskId: TEXT,
  findingId: TEXT,
  rfc_id: TEXT,
  repo_name: TEXT,
  severity: { type: 'string', enum: [...SEVERITIES] },
  status: TASK_STATUS,
  created_at: TIME,
  created_by: TEXT,
  updated_at: TIME,
});

const TASK_LIST_QUERY = {
  type: 'object',
  properties: { status: TASK_STATUS, ...TASKS_QUERY.properties },
} as const;

const PENDING = {
  path: '/api/cra/pending-tasks',
  auth: ACCESS.machine,
  query: TASKS_QUERY,
  data: TASK_LIST,
  beside: NEXT_CURSOR,
} as const;

/** Endpoints of remediation tasks (spec, "Worker task"). */
export const TASK_ROUTES = [
  { ...GET, ...PENDING, name: 'pending-tasks', summary: 'Open tasks, for agents' },
  {
    ...GET,
    ...PENDING,
    name: 'pending-tasks-post',
    method: 'POST',
    summary: 'The same, for clients that send POST',
    bodyBytesMax: BODY.SMALL_BYTES_MAX,
  },
  {
    ...GET,
    name: 'tasks',
    path: '/api/cra/tasks',
    summary: 'Tasks of any status and how far they are, the newest first, for people',
    auth: ACCESS.read,
    query: TASK_LIST_QUERY,
    data: { type: 'array', items: TASK_STATE },
    beside: NEXT_CURSOR,
  },
  {
    ...POST,
    name: 'task-status',
    path: '/api/cra/task-status',
    summary: 'Report the state of a task',
    auth: ACCESS.machine,
    body: TASK_UPDATE,
    data: TASK_STATUS_ANSWER,
    refusals: [404, 409],
  },
  {
    ...POST,
    name: 'claude-task',
    path: '/api/cra/claude-task',
    summary: 'Create a remediation task from a finding',
    auth: ACCESS.submit,
    body: CLAUDE_TASK_REQUEST,
    data: CREATED_TASK,
    refusals: [404, 409],
  },
] as const satisfies readonly Route[];

/** Handlers of tasks. */
export function createTaskHandlers(
  tasks: TaskQueue,
): Record<(typeof TASK_ROUTES)[number]['name'], Handler> {
  const readTaskStatus = createBodyReader(TASK_UPDATE);
  const readTask = createBodyReader(CLAUDE_TASK_REQUEST);

  async function pending({ principal, query }: Call): Promise<Reply> {
    const limit = Number(query['limit'] ?? TASKS.LIST_LIMIT_DEFAULT);
    const page = await tasks.pending(principal, limit, textOrNull(query['cursor']));
    const next = `,"next_cursor":${JSON.stringify(page.next_cursor)}`;
    return dataReply(JSON.stringify(page.tasks), next);
  }

  return {
    async tasks({ principal, query }) {
      const { tasks: rows, next_cursor } = await tasks.list(principal, {
        status: (query['status'] as TaskStatus | undefined) ?? null,
        limit: Number(query['limit'] ?? TASKS.LIST_LIMIT_DEFAULT),
        cursor: textOrNull(query['cursor']),
      });
      return dataReply(JSON.stringify(rows), `,"next_cursor":${JSON.stringify(next_cursor)}`);
    },
    'pending-tasks': pending,
    'pending-tasks-post': pending,
    async 'task-status'({ request, principal }) {
      const update = await readTaskStatus(request);
      const { taskId, findingId, status } = await tasks.update(principal, update);
      return dataReply(JSON.stringify({ taskId, findingId, status }));
    },
    async 'claude-task'({ request, principal }) {
      const { findingId } = await readTask(request);
      return dataReply(JSON.stringify(await tasks.create(principal, findingId)));
    },
  };
}
