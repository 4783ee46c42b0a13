import type { AuditSource } from '../../../src/audit/source.ts';

/** What the database shows of a decision on its way. */
export type Moment = 'log' | 'intent' | 'record' | 'outcome';

/** Where the daemons of a proof keep records and trail, as seen from outside of them. */
export interface StorePlace {
  readonly name: 'SQLite' | 'MongoDB';
  /** Data directory of the one daemon, or of the first. */
  readonly dataDir: string;
  /** Settings of every daemon here. */
  readonly settings: Readonly<Record<string, string>>;
  /** Moments that can be watched for. */
  readonly moments: readonly Moment[];
  /** The whole trail, for reading. */
  openTrail(): Promise<AuditSource>;
  /** All records with what was decided about them, read past the service. */
  readRecords(): Promise<StoredRecord[]>;
  /** Begins to watch; `seen` resolves at the next write that shows the moment. */
  watch(moment: Moment): Promise<{ seen: Promise<void>; stop(): Promise<void> }>;
  close(): Promise<void>;
}

/** A record as it stands in the database. */
export interface StoredRecord {
  rfcId: string;
  /** Null: all that is left says that it was deleted. */
  status: string | null;
  /** op_ids of the decisions in its history. */
  decisions: readonly string[];
  /** op_id of the deletion; null: it is not deleted. */
  deletedBy: string | null;
}

/** A promise and what settles it. */
export function signal(): { promise: Promise<void>; fire(): void } {
  let fire: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    fire = resolve;
  });
  return { promise, fire };
}
