import type { UsageRecord } from '../../model/usage.ts';
import type {
  ClaimReviewInput,
  EndReviewInput,
  ForgetInput,
  OpenCall,
  QueuedReview,
  RememberInput,
  ReservedCall,
  SettleCallInput,
} from '../contract/records.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import { REVIEW_STORE } from '../limits.ts';
import { fitsBudgets, openCall, REVIEW_RETENTION_MS, settledDifference } from '../steps/review.ts';
import { checkCount } from '../stored-record.ts';
import { type Connection, prepared, sql } from './connection.ts';
import { type GroupCommit, ROW_BYTES } from './group-commit.ts';
import type { JsonRow } from './queries.ts';
import { createUsageRecorder } from './usage.ts';

/** Statements on budgets, open calls and answers of gate 3. */
export const REVIEW_QUERIES = {
  budget: sql<{ nano_usd: number }>('SELECT nano_usd FROM budget WHERE scope = ?'),
  addToBudget: `
    INSERT INTO budget (scope, nano_usd) VALUES (?, ?)
    ON CONFLICT (scope) DO UPDATE SET nano_usd = nano_usd + excluded.nano_usd`,
  openCall: 'INSERT INTO review_call (call_id, owner, started_ms, call) VALUES (?, ?, ?, ?)',
  reviewCall: sql<{ call: string }>('SELECT call FROM review_call WHERE call_id = ?'),
  closeCall: 'DELETE FROM review_call WHERE call_id = ?',
  leftCalls: sql<{ call: string }>(
    'SELECT call FROM review_call WHERE owner = ? OR started_ms < ?',
  ),
  addAnswer: `
    INSERT INTO review_answer (key, at_ms, json) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING`,
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
  remember: `
    INSERT INTO review_memory (tenant_id, repo_key, line_key, kind, at_ms, json)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant_id, repo_key, line_key, kind) DO UPDATE SET at_ms = excluded.at_ms`,
  dropMemory: 'DELETE FROM review_memory WHERE at_ms < ?',
  recall: sql<RememberInput['findings'][number]>(`
    SELECT line_key, kind, json FROM review_memory
    WHERE tenant_id = ? AND repo_key = ? AND line_key = ? AND at_ms >= ?`),
  forget: `
    DELETE FROM review_memory
    WHERE tenant_id = ? AND repo_key = ? AND line_key = ? AND kind = ?`,
} as const;

/**
 * The writing methods of Reviews on an open database: the one writer makes each of them
 * compare-and-set. Leases are on its clock, `now` (ms since the epoch).
 */
export function createReviewWriter(
  database: Connection,
  write: GroupCommit['write'],
  now: () => number,
): StoreWriter['reviews'] {
  return {
    ...createBudgetWriter(database, write),
    ...createQueueWriter(database, write, now),
    ...createMemoryWriter(database, write),
  };
}

function createBudgetWriter(database: Connection, write: GroupCommit['write']) {
  const addUsage = createUsageRecorder(database);
  const queries = prepared(database, REVIEW_QUERIES);

  // better-sqlite3 binds numbers as floats; STRICT takes those that are whole.
  const add = (scopes: readonly string[], nano: number) => {
    for (const scope of scopes) queries.addToBudget.run(scope, BigInt(nano));
  };

  function end(call: OpenCall, usage: UsageRecord): void {
    queries.closeCall.run(call.call_id);
    add(call.scopes, settledDifference(call, usage));
    addUsage(usage);
  }

  function reserve(call: ReservedCall): { reserved: boolean } {
    if (queries.reviewCall.get(call.call_id) !== undefined) return { reserved: true };
    if (!fitsBudgets(call, (scope) => queries.budget.get(scope)?.nano_usd ?? 0))
      return { reserved: false };
    const open = openCall(call);
    queries.openCall.run(call.call_id, call.owner, BigInt(call.started_ms), JSON.stringify(open));
    add(open.scopes, call.reserved_nano_usd);
    return { reserved: true };
  }

  function settle({ call_id, usage, answer }: SettleCallInput): { settled: boolean } {
    const row = queries.reviewCall.get(call_id);
    if (row === undefined) return { settled: false };
    end(JSON.parse(row.call) as OpenCall, usage);
    if (answer === null) return { settled: true };
    queries.dropAnswers.run(BigInt(usage.at_ms - REVIEW_RETENTION_MS));
    queries.addAnswer.run(answer.key, BigInt(usage.at_ms), answer.json);
    return { settled: true };
  }

  function settleLeft(owner: string, beforeMs: number): { calls: number } {
    const calls = queries.leftCalls
      .all(owner, beforeMs)
      .map(({ call }) => JSON.parse(call) as OpenCall);
    for (const call of calls) end(call, call.usage);
    return { calls: calls.length };
  }

  return {
    reserveCall: ({ call }, context) => write(ROW_BYTES, () => reserve(call), context),
    settleCall: (input, call) =>
      write(ROW_BYTES + (input.answer?.json.length ?? 0), () => settle(input), call),
    settleLeft: ({ owner, beforeMs }, call) =>
      write(ROW_BYTES, () => settleLeft(owner, beforeMs), call),
  } satisfies Partial<StoreWriter['reviews']>;
}

function createQueueWriter(database: Connection, write: GroupCommit['write'], now: () => number) {
  const queries = prepared(database, REVIEW_QUERIES);

  function claim({ owner, leaseMs, dueBeforeMs }: ClaimReviewInput) {
    const row = queries.nextReview.get(BigInt(dueBeforeMs), BigInt(now()));
    if (row === undefined) return { review: null };
    queries.leaseReview.run(BigInt(now() + leaseMs), owner, row.review_id);
    return { review: { ...(JSON.parse(row.json) as QueuedReview), tries: row.tries } };
  }

  function end({ review_id, owner, again }: EndReviewInput): { ended: boolean } {
    if (again === null) return { ended: queries.removeReview.run(review_id, owner).changes === 1 };
    const row = [BigInt(again.dueMs), BigInt(again.tries), review_id, owner];
    return { ended: queries.putOffReview.run(...row).changes === 1 };
  }

  return {
    queueReview({ review, dueMs }, call) {
      const { review_id, tries } = review;
      const row = [BigInt(dueMs), BigInt(tries), JSON.stringify(review)];
      const step = () => ({ queued: queries.addReview.run(review_id, ...row).changes === 1 });
      return write(ROW_BYTES, step, call);
    },
    claimReview: (input, call) => write(ROW_BYTES, () => claim(input), call),
    endReview: (input, call) => write(ROW_BYTES, () => end(input), call),
    releaseReviews: ({ owner }, call) =>
      write(ROW_BYTES, () => ({ released: queries.releaseReviews.run(owner).changes }), call),
    expediteReviews({ dueMs }, call) {
      const due = BigInt(dueMs);
      return write(
        ROW_BYTES,
        () => ({ expedited: queries.expediteReviews.run(due, due).changes }),
        call,
      );
    },
  } satisfies Partial<StoreWriter['reviews']>;
}

function createMemoryWriter(database: Connection, write: GroupCommit['write']) {
  const queries = prepared(database, REVIEW_QUERIES);

  function remember({ tenant_id, repo_key, findings, atMs }: RememberInput): { ok: true } {
    checkCount('findings', findings, REVIEW_STORE.REMEMBERED_MAX);
    queries.dropMemory.run(BigInt(atMs - REVIEW_RETENTION_MS));
    for (const { line_key, kind, json } of findings) {
      queries.remember.run(tenant_id, repo_key, line_key, kind, BigInt(atMs), json);
    }
    return { ok: true };
  }

  function forget({ tenant_id, repo_key, findings }: ForgetInput): { forgotten: number } {
    checkCount('findings', findings, REVIEW_STORE.REMEMBERED_MAX);
    let forgotten = 0;
    for (const { line_key, kind } of findings) {
      forgotten += queries.forget.run(tenant_id, repo_key, line_key, kind).changes;
    }
    return { forgotten };
  }

  return {
    rememberFindings: (input, call) => write(ROW_BYTES, () => remember(input), call),
    forgetFindings: (input, call) => write(ROW_BYTES, () => forget(input), call),
  } satisfies Partial<StoreWriter['reviews']>;
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
      checkCount('lineKeys', lineKeys, REVIEW_STORE.LINES_PER_CALL_MAX);
      const sinceMs = BigInt(atMs - REVIEW_RETENTION_MS);
      return {
        found: lineKeys.flatMap((key) => queries.recall.all(tenant_id, repo_key, key, sinceMs)),
      };
    },
  };
}
