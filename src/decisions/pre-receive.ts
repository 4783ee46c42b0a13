import { type Redact, runJob, type ScanAccess } from '../analysis/job.ts';
import { PIPELINE } from '../analysis/limits.ts';
import { type AuditDetails, plainEvent } from '../model/audit.ts';
import type { PreReceiveAnswer, PushFacts, UnjudgedPush } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import type { ScreenedPush } from '../rpc/contract.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { operationId, type Requester, writeFailure } from './decisions.ts';

/** Screens pushes before they are public. They make no RFC: a refused push was never there. */
export interface PreReceive {
  /**
   * Screens one push. A verdict other than allowed is in the trail before the answer. Rejects with
   * RESOURCE_EXHAUSTED or UNAVAILABLE when no thread or trail could be had, INVALID_ARGUMENT for
   * the body, CANCELLED when the client has gone: the trail has no entry then.
   */
  screen(body: Uint8Array, requester: Requester): Promise<PreReceiveAnswer>;
  /** Records a push that the hook decided by itself. Rejects like `Decisions.decide`. */
  unjudged(push: UnjudgedPush, requester: Requester): Promise<{ op_id: string }>;
}

interface PreReceiveOptions extends ScanAccess {
  trail: Pick<TrailStore, 'appendEvent'>;
  redact: Redact;
  baseUrl(): string;
}

/** Creates the service. */
export function createPreReceive(options: PreReceiveOptions): PreReceive {
  const { trail, redact } = options;

  async function write(
    route: string,
    { repo_name, reason, pusher, refs, refs_total }: PushFacts,
    details: AuditDetails,
    requester: Requester,
  ): Promise<{ op_id: string }> {
    const op_id = operationId(route, requester);
    const { principal } = requester;
    const event = plainEvent({
      kind: 'pre-receive',
      op_id,
      principal,
      actor: pusher,
      repo_name,
      reason,
      details: { ...details, refs, refs_total },
    });
    await trail.appendEvent({ event }).catch((thrown: unknown) => {
      throw writeFailure(thrown, op_id, requester);
    });
    return { op_id };
  }

  return {
    async screen(body, requester) {
      const { push, ...judged } = await screenOnThread(options, body, requester);
      const { verdict, let_through, why, findings, findings_total } = judged;
      if (verdict !== 'allowed') {
        if (requester.signal?.aborted === true) {
          throw new CraError('CANCELLED', 'the client went away');
        }
        const shown = findings.map(({ id, severity, commit, file, line }) => {
          return { id, severity, commit, file, line };
        });
        const details = { verdict, let_through, why, findings: shown, findings_total };
        await write('pre-receive', push, details, requester);
      }
      return { ...judged, more: `${options.baseUrl()}/cra#/audit?kind=pre-receive` };
    },

    async unjudged({ at, why, let_through, ...push }, requester) {
      const { repo_name, pusher, reason, refs } = push;
      const texts = [repo_name, why, pusher ?? '', reason ?? '', ...refs];
      const hidden = await redact(texts, requester);
      const [name = '', cause = '', person = '', given = '', ...names] = hidden;
      const facts = {
        repo_name: name,
        refs: names,
        refs_total: push.refs_total,
        pusher: pusher === null ? null : person,
        reason: reason === null ? null : given,
      };
      const details = { verdict: 'unjudged', let_through, why: cause, at };
      return write('pre-receive/unjudged', facts, details, requester);
    },
  };
}

async function screenOnThread(
  { admission, analysis, rules }: PreReceiveOptions,
  body: Uint8Array,
  { principal, remoteAddress, signal }: Requester,
): Promise<ScreenedPush> {
  const release = await admission.acquire({
    caller: `${principal.id}@${remoteAddress}`,
    bytes: body.byteLength,
    waitMs: PIPELINE.ADMISSION_WAIT_MS,
    signal,
  });
  const { tenant_id } = principal;
  try {
    return await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      analysis.screen({ ...job, tenant_id, body }, call),
    );
  } catch (thrown) {
    const { code, message } = CraError.fromUnknown(thrown);
    if (code === 'INVALID_ARGUMENT' || code === 'CANCELLED') throw thrown;
    const sentence = `could not screen the push: ${message}`;
    throw new CraError('UNAVAILABLE', sentence, { cause: thrown });
  } finally {
    release();
  }
}
