import { gzipSync } from 'node:zlib';
import { type ArchiveRules, fateOf, LEAVING_STATUSES, type LegalHold } from '../model/retention.ts';
import type { RfcStatus } from '../model/rfc.ts';
import type { ArchiveFiles } from './archive-files.ts';
import type { ArchivedLine } from './contract/records.ts';
import { ARCHIVE } from './limits.ts';
import { parseRecord } from './stored-record.ts';

/** An RFC that nothing in the store needs: its commit is not a head, no status of it is due. */
export interface FreeRfc {
  rfc_id: string;
  tenant_id: string;
  status: RfcStatus;
  rev: number;
  json: string;
}

/** An RFC with its line in the archive, as the store refers to it from now on. */
export interface ArchivedRfc extends Omit<FreeRfc, 'json'>, ArchivedLine {
  /** Ids of the pushes that its verdict depends on. */
  rests_on: readonly string[];
  /** ISO 8601, UTC. */
  archived_at: string;
}

/** Where a walk goes on, opaque; of the driver that made it. */
export type ArchiveCursor = string | number;

/** What a driver does for the archive. */
export interface ArchiveSide {
  /**
   * Some of the RFCs of a status, behind a place in the order of the store, that were created
   * before a time and are free; `next` null: there are no more. It looks at ARCHIVE.WINDOW records.
   */
  free(asked: {
    tenant_id: string;
    status: RfcStatus;
    /** ISO 8601, UTC. */
    before: string;
    after: ArchiveCursor | null;
  }): Promise<{ rfcs: FreeRfc[]; next: ArchiveCursor | null }>;
  /**
   * Replaces these RFCs by their references, as one step, durably; false, and nothing changed, when
   * one of them is not free any more or has another rev.
   */
  replace(rfcs: readonly ArchivedRfc[]): Promise<boolean>;
  /**
   * Lets the other daemons of the store know the legal holds of one (null: nothing is written);
   * answers theirs, as they said within ARCHIVE.HOLDS_DAYS.
   */
  shareHolds(own: SharedHolds | null): Promise<LegalHold[]>;
  /** Whether a reference to this member is there. */
  isReferred(place: { file: string; offset: number }): Promise<boolean>;
  /** How many bytes of each file the references reach to. */
  ends(): Promise<ReadonlyMap<string, number>>;
}

export interface SharedHolds {
  /** Name of the daemon. */
  instance: string;
  holds: readonly LegalHold[];
  nowMs: number;
}

export interface ArchiveRun {
  side: ArchiveSide;
  /** Null: nothing is written or changed; sizes are computed. */
  files: ArchiveFiles | null;
  retention: ArchiveRules;
  /** Name of the daemon; its holds, and the holds that other daemons share, keep RFCs. */
  instance: string;
  nowMs: number;
  signal: AbortSignal;
}

/** What a run archived, or would archive. */
export interface ArchiveReport {
  rfcs: number;
  /** RFCs that only a legal hold keeps. */
  held: number;
  /** Of the RFCs as JSON, and compressed. */
  bytes: number;
  archive_bytes: number;
  /** RFCs by tenant and month of creation. */
  months: { tenant_id: string; month: string; rfcs: number }[];
}

const DAY_MS = 24 * 3_600_000;

/**
 * Moves RFCs whose retention is over from the store to the archive, the oldest first. Each step
 * writes a member, makes it durable, and then replaces its RFCs by references in the store: after a
 * crash in between an RFC is in the store, and the next run cuts the member off and begins again.
 * Rejects when a file or the store cannot be written; what was moved until then stays moved.
 */
export async function archiveRfcs(given: ArchiveRun): Promise<ArchiveReport> {
  const { side, files, signal, instance, nowMs } = given;
  const { holds, rules } = given.retention;
  const own = files === null ? null : { instance, holds, nowMs };
  const others = await side.shareHolds(own);
  const retention = { rules, holds: [...holds, ...others] };
  const run = { ...given, retention };
  const report: ArchiveReport = { rfcs: 0, held: 0, bytes: 0, archive_bytes: 0, months: [] };
  await files?.recover(side.isReferred);
  for (const [tenant_id, days] of shortest(retention)) {
    const before = new Date(run.nowMs - days * DAY_MS).toISOString();
    for (const status of LEAVING_STATUSES) {
      let after: ArchiveCursor | null = null;
      do {
        if (signal.aborted) return report;
        const page = await side.free({ tenant_id, status, before, after });
        for (const batch of batchesOf(leaving(page.rfcs, run, report))) {
          await move(batch, run, report);
        }
        after = page.next;
      } while (after !== null);
    }
  }
  return report;
}

/** The shortest age of each tenant. */
function shortest({ rules }: ArchiveRules): Map<string, number> {
  const days = new Map<string, number>();
  for (const rule of rules) {
    days.set(rule.tenantId, Math.min(rule.days, days.get(rule.tenantId) ?? rule.days));
  }
  return days;
}

interface Leaving extends FreeRfc {
  month: string;
  rests_on: readonly string[];
}

function leaving(
  rfcs: readonly FreeRfc[],
  { retention, nowMs }: ArchiveRun,
  report: ArchiveReport,
): Leaving[] {
  return rfcs.flatMap((rfc) => {
    const record = parseRecord(rfc.json);
    const fate = fateOf(record, retention, nowMs);
    if (fate === 'held') report.held += 1;
    if (fate !== 'leaves') return [];
    return { ...rfc, month: record.created_at.slice(0, 7), rests_on: record.push?.rests_on ?? [] };
  });
}

/** RFCs of one month, within the bounds of a member. */
function batchesOf(rfcs: readonly Leaving[]): Leaving[][] {
  const batches: Leaving[][] = [];
  let bytes = 0;
  for (const rfc of rfcs) {
    const open = batches.at(-1);
    const isFull =
      open === undefined ||
      open[0]?.month !== rfc.month ||
      open.length === ARCHIVE.MEMBER_RFCS_MAX ||
      bytes + rfc.json.length > ARCHIVE.MEMBER_BYTES_MAX;
    if (isFull) batches.push([rfc]);
    else open.push(rfc);
    bytes = (isFull ? 0 : bytes) + rfc.json.length;
  }
  return batches;
}

async function move(
  batch: readonly Leaving[],
  { side, files, nowMs }: ArchiveRun,
  report: ArchiveReport,
): Promise<void> {
  const [first] = batch;
  if (first === undefined) return;
  const lines = batch.map(({ json }) => json);
  const { tenant_id, month } = first;
  const count = (bytes: number) => {
    report.rfcs += batch.length;
    report.bytes += lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    report.archive_bytes += bytes;
    const known = report.months.find((one) => one.tenant_id === tenant_id && one.month === month);
    if (known === undefined) report.months.push({ tenant_id, month, rfcs: batch.length });
    else known.rfcs += batch.length;
  };
  if (files === null) return count(gzipSync(`${lines.join('\n')}\n`).length);
  const place = files.append(month, lines);
  const archived_at = new Date(nowMs).toISOString();
  const rows = batch.map(({ json: _, month: __, ...rfc }, line) => {
    return { ...rfc, ...place, line, archived_at };
  });
  // After an error it may have happened: the next run asks the store.
  if (await side.replace(rows)) {
    files.settle();
    count(place.bytes);
  } else files.undo();
}
