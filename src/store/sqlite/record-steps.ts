import type { SealedDiff } from '../../core/seal.ts';
import { statusHost, summarise } from '../../domain/records.ts';
import type { RecordText } from '../../rpc/contract.ts';
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
import { MIGRATIONS } from './migrations.ts';
import { QUERIES } from './queries.ts';
import { createHistoryRecorder } from './repo-histories.ts';
import type { StateRow } from './stored-record.ts';

/** The writing steps as they run within a transaction (see `Operation.run`). */
export function createRecordSteps(database: Connection, segments: DiffSegments, now: () => number) {
  const insertRow = database.prepare(QUERIES.insert);
  const replaceRow = database.prepare(QUERIES.replace);
  const findState = database.prepare<[string], StateRow>(QUERIES.state);
  const addToHistory = createHistoryRecorder(database);
  // Writes a page of the database without changing anything.
  const touchRow = database.prepare(`PRAGMA user_version = ${MIGRATIONS.length}`);

  function insert(record: RecordText, diff: SealedDiff | null): { rev: number } {
    const mark = segments.mark();
    const place = diff === null ? null : segments.stage(diff);
    const { rfc_id, tenant_id, overall_status, rev, created_at, summary, json } = record;
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
    replace(record, expectedRev);
    return { rev: record.rev };
  }

  function startAttempt(tenantId: string, rfcId: string, expectedRev: number) {
    const state = findState.get(rfcId);
    if (state?.tenant_id !== tenantId) throw unknownRfc();
    if (state.status !== 'DRAFT' || state.rev !== expectedRev) throw staleRfc(state);
    const record = withAttempt(parseRecord(state.json), now());
    const json = JSON.stringify(record);
    const texts = { json, summary: JSON.stringify(summarise(record)) };
    replace({ ...record, ...texts, vcs_host: statusHost(record) }, expectedRev);
    return { record };
  }

  /** Compare-and-set: only a DRAFT of `expectedRev` is replaced. */
  function replace(record: Omit<RecordText, 'answer' | 'change'>, expectedRev: number): void {
    const { overall_status, rev, summary, json, rfc_id, tenant_id } = record;
    const state = [overall_status, rev, summary, json];
    const { changes } = replaceRow.run(...state, rfc_id, tenant_id, expectedRev);
    if (changes === 1) return;
    const found = findState.get(rfc_id);
    throw found?.tenant_id === tenant_id ? staleRfc(found) : unknownRfc();
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
