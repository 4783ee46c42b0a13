import type { ProdCheck } from '../../heads/prod-check.ts';
import { TASKS } from '../../limits.ts';
import {
  CLAUDE_TASK_REQUEST,
  type ClaudeTaskRequest,
  TASK_STATUS_REQUEST,
  type TaskStatusRequest,
  USAGE_REQUEST,
  type UsageRequest,
} from '../../model/desk-requests.ts';
import type { TaskQueue } from '../../tasks/tasks.ts';
import type { StatusReport } from '../../telemetry/status.ts';
import type { UsageLedger } from '../../usage/usage.ts';
import type { Call, Handlers } from '../server/dispatch.ts';
import { createBodyReader } from '../server/json-body.ts';
import { dataReply, type Reply } from '../server/reply.ts';

export interface DeskServices {
  prodCheck: ProdCheck;
  tasks: TaskQueue;
  usage: UsageLedger;
  status: StatusReport;
}

type DeskRoute =
  | 'prod-check'
  | 'pending-tasks'
  | 'pending-tasks-post'
  | 'task-status'
  | 'claude-task'
  | 'usage-log'
  | 'usage-total'
  | 'usage-summary'
  | 'status';

const HOURS_DEFAULT = 24;

/** Handlers of deployments, tasks, usage and status. */
export function createDeskHandlers(services: DeskServices): Pick<Handlers, DeskRoute> {
  const { prodCheck, tasks, usage, status } = services;
  const readTaskStatus = createBodyReader<TaskStatusRequest>(TASK_STATUS_REQUEST);
  const readTask = createBodyReader<ClaudeTaskRequest>(CLAUDE_TASK_REQUEST);
  const readUsage = createBodyReader<UsageRequest>(USAGE_REQUEST);

  async function pending({ principal, query }: Call): Promise<Reply> {
    const limit = Number(query['limit'] ?? TASKS.LIST_LIMIT_DEFAULT);
    const page = await tasks.pending(principal, limit, textOf(query['cursor']));
    const next = `,"next_cursor":${JSON.stringify(page.next_cursor)}`;
    return dataReply(JSON.stringify(page.tasks), next);
  }

  return {
    async 'prod-check'({ principal, params, query }) {
      const [branch, sha] = [textOf(query['branch']), textOf(query['sha'])];
      const decision = await prodCheck(principal, { repo: params[0] ?? '', branch, sha });
      return dataReply(JSON.stringify(decision));
    },
    'pending-tasks': pending,
    'pending-tasks-post': pending,
    async 'task-status'({ request, principal }) {
      const update = await readTaskStatus(request);
      const { taskId, findingId, status: now } = await tasks.update(principal, update);
      return dataReply(JSON.stringify({ taskId, findingId, status: now }));
    },
    async 'claude-task'({ request, principal }) {
      const { findingId } = await readTask(request);
      return dataReply(JSON.stringify(await tasks.create(principal, findingId)));
    },
    async 'usage-log'({ request, principal }) {
      return dataReply(await usage.log(principal, await readUsage(request)));
    },
    async 'usage-total'({ principal, query }) {
      return dataReply(await usage.total(principal, Number(query['hours'] ?? HOURS_DEFAULT)));
    },
    async 'usage-summary'({ principal, query }) {
      return dataReply(await usage.summary(principal, textOf(query['since'])));
    },
    async status() {
      return dataReply(JSON.stringify(await status()));
    },
  };
}

function textOf(value: string | number | undefined): string | null {
  return value === undefined ? null : String(value);
}
