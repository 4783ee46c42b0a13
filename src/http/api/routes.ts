import { ACCESS } from '../../auth/access.ts';
import { HTTP } from '../../limits.ts';
import { ANALYZE_REQUEST } from '../../model/analyze-request.ts';
import { SARIF_TYPE } from '../../model/sarif.ts';
import type { Route } from '../server/route.ts';
import { DASHBOARD_ROUTES } from './dashboard.ts';
import { LOGIN_ROUTES } from './login-routes.ts';
import { DECISION_ROUTES } from './routes-decisions.ts';
import { DESK_ROUTES } from './routes-desk.ts';
import { WEBHOOK_ROUTES } from './routes-webhook.ts';
import {
  ANALYZE_ANSWER,
  HEALTH,
  LIST_QUERY,
  NEXT_CURSOR,
  OPENAPI,
  RFC,
  RFC_LIST,
  RFC_QUERY,
  SARIF_LOG,
} from './schemas.ts';

/** The route table: the one place that says which endpoints there are. */
export const ROUTES = [
  {
    name: 'health',
    method: 'GET',
    path: '/api/cra/health',
    summary: 'Liveness and readiness',
    auth: ACCESS.everybody,
    query: null,
    body: null,
    bodyBytesMax: 0,
    data: HEALTH,
    places: 'status',
    beside: HEALTH.properties,
  },
  {
    name: 'openapi',
    method: 'GET',
    path: '/api/cra/openapi.json',
    summary: 'This description',
    auth: ACCESS.read,
    query: null,
    body: null,
    bodyBytesMax: 0,
    data: OPENAPI,
    contentType: 'application/json',
  },
  {
    name: 'analyze',
    method: 'POST',
    path: '/api/cra/analyze',
    summary: 'Create an RFC from a unified diff and run the gates',
    auth: ACCESS.submit,
    query: null,
    body: ANALYZE_REQUEST,
    bodyBytesMax: HTTP.LARGE_BODY_BYTES_MAX,
    data: ANALYZE_ANSWER,
  },
  {
    // Before `rfc`, whose pattern it fits, too.
    name: 'sarif',
    method: 'GET',
    path: '/api/cra/rfc/:rfc_id.sarif',
    summary: 'The findings of one RFC as a SARIF 2.1.0 log; ?wait=SECONDS as for the RFC',
    auth: ACCESS.read,
    query: RFC_QUERY,
    body: null,
    bodyBytesMax: 0,
    data: SARIF_LOG,
    contentType: SARIF_TYPE,
    refusals: [404],
  },
  {
    name: 'rfc',
    method: 'GET',
    path: '/api/cra/rfc/:rfc_id',
    summary: 'One RFC with its gate results; ?wait=SECONDS waits for a DRAFT to become final',
    auth: ACCESS.read,
    query: RFC_QUERY,
    body: null,
    bodyBytesMax: 0,
    data: RFC,
    refusals: [404],
  },
  {
    name: 'rfcs',
    method: 'GET',
    path: '/api/cra/rfcs',
    summary: 'The most recent RFCs, sorted by status priority',
    auth: ACCESS.read,
    query: LIST_QUERY,
    body: null,
    bodyBytesMax: 0,
    data: RFC_LIST,
    beside: NEXT_CURSOR,
  },
  ...DECISION_ROUTES,
  ...DESK_ROUTES,
  ...WEBHOOK_ROUTES,
  ...LOGIN_ROUTES,
  ...DASHBOARD_ROUTES,
] as const satisfies readonly Route[];

export type RouteName = (typeof ROUTES)[number]['name'];
