import { ACCESS, type RequireBound } from '../../auth/access.ts';
import type { DeployLedger } from '../../deploys/ledger.ts';
import {
  ARTIFACT,
  DEPLOY_REPORT,
  DEPLOY_REQUEST,
  DEPLOYED_COMPONENT,
  DEPLOYS,
  ENVIRONMENT,
  PASS_FREEZE_REQUEST,
} from '../../model/deploy.ts';
import { FIELDS } from '../../model/limits.ts';
import { END, exactly, TEXT, TEXT_OR_NULL, TIME } from '../../model/schema.ts';
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

const DEPLOY_ANSWER = exactly({ deploy: DEPLOY_REPORT, ...AUDITED });

const RUN = exactly({
  sha: TEXT,
  since: TIME,
  until: { ...TEXT_OR_NULL, description: 'Null: it ran still at the time asked for' },
  url: TEXT_OR_NULL,
  artifact: ARTIFACT,
  by: { ...TEXT, description: 'The principal that reported it' },
});

const DEPLOYED = exactly({
  repo: TEXT,
  component: TEXT_OR_NULL,
  environment: TEXT,
  runs: { type: 'array', items: RUN, description: 'The newest first; of a time at most one' },
  last: { ...DEPLOY_REPORT, description: 'The newest report, whatever its result' },
});

const DEPLOYS_QUERY = {
  type: 'object',
  properties: {
    environment: ENVIRONMENT,
    repo: { type: 'string', minLength: 1, maxLength: FIELDS.REPO_NAME_CHARS_MAX },
    component: DEPLOYED_COMPONENT,
    at: { type: 'string', pattern: END, description: 'A day (UTC) or a time; without it now' },
    limit: { type: 'integer', minimum: 1, maximum: DEPLOYS.LIST_LIMIT_MAX },
    cursor: { type: 'string', minLength: 1 },
  },
} as const;

/** Endpoints of the ledger of deploys. */
export const DEPLOY_ROUTES = [
  {
    ...AUDITED_POST,
    name: 'deploy-report',
    path: '/api/cra/deploys',
    summary: 'Report a deploy: started, succeeded, failed or rolled_back',
    auth: ACCESS.submit,
    body: DEPLOY_REQUEST,
    data: DEPLOY_ANSWER,
    refusals: [409, 429],
  },
  {
    ...AUDITED_POST,
    name: 'pass-freeze',
    path: '/api/cra/deploys/pass-freeze',
    summary: 'Let a commit pass a freeze that is in force',
    auth: ACCESS.reject,
    body: PASS_FREEZE_REQUEST,
    data: DEPLOY_ANSWER,
    refusals: [404, 409],
  },
  {
    ...GET,
    name: 'deploys',
    path: '/api/cra/deploys',
    summary: 'What runs where since when, or ran at a time or on a day; a page may be short',
    auth: ACCESS.read,
    query: DEPLOYS_QUERY,
    data: { type: 'array', items: DEPLOYED },
    beside: NEXT_CURSOR,
  },
] as const satisfies readonly Route[];

/** Handlers of the ledger; limits the reports a minute of each caller. */
export function createDeployHandlers(
  ledger: Pick<DeployLedger, 'report' | 'list' | 'passFreeze'>,
  requireBound: RequireBound,
): Record<(typeof DEPLOY_ROUTES)[number]['name'], Handler> {
  const read = createBodyReader(DEPLOY_REQUEST);
  const readPass = createBodyReader(PASS_FREEZE_REQUEST);
  const { REPORTS_PER_MINUTE_MAX, CALLERS_MAX } = DEPLOYS;
  const checkRate = createRequesterLimit({
    max: REPORTS_PER_MINUTE_MAX,
    callersMax: CALLERS_MAX,
    what: 'reports',
  });
  return {
    async 'deploy-report'(call) {
      const request = await read(call.request);
      requireBound(call.principal, 'environments', request.environment);
      requireBound(call.principal, 'repos', request.repo);
      const requester = requesterOf(call);
      checkRate(requester);
      const { replayed, ...outcome } = await ledger.report(request, requester);
      return operationReply(outcome, replayed);
    },
    async 'pass-freeze'(call) {
      const request = await readPass(call.request);
      const { replayed, ...outcome } = await ledger.passFreeze(request, requesterOf(call));
      return operationReply(outcome, replayed);
    },
    async deploys({ principal, query }) {
      const { places, next_cursor } = await ledger.list(principal, {
        environment: textOrNull(query['environment']),
        repo: textOrNull(query['repo']),
        component: textOrNull(query['component']),
        at: textOrNull(query['at']),
        limit: Number(query['limit'] ?? DEPLOYS.LIST_LIMIT_DEFAULT),
        cursor: textOrNull(query['cursor']),
      });
      const rows = places.map(({ runs, ...place }) => ({
        ...place,
        runs: runs.map(({ sha, since, until, report: { url, artifact, by } }) => {
          return { sha, since, until, url, artifact, by };
        }),
      }));
      return dataReply(JSON.stringify(rows), `,"next_cursor":${JSON.stringify(next_cursor)}`);
    },
  };
}
