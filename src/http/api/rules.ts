import { isUtf8 } from 'node:buffer';
import type { Redact } from '../../analysis/job.ts';
import { ACCESS } from '../../auth/access.ts';
import { CraError, invalidField } from '../../model/errors.ts';
import { RULES } from '../../model/limits.ts';
import { DEFAULT_TENANT } from '../../model/principal.ts';
import { RULES_FILE } from '../../model/rules.ts';
import { COUNT, exactly, TEXT, TEXT_OR_NULL, TIME } from '../../model/schema.ts';
import { type RulesDryRun, SKIP_REASONS, UNREACHED_REASONS } from '../../rulebook/rules-dry-run.ts';
import type { RulesKeeper } from '../../rulebook/rules-keeper.ts';
import { createShownRules } from '../../rulebook/shown-rules.ts';
import type { Call, Handler, Route } from '../server/dispatch.ts';
import { dataReply, HttpRefusal, type Reply } from '../server/reply.ts';
import { GET, POST, requesterOf, textOrNull } from './endpoint.ts';

export const REVISION_ANSWER = exactly({
  number: COUNT,
  revision: TEXT,
  source: { type: 'string', enum: ['file', 'api'] },
  text_sha256: TEXT,
  added_at: TIME,
  added_by: TEXT,
  comment: TEXT,
  built_in: { type: 'boolean', description: 'It is the built-in set of this version' },
});
export const REVISION_LIST = { type: 'array', items: REVISION_ANSWER } as const;

const VERDICT = { type: 'string', enum: ['PASSED', 'BLOCKED'] } as const;
const CHANGED = exactly({
  rfc_id: TEXT,
  repo_name: TEXT,
  from: VERDICT,
  to: VERDICT,
  new_rules: { type: 'array', items: TEXT },
  gone_rules: { type: 'array', items: TEXT },
  components: {
    type: 'array',
    items: exactly({ id: TEXT, from: VERDICT, to: VERDICT }),
    description: 'Components with another verdict',
  },
});

const DRY_RUN_ANSWER = exactly({
  revision: TEXT,
  looked_at: exactly({
    rfcs: { ...COUNT, description: 'The newest RFCs of the tenant, in all' },
    from: { ...TEXT_OR_NULL, description: 'When the oldest of them was made' },
    until: { ...TEXT_OR_NULL, description: 'When the newest of them was made' },
    from_store: { ...COUNT, description: 'Checked by the diff that was submitted' },
    from_mirror: { ...COUNT, description: 'Pushes, checked by the diff of the mirror' },
    bytes: { ...COUNT, description: 'Bytes of the diffs that were read' },
  }),
  checked: COUNT,
  skipped: { ...COUNT, description: 'There was nothing to check; `left_out` says why' },
  unreached: { ...COUNT, description: 'Not checked: time, threads or bytes ran out' },
  left_out: {
    type: 'array',
    items: exactly({
      reason: { type: 'string', enum: [...SKIP_REASONS, ...UNREACHED_REASONS] },
      count: COUNT,
      detail: { ...TEXT_OR_NULL, description: 'What git said of the first of them' },
    }),
  },
  changed: { type: 'array', items: CHANGED },
});

const RULES_ANSWER = {
  type: 'object',
  description:
    'The new revision; with dry_run the verdicts that it would change, and nothing is stored',
  oneOf: [REVISION_ANSWER, DRY_RUN_ANSWER],
} as const;

const RULES_PUT_QUERY = {
  type: 'object',
  properties: {
    dry_run: { type: 'string', enum: ['true', 'false'] },
    limit: { type: 'integer', minimum: 1, maximum: RULES.DRY_RUN_RFCS_MAX },
    comment: { type: 'string', maxLength: RULES.COMMENT_CHARS_MAX },
  },
} as const;

const DRY_RUN_QUERY = {
  type: 'object',
  properties: {
    limit: RULES_PUT_QUERY.properties.limit,
    rfc_id: { type: 'string', minLength: 1, description: 'One RFC in place of the newest' },
  },
} as const;

const REVISION_QUERY = {
  type: 'object',
  properties: { before: { type: 'integer', minimum: 1, maximum: RULES.NUMBER_MAX } },
} as const;

const RULES_QUERY = {
  type: 'object',
  properties: { rule: { type: 'string', minLength: 1 } },
} as const;

const RULES_LIST = {
  type: 'object',
  description: 'As the rules; of each pattern id, report_as, severity, description and cwe alone',
} as const;

/** Endpoints of the rules configuration. */
export const RULES_ROUTES = [
  {
    ...GET,
    name: 'rules',
    path: '/api/cra/rules',
    summary:
      'The rules in force; the ETag names their revision. ?rule=ID: the patterns of one rule',
    auth: ACCESS.read,
    query: RULES_QUERY,
    data: RULES_FILE,
    hasEtag: true,
  },
  {
    ...GET,
    name: 'rules-list',
    path: '/api/cra/rules/list',
    summary: 'The rules in force with few fields of each pattern',
    auth: ACCESS.read,
    query: null,
    data: RULES_LIST,
    hasEtag: true,
  },
  {
    name: 'rules-put',
    method: 'PUT',
    path: '/api/cra/rules',
    summary: 'Replace the rules; ?dry_run=true shows which recent verdicts would change',
    auth: ACCESS.rules,
    query: RULES_PUT_QUERY,
    body: RULES_FILE,
    bodyBytesMax: RULES.FILE_BYTES_MAX,
    data: RULES_ANSWER,
    headers: ['If-Match'],
    hasEtag: true,
    refusals: [409, 412],
  },
  {
    ...POST,
    name: 'rules-dry-run',
    path: '/api/cra/rules/dry-run',
    summary: 'Which recent verdicts these rules would change; nothing is stored',
    auth: ACCESS.tryRules,
    query: DRY_RUN_QUERY,
    body: RULES_FILE,
    bodyBytesMax: RULES.FILE_BYTES_MAX,
    data: DRY_RUN_ANSWER,
    refusals: [404],
  },
  {
    ...GET,
    name: 'rules-revisions',
    path: '/api/cra/rules/revisions',
    summary: 'Revisions of the rules, the newest first; ?before=NUMBER goes on',
    auth: ACCESS.read,
    query: REVISION_QUERY,
    data: REVISION_LIST,
  },
  {
    ...GET,
    name: 'rules-revision',
    path: '/api/cra/rules/revisions/:number',
    summary: 'The rules file of a revision',
    auth: ACCESS.read,
    query: null,
    data: RULES_FILE,
    refusals: [404],
  },
  {
    ...POST,
    name: 'rules-restore',
    path: '/api/cra/rules/revisions/:number/restore',
    summary: 'Make an old revision the newest',
    auth: ACCESS.rules,
    body: null,
    data: REVISION_ANSWER,
    headers: ['If-Match'],
    hasEtag: true,
    refusals: [404, 409, 412],
  },
] as const satisfies readonly Route[];

type Entry = Awaited<ReturnType<RulesKeeper['replace']>>;

/** Handlers of the rules configuration. */
export function createRulesHandlers(
  keeper: RulesKeeper,
  dryRun: RulesDryRun,
  redact: Redact,
): Record<(typeof RULES_ROUTES)[number]['name'], Handler> {
  const tagged = (reply: Reply): Reply => ({ ...reply, headers: [['ETag', etagOf(keeper)]] });

  const parts = createShownRules(() => keeper.inForce());

  const answerOf = (entry: Entry) => ({ ...entry, built_in: keeper.isBuiltIn(entry) });
  const shown = (entry: Entry) => dataReply(JSON.stringify(answerOf(entry)));

  async function tried({ principal, query, request }: Call, text: string): Promise<Reply> {
    const limit = Number(query['limit'] ?? RULES.DRY_RUN_RFCS_DEFAULT);
    const rfc_id = textOrNull(query['rfc_id']);
    const of = rfc_id === null ? { limit } : { rfc_id };
    const report = await dryRun(principal, text, of, request.signal);
    return dataReply(JSON.stringify(report));
  }

  /** The comment goes into the audit trail, from which nothing can be removed. */
  async function redacted(comment: string, call: Call): Promise<string> {
    if (comment === '') return '';
    const [text = ''] = await redact([comment], requesterOf(call));
    return text;
  }

  return {
    async rules({ query }) {
      const { rule } = query;
      if (rule === undefined) return tagged(dataReply(keeper.inForce().json()));
      return tagged(dataReply(parts.one(String(rule))));
    },

    async 'rules-list'() {
      return tagged(dataReply(parts.list()));
    },

    async 'rules-put'(call) {
      const expected = expectedNumber(call, keeper);
      const text = textOf(Buffer.from(await call.request.body()));
      const { principal, query } = call;
      if (query['dry_run'] === 'true') return tried(call, text);
      const comment = await redacted(String(query['comment'] ?? ''), call);
      const change = { text, expected, comment };
      const entry = await keeper.replace(principal, change).catch(asMismatch(expected));
      return tagged(shown(entry));
    },

    async 'rules-dry-run'(call) {
      requireDefaultTenant(call);
      return tried(call, textOf(Buffer.from(await call.request.body())));
    },

    async 'rules-revisions'({ query }) {
      const before = query['before'] === undefined ? null : Number(query['before']);
      const entries = await keeper.list(before);
      return dataReply(JSON.stringify(entries.map(answerOf)));
    },

    async 'rules-revision'({ params }) {
      return dataReply(await keeper.textOf(numberOf(params[0])));
    },

    async 'rules-restore'(call) {
      const expected = expectedNumber(call, keeper);
      const number = numberOf(call.params[0]);
      const entry = await keeper
        .rollBack(call.principal, number, expected)
        .catch(asMismatch(expected));
      return tagged(shown(entry));
    },
  };
}

function textOf(bytes: Buffer): string {
  if (bytes.length === 0) throw invalidField('rules', 'must not be empty');
  if (!isUtf8(bytes)) throw invalidField('body', 'must be UTF-8');
  return bytes.toString('utf8');
}

/** Strong: the number of the revision, and the hash of what it resolves to. */
function etagOf(keeper: RulesKeeper): string {
  const { number, revision } = keeper.inForce();
  return `"${number}-${revision}"`;
}

/**
 * The revision that the caller means to replace; null without `If-Match`. 412 when it is another
 * revision in force. All tenants have these rules: only the default tenant may change them.
 */
function expectedNumber(call: Call, keeper: RulesKeeper): number | null {
  requireDefaultTenant(call);
  const { ifMatch } = call.request.headers;
  if (ifMatch === '' || ifMatch === '*') return null;
  const wanted = ifMatch.split(',').map((tag) => tag.trim());
  if (!wanted.includes(etagOf(keeper))) throw mismatch(etagOf(keeper));
  return keeper.inForce().number;
}

function requireDefaultTenant({ principal }: Call): void {
  if (principal.tenant_id === DEFAULT_TENANT) return;
  throw new CraError(
    'PERMISSION_DENIED',
    'the rules count for all tenants: only the default tenant may change and try them',
  );
}

/** With `If-Match`, a change that came between is a failed condition, not a conflict. */
function asMismatch(expected: number | null): (thrown: unknown) => never {
  return (thrown) => {
    const isRace = thrown instanceof CraError && thrown.code === 'ABORTED';
    throw isRace && expected !== null ? mismatch('another one') : thrown;
  };
}

function mismatch(current: string): HttpRefusal {
  const message = `the rules have changed: the revision in force is ${current}`;
  return new HttpRefusal(412, 'FAILED_PRECONDITION', message);
}

/** Any odd number is unknown, never malformed. */
function numberOf(text: string | undefined): number {
  if (text !== undefined && /^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new CraError('NOT_FOUND', 'revision of the rules not found');
}
