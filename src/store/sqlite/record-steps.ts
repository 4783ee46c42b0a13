import type { SealedDiff } from '../../core/seal.ts';
import type { CraError } from '../../model/errors.ts';
import { type RecordText, recordText } from '../../model/record-text.ts';
import { acceptsHead } from '../../model/records.ts';
import { repoKey } from '../repo-key.ts';
import {
  checkOutcome,
  parseRecord,
  staleRfc,
  takenId,
  unknownRfc,
  withAttempt,
} from '../stored-record.ts';
import type { Connection } from './database.ts';
import type { DiffReference, DiffSegments } from './diff-segments.ts';
import { PUSH_QUERIES } from './pushes/queries.ts';
import { QUERIES } from './queries.ts';
import { createHistoryRecorder } from './repo-histories.ts';
import { MIGRATIONS } from './schema.ts';
import type { StateRow } from './stored-record.ts';

/** The writing steps as they run within a transaction (see `Operation.run`). */
export function createRecordSteps(database: Connection, segments: DiffSegments, now: () => number) {
  const insertRow = database.prepare(QUERIES.insert);
  const completeRow = database.prepare<unknown[], { push_ref: string | null }>(QUERIES.complete);
  const writeAttempt = database.prepare(QUERIES.attempt);
  const acceptHead = database.prepare(PUSH_QUERIES.acceptHead);
  const findState = database.prepare<[string], StateRow>(QUERIES.state);
  const addToHistory = createHistoryRecorder(database);
  // Writes a page of the database without changing anything.
  const touchRow = database.prepare(`PRAGMA user_version = ${MIGRATIONS.length}`);

  function insert(record: RecordText, diff: SealedDiff | null): { rev: number } {
    const mark = segments.mark();
    const place = diff === null ? null : segments.stage(diff);
    const { rfc_id, tenant_id, overall_status, rev, created_at, summary, json, vcs_host } = record;
    const { changes } = insertRow.run(
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
    );
    if (changes === 1) {
      if (record.change !== null) addToHistory(record, record.change);
      return { rev };
    }
    const known = findState.get(rfc_id);
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
    const row = completeRow.get(overall_status, rev, ...texts, rfc_id, tenant_id, expectedRev);
    if (row === undefined) throw otherState(rfc_id, tenant_id);
    if (row.push_ref !== null) settlePush(record);
    return { rev };
  }

  /** The change of a push is known only with its verdict, which also tells whether it counts. */
  function settlePush(record: RecordText): void {
    if (record.change !== null) addToHistory(record, record.change);
    if (acceptsHead(parseRecord(record.json))) acceptHead.run(record.rfc_id);
  }

  function startAttempt(tenantId: string, rfcId: string, expectedRev: number) {
    const state = findState.get(rfcId);
    if (state?.tenant_id !== tenantId) throw unknownRfc();
    if (state.status !== 'DRAFT' || state.rev !== expectedRev) throw staleRfc(state);
    const record = withAttempt(parseRecord(state.json), now());
    const { json, summary } = recordText(record, null);
    writeAttempt.run(record.rev, summary, json, rfcId);
    return { record };
  }

  /** Why a compare-and-set found nothing. */
  function otherState(rfcId: string, tenantId: string): CraError {
    const found = findState.get(rfcId);
    return found?.tenant_id === tenantId ? staleRfc(found) : unknownRfc();
  }

  function touch(): { ok: true } {
    touchRow.run();
    return { ok: true };
  }

  return { insert, complete, startAttempt, touch };
}

/** `diff_segment`, `diff_offset`, `diff_lengths`, `diff_bytes`. */
function placeColumns(place: DiffReference | null): (string | number | null)[] {
  if (place === null) return [null, null, null, null];
  return [place.segment, place.offset, JSON.stringify(place.lengths), place.bytes];
}
