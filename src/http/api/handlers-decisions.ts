import { createRateLimiter } from '../../core/rate-limiter.ts';
import type { BulkOverride } from '../../decisions/bulk-override.ts';
import type { DecisionAsk, Decisions } from '../../decisions/decisions.ts';
import type { OpsLog } from '../../decisions/ops-log.ts';
import { AUDIT } from '../../limits.ts';
import {
  APPROVE_REQUEST,
  type ApproveRequest,
  BULK_OVERRIDE_REQUEST,
  type BulkOverrideRequest,
  DELETE_REQUEST,
  type DeleteRequest,
  OPS_LOG_REQUEST,
  type OpsLogRequest,
  OVERRIDE_REQUEST,
  type OverrideRequest,
  REJECT_REQUEST,
  type RejectRequest,
} from '../../model/decision-requests.ts';
import { CraError } from '../../model/errors.ts';
import type { Call, Handlers } from '../server/dispatch.ts';
import { createBodyReader } from '../server/json-body.ts';
import { HttpRefusal, tooManyRequests } from '../server/refusal.ts';
import type { Reply } from '../server/reply.ts';
import { deedReply, requesterOf } from '../server/requester.ts';

/** What the handlers of decisions call. */
export interface DecisionServices {
  decisions: Decisions;
  bulkOverride: BulkOverride;
  opsLog: OpsLog;
}

type DecisionRoute =
  | 'override'
  | 'approve'
  | 'reject'
  | 'delete'
  | 'delete-post'
  | 'bulk-override'
  | 'ops-log';

const NO_REASON = 'no reason given';

/** Handlers of decisions and of the operations log. */
export function createDecisionHandlers(services: DecisionServices): Pick<Handlers, DecisionRoute> {
  const { decisions } = services;
  const readOverride = createBodyReader<OverrideRequest>(OVERRIDE_REQUEST);
  const readApprove = createBodyReader<ApproveRequest>(APPROVE_REQUEST);
  const readReject = createBodyReader<RejectRequest>(REJECT_REQUEST);
  const readDelete = createBodyReader<DeleteRequest>(DELETE_REQUEST, true);

  async function decide(call: Call, ask: Omit<DecisionAsk, 'rfcId'>): Promise<Reply> {
    const rfcId = call.params[0] ?? '';
    const { replayed, ...outcome } = await decisions
      .decide({ ...ask, rfcId }, requesterOf(call))
      .catch((thrown: unknown) => {
        throw asMismatch(thrown, ask.expectedRev);
      });
    const { decision } = outcome;
    const isOverride = ask.route === 'override' && decision !== null;
    const override = isOverride ? { actor: decision.actor, reason: decision.reason } : null;
    return deedReply(isOverride ? { ...outcome, override } : outcome, replayed);
  }

  async function remove(call: Call): Promise<Reply> {
    const { reason = NO_REASON } = await readDelete(call.request);
    return decide(call, { ...PLAIN, route: 'delete', action: 'delete', reason });
  }

  return {
    async override(call) {
      const { actor, reason, accept_findings = false } = await readOverride(call.request);
      const acceptFindings = accept_findings;
      const given = { actor, reason, acceptFindings, expectedRev: expectedRev(call) };
      return decide(call, { ...PLAIN, route: 'override', action: 'override', ...given });
    },
    async approve(call) {
      const body = await readApprove(call.request);
      return decide(call, {
        route: 'approve',
        action: body.action ?? 'approve',
        actor: null,
        reason: body.reason,
        commitSha: body.force_commit_sha ?? null,
        repoFullName: body.force_repo_full_name ?? null,
        acceptFindings: body.accept_findings ?? false,
        expectedRev: expectedRev(call),
      });
    },
    async reject(call) {
      const { reason } = await readReject(call.request);
      return decide(call, { ...PLAIN, route: 'reject', action: 'reject', reason });
    },
    delete: remove,
    'delete-post': remove,
    'bulk-override': createBulkHandler(services.bulkOverride),
    'ops-log': createOpsLogHandler(services.opsLog),
  };
}

/** A decision that says no more than its action and reason. */
const PLAIN = {
  ...{ actor: null, commitSha: null, repoFullName: null },
  ...{ acceptFindings: false, expectedRev: null },
};

/** `If-Match` names the rev of the RFC that the caller has read (`"7"`); null: any will do. */
function expectedRev({ request }: Call): number | null {
  const { ifMatch } = request.headers;
  if (ifMatch === '' || ifMatch === '*') return null;
  const rev = /^"?(\d{1,9})"?$/.exec(ifMatch)?.[1];
  if (rev !== undefined) return Number(rev);
  throw new CraError('INVALID_ARGUMENT', 'If-Match must be the rev of the RFC, such as "7"');
}

/** A conflict that comes from another rev than the expected one is a failed condition: 412. */
function asMismatch(thrown: unknown, expected: number | null): unknown {
  if (expected === null || !(thrown instanceof CraError) || thrown.code !== 'ABORTED') {
    return thrown;
  }
  const { rev } = thrown.details;
  if (rev === expected) return thrown;
  return new HttpRefusal(
    412,
    'FAILED_PRECONDITION',
    `the RFC has changed: its rev is ${rev}, not ${expected}; read it again`,
  );
}

function createBulkHandler(bulkOverride: BulkOverride): (call: Call) => Promise<Reply> {
  const read = createBodyReader<BulkOverrideRequest>(BULK_OVERRIDE_REQUEST);
  return async (call) => {
    const body = await read(call.request);
    const { reason, repo = null, before_date = null, rfc_ids = null, next = null } = body;
    const filter = { repo, beforeDate: before_date, rfcIds: rfc_ids };
    const { replayed, ...outcome } = await bulkOverride.override(
      { filter, reason, next },
      requesterOf(call),
    );
    return deedReply(outcome, replayed);
  };
}

function createOpsLogHandler(opsLog: OpsLog): (call: Call) => Promise<Reply> {
  const read = createBodyReader<OpsLogRequest>(OPS_LOG_REQUEST);
  const { OPS_LOG_PER_MINUTE_MAX, OPS_LOG_CALLERS_MAX } = AUDIT;
  const limiter = createRateLimiter({
    max: OPS_LOG_PER_MINUTE_MAX,
    windowMs: 60_000,
    keysMax: OPS_LOG_CALLERS_MAX,
    now: () => performance.now(),
  });
  return async (call) => {
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
    return deedReply(outcome, replayed);
  };
}
