import type { Static } from 'typebox';
import { DECISIONS, FIELDS } from './limits.ts';
import { STATUSES } from './rfc.ts';
import {
  COMMIT_ID,
  COUNT,
  exactly,
  NAME,
  REPOSITORY_NAME,
  SCORE,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  WORDS,
} from './schema.ts';

/** What a report says of a deploy. */
const DEPLOY_RESULTS = ['started', 'succeeded', 'failed', 'rolled_back'] as const;

/** What a statement says of a commit that ran somewhere. */
const STATEMENTS = ['incident', 'defect', 'fine'] as const;

/**
 * What the ledger has: reports, statements, that a person let a commit pass a freeze, and what the
 * service found in the history: that a later commit reverts one.
 */
const LEDGER_RESULTS = [...DEPLOY_RESULTS, 'freeze_passed', ...STATEMENTS, 'reverted'] as const;

/** Bounds of deploy reports. */
export const DEPLOYS = {
  ENVIRONMENT_CHARS_MAX: 100,
  COMPONENT_CHARS_MAX: 100,
  URL_CHARS_MAX: 2_048,
  ARTIFACT_NAME_CHARS_MAX: 512,
  RFC_ID_CHARS_MAX: 100,
  /** Reports of one caller a minute: each is an entry of the audit trail. */
  REPORTS_PER_MINUTE_MAX: 60,
  /** Callers whose quota is remembered at once. */
  CALLERS_MAX: 10_000,
  /** Environments and components of one page of the ledger. */
  LIST_LIMIT_DEFAULT: 50,
  LIST_LIMIT_MAX: 100,
  /** Places that one page of the ledger looks at. */
  PLACES_LOOKED_MAX: 1_000,
  /** Reports that one read of a store returns. */
  READ_PAGE: 200,
  /** Reports of one environment and component that one answer is computed from. */
  READ_MAX: 20_000,
} as const;

/** Bounds of outcomes. */
export const OUTCOMES = {
  /** How long after it ran a commit has outcomes. */
  DAYS_MAX: 90,
  /** For how long a commit ran at most that counts as replaced by an older one. */
  REPLACED_HOURS_MAX: 24,
  /** Listed of one environment and component: the newest. */
  LISTED_MAX: 200,
  /** How often the default branches are looked at for reverts. */
  REVERTS_INTERVAL_MS: 3_600_000,
  /** Reverts that one look notes of a repository; the next look goes on. */
  REVERTS_NOTED_MAX: 200,
} as const;

/** A moment as callers write it: RFC 3339, in UTC or with an offset. */
const MOMENT = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)$',
} as const;

const DIGEST = '^sha(?:256:[0-9a-f]{64}|384:[0-9a-f]{96}|512:[0-9a-f]{128})$';

export const ENVIRONMENT = {
  type: 'string',
  maxLength: DEPLOYS.ENVIRONMENT_CHARS_MAX,
  pattern: NAME,
} as const;
export const DEPLOYED_COMPONENT = {
  type: 'string',
  maxLength: DEPLOYS.COMPONENT_CHARS_MAX,
  pattern: NAME,
} as const;

/** Body of `POST deploys`. */
export const DEPLOY_REQUEST = {
  type: 'object',
  required: ['repo', 'environment', 'sha', 'result'],
  properties: {
    repo: { type: 'string', maxLength: FIELDS.REPO_NAME_CHARS_MAX, pattern: REPOSITORY_NAME },
    component: DEPLOYED_COMPONENT,
    environment: ENVIRONMENT,
    sha: { type: 'string', pattern: COMMIT_ID },
    result: { type: 'string', enum: [...DEPLOY_RESULTS] },
    at: { ...MOMENT, description: 'When that was; without it, when the report arrives' },
    started_at: { ...MOMENT, description: 'The `at` of the report that this deploy started' },
    sent_at: {
      ...MOMENT,
      description: 'The clock of the caller as it sends: by it the other times are corrected',
    },
    url: {
      type: 'string',
      maxLength: DEPLOYS.URL_CHARS_MAX,
      pattern: '^https?://[!-~]+$',
      description: 'Of the job that deploys',
    },
    artifact: {
      type: 'object',
      required: ['name', 'digest'],
      properties: {
        name: { type: 'string', maxLength: DEPLOYS.ARTIFACT_NAME_CHARS_MAX, pattern: NAME },
        digest: { type: 'string', pattern: DIGEST, description: 'Like sha256:...' },
      },
      additionalProperties: false,
    },
  },
} as const;
export type DeployRequest = Static<typeof DEPLOY_REQUEST>;

/** Body of `POST deploys/pass-freeze`. */
export const PASS_FREEZE_REQUEST = {
  type: 'object',
  required: ['repo', 'environment', 'sha', 'freeze', 'reason'],
  properties: {
    repo: DEPLOY_REQUEST.properties.repo,
    component: DEPLOYED_COMPONENT,
    environment: ENVIRONMENT,
    sha: DEPLOY_REQUEST.properties.sha,
    freeze: { type: 'string', maxLength: DEPLOYS.COMPONENT_CHARS_MAX, pattern: NAME },
    reason: { type: 'string', maxLength: DECISIONS.REASON_CHARS_MAX, pattern: WORDS },
  },
} as const;
export type PassFreezeRequest = Static<typeof PASS_FREEZE_REQUEST>;

/** Body of `POST outcomes`. */
export const OUTCOME_REQUEST = {
  type: 'object',
  required: ['kind'],
  properties: {
    rfc_id: {
      type: 'string',
      maxLength: DEPLOYS.RFC_ID_CHARS_MAX,
      description: 'Of the change; without it repo and sha',
    },
    repo: DEPLOY_REQUEST.properties.repo,
    component: DEPLOYED_COMPONENT,
    environment: {
      ...ENVIRONMENT,
      description: 'Where it was deployed; without it the outcome is of the change itself',
    },
    sha: DEPLOY_REQUEST.properties.sha,
    kind: { type: 'string', enum: [...STATEMENTS], description: 'fine corrects the others' },
    url: { ...DEPLOY_REQUEST.properties.url, description: 'Of the incident or issue' },
  },
} as const;
export type OutcomeRequest = Static<typeof OUTCOME_REQUEST>;

/** Whether an entry of the ledger is a statement about a commit. */
export function isStatement(result: DeployReport['result']): result is OutcomeRequest['kind'] {
  return (STATEMENTS as readonly string[]).includes(result);
}

/** What becomes of commits. */
const OUTCOME_KINDS = ['failed', 'rolled_back', 'replaced', 'reverted', ...STATEMENTS] as const;

/** What became of a commit, in an environment or by itself. */
export const OUTCOME = exactly({
  sha: { ...TEXT_OR_NULL, description: 'Null: the RFC names no commit' },
  rfc_id: { ...TEXT_OR_NULL, description: 'Null: the report names the commit alone' },
  kind: {
    type: 'string',
    enum: [...OUTCOME_KINDS],
    description:
      'replaced: an older commit was deployed within 24 hours; reverted: a later commit does',
  },
  is_failure: {
    type: 'boolean',
    description: 'False: it is fine, or the newest statement about the commit says so later',
  },
  by_statement: { type: 'boolean', description: 'False: by deploys or by the history' },
  reverted_by: { ...TEXT_OR_NULL, description: 'The commit that reverts it' },
  at: TIME,
  url: TEXT_OR_NULL,
  by: { ...TEXT, description: 'The principal that reported it; service: the service found it' },
});
export type Outcome = Static<typeof OUTCOME>;

/** What makes a deploy count as failed; of several the first. */
export const FAILURES = [
  'failed',
  'rolled_back',
  'replaced',
  'reverted',
  'incident',
  'defect',
] as const;

export const ARTIFACT = {
  anyOf: [
    { type: 'null' },
    {
      type: 'object',
      required: ['name', 'digest'],
      properties: { name: TEXT, digest: TEXT },
      additionalProperties: false,
    },
  ],
} as const;

/** A report as the ledger keeps it. */
export const DEPLOY_REPORT = {
  type: 'object',
  required: [
    'report_id',
    'repo',
    'component',
    'environment',
    'sha',
    'result',
    'at',
    'started_at',
    'received_at',
    'url',
    'artifact',
    'by',
  ],
  properties: {
    report_id: TEXT,
    repo: TEXT,
    component: TEXT_OR_NULL,
    environment: { ...TEXT, description: 'Empty: of an outcome of the change itself' },
    sha: { ...TEXT, description: 'Empty: of an outcome of an RFC that names no commit' },
    result: { type: 'string', enum: [...LEDGER_RESULTS] },
    at: { ...TIME, description: 'Never later than received_at' },
    started_at: { ...TEXT_OR_NULL, description: 'As the report says it' },
    received_at: TIME,
    url: TEXT_OR_NULL,
    artifact: ARTIFACT,
    by: { ...TEXT, description: 'The principal that reported it' },
    freeze: { ...TEXT, description: 'Of freeze_passed: the freeze, by its id' },
    reason: { ...TEXT, description: 'Of freeze_passed' },
    rfc_id: { ...TEXT, description: 'Of an outcome of the change itself: its RFC' },
    reverted_by: { ...TEXT, description: 'Of reverted: the commit that does' },
    how: {
      type: 'string',
      enum: ['message', 'patch'],
      description: 'Of reverted: its message names the commit, or its patch is the inverse',
    },
  },
  additionalProperties: false,
} as const;
export type DeployReport = Static<typeof DEPLOY_REPORT>;

/** Where something runs: reports of one place make one history. */
export interface DeployPlace {
  /** Empty: what became of changes, wherever they run. */
  environment: string;
  /** Without regard to case, as is the environment. */
  repo: string;
  /** Null: the repository is deployed as a whole. */
  component: string | null;
}

const BETWEEN = '\n';

/** A place as one text, which sorts by environment, then repository, then component. */
export function placeKey({ environment, repo, component }: DeployPlace): string {
  return [environment.toLowerCase(), repo.toLowerCase(), component ?? ''].join(BETWEEN);
}

/** The names within a key, in lower case but for the component. */
export function placeOf(key: string): DeployPlace {
  const [environment = '', repo = '', component = ''] = key.split(BETWEEN);
  return { environment, repo, component: component === '' ? null : component };
}

/** The key behind which all places of a repository in an environment stand. */
export function repositoryKey({ environment, repo }: DeployPlace): string {
  return `${environmentKey(environment)}${repo.toLowerCase()}`;
}

/** The key behind which all places of an environment stand. */
export function environmentKey(environment: string): string {
  return `${environment.toLowerCase()}${BETWEEN}`;
}

const RANKS: Readonly<Record<DeployReport['result'], number>> = {
  freeze_passed: 0,
  incident: 0,
  defect: 0,
  fine: 0,
  reverted: 0,
  started: 0,
  failed: 1,
  succeeded: 2,
  rolled_back: 3,
};

/**
 * The place of a report in the history of its environment and component, whichever report came
 * first: by its time; of one time, what ends a deploy after what began it.
 */
export function reportOrder({ at, result, report_id }: DeployReport): string {
  return `${at}#${RANKS[result]}${report_id}`;
}

/** Behind all reports of this time, ISO 8601 with milliseconds. */
export function orderAfter(at: string): string {
  return `${at}~`;
}

/** What holds a deploy. */
const HOLD_KINDS = ['rfc', 'waiting', 'acceptance', 'unjudged', 'range', 'freeze'] as const;

export const DEPLOY_HOLD = exactly({
  kind: {
    type: 'string',
    enum: [...HOLD_KINDS],
    description: 'waiting: an analysis has not ended; range: not all of its commits were looked at',
  },
  reason: TEXT,
  rfc_id: { ...TEXT_OR_NULL, description: 'The RFC that holds it; null: no RFC does' },
  approve_url: TEXT_OR_NULL,
  freeze: { ...TEXT_OR_NULL, description: 'The id of the freeze that holds it; null: no freeze' },
  may_decide: {
    ...TEXT_OR_NULL,
    description: 'The least role that may decide about it; null: no decision ends this',
  },
});
export type DeployHold = Static<typeof DEPLOY_HOLD>;

/** What `prod-check` says of an environment. */
export const DEPLOY_PARTS = exactly({
  environment: TEXT,
  component: TEXT_OR_NULL,
  sha: TEXT_OR_NULL,
  running: {
    anyOf: [{ type: 'null' }, exactly({ sha: TEXT, since: TIME })],
    description: 'Null: no report says what runs there',
  },
  is_rollback: {
    type: 'boolean',
    description: 'The commit ran there before and stands as accepted: nothing holds it',
  },
  range: {
    anyOf: [
      { type: 'null' },
      exactly({
        commits: COUNT,
        rfcs: {
          type: 'array',
          items: exactly({
            rfc_id: TEXT,
            commit_sha: TEXT,
            overall_status: { type: 'string', enum: [...STATUSES] },
            risk_score: SCORE,
          }),
          description: 'The newest first, without BLOCKED pushes that a later one repaired',
        },
        rfcs_total: COUNT,
        joint_risk: { ...SCORE, description: 'That one of the listed changes is risky' },
      }),
    ],
    description: 'From what runs to the commit; null: only the commit was asked about',
  },
  holds: { type: 'array', items: DEPLOY_HOLD, description: 'Empty: it may be deployed' },
});
export type DeployParts = Static<typeof DEPLOY_PARTS>;
