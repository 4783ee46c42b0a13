import { ACCESS } from '../../auth/access.ts';
import type { ProdCheck } from '../../heads/prod-check.ts';
import { COMMIT_ID, exactly, SCORE, TEXT } from '../../model/schema.ts';
import type { Handlers, Route } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';
import { GET, textOrNull } from './endpoint.ts';

export const PROD_DECISION = exactly({
  allowed: { type: 'boolean' },
  rfcId: TEXT,
  riskScore: SCORE,
  reason: TEXT,
  approveUrl: TEXT,
  latest_rfc_id: TEXT,
});

const PROD_QUERY = {
  type: 'object',
  properties: {
    branch: { type: 'string', minLength: 1 },
    sha: { type: 'string', pattern: COMMIT_ID },
    component: { type: 'string', minLength: 1 },
  },
  // A misspelt parameter must not get the answer for the whole repository.
  additionalProperties: false,
} as const;

export const PROD_CHECK_ROUTES = [
  {
    ...GET,
    name: 'prod-check',
    path: '/api/cra/prod-check/*',
    summary: 'Whether a repository may deploy; ?branch=, ?sha=, ?component= narrow it',
    auth: ACCESS.read,
    query: PROD_QUERY,
    data: PROD_DECISION,
    refusals: [404],
  },
] as const satisfies readonly Route[];

/** The handler of prod-check. */
export function createProdCheckHandlers(prodCheck: ProdCheck): Pick<Handlers, 'prod-check'> {
  return {
    async 'prod-check'({ principal, params, query }) {
      const [branch, sha] = [textOrNull(query['branch']), textOrNull(query['sha'])];
      const component = textOrNull(query['component']);
      const repo = params[0] ?? '';
      const decision = await prodCheck(principal, { repo, branch, sha, component });
      return dataReply(JSON.stringify(decision));
    },
  };
}
