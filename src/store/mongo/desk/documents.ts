import type { Binary, Decimal128, Timestamp } from 'mongodb';
import type { TaskStatus } from '../../../model/task.ts';

/** Collection `tasks`: one worker task. */
export interface TaskDocument {
  /** The taskId. */
  _id: string;
  tenant_id: string;
  finding_id: string;
  status: TaskStatus;
  rev: number;
  /** The place in the order of the store; see `seq` of RfcDocument. */
  seq: Timestamp;
  /** JSON of the TaskRecord. */
  json: string;
}

/** What is summed. Decimals of 34 digits: integers that neither round nor overflow. */
export interface AmountFields {
  input_tokens: Decimal128;
  output_tokens: Decimal128;
  cache_creation_tokens: Decimal128;
  cache_read_tokens: Decimal128;
  cost_nano_usd: Decimal128;
}

/** Collection `usage`: one call of an LLM. */
export interface UsageDocument extends AmountFields {
  /** The usage_id. */
  _id: string;
  tenant_id: string;
  at_ms: number;
  provider: string;
  model: string;
  context: string | null;
  logged_by: string;
}

/** Collection `usage_hours`: what one writer added to an hour (UTC), provider and model. */
export interface UsageHourDocument extends AmountFields {
  /** A hash of the writer and the next four. */
  _id: string;
  tenant_id: string;
  /** Hours since the epoch. */
  hour: number;
  provider: string;
  model: string;
  calls: number;
}

/** Collection `rules`: a revision, or a number that is none and never will be. */
export interface RulesDocument {
  /** The number of the revision. */
  _id: number;
  /** Of the change that took the number. */
  op_id: string;
  /** JSON of the RulesEntry; absent where a change was fenced off. */
  entry?: string;
  /** The rules file, JSON, compressed by gzip. */
  text?: Binary;
  /** Counts those who asked what became of the change. */
  fence?: number;
}

/** Collection `sessions`: one browser session, times in ISO 8601. */
export interface SessionDocument {
  /** The session_id. */
  _id: string;
  tenant_id: string;
  principal_id: string;
  /** JSON of the Principal. */
  principal: string;
  created_at: string;
  last_seen_at: string;
  expires_at: string;
  /** The same as a date: from then on the server may remove the session. */
  ends: Date;
}
