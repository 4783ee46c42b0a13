import { RULES, TASKS, USAGE } from '../../limits.ts';
import { SEVERITIES } from '../../model/finding.ts';
import { RULES_FILE } from '../../model/rules.ts';
import { TASK_STATUSES } from '../../model/task.ts';
import { COMMIT_ID } from '../../model/text-patterns.ts';
import { COUNT, exactly, SCORE, TEXT, TEXT_OR_NULL, TIME } from './schemas.ts';

/** JSON Schemas of prod-check, tasks, usage, rules and status; field names are the spec's. */

export const PROD_DECISION = exactly({
  allowed: { type: 'boolean' },
  rfcId: TEXT,
  riskScore: SCORE,
  reason: TEXT,
  approveUrl: TEXT,
  latest_rfc_id: TEXT,
});

export const PROD_QUERY = {
  type: 'object',
  properties: {
    branch: { type: 'string', minLength: 1 },
    sha: { type: 'string', pattern: COMMIT_ID },
  },
  // A question that is misspelt must not get the answer to a wider one.
  additionalProperties: false,
} as const;

const TASK_FIELDS = {
  taskId: TEXT,
  findingId: TEXT,
  title: TEXT,
  severity: { type: 'string', enum: [...SEVERITIES] },
  description: TEXT,
  suggestedFix: TEXT,
  filePath: TEXT,
  lineHint: { ...COUNT, description: '1-based; 0: there is no line' },
} as const;
export const TASK = exactly(TASK_FIELDS);
const TASK_STATUS = { type: 'string', enum: [...TASK_STATUSES] } as const;

export const TASK_LIST = { type: 'array', items: TASK } as const;
export const TASK_ANSWER = exactly({
  ...TASK_FIELDS,
  status: TASK_STATUS,
  created: { type: 'boolean' },
});
export const TASK_STATUS_ANSWER = exactly({ taskId: TEXT, findingId: TEXT, status: TASK_STATUS });
export const TASKS_QUERY = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: TASKS.LIST_LIMIT_MAX },
    cursor: { type: 'string', minLength: 1 },
  },
} as const;

const SUMS = {
  calls: COUNT,
  input_tokens: COUNT,
  output_tokens: COUNT,
  cache_creation_tokens: COUNT,
  cache_read_tokens: COUNT,
  cost_usd: { type: 'number', minimum: 0, description: 'Exact: up to nine decimals' },
} as const;

export const USAGE_ANSWER = exactly({ usage_id: TEXT });
export const USAGE_TOTAL = exactly({ hours: COUNT, since: TIME, ...SUMS });
export const USAGE_DAY = exactly({ date: TEXT, provider: TEXT, model: TEXT, ...SUMS });
export const USAGE_SUMMARY = exactly({
  since: TEXT,
  days: { type: 'array', items: USAGE_DAY, maxItems: USAGE.SUMMARY_LINES_MAX },
  total: exactly(SUMS),
});
export const USAGE_TOTAL_QUERY = {
  type: 'object',
  properties: { hours: { type: 'integer', minimum: 1, maximum: USAGE.HOURS_MAX } },
} as const;
export const USAGE_SUMMARY_QUERY = {
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

/** The rule set in force: a rules file that stands alone. */
export const RULE_SET = RULES_FILE;

export const REVISION_ANSWER = exactly({
  number: COUNT,
  revision: TEXT,
  source: { type: 'string', enum: ['file', 'api'] },
  text_sha256: TEXT,
  added_at: TIME,
  added_by: TEXT,
  comment: TEXT,
});

const VERDICT = { type: 'string', enum: ['PASSED', 'BLOCKED'] } as const;
const CHANGED = exactly({
  rfc_id: TEXT,
  repo_name: TEXT,
  from: VERDICT,
  to: VERDICT,
  new_rules: { type: 'array', items: TEXT },
  gone_rules: { type: 'array', items: TEXT },
});

export const RULES_ANSWER = {
  type: 'object',
  description: 'The new revision; with dry_run what it would change, and nothing is stored',
  oneOf: [
    REVISION_ANSWER,
    exactly({
      revision: TEXT,
      checked: COUNT,
      skipped: { ...COUNT, description: 'Their diff is not kept any more' },
      unreached: { ...COUNT, description: 'Not looked at: no thread was free for them in time' },
      changed: { type: 'array', items: CHANGED },
    }),
  ],
} as const;

export const RULES_PUT_QUERY = {
  type: 'object',
  properties: {
    dry_run: { type: 'string', enum: ['true', 'false'] },
    limit: { type: 'integer', minimum: 1, maximum: RULES.DRY_RUN_RFCS_MAX },
    comment: { type: 'string', maxLength: RULES.COMMENT_CHARS_MAX },
  },
} as const;

export const REVISION_LIST = { type: 'array', items: REVISION_ANSWER } as const;
export const REVISION_QUERY = {
  type: 'object',
  properties: { before: { type: 'integer', minimum: 1, maximum: RULES.NUMBER_MAX } },
} as const;

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
    description: 'off: until the next start, as key, right or account are not good',
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
    version: { ...TEXT_OR_NULL, description: 'At the start; null: none was found' },
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
    spent_today_usd: { ...TEXT_OR_NULL, description: 'Decimal; with what open calls may cost' },
    tiers: { type: 'array', items: TIER },
  }),
  object_storage: exactly({ state: STATE }),
});
