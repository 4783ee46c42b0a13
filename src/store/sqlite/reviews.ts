import type { UsageRecord } from '../../model/usage.ts';
import type { OpenCall, QueuedReview, RememberInput } from '../contract/records.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import { REVIEW_STORE, STORE } from '../limits.ts';
import { fitsBudgets, openCall, settledDifference } from '../steps/review.ts';
import { type Connection, insertInto, prepared, sql } from './connection.ts';
import type { Steps } from './group-commit.ts';
import type { JsonRow } from './queries.ts';
import { createUsageRecorder } from './usage.ts';

/** Statements on budgets, open calls and answers of gate 3. */
export const REVIEW_QUERIES = {
  budget: sql<{ nano_usd: number }>('SELECT nano_usd FROM budget WHERE scope = ?'),
  addToBudget: `
    INSERT INTO budget (scope, nano_usd) VALUES (?, ?)
    ON CONFLICT (scope) DO UPDATE SET nano_usd = nano_usd + excluded.nano_usd`,
  openCall: insertInto('review_call', 'call_id owner started_ms call'),
  reviewCall: sql<{ call: string }>('SELECT call FROM review_call WHERE call_id = ?'),
  closeCall: 'DELETE FROM review_call WHERE call_id = ?',
  leftCalls: sql<{ call: string }>(
    'SELECT call FROM review_call WHERE owner = ? OR started_ms < ?',
  ),
  addAnswer: insertInto('review_answer', 'key at_ms json', 'ON CONFLICT (key) DO NOTHING'),
  dropAnswers: 'DELETE FROM review_answer WHERE at_ms < ?',
  reviewAnswer: sql<JsonRow>('SELECT json FROM review_answer WHERE key = ?'),
  addReview: `
    INSERT INTO review_queue (review_id, due_ms, held_until, owner, tries, json)
    VALUES (?, ?, 0, '', ?, ?) ON CONFLICT (review_id) DO NOTHING`,
  nextReview: sql<JsonRow & { review_id: string; tries: number }>(`
    SELECT review_id, tries, json FROM review_queue INDEXED BY review_due
    WHERE due_ms <= ? AND held_until <= ? ORDER BY due_ms LIMIT 1`),
  leaseReview: 'UPDATE review_queue SET held_until = ?, owner = ? WHERE review_id = ?',
  putOffReview: `
    UPDATE review_queue SET due_ms = ?, tries = ?, held_until = 0, owner = ''
    WHERE review_id = ? AND owner = ?`,
  removeReview: 'DELETE FROM review_queue WHERE review_id = ? AND owner = ?',
  releaseReviews: `
    UPDATE review_queue INDEXED BY review_held SET held_until = 0, owner = ''
    WHERE owner = ? AND owner <> ''`,
  expediteReviews: `
    UPDATE review_queue INDEXED BY review_due SET due_ms = ? WHERE due_ms > ? AND owner = ''`,
  reviewDepth: sql<{ reviews: number }>(`
    SELECT count(*) AS reviews FROM (
      SELECT 1 FROM review_queue INDEXED BY review_due WHERE due_ms >= 0 LIMIT ?)`),
  remember: insertInto(
    'review_memory',
    'tenant_id repo_key line_key kind at_ms json',
    'ON CONFLICT (tenant_id, repo_key, line_key, kind) DO UPDATE SET at_ms = excluded.at_ms',
  ),
  dropMemory: 'DELETE FROM review_memory WHERE at_ms < ?',
  recall: sql<RememberInput['findings'][number]>(`
    SELECT line_key, kind, json FROM review_memory
    WHERE tenant_id = ? AND repo_key = ? AND line_key = ? AND at_ms >= ?`),
  forget: `
    DELETE FROM review_memory
    WHERE tenant_id = ? AND repo_key = ? AND line_key = ? AND kind = ?`,
} as const;

/**
 * The writing steps of Reviews: the one writer makes each of them compare-and-set. Leases are on
 * its clock, `now` (ms since the epoch).
 */
export function createReviewSteps(
  database: Connection,
  now: () => number,
): Steps<StoreWriter['reviews']> {
  return {
    ...createBudgetSteps(database),
    ...createQueueSteps(database, now),
    ...createMemorySteps(database),
  };
}

function createBudgetSteps(database: Connection) {
  const addUsage = createUsageRecorder(database);
  const queries = prepared(database, REVIEW_QUERIES);

  // better-sqlite3 binds numbers as floats.
  const add = (scopes: readonly string[], nano: number) => {
    for (const scope of scopes) queries.addToBudget.run(scope, BigInt(nano));
  };

  function end(call: OpenCall, usage: UsageRecord): void {
    queries.closeCall.run(call.call_id);
    add(call.scopes, settledDifference(call, usage));
    addUsage(usage);
  }

  return {
    reserveCall({ call }) {
      if (queries.reviewCall.get(call.call_id) !== undefined) return { reserved: true };
      const spentIn = (scope: string) => queries.budget.get(scope)?.nano_usd ?? 0;
      if (!fitsBudgets(call, spentIn)) return { reserved: false };
      const { call_id, owner, started_ms, reserved_nano_usd } = call;
      const open = openCall(call);
      queries.openCall.run(call_id, owner, BigInt(started_ms), JSON.stringify(open));
      add(open.scopes, reserved_nano_usd);
      return { reserved: true };
    },
    settleCall({ call_id, usage, answer }) {
      const row = queries.reviewCall.get(call_id);
      if (row === undefined) return { settled: false };
      end(JSON.parse(row.call) as OpenCall, usage);
      if (answer === null) return { settled: true };
      queries.dropAnswers.run(BigInt(usage.at_ms - STORE.RETENTION_MS));
      queries.addAnswer.run(answer.key, BigInt(usage.at_ms), answer.json);
      return { settled: true };
    },
    settleLeft({ owner, beforeMs }) {
      const rows = queries.leftCalls.all(owner, beforeMs);
      const calls = rows.map(({ call }) => JSON.parse(call) as OpenCall);
      for (const call of calls) end(call, call.usage);
      return { calls: calls.length };
    },
  } satisfies Partial<Steps<StoreWriter['reviews']>>;
}

function createQueueSteps(database: Connection, now: () => number) {
  const queries = prepared(database, REVIEW_QUERIES);
  return {
    queueReview({ review, dueMs }) {
      const { review_id, tries } = review;
      const row = [BigInt(dueMs), BigInt(tries), JSON.stringify(review)];
      return { queued: queries.addReview.run(review_id, ...row).changes === 1 };
    },
    claimReview({ owner, leaseMs, dueBeforeMs }) {
      const row = queries.nextReview.get(BigInt(dueBeforeMs), BigInt(now()));
      if (row === undefined) return { review: null };
      queries.leaseReview.run(BigInt(now() + leaseMs), owner, row.review_id);
      return { review: { ...(JSON.parse(row.json) as QueuedReview), tries: row.tries } };
    },
    endReview({ review_id, owner, again }) {
      if (again === null) {
        return { ended: queries.removeReview.run(review_id, owner).changes === 1 };
      }
      const row = [BigInt(again.dueMs), BigInt(again.tries), review_id, owner];
      return { ended: queries.putOffReview.run(...row).changes === 1 };
    },
    releaseReviews: ({ owner }) => ({ released: queries.releaseReviews.run(owner).changes }),
    expediteReviews({ dueMs }) {
      const due = BigInt(dueMs);
      return { expedited: queries.expediteReviews.run(due, due).changes };
    },
  } satisfies Partial<Steps<StoreWriter['reviews']>>;
}

function createMemorySteps(database: Connection) {
  const queries = prepared(database, REVIEW_QUERIES);
  return {
    rememberFindings({ tenant_id, repo_key, findings, atMs }) {
      queries.dropMemory.run(BigInt(atMs - STORE.RETENTION_MS));
      for (const { line_key, kind, json } of findings) {
        queries.remember.run(tenant_id, repo_key, line_key, kind, BigInt(atMs), json);
      }
      return { ok: true };
    },
    forgetFindings({ tenant_id, repo_key, findings }) {
      let forgotten = 0;
      for (const { line_key, kind } of findings) {
        forgotten += queries.forget.run(tenant_id, repo_key, line_key, kind).changes;
      }
      return { forgotten };
    },
  } satisfies Partial<Steps<StoreWriter['reviews']>>;
}

/** The reading methods of Reviews. */
export function createReviewReader(database: Connection): StoreReader['reviews'] {
  const queries = prepared(database, REVIEW_QUERIES);
  return {
    spentIn: ({ scopes }) => ({
      nanoUsd: scopes.map((one) => queries.budget.get(one)?.nano_usd ?? 0),
    }),
    findAnswer: ({ key }) => ({ json: queries.reviewAnswer.get(key)?.json ?? null }),
    reviewDepth: () => ({
      reviews: queries.reviewDepth.get(REVIEW_STORE.DEPTH_COUNTED_MAX)?.reviews ?? 0,
    }),
    recallFindings({ tenant_id, repo_key, lineKeys, atMs }) {
      const sinceMs = BigInt(atMs - STORE.RETENTION_MS);
      return {
        found: lineKeys.flatMap((key) => queries.recall.all(tenant_id, repo_key, key, sinceMs)),
      };
    },
  };
}
