import type { Document } from 'mongodb';
import { AUDIT } from '../../limits.ts';
import type { AuditCollection } from './audit-collection.ts';

/** How full the capped collection is. */
export interface Room {
  bytes: number;
  /** Null: it is not capped. */
  bytesMax: number | null;
}

/** Measures the collection, by `collStats`. */
export async function measureRoom(audit: AuditCollection): Promise<Room> {
  const stages = [{ $collStats: { storageStats: {} } }];
  const options = { readConcern: { level: 'local' }, maxTimeMS: AUDIT.ATTEMPT_MS } as const;
  const [answer] = await audit.aggregate<{ storageStats: Document }>(stages, options).toArray();
  const stats = answer?.storageStats ?? {};
  const isCapped = stats['capped'] === true;
  return { bytes: Number(stats['size']), bytesMax: isCapped ? Number(stats['maxSize']) : null };
}

/** The room between two measurements: what was measured, and what was written since. */
export interface FillGauge {
  readonly room: Room;
  /** Whether decisions must wait until there is more room. */
  readonly isFull: boolean;
  /** Sentences about too little room. */
  problems(): string[];
  /** Measures again. */
  refresh(): Promise<void>;
}

/**
 * Watches the room that is left. `bytesWritten` counts what this daemon writes, so that a storm
 * between two measurements is noticed.
 */
export async function createFillGauge(
  audit: AuditCollection,
  bytesWritten: () => number,
): Promise<FillGauge> {
  let measured = await measureRoom(audit);
  let measuredAt = bytesWritten();

  const room = (): Room => ({
    ...measured,
    bytes: measured.bytes + bytesWritten() - measuredAt,
  });
  const fill = () => {
    const { bytes, bytesMax } = room();
    return bytesMax === null ? 0 : bytes / bytesMax;
  };
  return {
    get room() {
      return room();
    },
    get isFull() {
      return fill() >= AUDIT.REFUSE_FILL;
    },
    problems() {
      const share = fill();
      if (share < AUDIT.ALARM_FILL) return [];
      const state = `the audit trail is ${Math.floor(share * 100)} % full`;
      const mend = 'an administrator makes it larger (collMod cappedSize)';
      if (share < AUDIT.REFUSE_FILL) return [`${state}: ${mend}`];
      return [`${state}: decisions are refused until ${mend}`];
    },
    async refresh() {
      const before = bytesWritten();
      measured = await measureRoom(audit);
      // What is written meanwhile may count twice, never not at all.
      measuredAt = before;
    },
  };
}

/** The entry that was written before all others, as `findOldest` reads it. */
export interface OldestEntry {
  id: string;
  chain: string;
  seq: number;
}

/** The oldest entry that is still there; null: it is absent. */
export async function findOldest(audit: AuditCollection): Promise<OldestEntry | null> {
  // A capped collection keeps the order of its inserts, and drops its oldest documents.
  const oldest = await audit.findOne(
    {},
    {
      sort: { $natural: 1 },
      projection: { chain: 1, seq: 1 },
      maxTimeMS: AUDIT.ATTEMPT_MS,
    },
  );
  return oldest === null ? null : { id: oldest._id, chain: oldest.chain, seq: oldest.seq };
}

/**
 * A capped collection that overflows drops its oldest entries without a word: then the oldest is
 * another than it was at the start (`before`), or not the first of its chain. Null: all is there.
 */
export function evictionIn(now: OldestEntry | null, before: OldestEntry | null): string | null {
  const isSame = before === null || now?.id === before.id;
  if (isSame && (now === null || now.seq === 1)) return null;
  const oldest = now === null ? 'it is empty' : `the oldest is ${now.seq} of chain ${now.chain}`;
  return `the trail has lost entries: ${oldest}`;
}
