import type { AuditEvent, AuditPlace } from '../../model/audit.ts';
import { RULES } from '../../model/limits.ts';
import type { AddRules, RulesEntry, StoreReader, StoreWriter } from '../contract/store.ts';
import { staleRules, unknownRevision } from '../errors.ts';
import { checkLimit } from '../lists.ts';
import type { AuditLog } from './audit-log.ts';
import { type Connection, prepared, sql } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';
import type { TrailSettle } from './trail.ts';

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

export interface RulebookWriterOptions {
  database: Connection;
  log: Pick<AuditLog, 'append'>;
  commits: Pick<GroupCommit, 'write'>;
  settle: TrailSettle;
}

/** The writing methods of Rulebook on an open database: each revision has an audit entry. */
export function createRulebookWriter({
  database,
  log,
  commits,
  settle,
}: RulebookWriterOptions): StoreWriter['rulebook'] {
  const add = createRulesStep(database, log.append);
  return {
    addRules: (input, call) => settle(commits.write(input.text.length, () => add(input), call)),
  };
}

interface RulesRow {
  number: number;
  entry: string;
  text: string;
}

/** The writing step on rules revisions, within a transaction; `append` writes to the trail. */
function createRulesStep(
  database: Connection,
  append: (event: AuditEvent) => AuditPlace,
): (input: AddRules) => { entry: RulesEntry; audit: AuditPlace } {
  const queries = prepared(database, RULEBOOK_QUERIES);
  return ({ expected, text, entry, event }) => {
    const current = queries.newestRules.get()?.number ?? 0;
    if (current !== expected) throw staleRules(current);
    const added: RulesEntry = { ...entry, number: current + 1 };
    const details = { ...event.details, number: added.number };
    const audit = append({ ...event, details });
    queries.addRules.run(added.number, JSON.stringify(added), text);
    return { entry: added, audit };
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
      checkLimit(limit, RULES.LIST_MAX);
      const rows = queries.listRules.all(before ?? Number.MAX_SAFE_INTEGER, limit);
      return { entries: rows.map(entryOf) };
    },
  };
}
