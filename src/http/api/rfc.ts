import type { ReadCode } from '../../analysis/code.ts';
import type { Rfcs } from '../../analysis/rfcs.ts';
import { ACCESS } from '../../auth/access.ts';
import { SEVERITIES } from '../../model/finding.ts';
import { RFCS } from '../../model/limits.ts';
import { PROVIDERS } from '../../model/push.ts';
import { PERSON_SEVERITIES } from '../../model/remark.ts';
import { SKIP_REASONS } from '../../model/review.ts';
import { DIFF_SOURCES, type RfcStatus } from '../../model/rfc.ts';
import { SARIF_TYPE } from '../../model/sarif.ts';
import type { Handlers } from '../server/dispatch.ts';
import { dataReply, documentReply } from '../server/reply.ts';
import type { Route } from '../server/route.ts';
import { DECISION } from './decisions.ts';
import {
  COUNT,
  exactly,
  GET,
  NEXT_CURSOR,
  PRINCIPAL,
  SCORE,
  STATUS,
  TEXT,
  TEXT_OR_NULL,
  TIME,
  textOrNull,
  WAIT_QUERY,
  waitMsOf,
} from './fields.ts';

const POSITIVE_OR_NULL = { type: ['integer', 'null'], minimum: 1 } as const;

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
  line: POSITIVE_OR_NULL,
  end_line: POSITIVE_OR_NULL,
  column: POSITIVE_OR_NULL,
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
      description: 'Only of gate llm: text of a model, untrusted',
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

export const GATES = exactly({ risk: GATE, ast: GATE, llm: LLM_GATE });
export const STATS = exactly({ files: COUNT, additions: COUNT, deletions: COUNT, bytes: COUNT });
const OVERRIDE = { anyOf: [{ type: 'null' }, exactly({ actor: TEXT, reason: TEXT })] } as const;

/** Only where a commit status was asked for and cannot be posted. */
export const VCS_STATUS = exactly({ posted: { type: 'boolean', enum: [false] }, reason: TEXT });

/** The push of an RFC that a webhook (or a sweep) made. */
const PUSH = exactly({
  host: { type: 'string', description: 'Id in SERVICE_VCS_CONFIG' },
  provider: { type: 'string', enum: [...PROVIDERS] },
  repository_id: { ...TEXT_OR_NULL, description: 'Id of the repository on the host' },
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

const AUTHOR = exactly({ id: TEXT, name: TEXT_OR_NULL });

export const PERSON_FINDING = exactly({
  finding_id: TEXT,
  severity: { type: 'string', enum: [...PERSON_SEVERITIES] },
  message: { type: 'string', description: 'Secrets are redacted' },
  file: TEXT_OR_NULL,
  line: POSITIVE_OR_NULL,
  by: AUTHOR,
  at: TIME,
});

export const COMMENT = exactly({
  comment_id: TEXT,
  finding_id: TEXT,
  text: { type: 'string', description: 'Plain text; secrets are redacted' },
  by: AUTHOR,
  at: TIME,
});

const DISCUSSION = {
  ...exactly({
    findings: { type: 'array', items: PERSON_FINDING },
    comments: { type: 'array', items: COMMENT },
  }),
  description: 'What people say; absent while nobody has said anything. It moves no verdict',
} as const;

const PLAIN_RFC = exactly({
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
    description: 'RFCs whose decisions cover the same change; often empty',
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

/** A review after the verdict. */
const REVIEW = exactly({
  review_id: TEXT,
  principal: { anyOf: [{ type: 'null' }, PRINCIPAL] },
  reason: { ...TEXT_OR_NULL, description: 'Null, like `principal`: the service tried again' },
  at: TIME,
  result: { type: 'string', enum: ['pass', 'fail', 'skipped'] },
  skip_reason: { type: ['string', 'null'], enum: [null, ...SKIP_REASONS] },
  findings_added: COUNT,
  status_before: STATUS,
  status_after: STATUS,
});

export const RFC = {
  ...PLAIN_RFC,
  properties: {
    ...PLAIN_RFC.properties,
    discussion: DISCUSSION,
    review_history: {
      type: 'array',
      items: REVIEW,
      description: 'Reviews after the verdict, the oldest first; absent: none',
    },
  },
} as const;

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

const LIST_QUERY = {
  type: 'object',
  properties: {
    status: STATUS,
    repo: { type: 'string', minLength: 1 },
    limit: { type: 'integer', minimum: 1, maximum: RFCS.LIST_LIMIT_MAX },
    cursor: { type: 'string', minLength: 1 },
  },
} as const;

const LINE_OR_NULL = { type: ['integer', 'null'], minimum: 1 } as const;

const CODE_BLOCK = exactly({
  file: TEXT,
  finding_ids: { type: 'array', items: TEXT },
  lines: {
    type: 'array',
    items: exactly({
      side: { type: 'string', enum: ['added', 'removed', 'context'] },
      old: { ...LINE_OR_NULL, description: 'Line in the old file; null: it is not there' },
      new: { ...LINE_OR_NULL, description: 'Line in the new file; null: it is not there' },
      text: { type: 'string', description: 'Untrusted; secrets read `[secret N]`' },
      is_cut: { type: 'boolean', description: 'Only the part around the finding is here' },
    }),
  },
});

const CODE_ANSWER = exactly({
  rfc_id: TEXT,
  available: { type: 'boolean' },
  reason: { ...TEXT_OR_NULL, description: 'Why there is no code; null: there is' },
  blocks: {
    type: 'array',
    items: CODE_BLOCK,
    description: 'Lines that stand together, in the order of the diff',
  },
  left_out: { ...COUNT, description: 'Findings whose code is not here, as it is too much' },
});

const SARIF_LOG = {
  type: 'object',
  description: 'SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0)',
  required: ['version', 'runs'],
  properties: { version: { type: 'string', enum: ['2.1.0'] }, runs: { type: 'array' } },
} as const;

export const RFC_ROUTES = [
  {
    // Before `rfc`, whose path also matches.
    ...GET,
    name: 'sarif',
    path: '/api/cra/rfc/:rfc_id.sarif',
    summary: 'The findings of one RFC as a SARIF 2.1.0 log; ?wait=SECONDS as for the RFC',
    auth: ACCESS.read,
    query: WAIT_QUERY,
    data: SARIF_LOG,
    contentType: SARIF_TYPE,
    refusals: [404],
  },
  {
    ...GET,
    name: 'rfc',
    path: '/api/cra/rfc/:rfc_id',
    summary: 'One RFC with its gate results; ?wait=SECONDS waits for a DRAFT to become final',
    auth: ACCESS.read,
    query: WAIT_QUERY,
    data: RFC,
    refusals: [404],
  },
  {
    ...GET,
    name: 'rfc-code',
    path: '/api/cra/rfc/:rfc_id/code',
    summary: 'The code around the findings of one RFC, without secrets',
    auth: ACCESS.read,
    query: null,
    data: CODE_ANSWER,
    refusals: [404],
  },
  {
    ...GET,
    name: 'rfcs',
    path: '/api/cra/rfcs',
    summary: 'The most recent RFCs, sorted by status priority',
    auth: ACCESS.read,
    query: LIST_QUERY,
    data: RFC_LIST,
    beside: NEXT_CURSOR,
  },
] as const satisfies readonly Route[];

/** Handlers that read RFCs. */
export function createRfcHandlers(
  rfcs: Rfcs,
  readCode: ReadCode,
): Pick<Handlers, (typeof RFC_ROUTES)[number]['name']> {
  return {
    async 'rfc-code'({ request, principal, params }) {
      return dataReply(await readCode(principal, params[0] ?? '', request.signal));
    },

    async rfc({ request, principal, params, query }) {
      const waitMs = waitMsOf(query);
      const signal = waitMs === 0 ? null : request.signal;
      const view = await rfcs.get(principal, params[0] ?? '', waitMs, signal);
      return dataReply(view.json);
    },

    async sarif({ request, principal, params, query }) {
      const waitMs = waitMsOf(query);
      const log = await rfcs.sarif(principal, params[0] ?? '', waitMs, request.signal);
      return documentReply(SARIF_TYPE, log);
    },

    async rfcs({ principal, query }) {
      const list = await rfcs.list(principal, {
        status: (query['status'] as RfcStatus | undefined) ?? null,
        repo: textOrNull(query['repo']),
        limit: Number(query['limit'] ?? RFCS.LIST_LIMIT_DEFAULT),
        cursor: textOrNull(query['cursor']),
      });
      return dataReply(list.json, `,"next_cursor":${JSON.stringify(list.next_cursor)}`);
    },
  };
}
