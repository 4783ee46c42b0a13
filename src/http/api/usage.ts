import { ACCESS } from '../../auth/access.ts';
import { USAGE } from '../../model/limits.ts';
import { COUNT, exactly, TEXT, TIME } from '../../model/schema.ts';
import { USAGE_REQUEST } from '../../model/usage.ts';
import type { UsageLedger } from '../../usage/usage.ts';
import type { Handlers } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';
import type { Route } from '../server/route.ts';
import { createBodyReader, GET, POST, textOrNull } from './endpoint.ts';

const SUMS = {
  calls: COUNT,
  input_tokens: COUNT,
  output_tokens: COUNT,
  cache_creation_tokens: COUNT,
  cache_read_tokens: COUNT,
  cost_usd: { type: 'number', minimum: 0, description: 'Exact: up to nine decimals' },
} as const;

const USAGE_ANSWER = exactly({ usage_id: TEXT });
export const USAGE_TOTAL = exactly({ hours: COUNT, since: TIME, ...SUMS });
export const USAGE_DAY = exactly({ date: TEXT, provider: TEXT, model: TEXT, ...SUMS });
export const USAGE_SUMMARY = exactly({
  since: TEXT,
  days: { type: 'array', items: USAGE_DAY, maxItems: USAGE.SUMMARY_LINES_MAX },
  total: exactly(SUMS),
});

const USAGE_TOTAL_QUERY = {
  type: 'object',
  properties: { hours: { type: 'integer', minimum: 1, maximum: USAGE.HOURS_MAX } },
} as const;

const USAGE_SUMMARY_QUERY = {
  type: 'object',
  properties: {
    since: {
      type: 'string',
      format: 'date',
      pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      description:
        `A day (UTC); without it ${USAGE.SUMMARY_DAYS_DEFAULT} days ago. More than ` +
        `${USAGE.SUMMARY_LINES_MAX} lines since then are 400: ask since a later day`,
    },
  },
} as const;

/** Endpoints of the costs of LLM calls. */
export const USAGE_ROUTES = [
  {
    ...POST,
    name: 'usage-log',
    path: '/api/cra/usage/log',
    summary: 'Log the cost of an LLM call',
    auth: ACCESS.machine,
    body: USAGE_REQUEST,
    data: USAGE_ANSWER,
  },
  {
    ...GET,
    name: 'usage-total',
    path: '/api/cra/usage/total',
    summary: 'Costs and tokens of the last ?hours= (24)',
    auth: ACCESS.read,
    query: USAGE_TOTAL_QUERY,
    data: USAGE_TOTAL,
  },
  {
    ...GET,
    name: 'usage-summary',
    path: '/api/cra/usage/summary',
    summary: 'Costs and tokens by day, provider and model since ?since=YYYY-MM-DD',
    auth: ACCESS.read,
    query: USAGE_SUMMARY_QUERY,
    data: USAGE_SUMMARY,
  },
] as const satisfies readonly Route[];

const HOURS_DEFAULT = 24;

/** Handlers of the costs of LLM calls. */
export function createUsageHandlers(
  usage: UsageLedger,
): Pick<Handlers, (typeof USAGE_ROUTES)[number]['name']> {
  const readUsage = createBodyReader(USAGE_REQUEST);
  return {
    async 'usage-log'({ request, principal }) {
      return dataReply(await usage.log(principal, await readUsage(request)));
    },
    async 'usage-total'({ principal, query }) {
      return dataReply(await usage.total(principal, Number(query['hours'] ?? HOURS_DEFAULT)));
    },
    async 'usage-summary'({ principal, query }) {
      return dataReply(await usage.summary(principal, textOrNull(query['since'])));
    },
  };
}
