import type { CheckRequest, VcsHost } from '../hosts/settings.ts';
import { repositoryKey } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { PUSHES } from './limits.ts';
import { reopenPush } from './push-record.ts';
import { NOTHING_POSTED } from './statuses/post-record.ts';

export interface RecheckOptions {
  pushes: Pick<PushStore, 'pushesOfCommit' | 'newestPushes' | 'reopenPush' | 'settleStatus'>;
  now(): Date;
}

/** `again`: it waits for another verdict; `stands`: its verdict is shown once more. */
export interface Recheck {
  rfc_id: string;
  outcome: 'again' | 'stands';
}

/**
 * Judges a commit again when a user of the host asks for another run of its check; null: no push of
 * it is known. Only a BLOCKED verdict at the head of a ref is revoked: all users with write access
 * can ask, and neither an accepted head nor a person's decision may depend on that. More requests
 * change nothing: a waiting push goes on waiting, and each verdict stands for a minute.
 */
export async function recheckCommit(
  host: Pick<VcsHost, 'id' | 'tenantId'>,
  { repoFullName, repositoryId, sha }: Pick<CheckRequest, 'repoFullName' | 'repositoryId' | 'sha'>,
  { pushes, now }: RecheckOptions,
): Promise<Recheck | null> {
  const push = { host: host.id, repository_id: repositoryId };
  const repo_key = repositoryKey({ push, repo_name: repoFullName });
  const place = { tenant_id: host.tenantId, repo_key };
  const { records } = await pushes.pushesOfCommit({ ...place, sha });
  const [record] = records
    .filter((one) => one.push?.host === host.id && one.overall_status !== 'SUPERSEDED')
    .sort((one, other) => other.created_at.localeCompare(one.created_at));
  if (record === undefined) return null;
  const { rfc_id, overall_status, ref, updated_at } = record;
  if (overall_status === 'DRAFT') return { rfc_id, outcome: 'again' };
  const isOld = now().getTime() - Date.parse(updated_at) >= PUSHES.RECHECK_AFTER_MS;
  if (overall_status === 'BLOCKED' && isOld && ref !== null) {
    const { pushes: newest } = await pushes.newestPushes({ ...place, refs: [ref] });
    const isHead = newest.some((one) => one.rfc_id === rfc_id);
    if (isHead && (await reopenPush(record, ASKED, { pushes, now })))
      return { rfc_id, outcome: 'again' };
  }
  await postAgain(record, pushes, now());
  return { rfc_id, outcome: 'stands' };
}

const ASKED = 'a user of the host asked for another run of its check';

/**
 * Has the verdict of an RFC posted again: a pull request was opened for a commit that was judged
 * before, so there is a place for its comment now.
 */
export async function postMissingStatus(
  { tenant_id, rfc_id }: { tenant_id: string; rfc_id: string },
  {
    pushes,
    store,
    now,
  }: Pick<RecheckOptions, 'now'> & {
    pushes: Pick<PushStore, 'settleStatus'>;
    store: Pick<RecordStore, 'getRfc'>;
  },
): Promise<void> {
  const { rev } = await store.getRfc({ tenant_id, rfc_id });
  await pushes.settleStatus({ tenant_id, rfc_id, rev, posted: null, dueMs: now().getTime() });
}

/** GitHub shows no result of a check that was asked for again until the check is updated. */
async function postAgain(
  { tenant_id, rfc_id, rev }: RfcRecord,
  { settleStatus }: Pick<PushStore, 'settleStatus'>,
  now: Date,
): Promise<void> {
  await settleStatus({ tenant_id, rfc_id, rev, posted: NOTHING_POSTED, dueMs: now.getTime() });
}
