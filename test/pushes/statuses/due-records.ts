import { type RfcRecord, statusHost } from '../../../src/model/records.ts';
import type { PushStore } from '../../../src/store/contract/pushes.ts';

/** The part of a `PushStore` that the outbox uses, in memory. */
export interface DueRecords extends Pick<PushStore, 'dueStatuses' | 'settleStatus'> {
  /** Writes a record: its status is due now. */
  put(record: RfcRecord, now: number): void;
  entry(rfcId: string): { posted: string | null; dueMs: number | null } | undefined;
  /** Makes the next call fail. */
  failWith: Error | null;
  /** Called before an answer is given, with the name of the method. */
  onCall: (name: 'dueStatuses' | 'settleStatus') => void;
}

export function createDueRecords(): DueRecords {
  const entries = new Map<
    string,
    { record: RfcRecord; seq: number; posted: string | null; dueMs: number | null }
  >();
  let seq = 0;
  const call = (name: 'dueStatuses' | 'settleStatus') => {
    const error = store.failWith;
    store.failWith = null;
    if (error !== null) throw error;
    store.onCall(name);
  };
  const store: DueRecords = {
    failWith: null,
    onCall: () => undefined,
    put(record, now) {
      const before = entries.get(record.rfc_id);
      seq += 1;
      entries.set(record.rfc_id, {
        record,
        seq: before?.seq ?? seq,
        posted: before?.posted ?? null,
        dueMs: statusHost(record) === null ? null : now,
      });
    },
    entry: (rfcId) => entries.get(rfcId),
    async dueStatuses({ host, nowMs, limit }) {
      call('dueStatuses');
      const all = [...entries.values()];
      const due = all
        .filter(({ record, dueMs }) => statusHost(record) === host && (dueMs ?? Infinity) <= nowMs)
        .sort((a, b) => isDraft(a) - isDraft(b) || (b.dueMs ?? 0) - (a.dueMs ?? 0))
        .slice(0, limit)
        .map(({ record, posted, seq: own }) => ({
          record: structuredClone(record),
          posted,
          isDeleted: false,
          isOutdated: all.some(
            (other) =>
              other.seq > own &&
              record.commit_sha !== null &&
              other.record.commit_sha === record.commit_sha &&
              other.record.overall_status !== 'SUPERSEDED',
          ),
        }));
      return { due };
    },
    async settleStatus({ rfc_id, rev, posted, dueMs }) {
      call('settleStatus');
      const entry = entries.get(rfc_id);
      if (entry === undefined) return { ok: true };
      if (posted !== null) entry.posted = posted;
      if (entry.record.rev === rev) entry.dueMs = dueMs;
      return { ok: true };
    },
  };
  return store;
}

function isDraft({ record }: { record: RfcRecord }): number {
  return record.overall_status === 'DRAFT' ? 1 : 0;
}
