import { ACCESS } from '../../auth/access.ts';
import type { TrailReads } from '../../decisions/trail.ts';
import { AUDIT_KINDS, AUDIT_PHASES } from '../../model/audit.ts';
import { FIELDS, RFCS } from '../../model/limits.ts';
import { PRINCIPAL } from '../../model/principal.ts';
import { COUNT, exactly, TEXT, TEXT_OR_NULL, TIME } from '../../model/schema.ts';
import type { Handlers } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';
import type { Route } from '../server/route.ts';
import { GET, NEXT_CURSOR, textOrNull } from './fields.ts';

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
): Pick<Handlers, (typeof TRAIL_ROUTES)[number]['name']> {
  const pageOf = (query: Readonly<Record<string, string | number>>) => ({
    limit: Number(query['limit'] ?? RFCS.LIST_LIMIT_DEFAULT),
    cursor: textOrNull(query['cursor']),
  });
  const answer = ({ rows, next_cursor }: { rows: readonly object[]; next_cursor: string | null }) =>
    dataReply(JSON.stringify(rows), `,"next_cursor":${JSON.stringify(next_cursor)}`);
  return {
    async accepted({ principal, query }) {
      const repo = textOrNull(query['repo']);
      return answer(await reads.accepted(principal, { repo, ...pageOf(query) }));
    },
    async audit({ principal, query }) {
      const [kind, rfcId] = [textOrNull(query['kind']), textOrNull(query['rfc_id'])];
      return answer(await reads.entries(principal, { kind, rfcId, ...pageOf(query) }));
    },
  };
}
