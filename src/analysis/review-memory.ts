import type { ReviewFinding } from '../gates/review/answer.ts';
import { keyPlan, type MemoryEntry, UNREAD } from '../gates/review/memory.ts';
import type { RfcRecord } from '../model/records.ts';
import type { ReviewChunk, ReviewPlan, SkipReason } from '../model/review.ts';
import type { ReviewStore } from '../store/contract/records.ts';

export interface MemoryOptions {
  store: ReviewStore;
  /** HMAC key of fingerprints. */
  key: Uint8Array;
  now(): Date;
}

/** What earlier reviews have left on the text of a change (gates/review/memory). */
export interface ReviewMemory {
  /** Findings that blocked the same lines. */
  carried: readonly ReviewFinding[];
  /** Why the text of a chunk stays unread until a person asks; null: it may be read. */
  heldFor(chunk: ReviewChunk): SkipReason | null;
  /** Keeps what blocks a change now. */
  rememberFindings(blocking: readonly ReviewFinding[]): Promise<void>;
  /** Keeps that no model gave a valid answer to a chunk. */
  rememberUnread(chunk: ReviewChunk, reason: SkipReason): Promise<void>;
  /** The texts that were unread were read, because a person asked for it. */
  forgetUnread(): Promise<void>;
}

/** Recalls what a repository has on the lines of a change. */
export async function recallMemory(
  { tenant_id, repo_name }: RfcRecord,
  { plan, lineKeys }: { plan: ReviewPlan; lineKeys: readonly (readonly string[])[] },
  { store, key, now }: MemoryOptions,
): Promise<ReviewMemory> {
  const place = { tenant_id, repo_key: repo_name.toLowerCase() };
  const keyed = keyPlan(plan, lineKeys, key);
  const recall = async (keys: readonly string[]): Promise<MemoryEntry[]> => {
    const parts = await inParts(keys, (part) =>
      store.recallFindings({ ...place, lineKeys: part, atMs: now().getTime() }),
    );
    return parts.flatMap(({ found }) => found);
  };
  const remember = async (findings: readonly MemoryEntry[]): Promise<void> => {
    const atMs = now().getTime();
    await inParts(findings, (part) => store.rememberFindings({ ...place, findings: part, atMs }));
  };
  const recalled = await recall(keyed.keys);
  const unread = keyed.unread(recalled, await recall(keyed.groupsOf(recalled)));
  return {
    carried: keyed.carried(recalled),
    heldFor: (chunk) => unread.find(({ lines }) => keyed.hasLine(chunk, lines))?.reason ?? null,
    rememberFindings: (blocking) =>
      remember(blocking.map(keyed.entryOf).filter((entry) => entry !== null)),
    rememberUnread: (chunk, reason) => remember(keyed.unreadEntries(chunk, reason)),
    async forgetUnread() {
      const findings = unread.map(({ group: line_key }) => ({ line_key, kind: UNREAD }));
      await inParts(findings, (part) => store.forgetFindings({ ...place, findings: part }));
    },
  };
}

/** Bound of what is recalled, remembered or forgotten with one call. */
const ENTRIES_PER_CALL = 500;

async function inParts<T, R>(all: readonly T[], step: (part: T[]) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += ENTRIES_PER_CALL) {
    results.push(await step(all.slice(at, at + ENTRIES_PER_CALL)));
  }
  return results;
}
