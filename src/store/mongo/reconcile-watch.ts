import { AUDIT } from '../../limits.ts';
import type { AuditCollection } from './audit-collection.ts';

/** An intent that has no outcome yet, and since when this daemon knows of it. */
export interface OpenIntent {
  opId: string;
  chain: string;
  /** By the clock of the daemon that wrote it, ms since the epoch. */
  ts: number;
  /** By our own clock that never goes back, ms. */
  seenAt: number;
}

/** Knows the intents of all daemons that have no outcome. */
export interface IntentWatch {
  /** Looks at intents whose `ts` is at least `sinceMs`, and again at those known to be open. */
  look(sinceMs: number): Promise<OpenIntent[]>;
}

/** Watches by two indexes: intents by time, and the deeds that have an outcome. */
export function createIntentWatch(audit: AuditCollection, mono: () => number): IntentWatch {
  const open = new Map<string, OpenIntent>();
  /** Deeds with an outcome, by the time of their intent: they are not looked up again. */
  const settled = new Map<string, number>();

  async function findNew(sinceMs: number): Promise<void> {
    const found = audit
      .find({ slot: 'intent', ts: { $gte: new Date(sinceMs) } })
      .project<{ op_id: string; ts: Date; chain: string }>({ _id: 0, op_id: 1, ts: 1, chain: 1 })
      .hint('intents')
      .batchSize(AUDIT.READ_PAGE);
    const seenAt = mono();
    for await (const { op_id, ts, chain } of found) {
      if (settled.has(op_id) || open.has(op_id)) continue;
      open.set(op_id, { opId: op_id, chain, ts: ts.getTime(), seenAt });
    }
  }

  async function dropSettled(): Promise<void> {
    const opIds = [...open.keys()];
    for (let at = 0; at < opIds.length; at += AUDIT.READ_PAGE) {
      const outcomes = audit
        .find({ op_id: { $in: opIds.slice(at, at + AUDIT.READ_PAGE) }, slot: 'outcome' })
        .project<{ op_id: string }>({ _id: 0, op_id: 1 });
      for await (const { op_id } of outcomes) {
        settled.set(op_id, open.get(op_id)?.ts ?? 0);
        open.delete(op_id);
      }
    }
  }

  return {
    async look(sinceMs) {
      await findNew(sinceMs);
      await dropSettled();
      // What no look of the ordinary length meets again need not be remembered.
      for (const [opId, ts] of settled) {
        if (ts < sinceMs) settled.delete(opId);
      }
      return [...open.values()];
    },
  };
}
