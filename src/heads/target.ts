import type { PushClaim } from '../store/contract/pushes.ts';

/** What becomes of a claimed ref, once it is known where the host has that ref. */
export type Target =
  /** Judge the claimed push: it is the head, or the host does not say. */
  | { kind: 'claimed' }
  /** Judge this older one: pushes came out of order. */
  | { kind: 'older'; rfc_id: string; rev: number }
  /** The host has another head, of which no push waits here. */
  | { kind: 'elsewhere'; head: string }
  /** The host has no such ref any more. */
  | { kind: 'gone' };

/**
 * Chooses which push of a claim is judged: the host's word on the ref counts, not the order in
 * which webhooks came. `refs` are those of the host; null: it was not reached.
 */
export function chooseTarget(
  { place, record, older }: PushClaim,
  refs: Readonly<Record<string, string>> | null,
): Target {
  if (refs === null) return { kind: 'claimed' };
  const head = refs[place.ref];
  if (head === undefined) return { kind: 'gone' };
  if (head === record.commit_sha) return { kind: 'claimed' };
  const found = older.find(({ commit_sha }) => commit_sha === head);
  if (found === undefined) return { kind: 'elsewhere', head };
  return { kind: 'older', rfc_id: found.rfc_id, rev: found.rev };
}
