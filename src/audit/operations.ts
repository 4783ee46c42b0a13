import type { AuditEntry, AuditPlace } from '../model/audit.ts';
import { AUDIT_READ } from './limits.ts';

/** An entry whose counterpart has not been read yet. */
export interface HalfOperation extends AuditPlace {
  opId: string;
  ts: string;
  kind: AuditEntry['kind'];
  tenantId: string;
  rfcId: string | null;
}

/**
 * Follows operations through a trail: no op_id is used twice, an intent has one outcome. The
 * outcome may stand in an older chain than its intent: any daemon settles an overdue intent.
 */
export interface OperationCheck {
  /** The fault of the next entry: a sentence; null: it has none. */
  read(entry: AuditEntry): string | null;
  /** Intents without an outcome, as read. */
  openIntents(): HalfOperation[];
  /** Outcomes without an intent, as read. */
  orphans(): HalfOperation[];
}

/**
 * Creates the check. A repeated op_id is found among the newest `remembered` to twice as many;
 * the database refuses one anyway, and a key that signs checkpoints confirms the rest.
 */
export function createOperationCheck(
  remembered: number = AUDIT_READ.OP_IDS_REMEMBERED,
): OperationCheck {
  const intents = new Map<string, HalfOperation>();
  const outcomes = new Map<string, HalfOperation>();
  let [recent, older] = [new Set<string>(), new Set<string>()];

  function isKnown(opId: string): boolean {
    return recent.has(opId) || older.has(opId) || intents.has(opId);
  }

  function remember(opId: string): void {
    recent.add(opId);
    if (recent.size < remembered) return;
    older = recent;
    recent = new Set();
  }

  function readIntent(entry: AuditEntry): string | null {
    const outcome = outcomes.get(entry.op_id);
    if (outcome === undefined) return hold(intents, entry);
    outcomes.delete(entry.op_id);
    return mismatch(entry, outcome);
  }

  function readOutcome(entry: AuditEntry): string | null {
    const { op_id } = entry;
    const intent = intents.get(op_id);
    if (intent !== undefined) {
      intents.delete(op_id);
      return mismatch(entry, intent);
    }
    if (isKnown(op_id)) return `the operation ${op_id} has its outcome already`;
    remember(op_id);
    return hold(outcomes, entry);
  }

  return {
    read(entry) {
      const { op_id, phase } = entry;
      if (phase !== 'whole' && phase !== 'intent') return readOutcome(entry);
      if (phase === 'intent' && outcomes.has(op_id)) return readIntent(entry);
      if (isKnown(op_id)) return `the op_id ${op_id} is used twice`;
      remember(op_id);
      return phase === 'intent' ? readIntent(entry) : null;
    },
    openIntents: () => [...intents.values()],
    orphans: () => [...outcomes.values()],
  };
}

function hold(held: Map<string, HalfOperation>, entry: AuditEntry): string | null {
  if (held.size >= AUDIT_READ.OPEN_OPERATIONS_MAX) {
    return `more than ${AUDIT_READ.OPEN_OPERATIONS_MAX} operations lack their intent or their outcome`;
  }
  const { chain, seq, op_id, ts, kind, tenant_id, rfc_id } = entry;
  held.set(op_id, { chain, seq, opId: op_id, ts, kind, tenantId: tenant_id, rfcId: rfc_id });
  return null;
}

function mismatch(entry: AuditEntry, other: HalfOperation): string | null {
  const { kind, tenant_id, rfc_id } = entry;
  if (kind === other.kind && tenant_id === other.tenantId && rfc_id === other.rfcId) return null;
  return `intent and outcome of ${entry.op_id} are about different operations`;
}
