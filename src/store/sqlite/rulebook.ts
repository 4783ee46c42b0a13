import type { RulesEntry, StoreReader, StoreWriter } from '../contract/store.ts';
import { staleRules, unknownRevision } from '../errors.ts';
import { type Connection, prepared, sql } from './connection.ts';
import type { Steps, WriterParts } from './group-commit.ts';

/** Statements on the revisions of the rules. */
export const RULEBOOK_QUERIES = {
  newestRules: sql<RulesRow>(`
    SELECT number, entry, text FROM rules_revision
    WHERE number < 9223372036854775807 ORDER BY number DESC LIMIT 1`),
  rulesAt: sql<RulesRow>('SELECT number, entry, text FROM rules_revision WHERE number = ?'),
  listRules: sql<RulesRow>(`
    SELECT number, entry FROM rules_revision WHERE number < ? ORDER BY number DESC LIMIT ?`),
  addRules: 'INSERT INTO rules_revision (number, entry, text) VALUES (?, ?, ?)',
} as const;

interface RulesRow {
  number: number;
  entry: string;
  text: string;
}

/** The writing steps on revisions of the rules: each has an audit entry. */
export function createRulebookSteps({
  database,
  log,
}: WriterParts): Steps<StoreWriter['rulebook']> {
  const queries = prepared(database, RULEBOOK_QUERIES);
  return {
    addRules({ expected, text, entry, event }) {
      const current = queries.newestRules.get()?.number ?? 0;
      if (current !== expected) throw staleRules(current);
      const added: RulesEntry = { ...entry, number: current + 1 };
      const details = { ...event.details, number: added.number };
      const audit = log.append({ ...event, details });
      queries.addRules.run(added.number, JSON.stringify(added), text);
      return { entry: added, audit };
    },
  };
}

/** The reading methods of Rulebook. */
export function createRulebookReader(database: Connection): StoreReader['rulebook'] {
  const queries = prepared(database, RULEBOOK_QUERIES);
  const entryOf = (row: RulesRow) => JSON.parse(row.entry) as RulesEntry;
  return {
    rulesAt({ number }) {
      const row = queries.rulesAt.get(number);
      if (row === undefined) throw unknownRevision();
      return { entry: entryOf(row), text: row.text };
    },
    newestRules({ known }) {
      const row = queries.newestRules.get();
      if (row === undefined) return { newest: null, text: null };
      return { newest: entryOf(row), text: row.number === known ? null : row.text };
    },
    listRules({ limit, before }) {
      const rows = queries.listRules.all(before ?? Number.MAX_SAFE_INTEGER, limit);
      return { entries: rows.map(entryOf) };
    },
  };
}
