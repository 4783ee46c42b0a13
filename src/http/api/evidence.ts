import { ACCESS, type AuthRow } from '../../auth/access.ts';
import type { Evidence } from '../../deploys/evidence/evidence.ts';
import { ENVIRONMENT } from '../../model/deploy.ts';
import { BUNDLE_TYPE, ENVELOPE } from '../../model/evidence.ts';
import type { Principal } from '../../model/principal.ts';
import { COMMIT_ID } from '../../model/schema.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { documentReply } from '../server/reply.ts';
import { GET, textOrNull } from './endpoint.ts';

const COMMITS_QUERY = {
  type: 'object',
  required: ['repo'],
  properties: {
    repo: { type: 'string', minLength: 1 },
    sha: {
      type: 'string',
      pattern: COMMIT_ID,
      description: 'The newest commit; left out: what runs in `environment`',
    },
    from: { type: 'string', pattern: COMMIT_ID, description: 'The commit before the range' },
    environment: {
      ...ENVIRONMENT,
      description: 'In place of `from`: what ran there before',
    },
    component: { type: 'string', minLength: 1 },
  },
  // A misspelt parameter must not get evidence about something else.
  additionalProperties: false,
} as const;

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
  {
    ...GET,
    name: 'evidence',
    path: '/api/cra/evidence',
    summary:
      'Signed evidence about a commit, the commits between two, or a deploy: all RFCs of them',
    auth: ACCESS.read,
    query: COMMITS_QUERY,
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
    async evidence({ principal, query }) {
      const question = {
        repo: String(query['repo']),
        component: textOrNull(query['component']),
        sha: textOrNull(query['sha']),
        from: textOrNull(query['from']),
        environment: textOrNull(query['environment']),
      };
      const showEntries = may(principal, ACCESS.audit);
      return documentReply(BUNDLE_TYPE, await evidence.ofCommits(principal, question, showEntries));
    },

    async 'rfc-evidence'({ principal, params }) {
      const showEntries = may(principal, ACCESS.audit);
      return documentReply(
        BUNDLE_TYPE,
        await evidence.ofRfc(principal, params[0] ?? '', showEntries),
      );
    },
  };
}
