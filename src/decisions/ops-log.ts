import type { Redact } from '../analysis/job.ts';
import { type AuditPlace, plainEvent } from '../model/audit.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { operationId, type Requester, redactNamed, writeFailure } from './decisions.ts';

/** An operational event without a diff; texts may hold secrets. */
interface OpsEvent {
  action: string;
  description: string;
  command: string | null;
  repo: string | null;
  app: string | null;
  environment: string | null;
}

interface OpsLogOutcome {
  op_id: string;
  audit: AuditPlace;
  /** Whether an earlier request with this Idempotency-Key wrote it. */
  replayed: boolean;
}

/** The operations log: entries of the audit trail. */
export interface OpsLog {
  /** Writes one entry, durably. Rejects like `Decisions.decide`. */
  write(event: OpsEvent, requester: Requester): Promise<OpsLogOutcome>;
}

/** Creates the service. */
export function createOpsLog(options: {
  trail: Pick<TrailStore, 'appendEvent'>;
  redact: Redact;
}): OpsLog {
  const { trail, redact } = options;
  return {
    async write(given, requester) {
      const { repo, ...details } = await redactNamed({ ...given }, redact, requester);
      const { principal } = requester;
      const op_id = operationId('ops-log', requester);
      const event = plainEvent({
        kind: 'ops-log',
        op_id,
        principal,
        repo_name: repo,
        details,
      });
      const { chain, seq, replayed } = await trail.appendEvent({ event }).catch((thrown) => {
        throw writeFailure(thrown, op_id, requester);
      });
      return { op_id, audit: { chain, seq }, replayed };
    },
  };
}
