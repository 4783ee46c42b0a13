import type { Severity } from './finding.ts';

export const TASK_STATUSES = ['pending', 'picked', 'done', 'failed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** A worker task, as `pending-tasks` lists it (spec, "Worker task"). */
export interface WorkerTask {
  taskId: string;
  /** `finding_id` of the finding it was made from. */
  findingId: string;
  title: string;
  severity: Severity;
  description: string;
  suggestedFix: string;
  filePath: string;
  /** 1-based; 0 when there is no line. */
  lineHint: number;
}

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
