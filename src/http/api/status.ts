import { ACCESS } from '../../auth/access.ts';
import { COVERAGE_COUNTS, HOST_COVERAGE, type HostCoverage } from '../../model/coverage.ts';
import { PROVIDERS } from '../../model/push.ts';
import { COUNT, exactly, TEXT, TEXT_OR_NULL, TIME } from '../../model/schema.ts';
import type { Readiness } from '../../telemetry/readiness.ts';
import type { StatusReport } from '../../telemetry/status.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { dataReply, documentReply, type Reply } from '../server/reply.ts';
import { preferredOffer } from '../server/request-headers.ts';
import { GET } from './endpoint.ts';
import { SUBSCRIPTION_STATE } from './events.ts';

const HEALTH = exactly({ status: { type: 'string', enum: ['ok'] } });

const STATE = { type: 'string', enum: ['up', 'down', 'full', 'not configured'] } as const;
const AUDIT_STATE = { type: 'string', enum: [...STATE.enum, 'checking', 'refused'] } as const;
const PROBLEMS = { type: 'array', items: TEXT } as const;
const RATIO_OR_NULL = { type: ['number', 'null'], minimum: 0 } as const;
const COUNT_OR_NULL = { type: ['integer', 'null'], minimum: 0 } as const;

const HOST_STATE = exactly({
  id: TEXT,
  provider: { type: 'string', enum: [...PROVIDERS] },
  state: { type: 'string', enum: ['up', 'down', 'limited', 'off'] },
  posted: { ...COUNT, description: 'Statuses that it took since the start' },
  failed: { ...COUNT, description: 'RFCs whose statuses were given up since the start' },
  error: TEXT_OR_NULL,
});

/** A model of gate 3. */
const TIER = exactly({
  name: TEXT,
  role: { type: 'string', enum: ['review', 'confirm', 'fallback'] },
  model: TEXT,
  state: {
    type: 'string',
    enum: ['up', 'down', 'off'],
    description: 'off: the key or the account was refused; tried again after 5 minutes',
  },
  breaker: { type: 'string', enum: ['closed', 'open'] },
  last_error: { ...TEXT_OR_NULL, description: 'Its kind, and what the vendor answered' },
  calls: { ...COUNT, description: 'Of this daemon since its start' },
  spent_today_usd: { ...TEXT_OR_NULL, description: 'Calls of all daemons; null: not known' },
  running: { ...COUNT, description: 'Calls under way' },
  waiting: { ...COUNT, description: 'Calls that wait for a place' },
});

export const STATUS_REPORT = exactly({
  version: TEXT,
  started_at: TIME,
  store: exactly({ state: STATE, driver: TEXT, error: TEXT_OR_NULL }),
  audit: {
    type: 'object',
    required: ['state', 'problems'],
    properties: { state: AUDIT_STATE, problems: PROBLEMS, worm: TEXT },
  },
  queue: exactly({
    state: { ...STATE, description: 'full: a diff that comes now is refused' },
    running: COUNT,
    waiting: COUNT,
    oldest_seconds: { ...COUNT, description: 'Age of the job that waits longest' },
    drafts: COUNT,
  }),
  pushes: exactly({
    state: STATE,
    waiting: COUNT_OR_NULL,
    oldest_seconds: COUNT_OR_NULL,
    running: COUNT,
    webhooks_ignored: COUNT,
    statuses_due: COUNT_OR_NULL,
    statuses_posted: COUNT,
    statuses_failed: COUNT,
    landed_blocked: {
      ...COUNT_OR_NULL,
      description: 'Pushes to protected branches whose verdict refuses them still; null: not known',
    },
    coverage: {
      ...COVERAGE_COUNTS,
      description: 'Repositories of the configured owners, as far as they were checked',
    },
    hosts: { type: 'array', items: HOST_STATE },
  }),
  git: exactly({
    state: STATE,
    version: { ...TEXT_OR_NULL, description: 'At the last look; null if git was not found' },
  }),
  pool: exactly({
    state: { ...STATE, description: 'full: every thread is busy, and jobs wait' },
    threads: COUNT,
    alive: COUNT,
    busy: COUNT,
    replaced: { ...COUNT, description: 'Threads lost since the start' },
    children: { ...COUNT, description: 'AST child processes' },
  }),
  rules: exactly({
    state: STATE,
    number: COUNT,
    revision: TEXT,
    built_in: { type: 'boolean', description: 'The built-in set of this version is in force' },
    problems: PROBLEMS,
    warnings: PROBLEMS,
  }),
  oidc: exactly({ state: STATE }),
  llm: exactly({
    state: STATE,
    spent_today_usd: {
      ...TEXT_OR_NULL,
      description: 'Decimal; includes the most that open calls may cost',
    },
    budget_used: {
      ...exactly({ day: RATIO_OR_NULL, month: RATIO_OR_NULL }),
      description: 'Used part of the budgets of all tenants together; null without a budget',
    },
    waiting: { ...COUNT, description: 'Reviews that wait for a place' },
    oldest_seconds: { ...COUNT, description: 'Age of the review that waits longest' },
    later: {
      ...exactly({
        running: { ...COUNT, description: 'In this daemon' },
        queued: { ...COUNT_OR_NULL, description: 'In all daemons; null: not known' },
      }),
      description: 'Reviews of RFCs that have a verdict: retries, and requests by people',
    },
    tiers: { type: 'array', items: TIER },
  }),
  object_storage: exactly({
    state: STATE,
    last_sealed_at: { ...TEXT_OR_NULL, description: 'ISO 8601; null: nothing was sealed yet' },
    behind: { ...COUNT_OR_NULL, description: 'Segments of the audit trail that wait to be sealed' },
    problem: { ...TEXT_OR_NULL, description: 'Why they wait' },
  }),
  events: {
    ...exactly({ state: STATE, subscriptions: { type: 'array', items: SUBSCRIPTION_STATE } }),
    description: 'Subscriptions to events of all tenants; down: some receiver takes none',
  },
  emergencies: {
    ...exactly({ due: COUNT_OR_NULL, overdue: COUNT_OR_NULL }),
    description: 'Reviews of emergency overrides of all tenants; null: the store does not answer',
  },
});

const OPENAPI = {
  type: 'object',
  description: 'OpenAPI 3.1 (spec.openapis.org/oas/v3.1.1)',
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.' },
    info: { type: 'object' },
    paths: { type: 'object' },
  },
} as const;

/** With `ready`: 503 while the daemon should get no requests, as load balancers ask. */
const READY_QUERY = {
  type: 'object',
  properties: { ready: { type: 'string', enum: ['', '1'], description: '503 unless it is ready' } },
} as const;

/** Endpoints about the service itself, and about what it covers. */
export const STATUS_ROUTES = [
  {
    ...GET,
    name: 'health',
    path: '/api/cra/health',
    summary: 'Liveness and readiness',
    auth: ACCESS.everybody,
    query: READY_QUERY,
    data: HEALTH,
    places: 'status',
    beside: HEALTH.properties,
  },
  {
    ...GET,
    name: 'status',
    path: '/api/cra/dispatcher/status',
    summary:
      'State of each part: store, audit, queue, pool, rules, LLM, object storage; for ' +
      'Prometheus all metrics',
    auth: ACCESS.read,
    query: READY_QUERY,
    data: STATUS_REPORT,
    otherTypes: ['text/plain', 'application/openmetrics-text'],
    places: 'status',
  },
  {
    ...GET,
    name: 'coverage',
    path: '/api/cra/coverage',
    summary: 'Whether the repositories of the configured owners are covered by the gate',
    auth: ACCESS.read,
    query: null,
    data: { type: 'array', items: HOST_COVERAGE },
  },
  {
    ...GET,
    name: 'openapi',
    path: '/api/cra/openapi.json',
    summary: 'This description',
    auth: ACCESS.read,
    query: null,
    data: OPENAPI,
    contentType: 'application/json',
  },
] as const satisfies readonly Route[];

/**
 * Handlers of health, the status report and the API description; `description` is the OpenAPI
 * document as JSON.
 */
export function createStatusHandlers(
  status: StatusReport,
  telemetry: Pick<Telemetry, 'scrape'>,
  readiness: Pick<Readiness, 'check'>,
  isStopping: () => boolean,
  coverage: (tenantId: string | null) => HostCoverage[],
  description: string,
): Record<(typeof STATUS_ROUTES)[number]['name'], Handler> {
  const openapi = documentReply('application/json', description);
  return {
    health: async ({ request, query }) => {
      if ('ready' in query) await readiness.check(request.remoteAddress);
      return healthReply(isStopping());
    },
    status: async ({ request, query }) => {
      if ('ready' in query) await readiness.check(request.remoteAddress);
      const { format } = preferredOffer(request.headers.accept, STATUS_OFFERS);
      if (format === 'json') return varying(dataReply(JSON.stringify(await status())));
      const { contentType, body } = await telemetry.scrape(format, await status());
      return varying(documentReply(contentType, body));
    },
    coverage: async ({ principal }) => dataReply(JSON.stringify(coverage(principal.tenant_id))),
    openapi: async () => openapi,
  };
}

/** Names of series are plain, so however a client wants others escaped (Prometheus 3), it fits. */
const ANY_ESCAPING = ['allow-utf-8', 'underscores', 'dots', 'values'];
const UTF8 = ['utf-8'];

/** JSON to all that ask for nothing else: the specification's callers, browsers, curl. */
const STATUS_OFFERS = [
  { format: 'json', type: 'application/json', parameters: { charset: UTF8 } },
  {
    format: 'openmetrics',
    type: 'application/openmetrics-text',
    parameters: { version: ['1.0.0'], escaping: ANY_ESCAPING, charset: UTF8 },
  },
  {
    format: 'text',
    type: 'text/plain',
    parameters: { version: ['0.0.4'], escaping: ANY_ESCAPING, charset: UTF8 },
  },
] as const;

function varying(reply: Reply): Reply {
  return { ...reply, headers: [...reply.headers, ['Vary', 'Accept']] };
}

/** 200 `ok`; while the service stops, 503, so that a load balancer sends no more requests. */
export function healthReply(isStopping: boolean): Reply {
  const status = isStopping ? 'stopping' : 'ok';
  const reply = dataReply(JSON.stringify({ status }), `,"status":"${status}"`);
  return isStopping ? { ...reply, status: 503 } : reply;
}
