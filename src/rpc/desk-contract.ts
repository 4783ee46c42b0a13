import { STORE } from '../limits.ts';
import type { AuditEvent, AuditPlace } from '../model/audit.ts';
import type { StoredSession } from '../model/session.ts';
import type { TaskRecord, TaskStatus } from '../model/task.ts';
import type { UsageDay, UsageRecord, UsageSums } from '../model/usage.ts';
import { method } from './service.ts';

/** Worker tasks at rest. */
export const Tasks = {
  name: 'Tasks',
  methods: {
    createTask: method<{ task: TaskRecord }, { task: TaskRecord; created: boolean }>(
      STORE.CALL_DEADLINE_MS,
    ),
    updateTask: method<UpdateTask, { task: TaskRecord }>(STORE.CALL_DEADLINE_MS),
    listPendingTasks: method<
      { tenant_id: string; limit: number; cursor: string | null },
      { tasks: TaskRecord[]; next_cursor: string | null }
    >(STORE.CALL_DEADLINE_MS),
  },
} as const;

export interface UpdateTask {
  tenant_id: string;
  task_id: string;
  status: TaskStatus;
  /** Also marks the finding resolved, by this name; null: leaves it. */
  resolved_by: string | null;
  /** ISO 8601, UTC. */
  at: string;
}

/** The LLM cost ledger. */
export const Usage = {
  name: 'Usage',
  methods: {
    logUsage: method<{ record: UsageRecord }, { usage_id: string }>(STORE.CALL_DEADLINE_MS),
    usageTotal: method<{ tenant_id: string; since_ms: number }, UsageSums>(STORE.CALL_DEADLINE_MS),
    usageDays: method<
      { tenant_id: string; since_ms: number; limit: number },
      { days: UsageDay[] | null }
    >(STORE.CALL_DEADLINE_MS),
  },
} as const;

/** Revisions of the rules configuration. */
export const RulesBook = {
  name: 'RulesBook',
  methods: {
    newestRules: method<{ known: number }, { newest: RulesEntry | null; text: string | null }>(
      STORE.CALL_DEADLINE_MS,
    ),
    rulesAt: method<{ number: number }, { entry: RulesEntry; text: string }>(
      STORE.CALL_DEADLINE_MS,
    ),
    listRules: method<{ limit: number; before: number | null }, { entries: RulesEntry[] }>(
      STORE.CALL_DEADLINE_MS,
    ),
    addRules: method<AddRules, { entry: RulesEntry; audit: AuditPlace }>(STORE.CALL_DEADLINE_MS),
  },
} as const;

/** One revision of the rules configuration, without its text. */
export interface RulesEntry {
  /** 1, 2, 3, ...; the newest is in force. */
  number: number;
  /** Hash of the rule set that it stands for, as RFCs name it. */
  revision: string;
  source: 'file' | 'api';
  /** SHA-256 of the text, hex. */
  text_sha256: string;
  added_at: string;
  /** Principal id, or the service. */
  added_by: string;
  comment: string;
}

export interface AddRules {
  /** Number of the newest revision that the caller knows; 0: there is none. */
  expected: number;
  /** The rules file as JSON. */
  text: string;
  entry: Omit<RulesEntry, 'number'>;
  /** Entry of the trail: kind `rules`; its details get the number. */
  event: AuditEvent;
}

/** Browser sessions. */
export const Sessions = {
  name: 'Sessions',
  methods: {
    createSession: method<{ session: StoredSession }, Done>(STORE.CALL_DEADLINE_MS),
    findSession: method<{ session_id: string }, { session: StoredSession | null }>(
      STORE.CALL_DEADLINE_MS,
    ),
    touchSession: method<{ session_id: string; last_seen_at: string }, Done>(
      STORE.CALL_DEADLINE_MS,
    ),
    deleteSession: method<{ session_id: string }, Done>(STORE.CALL_DEADLINE_MS),
    /** Logout everywhere. */
    deleteSessionsOf: method<{ tenant_id: string; principal_id: string }, { deleted: number }>(
      STORE.CALL_DEADLINE_MS,
    ),
  },
} as const;

interface Done {
  ok: true;
}
