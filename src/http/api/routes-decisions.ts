import { ACCESS } from '../../auth/access.ts';
import { HTTP } from '../../limits.ts';
import {
  APPROVE_REQUEST,
  BULK_OVERRIDE_REQUEST,
  DELETE_REQUEST,
  OPS_LOG_REQUEST,
  OVERRIDE_REQUEST,
  REJECT_REQUEST,
} from '../../model/decision-requests.ts';
import type { Route } from '../server/route.ts';
import { BULK_ANSWER, DECISION_ANSWER, OPS_LOG_ANSWER, OVERRIDE_ANSWER } from './schemas.ts';

const SMALL = {
  query: null,
  bodyBytesMax: HTTP.SMALL_BODY_BYTES_MAX,
  headers: ['Idempotency-Key'],
  places: 'decisions',
  refusals: [404, 409],
} as const;
/** `If-Match` makes sure that what was looked at is what is decided about. */
const CONDITIONAL = {
  headers: ['Idempotency-Key', 'If-Match'],
  refusals: [404, 409, 412],
} as const;
const DELETE = {
  ...SMALL,
  auth: ACCESS.erase,
  body: DELETE_REQUEST,
  isBodyOptional: true,
  data: DECISION_ANSWER,
} as const;

/** Endpoints that decide about RFCs or write to the audit trail. */
export const DECISION_ROUTES = [
  {
    ...SMALL,
    ...CONDITIONAL,
    name: 'override',
    method: 'POST',
    path: '/api/cra/rfc/:rfc_id/override',
    summary: 'Override a BLOCKED RFC',
    auth: ACCESS.override,
    body: OVERRIDE_REQUEST,
    data: OVERRIDE_ANSWER,
  },
  {
    ...SMALL,
    ...CONDITIONAL,
    name: 'approve',
    method: 'POST',
    path: '/api/cra/approve/:rfc_id',
    summary: 'Approve a PASSED RFC, or override a BLOCKED one',
    auth: ACCESS.override,
    body: APPROVE_REQUEST,
    data: DECISION_ANSWER,
  },
  {
    ...SMALL,
    name: 'reject',
    method: 'POST',
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
    method: 'POST',
    path: '/api/cra/rfc/:rfc_id/delete',
    summary: 'The same, for clients that cannot send DELETE',
  },
  {
    ...SMALL,
    name: 'bulk-override',
    method: 'POST',
    path: '/api/cra/bulk-override',
    summary: 'Override many BLOCKED RFCs for one reason',
    auth: ACCESS.bulkOverride,
    body: BULK_OVERRIDE_REQUEST,
    data: BULK_ANSWER,
    refusals: [409],
  },
  {
    ...SMALL,
    name: 'ops-log',
    method: 'POST',
    path: '/api/cra/ops-log',
    summary: 'Record an operational event without a diff in the audit trail',
    auth: ACCESS.submit,
    body: OPS_LOG_REQUEST,
    data: OPS_LOG_ANSWER,
    places: 'ordinary',
    refusals: [409, 429],
  },
] as const satisfies readonly Route[];
