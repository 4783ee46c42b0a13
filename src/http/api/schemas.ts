import { HTTP, STORE } from '../../limits.ts';
import { STATUS_CODES } from '../../model/errors.ts';
import { SEVERITIES } from '../../model/finding.ts';
import { PROVIDERS } from '../../model/push.ts';
import { SKIP_REASONS } from '../../model/review.ts';
import { DIFF_SOURCES, STATUSES } from '../../model/rfc.ts';

/** JSON Schemas of requests and answers; field names are the spec's. */

export const TEXT = { type: 'string' } as const;
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
export const COUNT = { type: 'integer', minimum: 0 } as const;
const COUNT_OR_NULL = { type: ['integer', 'null'], minimum: 1 } as const;
export const SCORE = { type: 'integer', minimum: 0, maximum: 100 } as const;
export const TIME = { type: 'string', description: 'ISO 8601, UTC' } as const;

/** An object with exactly these fields, all of them required. */
export function exactly<P extends Record<string, object>>(properties: P) {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  } as const;
}

export const HEALTH = exactly({ status: { type: 'string', enum: ['ok'] } });

const SUPPRESSED = {
  anyOf: [{ type: 'null' }, exactly({ by: TEXT, reason: TEXT })],
} as const;

const PLAIN_FINDING = exactly({
  id: { type: 'string', description: 'Rule' },
  finding_id: TEXT,
  gate: { type: 'string', enum: ['risk', 'ast', 'llm'] },
  severity: { type: 'string', enum: [...SEVERITIES] },
  message: TEXT,
  file: TEXT_OR_NULL,
  line: COUNT_OR_NULL,
  end_line: COUNT_OR_NULL,
  column: COUNT_OR_NULL,
  excerpt: { type: ['string', 'null'], description: 'Secrets are redacted' },
  fingerprint: TEXT,
  cwe: TEXT_OR_NULL,
  fix: TEXT_OR_NULL,
  suppressed: SUPPRESSED,
  resolved: { anyOf: [{ type: 'null' }, exactly({ by: TEXT, at: TIME })] },
});

export const FINDING = {
  ...PLAIN_FINDING,
  properties: {
    ...PLAIN_FINDING.properties,
    why: {
      type: 'string',
      maxLength: 400,
      description: 'Of gate llm: words of a model, untrusted',
    },
  },
} as const;

export const GATE = exactly({
  status: { type: 'string', enum: ['pass', 'fail', 'skipped'] },
  findings: { type: 'array', items: FINDING },
  suppressed_count: { ...COUNT, description: 'Of all that was found, listed or not' },
  skip_reason: TEXT_OR_NULL,
  duration_ms: { type: ['number', 'null'], minimum: 0 },
});

const LLM_GATE = {
  ...GATE,
  properties: {
    ...GATE.properties,
    skip_reason: { type: ['string', 'null'], enum: [null, ...SKIP_REASONS] },
    held: {
      type: 'boolean',
      enum: [true],
      description: 'BLOCKED because the review failed, not for what it found',
    },
  },
} as const;

const GATES = exactly({ risk: GATE, ast: GATE, llm: LLM_GATE });
export const STATS = exactly({ files: COUNT, additions: COUNT, deletions: COUNT, bytes: COUNT });
const STATUS = { type: 'string', enum: [...STATUSES] } as const;
const OVERRIDE = { anyOf: [{ type: 'null' }, exactly({ actor: TEXT, reason: TEXT })] } as const;

/** Only where a commit status was asked for and cannot be posted. */
const VCS_STATUS = exactly({ posted: { type: 'boolean', enum: [false] }, reason: TEXT });

const ANALYZED = exactly({
  rfc_id: TEXT,
  diff_hash: { type: 'string', description: "SHA-256 of the diff's bytes, hex" },
  overall_status: STATUS,
  risk_score: SCORE,
  gates: GATES,
  stats: STATS,
});

export const ANALYZE_ANSWER = {
  ...ANALYZED,
  properties: { ...ANALYZED.properties, vcs_status: VCS_STATUS },
} as const;

/** The caller; `email` is the claim of a person's token. */
export const PRINCIPAL = {
  type: 'object',
  required: ['id', 'name', 'credential', 'role', 'tenant_id'],
  properties: {
    id: TEXT,
    name: TEXT_OR_NULL,
    email: TEXT,
    credential: TEXT,
    role: TEXT,
    tenant_id: TEXT,
  },
  additionalProperties: false,
} as const;

export const DECISION = exactly({
  decision_id: TEXT,
  action: { type: 'string', enum: ['override', 'approve', 'reject'] },
  principal: PRINCIPAL,
  actor: { type: 'string', description: 'As claimed; `principal` is who was authenticated' },
  reason: TEXT,
  at: TIME,
  commit_sha: TEXT_OR_NULL,
  repo_full_name: TEXT_OR_NULL,
});

/** Where the audit trail tells of a deed, and the id of the deed there. */
const DEED = {
  op_id: TEXT,
  audit: exactly({ chain: TEXT, seq: COUNT }),
} as const;

const DECIDED = {
  rfc_id: TEXT,
  overall_status: { type: ['string', 'null'], enum: [...STATUSES, null] },
  decision: { anyOf: [{ type: 'null' }, DECISION] },
  ...DEED,
} as const;

/** After a deletion `overall_status` and `decision` are null. */
export const DECISION_ANSWER = exactly(DECIDED);

export const OVERRIDE_ANSWER = exactly({
  ...DECIDED,
  override: exactly({ actor: TEXT, reason: TEXT }),
});

export const OPS_LOG_ANSWER = exactly(DEED);

export const BULK_ANSWER = exactly({
  results: {
    type: 'array',
    items: {
      anyOf: [
        exactly({ rfc_id: TEXT, ok: { type: 'boolean', enum: [true] }, overall_status: STATUS }),
        exactly({
          rfc_id: TEXT,
          ok: { type: 'boolean', enum: [false] },
          error: TEXT,
          code: { type: 'string', enum: [...STATUS_CODES] },
        }),
      ],
    },
  },
  next: { type: ['string', 'null'], description: 'There are more: send it with the same filters' },
  op_id: TEXT,
});

/** The push of an RFC that a webhook (or a sweep) made. */
const PUSH = exactly({
  host: { type: 'string', description: 'Id in SERVICE_VCS_CONFIG' },
  provider: { type: 'string', enum: [...PROVIDERS] },
  repository_id: { ...TEXT_OR_NULL, description: 'Id that the host has for the repository' },
  source: { type: 'string', enum: ['webhook', 'sweep'] },
  delivery_id: TEXT,
  before: TEXT_OR_NULL,
  default_branch: TEXT_OR_NULL,
  pusher: TEXT_OR_NULL,
  phase: {
    type: ['string', 'null'],
    enum: ['waiting', 'fetching', 'scanning', null],
    description: 'Where a DRAFT stands; null: there is a verdict',
  },
  base: { ...TEXT_OR_NULL, description: 'Commit that the diff starts from' },
  base_kind: { type: ['string', 'null'], enum: ['ancestor', 'other-branch', 'empty-tree', null] },
  rests_on: {
    type: 'array',
    items: TEXT,
    description: 'RFCs, or the baseline, that the verdict falls with',
  },
  commits: { type: ['integer', 'null'], minimum: 0, description: 'Commits in the range' },
  tries: COUNT,
  waiting_for: { ...TEXT_OR_NULL, description: 'Why it is not judged yet, or could not be' },
  superseded_by: TEXT_OR_NULL,
});

export const RFC = exactly({
  rfc_id: TEXT,
  tenant_id: TEXT,
  diff_hash: TEXT,
  repo_name: TEXT,
  branch: TEXT,
  commit_message: TEXT,
  overall_status: STATUS,
  risk_score: SCORE,
  score: exactly({
    change_risk: SCORE,
    findings_risk: SCORE,
    factors: { type: 'array', items: TEXT },
    model: TEXT,
  }),
  created_at: TIME,
  updated_at: TIME,
  gates: GATES,
  hard_limits: {
    type: 'array',
    items: TEXT,
    description: 'What binds who decides: vuln-* found by any gate, llm when gate 3 failed',
  },
  override: OVERRIDE,
  override_history: { type: 'array', items: DECISION },
  carried_from: {
    type: 'array',
    items: TEXT,
    description: 'RFCs whose decisions cover the same change; empty: none was carried',
  },
  stats: STATS,
  rules_revision: TEXT,
  trigger: { type: 'string', enum: ['api', 'webhook'] },
  diff_source: { type: ['string', 'null'], enum: [...DIFF_SOURCES, null] },
  commit_sha: TEXT_OR_NULL,
  repo_full_name: TEXT_OR_NULL,
  ref: TEXT_OR_NULL,
  post_vcs_status: { type: 'boolean' },
  vcs_status: { anyOf: [{ type: 'null' }, VCS_STATUS] },
  submitted_by: PRINCIPAL,
  queue: { anyOf: [{ type: 'null' }, exactly({ attempts: COUNT, queued_at: TIME })] },
  push: { anyOf: [{ type: 'null' }, PUSH] },
  rev: COUNT,
});

const GATE_COUNT = exactly({ status: TEXT, findings_count: COUNT });

export const RFC_SUMMARY = exactly({
  rfc_id: TEXT,
  repo_name: TEXT,
  branch: TEXT,
  commit_message: TEXT,
  overall_status: STATUS,
  risk_score: SCORE,
  created_at: TIME,
  updated_at: TIME,
  diff_hash: TEXT,
  stats: STATS,
  gates: exactly({ risk: GATE_COUNT, ast: GATE_COUNT, llm: GATE_COUNT }),
  override: OVERRIDE,
});

export const RFC_LIST = { type: 'array', items: RFC_SUMMARY } as const;

export const RFC_QUERY = {
  type: 'object',
  properties: { wait: { type: 'integer', minimum: 0, maximum: HTTP.WAIT_SECONDS_MAX } },
} as const;

export const LIST_QUERY = {
  type: 'object',
  properties: {
    status: STATUS,
    repo: { type: 'string', minLength: 1 },
    limit: { type: 'integer', minimum: 1, maximum: STORE.LIST_LIMIT_MAX },
    cursor: { type: 'string', minLength: 1 },
  },
} as const;

/** What lists that go on have besides `data`. */
export const NEXT_CURSOR = {
  next_cursor: { ...TEXT_OR_NULL, description: 'Goes on with the list; null: this is its end' },
} as const;

export const OPENAPI = {
  type: 'object',
  description: 'OpenAPI 3.1 (spec.openapis.org/oas/v3.1.1)',
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.' },
    info: { type: 'object' },
    paths: { type: 'object' },
  },
} as const;

export const SARIF_LOG = {
  type: 'object',
  description: 'SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0)',
  required: ['version', 'runs'],
  properties: { version: { type: 'string', enum: ['2.1.0'] }, runs: { type: 'array' } },
} as const;
