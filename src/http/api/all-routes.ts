import type { Intake } from '../../pushes/intake.ts';
import type { Admit } from '../server/admit.ts';
import type { Route } from '../server/dispatch.ts';
import { type Dispatch, dispatchTo, type Handler } from '../server/dispatch.ts';
import { OPS_LOG_ROUTES, TRAIL_ROUTES } from './audit.ts';
import { DASHBOARD_ROUTES, PULSE_ROUTES } from './dashboard.ts';
import { BULK_OVERRIDE_ROUTES, DECISION_ROUTES } from './decisions.ts';
import { DEPLOY_ROUTES } from './deploys.ts';
import { EVENT_ROUTES } from './events.ts';
import { EVIDENCE_ROUTES } from './evidence.ts';
import { HANDBOOK_ROUTES } from './handbook.ts';
import { LOGIN_ROUTES } from './login.ts';
import { PRE_RECEIVE_ROUTES, WEBHOOK_ROUTES } from './pushes.ts';
import { REMARK_ROUTES, REVIEW_ROUTES } from './remarks.ts';
import { ANALYZE_ROUTES, PROD_CHECK_ROUTES, RFC_ROUTES } from './rfc.ts';
import { RULES_ROUTES } from './rules.ts';
import { SCORE_ROUTES } from './score.ts';
import { STATUS_ROUTES } from './status.ts';
import { TASK_ROUTES } from './tasks.ts';
import { STATS_ROUTES, USAGE_ROUTES } from './usage.ts';

/** All endpoints; of several that match a path, the first one counts. */
export const ROUTES = [
  ...STATUS_ROUTES,
  ...ANALYZE_ROUTES,
  ...PULSE_ROUTES,
  ...RFC_ROUTES,
  ...DECISION_ROUTES,
  ...REVIEW_ROUTES,
  ...BULK_OVERRIDE_ROUTES,
  ...REMARK_ROUTES,
  ...TRAIL_ROUTES,
  ...OPS_LOG_ROUTES,
  ...PRE_RECEIVE_ROUTES,
  ...PROD_CHECK_ROUTES,
  ...DEPLOY_ROUTES,
  ...SCORE_ROUTES,
  ...EVIDENCE_ROUTES,
  ...TASK_ROUTES,
  ...USAGE_ROUTES,
  ...STATS_ROUTES,
  ...RULES_ROUTES,
  ...EVENT_ROUTES,
  ...WEBHOOK_ROUTES,
  ...LOGIN_ROUTES,
  ...DASHBOARD_ROUTES,
  ...HANDBOOK_ROUTES,
] as const satisfies readonly Route[];

export type RouteName = (typeof ROUTES)[number]['name'];

const SHARED: ReadonlyMap<string, string> = new Map([
  ['add-plan', 'add-finding'],
  ['add-report', 'add-finding'],
  ['add-commit-report', 'add-finding'],
  ['ask-to-decide', 'add-finding'],
  ['coverage', 'status'],
  ['events', 'status'],
  ['events-replay', 'rules-put'],
  ['exceptions', 'accepted'],
  ['usage-summary', 'usage-total'],
  ['emergencies', 'accepted'],
  ['review-emergency', 'override'],
  ['delete-post', 'delete'],
  ['deploys', 'prod-check'],
  ['deploy-report', 'ops-log'],
  ['outcome-report', 'ops-log'],
  ['outcomes', 'prod-check'],
  ['deploy-figures', 'prod-check'],
  ['pass-freeze', 'ops-log'],
  ['score', 'prod-check'],
  ['score-curves', 'prod-check'],
  ['rfc-changes', 'rfc-code'],
  ['rfcs-facets', 'rfcs'],
  ['rfc-evidence', 'audit'],
  ['evidence', 'audit'],
  ['rules-list', 'rules'],
  ['rules-restore', 'rules-put'],
  ['rules-dry-run', 'rules-put'],
  ['rules-revision', 'rules-revisions'],
  ...PRE_RECEIVE_ROUTES.map(({ name }) => [name, 'pre-receive'] as const),
  ...LOGIN_ROUTES.map(({ name }) => [name, 'login'] as const),
  ...[...DASHBOARD_ROUTES, ...HANDBOOK_ROUTES].map(({ name }) => [name, 'dashboard'] as const),
]);

/** The name of a route in metrics: some share one, so that there are few. */
export function metricName(route: string): string {
  return SHARED.get(route) ?? route;
}

/** One handler per route; the compiler misses none. */
export type Handlers = Readonly<Record<RouteName, Handler>>;

/**
 * Binds the route table to authentication and handlers: authn, authz, parse, then the handler.
 * `intake` checks the webhooks; null: there are no webhooks.
 */
export function createDispatch(
  handlers: Handlers,
  admit: Admit,
  intake: Intake | null = null,
): Dispatch {
  return dispatchTo(ROUTES, handlers, admit, intake);
}
