import type { Semaphore } from '../core/semaphore.ts';
import { CraError } from '../model/errors.ts';
import { cancellable } from '../rpc/cancellable.ts';
import type { Source, SyncOutput } from '../rpc/source-contract.ts';
import type { PushClaim } from '../store/contract/pushes.ts';
import { blockStranger, type JudgementOptions, judgePush, type PushOptions } from './judgement.ts';
import { PushInHand } from './push-in-hand.ts';
import { settleClaim } from './settle-claim.ts';

export interface ClaimOptions extends JudgementOptions {
  /** Name of this daemon, the same after a restart. */
  owner: string;
  /** For what is judged at the same time. */
  judging: Semaphore;
}

/**
 * Takes a claim to its end: asks the host where the ref is, supersedes what is not judged, judges
 * the rest. Rejects with ABORTED when somebody else changed a record meanwhile, and with whatever
 * the store or a thread fails with: the claim's lease runs out then, and it is claimed again.
 */
export async function takeToVerdict(
  claim: PushClaim,
  signal: AbortSignal,
  options: ClaimOptions,
): Promise<void> {
  const { pushes, judging } = options;
  const source = cancellable<typeof Source>(options.source, signal);
  const own = { ...options, source, signal };
  const { tenant_id, repo_name, push } = claim.record;
  const { baseline } = await pushes.findBaseline({ tenant_id, repo_name });
  if (baseline !== null && baseline.host !== push?.host) {
    return await blockStranger(new PushInHand(claim.record, pushes), baseline.host, options);
  }
  const sync = await syncClaim(claim, own);
  const record = await settleClaim(claim, sync.refs, options);
  if (record === null) return;
  // Many may wait for slow hosts; few have their diffs in memory.
  const hand = new PushInHand(record, pushes);
  await judging.use(hand.push.host, () => judgePush(hand, sync, baseline, own));
}

/** What the host has of the claimed ref; a source that fails has nothing, and says why. */
async function syncClaim(
  { place, record }: PushClaim,
  { source, signal }: Pick<PushOptions, 'source' | 'signal'>,
): Promise<SyncOutput> {
  const { push, repo_name: repo_full_name, commit_sha } = record;
  const wants = commit_sha === null ? [] : [commit_sha];
  const input = { host: push?.host ?? '', repo_full_name, wants, refs: [place.ref] };
  try {
    return await source.sync(input);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const { details, message } = CraError.fromUnknown(thrown);
    const problem = typeof details['reason'] === 'string' ? details['reason'] : message;
    return { refs: null, missing: wants, problem };
  }
}
