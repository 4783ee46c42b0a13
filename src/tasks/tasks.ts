import { randomUUID } from 'node:crypto';
import { TASKS } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import type { Finding } from '../model/finding.ts';
import type { Principal } from '../model/principal.ts';
import type { TaskRecord, TaskStatus, WorkerTask } from '../model/task.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TaskStore } from '../store/contract/tasks.ts';
import type { TrailStore } from '../store/contract/trail.ts';

export interface TaskUpdate {
  taskId: string;
  status: TaskStatus;
  markFixed?: boolean;
}

export interface TaskPage {
  tasks: WorkerTask[];
  next_cursor: string | null;
}

/** A task, and whether it is a new one. */
export interface CreatedTask extends WorkerTask {
  status: TaskStatus;
  created: boolean;
}

/** Remediation tasks for agents, within the caller's tenant (spec, Worker task queue). */
export interface TaskDesk {
  pending(principal: Principal, limit: number, cursor: string | null): Promise<TaskPage>;
  /** Sets a status; with `markFixed` the finding gets `resolved`. NOT_FOUND. */
  update(principal: Principal, update: TaskUpdate): Promise<TaskRecord>;
  /**
   * Creates a task from a finding, named by its finding_id, or by its rule when only one open
   * finding of a BLOCKED RFC has that: else FAILED_PRECONDITION. A finding that has an open task
   * gets no second one. NOT_FOUND when there is no such finding.
   */
  create(principal: Principal, findingId: string): Promise<CreatedTask>;
}

type TaskDeskStore = TaskStore &
  Pick<RecordStore, 'findFindings'> &
  Pick<TrailStore, 'listBlocked'>;

/** A finding, and where it is. */
interface Found {
  rfc_id: string;
  repo_name: string;
  finding: Finding;
}

/** Creates the desk over a store; `now` is ms since the epoch. */
export function createTaskDesk(store: TaskDeskStore, now: () => number): TaskDesk {
  /** What `name` means in one RFC; nothing where there is no such RFC. */
  async function findIn(tenant_id: string, rfc_id: string, name: string): Promise<Found[]> {
    try {
      const { repo_name, findings } = await store.findFindings({ tenant_id, rfc_id, name });
      return findings.map((finding) => ({ rfc_id, repo_name, finding }));
    } catch (thrown) {
      if (thrown instanceof CraError && thrown.code === 'NOT_FOUND') return [];
      throw thrown;
    }
  }

  /** `finding_id` begins with the id of its RFC (domain/ids). */
  async function byId(tenantId: string, findingId: string): Promise<Found | null> {
    const rfcId = FINDING_ID.exec(findingId)?.[1];
    if (rfcId === undefined) return null;
    const found = await findIn(tenantId, `RFC-${rfcId}`, findingId);
    return found.find(({ finding }) => finding.finding_id === findingId) ?? null;
  }

  async function byRule(tenantId: string, rule: string): Promise<Found | null> {
    const { rfc_ids, next_cursor } = await store.listBlocked({
      tenant_id: tenantId,
      repo: null,
      before: null,
      limit: TASKS.RULE_SEARCH_RFCS_MAX,
      cursor: null,
    });
    const found: Found[] = [];
    for (const rfcId of rfc_ids) {
      found.push(...(await findIn(tenantId, rfcId, rule)));
      if (found.length > 1) throw ambiguous(rule, 'more than one open finding has this rule');
    }
    if (next_cursor !== null) throw ambiguous(rule, 'too many RFCs are BLOCKED to tell');
    return found[0] ?? null;
  }

  return {
    async pending({ tenant_id }, limit, cursor) {
      const page = await store.listPendingTasks({ tenant_id, limit, cursor });
      return { tasks: page.tasks.map(shown), next_cursor: page.next_cursor };
    },

    async update(principal, { taskId, status, markFixed }) {
      const { task } = await store.updateTask({
        tenant_id: principal.tenant_id,
        task_id: taskId,
        status,
        resolved_by: markFixed === true ? principal.id : null,
        at: new Date(now()).toISOString(),
      });
      return task;
    },

    async create(principal, findingId) {
      const { tenant_id } = principal;
      const found = (await byId(tenant_id, findingId)) ?? (await byRule(tenant_id, findingId));
      if (found === null) throw new CraError('NOT_FOUND', 'there is no such finding');
      const made = await store.createTask({ task: newTask(found, principal, now()) });
      return { ...shown(made.task), status: made.task.status, created: made.created };
    },
  };
}

const FINDING_ID = /^F-([0-9A-F]+)-[1-9]\d*$/;

function ambiguous(rule: string, reason: string): CraError {
  return new CraError('FAILED_PRECONDITION', `${reason}: name the finding by its finding_id`, {
    details: { rule },
  });
}

/** What an agent needs to know; secrets are redacted in findings, so they are here. */
function newTask(found: Found, principal: Principal, nowMs: number): TaskRecord {
  const { rfc_id, repo_name, finding } = found;
  const at = new Date(nowMs).toISOString();
  const place = finding.file === null ? repo_name : `${repo_name}, ${finding.file}`;
  return {
    taskId: `T-${randomUUID()}`,
    findingId: finding.finding_id,
    title: `${finding.id} in ${place}`.slice(0, TASKS.TITLE_CHARS_MAX).toWellFormed(),
    severity: finding.severity,
    description: finding.message,
    suggestedFix: finding.fix ?? '',
    filePath: finding.file ?? '',
    lineHint: finding.line ?? 0,
    tenant_id: principal.tenant_id,
    rfc_id,
    repo_name,
    status: 'pending',
    created_at: at,
    created_by: principal.id,
    updated_at: at,
    rev: 1,
  };
}

function shown(task: TaskRecord): WorkerTask {
  const { taskId, findingId, title, severity, description, suggestedFix, filePath, lineHint } =
    task;
  return { taskId, findingId, title, severity, description, suggestedFix, filePath, lineHint };
}
