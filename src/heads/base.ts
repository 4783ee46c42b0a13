import {
  type AcceptedHead,
  type BaseKind,
  BRANCH_PREFIX,
  baselineId,
  isPullRequestRef,
  type PushInfo,
  type RepositoryPlace,
} from '../model/push.ts';
import type { Client } from '../rpc/service.ts';
import type { Source, SourceRepository } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import { PUSH_STORE } from '../store/limits.ts';
import { historyOf, isAdoptable, isJudgedHead, namesRange, statesBefore } from './adoption.ts';
import { HEADS } from './limits.ts';
import { isHeadRejected, type RejectionReads } from './rejections.ts';

/** The commit that the diff of a push starts from; null: the empty tree. */
export interface Base {
  sha: string | null;
  kind: BaseKind;
  /** The accepted head that it is, or (of a pull request) that it lies behind; null: unknown. */
  accepted: string | null;
  /** What accepts it (`PushInfo.rests_on`); empty: nothing has to. */
  dependsOn: string[];
  /** Whether the push lies within the adopted history, and its webhook opens that range again. */
  isOpened: boolean;
}

export interface BaseSearch {
  source: Pick<
    Client<typeof Source>,
    'ancestorsAmong' | 'ancestry' | 'areRelated' | 'isAncestor' | 'sync'
  >;
  pushes: RejectionReads & Pick<PushStore, 'acceptedHeads' | 'newestAccepted' | 'refusedPushes'>;
}

/** A head whose base is looked for. */
export interface Head {
  repository: SourceRepository;
  place: RepositoryPlace;
  sha: string;
  ref: string;
  push: Pick<PushInfo, 'source' | 'before' | 'default_branch'>;
  /** Where a pull request is to be merged; absent: not known. */
  baseBranch?: string | undefined;
}

/**
 * Finds the base of a push: the newest accepted head among the ancestors of its head (itself
 * included), whatever ref it was pushed to. An ancestor that was never accepted is not a base: it
 * may hold what a later commit took out again. Nor is a commit whose rejection stands, whatever
 * accepted it before.
 *
 * Where no ancestor is accepted (a branch off an old commit, a history that was rewritten), an
 * accepted head of the same or the default branch serves as well: a diff of trees shows whatever
 * the head has and that one has not, what was taken out before included. Unrelated histories, and
 * repositories without accepted heads, start from the empty tree.
 *
 * The pull request of a fork begins where it leaves its base branch, as far as that is accepted: no
 * branch depends on its verdict.
 *
 * A push that lies within the adopted state is judged from where its signed `before` says that the
 * ref was: the adoption must not answer for what a webhook announces.
 */
export async function findBase(
  head: Head,
  baseline: string | null,
  search: BaseSearch,
): Promise<Base> {
  const merged = isPullRequestRef(head.ref) ? await mergeBase(head, search) : null;
  if (merged !== null) return merged;
  const ancestor = await acceptedAncestor(head, search);
  const found = ancestor ?? (await otherBranch(head, search));
  if (found === null) return { ...EMPTY_TREE, isOpened: false };
  const opened = baseline === null ? null : await openedBase(head, baseline, ancestor, search);
  if (opened !== null) return opened;
  const { sha, rfc_id } = found;
  const kind = ancestor === null ? 'other-branch' : 'ancestor';
  return { sha, kind, accepted: sha, dependsOn: [rfc_id ?? baselineId(sha)], isOpened: false };
}

const EMPTY_TREE = {
  sha: null,
  kind: 'empty-tree',
  accepted: null,
  dependsOn: [] as string[],
} as const;

/**
 * The newest commit that the head has in common with the newest accepted head of the base branch.
 * Null: they have nothing in common, or it was rejected.
 */
async function mergeBase(head: Head, { source, pushes }: BaseSearch): Promise<Base | null> {
  const { repository, place, sha: from, push } = head;
  const branch = head.baseBranch ?? push.default_branch;
  if (branch === null) return null;
  const { accepted } = await pushes.newestAccepted({ ...place, refs: [BRANCH_PREFIX + branch] });
  const limit = PUSH_STORE.HEADS_PER_CALL_MAX;
  for (const { sha: of, rfc_id } of accepted) {
    const { missing } = await source.sync({ ...repository, wants: [of], refs: [] });
    if (missing.length > 0 || (await isHeadRejected(of, head, pushes))) continue;
    for (let skip = 0; skip < HEADS.ANCESTRY_MAX; skip += limit) {
      const { shas, hasMore } = await source.ancestry({ ...repository, from, skip, limit });
      const among = await source.ancestorsAmong({ ...repository, head: of, shas, known: [] });
      const common = new Set(among.shas);
      const sha = shas.find((one) => common.has(one));
      if (sha !== undefined) {
        if (await isHeadRejected(sha, head, pushes)) return null;
        const dependsOn = [rfc_id ?? baselineId(of)];
        return { sha, kind: 'ancestor', accepted: of, dependsOn, isOpened: false };
      }
      if (!hasMore) break;
    }
  }
  return null;
}

async function acceptedAncestor(
  head: Head,
  { source, pushes }: BaseSearch,
): Promise<AcceptedHead | null> {
  const { repository, place, sha } = head;
  const limit = PUSH_STORE.HEADS_PER_CALL_MAX;
  for (let skip = 0; skip < HEADS.ANCESTRY_MAX; skip += limit) {
    const { shas, hasMore } = await source.ancestry({ ...repository, from: sha, skip, limit });
    const { accepted } = await pushes.acceptedHeads({ ...place, shas });
    const known = new Map(accepted.map((each) => [each.sha, each]));
    for (const each of shas) {
      const found = known.get(each);
      if (found !== undefined && !(await isHeadRejected(each, head, pushes))) return found;
    }
    if (!hasMore) return null;
  }
  return null;
}

/** An accepted head of the same or the default branch, or the baseline. */
async function otherBranch(head: Head, { source, pushes }: BaseSearch) {
  const { repository, place, sha, ref, push } = head;
  const refs = push.default_branch === null ? [ref] : [ref, BRANCH_PREFIX + push.default_branch];
  const { accepted } = await pushes.newestAccepted({ ...place, refs: [...new Set(refs)] });
  for (const each of accepted) {
    const { missing } = await source.sync({ ...repository, wants: [each.sha], refs: [] });
    if (missing.length > 0 || (await isHeadRejected(each.sha, head, pushes))) continue;
    const { related } = await source.areRelated({ ...repository, one: each.sha, other: sha });
    if (related) return each;
  }
  return null;
}

/**
 * The base of a push that lies within the adopted state, where no verdict accepts its newest
 * accepted `ancestor`: one of a later head says nothing of a range below it. It depends on the
 * adoption still, of what was there before it. Null: a ref was moved back, which brings nothing
 * that was not there.
 */
async function openedBase(
  head: Head,
  baseline: string,
  ancestor: AcceptedHead | null,
  search: BaseSearch,
): Promise<Base | null> {
  const { repository, sha, place, ref, push } = head;
  const { source, pushes } = search;
  if (!namesRange(push, ref) || (ancestor !== null && (await isJudged(ancestor)))) return null;
  const contains = async (other: string, one: string) =>
    one === other || (await source.isAncestor({ ...repository, one, other })).is_ancestor;
  if (!(await contains(baseline, sha))) return null;
  const dependsOn = [baselineId(baseline)];
  for await (const { sha: before } of statesBefore(sha, place, pushes)) {
    if (before === sha) return null;
    const opened = await openedFrom(before);
    if (opened !== null) return opened;
  }
  // Every webhook leads back: that of this push says where its own range begins.
  return push.before === null ? null : await openedFrom(push.before);

  /** False: nothing but the adoption accepts it. */
  async function isJudged({ rfc_id, sha: other }: AcceptedHead): Promise<boolean> {
    if (rfc_id === null) return false;
    const { records } = await pushes.pushesOfCommit({ ...place, sha: other });
    return records.some(isJudgedHead);
  }

  /** Null: a webhook moved a ref back from there; another one may have brought the head. */
  async function openedFrom(before: string | null): Promise<Base | null> {
    if (before === null || !(await isKnown(before))) {
      return { ...EMPTY_TREE, dependsOn, isOpened: true };
    }
    if (await contains(before, sha)) return null;
    const kind = (await contains(sha, before)) ? 'ancestor' : 'other-branch';
    return { sha: before, kind, accepted: null, dependsOn, isOpened: true };
  }

  /** Judged, or part of the adopted state. */
  async function isKnown(commit: string): Promise<boolean> {
    const { missing } = await source.sync({ ...repository, wants: [commit], refs: [] });
    if (missing.length > 0 || (await isHeadRejected(commit, head, pushes))) return false;
    const { accepted } = await pushes.acceptedHeads({ ...place, shas: [commit] });
    if (accepted.some(({ rfc_id }) => rfc_id !== null)) return true;
    return (await contains(baseline, commit)) && isAdoptable(commit, historyOf(head, null), search);
  }
}
