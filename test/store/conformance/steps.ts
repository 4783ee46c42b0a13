import type { ExecutionContext } from 'ava';
import type { StoredTrail } from '../../../src/audit/continuity.ts';
import type { StoredAcceptance } from '../../../src/audit/records-check.ts';
import { verifyTrail } from '../../../src/audit/verify.ts';
import { openDiff } from '../../../src/core/seal.ts';
import type { AuditEntry } from '../../../src/model/audit.ts';
import { CraError, type StatusCode } from '../../../src/model/errors.ts';
import { BODY } from '../../../src/model/limits.ts';
import type { RfcRecord, RfcSummary } from '../../../src/model/records.ts';
import type { ArchiveSide } from '../../../src/store/archive.ts';
import type { ListInput, RecordStore } from '../../../src/store/contract/records.ts';
import type { StoreClients } from '../../../src/store/contract/store.ts';
import { recordText } from '../fixtures/records.ts';

/** A driver with data of its own, as the suite needs it. */
export interface Harness extends Readonly<StoreClients> {
  /** All entries of the trail, chain by chain. */
  entries(): Promise<AuditEntry[]>;
  /** Closes the driver and opens it again on the same data. */
  reopen(): Promise<void>;
  /** Lets time pass on the clock that leases are measured by: sets it, or waits for a server's. */
  passTime(ms: number): Promise<void>;
  /** Has diffs kept for so many days from now on. */
  keepDiffs(days: number): Promise<void>;
  pruneDiffs(nowMs: number): Promise<number>;
  /** What the archive is made of: the driver's side, and where its files are. */
  readonly archived: { side: ArchiveSide; root: string };
  /** Forgets all records and baselines; the trail stays. */
  clear(): Promise<void>;
  /** The trail beside the records, to be closed. */
  source(): Promise<StoredTrail>;
  /** What `cra audit verify` finds: the flaw of the trail, and differences from the records. */
  verify(): Promise<string[]>;
  /** Edits the database behind the back of the service. */
  edit: Editor;
  close(): Promise<void>;
}

/** Somebody who may write the database, but knows no key. */
export interface Editor {
  /** Replaces a record; the row and the summary follow it. */
  record(rfcId: string, change: (record: RfcRecord) => RfcRecord): Promise<void>;
  /** Puts a record there, without anything else. */
  insert(record: RfcRecord): Promise<void>;
  remove(rfcId: string): Promise<void>;
  /** Changes what a record is found and listed by, and not the record. */
  row(rfcId: string, fields: Partial<RfcRow>): Promise<void>;
  /** Changes or removes (null) what a deleted RFC refuses. */
  refusal(rfcId: string, change: (json: string) => string | null): Promise<void>;
  /** Puts back what `refusal` removed or changed. */
  putRefusal(rfcId: string, json: string): Promise<void>;
  /** Changes what an entry of the trail is found by, and not the entry. */
  entryKind(opId: string, kind: string): Promise<void>;
  /** Changes, adds or removes (null) what is accepted. */
  accepted(change: (row: StoredAcceptance) => StoredAcceptance | null): Promise<void>;
  accept(row: StoredAcceptance): Promise<void>;
  /** Changes or removes (null) a revision of the rules. */
  revision(
    number: number,
    change: (revision: { entry: string; text: string }) => { entry: string; text: string } | null,
  ): Promise<void>;
}

/** What is kept beside a record. */
export interface RfcRow {
  status: string;
  branch: string;
  commit_sha: string | null;
  created_at: string;
  summary: string;
}

/** Declares one test of the suite; the harness is opened before it and closed after it. */
export type Check = (
  title: string,
  body: (t: ExecutionContext, harness: Harness) => Promise<void>,
) => void;

/** The clock of every harness, before `passTime`. */
export const NOW = Date.parse('2026-11-21T12:00:00Z');
export const DAY_MS = 24 * 60 * 60 * 1000;
/** Seals the diffs of the suite. */
export const KEY = new Uint8Array(32).fill(7);
export const NEWEST: ListInput = {
  tenant_id: 'default',
  status: null,
  repo: null,
  limit: 50,
  cursor: null,
};

export function insert(store: RecordStore, record: RfcRecord): Promise<{ rev: number }> {
  return store.insertRfc({ record: recordText(record), diff: null });
}

export async function read(store: RecordStore, record: RfcRecord): Promise<RfcRecord> {
  const { json } = await store.getRfc(idOf(record));
  return JSON.parse(Buffer.from(json).toString()) as RfcRecord;
}

export async function readDiffText(store: RecordStore, rfc_id: string): Promise<string> {
  const sealed = await store.getDiff({ tenant_id: 'default', rfc_id });
  return Buffer.from(openDiff(sealed, KEY, rfc_id, BODY.LARGE_BYTES_MAX)).toString();
}

export async function list(
  store: RecordStore,
  input: Partial<ListInput>,
): Promise<{ summaries: RfcSummary[]; next_cursor: string | null }> {
  const { json, next_cursor } = await store.listRfcs({ ...NEWEST, ...input });
  const summaries = JSON.parse(json) as RfcSummary[];
  return { summaries, next_cursor };
}

export function idOf({ tenant_id, rfc_id }: RfcRecord): { tenant_id: string; rfc_id: string } {
  return { tenant_id, rfc_id };
}

export function idsOf({ rfc_id }: { rfc_id: string }): string {
  return rfc_id;
}

export async function fails(
  t: ExecutionContext,
  call: Promise<unknown>,
  code: StatusCode,
): Promise<CraError | undefined> {
  const error = await t.throwsAsync(call, { instanceOf: CraError });
  t.is(error?.code, code, error?.message);
  return error;
}

/** Verifies a trail with the records beside it, as the command does. */
export async function verifyStored(source: StoredTrail): Promise<string[]> {
  try {
    const undocumented = source.undocumented({ kind: 'all' });
    const asked = { open: null, nowMs: Date.now() + DAY_MS, kept: [], claims: null, undocumented };
    const { flaw, differences } = await verifyTrail(source, { ...asked, records: source.records });
    return differences.length > 0 || flaw === null ? differences : [flaw.reason];
  } finally {
    await source.close();
  }
}
