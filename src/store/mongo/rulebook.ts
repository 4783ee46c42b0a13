import type { AuditEntry, AuditEvent, AuditPlace } from '../../model/audit.ts';
import type { AddRules, RulesEntry, StoreReader } from '../contract/store.ts';
import { otherRequest, staleRules, unknownRevision } from '../errors.ts';
import { MONGO_TRAIL, TRAIL } from '../limits.ts';
import type { DecisionCollections } from './database.ts';
import { packText, type RulesDocument, unpackText } from './documents.ts';
import { type Change, type OperationLog, outcomeOf, runOperation } from './intents.ts';
import { readFailure } from './operations.ts';
import { findAll, findFirst, type Query, query } from './queries.ts';

/** A revision, not a number that was fenced off. */
const REVISION = { entry: { $exists: true } } as const;

/** Queries on revisions; test/store/mongo/services.test.ts holds the plan of each. */
export const RULEBOOK_QUERIES = {
  newestRules: (): Query<RulesDocument> =>
    query(REVISION, 'entry', { sort: { _id: -1 }, limit: 1 }),
  listRules: (before: number | null, limit: number): Query<RulesDocument> =>
    query({ ...REVISION, ...(before === null ? {} : { _id: { $lt: before } }) }, 'entry', {
      sort: { _id: -1 },
      limit,
    }),
} as const;

type RulesCollection = DecisionCollections['rules'];

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
      const found = await findAll(rules, RULEBOOK_QUERIES.listRules(before, limit));
      return { entries: found.flatMap(entriesOf) };
    },
  };
}

/** The newest revision, without its text; null: it is absent. */
async function findNewest(rules: RulesCollection): Promise<RulesEntry | null> {
  const found = await findFirst(rules, RULEBOOK_QUERIES.newestRules());
  return found === null ? null : (entriesOf(found)[0] ?? null);
}

/** The newest revision and the highest number that is taken, as of one moment; 0: it is absent. */
async function findLast(rules: RulesCollection): Promise<{ newest: number; highest: number }> {
  let highest = 0;
  const descending = rules.find({}, { projection: { entry: 1 }, sort: { _id: -1 } });
  for await (const { _id, entry } of descending) {
    highest = Math.max(highest, _id);
    if (entry !== undefined) return { newest: _id, highest };
  }
  return { newest: 0, highest };
}

function entriesOf({ entry }: Pick<RulesDocument, 'entry'>): RulesEntry[] {
  return entry === undefined ? [] : [JSON.parse(entry) as RulesEntry];
}

/**
 * Changes of the rules, with their entries in the trail (see `intents`): the intent names the next
 * number, the change inserts the revision under it. The fence of a free number is a document
 * without a revision: it takes the number, so a slow writer comes too late, and the next change
 * gets the next number.
 */
export function createRulesChange(rules: RulesCollection, log: OperationLog) {
  async function add(input: AddRules): Promise<{ entry: RulesEntry; audit: AuditPlace }> {
    const endsAt = performance.now() + TRAIL.DECIDE_DEADLINE_MS;
    const text = await packText(input.text, 'the rules');
    const number = await nextNumber(input.expected);
    const entry: RulesEntry = { ...input.entry, number };
    const { op_id } = input.event;
    const details = { ...input.event.details, number };
    const intent: AuditEvent = { ...input.event, phase: 'intent', details };
    const made = await runOperation(log, {
      intent,
      opId: op_id,
      endsAt,
      change: () => take({ _id: number, op_id, entry: JSON.stringify(entry), text }),
    });
    if (made === null) throw otherRequest();
    return { entry, audit: made.audit };
  }

  /** A0. */
  async function nextNumber(expected: number): Promise<number> {
    const { newest, highest } = await findLast(rules).catch((thrown: unknown) => {
      throw readFailure(thrown);
    });
    if (newest !== expected) throw staleRules(newest);
    return highest + 1;
  }

  /** A2, and how it ended by what the number holds then. */
  async function take(revision: RulesDocument): Promise<Change<null>> {
    const { _id: number, op_id } = revision;
    const done = { phase: 'done', value: null, details: { number } } as const;
    try {
      await rules.insertOne(revision);
      return done;
    } catch {
      // It is taken, or may still be on its way: after the fence it can't arrive any more.
      const found = await fence(number, op_id);
      if (found.isMine) return done;
      if (found.isVoid) return { phase: 'aborted' };
    }
    const newest = (await findNewest(rules))?.number ?? number;
    return { phase: 'refused', error: staleRules(newest), details: { number: newest } };
  }

  /** What a number holds, for good: the fence takes it where it is free. One step, durable. */
  async function fence(number: number, op_id: string): Promise<NumberState> {
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

  /** Settles a change by its intent, for the reconciler; `text` is its canonical JSON. */
  async function settle(text: string): Promise<void> {
    const intent = JSON.parse(text) as AuditEntry;
    const number = Number(intent.details['number']);
    const { isMine } = await fence(number, intent.op_id);
    const details = { ...(isMine ? { number } : {}), by: 'reconciler' };
    const outcome = outcomeOf(intent, isMine ? 'done' : 'aborted', details);
    await log.append(outcome, TRAIL.DECIDE_DEADLINE_MS);
  }

  return { add, settle };
}

interface NumberState {
  isMine: boolean;
  /** This number has no revision and never will. */
  isVoid: boolean;
}
