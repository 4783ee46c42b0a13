import { chooseTarget } from '../heads/target.ts';
import { PUSHES } from '../limits.ts';
import { recordText } from '../model/record-text.ts';
import type { RfcRecord } from '../model/records.ts';
import type { PushClaim, PushStore } from '../store/contract/pushes.ts';
import { PushInHand } from './push-in-hand.ts';
import { newPushRecord } from './push-record.ts';
import type { PushTimes } from './times.ts';

export interface SettleOptions {
  pushes: PushStore;
  owner: string;
  times: Pick<PushTimes, 'graceMs'>;
  now(): Date;
}

/**
 * Supersedes what of a claim is not judged, and answers the record that is; null when there is
 * none. `refs` are those of the host, null when it was not reached.
 */
export async function settleClaim(
  claim: PushClaim,
  refs: Readonly<Record<string, string>> | null,
  options: SettleOptions,
): Promise<RfcRecord | null> {
  const { record, older } = claim;
  const { pushes, owner } = options;
  const target = chooseTarget(claim, refs);
  const { tenant_id } = record;
  const at = options.now().toISOString();
  const supersede = async (others: { rfc_id: string; rev: number }[], by: string | null) => {
    if (others.length === 0) return;
    const superseded = others.map(({ rfc_id, rev }) => ({ rfc_id, rev }));
    await pushes.supersedePushes({ tenant_id, pushes: superseded, by, at });
  };
  if (target.kind === 'claimed') {
    await supersede(older, record.rfc_id);
    return record;
  }
  if (target.kind === 'older') {
    const { rfc_id, rev: expectedRev } = target;
    const lease_ms = PUSHES.LEASE_MS;
    const taken = await pushes.takePush({ tenant_id, rfc_id, expectedRev, owner, lease_ms });
    await supersede([record, ...older.filter((each) => each.rfc_id !== rfc_id)], rfc_id);
    return taken.record;
  }
  const { graceMs } = options.times;
  if (target.kind === 'elsewhere' && ageOf(record, options.now()) < graceMs) {
    // The webhook of the newer head may be on its way, for as long as this one is young.
    await new PushInHand(record, pushes).putOff({ waiting_for: NEWER_HEAD }, graceMs);
    return null;
  }
  await supersede([record, ...older], null);
  if (target.kind === 'elsewhere') await takeUpHead(record, claim.place.ref, target.head, options);
  return null;
}

const NEWER_HEAD = 'the host has a newer head of this ref, whose webhook is awaited';

/** How long ago (ms) a push came. */
export function ageOf({ created_at }: RfcRecord, now: Date): number {
  return now.getTime() - Date.parse(created_at);
}

/**
 * Makes a push of a head that the host has and no webhook told of. It must not be made for a head
 * that has been judged: to send an old webhook again would judge anew what people decided about.
 */
async function takeUpHead(
  record: RfcRecord,
  ref: string,
  head: string,
  { pushes, now }: Pick<SettleOptions, 'pushes' | 'now'>,
): Promise<void> {
  const { tenant_id, repo_name } = record;
  const { pushes: known } = await pushes.newestPushes({ tenant_id, repo_name, refs: [ref] });
  if (known[0]?.commit_sha === head) return;
  await acceptSweep(record, ref, head, known[0]?.rfc_id ?? 'none', { pushes, now });
}

/**
 * Writes the push of a head that a look at the host found. `like` is any push of the repository;
 * `previous` names the push that it follows, so that daemons which find it at once write it once.
 */
export async function acceptSweep(
  like: RfcRecord,
  ref: string,
  sha: string,
  previous: string,
  { pushes, now }: Pick<SettleOptions, 'pushes' | 'now'>,
): Promise<void> {
  const { push, repo_name, rules_revision } = like;
  if (push === null) return;
  const delivery_id = `sweep ${repo_name.toLowerCase()} ${ref} ${sha} ${previous}`;
  const record = newPushRecord(
    {
      host: {
        id: push.host,
        provider: push.provider,
        tenantId: like.tenant_id,
        hasStatuses: like.post_vcs_status,
      },
      ...{ repoFullName: repo_name, ref, sha, rulesRevision: rules_revision },
      info: {
        ...{ source: 'sweep', delivery_id, before: null, pusher: null },
        default_branch: push.default_branch,
      },
    },
    now(),
  );
  const keys = { ref, delivery: `${push.host} ${delivery_id}`, body_hash: null };
  await pushes.acceptPush({ record: recordText(record, null), push: keys });
}
