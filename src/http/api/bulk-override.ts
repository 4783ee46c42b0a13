import { ACCESS } from '../../auth/access.ts';
import type { BulkOverride } from '../../decisions/bulk-override.ts';
import { STATUS_CODES } from '../../model/errors.ts';
import { DECISIONS, FIELDS } from '../../model/limits.ts';
import { STATUS } from '../../model/rfc.ts';
import { exactly, TEXT, WHOLE, WORDS } from '../../model/schema.ts';
import type { Handlers } from '../server/dispatch.ts';
import { createBodyReader, operationReply, requesterOf } from '../server/request-body.ts';
import type { Route } from '../server/route.ts';
import { AUDITED_POST, REASON } from './decisions.ts';

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

export const BULK_OVERRIDE_ROUTES = [
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
): Pick<Handlers, 'bulk-override'> {
  const read = createBodyReader(BULK_OVERRIDE_REQUEST);
  return {
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
