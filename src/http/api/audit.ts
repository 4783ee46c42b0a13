import { ACCESS } from '../../auth/access.ts';
import type { OpsLog } from '../../decisions/ops-log.ts';
import type { TrailReads } from '../../decisions/trail-reads.ts';
import { AUDIT_KINDS, AUDIT_PHASES } from '../../model/audit.ts';
import { invalidField } from '../../model/errors.ts';
import { DECISIONS, FIELDS, RFCS } from '../../model/limits.ts';
import { PRINCIPAL } from '../../model/principal.ts';
import { RFC_SUMMARY } from '../../model/records.ts';
import {
  COUNT,
  DAY,
  endTime,
  exactly,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  WHOLE,
  WORDS,
} from '../../model/schema.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';
import { AUDITED, AUDITED_POST } from './decisions.ts';
import {
  createBodyReader,
  createRequesterLimit,
  GET,
  NEXT_CURSOR,
  operationReply,
  requesterOf,
  textOrNull,
} from './endpoint.ts';

const PAGE = {
  limit: { type: 'integer', minimum: 1, maximum: RFCS.LIST_LIMIT_MAX },
  cursor: { type: 'string', minLength: 1 },
} as const;

const ACCEPTED_QUERY = {
  type: 'object',
  properties: {
    repo: { type: 'string', minLength: 1, maxLength: FIELDS.REPO_NAME_CHARS_MAX },
    ...PAGE,
  },
} as const;

const EXCEPTIONS_QUERY = {
  ...ACCEPTED_QUERY,
  properties: {
    ...ACCEPTED_QUERY.properties,
    ending_before: { ...DAY, description: 'The beginning of a day (UTC)' },
  },
} as const;

const AUDIT_QUERY = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: [...AUDIT_KINDS] },
    rfc_id: { type: 'string', minLength: 1, maxLength: FIELDS.RFC_ID_CHARS_MAX },
    ...PAGE,
  },
} as const;

const ACCEPTED_ROW = exactly({
  repo: { type: 'string', description: 'In lower case' },
  fingerprint: TEXT,
  rfc_id: { type: 'string', description: 'The decision about this RFC accepted it' },
  by: TEXT,
  reason: TEXT,
  at: TIME,
  rule: { ...TEXT_OR_NULL, description: 'Null: accepted by an older version' },
  expires_at: { ...TEXT_OR_NULL, description: 'ISO 8601, UTC; null: never' },
});

const EMERGENCY_ROW = exactly({
  rfc: RFC_SUMMARY,
  overdue: { type: 'boolean', description: 'By the clock of the store' },
});

const ENTRY = exactly({
  chain: TEXT,
  seq: COUNT,
  ts: TIME,
  kind: { type: 'string', enum: [...AUDIT_KINDS] },
  phase: { type: 'string', enum: [...AUDIT_PHASES] },
  op_id: TEXT,
  principal: { anyOf: [{ type: 'null' }, PRINCIPAL] },
  actor: TEXT_OR_NULL,
  rfc_id: TEXT_OR_NULL,
  rfc_rev: { type: ['integer', 'null'], minimum: 0 },
  repo_name: TEXT_OR_NULL,
  reason: TEXT_OR_NULL,
  details: { type: 'object' },
});

/** Endpoints that read the audit trail, and what decisions accept. */
export const TRAIL_ROUTES = [
  {
    ...GET,
    name: 'accepted',
    path: '/api/cra/accepted',
    summary: 'Fingerprints that decisions have accepted, by repository',
    auth: ACCESS.read,
    query: ACCEPTED_QUERY,
    data: { type: 'array', items: ACCEPTED_ROW },
    beside: NEXT_CURSOR,
  },
  {
    ...GET,
    name: 'exceptions',
    path: '/api/cra/exceptions',
    summary: 'Accepted fingerprints that end before a time; a page may be short',
    auth: ACCESS.read,
    query: EXCEPTIONS_QUERY,
    data: { type: 'array', items: ACCEPTED_ROW },
    beside: NEXT_CURSOR,
  },
  {
    ...GET,
    name: 'emergencies',
    path: '/api/cra/emergencies',
    summary: 'Emergency overrides that somebody has to review, the earliest date first',
    auth: ACCESS.read,
    query: { type: 'object', properties: PAGE },
    data: { type: 'array', items: EMERGENCY_ROW },
    beside: NEXT_CURSOR,
  },
  {
    ...GET,
    name: 'audit',
    path: '/api/cra/audit',
    summary: 'Entries of the audit trail of the tenant, the newest first; logins for admins alone',
    auth: ACCESS.audit,
    query: AUDIT_QUERY,
    data: { type: 'array', items: ENTRY },
    beside: NEXT_CURSOR,
  },
] as const satisfies readonly Route[];

/** Handlers that read the trail. */
export function createTrailHandlers(
  reads: TrailReads,
): Record<(typeof TRAIL_ROUTES)[number]['name'], Handler> {
  const pageOf = (query: Readonly<Record<string, string | number>>) => ({
    limit: Number(query['limit'] ?? RFCS.LIST_LIMIT_DEFAULT),
    cursor: textOrNull(query['cursor']),
  });
  const answer = ({ rows, next_cursor }: { rows: readonly object[]; next_cursor: string | null }) =>
    dataReply(JSON.stringify(rows), `,"next_cursor":${JSON.stringify(next_cursor)}`);
  return {
    async accepted({ principal, query }) {
      const repo = textOrNull(query['repo']);
      const asked = { repo, endingBefore: null, ...pageOf(query) };
      return answer(await reads.accepted(principal, asked));
    },
    async exceptions({ principal, query }) {
      const repo = textOrNull(query['repo']);
      const given = textOrNull(query['ending_before']);
      const endingBefore = given === null ? null : endTime(given);
      if (given !== null && endingBefore === null) {
        throw invalidField('ending_before', 'is not a valid time');
      }
      const asked = { repo, endingBefore, ...pageOf(query) };
      return answer(await reads.accepted(principal, asked));
    },
    async emergencies({ principal, query }) {
      const { rows, next_cursor } = await reads.emergencies(principal, pageOf(query));
      return dataReply(`[${rows.join(',')}]`, `,"next_cursor":${JSON.stringify(next_cursor)}`);
    },
    async audit({ principal, query }) {
      const kind = textOrNull(query['kind']);
      const rfcId = textOrNull(query['rfc_id']);
      return answer(await reads.entries(principal, { kind, rfcId, ...pageOf(query) }));
    },
  };
}

const NAME = { type: 'string', maxLength: FIELDS.REPO_NAME_CHARS_MAX, pattern: WORDS } as const;
const LINES = {
  type: 'string',
  maxLength: DECISIONS.OPS_LOG_TEXT_CHARS_MAX,
  pattern: WHOLE,
} as const;

const OPS_LOG_REQUEST = {
  type: 'object',
  required: ['action', 'description'],
  properties: {
    action: {
      type: 'string',
      maxLength: DECISIONS.ACTOR_CHARS_MAX,
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

export const OPS_LOG_ANSWER = exactly(AUDITED);

export const OPS_LOG_ROUTES = [
  {
    ...AUDITED_POST,
    name: 'ops-log',
    path: '/api/cra/ops-log',
    summary: 'Record an operational event without a diff in the audit trail',
    auth: ACCESS.submit,
    body: OPS_LOG_REQUEST,
    data: OPS_LOG_ANSWER,
    refusals: [409, 429],
  },
] as const satisfies readonly Route[];

/** The handler of the operations log; limits the entries a minute of each caller. */
export function createOpsLogHandlers(opsLog: OpsLog): Record<'ops-log', Handler> {
  const read = createBodyReader(OPS_LOG_REQUEST);
  const { OPS_LOG_PER_MINUTE_MAX, OPS_LOG_CALLERS_MAX } = DECISIONS;
  const checkRate = createRequesterLimit({
    max: OPS_LOG_PER_MINUTE_MAX,
    callersMax: OPS_LOG_CALLERS_MAX,
    what: 'entries',
  });
  return {
    async 'ops-log'(call) {
      const body = await read(call.request);
      const requester = requesterOf(call);
      checkRate(requester);
      const { action, description, command = null, repo = null } = body;
      const { app = null, environment = null } = body;
      const event = { action, description, command, repo, app, environment };
      const { replayed, ...outcome } = await opsLog.write(event, requester);
      return operationReply(outcome, replayed);
    },
  };
}
