import type { AuditEvent } from '../../../model/audit.ts';
import { CraError } from '../../../model/errors.ts';
import {
  type AcceptedHead,
  type Baseline,
  baselineId,
  type PushView,
  type RefPlace,
  type RepositoryPlace,
  type Revocation,
} from '../../../model/push.ts';
import { commitId } from '../../../model/rfc.ts';
import type { CallContext } from '../../../rpc/service.ts';
import type { CommitInput, PushReader, PushWriter, RefsInput } from '../../contract/pushes.ts';
import type { TrailWriter } from '../../contract/trail.ts';
import { PUSH_STORE } from '../../limits.ts';
import { parseRecord, repoKey } from '../../stored-record.ts';
import type { Collections } from '../database.ts';
import { type BaselineDocument, packText, type RfcDocument, unpackText } from '../documents.ts';
import { type Fresh, type FreshRead, findEach } from '../operations.ts';
import { findAll, findFirst, type Query } from '../queries.ts';
import { IS_PUSH, IS_REFUSED_PUSH, PUSH_QUERIES } from './queries.ts';
import type { RefusalReader } from './refusals.ts';

/** Refs that are looked up at the same time. */
const AT_ONCE = 16;

/**
 * Accepted heads and newest pushes. They decide what is not judged again, so they are fresh reads:
 * a head that is missed costs a longer range, but a head whose rejection is missed, or whose
 * verdict an election rolls back, would let a change pass that nobody judged.
 */
export function createHeadReader(
  { rfcs, baselines }: Collections,
  fresh: FreshRead,
  refusals: RefusalReader,
) {
  async function findBaselineHead(repo: RepositoryPlace, at: Fresh): Promise<AcceptedHead[]> {
    const projection = { sha: 1 };
    const found = await findFirst(baselines, PUSH_QUERIES.baseline(repo), { projection, ...at });
    const sha = found?.sha ?? null;
    return sha === null ? [] : [{ sha, rfc_id: null, ref: null }];
  }

  /** What `query` finds for each ref, in order. */
  async function ofRefs<Found>(
    { refs, ...input }: RefsInput,
    at: Fresh,
    query: (place: RefPlace) => Query<RfcDocument>,
    show: (found: RfcDocument, ref: string) => Found,
  ): Promise<Found[]> {
    return await findEach([...new Set(refs)], AT_ONCE, async (ref) => {
      const found = await findFirst(rfcs, query({ ...placeOf(input), ref }), at);
      return found && show(found, ref);
    });
  }

  /** With what deletions left, where a query for that is given. */
  async function recordsOf(live: Query<RfcDocument>, deleted: Query<RfcDocument> | null = null) {
    return await fresh(async (at) => {
      const found = await findAll(rfcs, live, at);
      const limit = PUSH_STORE.REFUSED_MAX;
      const left = deleted === null ? [] : await refusals.allOf(deleted, { ...at, limit });
      return { records: [...found.map(({ json }) => parseRecord(json)), ...left] };
    });
  }

  /** Without deleted ones. */
  const livePushesOfCommit = ({ sha, ...repo }: CommitInput) =>
    recordsOf(PUSH_QUERIES.pushesOfCommit(repo, commitId(sha)));

  const methods = {
    async acceptedHeads(input) {
      const repo = placeOf(input);
      const shas = [...new Set(input.shas.map(commitId))];
      return await fresh(async (at) => {
        const pushes = await findAll(rfcs, PUSH_QUERIES.acceptedAmong(repo, shas), at);
        const bySha = new Map<string, AcceptedHead>();
        for (const head of await findBaselineHead(repo, at)) bySha.set(head.sha, head);
        for (const push of pushes) bySha.set(push.commit_sha ?? '', headOf(push));
        return { accepted: shas.flatMap((sha) => bySha.get(sha) ?? []) };
      });
    },

    async newestAccepted(input) {
      return await fresh(async (at) => {
        const accepted = await ofRefs(input, at, PUSH_QUERIES.newestAccepted, headOf);
        return { accepted: [...accepted, ...(await findBaselineHead(placeOf(input), at))] };
      });
    },

    async newestPushes(input) {
      return {
        pushes: await fresh((at) => ofRefs(input, at, PUSH_QUERIES.newestOfRef, viewOf)),
      };
    },

    async oldestPush(place) {
      const found = await fresh((at) => findFirst(rfcs, PUSH_QUERIES.oldestOfRef(place), at));
      return { record: found === null ? null : parseRecord(found.json) };
    },

    pushesOfCommit({ sha, ...repo }) {
      const commit = commitId(sha);
      const own = { 'refusal.repo': repo.repo_key };
      const deleted = PUSH_QUERIES.refusalsOfCommit(repo.tenant_id, [commit], own);
      return recordsOf(PUSH_QUERIES.pushesOfCommit(repo, commit), deleted);
    },

    async refusedPushes({ tenant_id, shas }) {
      const commits = [...new Set(shas.map(commitId))];
      const deleted = PUSH_QUERIES.refusalsOfCommit(tenant_id, commits, IS_REFUSED_PUSH);
      return await recordsOf(PUSH_QUERIES.refused(tenant_id, commits), deleted);
    },

    overriddenPushes: ({ limit, ...repo }) => recordsOf(PUSH_QUERIES.overridden(repo, limit)),

    dependentsOf: ({ id, limit, ...repo }) => recordsOf(PUSH_QUERIES.dependentsOf(repo, id, limit)),
  } satisfies Partial<PushReader>;

  return { methods, livePushesOfCommit };
}

/** The place without whatever else a call names. */
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
    isAccepted: push?.accepted === true,
    isUnjudged: push?.unjudged === true,
  };
}

interface BaselineOptions {
  collections: Collections;
  fresh: FreshRead;
  appendEvent: TrailWriter['appendEvent'];
}

/**
 * Baselines. Nothing can write document and entry together, so a baseline comes into being in
 * three steps, each of which anybody may repeat:
 *
 *     B1  insert the document with its entry in it (`untold`): no reader finds it
 *     B2  append that entry                              fails: nothing has changed for anybody
 *     B3  take the entry out of the document             from now on it is the baseline
 *
 * The next adoption finds what a daemon left after B1 or B2, and goes on with that baseline and
 * that entry, never with its own: so the trail has one entry, of the baseline that counts. With the
 * entry first, an entry that stood alone would have to be matched by a later call that saw the
 * repository in another state; with a plain document first, a baseline would count without an
 * entry.
 */
export function createBaselineWriter({ collections, fresh, appendEvent }: BaselineOptions) {
  const { baselines, rfcs } = collections;

  /** B1. */
  async function insertIfAbsent({ _id, ...fields }: BaselineDocument): Promise<boolean> {
    const change = { $setOnInsert: fields };
    const { upsertedCount } = await baselines.updateOne({ _id }, change, { upsert: true });
    return upsertedCount === 1;
  }

  /** B2 and B3; tells whether it was this call that finished it. */
  async function finish(
    _id: BaselineDocument['_id'],
    unpublished: string,
    call: CallContext,
  ): Promise<boolean> {
    const same = { _id, untold: unpublished };
    try {
      await appendEvent({ event: JSON.parse(unpublished) as AuditEvent }, call);
    } catch (thrown) {
      // An entry that can never be written must not keep the repository from having a baseline.
      if (isRefused(thrown)) await baselines.deleteOne(same);
      throw thrown;
    }
    const { matchedCount } = await baselines.updateOne(same, { $unset: { untold: '' } });
    return matchedCount === 1;
  }

  return {
    async adoptBaseline({ event, ...input }, call) {
      const _id = placeOf(input);
      const isMine = await insertIfAbsent({
        _id,
        name: repoKey(input.repo_name),
        sha: input.baseline.sha,
        baseline: await packBaseline(input.baseline),
        ...(event === null ? {} : { untold: JSON.stringify(event) }),
      });
      // Also what another daemon inserted just now: `fresh` waits until a majority has it.
      const found = await fresh((at) => baselines.findOne({ _id }, at));
      if (found === null) throw revokedMeanwhile();
      const { untold: unpublished } = found;
      const isWhole = isMine && event === null;
      const adopted = unpublished === undefined ? isWhole : await finish(_id, unpublished, call);
      return { baseline: await baselineOf(found), adopted };
    },

    /** The entry first: its op_id follows from its content, so a repeat writes no second one. */
    async lowerBaseline({ from, to, event, ...repo }, call) {
      const unchanged = { _id: placeOf(repo), sha: from };
      const found = await fresh((at) => baselines.findOne(unchanged, at));
      if (found === null) return { lowered: false };
      await appendEvent({ event }, call);
      const baseline = await packBaseline({ ...(await baselineOf(found)), sha: to });
      const lowered = [{ sha: from, at: '$$NOW' }];
      const fallen = { $concatArrays: [{ $ifNull: ['$fallen', []] }, lowered] };
      const change = { $set: { sha: to, baseline, fallen } };
      const { matchedCount } = await baselines.updateOne(unchanged, [change]);
      return { lowered: matchedCount === 1 };
    },

    /** The pushes first: a baseline without them would have its repository judged from it alone. */
    async bindRepository({ tenant_id, repo_key, repo_name, host }) {
      const name = repoKey(repo_name);
      const from = { tenant_id, repo_key: name };
      const to = { tenant_id, repo_key };
      if (name === repo_key) return { bound: false };
      const { found, own } = await fresh(async (at) => ({
        found: await baselines.findOne({ _id: from }, at),
        own: await baselines.findOne({ _id: to }, at),
      }));
      if (found === null || found.untold !== undefined) return { bound: false };
      const baseline = await unpackText(found.baseline, 'refs');
      if ((JSON.parse(baseline) as Baseline).host !== host) return { bound: false };
      // The same one: a daemon ended between the last two steps.
      const isMoved = own !== null && (await unpackText(own.baseline, 'refs')) === baseline;
      if (own !== null && !isMoved) return { bound: false };
      const named = { tenant_id, 'push.repo': name, ...IS_PUSH };
      const moved = { $set: { 'push.repo': repo_key } };
      await rfcs.updateMany(named, moved, { hint: 'push_by_repository' });
      const { filter, options } = PUSH_QUERIES.revocationsOf(from);
      await rfcs.updateMany(filter, { $set: { 'fallen.repo': repo_key } }, options);
      const left = PUSH_QUERIES.refusalsOfRepository(from);
      await rfcs.updateMany(left.filter, { $set: { 'refusal.repo': repo_key } }, left.options);
      const { _id: _, ...fields } = found;
      if (!(await insertIfAbsent({ ...fields, _id: to, name })) && !isMoved) {
        return { bound: false };
      }
      await baselines.deleteOne({ _id: from });
      return { bound: true };
    },
  } satisfies Partial<PushWriter>;
}

/** Finds the baseline of a repository, and the host that owns its name. */
export function createBaselineFinder(
  { baselines }: Collections,
  fresh: FreshRead,
): PushReader['findBaseline'] {
  return async ({ tenant_id, repo_key, repo_name }) => {
    const name = repoKey(repo_name);
    // The name may be the key of a repository that was seen before its host gave ids.
    const byKey = PUSH_QUERIES.baseline({ tenant_id, repo_key: name });
    const byName = PUSH_QUERIES.baselinesOfName(tenant_id, name);
    return await fresh(async (at) => {
      const found = await findFirst(baselines, PUSH_QUERIES.baseline({ tenant_id, repo_key }), at);
      const named =
        (await findFirst(baselines, byKey, at)) ?? (await findFirst(baselines, byName, at));
      return {
        baseline: found && (await baselineOf(found)),
        nameHost: named && (await baselineOf(named)).host,
      };
    });
  };
}

async function baselineOf(found: BaselineDocument): Promise<Baseline> {
  return JSON.parse(await unpackText(found.baseline, 'refs')) as Baseline;
}

function packBaseline(baseline: Baseline) {
  return packText(JSON.stringify(baseline), 'the refs of the repository');
}

/** The trail takes no such entry, now and later. */
function isRefused(thrown: unknown): boolean {
  return thrown instanceof CraError && ['INVALID_ARGUMENT', 'ALREADY_EXISTS'].includes(thrown.code);
}

function revokedMeanwhile(): CraError {
  return new CraError('UNAVAILABLE', 'another baseline of this repository was revoked: try again');
}

/**
 * What was revoked: a field of the push or baseline, written by the update that revokes it,
 * so that the two are never apart. A deleted record keeps it as long as its tombstone.
 */
export function createRevocations({ rfcs, baselines }: Collections, fresh: FreshRead) {
  return {
    async revocations({ limit }) {
      return await fresh(async (at) => {
        const pushes = await findAll(rfcs, PUSH_QUERIES.revocations(limit), at);
        const lowered = await findAll(baselines, PUSH_QUERIES.revokedBaselines(limit), at);
        const found = [...pushes.flatMap(revocationsOfPush), ...lowered.flatMap(revocationsOf)];
        const oldestFirst = found.sort((a, b) => a.at_ms - b.at_ms);
        return { revocations: oldestFirst.slice(0, limit) };
      });
    },

    async settleRevocation({ tenant_id, id }) {
      const ofPush = { _id: id, tenant_id };
      const { matchedCount } = await rfcs.updateOne(ofPush, { $unset: { fallen: '' } });
      const [, sha] = id.split(' ');
      if (matchedCount === 1 || sha === undefined) return { ok: true };
      const lowered = { '_id.tenant_id': tenant_id, 'fallen.sha': sha };
      await baselines.updateMany(lowered, { $pull: { fallen: { sha } } });
      return { ok: true };
    },
  } satisfies Partial<PushReader & PushWriter>;
}

/** The revocations of a push, at most one. */
export function revocationsOfPush({ _id, tenant_id, fallen }: RfcDocument): Revocation[] {
  if (fallen === undefined) return [];
  const { repo: repo_key, sha, is_rejected, at } = fallen;
  return [{ tenant_id, repo_key, id: _id, sha, is_rejected, at_ms: at.getTime() }];
}

/** The commits of which a baseline was lowered. */
export function revocationsOf({ _id, fallen = [] }: BaselineDocument): Revocation[] {
  return fallen.map(({ sha, at }) => {
    return { ..._id, id: baselineId(sha), sha, is_rejected: false, at_ms: at.getTime() };
  });
}
