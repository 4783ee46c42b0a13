import type { UsageRecord } from '../../model/usage.ts';
import { type Client, read, write } from '../../rpc/service.ts';
import { STORE } from './limits.ts';

/**
 * Money and answers of gate 3 at rest: what its calls may cost, what they did cost, and what was
 * answered. The promises of `Records` hold here, too.
 */
export const Reviews = {
  name: 'Reviews',
  methods: {
    /**
     * Holds money back for one call: in every scope, or, where one of them has not enough left, in
     * none (`reserved: false`). The same `call_id` again answers the same and holds back nothing
     * more. Daemons that share the store share the scopes.
     */
    reserveCall: write<{ call: ReservedCall }, { reserved: boolean }>(STORE.CALL_DEADLINE_MS),
    /**
     * Ends a call: its scopes hold what it cost (nano-dollars) instead of its reserve, and the
     * usage record is written, as one step. A call that is not open changes nothing.
     */
    settleCall: write<{ call_id: string; usage: UsageRecord }, { settled: boolean }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /**
     * Settles calls that a daemon left open when it ended: those of `owner`, and those of others
     * that began before `before_ms`. Nobody knows what they cost, so they cost their reserve.
     */
    settleLeft: write<{ owner: string; before_ms: number }, { calls: number }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /** What a scope holds, in nano-dollars: settled and reserved. */
    spentIn: read<{ scopes: string[] }, { nano_usd: number[] }>(STORE.CALL_DEADLINE_MS),
    /** Keeps an answer for STORE.DIFF_RETENTION_DAYS; the first one of a key stays. */
    keepAnswer: write<{ key: string; json: string; at_ms: number }, { kept: true }>(
      STORE.CALL_DEADLINE_MS,
    ),
    findAnswer: read<{ key: string }, { json: string | null }>(STORE.CALL_DEADLINE_MS),
  },
} as const;

export type ReviewStore = Client<typeof Reviews>;

/** What is counted against one budget. */
export interface BudgetScope {
  /** `rfc ID`, `day DATE`, `month MONTH`, `tenant ID day DATE`, ... */
  scope: string;
  /** Nano-dollars that calls of the scope may cost together; null: counted without a limit. */
  limit_nano_usd: number | null;
}

/** A call that is about to be made. */
export interface ReservedCall {
  call_id: string;
  /** The daemon that makes it, by the name that it keeps after a restart. */
  owner: string;
  started_ms: number;
  reserved_nano_usd: number;
  scopes: BudgetScope[];
  /** What is logged when nobody hears how the call ended: its cost is the reserve. */
  usage: UsageRecord;
}

/** A reserved call as both stores keep it. */
export type OpenCall = Pick<ReservedCall, 'call_id' | 'owner' | 'reserved_nano_usd' | 'usage'> & {
  scopes: string[];
};

/** Whether a call fits into its budgets, given what their scopes hold. */
export function fitsBudgets(call: ReservedCall, heldIn: (scope: string) => number): boolean {
  return call.scopes.every(
    ({ scope, limit_nano_usd }) =>
      limit_nano_usd === null || heldIn(scope) + call.reserved_nano_usd <= limit_nano_usd,
  );
}
