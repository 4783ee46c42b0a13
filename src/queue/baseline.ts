import { plainEvent } from '../domain/audit.ts';
import { BRANCH_PREFIX } from '../domain/push.ts';
import type { RfcRecord } from '../domain/records.ts';
import type { Baseline, Repository } from '../rpc/queue-contract.ts';
import type { PushStore } from '../store/queue.ts';

export interface BaselineOptions {
  pushes: Pick<PushStore, 'findBaseline' | 'adoptBaseline' | 'oldestPush'>;
  /** `scan`: nothing counts as accepted before it was judged. */
  adopt: 'baseline' | 'scan';
  now(): Date;
}

/** The baseline of a repository, and whether this push is what it was adopted for. */
export interface KnownBaseline {
  baseline: Baseline;
  adopted: boolean;
}

/**
 * The baseline of the repository of a push. Seen for the first time, it adopts the state that the
 * default branch had before the oldest push to it that the service knows of; without one, the
 * state that the host has now. `refs` are the host's; null: it was not reached, so nothing is
 * adopted and null is returned.
 */
export async function knownBaseline(
  record: RfcRecord,
  refs: Readonly<Record<string, string>> | null,
  { pushes, adopt, now }: BaselineOptions,
): Promise<KnownBaseline | null> {
  const { tenant_id, repo_name, rfc_id } = record;
  const repository = { tenant_id, repo_name };
  const { baseline: known } = await pushes.findBaseline(repository);
  if (known !== null) return { baseline: known, adopted: false };
  if (refs === null) return null;
  const sha = adopt === 'scan' ? null : await stateBefore(record, refs, repository, pushes);
  const baseline = { sha, heads: { ...refs }, adopted_at: now().toISOString() };
  const event = plainEvent({
    kind: 'baseline-adopted',
    op_id: `baseline ${rfc_id}`,
    principal: null,
    tenant_id,
    rfc_id,
    repo_name,
    details: { commit_sha: sha, refs: Object.keys(refs).length },
  });
  return await pushes.adoptBaseline({
    ...repository,
    baseline,
    event: sha === null ? null : event,
  });
}

async function stateBefore(
  { push }: RfcRecord,
  refs: Readonly<Record<string, string>>,
  repository: Repository,
  pushes: BaselineOptions['pushes'],
): Promise<string | null> {
  const branch = push?.default_branch ?? null;
  if (branch === null) return null;
  const ref = BRANCH_PREFIX + branch;
  const { record: oldest } = await pushes.oldestPush({ ...repository, ref });
  // What the push created had nothing before.
  if (oldest?.push) return oldest.push.before;
  return refs[ref] ?? null;
}
