import { plainEvent } from '../model/audit.ts';
import { BRANCH_PREFIX } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import { ageOf } from '../pushes/settle-claim.ts';
import type { PushTimes } from '../pushes/times.ts';
import type { Baseline, PushStore, Repository } from '../store/contract/pushes.ts';

export interface BaselineOptions {
  pushes: Pick<PushStore, 'adoptBaseline' | 'oldestPush'>;
  /** `scan`: nothing counts as accepted before it was judged. */
  adopt: 'baseline' | 'scan';
  times: Pick<PushTimes, 'graceMs'>;
  now(): Date;
}

/** The baseline of a repository, and whether this push is what it was adopted for. */
export interface KnownBaseline {
  baseline: Baseline;
  adopted: boolean;
}

/**
 * The baseline of the repository of a push: `known`, where there was one. Seen for the first time,
 * it adopts the state that the default branch had before the oldest push to it that the service
 * knows of; without one, the state that the host has now. `refs` are the host's; null: it was not
 * reached. Null is returned, and nothing adopted, in that case, and while the webhook of a push to
 * the default branch may be on its way: who pushes two branches at once must not have the one
 * adopted by the other.
 */
export async function knownBaseline(
  record: RfcRecord,
  refs: Readonly<Record<string, string>> | null,
  known: Baseline | null,
  { pushes, adopt, times, now }: BaselineOptions,
): Promise<KnownBaseline | null> {
  const { tenant_id, repo_name, rfc_id } = record;
  const repository = { tenant_id, repo_name };
  if (known !== null) return { baseline: known, adopted: false };
  if (refs === null) return null;
  const state = await stateBefore(record, refs, repository, pushes);
  const isEarly = ageOf(record, now()) < times.graceMs;
  if (!state.isSure && adopt === 'baseline' && isEarly) return null;
  const sha = adopt === 'scan' ? null : state.sha;
  const host = record.push?.host ?? '';
  const baseline = { host, sha, heads: { ...refs }, adopted_at: now().toISOString() };
  const event = plainEvent({
    kind: 'baseline-adopted',
    op_id: `baseline ${rfc_id}`,
    principal: null,
    tenant_id,
    rfc_id,
    repo_name,
    details: { host, commit_sha: sha, refs: Object.keys(refs).length },
  });
  return await pushes.adoptBaseline({
    ...repository,
    baseline,
    event: sha === null ? null : event,
  });
}

/** The state of the default branch; `isSure`: a push to it says so, or there is none. */
async function stateBefore(
  { push }: RfcRecord,
  refs: Readonly<Record<string, string>>,
  repository: Repository,
  pushes: BaselineOptions['pushes'],
): Promise<{ sha: string | null; isSure: boolean }> {
  const branch = push?.default_branch ?? null;
  if (branch === null) return { sha: null, isSure: true };
  const ref = BRANCH_PREFIX + branch;
  const { record: oldest } = await pushes.oldestPush({ ...repository, ref });
  // What the push created had nothing before.
  if (oldest?.push && oldest.push.host === push?.host) {
    return { sha: oldest.push.before, isSure: true };
  }
  return { sha: refs[ref] ?? null, isSure: refs[ref] === undefined };
}
