import { setTimeout as pause } from 'node:timers/promises';
import { BRANCH_PREFIX } from '../domain/push.ts';
import type { RfcRecord } from '../domain/records.ts';
import { PUSHES } from '../limits.ts';
import type { Baseline, PushView, Repository } from '../rpc/queue-contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/queue.ts';

export interface LostOptions {
  pushes: Pick<PushStore, 'findBaseline' | 'newestPushes'>;
  source: Pick<Client<typeof Source>, 'listRefs'>;
  /** Whether refs other than branches are judged, too. */
  judgesTags: boolean;
  /** How long a webhook may be on its way. */
  graceMs: number;
}

/** A head of the host that no push here is for. */
export interface LostPush {
  ref: string;
  sha: string;
  /** The newest push of the ref that is here; null: none. */
  previous: string | null;
}

/**
 * Compares the refs that the host has with the newest pushes; what differs twice, `graceMs` apart,
 * was lost. `record` is any push of the repository. What was there when it was seen first needs
 * no push, and what could not be judged counts as lost.
 */
export async function findLost(
  record: RfcRecord,
  signal: AbortSignal,
  options: LostOptions,
): Promise<LostPush[]> {
  const { push, repo_name, tenant_id } = record;
  const { pushes, source, judgesTags } = options;
  if (push === null) return [];
  const repository = { tenant_id, repo_name };
  const { baseline } = await pushes.findBaseline(repository);
  // Its first push is still to be judged: nothing can be told from what was there before.
  if (baseline === null) return [];
  const { refs } = await source.listRefs({ host: push.host, repo_full_name: repo_name });
  const isJudged = (ref: string) =>
    ref.startsWith(BRANCH_PREFIX) || (judgesTags && ref.startsWith('refs/tags/'));
  const heads = Object.entries(refs)
    .filter(([ref]) => isJudged(ref))
    .map(([ref, sha]) => ({ ref, sha }))
    .slice(0, PUSHES.SWEEP_REFS_MAX);
  const differing = await differingOf(repository, heads, baseline, pushes);
  if (differing.length === 0) return [];
  await pause(options.graceMs, undefined, { signal });
  return await differingOf(repository, differing, baseline, pushes);
}

async function differingOf(
  repository: Repository,
  heads: readonly { ref: string; sha: string }[],
  baseline: Baseline,
  pushes: LostOptions['pushes'],
): Promise<LostPush[]> {
  const differing: LostPush[] = [];
  for (let at = 0; at < heads.length; at += PUSHES.REFS_PER_CALL_MAX) {
    const some = heads.slice(at, at + PUSHES.REFS_PER_CALL_MAX);
    const known = await pushes.newestPushes({ ...repository, refs: some.map(({ ref }) => ref) });
    const newest = new Map(known.pushes.map((each) => [each.ref, each]));
    for (const { ref, sha } of some) {
      const previous = newest.get(ref);
      if (isKnown(sha, previous, baseline.heads[ref])) continue;
      differing.push({ ref, sha, previous: previous?.rfc_id ?? null });
    }
  }
  return differing;
}

/** Judged or waiting here, or as it was when the repository was seen first. */
function isKnown(sha: string, newest: PushView | undefined, before: string | undefined): boolean {
  if (newest === undefined) return before === sha;
  return newest.commit_sha === sha && !newest.is_unjudged;
}
