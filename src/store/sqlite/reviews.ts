import type { UsageRecord } from '../../model/usage.ts';
import { STORE } from '../contract/limits.ts';
import { fitsBudgets, type OpenCall, type ReservedCall } from '../contract/reviews.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import type { Connection } from './database.ts';
import { guarded } from './errors.ts';
import { type GroupCommit, ROW_BYTES } from './group-commit.ts';
import { createUsageRecorder } from './usage.ts';

const DAY_MS = 24 * 3_600_000;

interface CallRow {
  call: string;
}

/** Statements on budgets, open calls and answers of gate 3. */
export const REVIEW_QUERIES = {
  budget: 'SELECT nano_usd FROM budget WHERE scope = ?',
  addToBudget: `
    INSERT INTO budget (scope, nano_usd) VALUES (?, ?)
    ON CONFLICT (scope) DO UPDATE SET nano_usd = nano_usd + excluded.nano_usd`,
  openCall: 'INSERT INTO review_call (call_id, owner, started_ms, call) VALUES (?, ?, ?, ?)',
  reviewCall: 'SELECT call FROM review_call WHERE call_id = ?',
  closeCall: 'DELETE FROM review_call WHERE call_id = ?',
  leftCalls: 'SELECT call FROM review_call WHERE owner = ? OR started_ms < ?',
  addAnswer: `
    INSERT INTO review_answer (key, at_ms, json) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING`,
  dropAnswers: 'DELETE FROM review_answer WHERE at_ms < ?',
  reviewAnswer: 'SELECT json FROM review_answer WHERE key = ?',
} as const;

/** The step that adds budgets, calls that are open, and answers of gate 3. */
export const REVIEW_STEP = `
  CREATE TABLE budget (scope TEXT NOT NULL PRIMARY KEY, nano_usd INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE TABLE review_call (
    call_id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    call TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX review_call_by_owner ON review_call (owner);
  CREATE INDEX review_call_by_start ON review_call (started_ms);
  CREATE TABLE review_answer (
    key TEXT NOT NULL PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX review_answer_by_time ON review_answer (at_ms);
  `;

/** The writing methods of Reviews on an open database. */
export function createReviewWriter(
  database: Connection,
  write: GroupCommit['write'],
): StoreWriter['reviews'] {
  const steps = createReviewSteps(database);
  return {
    reserveCall: ({ call }, context) => write(ROW_BYTES, () => steps.reserve(call), context),
    settleCall: ({ call_id, usage }, call) =>
      write(ROW_BYTES, () => steps.settle(call_id, usage), call),
    settleLeft: ({ owner, before_ms }, call) =>
      write(ROW_BYTES, () => steps.settleLeft(owner, before_ms), call),
    keepAnswer: ({ key, json, at_ms }, call) =>
      write(json.length, () => steps.keepAnswer(key, json, at_ms), call),
  };
}

/** The writing steps, each within a transaction: the one writer makes them compare-and-set. */
function createReviewSteps(database: Connection) {
  const addUsage = createUsageRecorder(database);
  const heldIn = database.prepare<[string], { nano_usd: number }>(REVIEW_QUERIES.budget);
  const addTo = database.prepare(REVIEW_QUERIES.addToBudget);
  const openCall = database.prepare(REVIEW_QUERIES.openCall);
  const findCall = database.prepare<[string], CallRow>(REVIEW_QUERIES.reviewCall);
  const closeCall = database.prepare(REVIEW_QUERIES.closeCall);
  const leftCalls = database.prepare<[string, number], CallRow>(REVIEW_QUERIES.leftCalls);
  const addAnswer = database.prepare(REVIEW_QUERIES.addAnswer);
  const dropAnswers = database.prepare(REVIEW_QUERIES.dropAnswers);

  // better-sqlite3 binds numbers as floats; STRICT takes those that are whole.
  const add = (scopes: readonly string[], nano: number) => {
    for (const scope of scopes) addTo.run(scope, BigInt(nano));
  };

  function end(call: OpenCall, usage: UsageRecord): void {
    closeCall.run(call.call_id);
    add(call.scopes, usage.cost_nano_usd - call.reserved_nano_usd);
    addUsage(usage);
  }

  return {
    reserve(call: ReservedCall): { reserved: boolean } {
      const { call_id, owner, started_ms, reserved_nano_usd, usage } = call;
      if (findCall.get(call_id) !== undefined) return { reserved: true };
      if (!fitsBudgets(call, (scope) => heldIn.get(scope)?.nano_usd ?? 0)) {
        return { reserved: false };
      }
      const scopes = call.scopes.map(({ scope }) => scope);
      const open: OpenCall = { call_id, owner, reserved_nano_usd, scopes, usage };
      openCall.run(call_id, owner, BigInt(started_ms), JSON.stringify(open));
      add(scopes, reserved_nano_usd);
      return { reserved: true };
    },
    settle(callId: string, usage: UsageRecord): { settled: boolean } {
      const row = findCall.get(callId);
      if (row === undefined) return { settled: false };
      end(JSON.parse(row.call) as OpenCall, usage);
      return { settled: true };
    },
    settleLeft(owner: string, beforeMs: number): { calls: number } {
      const rows = leftCalls.all(owner, beforeMs);
      for (const row of rows) {
        const call = JSON.parse(row.call) as OpenCall;
        end(call, call.usage);
      }
      return { calls: rows.length };
    },
    keepAnswer(key: string, json: string, atMs: number): { kept: true } {
      dropAnswers.run(BigInt(atMs - STORE.DIFF_RETENTION_DAYS * DAY_MS));
      addAnswer.run(key, BigInt(atMs), json);
      return { kept: true };
    },
  };
}

/** The reading methods of Reviews. */
export function createReviewReader(database: Connection): StoreReader['reviews'] {
  const heldIn = database.prepare<[string], { nano_usd: number }>(REVIEW_QUERIES.budget);
  const answer = database.prepare<[string], { json: string }>(REVIEW_QUERIES.reviewAnswer);
  return {
    spentIn: ({ scopes }) =>
      guarded(() => ({ nano_usd: scopes.map((one) => heldIn.get(one)?.nano_usd ?? 0) })),
    findAnswer: ({ key }) => guarded(() => ({ json: answer.get(key)?.json ?? null })),
  };
}
