import type { PushInfo } from '../model/push.ts';
import type { RfcStatus } from '../model/rfc.ts';

/** A push of one ref, as the rules of one push look at it. */
export interface RefPush {
  rfc_id: string;
  /** In the order in which the store took them in; later ones are higher. */
  seq: number | bigint;
  commit_sha: string;
  status: RfcStatus;
  /** Where its webhook says that the ref was before; null: it was created, or nothing says. */
  before: string | null;
  source: PushInfo['source'] | null;
  /** A sweep found it, and no webhook was taken for it yet. */
  isAwaited: boolean;
  /** BLOCKED because its change could not be fetched. */
  isUnjudged: boolean;
}

/** The pushes of a ref that decide whether one more is new. */
export interface RefLog {
  /** Pushes of the same head. */
  ofHead: readonly RefPush[];
  /** All that came after the first of them. */
  after: readonly RefPush[];
}

/**
 * The push that a webhook announces, where a sweep has found it and it was not superseded. The
 * webhook is about a later push if it says that the ref stood where it moved to after the sweep,
 * and no push is known that brought it back from there.
 */
export function awaitedPush(log: RefLog, before: string | null): RefPush | null {
  const live = inOrder(log.ofHead).filter(({ status }) => status !== 'SUPERSEDED');
  const isLater = (push: RefPush) => {
    const left = before === null ? undefined : headsAfter(push, log.after).get(before);
    return left !== undefined && !live.some(({ seq }) => seq > left);
  };
  return live.find((push) => push.isAwaited && !isLater(push)) ?? null;
}

/**
 * The push by which the ref came to the head that a sweep saw. Webhooks that came later do not
 * change that: only a sweep or a verdict shows that the ref was elsewhere since.
 */
function standingPush(log: RefLog): RefPush | null {
  const judged = inOrder(log.ofHead).filter((push) => push.status !== 'SUPERSEDED');
  const newest = judged.at(-1);
  if (newest === undefined || newest.isUnjudged) return null;
  const later = log.after.filter(
    ({ seq, commit_sha }) => seq > newest.seq && commit_sha !== newest.commit_sha,
  );
  return later.some(wasThere) ? null : newest;
}

/**
 * The RFC that stands for the push a sweep has found: that of the push by which the ref has moved
 * on since the sweep looked, or that of the push by which it stands there. Null: the push is new.
 * `behind`: the newest push when the sweep looked; `live` and `newest`: the newest push that is not
 * SUPERSEDED, and of any status, now.
 */
export function knownToSweep(
  log: RefLog,
  behind: string | null,
  { live, newest }: { live: string | null; newest: string | null },
): string | null {
  if (behind !== live && behind !== newest) return live ?? behind;
  return standingPush(log)?.rfc_id ?? null;
}

function inOrder(pushes: readonly RefPush[]): RefPush[] {
  return [...pushes].sort((one, other) => (one.seq < other.seq ? -1 : 1));
}

/**
 * Heads at which the ref stood after a push, and the `seq` of the last push that says so, as far as
 * pushes that came later prove it: a sweep saw the ref there, the host had it there when it was
 * judged, or its webhook names the head before.
 */
function headsAfter(push: RefPush, after: readonly RefPush[]): Map<string, RefPush['seq']> {
  const heads = new Map<string, RefPush['seq']>();
  const left = new Set(after.filter(({ seq }) => seq > push.seq));
  const found = after.filter(({ isAwaited, seq }) => isAwaited && seq < push.seq);
  const foundBefore = new Set(found.map(({ commit_sha }) => commit_sha));
  let isGrowing = true;
  while (isGrowing) {
    isGrowing = false;
    for (const next of left) {
      const { before, commit_sha } = next;
      const isNext = before !== null && (before === push.commit_sha || heads.has(before));
      // Else a sweep had seen that move before the push.
      const isNew = isNext && !foundBefore.has(commit_sha);
      if (!isNew && !wasThere(next)) continue;
      const last = heads.get(next.commit_sha) ?? next.seq;
      heads.set(next.commit_sha, last > next.seq ? last : next.seq);
      left.delete(next);
      isGrowing = true;
    }
  }
  return heads;
}

/** Whether the host had the ref there when the push was found, or judged. */
function wasThere({ source, status }: RefPush): boolean {
  return source === 'sweep' || (status !== 'DRAFT' && status !== 'SUPERSEDED');
}
