import { randomUUID } from 'node:crypto';
import type { ClientSession, MongoClient } from 'mongodb';
import { createBatcher, type Outcome } from '../../core/batcher.ts';
import type { UsageRecord } from '../../model/usage.ts';
import type { OpenCall, QueuedReview } from '../contract/records.ts';
import type { StoreDriver } from '../contract/store.ts';
import { REVIEW_STORE, STORE } from '../limits.ts';
import { fitsBudgets, openCall, scopesOf, settledDifference } from '../steps/review.ts';
import type { Collections } from './database.ts';
import { BATCHES, bounded, transact } from './operations.ts';
import { insertUsage } from './usage.ts';

/** The methods, and how to end: resolves when the steps that wait are settled; refuses new ones. */
interface ReviewService {
  methods: StoreDriver['reviews'];
  drained(): Promise<void>;
}

/** Creates it; the client is that of the collections. */
export function createReviewService(client: MongoClient, collections: Collections): ReviewService {
  const { budgets, reviewAnswers } = collections;
  const { drained, ...budgetMethods } = createBudgetMethods(client, collections);
  const methods: StoreDriver['reviews'] = {
    ...budgetMethods,
    async spentIn({ scopes }) {
      const found = await budgets.find({ _id: { $in: scopes } }).toArray();
      const spent = new Map(found.map(({ _id, nano_usd }) => [_id, nano_usd]));
      return { nanoUsd: scopes.map((scope) => spent.get(scope) ?? 0) };
    },
    async findAnswer({ key }) {
      return { json: (await reviewAnswers.findOne({ _id: key }))?.json ?? null };
    },
    ...createQueueMethods(collections),
  };
  return { methods, drained };
}

type Step<Output> = (session: ClientSession) => Promise<Output>;

/** About the size of a step; only the size of batches depends on it. */
const STEP_BYTES = 1024;

/**
 * Budgets and calls. Steps that come together are one transaction, one after the other, as they
 * change the same budgets. A step may run twice, the first time undone.
 */
function createBudgetMethods(client: MongoClient, collections: Collections) {
  const { budgets, reviewCalls, reviewAnswers } = collections;
  const writer = randomUUID();
  const batcher = createBatcher<Step<unknown>, unknown>({
    commit: (batch) =>
      transact(client, async (session) => {
        const outcomes: Outcome<unknown>[] = [];
        for (const step of batch) outcomes.push({ ok: true, value: await step(session) });
        return outcomes;
      }),
    weigh: () => STEP_BYTES,
    ...BATCHES,
  });
  // A batch gives each step its own value.
  const inTurn = <Output>(step: Step<Output>) => batcher.submit(step, null) as Promise<Output>;

  async function add(scopes: readonly string[], nano_usd: number, session: ClientSession) {
    const operations = scopes.map((_id) => ({
      updateOne: { filter: { _id }, update: { $inc: { nano_usd } }, upsert: true },
    }));
    if (operations.length > 0) await budgets.bulkWrite(operations, { session });
  }

  async function end(call: OpenCall, usage: UsageRecord, session: ClientSession): Promise<void> {
    await reviewCalls.deleteOne({ _id: call.call_id }, { session });
    await add(call.scopes, settledDifference(call, usage), session);
    await insertUsage({ ...collections, writer }, [usage], session);
  }

  return {
    async reserveCall({ call }) {
      const reserved = await inTurn(async (session) => {
        const { call_id: _id, started_ms } = call;
        if ((await reviewCalls.findOne({ _id }, { session })) !== null) return true;
        const scopes = scopesOf(call);
        const found = await budgets.find({ _id: { $in: scopes } }, { session }).toArray();
        const held = new Map(found.map((budget) => [budget._id, budget.nano_usd]));
        if (!fitsBudgets(call, (scope) => held.get(scope) ?? 0)) return false;
        await reviewCalls.insertOne({ _id, started_ms, ...openCall(call) }, { session });
        await add(scopes, call.reserved_nano_usd, session);
        return true;
      });
      return { reserved };
    },
    async settleCall({ call_id, usage, answer }) {
      const settled = await inTurn(async (session) => {
        const call = await reviewCalls.findOne({ _id: call_id }, { session });
        if (call === null) return false;
        await end(call, usage, session);
        if (answer === null) return true;
        const { key: _id, json } = answer;
        const first = { $setOnInsert: { json, at: new Date(usage.at_ms) } };
        await reviewAnswers.updateOne({ _id }, first, { session, upsert: true });
        return true;
      });
      return { settled };
    },
    async settleLeft({ owner, beforeMs }) {
      const calls = await inTurn(async (session) => {
        const left = { $or: [{ owner }, { started_ms: { $lt: beforeMs } }] };
        const found = await reviewCalls.find(left, { session }).toArray();
        for (const call of found) await end(call, call.usage, session);
        return found.length;
      });
      return { calls };
    },
    drained: batcher.close,
  } satisfies Partial<StoreDriver['reviews']> & Pick<ReviewService, 'drained'>;
}

/** Reviews after the verdict; each step changes one document, on the server's clock. */
function createQueueMethods({ reviewQueue, reviewMemory }: Collections) {
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
      const place = { '_id.tenant_id': tenant_id, '_id.repo_key': repo_key };
      const filter = { ...place, '_id.line_key': { $in: lineKeys } };
      // The server removes what has expired when it comes to it.
      const since = { $gte: new Date(atMs - STORE.RETENTION_MS) };
      const found = await reviewMemory.find({ ...filter, at: since }).toArray();
      return {
        found: found.map(({ _id: { line_key, kind }, json }) => ({ line_key, kind, json })),
      };
    },
    async forgetFindings({ tenant_id, repo_key, findings }) {
      const _id = {
        $in: findings.map(({ line_key, kind }) => ({ tenant_id, repo_key, line_key, kind })),
      };
      const { deletedCount } = await bounded(reviewMemory.deleteMany({ _id }));
      return { forgotten: deletedCount };
    },
  } satisfies Partial<StoreDriver['reviews']>;
}
