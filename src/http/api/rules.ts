import { isUtf8 } from 'node:buffer';
import type { Redact } from '../../analysis/job.ts';
import { ACCESS } from '../../auth/access.ts';
import { CraError, invalidField } from '../../model/errors.ts';
import { RULES } from '../../model/limits.ts';
import { DEFAULT_TENANT } from '../../model/principal.ts';
import { RULES_FILE } from '../../model/rules.ts';
import { COUNT, exactly, TEXT, TIME } from '../../model/schema.ts';
import type { RulesDryRun } from '../../rulebook/rules-dry-run.ts';
import type { RulesKeeper } from '../../rulebook/rules-keeper.ts';
import type { Call, Handlers, Route } from '../server/dispatch.ts';
import { dataReply, HttpRefusal, type Reply } from '../server/reply.ts';
import { GET, POST, requesterOf } from './endpoint.ts';

export const REVISION_ANSWER = exactly({
  number: COUNT,
  revision: TEXT,
  source: { type: 'string', enum: ['file', 'api'] },
  text_sha256: TEXT,
  added_at: TIME,
  added_by: TEXT,
  comment: TEXT,
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

const RULES_ANSWER = {
  type: 'object',
  description:
    'The new revision; with dry_run the verdicts that it would change, and nothing is stored',
  oneOf: [
    REVISION_ANSWER,
    exactly({
      revision: TEXT,
      checked: COUNT,
      skipped: { ...COUNT, description: 'Their diff is no longer kept' },
      unreached: { ...COUNT, description: 'Not checked: no thread was free in time' },
      changed: { type: 'array', items: CHANGED },
    }),
  ],
} as const;

const RULES_PUT_QUERY = {
  type: 'object',
  properties: {
    dry_run: { type: 'string', enum: ['true', 'false'] },
    limit: { type: 'integer', minimum: 1, maximum: RULES.DRY_RUN_RFCS_MAX },
    comment: { type: 'string', maxLength: RULES.COMMENT_CHARS_MAX },
  },
} as const;

const REVISION_QUERY = {
  type: 'object',
  properties: { before: { type: 'integer', minimum: 1, maximum: RULES.NUMBER_MAX } },
} as const;

/** Endpoints of the rules configuration. */
export const RULES_ROUTES = [
  {
    ...GET,
    name: 'rules',
    path: '/api/cra/rules',
    summary: 'The rules in force; the ETag names their revision',
    auth: ACCESS.read,
    query: null,
    data: RULES_FILE,
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

/** Handlers of the rules configuration. */
export function createRulesHandlers(
  keeper: RulesKeeper,
  dryRun: RulesDryRun,
  redact: Redact,
): Pick<Handlers, (typeof RULES_ROUTES)[number]['name']> {
  const tagged = (reply: Reply): Reply => ({ ...reply, headers: [['ETag', etagOf(keeper)]] });

  /** The comment goes into the audit trail, from which nothing can be removed. */
  async function redacted(comment: string, call: Call): Promise<string> {
    if (comment === '') return '';
    const [text = ''] = await redact([comment], requesterOf(call));
    return text;
  }

  return {
    async rules() {
      return tagged(dataReply(keeper.inForce().json));
    },

    async 'rules-put'(call) {
      const expected = expectedNumber(call, keeper);
      const text = textOf(Buffer.from(await call.request.body()));
      const { principal, query, request } = call;
      if (query['dry_run'] === 'true') {
        const limit = Number(query['limit'] ?? RULES.DRY_RUN_RFCS_DEFAULT);
        const report = await dryRun(principal, text, limit, request.signal);
        return dataReply(JSON.stringify(report));
      }
      const comment = await redacted(String(query['comment'] ?? ''), call);
      const change = { text, expected, comment };
      const entry = await keeper.replace(principal, change).catch(asMismatch(expected));
      return tagged(dataReply(JSON.stringify(entry)));
    },

    async 'rules-revisions'({ query }) {
      const before = query['before'] === undefined ? null : Number(query['before']);
      return dataReply(JSON.stringify(await keeper.list(before)));
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
      return tagged(dataReply(JSON.stringify(entry)));
    },
  };
}

function textOf(bytes: Buffer): string {
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
 * one that is in force. The rules are those of all tenants: only the default one may change them.
 */
function expectedNumber({ request, principal }: Call, keeper: RulesKeeper): number | null {
  if (principal.tenant_id !== DEFAULT_TENANT) {
    throw new CraError(
      'PERMISSION_DENIED',
      'the rules count for all tenants: only the default tenant may change them',
    );
  }
  const { ifMatch } = request.headers;
  if (ifMatch === '' || ifMatch === '*') return null;
  const wanted = ifMatch.split(',').map((tag) => tag.trim());
  if (!wanted.includes(etagOf(keeper))) throw mismatch(etagOf(keeper));
  return keeper.inForce().number;
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
