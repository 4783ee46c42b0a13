import { commitId } from '../../../model/rfc.ts';
import { PUSH_STORE } from '../../contract/limits.ts';
import type {
  AcceptedHead,
  CommitInput,
  HeadsInput,
  OverriddenInput,
  PushView,
  RefsInput,
  RefusedInput,
  Repository,
  RepositoryPlace,
  RestingInput,
} from '../../contract/pushes.ts';
import { checkCount, parseRecord, repoKey } from '../../stored-record.ts';
import type { Collections } from '../database.ts';
import type { RfcDocument } from '../documents.ts';
import { type Fresh, type FreshRead, findEach } from '../operations.ts';
import type { Query } from '../queries.ts';
import { type NamePlace, PUSH_QUERIES } from './queries.ts';

/** Refs that are looked up at the same time. */
const AT_ONCE = 16;

/**
 * Accepted heads and newest pushes. They decide what is not judged again, so they are fresh reads:
 * a head that is missed costs a longer range, but one whose rejection is missed, or whose verdict
 * an election takes back, would wave a change through.
 */
export function createHeadReader({ rfcs, baselines }: Collections, fresh: FreshRead) {
  async function findBaselineHead(repo: RepositoryPlace, at: Fresh): Promise<AcceptedHead | null> {
    const { filter } = PUSH_QUERIES.baseline(repo);
    const found = await baselines.findOne(filter, { projection: { sha: 1 }, ...at });
    return found === null || found.sha === null
      ? null
      : { sha: found.sha, rfc_id: null, ref: null };
  }

  async function acceptedHeads(input: HeadsInput): Promise<{ accepted: AcceptedHead[] }> {
    checkCount('shas', input.shas, PUSH_STORE.HEADS_PER_CALL_MAX);
    const repo = placeOf(input);
    const shas = [...new Set(input.shas.map(commitId))];
    return await fresh(async (at) => {
      const { filter, options } = PUSH_QUERIES.acceptedAmong(repo, shas);
      const pushes = await rfcs.find(filter, { ...options, ...at }).toArray();
      const baseline = await findBaselineHead(repo, at);
      const bySha = new Map<string, AcceptedHead>();
      if (baseline !== null) bySha.set(baseline.sha, baseline);
      for (const push of pushes) bySha.set(push.commit_sha ?? '', headOf(push));
      const accepted = shas.map((sha) => bySha.get(sha)).filter((head) => head !== undefined);
      return { accepted };
    });
  }

  async function newestAccepted(input: RefsInput): Promise<{ accepted: AcceptedHead[] }> {
    checkCount('refs', input.refs, PUSH_STORE.REFS_PER_CALL_MAX);
    const repo = placeOf(input);
    return await fresh(async (at) => {
      const accepted = await findEach([...new Set(input.refs)], AT_ONCE, async (ref) => {
        const { filter, options } = PUSH_QUERIES.newestAccepted(repo, ref);
        const found = await rfcs.findOne(filter, { ...options, ...at });
        return found === null ? null : headOf(found);
      });
      const baseline = await findBaselineHead(repo, at);
      return { accepted: baseline === null ? accepted : [...accepted, baseline] };
    });
  }

  async function newestPushes(input: RefsInput): Promise<{ pushes: PushView[] }> {
    checkCount('refs', input.refs, PUSH_STORE.REFS_PER_CALL_MAX);
    const repo = placeOf(input);
    const pushes = await fresh((at) =>
      findEach([...new Set(input.refs)], AT_ONCE, async (ref) => {
        const { filter, options } = PUSH_QUERIES.newestOfRef(repo, ref);
        const found = await rfcs.findOne(filter, { ...options, ...at });
        return found === null ? null : viewOf(found, ref);
      }),
    );
    return { pushes };
  }

  async function oldestPush({ ref, ...repo }: RepositoryPlace & { ref: string }) {
    const { filter, options } = PUSH_QUERIES.oldestOfRef(repo, ref);
    const found = await fresh((at) => rfcs.findOne(filter, { ...options, ...at }));
    return { record: found === null ? null : parseRecord(found.json) };
  }

  async function recordsOf({ filter, options }: Query<RfcDocument>) {
    const found = await fresh((at) => rfcs.find(filter, { ...options, ...at }).toArray());
    return { records: found.map(({ json }) => parseRecord(json)) };
  }

  return {
    acceptedHeads,
    newestAccepted,
    newestPushes,
    oldestPush,
    pushesOfCommit: ({ sha, ...repo }: CommitInput) =>
      recordsOf(PUSH_QUERIES.pushesOfCommit(repo, commitId(sha))),
    async refusedPushes({ tenant_id, shas }: RefusedInput) {
      checkCount('shas', shas, PUSH_STORE.HEADS_PER_CALL_MAX);
      return await recordsOf(PUSH_QUERIES.refused(tenant_id, [...new Set(shas.map(commitId))]));
    },
    overriddenPushes: ({ limit, ...repo }: OverriddenInput) =>
      recordsOf(PUSH_QUERIES.overridden(repo, limit)),
    restingOn: ({ id, limit, ...repo }: RestingInput) =>
      recordsOf(PUSH_QUERIES.restingOn(repo, id, limit)),
  };
}

/** The name of a repository as the store compares it. */
export function nameOf({ tenant_id, repo_name }: Repository): NamePlace {
  return { tenant_id, repo_key: repoKey(repo_name) };
}

/** The same without whatever else a call names. */
function placeOf({ tenant_id, repo_key }: RepositoryPlace): RepositoryPlace {
  return { tenant_id, repo_key };
}

function headOf({ _id, commit_sha, push }: RfcDocument): AcceptedHead {
  return { sha: commit_sha ?? '', rfc_id: _id, ref: push?.ref ?? null };
}

/** The newest push of a ref, as callers see it. */
export function viewOf({ _id, commit_sha, status, push }: RfcDocument, ref: string): PushView {
  return {
    ref,
    rfc_id: _id,
    commit_sha: commit_sha ?? '',
    overall_status: status,
    is_accepted: push?.accepted === true,
    is_unjudged: push?.unjudged === true,
  };
}
