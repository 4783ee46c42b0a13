import { setTimeout as pause } from 'node:timers/promises';
import { PUSHES } from '../limits.ts';
import { isJudgedRef } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { PushStore, PushView } from '../store/contract/pushes.ts';
import { acceptSweep } from './settle-claim.ts';

export interface LostPushesOptions {
  pushes: PushStore;
  source: Pick<Client<typeof Source>, 'listRefs'>;
  /** Whether refs other than branches are judged, too. */
  judgesTags: boolean;
  /** How long a webhook may be on its way. */
  graceMs: number;
  now(): Date;
}

/** A ref of which the host has another head than its newest push here. */
interface Differing {
  ref: string;
  sha: string;
  previous: PushView | undefined;
}

/**
 * Compares the refs of a host with the newest pushes of a repository, `like` one of them, and
 * makes pushes of what was lost; how many. Lost is what differs in the same way when the host is
 * asked again: what comes while it answers makes its answer old.
 */
export async function takeUpLost(
  like: RfcRecord,
  options: LostPushesOptions,
  signal: AbortSignal,
): Promise<number> {
  const before = await findDiffering(like, options, signal);
  if (before.heads.size === 0) return 0;
  await pause(options.graceMs, undefined, { signal });
  let found = 0;
  const { own, heads } = await findDiffering(like, options, signal);
  for (const { ref, sha, previous } of heads.values()) {
    const earlier = before.heads.get(ref);
    if (earlier?.sha !== sha || earlier.previous?.rfc_id !== previous?.rfc_id) continue;
    await acceptSweep(own, ref, sha, previous?.rfc_id ?? 'none', options);
    found += 1;
  }
  return found;
}

/** What differs, by ref; `own` is `like` as one of the host that owns the name. */
async function findDiffering(
  like: RfcRecord,
  { pushes, source, judgesTags }: LostPushesOptions,
  signal: AbortSignal,
): Promise<{ own: RfcRecord; heads: Map<string, Differing> }> {
  const { push, repo_name, tenant_id } = like;
  const differing = new Map<string, Differing>();
  if (push === null) return { own: like, heads: differing };
  const repository = { tenant_id, repo_name };
  const { baseline } = await pushes.findBaseline(repository);
  // The newest push may be one of another host: see `Baseline.host`.
  const host = baseline?.host ?? push.host;
  const { refs } = await source.listRefs({ host, repo_full_name: repo_name }, { signal });
  const heads = Object.entries(refs)
    .filter(([ref]) => isJudgedRef(ref, judgesTags))
    .slice(0, PUSHES.SWEEP_REFS_MAX);
  for (let at = 0; at < heads.length; at += PUSHES.REFS_PER_CALL_MAX) {
    const some = heads.slice(at, at + PUSHES.REFS_PER_CALL_MAX);
    const names = some.map(([ref]) => ref);
    const known = await pushes.newestPushes({ ...repository, refs: names });
    const newest = new Map(known.pushes.map((each) => [each.ref, each]));
    for (const [ref, sha] of some) {
      const previous = newest.get(ref);
      if (isKnown(ref, sha, previous, baseline?.heads ?? null)) continue;
      differing.set(ref, { ref, sha, previous });
    }
  }
  return { own: { ...like, push: { ...push, host } }, heads: differing };
}

/**
 * Judged or waiting here, or as it was when the repository was seen first. Until then (`before` is
 * null) nothing can be told of refs that nobody pushed: only what was pushed and could not be had
 * is asked for again.
 */
function isKnown(
  ref: string,
  sha: string,
  newest: PushView | undefined,
  before: Readonly<Record<string, string>> | null,
): boolean {
  if (newest === undefined) return before === null || before[ref] === sha;
  if (before === null) return !newest.is_unjudged;
  return newest.commit_sha === sha && !newest.is_unjudged;
}
