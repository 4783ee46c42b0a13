import { FACETS } from '../../model/limits.ts';
import { acceptsHead, type RfcRecord, summarise } from '../../model/records.ts';
import { STATUSES } from '../../model/rfc.ts';
import { searchTexts } from '../../model/search.ts';
import { readArchived } from '../archive-files.ts';
import type {
  ListInput,
  ListOutput,
  Pulse,
  RecordsReader,
  RecordsWriter,
  ReviseInput,
  RfcId,
} from '../contract/records.ts';
import { archivedRfc, duplicateRfc, staleRfc, unknownDiff, unknownRfc } from '../errors.ts';
import { facetsOf } from '../facets.ts';
import { REPORT_STORE, STORE } from '../limits.ts';
import {
  decodeCursor,
  draftsPage,
  encodeCursor,
  type ListRow,
  listPage,
  scoresPage,
} from '../lists.ts';
import { attempted, requireState } from '../steps/push.ts';
import { checkRoom, commitRfcs, keptReport, reportBytes, reportText } from '../steps/report.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { type Connection, prepared } from './connection.ts';
import type { storePaths } from './database.ts';
import { createDiffReader, createSmallDiffs, type DiffReference } from './diffs.ts';
import { createEventSteps } from './events.ts';
import type { Steps, WriterParts } from './group-commit.ts';
import { createHeadSteps } from './pushes/heads.ts';
import { ownBytes, QUERIES, type RecordStatements, type StateRow } from './queries.ts';
import { MIGRATIONS } from './schema.ts';
import { createSearch, SEARCH_QUERIES } from './search.ts';
import { createTrendSteps, createTrendsReader } from './trends.ts';

/** The reading methods of Records; diffs and archived records stand in directories. */
export function createRecordsReader(database: Connection, places: RecordPlaces): RecordsReader {
  const queries = prepared(database, QUERIES);
  const readDiff = createDiffReader(database, places.diffs);

  function archived({ tenant_id, rfc_id }: RfcId) {
    const row = queries.archived.get(rfc_id);
    if (row?.tenant_id !== tenant_id) throw unknownRfc();
    return row;
  }

  return {
    getRfc({ tenant_id, rfc_id }) {
      const row = queries.view.get(rfc_id, tenant_id);
      if (row === undefined) {
        const id = { tenant_id, rfc_id };
        return readArchived(places.archive, id, archived(id));
      }
      return { overall_status: row.status, rev: row.rev, json: ownBytes(row.json) };
    },
    listRfcs: createRfcList(database),
    countFacets: createFacets(database),
    listScores({ tenant_id, limit, cursor }) {
      const before = cursor === null ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor);
      const rows = queries.scores.all(tenant_id, before, limit + 1);
      return scoresPage(rows, limit, encodeCursor);
    },
    listDrafts({ limit, cursor = null }) {
      const rows = queries.drafts.all(cursor === null ? 0 : decodeCursor(cursor), limit);
      return draftsPage(rows, limit, encodeCursor);
    },
    reportNames({ tenant_id, repo_name, subject }) {
      return { reports: queries.reportNames.all(tenant_id, repoKey(repo_name), subject) };
    },
    getReport({ tenant_id, repo_name, subject, tool }) {
      const row = queries.keptReport.get(tenant_id, repoKey(repo_name), subject, tool);
      return { report: row === undefined ? null : keptReport(row.json) };
    },
    rfcsOfCommit({ tenant_id, repo_name, commit_sha }) {
      const place = [tenant_id, repoKey(repo_name), commit_sha];
      const rows = queries.ofCommit.all(...place, REPORT_STORE.RFCS_MAX + 1);
      return commitRfcs(rows.map(({ rfc_id }) => rfc_id));
    },
    getState({ tenant_id, rfc_id }) {
      const row = queries.rev.get(rfc_id, tenant_id) ?? archived({ tenant_id, rfc_id });
      return { overall_status: row.status, rev: row.rev };
    },
    pulse({ tenant_id, most }) {
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
    },
    trends: createTrendsReader(database),
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

type RecordPlaces = Pick<ReturnType<typeof storePaths>, 'diffs' | 'archive'>;

/** The list of RFCs on an open database. */
export function createRfcList(database: Connection): (input: ListInput) => ListOutput {
  const find = createRowsReader(database);
  return (input) => {
    const { rows, end } = find(input);
    return listPage(rows, input.limit, encodeCursor, end);
  };
}

/** What the newest RFCs of a list are. */
function createFacets(database: Connection): RecordsReader['countFacets'] {
  const find = createRowsReader(database);
  const { textsOf } = prepared(database, SEARCH_QUERIES);
  return (input) => {
    const { rows, end } = find({ ...input, limit: FACETS.RECORDS_MAX, cursor: null });
    const looked = rows.slice(0, FACETS.RECORDS_MAX);
    const found = textsOf.all(JSON.stringify(looked.map(({ seq }) => seq)));
    const texts = new Map(found.map((row) => [row.seq, JSON.parse(row.texts) as string[]]));
    const records = looked.map(({ seq, summary }) => ({ summary, texts: texts.get(seq) ?? [] }));
    return facetsOf(records, input.without, rows.length > looked.length || end !== null);
  };
}

/** Reads the rows of a list, one more than asked for where another page follows. */
function createRowsReader(database: Connection) {
  const queries = prepared(database, QUERIES);
  const list = queries.list.raw();
  const listByRepo = queries.listByRepo.raw();
  const listByStatus = queries.listByStatus.raw();
  const listByBoth = queries.listByRepoAndStatus.raw();
  const listByComponent = queries.listByComponent.raw();
  const search = createSearch(database);

  /** One row more than asked for shows that another page follows. */
  function find(input: ListInput, before: number) {
    const { tenant_id: tenant, status, repo, component = null, limit } = input;
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

  return (input: ListInput): { rows: ListRow<number>[]; end: number | null } => {
    const { cursor } = input;
    const before = cursor === null ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor);
    const span = search.span(input, before);
    if (input.search && input.search.texts.length > 0) {
      return search.byTexts(input, input.search, span);
    }
    const rows = find(input, span.before).map(([seq, status, summary]) => ({
      seq,
      status,
      summary,
    }));
    return { rows: rows.filter(({ seq }) => seq >= span.from), end: null };
  };
}

/** The writing steps of Records. */
export function createRecordSteps(parts: WriterParts): Steps<RecordsWriter> {
  const { database, segments, commits, now, lanes = [] } = parts;
  const queries = prepared(database, QUERIES);
  const heads = createHeadSteps(database, now);
  const smallDiffs = createSmallDiffs(database, now);
  const trends = createTrendSteps(database, commits.trends);
  const revise = createRevision(parts);
  const setRecord = createRecordSetter(database);
  const { publish } = createEventSteps(database, lanes);
  // Writes a page of the database without changing anything.
  const touchRow = database.prepare(`PRAGMA user_version = ${MIGRATIONS.length}`);

  return {
    insertRfc({ record, diff }) {
      const mark = segments.mark();
      const small = diff && smallDiffs.place(diff);
      const place = small ?? (diff && segments.stage(diff));
      const { rfc_id, tenant_id, overall_status, rev, created_at, summary, json, vcs_host } =
        record;
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
        JSON.stringify(record.texts),
      );
      if (changes === 1) {
        if (diff !== null && small !== null) smallDiffs.add(small, diff);
        trends.added(record);
        publish(record.events);
        return { rev };
      }
      const known = queries.state.get(rfc_id);
      if (known?.tenant_id !== tenant_id || known.json !== json) throw duplicateRfc();
      segments.rewind(mark);
      return { rev };
    },

    completeDraft({ record, expectedRev }) {
      const { overall_status, rev, summary, json, vcs_host, rfc_id, tenant_id } = record;
      const found = JSON.stringify(record.texts);
      const texts = [summary, json, found, vcs_host, vcs_host === null ? null : now()];
      const id = [rfc_id, tenant_id, expectedRev];
      const row = queries.complete.get(overall_status, rev, ...texts, ...id);
      if (row === undefined) throw staleRfc(stateOf(queries, record));
      trends.counted(rfc_id, record.trend);
      publish(record.events);
      if (row.push_ref !== null) heads.settled(parseRecord(json));
      return { rev };
    },

    reviseRfc: revise,

    startAttempt({ expectedRev, ...id }) {
      const record = attempted(stateOf(queries, id), expectedRev, now());
      setRecord(record);
      return { record };
    },

    keepReports({ reports, ...about }) {
      const { tenant_id, repo_name, subject } = about;
      queries.dropReports.run(now() - STORE.RETENTION_MS);
      const place = [tenant_id, repoKey(repo_name), subject];
      const known = queries.reportNames.all(...place);
      checkRoom(known, reports, queries.reportBytes.get(tenant_id)?.bytes ?? 0);
      for (const report of reports) {
        const size = reportBytes(report);
        const { tool, sha256 } = report;
        queries.keepReport.run(...place, tool, sha256, now(), size, reportText(report));
      }
      return { ok: true };
    },

    ping() {
      touchRow.run();
      return { ok: true };
    },
  };
}

/** Deletes the reports that are kept for long enough. */
export function dropReports(database: Connection, nowMs: number): void {
  database.prepare(QUERIES.dropReports).run(nowMs - STORE.RETENTION_MS);
}

/** Writes a record whose status is the same as before. */
export function createRecordSetter(database: Connection): (next: RfcRecord) => void {
  const { setRecord } = prepared(database, QUERIES);
  return (next) => {
    const texts = [summarise(next), next, searchTexts(next)].map((each) => JSON.stringify(each));
    setRecord.run(next.rev, ...texts, next.rfc_id);
  };
}

/** A record; null when absent, or of another tenant. */
export function findRecord(
  { state }: RecordStatements,
  { tenant_id, rfc_id }: RfcId,
): RfcRecord | null {
  const found = state.get(rfc_id);
  return found?.tenant_id === tenant_id ? parseRecord(found.json) : null;
}

/** What a writing step has to know of a record; NOT_FOUND also for that of another tenant. */
export function stateOf(
  { state, archived }: RecordStatements,
  { tenant_id, rfc_id }: RfcId,
): StateRow {
  const found = state.get(rfc_id);
  if (found?.tenant_id === tenant_id) return found;
  throw archived.get(rfc_id)?.tenant_id === tenant_id ? archivedRfc() : unknownRfc();
}

/**
 * What another review makes of a record that has a verdict, within a transaction; `onChecked` is
 * called when nothing stands against it, before anything is written.
 */
export function createRevision({ database, commits, now, lanes = [] }: WriterParts) {
  const queries = prepared(database, QUERIES);
  const heads = createHeadSteps(database, now);
  const trends = createTrendSteps(database, commits.trends);
  const { publish } = createEventSteps(database, lanes);

  return (input: ReviseInput, onChecked: () => void = () => undefined): { rev: number } => {
    const { record, from, expectedRev, isStatusDue = record.overall_status !== from } = input;
    const { overall_status, rev, summary, json, vcs_host, rfc_id, tenant_id } = record;
    const state = stateOf(queries, record);
    requireState(state, from, expectedRev);
    onChecked();
    const next = parseRecord(json);
    heads.changed(parseRecord(state.json), next);
    const dueMs = !isStatusDue || vcs_host === null ? null : now();
    const found = JSON.stringify(record.texts);
    const texts = [summary, json, found, dueMs, acceptsHead(next) ? 1 : null];
    queries.revise.run(overall_status, rev, ...texts, rfc_id, tenant_id, from, expectedRev);
    if (next.push !== null) heads.settled(next);
    trends.counted(rfc_id, record.trend);
    if (overall_status !== from) publish(record.events);
    return { rev };
  };
}

/** `diff_segment`, `diff_offset`, `diff_lengths`, `diff_bytes`. */
function placeColumns(place: DiffReference | null): (string | number | null)[] {
  if (place === null) return [null, null, null, null];
  return [place.segment, place.offset, JSON.stringify(place.lengths), place.bytes];
}
