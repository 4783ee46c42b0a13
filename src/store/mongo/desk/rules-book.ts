import type { Collection, Db } from 'mongodb';
import { AUDIT } from '../../../limits.ts';
import { CraError } from '../../../model/errors.ts';
import type { RulesEntry } from '../../contract/rulebook.ts';
import { unpackText } from '../packed-text.ts';
import type { RulesDocument } from './documents.ts';
import { DESK_QUERIES } from './queries.ts';

export type RulesCollection = Collection<RulesDocument>;

/** The revisions, acknowledged by a majority and journaled, read as the majority has them. */
export function rulesCollection(database: Db): RulesCollection {
  return database.collection<RulesDocument>('rules', {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: AUDIT.ATTEMPT_MS },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
}

/** Reads revisions; numbers that were fenced off are none. */
export function createRulesReader(rules: RulesCollection) {
  async function at(number: number): Promise<{ entry: RulesEntry; text: string }> {
    const found = await rules.findOne({ _id: number });
    if (found?.entry === undefined || found.text === undefined) {
      throw new CraError('NOT_FOUND', 'there is no such revision of rules');
    }
    return {
      entry: JSON.parse(found.entry) as RulesEntry,
      text: await unpackText(found.text, 'rules'),
    };
  }

  return {
    at,
    async newest(known: number): Promise<{ newest: RulesEntry | null; text: string | null }> {
      const newest = await findNewest(rules);
      if (newest === null || newest.number === known) return { newest, text: null };
      return { newest, text: (await at(newest.number)).text };
    },
    async list(limit: number, before: number | null): Promise<{ entries: RulesEntry[] }> {
      const { filter, options } = DESK_QUERIES.listRules(before, limit);
      const found = await rules.find(filter, options).toArray();
      return { entries: found.flatMap(entriesOf) };
    },
  };
}

/** The newest revision, without its text; null: there is none. */
export async function findNewest(rules: RulesCollection): Promise<RulesEntry | null> {
  const { filter, options } = DESK_QUERIES.newestRules();
  const found = await rules.findOne(filter, options);
  return found === null ? null : (entriesOf(found)[0] ?? null);
}

/** The newest revision and the highest number that is taken, as of one moment; 0: none. */
export async function findLast(rules: RulesCollection): Promise<{ newest: number; taken: number }> {
  let taken = 0;
  const descending = rules.find({}, { projection: { entry: 1 }, sort: { _id: -1 } });
  for await (const { _id, entry } of descending) {
    taken = Math.max(taken, _id);
    if (entry !== undefined) return { newest: _id, taken };
  }
  return { newest: 0, taken };
}

function entriesOf({ entry }: Pick<RulesDocument, 'entry'>): RulesEntry[] {
  return entry === undefined ? [] : [JSON.parse(entry) as RulesEntry];
}
