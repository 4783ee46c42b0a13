import { isRejected, namesRange } from '../heads/adoption.ts';
import { plainEvent } from '../model/audit.ts';
import { unlessNotFound } from '../model/errors.ts';
import type { RepositoryPlace, Revocation } from '../model/push.ts';
import { acceptsPush, type RfcRecord } from '../model/records.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import { canReopen, parseRecord } from '../store/stored-record.ts';
import { PUSHES } from './limits.ts';
import { reopenPush } from './push-record.ts';

export interface RevocationOptions {
  pushes: PushStore;
  store: Pick<RecordStore, 'getRfc'>;
  source: Pick<Client<typeof Source>, 'isAncestor'>;
  now(): Date;
}

/**
 * Revokes the dependents of revoked pushes and baselines (docs/why/heads.md): each such
 * push waits for another verdict. What falls is kept for PUSHES.FALLEN_SETTLES_MS and looked at
 * again, for verdicts that were under way. Answers the ids of the pushes that it reopened.
 */
export async function revoke(options: RevocationOptions): Promise<string[]> {
  const { pushes, now } = options;
  const reopened: string[] = [];
  for (;;) {
    const { revocations } = await pushes.revocations({ limit: PUSHES.FALLEN_PAGE });
    const before = reopened.length;
    let isLowered = false;
    for (const each of revocations) {
      isLowered = (await lowerBelow(each, options)) || isLowered;
      const falling = await fallingWith(each, options);
      for (const record of falling) {
        if (!(await reopenPush(record, reasonOf(record, each), options))) continue;
        // At once: until then its heads would accept what is judged meanwhile.
        reopened.push(record.rfc_id, ...(await revokeDependents(each, record.rfc_id, options)));
      }
      const isOld = now().getTime() - each.at_ms > PUSHES.FALLEN_SETTLES_MS;
      if (falling.length === 0 && isOld) await pushes.settleRevocation(each);
    }
    // What was reopened or lowered now has fallen, too.
    if (reopened.length === before && !isLowered) return reopened;
  }
}

/**
 * Revokes the dependents of a push that has no verdict, their dependents, and so on. A push must
 * not be accepted by a head that depends on it: no revocation below would reach the two again.
 */
export async function revokeDependents(
  { tenant_id, repo_key }: RepositoryPlace,
  rfcId: string,
  options: Pick<RevocationOptions, 'pushes' | 'now'>,
): Promise<string[]> {
  const limit = PUSHES.FALLEN_PAGE;
  const reopened: string[] = [];
  const without = [rfcId];
  for (const id of without) {
    for (let isMore = true; isMore; ) {
      const { records } = await options.pushes.dependentsOf({ tenant_id, repo_key, id, limit });
      isMore = false;
      for (const record of records) {
        if (!(await reopenPush(record, reasonOf(record, { id }), options))) continue;
        without.push(record.rfc_id);
        reopened.push(record.rfc_id);
        isMore = records.length === limit;
      }
    }
  }
  return reopened;
}

/** The pushes whose verdicts do not stand without it. */
async function fallingWith(fallen: Revocation, options: RevocationOptions): Promise<RfcRecord[]> {
  const { pushes } = options;
  const { tenant_id, repo_key, id, sha, is_rejected, at_ms } = fallen;
  const place = { tenant_id, repo_key };
  const { records } = await pushes.pushesOfCommit({ ...place, sha });
  // It has a verdict again, by which it is accepted.
  const own = records.find(({ rfc_id }) => rfc_id === id);
  if (own !== undefined && acceptsPush(own)) return [];
  const limit = PUSHES.FALLEN_PAGE;
  const { records: all } = await pushes.dependentsOf({ ...place, id, limit });
  // What was judged since then has seen the verdict that its components have by now.
  const isJudged = own?.overall_status === 'BLOCKED' && own.component_map !== undefined;
  const resting = isJudged ? all.filter((one) => seenMs(one) < Date.parse(own.updated_at)) : all;
  if (!is_rejected || !isRejected(records, at_ms)) return resting;
  const same = records.filter(acceptsPush);
  const others = own === undefined ? [] : await judgedFor(own, place, options);
  const standing = others.filter((one) => canReopen(one) && seenMs(one) <= at_ms);
  const falling = [...resting, ...same, ...standing];
  return [...new Map(falling.map((each) => [each.rfc_id, each])).values()];
}

/** Up to when (ms since the epoch) decisions were known to the verdict of a push, or to its own. */
function seenMs({ push, updated_at, override_history }: RfcRecord): number {
  const own = override_history.map(({ at }) => Date.parse(at));
  return Math.max(Date.parse(push?.based_at ?? updated_at), ...own);
}

/**
 * The pushes that judged components of a rejected one, which lists them with `same_as`: what it
 * rejects is their content.
 */
async function judgedFor(
  { components = [], tenant_id }: RfcRecord,
  place: RepositoryPlace,
  { pushes, store }: Pick<RevocationOptions, 'pushes' | 'store'>,
): Promise<RfcRecord[]> {
  const found: RfcRecord[] = [];
  for (const rfc_id of new Set(components.map(({ same_as }) => same_as))) {
    if (rfc_id === null) continue;
    const json = await store
      .getRfc({ tenant_id, rfc_id })
      .then((read) => read.json, unlessNotFound);
    const sha = json === null ? null : parseRecord(Buffer.from(json).toString()).commit_sha;
    if (sha !== null) found.push(...(await pushes.pushesOfCommit({ ...place, sha })).records);
  }
  return found;
}

/** What a dependent waits for: the verdict of another push that was revoked. */
function reasonOf(record: RfcRecord, { id }: Pick<Revocation, 'id'>): string {
  return record.push?.rests_on.includes(id)
    ? `${id}, on which it depended, was revoked`
    : `${id} was rejected, which is about this push, too`;
}

/** A commit that a person rejected must not be accepted as part of the adopted state. */
async function lowerBelow(
  { tenant_id, repo_key, id, sha, is_rejected, at_ms }: Revocation,
  { pushes, source, now }: RevocationOptions,
): Promise<boolean> {
  if (!is_rejected) return false;
  const { records } = await pushes.pushesOfCommit({ tenant_id, repo_key, sha });
  const record = records.find(({ rfc_id }) => rfc_id === id);
  if (!isRejected(records, at_ms)) return false;
  if (record?.push == null) return false;
  const { repo_name, push, rfc_id, ref } = record;
  const { baseline } = await pushes.findBaseline({ tenant_id, repo_key, repo_name });
  if (baseline?.sha == null) return false;
  const contains = async (other: string, one: string) => {
    const pair = { host: push.host, repo_full_name: repo_name, one, other };
    return one === other || (await source.isAncestor(pair)).is_ancestor;
  };
  if (!(await contains(baseline.sha, sha))) return false;
  const from = push.base ?? push.before;
  // A branch made on an old commit, or moved back to it, brought nothing of the adopted state.
  const isRange =
    from === null ? namesRange(push, ref ?? '') : from !== sha && (await contains(sha, from));
  if (!isRange && sha !== baseline.sha) return false;
  const to = isRange ? from : null;
  const place = { tenant_id, repo_key };
  const lowering = { ...place, repo_name, rfc_id, from: baseline.sha, to };
  return await lowerBaseline(lowering, { pushes, now });
}

interface Lowering {
  tenant_id: string;
  repo_key: string;
  repo_name: string;
  /** The push that lies within the adopted state and was refused. */
  rfc_id: string;
  from: string;
  to: string | null;
}

/** Accepts an older state than the adopted state, whose dependents fall. */
export async function lowerBaseline(
  { tenant_id, repo_key, repo_name, rfc_id, from, to }: Lowering,
  { pushes, now }: Pick<RevocationOptions, 'pushes' | 'now'>,
): Promise<boolean> {
  const event = plainEvent({
    kind: 'baseline-lowered',
    op_id: `baseline ${rfc_id} ${from}`,

    principal: null,
    tenant_id,
    rfc_id,
    repo_name,
    details: { from, to },
  });
  const input = { tenant_id, repo_key, from, to, event, atMs: now().getTime() };
  return (await pushes.lowerBaseline(input)).lowered;
}
