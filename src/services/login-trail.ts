import { randomUUID } from 'node:crypto';
import { plainEvent } from '../domain/audit.ts';
import { CraError } from '../domain/errors.ts';
import type { LoginEvent } from '../domain/login-event.ts';
import type { TrailStore } from '../store/store.ts';

/**
 * Tells the audit trail of logins. Nobody waits for it: who must look at a service whose trail
 * is full has to get in. What could not be written goes to `onError`.
 */
export function createLoginTrail(
  trail: Pick<TrailStore, 'appendEvent'>,
  onError: (error: CraError) => void,
): (event: LoginEvent) => void {
  return ({ event, how, principal, reason, remoteAddress }) => {
    const entry = plainEvent({
      kind: 'login',
      op_id: randomUUID(),
      principal,
      reason,
      details: { event, how, remote_address: remoteAddress },
    });
    trail.appendEvent({ event: entry }).catch((thrown) => onError(CraError.fromUnknown(thrown)));
  };
}
