import type { Static } from 'typebox';
import { AUDIT, FIELDS } from '../limits.ts';
import { COMMIT_ID, FULL_NAME, WHOLE, WORDS } from './text-patterns.ts';

/**
 * Bodies of decisions and of the operations log (spec, RFC lifecycle and Operations log). Unknown
 * extra fields are ignored. `accept_findings` is an addition.
 */

const REASON = {
  type: 'string',
  maxLength: AUDIT.REASON_CHARS_MAX,
  pattern: WORDS,
  description: 'Kept for good, without secrets',
} as const;

const ACCEPT_FINDINGS = {
  type: 'boolean',
  description: 'The findings (never vuln-*) shall not count any more in this repository',
} as const;

const NAME = { type: 'string', maxLength: FIELDS.REPO_NAME_CHARS_MAX, pattern: WORDS } as const;
const LINES = {
  type: 'string',
  maxLength: AUDIT.OPS_LOG_TEXT_CHARS_MAX,
  pattern: WHOLE,
} as const;

export const OVERRIDE_REQUEST = {
  type: 'object',
  required: ['actor', 'reason'],
  properties: {
    actor: {
      type: 'string',
      maxLength: AUDIT.ACTOR_CHARS_MAX,
      pattern: WORDS,
      description: 'Kept as claimed, beside who was authenticated',
    },
    reason: REASON,
    accept_findings: ACCEPT_FINDINGS,
  },
} as const;
export type OverrideRequest = Static<typeof OVERRIDE_REQUEST>;

export const APPROVE_REQUEST = {
  type: 'object',
  required: ['reason'],
  properties: {
    reason: REASON,
    action: { type: 'string', enum: ['approve', 'override'] },
    force_commit_sha: { type: 'string', pattern: COMMIT_ID },
    force_repo_full_name: {
      type: 'string',
      maxLength: FIELDS.REPO_NAME_CHARS_MAX,
      pattern: FULL_NAME,
    },
    accept_findings: ACCEPT_FINDINGS,
  },
} as const;
export type ApproveRequest = Static<typeof APPROVE_REQUEST>;

export const REJECT_REQUEST = {
  type: 'object',
  required: ['reason'],
  properties: { reason: REASON },
} as const;
export type RejectRequest = Static<typeof REJECT_REQUEST>;

export const DELETE_REQUEST = {
  type: 'object',
  properties: { reason: REASON },
} as const;
export type DeleteRequest = Static<typeof DELETE_REQUEST>;

export const BULK_OVERRIDE_REQUEST = {
  type: 'object',
  required: ['reason'],
  properties: {
    reason: REASON,
    repo: NAME,
    before_date: { type: 'string', pattern: WHOLE, description: 'ISO 8601; without a zone: UTC' },
    rfc_ids: {
      type: 'array',
      minItems: 1,
      maxItems: AUDIT.BULK_IDS_MAX,
      items: { type: 'string', maxLength: FIELDS.RFC_ID_CHARS_MAX, pattern: WORDS },
    },
    next: { type: 'string', pattern: WHOLE, description: 'From the answer to the call before' },
  },
} as const;
export type BulkOverrideRequest = Static<typeof BULK_OVERRIDE_REQUEST>;

export const OPS_LOG_REQUEST = {
  type: 'object',
  required: ['action', 'description'],
  properties: {
    action: {
      type: 'string',
      maxLength: AUDIT.ACTOR_CHARS_MAX,
      pattern: WORDS,
      description: 'Short name',
    },
    description: { ...LINES, pattern: WORDS },
    command: { ...LINES, description: 'Shell command that was run' },
    repo: NAME,
    app: NAME,
    environment: NAME,
  },
} as const;
export type OpsLogRequest = Static<typeof OPS_LOG_REQUEST>;
