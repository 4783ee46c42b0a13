import { ACCESS, type RequireBound } from '../../auth/access.ts';
import type { DeployLedger } from '../../deploys/ledger.ts';
import {
  ARTIFACT,
  DEPLOY_REPORT,
  DEPLOY_REQUEST,
  DEPLOYED_COMPONENT,
  DEPLOYS,
  ENVIRONMENT,
  FAILURES,
  OUTCOME,
  OUTCOME_REQUEST,
  OUTCOMES,
  PASS_FREEZE_REQUEST,
} from '../../model/deploy.ts';
import { FIELDS } from '../../model/limits.ts';
import { COUNT, END, exactly, TEXT, TEXT_OR_NULL, TIME } from '../../model/schema.ts';
import type { Call, Handler, Route } from '../server/dispatch.ts';
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

const PLACES_QUERY = {
  environment: ENVIRONMENT,
  repo: { type: 'string', minLength: 1, maxLength: FIELDS.REPO_NAME_CHARS_MAX },
  component: DEPLOYED_COMPONENT,
  limit: { type: 'integer', minimum: 1, maximum: DEPLOYS.LIST_LIMIT_MAX },
  cursor: { type: 'string', minLength: 1 },
} as const;

const DEPLOYS_QUERY = {
  type: 'object',
  properties: {
    ...PLACES_QUERY,
    at: { type: 'string', pattern: END, description: 'A day (UTC) or a time; without it now' },
  },
} as const;

const OUTCOMES_QUERY = {
  type: 'object',
  properties: { ...PLACES_QUERY, sha: OUTCOME_REQUEST.properties.sha },
} as const;

const PLACE_OUTCOMES = exactly({
  repo: TEXT,
  component: TEXT_OR_NULL,
  environment: TEXT,
  outcomes: { type: 'array', items: OUTCOME, description: 'The newest first, at most 200' },
  outcomes_total: COUNT,
});

const FIGURES_QUERY = {
  type: 'object',
  properties: {
    ...PLACES_QUERY,
    days: { type: 'integer', minimum: 1, maximum: OUTCOMES.DAYS_MAX, description: 'Default 30' },
  },
} as const;

const DAYS_DEFAULT = 30;

const PLACE_FIGURES = exactly({
  repo: TEXT,
  component: TEXT_OR_NULL,
  environment: TEXT,
  days: {
    type: 'array',
    items: exactly({ date: TEXT, deploys: COUNT, failed: COUNT }),
    description: 'Days (UTC) with a deploy, the oldest first',
  },
  deploys: { ...COUNT, description: 'Reports of succeeded or failed' },
  failures: {
    ...exactly({
      failed: COUNT,
      rolled_back: COUNT,
      replaced: COUNT,
      incident: COUNT,
      defect: COUNT,
    }),
    description: `Failed deploys, each by the first that holds: ${FAILURES.join(', ')}`,
  },
  restore_seconds: {
    type: ['number', 'null'],
    description: 'Half of the failed deploys were restored within; null: no failure was restored',
  },
  restored: COUNT,
  unrestored: { ...COUNT, description: 'Failed deploys after which no other commit has come yet' },
});

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
  {
    ...AUDITED_POST,
    name: 'outcome-report',
    path: '/api/cra/outcomes',
    summary: 'Say what became of a commit that was deployed: incident, defect or fine',
    auth: ACCESS.submit,
    body: OUTCOME_REQUEST,
    data: DEPLOY_ANSWER,
    refusals: [404, 409, 429],
  },
  {
    ...GET,
    name: 'outcomes',
    path: '/api/cra/outcomes',
    summary: 'What became of commits in the last 90 days, by deploys and statements',
    auth: ACCESS.read,
    query: OUTCOMES_QUERY,
    data: { type: 'array', items: PLACE_OUTCOMES },
    beside: NEXT_CURSOR,
  },
  {
    ...GET,
    name: 'deploy-figures',
    path: '/api/cra/deploys/figures',
    summary: 'How deploys went: how many a day, which failed and why, how soon they were restored',
    auth: ACCESS.read,
    query: FIGURES_QUERY,
    data: { type: 'array', items: PLACE_FIGURES },
    beside: NEXT_CURSOR,
  },
] as const satisfies readonly Route[];

/** Handlers of the ledger; limits the reports a minute of each caller. */
export function createDeployHandlers(
  ledger: Pick<DeployLedger, 'report' | 'list' | 'passFreeze' | 'state' | 'outcomes' | 'figures'>,
  requireBound: RequireBound,
): Record<(typeof DEPLOY_ROUTES)[number]['name'], Handler> {
  const read = createBodyReader(DEPLOY_REQUEST);
  const readPass = createBodyReader(PASS_FREEZE_REQUEST);
  const readOutcome = createBodyReader(OUTCOME_REQUEST);
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
    async 'outcome-report'(call) {
      const request = await readOutcome(call.request);
      requireBound(call.principal, 'environments', request.environment);
      requireBound(call.principal, 'repos', request.repo);
      const requester = requesterOf(call);
      checkRate(requester);
      const { replayed, ...outcome } = await ledger.state(request, requester);
      return operationReply(outcome, replayed);
    },
    async outcomes({ principal, query }) {
      const asked = { ...placesAsked(query), sha: textOrNull(query['sha']) };
      const { places, next_cursor } = await ledger.outcomes(principal, asked);
      return dataReply(JSON.stringify(places), `,"next_cursor":${JSON.stringify(next_cursor)}`);
    },
    async 'deploy-figures'({ principal, query }) {
      const asked = { ...placesAsked(query), days: Number(query['days'] ?? DAYS_DEFAULT) };
      const { places, next_cursor } = await ledger.figures(principal, asked);
      return dataReply(JSON.stringify(places), `,"next_cursor":${JSON.stringify(next_cursor)}`);
    },
    async deploys({ principal, query }) {
      const asked = { ...placesAsked(query), at: textOrNull(query['at']) };
      const { places, next_cursor } = await ledger.list(principal, asked);
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

function placesAsked(query: Call['query']) {
  return {
    environment: textOrNull(query['environment']),
    repo: textOrNull(query['repo']),
    component: textOrNull(query['component']),
    limit: Number(query['limit'] ?? DEPLOYS.LIST_LIMIT_DEFAULT),
    cursor: textOrNull(query['cursor']),
  };
}
