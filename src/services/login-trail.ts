import { randomUUID } from 'node:crypto';
import type { AuditEvent } from '../domain/audit.ts';
import { CraError } from '../domain/errors.ts';
import type { LoginEvent } from '../domain/login-event.ts';
import { DEFAULT_TENANT } from '../domain/principal.ts';
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
    const entry: AuditEvent = {
      kind: 'login',
      phase: 'whole',
      op_id: randomUUID(),
      tenant_id: principal?.tenant_id ?? DEFAULT_TENANT,
      principal,
      actor: null,
      rfc_id: null,
      rfc_rev: null,
      repo_name: null,
      reason,
      details: { event, how, remote_address: remoteAddress },
    };
    trail.appendEvent({ event: entry }).catch((thrown) => onError(CraError.fromUnknown(thrown)));
  };
}
