import type { AuditEvent, AuditPlace } from '../../../model/audit.ts';
import { CraError } from '../../../model/errors.ts';
import type { AddRules, RulesEntry } from '../../contract/rulebook.ts';
import { staleRules } from '../../stored-rules.ts';
import type { Connection } from '../database.ts';
import { DESK_QUERIES } from './queries.ts';

interface RulesRow {
  number: number;
  entry: string;
  text: string;
}

/** The writing step on rules revisions, within a transaction; `append` writes to the trail. */
export function createRulesStep(
  database: Connection,
  append: (event: AuditEvent) => AuditPlace,
): (input: AddRules) => { entry: RulesEntry; audit: AuditPlace } {
  const newest = database.prepare<[], RulesRow>(DESK_QUERIES.newestRules);
  const add = database.prepare(DESK_QUERIES.addRules);
  return ({ expected, text, entry, event }) => {
    const current = newest.get()?.number ?? 0;
    if (current !== expected) throw staleRules(current);
    const added: RulesEntry = { ...entry, number: current + 1 };
    const details = { ...event.details, number: added.number };
    const audit = append({ ...event, details });
    add.run(added.number, JSON.stringify(added), text);
    return { entry: added, audit };
  };
}

/** Reads rules revisions. */
export function createRulesReader(database: Connection) {
  const newest = database.prepare<[], RulesRow>(DESK_QUERIES.newestRules);
  const at = database.prepare<[number], RulesRow>(DESK_QUERIES.rulesAt);
  const list = database.prepare<[number, number], RulesRow>(DESK_QUERIES.listRules);
  const entryOf = (row: RulesRow) => JSON.parse(row.entry) as RulesEntry;

  return {
    newest(known: number): { newest: RulesEntry | null; text: string | null } {
      const row = newest.get();
      if (row === undefined) return { newest: null, text: null };
      return { newest: entryOf(row), text: row.number === known ? null : row.text };
    },
    at(number: number): { entry: RulesEntry; text: string } {
      const row = at.get(number);
      if (row === undefined) throw new CraError('NOT_FOUND', 'there is no such revision of rules');
      return { entry: entryOf(row), text: row.text };
    },
    list: (limit: number, before: number | null): { entries: RulesEntry[] } => ({
      entries: list.all(before ?? Number.MAX_SAFE_INTEGER, limit).map(entryOf),
    }),
  };
}
