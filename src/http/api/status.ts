import { ACCESS } from '../../auth/access.ts';
import type { StatusReport } from '../../telemetry/status.ts';
import type { Handlers } from '../server/dispatch.ts';
import { dataReply, documentReply, type Reply } from '../server/reply.ts';
import type { Route } from '../server/route.ts';
import { COUNT, exactly, GET, TEXT, TEXT_OR_NULL, TIME } from './fields.ts';

const HEALTH = exactly({ status: { type: 'string', enum: ['ok'] } });

const STATE = { type: 'string', enum: ['up', 'down', 'full', 'not configured'] } as const;
const AUDIT_STATE = { type: 'string', enum: [...STATE.enum, 'checking', 'refused'] } as const;
const PROBLEMS = { type: 'array', items: TEXT } as const;
const COUNT_OR_NULL = { type: ['integer', 'null'], minimum: 0 } as const;

const HOST_STATE = exactly({
  id: TEXT,
  state: { type: 'string', enum: ['up', 'down', 'limited', 'off'] },
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
    description: 'off: until the next start, because the key or the account was refused',
  },
  breaker: { type: 'string', enum: ['closed', 'open'] },
  last_error: TEXT_OR_NULL,
  calls: COUNT,
  running: COUNT,
  waiting: COUNT,
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
  queue: exactly({ state: STATE, running: COUNT, waiting: COUNT, drafts: COUNT }),
  pushes: exactly({
    state: STATE,
    waiting: COUNT_OR_NULL,
    oldest_seconds: COUNT_OR_NULL,
    running: COUNT,
    webhooks_ignored: COUNT,
    statuses_due: COUNT_OR_NULL,
    statuses_posted: COUNT,
    statuses_failed: COUNT,
    hosts: { type: 'array', items: HOST_STATE },
  }),
  git: exactly({
    state: STATE,
    version: { ...TEXT_OR_NULL, description: 'At the start; null if git was not found' },
  }),
  pool: exactly({ state: STATE, threads: COUNT, busy: COUNT, replaced: COUNT }),
  rules: exactly({
    state: STATE,
    number: COUNT,
    revision: TEXT,
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
    tiers: { type: 'array', items: TIER },
  }),
  object_storage: exactly({ state: STATE }),
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

/** Endpoints about the service itself. */
export const STATUS_ROUTES = [
  {
    ...GET,
    name: 'health',
    path: '/api/cra/health',
    summary: 'Liveness and readiness',
    auth: ACCESS.everybody,
    query: null,
    data: HEALTH,
    places: 'status',
    beside: HEALTH.properties,
  },
  {
    ...GET,
    name: 'status',
    path: '/api/cra/dispatcher/status',
    summary: 'State of each part: store, audit, queue, pool, rules, LLM, object storage',
    auth: ACCESS.read,
    query: null,
    data: STATUS_REPORT,
    places: 'status',
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
  isStopping: () => boolean,
  description: string,
): Pick<Handlers, (typeof STATUS_ROUTES)[number]['name']> {
  const openapi = documentReply('application/json', description);
  return {
    health: async () => healthReply(isStopping()),
    status: async () => dataReply(JSON.stringify(await status())),
    openapi: async () => openapi,
  };
}

/** 200 `ok`; while the service stops, 503, so that a load balancer sends no more requests. */
export function healthReply(isStopping: boolean): Reply {
  const status = isStopping ? 'stopping' : 'ok';
  const reply = dataReply(JSON.stringify({ status }), `,"status":"${status}"`);
  return isStopping ? { ...reply, status: 503 } : reply;
}
