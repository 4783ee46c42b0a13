import type { Collection, Db } from 'mongodb';
import type { AuditDetails, AuditEntry, AuditEvent, AuditPlace } from '../../model/audit.ts';
import { RULES } from '../../model/limits.ts';
import type { AddRules, RulesEntry, StoreReader } from '../contract/store.ts';
import {
  abandoned,
  fullTrail,
  otherRequest,
  staleRules,
  unknownOutcome,
  unknownRevision,
} from '../errors.ts';
import { MONGO_TRAIL, TRAIL } from '../limits.ts';
import { checkLimit } from '../lists.ts';
import type { Appender } from './audit-log.ts';
import { type OutcomePhase, outcomeOf } from './decide-steps.ts';
import { packText, type RulesDocument, unpackText } from './documents.ts';
import { readFailure } from './operations.ts';
import type { Query } from './queries.ts';

/** A revision, not a number that was fenced off. */
const REVISION = { entry: { $exists: true } } as const;

/** Queries on revisions; test/store/mongo/services.test.ts holds the plan of each. */
export const RULEBOOK_QUERIES = {
  newestRules: (): Query<RulesDocument> => ({
    filter: REVISION,
    options: { projection: { entry: 1 }, sort: { _id: -1 }, limit: 1 },
  }),
  listRules: (before: number | null, limit: number): Query<RulesDocument> => ({
    filter: { ...REVISION, ...(before === null ? {} : { _id: { $lt: before } }) },
    options: { projection: { entry: 1 }, sort: { _id: -1 }, limit },
  }),
} as const;

export type RulesCollection = Collection<RulesDocument>;

/** The revisions, acknowledged by a majority and journaled, read as the majority has them. */
export function rulesCollection(database: Db): RulesCollection {
  return database.collection<RulesDocument>('rules', {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: MONGO_TRAIL.ATTEMPT_MS },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
}

/** The reading methods of Rulebook; abandoned numbers are skipped. */
export function createRulebookReader(rules: RulesCollection): StoreReader['rulebook'] {
  async function at(number: number): Promise<{ entry: RulesEntry; text: string }> {
    const found = await rules.findOne({ _id: number });
    if (found?.entry === undefined || found.text === undefined) {
      throw unknownRevision();
    }
    return {
      entry: JSON.parse(found.entry) as RulesEntry,
      text: await unpackText(found.text, 'rules'),
    };
  }

  return {
    rulesAt: ({ number }) => at(number),
    async newestRules({ known }) {
      const newest = await findNewest(rules);
      if (newest === null || newest.number === known) return { newest, text: null };
      return { newest, text: (await at(newest.number)).text };
    },
    async listRules({ limit, before }) {
      checkLimit(limit, RULES.LIST_MAX);
      const { filter, options } = RULEBOOK_QUERIES.listRules(before, limit);
      const found = await rules.find(filter, options).toArray();
      return { entries: found.flatMap(entriesOf) };
    },
  };
}

/** The newest revision, without its text; null: it is absent. */
async function findNewest(rules: RulesCollection): Promise<RulesEntry | null> {
  const { filter, options } = RULEBOOK_QUERIES.newestRules();
  const found = await rules.findOne(filter, options);
  return found === null ? null : (entriesOf(found)[0] ?? null);
}

/** The newest revision and the highest number that is taken, as of one moment; 0: it is absent. */
async function findLast(rules: RulesCollection): Promise<{ newest: number; taken: number }> {
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

export interface RulesChangeOptions {
  rules: RulesCollection;
  append: Appender['append'];
  isFull(): boolean;
}

/**
 * Changes of the rules, with their entries in the trail. As with decisions an intent goes before
 * and an outcome after; each number is taken once, by whichever daemon comes first:
 *
 *     A0  find the next number                        not `expected`: refused, nothing is written
 *     A1  append the intent, which names the number   fails: nothing has changed
 *     A2  insert the revision under that number       taken: refused
 *     A3  append the outcome, answer
 *
 * The fence of a free number is a document without a revision: it takes the number, so a slow
 * writer comes too late, and the next change gets the next number.
 */
export function createRulesChange({ rules, append, isFull }: RulesChangeOptions) {
  async function add(input: AddRules): Promise<{ entry: RulesEntry; audit: AuditPlace }> {
    const packed = await packText(input.text, 'the rules');
    const entry = { ...input.entry, number: await nextNumber(input.expected) };
    if (isFull()) throw fullTrail();
    const event = intentOf(input.event, entry.number);
    const written = await append(event, MONGO_TRAIL.INTENT_WAIT_MS);
    if (!written.isOwn) throw otherRequest();
    const endsAt = performance.now() + TRAIL.DECIDE_DEADLINE_MS;
    let outcome: Outcome;
    let audit: AuditPlace;
    try {
      outcome = await take(event, { entry: JSON.stringify(entry), text: packed }, entry.number);
      const { chain, seq } = await append(
        outcomeOf(event, outcome.phase, outcome.details),
        Math.max(0, endsAt - performance.now()),
      );
      audit = { chain, seq };
    } catch (thrown) {
      throw unknownOutcome(event.op_id, thrown);
    }
    if (outcome.phase === 'done') return { entry, audit };
    throw outcome.newest === null ? abandoned() : staleRules(outcome.newest);
  }

  /** A0. */
  async function nextNumber(expected: number): Promise<number> {
    const { newest, taken } = await findLast(rules).catch((thrown: unknown) => {
      throw readFailure(thrown);
    });
    if (newest !== expected) throw staleRules(newest);
    return taken + 1;
  }

  /** A2, and how it ended by what the number holds then. */
  async function take(
    { op_id }: AuditEvent,
    revision: Pick<RulesDocument, 'entry' | 'text'>,
    number: number,
  ): Promise<Outcome> {
    try {
      await rules.insertOne({ _id: number, op_id, ...revision });
      return { phase: 'done', details: { number } };
    } catch {
      // It is taken, or may still be on its way: after the fence it can't arrive any more.
      const found = await fence(number, op_id);
      if (found.isMine) return { phase: 'done', details: { number } };
      if (found.isVoid) return { phase: 'aborted', details: {}, newest: null };
    }
    const newest = (await findNewest(rules))?.number ?? number;
    return { phase: 'refused', details: { number: newest }, newest };
  }

  /** What a number holds, for good: the fence takes it where it is free. One step, durable. */
  async function fence(number: number, op_id: string): Promise<Taken> {
    const after = await rules.findOneAndUpdate(
      { _id: number },
      { $inc: { fence: 1 }, $setOnInsert: { op_id } },
      {
        upsert: true,
        returnDocument: 'after',
        projection: { text: 0 },
        maxTimeMS: MONGO_TRAIL.ATTEMPT_MS,
      },
    );
    const isVoid = after?.entry === undefined;
    return { isVoid, isMine: !isVoid && after.op_id === op_id };
  }

  /** Settles a change whose daemon is gone, or too slow; `text` is its intent in the trail. */
  async function settle(text: string): Promise<'done' | 'aborted'> {
    const intent = JSON.parse(text) as AuditEntry;
    const number = Number(intent.details['number']);
    const { isMine } = await fence(number, intent.op_id);
    const phase = isMine ? 'done' : 'aborted';
    const details = { ...(isMine ? { number } : {}), by: 'reconciler' };
    await append(outcomeOf(intent, phase, details), TRAIL.DECIDE_DEADLINE_MS);
    return phase;
  }

  return { add, settle };
}

interface Taken {
  isMine: boolean;
  /** This number has no revision and never will. */
  isVoid: boolean;
}

type Outcome = { phase: OutcomePhase; details: AuditDetails } & (
  | { phase: 'done' }
  | { phase: 'refused'; newest: number }
  | { phase: 'aborted'; newest: null }
);

function intentOf(event: AuditEvent, number: number): AuditEvent {
  return { ...event, phase: 'intent', details: { ...event.details, number } };
}
