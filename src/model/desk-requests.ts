import type { Static } from 'typebox';
import { FIELDS, USAGE } from '../limits.ts';
import { TASK_STATUSES } from './task.ts';
import { WHOLE, WORDS } from './text-patterns.ts';

/** Bodies of tasks and usage (spec, Endpoints). Unknown extra fields are ignored. */

const ID = { type: 'string', minLength: 1, maxLength: FIELDS.ID_CHARS_MAX } as const;
const TOKENS = { type: 'integer', minimum: 0, maximum: USAGE.TOKENS_MAX } as const;
const NAME = { type: 'string', maxLength: USAGE.NAME_CHARS_MAX, pattern: WORDS } as const;

export const TASK_STATUS_REQUEST = {
  type: 'object',
  required: ['taskId', 'status'],
  properties: {
    taskId: ID,
    status: { type: 'string', enum: [...TASK_STATUSES] },
    markFixed: { type: 'boolean', description: 'Also marks the finding resolved' },
  },
} as const;
export type TaskStatusRequest = Static<typeof TASK_STATUS_REQUEST>;

export const CLAUDE_TASK_REQUEST = {
  type: 'object',
  required: ['findingId'],
  properties: {
    findingId: {
      ...ID,
      description: 'finding_id of a finding, or its rule when only one open finding has that',
    },
  },
} as const;
export type ClaudeTaskRequest = Static<typeof CLAUDE_TASK_REQUEST>;

export const USAGE_REQUEST = {
  type: 'object',
  required: ['provider', 'model', 'input_tokens', 'output_tokens', 'cost_usd'],
  properties: {
    provider: NAME,
    model: NAME,
    input_tokens: TOKENS,
    output_tokens: TOKENS,
    cache_creation_tokens: TOKENS,
    cache_read_tokens: TOKENS,
    cost_usd: {
      type: 'number',
      minimum: 0,
      maximum: USAGE.COST_USD_MAX,
      description: 'Kept to the nano-dollar',
    },
    context: { type: 'string', maxLength: USAGE.CONTEXT_CHARS_MAX, pattern: WHOLE },
  },
} as const;
export type UsageRequest = Static<typeof USAGE_REQUEST>;
