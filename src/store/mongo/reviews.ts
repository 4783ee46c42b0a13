import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation, ClientSession, Collection, MongoClient } from 'mongodb';
import { type Batcher, createBatcher } from '../../core/batcher.ts';
import type { UsageRecord } from '../../model/usage.ts';
import type { OpenCall, QueuedReview, ReservedCall, SettleCallInput } from '../contract/records.ts';
import type { StoreDriver } from '../contract/store.ts';
import { REVIEW_STORE } from '../limits.ts';
import {
  fitsBudgets,
  openCall,
  REVIEW_RETENTION_MS,
  scopesOf,
  settledDifference,
} from '../steps/review.ts';
import { checkCount } from '../stored-record.ts';
import type {
  BudgetDocument,
  QueuedReviewDocument,
  RememberedDocument,
  ReviewAnswerDocument,
  ReviewCallDocument,
  UsageDocument,
  UsageHourDocument,
} from './documents.ts';
import { BATCHES, bounded, fromMongo, transact } from './operations.ts';
import { insertUsage } from './usage.ts';

export interface ReviewCollections {
  client: MongoClient;
  budgets: Collection<BudgetDocument>;
  reviewCalls: Collection<ReviewCallDocument>;
  reviewAnswers: Collection<ReviewAnswerDocument>;
  reviewQueue: Collection<QueuedReviewDocument>;
  reviewMemory: Collection<RememberedDocument>;
  usage: Collection<UsageDocument>;
  usageHours: Collection<UsageHourDocument>;
}

type Step =
  | { kind: 'reserve'; call: ReservedCall }
  | ({ kind: 'settle' } & SettleCallInput)
  | { kind: 'left'; owner: string; beforeMs: number };

/** How many calls were changed: 0 or 1, but for those that were left. */
type Changed = number;

/** The methods, and how to end: resolves when the steps that wait are settled; refuses new ones. */
interface ReviewService {
  methods: StoreDriver['reviews'];
  drained(): Promise<void>;
}

/** Budgets and calls. The steps that come together are one transaction. */
export function createReviewService(collections: ReviewCollections): ReviewService {
  const { client, budgets, reviewAnswers } = collections;
  const writer = randomUUID();
  const batcher: Batcher<Step, Changed> = createBatcher({
    async commit(batch) {
      try {
        const run = (session: ClientSession) =>
          runSteps({ ...collections, writer }, batch, session);
        return (await transact(client, run)).map((value) => ({ ok: true, value }));
      } catch (thrown) {
        throw fromMongo(thrown);
      }
    },
    weigh: (step) => STEP_BYTES + (step.kind === 'settle' ? (step.answer?.json.length ?? 0) : 0),
    ...BATCHES,
  });

  const methods: StoreDriver['reviews'] = {
    async reserveCall({ call }) {
      return { reserved: (await batcher.submit({ kind: 'reserve', call }, null)) === 1 };
    },
    async settleCall(input) {
      return { settled: (await batcher.submit({ kind: 'settle', ...input }, null)) === 1 };
    },
    async settleLeft({ owner, beforeMs }) {
      return { calls: await batcher.submit({ kind: 'left', owner, beforeMs }, null) };
    },
    async spentIn({ scopes }) {
      const found = await budgets.find({ _id: { $in: scopes } }).toArray();
      const held = new Map(found.map(({ _id, nano_usd }) => [_id, nano_usd]));
      return { nanoUsd: scopes.map((scope) => held.get(scope) ?? 0) };
    },
    async findAnswer({ key }) {
      return { json: (await reviewAnswers.findOne({ _id: key }))?.json ?? null };
    },
    ...createQueueMethods(collections),
  };
  return { methods, drained: batcher.close };
}

/** Reviews after the verdict; each step changes one document, on the server's clock. */
function createQueueMethods({ reviewQueue, reviewMemory }: ReviewCollections) {
  return {
    async queueReview({ review, dueMs: due_ms }) {
      const { review_id: _id, tries } = review;
      const first = { due_ms, held_until: new Date(0), owner: null, tries };
      const $setOnInsert = { ...first, json: JSON.stringify(review) };
      const { upsertedCount } = await reviewQueue.updateOne(
        { _id },
        { $setOnInsert },
        { upsert: true },
      );
      return { queued: upsertedCount === 1 };
    },
    async claimReview({ owner, leaseMs, dueBeforeMs }) {
      const held_until = { $add: ['$$NOW', leaseMs] };
      const found = await reviewQueue.findOneAndUpdate(
        { due_ms: { $lte: dueBeforeMs }, $expr: { $lte: ['$held_until', '$$NOW'] } },
        [{ $set: { owner: { $literal: owner }, held_until } }],
        { sort: { due_ms: 1 } },
      );
      if (found === null) return { review: null };
      return { review: { ...(JSON.parse(found.json) as QueuedReview), tries: found.tries } };
    },
    async endReview({ review_id: _id, owner, again }) {
      if (again === null) {
        return { ended: (await reviewQueue.deleteOne({ _id, owner })).deletedCount === 1 };
      }
      const { matchedCount } = await reviewQueue.updateOne(
        { _id, owner },
        { $set: { tries: again.tries, due_ms: again.dueMs, held_until: new Date(0), owner: null } },
      );
      return { ended: matchedCount === 1 };
    },
    async releaseReviews({ owner }) {
      const free = { $set: { held_until: new Date(0), owner: null } };
      return { released: (await reviewQueue.updateMany({ owner }, free)).matchedCount };
    },
    async expediteReviews({ dueMs: due_ms }) {
      const later = { due_ms: { $gt: due_ms }, owner: null };
      return {
        expedited: (await reviewQueue.updateMany(later, { $set: { due_ms } })).matchedCount,
      };
    },
    async reviewDepth() {
      const limit = REVIEW_STORE.DEPTH_COUNTED_MAX;
      return { reviews: await reviewQueue.countDocuments({ due_ms: { $gte: 0 } }, { limit }) };
    },
    async rememberFindings({ tenant_id, repo_key, findings, atMs }) {
      checkCount('findings', findings, REVIEW_STORE.REMEMBERED_MAX);
      if (findings.length === 0) return { ok: true };
      const operations = findings.map(({ line_key, kind, json }) => ({
        updateOne: {
          filter: { _id: { tenant_id, repo_key, line_key, kind } },
          update: { $set: { at: new Date(atMs) }, $setOnInsert: { json } },
          upsert: true,
        },
      }));
      await bounded(reviewMemory.bulkWrite(operations, { ordered: false }));
      return { ok: true };
    },
    async recallFindings({ tenant_id, repo_key, lineKeys, atMs }) {
      checkCount('lineKeys', lineKeys, REVIEW_STORE.LINES_PER_CALL_MAX);
      const place = { '_id.tenant_id': tenant_id, '_id.repo_key': repo_key };
      const filter = { ...place, '_id.line_key': { $in: lineKeys } };
      // The server removes what has expired when it comes to it.
      const since = { $gte: new Date(atMs - REVIEW_RETENTION_MS) };
      const found = await reviewMemory.find({ ...filter, at: since }).toArray();
      return {
        found: found.map(({ _id: { line_key, kind }, json }) => ({ line_key, kind, json })),
      };
    },
    async forgetFindings({ tenant_id, repo_key, findings }) {
      checkCount('findings', findings, REVIEW_STORE.REMEMBERED_MAX);
      const _id = {
        $in: findings.map(({ line_key, kind }) => ({ tenant_id, repo_key, line_key, kind })),
      };
      const { deletedCount } = await bounded(reviewMemory.deleteMany({ _id }));
      return { forgotten: deletedCount };
    },
  } satisfies Partial<StoreDriver['reviews']>;
}

/** About what a step weighs; only the size of batches depends on it. */
const STEP_BYTES = 1024;

/** Runs a batch of steps on what the transaction sees. */
async function runSteps(
  collections: ReviewCollections & { writer: string },
  batch: readonly Step[],
  session: ClientSession,
): Promise<Changed[]> {
  const { budgets, reviewCalls, reviewAnswers } = collections;
  const open = await findCalls(reviewCalls, batch, session);
  const scopes = new Set([
    ...batch.flatMap((step) => (step.kind === 'reserve' ? scopesOf(step.call) : [])),
    ...[...open.values()].flatMap((call) => call.scopes),
  ]);
  const found = await budgets.find({ _id: { $in: [...scopes] } }, { session }).toArray();
  const held = new Map(found.map(({ _id, nano_usd }) => [_id, nano_usd]));
  const before = new Map(held);
  const heldIn = (scope: string) => held.get(scope) ?? 0;
  const opened = new Map<string, ReviewCallDocument>();
  const ended: UsageRecord[] = [];
  const closed: string[] = [];
  const answers: KeptAnswer[] = [];

  function end(call: OpenCall, usage: UsageRecord): void {
    const difference = settledDifference(call, usage);
    for (const scope of call.scopes) held.set(scope, heldIn(scope) + difference);
    if (!opened.delete(call.call_id)) closed.push(call.call_id);
    open.delete(call.call_id);
    ended.push(usage);
  }

  const changed = batch.map((step): Changed => {
    if (step.kind === 'reserve') {
      const { call } = step;
      if (open.has(call.call_id)) return 1;
      if (!fitsBudgets(call, heldIn)) return 0;
      const { call_id: _id, started_ms } = call;
      const document = { _id, started_ms, ...openCall(call) };
      for (const scope of document.scopes) held.set(scope, heldIn(scope) + call.reserved_nano_usd);
      open.set(call.call_id, document);
      opened.set(call.call_id, document);
      return 1;
    }
    if (step.kind === 'settle') {
      const call = open.get(step.call_id);
      if (call === undefined) return 0;
      end(call, step.usage);
      if (step.answer !== null) answers.push({ ...step.answer, at: new Date(step.usage.at_ms) });
      return 1;
    }
    const left = [...open.values()].filter((call) => isLeft(call, step));
    for (const call of left) end(call, call.usage);
    return left.length;
  });

  const changes = [...held].filter(([scope, nano]) => before.get(scope) !== nano);
  if (changes.length > 0) await budgets.bulkWrite(changes.map(setBudget), { session });
  if (opened.size > 0) await reviewCalls.insertMany([...opened.values()], { session });
  if (closed.length > 0) await reviewCalls.deleteMany({ _id: { $in: closed } }, { session });
  if (ended.length > 0) await insertUsage(collections, ended, session);
  if (answers.length > 0) await reviewAnswers.bulkWrite(answers.map(addAnswer), { session });
  return changed;
}

/** The calls that the steps are about, by their ids. */
async function findCalls(
  reviewCalls: ReviewCollections['reviewCalls'],
  batch: readonly Step[],
  session: ClientSession,
): Promise<Map<string, ReviewCallDocument>> {
  const ids = batch.flatMap((step) => {
    if (step.kind === 'left') return [];
    return [step.kind === 'reserve' ? step.call.call_id : step.call_id];
  });
  const left = batch.flatMap((step) =>
    step.kind === 'left' ? [{ owner: step.owner }, { started_ms: { $lt: step.beforeMs } }] : [],
  );
  const $or = [{ _id: { $in: ids } }, ...left];
  const found = await reviewCalls.find({ $or }, { session }).toArray();
  return new Map(found.map((call) => [call._id, call]));
}

function isLeft(call: ReviewCallDocument, step: Extract<Step, { kind: 'left' }>): boolean {
  return call.owner === step.owner || call.started_ms < step.beforeMs;
}

interface KeptAnswer {
  key: string;
  json: string;
  at: Date;
}

/** The first answer of a key stays. */
function addAnswer({ key, ...first }: KeptAnswer): AnyBulkWriteOperation<ReviewAnswerDocument> {
  return { updateOne: { filter: { _id: key }, update: { $setOnInsert: first }, upsert: true } };
}

function setBudget([_id, nano_usd]: [string, number]): AnyBulkWriteOperation<BudgetDocument> {
  return { updateOne: { filter: { _id }, update: { $set: { nano_usd } }, upsert: true } };
}
