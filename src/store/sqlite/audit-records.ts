import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type {
  StoredAcceptance,
  StoredRecords,
  StoredRefusal,
  StoredRevision,
  StoredRfc,
} from '../../audit/records-check.ts';
import type { Connection } from './connection.ts';
import { guarded } from './errors.ts';
import { QUERIES } from './queries.ts';

/** Rows that one step of a walk looks at. */
const PAGE = 1_000;

/** Reads what a database shows as decided, by pages: other work goes on in between. */
export function createStoredRecords(database: Connection): Omit<StoredRecords, 'rowFaults'> {
  const findNewest = database.prepare<[], { seq: number | null }>(QUERIES.newestSeq);
  const findDecided = database.prepare<[number, number], StoredRfc>(QUERIES.shownDecided);
  const findRfc = database.prepare<[string], StoredRfc>(QUERIES.shownRfc);
  const findRefusal = database.prepare<[string], StoredRefusal>(QUERIES.shownRefusal);
  const findEntries = database.prepare<[string], { entry: string }>(QUERIES.entriesOfOp);
  const findNamed = database.prepare<[string, string], { entry: string }>(QUERIES.auditNamed);
  const findAccepted = database.prepare<unknown[], StoredAcceptance>(QUERIES.acceptedPage);
  const findRevisions = database.prepare<
    [number, number],
    { number: number; entry: string; text: string }
  >(QUERIES.revisionsPage);

  return {
    async *decided() {
      const end = guarded(() => findNewest.get())?.seq ?? 0;
      for (let from = 0; from < end; from += PAGE) {
        yield guarded(() => findDecided.all(from, from + PAGE));
        await setImmediate();
      }
    },
    async among(rfcIds) {
      return guarded(() => rfcIds.flatMap((rfcId) => findRfc.get(rfcId) ?? []));
    },
    async refusals(rfcIds) {
      return guarded(() => rfcIds.flatMap((rfcId) => findRefusal.get(rfcId) ?? []));
    },
    async entriesOf(opIds) {
      return guarded(() => opIds.flatMap((opId) => findEntries.all(opId))).map(textOf);
    },
    async carriesOf(rfcId) {
      return guarded(() => findNamed.all(`carry ${rfcId} `, `carry ${rfcId}!`)).map(textOf);
    },
    async *accepted() {
      let after = ['', '', '', ''];
      for (;;) {
        const page = guarded(() => findAccepted.all(...after, PAGE));
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
        const [row] = guarded(() => findRevisions.all(last, 1));
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
