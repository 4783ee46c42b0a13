import { ACCESS } from '../../auth/access.ts';
import type { BulkOverride } from '../../decisions/bulk-override.ts';
import type { DecisionAsk, Decisions } from '../../decisions/decisions.ts';
import { invalidField, STATUS_CODES } from '../../model/errors.ts';
import { DECISIONS, FIELDS, RFCS } from '../../model/limits.ts';
import { DECISION } from '../../model/records.ts';
import { STATUS, STATUSES } from '../../model/rfc.ts';
import {
  COMMIT_ID,
  COUNT,
  END,
  exactly,
  FULL_NAME,
  TEXT,
  WHOLE,
  WORDS,
} from '../../model/schema.ts';
import type { Call, Handler, Route } from '../server/dispatch.ts';
import { dataReply, type Reply } from '../server/reply.ts';
import {
  asMismatch,
  createBodyReader,
  expectedRev,
  GET,
  NEXT_CURSOR,
  operationReply,
  POST,
  requesterOf,
  textOrNull,
} from './endpoint.ts';
import { RFC_LIST } from './rfc.ts';

/** Bodies (spec, "RFC lifecycle"); `accept_findings` and `expires_at` are additions. */
export const REASON = {
  type: 'string',
  maxLength: DECISIONS.REASON_CHARS_MAX,
  pattern: WORDS,
  description: 'Kept in the audit trail for good; secrets are redacted',
} as const;

const ACCEPT_FINDINGS = {
  type: ['boolean', 'array'],
  minItems: 1,
  maxItems: DECISIONS.ACCEPTED_IDS_MAX,
  items: { type: 'string', maxLength: FIELDS.RFC_ID_CHARS_MAX, pattern: WORDS },
  description:
    'Suppresses its findings (never vuln-*), or the findings with these ids, in this repository ' +
    'from now on',
} as const;

const EXPIRES_AT = {
  type: 'string',
  pattern: END,
  description: 'When the acceptance of the findings ends: a day (its beginning in UTC) or a time',
} as const;

const EMERGENCY = {
  type: 'boolean',
  description: 'Of an override: somebody else has to review it (review-emergency)',
} as const;

const OVERRIDE_REQUEST = {
  type: 'object',
  required: ['actor', 'reason'],
  properties: {
    actor: {
      type: 'string',
      maxLength: DECISIONS.ACTOR_CHARS_MAX,
      pattern: WORDS,
      description: 'Kept as claimed, beside the authenticated caller',
    },
    reason: REASON,
    accept_findings: ACCEPT_FINDINGS,
    expires_at: EXPIRES_AT,
    emergency: EMERGENCY,
  },
} as const;

const APPROVE_REQUEST = {
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
    expires_at: EXPIRES_AT,
    emergency: EMERGENCY,
  },
} as const;

const REVIEW_EMERGENCY_REQUEST = {
  type: 'object',
  required: ['outcome', 'reason'],
  properties: {
    outcome: {
      type: 'string',
      enum: ['confirm', 'object'],
      description: 'object: takes the override back, as a rejection does',
    },
    reason: REASON,
  },
} as const;

const REJECT_REQUEST = {
  type: 'object',
  required: ['reason'],
  properties: { reason: REASON },
} as const;

const DELETE_REQUEST = {
  type: 'object',
  properties: { reason: REASON },
} as const;

/** The operation, and the position of its entry in the audit trail. */
export const AUDITED = {
  op_id: TEXT,
  audit: exactly({ chain: TEXT, seq: COUNT }),
} as const;

const DECIDED = {
  rfc_id: TEXT,
  overall_status: { type: ['string', 'null'], enum: [...STATUSES, null] },
  decision: { anyOf: [{ type: 'null' }, DECISION] },
  ...AUDITED,
} as const;

/** After a deletion `overall_status` and `decision` are null. */
export const DECISION_ANSWER = exactly(DECIDED);

export const OVERRIDE_ANSWER = exactly({
  ...DECIDED,
  override: exactly({ actor: TEXT, reason: TEXT }),
});

/** A route that writes to the audit trail, at most once for an Idempotency-Key. */
export const AUDITED_POST = { ...POST, headers: ['Idempotency-Key'] } as const;
export const DECIDE = { ...AUDITED_POST, places: 'decisions', refusals: [404, 409] } as const;
/** `If-Match` makes sure that the RFC is still as the caller has read it. */
const CONDITIONAL = {
  ...DECIDE,
  headers: ['Idempotency-Key', 'If-Match'],
  refusals: [404, 409, 412],
} as const;
const DELETE = {
  ...DECIDE,
  auth: ACCESS.erase,
  body: DELETE_REQUEST,
  isBodyOptional: true,
  data: DECISION_ANSWER,
} as const;

/** Endpoints that decide about one RFC. */
export const DECISION_ROUTES = [
  {
    ...CONDITIONAL,
    name: 'override',
    path: '/api/cra/rfc/:rfc_id/override',
    summary: 'Override a BLOCKED RFC',
    auth: ACCESS.override,
    body: OVERRIDE_REQUEST,
    data: OVERRIDE_ANSWER,
  },
  {
    ...CONDITIONAL,
    name: 'approve',
    path: '/api/cra/approve/:rfc_id',
    summary: 'Approve a PASSED RFC, or override a BLOCKED one',
    auth: ACCESS.override,
    body: APPROVE_REQUEST,
    data: DECISION_ANSWER,
  },
  {
    ...CONDITIONAL,
    name: 'review-emergency',
    path: '/api/cra/rfc/:rfc_id/review-emergency',
    summary: 'Confirm the emergency override of somebody else, or object and so revoke it',
    auth: ACCESS.reviewEmergency,
    body: REVIEW_EMERGENCY_REQUEST,
    data: DECISION_ANSWER,
  },
  {
    ...DECIDE,
    name: 'reject',
    path: '/api/cra/reject/:rfc_id',
    summary: 'Reject an RFC',
    auth: ACCESS.reject,
    body: REJECT_REQUEST,
    data: DECISION_ANSWER,
  },
  {
    ...DELETE,
    name: 'delete',
    method: 'DELETE',
    path: '/api/cra/rfc/:rfc_id',
    summary: 'Delete an RFC with its approvals',
  },
  {
    ...DELETE,
    name: 'delete-post',
    path: '/api/cra/rfc/:rfc_id/delete',
    summary: 'The same, for clients that cannot send DELETE',
  },
] as const satisfies readonly Route[];

type Ask = Omit<DecisionAsk, 'rfcId' | 'expectedRev'>;

const NO_REASON = 'no reason given';

/** Handlers of decisions. */
export function createDecisionHandlers(
  decisions: Decisions,
): Record<(typeof DECISION_ROUTES)[number]['name'], Handler> {
  const readOverride = createBodyReader(OVERRIDE_REQUEST);
  const readApprove = createBodyReader(APPROVE_REQUEST);
  const readReview = createBodyReader(REVIEW_EMERGENCY_REQUEST);
  const readReject = createBodyReader(REJECT_REQUEST);
  const readDelete = createBodyReader(DELETE_REQUEST, true);

  async function decide(call: Call, ask: Ask, isConditional = false): Promise<Reply> {
    const rfcId = call.params[0] ?? '';
    // First what is malformed (400), then what is only out of date (412).
    const requester = requesterOf(call);
    const rev = isConditional ? expectedRev(call) : null;
    const { replayed, ...outcome } = await decisions
      .decide({ ...ask, rfcId, expectedRev: rev }, requester)
      .catch((thrown: unknown) => {
        throw asMismatch(thrown, rev);
      });
    const { decision } = outcome;
    const isOverride = ask.route === 'override' && decision !== null;
    const override = isOverride ? { actor: decision.actor, reason: decision.reason } : null;
    return operationReply(isOverride ? { ...outcome, override } : outcome, replayed);
  }

  async function remove(call: Call): Promise<Reply> {
    const { reason = NO_REASON } = await readDelete(call.request);
    return decide(call, { ...PLAIN, route: 'delete', action: 'delete', reason });
  }

  return {
    async override(call) {
      const body = await readOverride(call.request);
      const { actor, reason } = body;
      const given = { actor, reason, ...optionsIn(body) };
      return decide(call, { ...PLAIN, route: 'override', action: 'override', ...given }, true);
    },
    async approve(call) {
      const body = await readApprove(call.request);
      const { action = 'approve', emergency } = body;
      if (emergency && action !== 'override') {
        throw invalidField('emergency', 'is for action override alone');
      }
      const pinned = {
        commit_sha: body.force_commit_sha ?? null,
        repo_full_name: body.force_repo_full_name ?? null,
      };
      const given = { action, actor: null, reason: body.reason, ...pinned, ...optionsIn(body) };
      return decide(call, { route: 'approve', ...given }, true);
    },
    async 'review-emergency'(call) {
      const { outcome: action, reason } = await readReview(call.request);
      return decide(call, { ...PLAIN, route: 'review-emergency', action, reason }, true);
    },
    async reject(call) {
      const { reason } = await readReject(call.request);
      return decide(call, { ...PLAIN, route: 'reject', action: 'reject', reason });
    },
    delete: remove,
    'delete-post': remove,
  };
}

interface Options {
  accept_findings?: boolean | string[];
  expires_at?: string;
  emergency?: boolean;
}

function optionsIn({ accept_findings = false, expires_at, emergency = false }: Options) {
  return { accept_findings, expires_at: expires_at ?? null, emergency };
}

/** A decision with nothing but its action and reason. */
const PLAIN = { actor: null, commit_sha: null, repo_full_name: null, ...optionsIn({}) };

const BULK_OVERRIDE_REQUEST = {
  type: 'object',
  required: ['reason'],
  properties: {
    reason: REASON,
    repo: { type: 'string', maxLength: FIELDS.REPO_NAME_CHARS_MAX, pattern: WORDS },
    before_date: { type: 'string', pattern: WHOLE, description: 'ISO 8601; without a zone: UTC' },
    rfc_ids: {
      type: 'array',
      minItems: 1,
      maxItems: DECISIONS.BULK_IDS_MAX,
      items: { type: 'string', maxLength: FIELDS.RFC_ID_CHARS_MAX, pattern: WORDS },
    },
    next: { type: 'string', pattern: WHOLE, description: 'From the answer to the previous call' },
  },
} as const;

export const BULK_ANSWER = exactly({
  results: {
    type: 'array',
    items: {
      anyOf: [
        exactly({ rfc_id: TEXT, ok: { type: 'boolean', enum: [true] }, overall_status: STATUS }),
        exactly({
          rfc_id: TEXT,
          ok: { type: 'boolean', enum: [false] },
          error: TEXT,
          code: { type: 'string', enum: [...STATUS_CODES] },
        }),
      ],
    },
  },
  next: {
    type: ['string', 'null'],
    description: 'Send it with the same filters for the rest; null at the end',
  },
  op_id: TEXT,
});

const PREVIEW_QUERY = {
  type: 'object',
  properties: {
    repo: BULK_OVERRIDE_REQUEST.properties.repo,
    before_date: BULK_OVERRIDE_REQUEST.properties.before_date,
    limit: { type: 'integer', minimum: 1, maximum: RFCS.LIST_LIMIT_MAX },
    cursor: { type: 'string', minLength: 1 },
  },
} as const;

export const BULK_OVERRIDE_ROUTES = [
  {
    ...GET,
    name: 'bulk-preview',
    path: '/api/cra/bulk-override',
    summary: 'The BLOCKED RFCs that bulk-override would decide about, the oldest first',
    auth: ACCESS.read,
    query: PREVIEW_QUERY,
    data: RFC_LIST,
    beside: NEXT_CURSOR,
  },
  {
    ...AUDITED_POST,
    name: 'bulk-override',
    path: '/api/cra/bulk-override',
    summary: 'Override many BLOCKED RFCs for one reason',
    auth: ACCESS.bulkOverride,
    body: BULK_OVERRIDE_REQUEST,
    data: BULK_ANSWER,
    places: 'decisions',
    refusals: [409],
  },
] as const satisfies readonly Route[];

/** The handler of bulk-override. */
export function createBulkOverrideHandlers(
  bulkOverride: BulkOverride,
): Record<(typeof BULK_OVERRIDE_ROUTES)[number]['name'], Handler> {
  const read = createBodyReader(BULK_OVERRIDE_REQUEST);
  return {
    async 'bulk-preview'({ principal, query }) {
      const list = await bulkOverride.preview(principal, {
        repo: textOrNull(query['repo']),
        beforeDate: textOrNull(query['before_date']),
        limit: Number(query['limit'] ?? RFCS.LIST_LIMIT_DEFAULT),
        cursor: textOrNull(query['cursor']),
      });
      return dataReply(list.json, `,"next_cursor":${JSON.stringify(list.next_cursor)}`);
    },
    async 'bulk-override'(call) {
      const body = await read(call.request);
      const { reason, repo = null, before_date = null, rfc_ids = null, next = null } = body;
      const filter = { repo, beforeDate: before_date, rfcIds: rfc_ids };
      const { replayed, ...outcome } = await bulkOverride.override(
        { filter, reason, next },
        requesterOf(call),
      );
      return operationReply(outcome, replayed);
    },
  };
}
