import type { Attachments } from '../../analysis/attachments.ts';
import type { Pipeline } from '../../analysis/pipeline.ts';
import type { ReadCode, Rfcs } from '../../analysis/read-rfcs.ts';
import { ACCESS } from '../../auth/access.ts';
import type { DeployCheck } from '../../deploys/deploy-check.ts';
import type { ProdCheck } from '../../heads/prod-check.ts';
import { ANALYZE_ANSWER } from '../../model/answer.ts';
import { ANALYZE_REQUEST } from '../../model/change.ts';
import { DEPLOY_PARTS, ENVIRONMENT } from '../../model/deploy.ts';
import { invalidField } from '../../model/errors.ts';
import { SEVERITIES } from '../../model/finding.ts';
import { BODY, FACETS, RFCS, SEARCH, SEEN } from '../../model/limits.ts';
import { SHOWN_RFC } from '../../model/next-steps.ts';
import { type AttachmentKind, RFC_SUMMARY } from '../../model/records.ts';
import { COMMIT_REPORT } from '../../model/reports.ts';
import { commitId, type RfcStatus, STATUS } from '../../model/rfc.ts';
import { SARIF_TYPE } from '../../model/sarif.ts';
import { COMMIT_ID, COUNT, exactly, SCORE, TEXT, TEXT_OR_NULL, TIME } from '../../model/schema.ts';
import { CHANGED_FILE, CODE_BLOCK } from '../../model/shown-code.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { dataReply, documentReply, taggedReply, tagOf } from '../server/reply.ts';
import { GET, NEXT_CURSOR, TAGGED, textOrNull, WAIT_QUERY, waitMsOf } from './endpoint.ts';

const TERRAFORM_PLAN = {
  type: 'object',
  description: 'What terraform show -json PLANFILE (or tofu show -json) writes, format 1.x',
  required: ['format_version'],
  properties: {
    format_version: TEXT,
    resource_changes: { type: 'array', items: { type: 'object' } },
  },
} as const;

const TOOL_REPORT = {
  type: 'object',
  description: 'SARIF 2.1.0 of one or more tools; gzip is accepted as it is',
  required: ['version', 'runs'],
  properties: {
    version: { type: 'string', enum: ['2.1.0'] },
    runs: { type: 'array', items: { type: 'object' } },
  },
} as const;

const COMMIT_QUERY = {
  type: 'object',
  required: ['repo', 'commit'],
  properties: {
    repo: { type: 'string', minLength: 1, description: '`repo_name` of its RFCs' },
    commit: { type: 'string', pattern: COMMIT_ID },
  },
  additionalProperties: false,
} as const;

export const ANALYZE_ROUTES = [
  {
    name: 'analyze',
    method: 'POST',
    path: '/api/cra/analyze',
    summary: 'Create an RFC from a unified diff and run the gates',
    auth: ACCESS.submit,
    query: null,
    body: ANALYZE_REQUEST,
    bodyBytesMax: BODY.LARGE_BYTES_MAX,
    data: ANALYZE_ANSWER,
  },
  {
    name: 'add-plan',
    method: 'POST',
    path: '/api/cra/rfc/:rfc_id/terraform-plan',
    summary: 'Judge a plan of Terraform for an RFC that has a verdict; it makes nothing milder',
    auth: ACCESS.submit,
    query: null,
    body: TERRAFORM_PLAN,
    bodyBytesMax: BODY.LARGE_BYTES_MAX,
    data: ANALYZE_ANSWER,
    refusals: [404, 409],
  },
  {
    name: 'add-report',
    method: 'POST',
    path: '/api/cra/rfc/:rfc_id/reports',
    summary: 'Add the SARIF report of another tool to an RFC; it only adds',
    auth: ACCESS.submit,
    query: null,
    body: TOOL_REPORT,
    bodyBytesMax: BODY.LARGE_BYTES_MAX,
    data: ANALYZE_ANSWER,
    refusals: [404, 409],
  },
  {
    name: 'add-commit-report',
    method: 'POST',
    path: '/api/cra/reports',
    summary: 'Keep the SARIF report of another tool about a commit, before or after it has an RFC',
    auth: ACCESS.submit,
    query: COMMIT_QUERY,
    body: TOOL_REPORT,
    bodyBytesMax: BODY.LARGE_BYTES_MAX,
    data: COMMIT_REPORT,
  },
] as const satisfies readonly Route[];

/** The handlers of what scan threads judge while the caller waits. */
export function createAnalyzeHandlers(
  pipeline: Pipeline,
  attachments: Attachments,
): Record<(typeof ANALYZE_ROUTES)[number]['name'], Handler> {
  const attaching =
    (kind: AttachmentKind): Handler =>
    async ({ request, principal, params }) => {
      const attachment = await request.body();
      const { remoteAddress, gone: signal } = request;
      const submission = { kind, attachment, principal, remoteAddress, signal };
      return dataReply(await attachments.toRfc(params[0] ?? '', submission));
    };
  return {
    'add-plan': attaching('terraform-plan'),
    'add-report': attaching('report'),

    async 'add-commit-report'({ request, principal, query }) {
      const attachment = await request.body();
      const { remoteAddress, gone: signal } = request;
      const repo_name = String(query['repo']);
      const place = { repo_name, commit_sha: commitId(String(query['commit'])) };
      const submission = { attachment, principal, remoteAddress, signal };
      return dataReply(JSON.stringify(await attachments.toCommit(place, submission)));
    },

    async analyze({ request, principal }) {
      const body = await request.body();
      const { remoteAddress, gone: signal } = request;
      return dataReply(await pipeline.analyze({ body, principal, remoteAddress, signal }));
    },
  };
}

export const RFC_LIST = { type: 'array', items: RFC_SUMMARY } as const;

const LIST_QUERY = {
  type: 'object',
  properties: {
    status: STATUS,
    repo: { type: 'string', minLength: 1 },
    component: { type: 'string', minLength: 1 },
    q: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: RFCS.LIST_LIMIT_MAX },
    cursor: { type: 'string', minLength: 1 },
  },
} as const;

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

const CHANGES_QUERY = {
  type: 'object',
  properties: { file: { type: 'string', minLength: 1 } },
} as const;

const CHANGES_ANSWER = exactly({
  rfc_id: TEXT,
  available: { type: 'boolean' },
  reason: { ...TEXT_OR_NULL, description: 'Why the change is not shown; null: it is' },
  files: {
    type: 'array',
    items: CHANGED_FILE,
  },
  left_out: { ...COUNT, description: 'Files that are not named, as they are too many' },
});

const RELATED_ROWS = {
  type: 'array',
  maxItems: RFCS.RELATED_MAX,
  items: exactly({
    rfc_id: TEXT,
    overall_status: STATUS,
    ref: TEXT_OR_NULL,
    commit_sha: TEXT_OR_NULL,
    created_at: TIME,
    is_carried: { type: 'boolean', description: 'The decision about one holds for the other' },
    same: {
      type: ['string', 'null'],
      enum: ['commit', 'change', null],
      description: 'What a push of carries_to has in common with this one',
    },
  }),
} as const;

const RELATED_ANSWER = exactly({
  rfc_id: TEXT,
  rests_on: { ...RELATED_ROWS, description: 'Without which this verdict does not stand' },
  resting: { ...RELATED_ROWS, description: 'Whose verdicts fall with this one' },
  carries_to: { ...RELATED_ROWS, description: 'BLOCKED pushes that a decision would cover' },
  more: { type: 'boolean', description: 'There are more than these' },
  findings: {
    type: 'array',
    maxItems: SEARCH.FINDINGS_MAX,
    description: 'Where the findings stood before in the repository, the gravest first',
    items: exactly({
      fingerprint: TEXT,
      is_new: {
        type: ['boolean', 'null'],
        description: 'Whether the judged change of the branch before has it not; null: not known',
      },
      before: {
        type: 'array',
        maxItems: SEEN.CHANGES_MAX,
        description: 'Earlier changes that hold it, the newest first',
        items: exactly({
          rfc_id: TEXT,
          overall_status: STATUS,
          created_at: TIME,
          override: RFC_SUMMARY.properties.override,
        }),
      },
      more: { type: 'boolean', description: 'There are more than these' },
    }),
  },
  previous: {
    description: 'The judged change of the branch before it; null: not known',
    anyOf: [
      { type: 'null' },
      exactly({
        rfc_id: TEXT,
        overall_status: STATUS,
        created_at: TIME,
        commit_sha: TEXT_OR_NULL,
        gone: {
          type: 'array',
          maxItems: SEARCH.FINDINGS_MAX,
          description:
            'Its findings that count and are gone, the gravest first; none before a verdict',
          items: exactly({
            finding_id: TEXT,
            id: { type: 'string', description: 'Rule' },
            title: TEXT,
            severity: { type: 'string', enum: [...SEVERITIES] },
            file: TEXT_OR_NULL,
            line: { type: ['integer', 'null'], minimum: 1 },
          }),
        },
        gone_total: COUNT,
      }),
    ],
  },
});

const SARIF_LOG = {
  type: 'object',
  description: 'SARIF 2.1.0 (docs.oasis-open.org/sarif/sarif/v2.1.0)',
  required: ['version', 'runs'],
  properties: { version: { type: 'string', enum: ['2.1.0'] }, runs: { type: 'array' } },
} as const;

const FACET = {
  type: 'array',
  maxItems: FACETS.VALUES_MAX,
  items: exactly({ value: TEXT, count: COUNT }),
} as const;

const FACETS_ANSWER = exactly({
  counted: { ...COUNT, maximum: FACETS.RECORDS_MAX, description: 'RFCs that were counted' },
  more: { type: 'boolean', description: 'Older RFCs match, too, and are not counted' },
  status: FACET,
  severity: { ...FACET, description: 'RFCs with a finding of this severity that counts' },
  repo: FACET,
  rule: FACET,
  component: FACET,
});

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
    data: SHOWN_RFC,
    ...TAGGED,
    refusals: [404, 410],
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
    name: 'rfc-changes',
    path: '/api/cra/rfc/:rfc_id/changes',
    summary: 'The change of one RFC by file, without secrets; ?file=PATH: one file of it',
    auth: ACCESS.read,
    query: CHANGES_QUERY,
    data: CHANGES_ANSWER,
    refusals: [404],
  },
  {
    ...GET,
    name: 'rfc-related',
    path: '/api/cra/rfc/:rfc_id/related',
    summary: 'What the verdict of one RFC depends on, what depends on it, what a decision covers',
    auth: ACCESS.read,
    query: null,
    data: RELATED_ANSWER,
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
    ...TAGGED,
  },
  {
    ...GET,
    name: 'rfcs-facets',
    path: '/api/cra/rfcs/facets',
    summary: 'How many of the newest RFCs that a search finds have each status, severity, ...',
    auth: ACCESS.read,
    query: { type: 'object', properties: { q: { type: 'string' } } },
    data: FACETS_ANSWER,
  },
] as const satisfies readonly Route[];

/** Handlers that read RFCs. */
export function createRfcHandlers(
  rfcs: Rfcs,
  readCode: ReadCode,
): Record<(typeof RFC_ROUTES)[number]['name'], Handler> {
  return {
    async 'rfc-code'({ request, principal, params }) {
      return dataReply(await readCode(principal, params[0] ?? '', null, request.signal));
    },

    async 'rfc-changes'({ request, principal, params, query }) {
      const changes = { file: textOrNull(query['file']) };
      return dataReply(await readCode(principal, params[0] ?? '', changes, request.signal));
    },

    async 'rfc-related'({ principal, params }) {
      const rfc_id = params[0] ?? '';
      return dataReply(JSON.stringify({ rfc_id, ...(await rfcs.related(principal, rfc_id)) }));
    },

    async rfc({ request, principal, params, query }) {
      const waitMs = waitMsOf(query);
      const signal = waitMs === 0 ? null : request.signal;
      const view = await rfcs.get(principal, params[0] ?? '', waitMs, signal);
      const { ifNoneMatch } = request.headers;
      return taggedReply(`"${view.rev}"`, ifNoneMatch, () => dataReply(view.json));
    },

    async sarif({ request, principal, params, query }) {
      const waitMs = waitMsOf(query);
      const log = await rfcs.sarif(principal, params[0] ?? '', waitMs, request.signal);
      return documentReply(SARIF_TYPE, log);
    },

    async 'rfcs-facets'({ principal, query }) {
      return dataReply(JSON.stringify(await rfcs.facets(principal, textOrNull(query['q']) ?? '')));
    },

    async rfcs({ request, principal, query }) {
      const beside = ['status', 'repo', 'component'].find((name) => query[name] !== undefined);
      if (query['q'] !== undefined && beside !== undefined) {
        throw invalidField(beside, 'is a term of q where q is given');
      }
      const list = await rfcs.list(principal, {
        status: (query['status'] as RfcStatus | undefined) ?? null,
        repo: textOrNull(query['repo']),
        component: textOrNull(query['component']),
        q: textOrNull(query['q']),
        limit: Number(query['limit'] ?? RFCS.LIST_LIMIT_DEFAULT),
        cursor: textOrNull(query['cursor']),
      });
      const next = JSON.stringify(list.next_cursor);
      return taggedReply(tagOf(list.json, next), request.headers.ifNoneMatch, () =>
        dataReply(list.json, `,"next_cursor":${next}`),
      );
    },
  };
}

const PLAIN_DECISION = exactly({
  allowed: { type: 'boolean' },
  rfcId: TEXT,
  riskScore: SCORE,
  reason: TEXT,
  approveUrl: TEXT,
  latest_rfc_id: TEXT,
});
/** With `environment` the answer has `deploy`, too. */
export const PROD_DECISION = {
  ...PLAIN_DECISION,
  properties: { ...PLAIN_DECISION.properties, deploy: DEPLOY_PARTS },
} as const;

const PROD_QUERY = {
  type: 'object',
  properties: {
    branch: { type: 'string', minLength: 1 },
    sha: { type: 'string', pattern: COMMIT_ID },
    component: { type: 'string', minLength: 1 },
    environment: ENVIRONMENT,
  },
  // A misspelt parameter must not get the answer for the whole repository.
  additionalProperties: false,
} as const;

export const PROD_CHECK_ROUTES = [
  {
    ...GET,
    name: 'prod-check',
    path: '/api/cra/prod-check/*',
    summary:
      'Whether a repository may deploy; ?environment=, ?branch=, ?sha=, ?component= narrow it',
    auth: ACCESS.read,
    query: PROD_QUERY,
    data: PROD_DECISION,
    refusals: [404],
  },
] as const satisfies readonly Route[];

/** The handler of prod-check. */
export function createProdCheckHandlers(
  prodCheck: ProdCheck,
  deployCheck: DeployCheck,
): Record<'prod-check', Handler> {
  return {
    async 'prod-check'({ principal, params, query }) {
      const branch = textOrNull(query['branch']);
      const sha = textOrNull(query['sha']);
      const component = textOrNull(query['component']);
      const repo = params[0] ?? '';
      const environment = textOrNull(query['environment']);
      const question = { repo, branch, sha, component };
      const decision =
        environment === null
          ? await prodCheck(principal, question)
          : await deployCheck(principal, { ...question, environment });
      return dataReply(JSON.stringify(decision));
    },
  };
}
