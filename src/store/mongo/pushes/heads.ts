import type { AuditEvent } from '../../../model/audit.ts';
import { CraError } from '../../../model/errors.ts';
import {
  type AcceptedHead,
  type Baseline,
  baselineId,
  type NamedPlace,
  type PushView,
  type RefPlace,
  type RepositoryPlace,
  type Revocation,
} from '../../../model/push.ts';
import { commitId } from '../../../model/rfc.ts';
import type { CallContext } from '../../../rpc/service.ts';
import type {
  AdoptInput,
  BindInput,
  CommitInput,
  DependentsInput,
  HeadsInput,
  LowerInput,
  OverriddenInput,
  RefsInput,
  RefusedInput,
} from '../../contract/pushes.ts';
import type { TrailWriter } from '../../contract/trail.ts';
import { PUSH_STORE } from '../../limits.ts';
import { checkCount, parseRecord, repoKey } from '../../stored-record.ts';
import type { Collections } from '../database.ts';
import { type BaselineDocument, packText, type RfcDocument, unpackText } from '../documents.ts';
import { type Fresh, type FreshRead, findEach } from '../operations.ts';
import { findFirst, type Query } from '../queries.ts';
import { IS_PUSH, IS_REFUSED_PUSH, PUSH_QUERIES } from './queries.ts';
import { createRefusalReader } from './refusals.ts';

/** Refs that are looked up at the same time. */
const AT_ONCE = 16;

/**
 * Accepted heads and newest pushes. They decide what is not judged again, so they are fresh reads:
 * a head that is missed costs a longer range, but one whose rejection is missed, or whose verdict
 * an election takes back, would wave a change through.
 */
export function createHeadReader({ rfcs, baselines }: Collections, fresh: FreshRead) {
  const refusals = createRefusalReader(rfcs, fresh);

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
        const found = await findFirst(rfcs, PUSH_QUERIES.newestAccepted({ ...repo, ref }), at);
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
        const found = await findFirst(rfcs, PUSH_QUERIES.newestOfRef({ ...repo, ref }), at);
        return found === null ? null : viewOf(found, ref);
      }),
    );
    return { pushes };
  }

  async function oldestPush(place: RefPlace) {
    const found = await fresh((at) => findFirst(rfcs, PUSH_QUERIES.oldestOfRef(place), at));
    return { record: found === null ? null : parseRecord(found.json) };
  }

  async function recordsOf(
    { filter, options }: Query<RfcDocument>,
    deleted: Query<RfcDocument> | null = null,
  ) {
    return await fresh(async (at) => {
      const found = await rfcs.find(filter, { ...options, ...at }).toArray();
      const limit = PUSH_STORE.REFUSED_MAX;
      const bounded = deleted && { ...deleted, options: { ...deleted.options, limit } };
      const left = bounded === null ? [] : await refusals.allOf(bounded, at);
      return { records: [...found.map(({ json }) => parseRecord(json)), ...left] };
    });
  }

  /** Without those that were deleted. */
  const livePushesOfCommit = ({ sha, ...repo }: CommitInput) =>
    recordsOf(PUSH_QUERIES.pushesOfCommit(repo, commitId(sha)));

  return {
    acceptedHeads,
    newestAccepted,
    newestPushes,
    oldestPush,
    livePushesOfCommit,
    pushesOfCommit({ sha, ...repo }: CommitInput) {
      const commit = commitId(sha);
      const own = { 'refusal.repo': repo.repo_key };
      const deleted = PUSH_QUERIES.refusalsOfCommit(repo.tenant_id, [commit], own);
      return recordsOf(PUSH_QUERIES.pushesOfCommit(repo, commit), deleted);
    },
    async refusedPushes({ tenant_id, shas }: RefusedInput) {
      checkCount('shas', shas, PUSH_STORE.HEADS_PER_CALL_MAX);
      const commits = [...new Set(shas.map(commitId))];
      const deleted = PUSH_QUERIES.refusalsOfCommit(tenant_id, commits, IS_REFUSED_PUSH);
      return await recordsOf(PUSH_QUERIES.refused(tenant_id, commits), deleted);
    },
    overriddenPushes: ({ limit, ...repo }: OverriddenInput) =>
      recordsOf(PUSH_QUERIES.overridden(repo, limit)),
    dependentsOf: ({ id, limit, ...repo }: DependentsInput) =>
      recordsOf(PUSH_QUERIES.dependentsOf(repo, id, limit)),
  };
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
 *     B1  insert the document with its entry in it (`untold`): unpublished, no reader takes it
 *     B2  append that entry                              fails: nothing has changed for anybody
 *     B3  take the entry out of the document             from now on it is the baseline
 *
 * The next adoption finds what a daemon left after B1 or B2, and goes on with that baseline and
 * that entry, never with its own: so the trail has one entry, of the baseline that counts. With the
 * entry first, one that stood alone would have to be matched by a later call that saw the
 * repository in another state; with a plain document first, a baseline would count without an
 * entry.
 */
export function createBaselines({ collections, fresh, appendEvent }: BaselineOptions) {
  const { baselines } = collections;

  async function adopt(
    input: AdoptInput,
    call: CallContext,
  ): Promise<{ baseline: Baseline; adopted: boolean }> {
    const { event } = input;
    const document: BaselineDocument = {
      _id: { tenant_id: input.tenant_id, repo_key: input.repo_key },
      name: repoKey(input.repo_name),
      sha: input.baseline.sha,
      baseline: await packBaseline(input.baseline),
      ...(event === null ? {} : { untold: JSON.stringify(event) }),
    };
    const { _id } = document;
    const isMine = await insertIfAbsent(document);
    // Also what another daemon inserted just now: `fresh` waits until a majority has it.
    const found = await fresh((at) => baselines.findOne({ _id }, at));
    if (found === null) throw revokedMeanwhile();
    const { untold } = found;
    const isWhole = isMine && event === null;
    const adopted = untold === undefined ? isWhole : await finish(_id, untold, call);
    return { baseline: await baselineOf(found), adopted };
  }

  /** B1. */
  async function insertIfAbsent({ _id, ...fields }: BaselineDocument): Promise<boolean> {
    const change = { $setOnInsert: fields };
    const { upsertedCount } = await baselines.updateOne({ _id }, change, { upsert: true });
    return upsertedCount === 1;
  }

  /** B2 and B3; tells whether it was this call that finished it. */
  async function finish(
    _id: BaselineDocument['_id'],
    untold: string,
    call: CallContext,
  ): Promise<boolean> {
    const same = { _id, untold };
    try {
      await appendEvent({ event: JSON.parse(untold) as AuditEvent }, call);
    } catch (thrown) {
      // An entry that can never be written must not keep the repository from having a baseline.
      if (isRefused(thrown)) await baselines.deleteOne(same);
      throw thrown;
    }
    const { matchedCount } = await baselines.updateOne(same, { $unset: { untold: '' } });
    return matchedCount === 1;
  }

  async function find(
    repo: NamedPlace,
  ): Promise<{ baseline: Baseline | null; nameHost: string | null }> {
    return await fresh(async (at) => {
      const { filter } = PUSH_QUERIES.baseline(repo);
      const found = await baselines.findOne(filter, at);
      const baseline = found === null ? null : await baselineOf(found);
      return { baseline, nameHost: await hostOfName(repo, at) };
    });
  }

  /** The name may be the key of one that was seen before its host gave ids. */
  async function hostOfName({ tenant_id, repo_name }: NamedPlace, at: Fresh) {
    const name = repoKey(repo_name);
    const byKey = PUSH_QUERIES.baseline({ tenant_id, repo_key: name });
    const byName = PUSH_QUERIES.baselinesOfName(tenant_id, name);
    const found =
      (await baselines.findOne(byKey.filter, at)) ??
      (await baselines.findOne(byName.filter, { ...byName.options, ...at }));
    return found === null ? null : (await baselineOf(found)).host;
  }

  return { adopt, find, ...createBaselineMoves({ collections, fresh, appendEvent }) };
}

/** What becomes of baselines later: an older state is accepted, or another key leads to them. */
function createBaselineMoves({ collections, fresh, appendEvent }: BaselineOptions) {
  const { baselines, rfcs } = collections;

  /** The entry first, named by what it tells: the same again writes no second one. */
  async function lower(
    { tenant_id, repo_key, from, to, event }: LowerInput,
    call: CallContext,
  ): Promise<{ lowered: boolean }> {
    const _id = { tenant_id, repo_key };
    const found = await fresh((at) => baselines.findOne({ _id, sha: from }, at));
    if (found === null) return { lowered: false };
    await appendEvent({ event }, call);
    const baseline = await packBaseline({ ...(await baselineOf(found)), sha: to });
    const fallen = { $concatArrays: [{ $ifNull: ['$fallen', []] }, [{ sha: from, at: '$$NOW' }]] };
    const change = { $set: { sha: to, baseline, fallen } };
    const { matchedCount } = await baselines.updateOne({ _id, sha: from }, [change]);
    return { lowered: matchedCount === 1 };
  }

  /** The pushes first: a baseline without them would have its repository judged from it alone. */
  async function bind({ tenant_id, repo_key, repo_name, host }: BindInput) {
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
    await rfcs.updateMany(filter, { $set: { 'fallen.repo': repo_key } }, { hint: options.hint });
    const left = PUSH_QUERIES.refusalsOfRepository(from);
    await rfcs.updateMany(left.filter, { $set: { 'refusal.repo': repo_key } }, left.options);
    const { _id: _, ...fields } = found;
    const change = { $setOnInsert: { ...fields, name } };
    const { upsertedCount } = await baselines.updateOne({ _id: to }, change, { upsert: true });
    if (upsertedCount === 0 && !isMoved) return { bound: false };
    await baselines.deleteOne({ _id: from });
    return { bound: true };
  }

  return { lower, bind };
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
  return new CraError(
    'UNAVAILABLE',
    'another baseline of this repository was taken back: try again',
  );
}

/**
 * What was taken back: a field of the push or baseline, written by the update that takes it back,
 * so that the two are never apart. A deleted record keeps it as long as its tombstone.
 */
export function createRevocations({ rfcs, baselines }: Collections, fresh: FreshRead) {
  async function list({ limit }: { limit: number }): Promise<{ revocations: Revocation[] }> {
    const pushes = PUSH_QUERIES.revocations(limit);
    const lowered = PUSH_QUERIES.revokedBaselines(limit);
    return await fresh(async (at) => {
      const documents = await rfcs.find(pushes.filter, { ...pushes.options, ...at }).toArray();
      const others = await baselines.find(lowered.filter, { ...lowered.options, ...at }).toArray();
      const ofPushes = documents.flatMap(({ _id, tenant_id, fallen }) => {
        if (fallen === undefined) return [];
        const { repo: repo_key, sha, is_rejected, at: time } = fallen;
        return [{ tenant_id, repo_key, id: _id, sha, is_rejected, at_ms: time.getTime() }];
      });
      const ofBaselines = others.flatMap(({ _id, fallen = [] }) =>
        fallen.map(({ sha, at: time }) => ({
          ..._id,
          id: baselineId(sha),
          sha,
          is_rejected: false,
          at_ms: time.getTime(),
        })),
      );
      const oldestFirst = [...ofPushes, ...ofBaselines].sort((a, b) => a.at_ms - b.at_ms);
      return { revocations: oldestFirst.slice(0, limit) };
    });
  }

  async function settle({ tenant_id, id }: { tenant_id: string; id: string }) {
    const ofPush = { _id: id, tenant_id };
    const { matchedCount } = await rfcs.updateOne(ofPush, { $unset: { fallen: '' } });
    const [, sha] = id.split(' ');
    if (matchedCount === 1 || sha === undefined) return { ok: true } as const;
    const lowered = { '_id.tenant_id': tenant_id, 'fallen.sha': sha };
    await baselines.updateMany(lowered, { $pull: { fallen: { sha } } });
    return { ok: true } as const;
  }

  return { list, settle };
}
