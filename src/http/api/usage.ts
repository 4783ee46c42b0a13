import type { Redact } from '../../analysis/job.ts';
import type { Rfcs } from '../../analysis/read-rfcs.ts';
import { ACCESS } from '../../auth/access.ts';
import { redactNamed } from '../../decisions/decisions.ts';
import { COVERAGE_COUNTS, type CoverageCounts } from '../../model/coverage.ts';
import { FIELDS, TRENDS, USAGE } from '../../model/limits.ts';
import { COUNT, DAY, exactly, TEXT, TEXT_OR_NULL, TIME } from '../../model/schema.ts';
import { TREND_STEPS } from '../../model/trend.ts';
import { USAGE_REQUEST } from '../../model/usage.ts';
import type { UsageLedger } from '../../usage/usage.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';
import { createBodyReader, GET, POST, requesterOf, textOrNull } from './endpoint.ts';

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
      ...DAY,
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
  redact: Redact,
): Record<(typeof USAGE_ROUTES)[number]['name'], Handler> {
  const readUsage = createBodyReader(USAGE_REQUEST);
  return {
    async 'usage-log'(call) {
      const entry = await readUsage(call.request);
      const { provider, model, context = null } = entry;
      const given = { provider, model, context };
      const { context: shown, ...names } = await redactNamed(given, redact, requesterOf(call));
      const redacted = { ...entry, ...names, ...(shown === null ? {} : { context: shown }) };
      return dataReply(await usage.log(call.principal, redacted));
    },
    async 'usage-total'({ principal, query }) {
      return dataReply(await usage.total(principal, Number(query['hours'] ?? HOURS_DEFAULT)));
    },
    async 'usage-summary'({ principal, query }) {
      return dataReply(await usage.summary(principal, textOrNull(query['since'])));
    },
  };
}

const DAY_SUMS = exactly({
  passed: COUNT,
  blocked: COUNT,
  carried: { ...COUNT, description: 'OVERRIDDEN by a decision about another RFC' },
  overridden: COUNT,
  approved: COUNT,
  rejected: COUNT,
  secrets: { ...COUNT, description: 'RFCs by rule, of the rules `secret-*`' },
  llm_findings: { ...COUNT, description: 'RFCs by class, of what models found' },
  false_alarms: { ...COUNT, description: 'RFCs by rule, on the day of the mark' },
});

const SECONDS = {
  type: ['integer', 'null'],
  minimum: 1,
  description: 'Up to 1.42 times as long as it was; null: nothing was decided',
} as const;

const RULE_SUMS = exactly({
  rule: TEXT,
  hits: COUNT,
  blocked: { ...COUNT, description: 'BLOCKED RFCs in which it was among what blocks' },
  suppressed: COUNT,
  overridden: COUNT,
  rejected: COUNT,
  false_alarms: { ...COUNT, description: 'RFCs with a finding that people marked as false alarm' },
  decided: { ...COUNT, description: 'overridden + rejected' },
  noise: {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
    description: 'overridden / decided; null: nothing was decided',
  },
});

const COMPONENT_SUMS = {
  blocked: { ...COUNT, description: 'RFCs that judged it, and that it did not pass by itself' },
  passed: { ...COUNT, description: 'RFCs that judged it, and that it passed by itself' },
} as const;

const STATS = exactly({
  since: TEXT,
  until: TEXT,
  repo: TEXT_OR_NULL,
  by: { type: 'string', enum: [...TREND_STEPS] },
  complete: {
    type: 'boolean',
    description: 'false: some RFCs are not counted yet, of older versions or of a burst',
  },
  days: {
    type: 'array',
    items: exactly({
      date: TEXT,
      ...DAY_SUMS.properties,
      decision_seconds: {
        ...exactly({ p50: SECONDS, p90: SECONDS }),
        description: 'Of the first decisions of this day',
      },
    }),
    maxItems: TRENDS.DAYS_MAX + 1,
    description: 'Days (UTC) with something, the oldest first; weeks by their Monday',
  },
  totals: DAY_SUMS,
  decision_seconds: {
    ...exactly({ p50: SECONDS, p90: SECONDS, p95: SECONDS }),
    description: 'From the creation of a BLOCKED RFC to the first decision about it',
  },
  rules: {
    type: 'array',
    items: RULE_SUMS,
    maxItems: TRENDS.RULES_SHOWN_MAX,
    description: 'RFCs by rule: most decided first, then most blocked, then most hits',
  },
  rules_total: COUNT,
  components: {
    type: 'array',
    items: exactly({
      component: TEXT,
      ...COMPONENT_SUMS,
      days: {
        type: 'array',
        description: 'Days or weeks with changes of it, the oldest first',
        items: exactly({ date: TEXT, ...COMPONENT_SUMS }),
      },
    }),
    maxItems: TRENDS.PLACES_SHOWN_MAX,
    description: 'With most BLOCKED RFCs that judged them, then most that passed',
  },
  repositories: {
    type: 'array',
    items: exactly({ repo: TEXT, blocked: COUNT }),
    maxItems: TRENDS.PLACES_SHOWN_MAX,
    description:
      'With most BLOCKED RFCs, in lower case; empty with ?repo=. Of more than ' +
      `${TRENDS.REPOSITORY_DAYS_MAX} days of repositories with BLOCKED RFCs, the newest count`,
  },
  llm: {
    anyOf: [
      { type: 'null' },
      exactly({
        calls: COUNT,
        cost_usd: SUMS.cost_usd,
        days: {
          type: 'array',
          items: exactly({ date: TEXT, calls: COUNT, cost_usd: SUMS.cost_usd }),
          maxItems: TRENDS.DAYS_MAX + 1,
        },
      }),
    ],
    description: 'LLM calls; null with ?repo=, and where usage/summary refuses for its length',
  },
  coverage: {
    ...COVERAGE_COUNTS,
    description: 'Repositories of the owners that SERVICE_VCS_CONFIG names, as far as checked',
  },
});

const STATS_QUERY = {
  type: 'object',
  properties: {
    since: {
      ...DAY,
      description:
        `A day (UTC); without it ${TRENDS.DAYS_DEFAULT} days ago, at most ${TRENDS.DAYS_MAX} ` +
        'days ago',
    },
    repo: { type: 'string', minLength: 1, maxLength: FIELDS.REPO_NAME_CHARS_MAX },
    by: { type: 'string', enum: [...TREND_STEPS], description: 'How long an entry of days is' },
  },
} as const;

/** Endpoints of what RFCs, decisions and rules came to by day. */
export const STATS_ROUTES = [
  {
    ...GET,
    name: 'stats',
    path: '/api/cra/stats',
    summary: 'Verdicts, decisions, time to decide, rules, places, LLM costs since ?since=',
    auth: ACCESS.read,
    query: STATS_QUERY,
    data: STATS,
  },
] as const satisfies readonly Route[];

/** The handler of stats; `coverage` counts the repositories of a tenant. */
export function createStatsHandlers(
  rfcs: Pick<Rfcs, 'trends'>,
  usage: Pick<UsageLedger, 'costs'>,
  coverage: (tenantId: string) => CoverageCounts,
): Record<'stats', Handler> {
  return {
    async stats({ principal, query }) {
      const repo = textOrNull(query['repo']);
      const since = textOrNull(query['since']);
      const by = query['by'] === 'week' ? 'week' : 'day';
      const trends = await rfcs.trends(principal, { since, repo, by });
      const llm = repo === null ? await usage.costs(principal, trends.since) : 'null';
      const data = JSON.stringify({ ...trends, coverage: coverage(principal.tenant_id) });
      return dataReply(data.replace(/}$/, `,"llm":${llm}}`));
    },
  };
}
