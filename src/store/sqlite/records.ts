import type { SealedDiff } from '../../core/seal.ts';
import type { CraError } from '../../model/errors.ts';
import { RFCS } from '../../model/limits.ts';
import { acceptsHead, type RecordText, recordText } from '../../model/records.ts';
import { STATUSES } from '../../model/rfc.ts';
import type {
  ListInput,
  ListOutput,
  Pulse,
  RecordsReader,
  RecordsWriter,
  ReviseInput,
} from '../contract/records.ts';
import { staleRfc, takenId, unknownDiff, unknownRfc } from '../errors.ts';
import { STORE } from '../limits.ts';
import { checkLimit, decodeCursor, encodeCursor, listPage } from '../lists.ts';
import { checkOutcome, checkRevision, withAttempt } from '../steps/push.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { type Connection, prepared } from './connection.ts';
import {
  createDiffReader,
  createSmallDiffs,
  type DiffReference,
  type DiffSegments,
} from './diffs.ts';
import type { GroupCommit } from './group-commit.ts';
import { createHeadSteps } from './pushes/claims.ts';
import { ownBytes, QUERIES } from './queries.ts';
import { MIGRATIONS } from './schema.ts';
import { createTrendSteps, createTrendsReader, type TrendSums } from './trends.ts';

/** The reading methods of Records; `diffs` is the directory of the segments. */
export function createRecordsReader(database: Connection, diffs: string): RecordsReader {
  const queries = prepared(database, QUERIES);
  const readDiff = createDiffReader(database, diffs);
  const findPulse = createPulseFinder(database);
  const readTrends = createTrendsReader(database);

  return {
    getRfc({ tenant_id, rfc_id }) {
      const row = queries.view.get(rfc_id, tenant_id);
      if (row === undefined) throw unknownRfc();
      return { overall_status: row.status, rev: row.rev, json: ownBytes(row.json) };
    },
    listRfcs: createRfcList(database),
    listDrafts({ limit }) {
      checkLimit(limit, STORE.DRAFTS_LIMIT_MAX);
      return { drafts: queries.drafts.all(limit).map(({ json }) => parseRecord(json)) };
    },
    getState({ tenant_id, rfc_id }) {
      const row = queries.rev.get(rfc_id, tenant_id);
      if (row === undefined) throw unknownRfc();
      return { overall_status: row.status, rev: row.rev };
    },
    pulse: findPulse,
    trends: readTrends,
    getDiff({ tenant_id, rfc_id }) {
      const row = queries.diff.get(rfc_id, tenant_id);
      if (row === undefined) throw unknownRfc();
      if (row.diff_segment === null) throw unknownDiff();
      return readDiff({
        segment: row.diff_segment,
        offset: row.diff_offset,
        lengths: JSON.parse(row.diff_lengths) as number[],
        bytes: row.diff_bytes,
      });
    },
  };
}

function createPulseFinder(
  database: Connection,
): (input: { tenant_id: string; most: number }) => Pulse {
  const queries = prepared(database, QUERIES);
  return ({ tenant_id, most }) => {
    const counts = STATUSES.map((status) => [
      status,
      queries.countStatus.get(tenant_id, status, most)?.count ?? 0,
    ]);
    const last = queries.newestOf.get(tenant_id);
    return {
      counts: Object.fromEntries(counts) as Pulse['counts'],
      newest: last === undefined ? null : encodeCursor(last.seq),
      oldest_blocked_at: queries.oldestBlocked.get(tenant_id)?.created_at ?? null,
    };
  };
}

/** The list of RFCs on an open database. */
export function createRfcList(database: Connection): (input: ListInput) => ListOutput {
  const queries = prepared(database, QUERIES);
  const list = queries.list.raw();
  const listByRepo = queries.listByRepo.raw();
  const listByStatus = queries.listByStatus.raw();
  const listByBoth = queries.listByRepoAndStatus.raw();
  const listByComponent = queries.listByComponent.raw();

  /** One row more than asked for shows that another page follows. */
  function find(input: ListInput) {
    const { tenant_id: tenant, status, repo, component = null, limit, cursor } = input;
    const before = cursor === null ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor);
    const key = repo === null ? null : repoKey(repo);
    if (component !== null) {
      const narrowed = [key, key, status, status];
      return listByComponent.all(tenant, component, before, ...narrowed, limit + 1);
    }
    if (key === null && status === null) return list.all(tenant, before, limit + 1);
    if (status === null) return listByRepo.all(tenant, key, before, limit + 1);
    if (key === null) return listByStatus.all(tenant, status, before, limit + 1);
    return listByBoth.all(tenant, key, status, before, limit + 1);
  }

  return (input) => {
    checkLimit(input.limit, RFCS.LIST_LIMIT_MAX);
    const rows = find(input).map(([seq, status, summary]) => ({ seq, status, summary }));
    return listPage(rows, input.limit, encodeCursor);
  };
}

export interface RecordsWriterOptions {
  database: Connection;
  segments: DiffSegments;
  commits: GroupCommit;
  /** Ms since the epoch. */
  now: () => number;
}

/** The writing methods of Records on an open database. */
export function createRecordsWriter(options: RecordsWriterOptions): RecordsWriter {
  const { database, now } = options;
  const { write, trends } = options.commits;
  const steps = createRecordSteps(options);
  const revise = createRevision(database, trends, now);
  const startAttempt = createAttempt(database, now);
  return {
    insertRfc: ({ record, diff }, call) =>
      write(sizeOf(record, diff), () => steps.insert(record, diff), call),
    completeDraft: ({ record, expectedRev }, call) =>
      write(sizeOf(record, null), () => steps.complete(record, expectedRev), call),
    reviseRfc: (input, call) => write(sizeOf(input.record, null), () => revise(input), call),
    startAttempt: ({ tenant_id, rfc_id, expectedRev }, call) =>
      write(0, () => startAttempt(tenant_id, rfc_id, expectedRev), call),
    ping: (_input, call) => write(0, steps.touch, call),
  };
}

function sizeOf(record: RecordText, diff: SealedDiff | null): number {
  let bytes = record.json.length + record.summary.length;
  for (const chunk of diff?.chunks ?? []) bytes += chunk.length;
  return bytes;
}

/** The writing steps as they run within a transaction (see `Operation.run`). */
export function createRecordSteps(options: RecordsWriterOptions) {
  const { database, segments, commits, now } = options;
  const queries = prepared(database, QUERIES);
  const heads = createHeadSteps(database, now);
  const smallDiffs = createSmallDiffs(database, now);
  const trends = createTrendSteps(database, commits.trends);
  // Writes a page of the database without changing anything.
  const touchRow = database.prepare(`PRAGMA user_version = ${MIGRATIONS.length}`);

  function insert(record: RecordText, diff: SealedDiff | null): { rev: number } {
    const mark = segments.mark();
    const small = diff && smallDiffs.place(diff);
    const place = small ?? (diff && segments.stage(diff));
    const { rfc_id, tenant_id, overall_status, rev, created_at, summary, json, vcs_host } = record;
    const { changes } = queries.insert.run(
      rfc_id,
      tenant_id,
      repoKey(record.repo_name),
      record.branch,
      record.commit_sha,
      overall_status,
      rev,
      created_at,
      ...placeColumns(place),
      summary,
      json,
      vcs_host,
      vcs_host === null ? null : now(),
      record.trend,
    );
    if (changes === 1) {
      if (diff !== null && small !== null) smallDiffs.add(small, diff);
      trends.added(record);
      return { rev };
    }
    const known = queries.state.get(rfc_id);
    if (known?.tenant_id !== tenant_id || known.json !== json) {
      throw takenId();
    }
    segments.rewind(mark);
    return { rev };
  }

  function complete(record: RecordText, expectedRev: number): { rev: number } {
    checkOutcome(record, expectedRev);
    const { overall_status, rev, summary, json, vcs_host, rfc_id, tenant_id } = record;
    const texts = [summary, json, vcs_host, vcs_host === null ? null : now()];
    const row = queries.complete.get(overall_status, rev, ...texts, rfc_id, tenant_id, expectedRev);
    if (row === undefined) throw otherState(rfc_id, tenant_id);
    trends.counted(rfc_id, record.trend);
    if (row.push_ref !== null) heads.settled(parseRecord(record.json));
    return { rev };
  }

  /** Why a compare-and-set found nothing. */
  function otherState(rfcId: string, tenantId: string): CraError {
    const found = queries.state.get(rfcId);
    return found?.tenant_id === tenantId ? staleRfc(found) : unknownRfc();
  }

  function touch(): { ok: true } {
    touchRow.run();
    return { ok: true };
  }

  return { insert, complete, touch };
}

/** Counts an attempt on a DRAFT, within a transaction. */
function createAttempt(database: Connection, now: () => number) {
  const queries = prepared(database, QUERIES);
  return (tenantId: string, rfcId: string, expectedRev: number) => {
    const state = queries.state.get(rfcId);
    if (state?.tenant_id !== tenantId) throw unknownRfc();
    if (state.status !== 'DRAFT' || state.rev !== expectedRev) throw staleRfc(state);
    const record = withAttempt(parseRecord(state.json), now());
    const { json, summary } = recordText(record);
    queries.attempt.run(record.rev, summary, json, rfcId);
    return { record };
  };
}

/**
 * What another review makes of a record that has a verdict, within a transaction; `onChecked` is
 * called when nothing stands against it, before anything is written.
 */
export function createRevision(database: Connection, sums: TrendSums, now: () => number) {
  const queries = prepared(database, QUERIES);
  const heads = createHeadSteps(database, now);
  const trends = createTrendSteps(database, sums);
  return (input: ReviseInput, onChecked: () => void = () => undefined): { rev: number } => {
    checkRevision(input);
    const { record, from, expectedRev } = input;
    const { overall_status, rev, summary, json, vcs_host, rfc_id, tenant_id } = record;
    const state = queries.state.get(rfc_id);
    if (state?.tenant_id !== tenant_id) throw unknownRfc();
    if (state.status !== from || state.rev !== expectedRev) throw staleRfc(state);
    onChecked();
    const before = parseRecord(state.json);
    const next = parseRecord(json);
    heads.changed(before, next);
    const dueMs = overall_status === from || vcs_host === null ? null : now();
    const texts = [summary, json, dueMs, acceptsHead(next) ? 1 : null];
    queries.revise.run(overall_status, rev, ...texts, rfc_id, tenant_id, from, expectedRev);
    if (next.push !== null) heads.settled(next);
    trends.counted(rfc_id, record.trend);
    return { rev };
  };
}

/** `diff_segment`, `diff_offset`, `diff_lengths`, `diff_bytes`. */
function placeColumns(place: DiffReference | null): (string | number | null)[] {
  if (place === null) return [null, null, null, null];
  return [place.segment, place.offset, JSON.stringify(place.lengths), place.bytes];
}
