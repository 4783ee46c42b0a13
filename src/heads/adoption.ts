import { plainEvent } from '../model/audit.ts';
import { SOURCE } from '../model/limits.ts';
import {
  type Baseline,
  BRANCH_PREFIX,
  type NamedPlace,
  type PushInfo,
  type RepositoryPlace,
} from '../model/push.ts';
import { acceptsHead, type RfcRecord } from '../model/records.ts';
import { isLiftedByPush, standingRejection } from '../model/release.ts';
import type { Client } from '../rpc/service.ts';
import type { Source, SourceRepository } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import { PUSH_STORE } from '../store/limits.ts';
import { HEADS } from './limits.ts';

export interface AdoptionOptions {
  source: Pick<Client<typeof Source>, 'ancestry' | 'isAncestor' | 'sync'>;
  pushes: Pick<
    PushStore,
    'acceptedHeads' | 'adoptBaseline' | 'oldestPush' | 'pushesOfCommit' | 'refusedPushes'
  >;
  /** `scan`: nothing counts as accepted before it was judged. */
  adopt: 'baseline' | 'scan';
  /** `graceMs`: a webhook may be on its way for so long. */
  times: { graceMs: number };
  now(): Date;
}

/** The baseline of a repository, and whether it was adopted for this push. */
export interface KnownBaseline {
  baseline: Baseline;
  adopted: boolean;
}

/**
 * The baseline of the repository of a push: `known`, where there was one. Seen for the first time,
 * it adopts the state that the default branch had before the first push to it that the service
 * knows of; without one, the state that the host has now. Where a commit of that state was refused
 * in any repository of the tenant, nothing is adopted and the whole tree is judged.
 *
 * `refs` are the host's; null: it was not reached. Null is returned, and nothing adopted, in that
 * case, and while the webhook of a push to the default branch may be on its way: of two branches
 * pushed at once the one must not be adopted for the other.
 */
export async function knownBaseline(
  record: RfcRecord,
  repo_key: string,
  refs: Readonly<Record<string, string>> | null,
  known: Baseline | null,
  options: AdoptionOptions,
): Promise<KnownBaseline | null> {
  const { tenant_id, repo_name, rfc_id } = record;
  if (known !== null) return { baseline: known, adopted: false };
  if (refs === null) return null;
  const place = { tenant_id, repo_name, repo_key };
  const state = await stateToAdopt(record, place, refs, options);
  if (state === null) return null;
  const host = record.push?.host ?? '';
  const baseline = {
    host,
    sha: state.sha,
    heads: { ...refs },
    adopted_at: options.now().toISOString(),
  };
  const event = plainEvent({
    kind: 'baseline-adopted',
    op_id: `baseline ${rfc_id}`,
    principal: null,
    tenant_id,
    rfc_id,
    repo_name,
    details: { host, commit_sha: state.sha, refs: Object.keys(refs).length },
  });
  return await options.pushes.adoptBaseline({
    ...place,
    baseline,
    event: state.sha === null ? null : event,
  });
}

/** Null: it is not known yet. A state of null: nothing is adopted. */
async function stateToAdopt(
  record: RfcRecord,
  place: NamedPlace,
  refs: Readonly<Record<string, string>>,
  options: AdoptionOptions,
): Promise<{ sha: string | null } | null> {
  const { adopt, times, now, pushes, source } = options;
  const branch = record.push?.default_branch ?? null;
  if (adopt === 'scan' || branch === null) return { sha: null };
  const ref = BRANCH_PREFIX + branch;
  const { record: oldest } = await pushes.oldestPush({ ...place, ref });
  const isAnnounced = oldest?.push?.host === record.push?.host && oldest !== null;
  const isEarly = ageOf(record, now()) < times.graceMs;
  if (!isAnnounced && refs[ref] !== undefined && isEarly) return null;
  // A sweep's push says nothing of what was before it.
  const isSigned = isAnnounced && oldest.push !== null && namesRange(oldest.push, ref);
  const start = isAnnounced ? (oldest.push?.before ?? null) : (refs[ref] ?? null);
  const from = isSigned || !isAnnounced ? start : null;
  const { value: state } = await statesBefore(from, place, pushes).next();
  const sha: string | null = state?.sha ?? null;
  if (sha === null) return { sha };
  const repository = { host: record.push?.host ?? '', repo_full_name: record.repo_name };
  const { missing } = await source.sync({ ...repository, wants: [sha], refs: [] });
  if (missing.length > 0) return { sha: null };
  const isFree = await isAdoptable(sha, historyOf({ repository, place }, record.rfc_id), options);
  return { sha: isFree ? sha : null };
}

/**
 * Whether a webhook names where its range begins: it moved a ref, or created the default branch.
 * A branch that was created on an adopted commit brings nothing of its own.
 */
export function namesRange(
  push: Pick<PushInfo, 'source' | 'before' | 'default_branch'>,
  ref: string,
): boolean {
  if (push.source !== 'webhook') return false;
  return push.before !== null || ref === BRANCH_PREFIX + (push.default_branch ?? '');
}

/**
 * Where refs stood before the pushes that led to `start`: what a webhook of the repository names
 * as its `after` was pushed, so its `before` counts in its place, that of the first such webhook
 * before pushes of others: they may come in any order. A `sha` of null: nothing was there, or it is
 * not known. None at all: every webhook leads back, so that no commit is known to have been there.
 */
export async function* statesBefore(
  start: string | null,
  place: RepositoryPlace,
  pushes: Pick<PushStore, 'pushesOfCommit'>,
): AsyncGenerator<{ sha: string | null }> {
  const met = new Set<string>();
  const left = [start];
  while (left.length > 0) {
    const sha = left.pop() ?? null;
    if (sha === null || met.size === HEADS.BEFORES_MAX) return yield { sha: null };
    if (met.has(sha)) continue;
    met.add(sha);
    const { records } = await pushes.pushesOfCommit({ ...place, sha });
    const named = records.filter(({ push, ref }) => push && namesRange(push, ref ?? ''));
    if (named.length === 0 || records.some(isJudgedHead)) yield { sha };
    // Newest first, as they are listed: the oldest is taken next.
    else left.push(...named.map(({ push }) => push?.before ?? null));
  }
}

/**
 * Whether commits were judged before the commit of a push was accepted. A ref that was moved back
 * into the adopted state has a range without commits: its verdict says no more than the adoption.
 */
export function isJudgedHead(record: RfcRecord): boolean {
  return acceptsHead(record) && record.push?.commits !== 0;
}

/** How long ago (ms) a push came. */
export function ageOf({ created_at }: RfcRecord, now: Date): number {
  return now.getTime() - Date.parse(created_at);
}

/** A repository whose history is looked through; `except`: the push that is judged now. */
interface History {
  repository: SourceRepository;
  place: RepositoryPlace;
  except: string | null;
}

/** The history of a repository as `isAdoptable` looks through it. */
export function historyOf(
  { repository, place }: Pick<History, 'repository' | 'place'>,
  except: string | null,
): History {
  const { tenant_id, repo_key } = place;
  return { repository, place: { tenant_id, repo_key }, except };
}

/**
 * Whether a commit may become a baseline: no commit that is reachable from it is BLOCKED, REJECTED
 * or DRAFT in any repository of the tenant, unless it lies behind an accepted head of this one.
 */
export async function isAdoptable(
  sha: string,
  { repository, place, except }: History,
  {
    source,
    pushes,
  }: {
    source: Pick<AdoptionOptions['source'], 'ancestry' | 'isAncestor'>;
    pushes: Pick<PushStore, 'acceptedHeads' | 'refusedPushes'>;
  },
): Promise<boolean> {
  const accepted: string[] = [];
  const limit = SOURCE.ANCESTRY_PAGE_MAX;
  for (let skip = 0; skip < HEADS.ANCESTRY_MAX; skip += limit) {
    const page = await source.ancestry({ ...repository, from: sha, skip, limit });
    for (let at = 0; at < page.shas.length; at += PUSH_STORE.HEADS_PER_CALL_MAX) {
      const shas = page.shas.slice(at, at + PUSH_STORE.HEADS_PER_CALL_MAX);
      const heads = await pushes.acceptedHeads({ ...place, shas });
      accepted.push(...heads.accepted.map((head) => head.sha));
      const { records } = await pushes.refusedPushes({ tenant_id: place.tenant_id, shas });
      for (const record of records.filter((each) => isRefusal(each, except))) {
        if (!(await isBehind(record.commit_sha ?? '', accepted))) return false;
      }
    }
    if (!page.hasMore) return true;
  }
  // Behind them nobody looked.
  return false;

  async function isBehind(refused: string, heads: readonly string[]): Promise<boolean> {
    for (const other of heads) {
      const pair = { ...repository, one: refused, other };
      if (refused === other || (await source.isAncestor(pair)).is_ancestor) return true;
    }
    return false;
  }
}

/** A branch that waits and was created on a commit says nothing of that commit. */
function isRefusal({ rfc_id, overall_status, push, ref }: RfcRecord, except: string | null) {
  if (overall_status !== 'DRAFT') return true;
  if (push === null || rfc_id === except) return false;
  return push.source !== 'webhook' || namesRange(push, ref ?? '');
}

/**
 * Whether a rejection of a commit stands: no override or approval of the same commit came after
 * it. `records`: all pushes of the commit in its repository, and what is decided about submitted
 * diffs of it; `at`: the time (ms) of one rejection, null: of any among them.
 */
export function isRejected(records: readonly RfcRecord[], at: number | null = null): boolean {
  return at === null ? standingRejection(records) !== null : !isLiftedByPush(records, at);
}
