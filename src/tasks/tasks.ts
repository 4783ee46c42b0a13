import { randomUUID } from 'node:crypto';
import { CraError } from '../model/errors.ts';
import type { Finding } from '../model/finding.ts';
import { RFCS, TASKS } from '../model/limits.ts';
import type { Principal } from '../model/principal.ts';
import type { RfcSummary } from '../model/records.ts';
import { isTerminal } from '../model/rfc.ts';
import type { CreatedTask, TaskRecord, TaskUpdate, WorkerTask } from '../model/task.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { ListTasksInput, TaskStore } from '../store/contract/store.ts';

/** Where a task stands. */
export type TaskState = Pick<
  TaskRecord,
  | ('taskId' | 'findingId' | 'rfc_id' | 'repo_name' | 'severity')
  | ('status' | 'created_at' | 'created_by' | 'updated_at')
>;

export interface TaskPage {
  tasks: WorkerTask[];
  next_cursor: string | null;
}

/** Remediation tasks for agents, within the caller's tenant (spec, Worker task queue). */
export interface TaskQueue {
  pending(principal: Principal, limit: number, cursor: string | null): Promise<TaskPage>;
  /**
   * Tasks of any status, or of one, the newest first, for people: what they say of a finding stays
   * with `pending`.
   */
  list(
    principal: Principal,
    asked: Pick<ListTasksInput, 'status' | 'limit' | 'cursor'>,
  ): Promise<{ tasks: TaskState[]; next_cursor: string | null }>;
  /**
   * Sets a status; with `markFixed` the finding gets `resolved`. NOT_FOUND for an unknown task, and
   * for one to open or mark whose finding does not exist any more.
   */
  update(principal: Principal, update: TaskUpdate): Promise<TaskRecord>;
  /**
   * Creates a task from a finding, named by its finding_id, or by its rule when it is the only
   * open finding of that rule in the newest TASKS.RULE_SEARCH_RFCS_MAX RFCs of the tenant: else
   * FAILED_PRECONDITION. A finding that has an open task gets no second one. NOT_FOUND when there
   * is no such finding.
   */
  create(principal: Principal, findingId: string): Promise<CreatedTask>;
}

type TaskQueueStore = TaskStore & Pick<RecordStore, 'findFindings' | 'listRfcs'>;

/** A finding, and where it is. */
interface Found {
  rfc_id: string;
  repo_name: string;
  finding: Finding;
}

/** Creates the queue over a store; `now` is ms since the epoch. */
export function createTaskQueue(store: TaskQueueStore, now: () => number): TaskQueue {
  /** The findings of one RFC that `name` means; empty where there is no such RFC. */
  async function findIn(tenant_id: string, rfc_id: string, name: string): Promise<Found[]> {
    try {
      const { repo_name, findings } = await store.findFindings({ tenant_id, rfc_id, name });
      return findings.map((finding) => ({ rfc_id, repo_name, finding }));
    } catch (thrown) {
      if (thrown instanceof CraError && thrown.code === 'NOT_FOUND') return [];
      throw thrown;
    }
  }

  /** `finding_id` begins with the id of its RFC. */
  async function byId(tenantId: string, findingId: string): Promise<Found | null> {
    const rfcId = FINDING_ID.exec(findingId)?.[1];
    if (rfcId === undefined) return null;
    const found = await findIn(tenantId, `RFC-${rfcId}`, findingId);
    return found.find(({ finding }) => finding.finding_id === findingId) ?? null;
  }

  /** The newest RFCs first; DRAFTs have no findings yet, and many other RFCs never have any. */
  async function byRule(tenantId: string, rule: string): Promise<Found | null> {
    const found: Found[] = [];
    let searched = 0;
    let cursor: string | null = null;
    do {
      const page = await store.listRfcs({
        tenant_id: tenantId,
        status: null,
        repo: null,
        limit: RFCS.LIST_LIMIT_MAX,
        cursor,
      });
      const listed = JSON.parse(page.json) as RfcSummary[];
      const ids = listed.filter(hasFindings).map(({ rfc_id }) => rfc_id);
      for (const rfcId of ids) found.push(...(await findIn(tenantId, rfcId, rule)));
      if (found.length > 1) throw ambiguous(rule);
      searched += listed.length;
      cursor = page.next_cursor;
    } while (cursor !== null && searched < TASKS.RULE_SEARCH_RFCS_MAX);
    return found[0] ?? null;
  }

  return {
    async list({ tenant_id }, asked) {
      const { tasks, next_cursor } = await store.listTasks({ tenant_id, ...asked });
      return { tasks: tasks.map(stateOf), next_cursor };
    },
    async pending({ tenant_id }, limit, cursor) {
      const page = await store.listPendingTasks({ tenant_id, limit, cursor });
      return { tasks: page.tasks.map(shown), next_cursor: page.next_cursor };
    },

    async update(principal, { taskId, status, markFixed }) {
      const { task } = await store.updateTask({
        tenant_id: principal.tenant_id,
        task_id: taskId,
        status,
        resolvedBy: markFixed === true ? principal.id : null,
        at: new Date(now()).toISOString(),
      });
      return task;
    },

    async create(principal, findingId) {
      const { tenant_id } = principal;
      const found = (await byId(tenant_id, findingId)) ?? (await byRule(tenant_id, findingId));
      if (found === null) throw new CraError('NOT_FOUND', 'finding not found');
      const made = await store.createTask({ task: newTask(found, principal, now()) });
      return { ...shown(made.task), status: made.task.status, created: made.created };
    },
  };
}

const FINDING_ID = /^F-([0-9A-F]+)-[1-9]\d*$/;

function hasFindings({ overall_status, gates }: RfcSummary): boolean {
  if (!isTerminal(overall_status)) return false;
  return [gates.risk, gates.ast, gates.llm].some(({ findings_total }) => findings_total > 0);
}

function ambiguous(rule: string): CraError {
  const message = 'more than one open finding has this rule: name the finding by its finding_id';
  return new CraError('FAILED_PRECONDITION', message, { details: { rule } });
}

/** The texts of a finding are redacted already. */
function newTask(found: Found, principal: Principal, nowMs: number): TaskRecord {
  const { rfc_id, repo_name, finding } = found;
  const at = new Date(nowMs).toISOString();
  const place = finding.file === null ? repo_name : `${repo_name}, ${finding.file}`;
  return {
    taskId: `T-${randomUUID()}`,
    findingId: finding.finding_id,
    title: titleOf(finding, place),
    severity: finding.severity,
    description: finding.message,
    suggestedFix: finding.fix ?? '',
    filePath: finding.file ?? '',
    lineHint: finding.line ?? 0,
    tenant_id: principal.tenant_id,
    rfc_id,
    repo_name,
    status: 'pending',
    fingerprint: finding.fingerprint,
    created_at: at,
    created_by: principal.id,
    updated_at: at,
    rev: 1,
  };
}

function titleOf({ id, title }: Finding, place: string): string {
  const text = `${id} in ${place}${title === undefined ? '' : `: ${title}`}`;
  return text.slice(0, TASKS.TITLE_CHARS_MAX).toWellFormed();
}

function shown(task: TaskRecord): WorkerTask {
  const { taskId, findingId, title, severity, description, suggestedFix, filePath, lineHint } =
    task;
  return { taskId, findingId, title, severity, description, suggestedFix, filePath, lineHint };
}

function stateOf(task: TaskRecord): TaskState {
  const { taskId, findingId, rfc_id, repo_name, severity, status } = task;
  const { created_at, created_by, updated_at } = task;
  const times = { created_at, created_by, updated_at };
  return { taskId, findingId, rfc_id, repo_name, severity, status, ...times };
}
