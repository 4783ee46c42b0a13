import { keyPlan, type MemoryEntry, UNREAD, type UnreadText } from '../gates/review/memory.ts';
import type { ReviewMemory } from '../gates/review/review.ts';
import { repositoryKey } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import type { ReviewPlan } from '../model/review.ts';
import type { ReviewStore } from '../store/contract/records.ts';

export interface MemoryOptions {
  store: ReviewStore;
  /** HMAC key of fingerprints. */
  key: Uint8Array;
  now(): Date;
}

/** A memory in the store. */
export interface StoredMemory extends ReviewMemory {
  /** Lines recalled last as unread have been read, because a person asked for it. */
  forgetUnread(): Promise<void>;
}

/** What the store has of the repository of a record, on the lines of a plan. */
export function openMemory(
  { tenant_id, repo_name, push }: RfcRecord,
  { plan, lineKeys }: { plan: ReviewPlan; lineKeys: readonly (readonly string[])[] },
  { store, key, now }: MemoryOptions,
): StoredMemory {
  // What was submitted is known by the name alone, and what was pushed keeps its id when renamed.
  const names = new Set([repo_name.toLowerCase(), repositoryKey({ repo_name, push })]);
  const places = [...names].map((repo_key) => ({ tenant_id, repo_key }));
  const keyed = keyPlan(plan, lineKeys, key);
  let recalled: readonly MemoryEntry[] = [];
  let unread: readonly UnreadText[] = [];

  async function entriesOf(keys: readonly string[]): Promise<MemoryEntry[]> {
    const atMs = now().getTime();
    const parts = await inParts(keys, (lineKeys) =>
      Promise.all(places.map((place) => store.recallFindings({ ...place, lineKeys, atMs }))),
    );
    const found = parts.flat().flatMap((part) => part.found);
    return [...new Map(found.map((one) => [`${one.line_key} ${one.kind}`, one])).values()];
  }

  async function remember(findings: readonly MemoryEntry[]): Promise<void> {
    const atMs = now().getTime();
    await inParts(findings, (part) =>
      Promise.all(
        places.map((place) => store.rememberFindings({ ...place, findings: part, atMs })),
      ),
    );
  }

  return {
    async recall() {
      const entries = await entriesOf(keyed.keys);
      const found = keyed.unread(entries, await entriesOf(keyed.groupsOf(entries)));
      recalled = entries;
      unread = found;
      return {
        carried: keyed.carried(entries),
        heldFor: (chunk) => found.find(({ lines }) => keyed.hasLine(chunk, lines))?.reason ?? null,
      };
    },
    rememberFindings: (blocking) =>
      remember(blocking.map(keyed.entryOf).filter((entry) => entry !== null)),
    rememberUnread: (chunk, reason) => remember(keyed.unreadEntries(chunk, reason, recalled)),
    async forgetUnread() {
      const findings = unread.map(({ group: line_key }) => ({ line_key, kind: UNREAD }));
      await inParts(findings, (part) =>
        Promise.all(places.map((place) => store.forgetFindings({ ...place, findings: part }))),
      );
    },
  };
}

/** Most entries that one call recalls, remembers or forgets. */
const ENTRIES_PER_CALL = 500;

async function inParts<T, R>(all: readonly T[], step: (part: T[]) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += ENTRIES_PER_CALL) {
    results.push(await step(all.slice(at, at + ENTRIES_PER_CALL)));
  }
  return results;
}
