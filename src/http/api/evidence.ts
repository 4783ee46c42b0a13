import { ACCESS, type AuthRow } from '../../auth/access.ts';
import type { Evidence } from '../../deploys/evidence/evidence.ts';
import { BUNDLE_TYPE, ENVELOPE } from '../../model/evidence.ts';
import type { Principal } from '../../model/principal.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { documentReply } from '../server/reply.ts';
import { GET } from './endpoint.ts';

export const EVIDENCE_ROUTES = [
  {
    ...GET,
    name: 'rfc-evidence',
    path: '/api/cra/rfc/:rfc_id/evidence',
    summary: 'Signed evidence about one RFC: a line of JSON (in-toto, DSSE) for each statement',
    auth: ACCESS.read,
    query: null,
    data: ENVELOPE,
    contentType: BUNDLE_TYPE,
    refusals: [404, 409],
  },
] as const satisfies readonly Route[];

/**
 * Handlers of evidence. A caller who may read an RFC gets evidence about it; the texts of the
 * entries are for callers who may read the audit trail, as `may` says, others get their hashes.
 */
export function createEvidenceHandlers(
  evidence: Evidence,
  may: (principal: Principal, row: AuthRow) => boolean,
): Record<(typeof EVIDENCE_ROUTES)[number]['name'], Handler> {
  return {
    async 'rfc-evidence'({ principal, params }) {
      const showEntries = may(principal, ACCESS.audit);
      return documentReply(
        BUNDLE_TYPE,
        await evidence.ofRfc(principal, params[0] ?? '', showEntries),
      );
    },
  };
}
