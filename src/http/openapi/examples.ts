import type { DashboardRouteName } from '../api/dashboard.ts';
import type { LoginRouteName } from '../api/login-routes.ts';
import type { RouteName } from '../api/routes.ts';
import type { Example } from './example.ts';
import { DECISION_EXAMPLES } from './examples-decisions.ts';
import { DESK_EXAMPLES } from './examples-desk.ts';
import { RFC_EXAMPLES } from './examples-rfc.ts';
import { RULES_EXAMPLES } from './examples-rules.ts';
import { WEBHOOK_EXAMPLES } from './examples-webhook.ts';

type OfBrowsers = LoginRouteName | DashboardRouteName;

/**
 * One example a route, in an order in which they can be sent; but for the description itself and
 * what only a browser does. A test sends them all.
 */
export const EXAMPLES: Readonly<Record<Exclude<RouteName, OfBrowsers | 'openapi'>, Example>> = {
  ...RFC_EXAMPLES,
  ...DESK_EXAMPLES,
  ...DECISION_EXAMPLES,
  ...RULES_EXAMPLES,
  ...WEBHOOK_EXAMPLES,
};
