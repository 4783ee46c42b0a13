import { randomUUID } from 'node:crypto';
import { approveUrl } from '../model/records.ts';
import { END, PATTERN_PROBLEMS, WORDS } from '../model/schema.ts';
import { type ApiReply, type ApiRequest, type CallApi, isRecord } from './service.ts';
import type { Ceilings, OverrideOptions, Reservation, SessionView, StartAsk } from './sessions.ts';
import {
  dataOf,
  RFC_ID,
  recordOf,
  refusalText,
  type ToolCall,
  type ToolContext,
  type ToolDefinition,
  ToolError,
} from './tools.ts';

const REASON_CHARS_MIN = 20;
const REASON_CHARS_MAX = 2_000;
/** Findings that no session overrides (specification, Limits: Blocked findings). */
const HARD_LIMIT = /^vuln-(?:0[1-9]|10)$/;
/** Times that a call without a readable answer is asked again, with the same key. */
const REPEATS = 2;
const OVERRIDE_TIMEOUT_MS = 20_000;

const REASON = {
  type: 'string',
  minLength: REASON_CHARS_MIN,
  maxLength: REASON_CHARS_MAX,
  description: 'Kept in the write-once audit trail; at least 20 characters, with a letter or digit',
} as const;
const SESSION_ID = { type: 'string', pattern: '^s_[0-9a-f-]+$' } as const;
const LOCAL = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
const CHANGES = { ...LOCAL, destructiveHint: true, openWorldHint: true };

/**
 * Override sessions, the override itself and the review of an emergency; these two are listed only
 * with an override token, the review not with that of agents, which may not do it.
 */
export function overrideTools(context: ToolContext): ToolDefinition[] {
  const sessions = [startTool(context), listTool(context), endTool(context)];
  if (context.overrideToken === '') return sessions;
  if (context.isAgentToken) return [...sessions, overrideTool(context)];
  return [...sessions, overrideTool(context), reviewTool(context)];
}

function startTool(context: ToolContext): ToolDefinition {
  const { sessions, settings } = context;
  return {
    name: 'cra.start_override_session',
    title: 'Start an override session',
    description:
      'Starts a session in which cra.override may override BLOCKED RFCs up to a risk score, a ' +
      'number of overrides and a time. Ask the person you work for first.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['reason'],
      properties: {
        reason: REASON,
        ttl_minutes: { type: 'integer', minimum: 1, maximum: 60, default: 60 },
        max_score: {
          type: 'integer',
          minimum: 0,
          maximum: settings.maxScore,
          default: settings.maxScore,
          description: 'At most CRA_MCP_MAX_SCORE of the tool server',
        },
        max_overrides: {
          type: 'integer',
          minimum: 1,
          maximum: settings.maxOverrides,
          default: settings.maxOverrides,
          description: 'At most CRA_MCP_MAX_OVERRIDES of the tool server',
        },
      },
    },
    annotations: LOCAL,
    async run({ reason, ttl_minutes, max_score, max_overrides }, call) {
      needToken(context);
      const ask = {
        reason: reasonOf(reason),
        ttlMinutes: Number(ttl_minutes),
        maxScore: Number(max_score),
        maxOverrides: Number(max_overrides),
        isConfirmed: settings.confirmsSessions,
      };
      if (ask.isConfirmed) needPerson(context, ask, call);
      return { ...(await sessions.start(ask)) };
    },
  };
}

/** Throws unless a person confirms the session, or an `OpenQuestion` until then. */
function needPerson({ settings }: ToolContext, ask: StartAsk, { person }: ToolCall): void {
  const elsewhere = `let a person decide about the RFC at the dashboard, ${settings.publicUrl}/cra`;
  if (person === undefined) {
    throw new ToolError(
      'a person has to confirm each session (CRA_MCP_CONFIRM_SESSIONS), and this client cannot ' +
        `ask a person, as it offers no elicitation: ${elsewhere}`,
    );
  }
  if (person.isConfirmed(questionOf(ask))) return;
  throw new ToolError(`the person did not confirm the session: do not ask again, ${elsewhere}`);
}

/** What turns or hides text is left out: an agent wrote the reason. */
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

function questionOf({ reason, ttlMinutes, maxScore, maxOverrides }: StartAsk): string {
  return (
    `An agent asks to override blocked changes by itself: at most ${maxOverrides} of them with a ` +
    `risk score of up to ${maxScore}, within ${ttlMinutes} minutes. Its reason, in its words: ` +
    `"${reason.replace(NOT_SHOWN, ' ')}". Allow it?`
  );
}

function listTool(context: ToolContext): ToolDefinition {
  const { sessions } = context;
  return {
    name: 'cra.list_sessions',
    title: 'List override sessions',
    description: 'Lists the active override sessions.',
    inputSchema: { type: 'object', additionalProperties: false, properties: {} },
    annotations: { ...LOCAL, readOnlyHint: true, idempotentHint: true },
    async run() {
      needToken(context);
      const active = sessions.listActive();
      return { count: active.length, sessions: active };
    },
  };
}

function endTool(context: ToolContext): ToolDefinition {
  const { sessions } = context;
  return {
    name: 'cra.end_session',
    title: 'End an override session',
    description: 'Ends an override session; overrides with it are denied from then on.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['session_id'],
      properties: { session_id: SESSION_ID },
    },
    annotations: { ...LOCAL, idempotentHint: true },
    async run({ session_id }) {
      needToken(context);
      const id = String(session_id);
      if (await sessions.end(id)) return { session_id: id, ended: true };
      throw new ToolError(`there is no active session ${id}: cra.list_sessions shows them`);
    },
  };
}

/** What the token of agents may not ask for. */
const OPTIONS = {
  emergency: {
    type: 'boolean',
    description: 'Somebody else has to review the override, by a day that the rules set',
  },
  accept_findings: {
    type: 'boolean',
    description: 'Suppresses the findings in this repository from now on',
  },
  expires_at: {
    type: 'string',
    pattern: END,
    description: 'With accept_findings: the day (2027-03-01) or time in UTC when that ends',
  },
} as const;

function overrideTool(context: ToolContext): ToolDefinition {
  return {
    name: 'cra.override',
    title: 'Override a blocked RFC',
    description:
      'Overrides a BLOCKED RFC within the active override session. vuln-01 to vuln-10, a failed ' +
      'Gate 3 and scores above the cap are escalated to the dashboard (allowed: false): give ' +
      'approveUrl to a person and do not retry.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['rfc_id', 'reason'],
      properties: {
        rfc_id: RFC_ID,
        reason: REASON,
        ...(context.isAgentToken ? {} : OPTIONS),
      },
    },
    annotations: CHANGES,
    run: async ({ rfc_id, reason, ...options }, call) =>
      override(context, { rfcId: String(rfc_id), reason: reasonOf(reason), options }, call),
  };
}

function reviewTool(context: ToolContext): ToolDefinition {
  return {
    name: 'cra.review_emergency',
    title: 'Review an emergency override',
    description:
      'Objects to an emergency override, which revokes it, or confirms it. Only a person may ' +
      'confirm, and nobody may review an override of their own: the service refuses both.',
    inputSchema: {
      type: 'object',
      additionalProperties: false,
      required: ['rfc_id', 'outcome', 'reason'],
      properties: {
        rfc_id: RFC_ID,
        outcome: { type: 'string', enum: ['confirm', 'object'] },
        reason: REASON,
      },
    },
    annotations: CHANGES,
    run: async ({ rfc_id, outcome, reason }) =>
      review(context, String(rfc_id), { outcome, reason: reasonOf(reason) }),
  };
}

function needToken({ overrideToken }: ToolContext): void {
  if (overrideToken === '') throw new ToolError(NO_OVERRIDE_TOKEN);
}

const NO_OVERRIDE_TOKEN =
  'override sessions need the override token: run "cra mcp login --override", or set ' +
  'CRA_MCP_OVERRIDE_TOKEN or CRA_MCP_AGENT_OVERRIDE_TOKEN, and start the tool server again';

/**
 * A reason that says something (`WORDS`). Not a pattern of the schema: hosts read that in languages
 * whose expressions have no classes of Unicode.
 */
function reasonOf(reason: unknown): string {
  const text = String(reason);
  if (READABLE.test(text)) return text;
  throw new ToolError(`invalid arguments: reason ${PATTERN_PROBLEMS.get(WORDS)}`);
}

const READABLE = new RegExp(WORDS, 'u');

async function override(
  context: ToolContext,
  { rfcId, reason, options }: { rfcId: string; reason: string; options: OverrideOptions },
  call: ToolCall,
): Promise<Record<string, unknown>> {
  const { sessions, api } = context;
  call.sessionId = null;
  needAuditLog(context, 'overridden');
  const session = withinCeilings(activeSession(context), context);
  call.sessionId = session.id;
  const path = `rfc/${encodeURIComponent(rfcId)}`;
  const rfc = recordOf(dataOf(await api({ method: 'GET', path, signal: call.signal })).data);
  const problem = escalationReason(rfc, session);
  if (problem !== null) return escalate(context, rfcId, problem);
  const status = String(rfc['overall_status']);
  if (status !== 'BLOCKED') throw new ToolError(notBlocked(status));
  const rev = Number(rfc['rev']);
  const ceilings = ceilingsOf(context);
  const ask = { sessionId: session.id, ceilings, rfcId, reason, options, rev };
  const reservation = await sessions.reserve(ask);
  if (reservation === null) {
    const text = 'the session ended or the budget was used up meanwhile, or another call overrides';
    throw new ToolError(`${text} this RFC: look at cra.list_sessions and cra.get_rfc`);
  }
  call.sessionId = reservation.sessionId;
  return await send(context, reservation, call);
}

/** A session that was started under higher settings gets no more than the current ones allow. */
function withinCeilings(session: SessionView, { settings }: ToolContext): SessionView {
  if (session.used >= settings.maxOverrides) {
    const { maxOverrides } = settings;
    const message = `session ${session.id} has used the ${maxOverrides} overrides of CRA_MCP_MAX_OVERRIDES`;
    throw new ToolError(`${message}: ask for a new one`);
  }
  return { ...session, max_score: Math.min(session.max_score, settings.maxScore) };
}

function needAuditLog({ checkAuditLog }: ToolContext, done: string): void {
  try {
    checkAuditLog();
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ToolError(`the audit log cannot be written, so nothing is ${done} (${why})`);
  }
}

function ceilingsOf({ settings }: ToolContext): Ceilings {
  return { overridesMax: settings.maxOverrides, isConfirmedOnly: settings.confirmsSessions };
}

function activeSession(context: ToolContext): SessionView {
  const ceilings = ceilingsOf(context);
  const choice = context.sessions.choose(ceilings);
  if (choice.kind === 'session') return choice.session;
  if (choice.kind === 'none') {
    const which = ceilings.isConfirmedOnly ? 'that a person confirmed is active' : 'is active';
    throw new ToolError(`no override session ${which}: start one with cra.start_override_session`);
  }
  if (choice.kind === 'full') {
    const { overridesMax } = ceilings;
    const used = `all sessions together have used the ${overridesMax} overrides of an hour`;
    throw new ToolError(
      `${used} (CRA_MCP_MAX_OVERRIDES): the next one is possible at ${choice.freeAt}, or a person ` +
        'decides at the dashboard',
    );
  }
  const { id, max_overrides } = choice.session;
  throw new ToolError(`session ${id} has used its ${max_overrides} overrides: ask for a new one`);
}

function notBlocked(status: string): string {
  if (status === 'DRAFT')
    return 'the RFC is still a DRAFT: poll with cra.get_rfc until it is final';
  return `only a BLOCKED RFC can be overridden; this one is ${status}`;
}

/**
 * Why an RFC needs a person at the dashboard; null: the session may override it. The service
 * names the limits from all findings (`hard_limits`); where it does not, the findings are read,
 * and a list that was cut may hide one.
 */
function escalationReason(rfc: Record<string, unknown>, session: SessionView): string | null {
  const gates = isRecord(rfc['gates']) ? Object.values(rfc['gates']).filter(isRecord) : [];
  if (gates.length === 0) return 'the gate results could not be read';
  const findings = gates.flatMap((gate) =>
    Array.isArray(gate['findings']) ? gate['findings'].filter(isRecord) : [],
  );
  const limits = rfc['hard_limits'];
  const named = [
    ...(Array.isArray(limits) ? limits.map(String) : []),
    ...findings.map((each) => String(each['id'])),
  ].map((id) => id.trim().toLowerCase());
  const found = named.find((id) => HARD_LIMIT.test(id));
  if (found !== undefined) return `${found} always needs approval at the dashboard`;
  const llm = isRecord(rfc['gates']) ? rfc['gates']['llm'] : null;
  const status = isRecord(llm) ? llm['status'] : undefined;
  if (String(status).trim().toLowerCase() === 'fail' || named.includes('llm')) {
    return 'Gate 3 failed, which always needs approval at the dashboard';
  }
  // Whatever else it says, also in another spelling: nobody knows that the model let it pass.
  if (status !== 'pass' && status !== 'skipped') {
    return 'the status of Gate 3 is neither pass nor skipped, so a person has to look at it';
  }
  if (!Array.isArray(limits) && findings.some(({ id }) => id === 'findings-overflow')) {
    return 'the list of findings is cut, so it cannot be checked completely';
  }
  const score = rfc['risk_score'];
  if (!Number.isFinite(score)) return 'the risk score could not be read';
  if (Number(score) <= session.max_score) return null;
  return `the risk score ${score} is above the cap of the session, ${session.max_score}`;
}

/** Not an error (specification, Errors 3): the answer of a gate that works. */
function escalate({ settings }: ToolContext, rfcId: string, problem: string) {
  return {
    allowed: false,
    reason: `${problem}. Do not retry: a person has to decide`,
    requiresDashboardApproval: true,
    approveUrl: approveUrl(settings.publicUrl, rfcId),
  };
}

/**
 * Sends the override. Not stopped when the client cancels: a person could not tell whether it
 * happened.
 */
async function send(
  context: ToolContext,
  reservation: Reservation,
  call: ToolCall,
): Promise<Record<string, unknown>> {
  const { api, sessions, overrideToken } = context;
  const { rfcId, key, rev, reason, options = {}, sessionId } = reservation;
  const { reply, isUncertain } = await postSurely(api, {
    path: `approve/${encodeURIComponent(rfcId)}`,
    body: { action: 'override', reason: `${reason} (override session ${sessionId})`, ...options },
    headers: { 'Idempotency-Key': key, ...(Number.isInteger(rev) && { 'If-Match': `"${rev}"` }) },
    token: overrideToken,
  });
  if (reply.kind === 'data') {
    call.settle = () => sessions.settle(reservation, 'kept');
    // Of an earlier call with this key, whatever this one asked for.
    const { emergency } = options;
    const made = { allowed: true, rfc_id: rfcId, overall_status: statusIn(reply.data) };
    return { ...made, session_id: sessionId, ...(emergency === true && { emergency }) };
  }
  if (reservation.isRepeat || isUncertain) {
    call.settle = () => sessions.settle(reservation, 'unknown');
    throw new ToolError(
      `whether the RFC was overridden is not known (${reply.error}): look at it with ` +
        'cra.get_rfc; the budget of the session stays used, and the same call asks again without ' +
        'overriding twice',
    );
  }
  call.settle = () => sessions.settle(reservation, 'given-back');
  // The service holds the ceilings of agents itself.
  if (reply.kind === 'refused' && reply.details['requiresDashboardApproval'] === true) {
    return escalate(context, rfcId, reply.error);
  }
  if (reply.kind === 'not-sent') throw new ToolError(reply.error);
  if (reply.kind === 'refused' && reply.status === 412) {
    throw new ToolError('the RFC changed while it was checked; nothing was overridden: call again');
  }
  const status = reply.kind === 'refused' ? reply.status : 0;
  throw new ToolError(refusalText(status, reply.error));
}

/** Needs no session: a token can only object, which lets nothing pass. */
async function review(
  context: ToolContext,
  rfcId: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { api, overrideToken } = context;
  needAuditLog(context, 'reviewed');
  const { reply, isUncertain } = await postSurely(api, {
    path: `rfc/${encodeURIComponent(rfcId)}/review-emergency`,
    body,
    headers: { 'Idempotency-Key': randomUUID() },
    token: overrideToken,
  });
  if (reply.kind !== 'data' && isUncertain) {
    const text = `whether the override was reviewed is not known (${reply.error})`;
    throw new ToolError(`${text}: look at it with cra.get_rfc`);
  }
  const overall_status = statusIn(dataOf(reply).data);
  return { rfc_id: rfcId, overall_status, outcome: body['outcome'] };
}

function statusIn(data: unknown): unknown {
  return isRecord(data) ? (data['overall_status'] ?? null) : null;
}

/**
 * Posts, and again while no readable answer comes: the request has an Idempotency-Key. After one
 * call without such an answer (`isUncertain`) no refusal proves that nothing was changed.
 */
async function postSurely(
  api: CallApi,
  request: Omit<ApiRequest, 'method'>,
): Promise<{ reply: ApiReply; isUncertain: boolean }> {
  const post = () => api({ ...request, method: 'POST', timeoutMs: OVERRIDE_TIMEOUT_MS });
  let reply = await post();
  const isUncertain = isOpen(reply);
  for (let repeat = 0; repeat < REPEATS && isOpen(reply); repeat += 1) reply = await post();
  return { reply, isUncertain };
}

/** Whether the service may have changed something: time-out, cut, 500 or 504. */
function isOpen(reply: ApiReply): boolean {
  if (reply.kind === 'refused') return reply.status >= 500 && reply.status !== 503;
  return reply.kind === 'unknown';
}
