import { PUSHES } from '../limits.ts';
import type { BaseKind } from '../model/push.ts';
import type { Client } from '../rpc/service.ts';
import type { Source, SourceRepository } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/contract/pushes.ts';

/** What the diff of a push starts from; null: the empty tree. */
export interface Base {
  sha: string | null;
  kind: BaseKind;
}

export interface BaseSearch {
  source: Pick<Client<typeof Source>, 'ancestry' | 'areRelated' | 'sync'>;
  pushes: Pick<PushStore, 'acceptedHeads' | 'newestAccepted'>;
}

/** A head whose base is looked for. */
export interface Head {
  repository: SourceRepository;
  tenantId: string;
  sha: string;
  /** Refs whose accepted heads may stand in when no ancestor is accepted, the best first. */
  refs: string[];
}

/**
 * Finds the base of a push: the newest accepted head among the ancestors of its head (itself
 * included), whatever ref it was pushed to. An ancestor that never was an accepted head is none:
 * it may hold what a later commit took out again.
 *
 * Where no ancestor is accepted (a branch off an old commit, a history that was rewritten), an
 * accepted head of the same or the default branch serves as well: a diff of trees shows whatever
 * the head has and that one has not, what was taken out before included. Unrelated histories, and
 * repositories without accepted heads, start from the empty tree.
 */
export async function findBase(head: Head, search: BaseSearch): Promise<Base> {
  const ancestor = await acceptedAncestor(head, search);
  if (ancestor !== null) return { sha: ancestor, kind: 'ancestor' };
  const aside = await acceptedAside(head, search);
  return aside === null ? { sha: null, kind: 'empty-tree' } : { sha: aside, kind: 'aside' };
}

async function acceptedAncestor(
  { repository, tenantId, sha }: Head,
  { source, pushes }: BaseSearch,
): Promise<string | null> {
  const { repo_full_name: repo_name } = repository;
  const limit = PUSHES.HEADS_PER_CALL_MAX;
  for (let skip = 0; skip < PUSHES.ANCESTRY_MAX; skip += limit) {
    const { shas, has_more } = await source.ancestry({ ...repository, from: sha, skip, limit });
    const { accepted } = await pushes.acceptedHeads({ tenant_id: tenantId, repo_name, shas });
    const known = new Set(accepted.map((each) => each.sha));
    const found = shas.find((each) => known.has(each));
    if (found !== undefined) return found;
    if (!has_more) return null;
  }
  return null;
}

async function acceptedAside(
  { repository, tenantId, sha, refs }: Head,
  { source, pushes }: BaseSearch,
): Promise<string | null> {
  const { repo_full_name: repo_name } = repository;
  const { accepted } = await pushes.newestAccepted({ tenant_id: tenantId, repo_name, refs });
  for (const { sha: one } of accepted) {
    const { missing } = await source.sync({ ...repository, wants: [one], refs: [] });
    if (missing.length > 0) continue;
    const { related } = await source.areRelated({ ...repository, one, other: sha });
    if (related) return one;
  }
  return null;
}
