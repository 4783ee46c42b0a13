import type { Static } from 'typebox';
import { SEVERITIES } from './finding.ts';
import { FIELDS } from './limits.ts';
import { COUNT, exactly, TEXT } from './schema.ts';

const STATUSES = ['pending', 'picked', 'done', 'failed'] as const;
export type TaskStatus = (typeof STATUSES)[number];
export const TASK_STATUS = { type: 'string', enum: [...STATUSES] } as const;

const TASK_FIELDS = {
  taskId: TEXT,
  // `finding_id` of the finding it was made from.
  findingId: TEXT,
  title: TEXT,
  severity: { type: 'string', enum: [...SEVERITIES] },
  description: TEXT,
  suggestedFix: TEXT,
  filePath: TEXT,
  lineHint: { ...COUNT, description: '1-based; 0 without a line' },
} as const;

/** A worker task, as `pending-tasks` lists it (spec, "Worker task"). */
export const TASK = exactly(TASK_FIELDS);
export type WorkerTask = Static<typeof TASK>;

/** A task, and whether it is a new one. */
export const CREATED_TASK = exactly({
  ...TASK_FIELDS,
  status: TASK_STATUS,
  created: { type: 'boolean' },
});
export type CreatedTask = Static<typeof CREATED_TASK>;

/** The name of a task, or of a finding, in a request. */
export const TASK_ID = { type: 'string', minLength: 1, maxLength: FIELDS.ID_CHARS_MAX } as const;

/** The body of `POST task-status`. */
export const TASK_UPDATE = {
  type: 'object',
  required: ['taskId', 'status'],
  properties: {
    taskId: TASK_ID,
    status: TASK_STATUS,
    markFixed: { type: 'boolean', description: 'Also marks the finding as resolved' },
  },
} as const;
export type TaskUpdate = Static<typeof TASK_UPDATE>;

/** A task as stored. */
export interface TaskRecord extends WorkerTask {
  tenant_id: string;
  rfc_id: string;
  repo_name: string;
  status: TaskStatus;
  created_at: string;
  created_by: string;
  updated_at: string;
  /** Raised by one with every change. */
  rev: number;
}
