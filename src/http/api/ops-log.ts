import { ACCESS } from '../../auth/access.ts';
import { createRateLimiter } from '../../core/pacing.ts';
import type { OpsLog } from '../../decisions/trail.ts';
import { DECISIONS, FIELDS } from '../../model/limits.ts';
import { exactly, WHOLE, WORDS } from '../../model/schema.ts';
import type { Handlers } from '../server/dispatch.ts';
import { tooManyRequests } from '../server/refusal.ts';
import { createBodyReader, operationReply, requesterOf } from '../server/request-body.ts';
import type { Route } from '../server/route.ts';
import { AUDITED, AUDITED_POST } from './decisions.ts';

const NAME = { type: 'string', maxLength: FIELDS.REPO_NAME_CHARS_MAX, pattern: WORDS } as const;
const LINES = {
  type: 'string',
  maxLength: DECISIONS.OPS_LOG_TEXT_CHARS_MAX,
  pattern: WHOLE,
} as const;

const OPS_LOG_REQUEST = {
  type: 'object',
  required: ['action', 'description'],
  properties: {
    action: {
      type: 'string',
      maxLength: DECISIONS.ACTOR_CHARS_MAX,
      pattern: WORDS,
      description: 'Short name',
    },
    description: { ...LINES, pattern: WORDS },
    command: { ...LINES, description: 'Shell command that was run' },
    repo: NAME,
    app: NAME,
    environment: NAME,
  },
} as const;

export const OPS_LOG_ANSWER = exactly(AUDITED);

export const OPS_LOG_ROUTES = [
  {
    ...AUDITED_POST,
    name: 'ops-log',
    path: '/api/cra/ops-log',
    summary: 'Record an operational event without a diff in the audit trail',
    auth: ACCESS.submit,
    body: OPS_LOG_REQUEST,
    data: OPS_LOG_ANSWER,
    refusals: [409, 429],
  },
] as const satisfies readonly Route[];

/** The handler of the operations log; limits the entries a minute of each caller. */
export function createOpsLogHandlers(opsLog: OpsLog): Pick<Handlers, 'ops-log'> {
  const read = createBodyReader(OPS_LOG_REQUEST);
  const { OPS_LOG_PER_MINUTE_MAX, OPS_LOG_CALLERS_MAX } = DECISIONS;
  const limiter = createRateLimiter({
    max: OPS_LOG_PER_MINUTE_MAX,
    windowMs: 60_000,
    keysMax: OPS_LOG_CALLERS_MAX,
    now: () => performance.now(),
  });
  return {
    async 'ops-log'(call) {
      const body = await read(call.request);
      const requester = requesterOf(call);
      const waitMs = limiter.take(`${requester.principal.id}@${requester.remoteAddress}`);
      if (waitMs > 0) {
        const what = `more than ${OPS_LOG_PER_MINUTE_MAX} entries a minute`;
        throw tooManyRequests(what, waitMs);
      }
      const { action, description, command = null, repo = null } = body;
      const { app = null, environment = null } = body;
      const event = { action, description, command, repo, app, environment };
      const { replayed, ...outcome } = await opsLog.write(event, requester);
      return operationReply(outcome, replayed);
    },
  };
}
