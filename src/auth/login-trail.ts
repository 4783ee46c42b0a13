import { randomUUID } from 'node:crypto';
import { createRateLimiter } from '../core/pacing.ts';
import { type AuditEvent, plainEvent } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import type { LoginEvent } from '../model/principal.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { AUTH } from './limits.ts';

export interface LoginTrailOptions {
  trail: Pick<TrailStore, 'appendEvent'>;
  now(): number;
  /** Receives what could not be written. */
  onError(error: CraError): void;
}

/**
 * Tells the audit trail of logins. Nobody waits for it: who must look at a service whose trail
 * is full has to get in. Floods are cut off by address or person, failures also as a whole; the
 * next entry says how many were left out or could not be written (`untold`), and the log has each.
 */
export function createLoginTrail(options: LoginTrailOptions): (event: LoginEvent) => void {
  const { trail, now, onError } = options;
  const perMinute = (max: number, keysMax: number) =>
    createRateLimiter({ max, windowMs: 60_000, keysMax, now });
  const each = perMinute(AUTH.LOGIN_ENTRIES_PER_MINUTE, AUTH.ADDRESSES_MAX);
  const failures = perMinute(AUTH.FAILED_LOGIN_ENTRIES_PER_MINUTE, 1);
  let untold = 0;

  function isTooMuch({ principal, remoteAddress }: LoginEvent): boolean {
    if (principal !== null) return each.take(`${principal.tenant_id} ${principal.id}`) > 0;
    return each.take(remoteAddress) > 0 || failures.take('') > 0;
  }

  return (event) => {
    if (isTooMuch(event)) {
      untold += 1;
      return;
    }
    const left = untold;
    untold = 0;
    trail.appendEvent({ event: entryOf(event, left) }).catch((thrown) => {
      // Where the outcome is unknown they may be written twice, but never left out.
      untold += left + 1;
      onError(CraError.fromUnknown(thrown));
    });
  };
}

function entryOf(
  { event, how, principal, reason, remoteAddress }: LoginEvent,
  untold: number,
): AuditEvent {
  return plainEvent({
    kind: 'login',
    op_id: randomUUID(),
    principal,
    reason,
    details: { event, how, remote_address: remoteAddress, untold },
  });
}
