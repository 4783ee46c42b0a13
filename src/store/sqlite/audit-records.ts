import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { StoredRecords, StoredRevision } from '../../audit/records-check.ts';
import { type Connection, prepared } from './connection.ts';
import { guarded } from './errors.ts';
import { QUERIES } from './queries.ts';

/** Rows that one step of a walk looks at. */
const PAGE = 1_000;

/** Reads the decided records of a store, to compare with the trail, page by page. */
export function createStoredRecords(database: Connection): Omit<StoredRecords, 'rowFaults'> {
  const queries = prepared(database, QUERIES);

  return {
    async *decided() {
      const end = guarded(() => queries.newestSeq.get())?.seq ?? 0;
      for (let from = 0; from < end; from += PAGE) {
        yield guarded(() => queries.shownDecided.all(from, from + PAGE));
        await setImmediate();
      }
    },
    async among(rfcIds) {
      return guarded(() => rfcIds.flatMap((rfcId) => queries.shownRfc.get(rfcId) ?? []));
    },
    async refusals(rfcIds) {
      return guarded(() => rfcIds.flatMap((rfcId) => queries.shownRefusal.get(rfcId) ?? []));
    },
    async entriesOf(opIds) {
      return guarded(() => opIds.flatMap((opId) => queries.entriesOfOp.all(opId))).map(textOf);
    },
    async carriesOf(rfcId) {
      return guarded(() => queries.auditNamed.all(`carry ${rfcId} `, `carry ${rfcId}!`)).map(
        textOf,
      );
    },
    async *accepted() {
      let after = ['', '', '', ''];
      for (;;) {
        const page = guarded(() => queries.acceptedPage.all(...after, PAGE));
        yield page;
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return;
        after = [last.tenant_id, last.repo_key, last.fingerprint, last.rfc_id];
        await setImmediate();
      }
    },
    async *revisions() {
      let last = Number.MIN_SAFE_INTEGER;
      // One at a time: a text may be long.
      for (;;) {
        const [row] = guarded(() => queries.revisionsPage.all(last, 1));
        if (row === undefined) return;
        yield [revisionOf(row)];
        last = row.number;
      }
    },
  };
}

function textOf({ entry }: { entry: string }): string {
  return entry;
}

function revisionOf(row: { number: number; entry: string; text: string }): StoredRevision {
  const textSha256 = createHash('sha256').update(row.text).digest('hex');
  return { number: row.number, entry: row.entry, textSha256 };
}
