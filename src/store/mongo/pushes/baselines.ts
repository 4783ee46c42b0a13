import type { AuditEvent } from '../../../model/audit.ts';
import { CraError } from '../../../model/errors.ts';
import type { CallContext } from '../../../rpc/service.ts';
import type {
  AdoptInput,
  Baseline,
  BindInput,
  LowerInput,
  NamedPlace,
} from '../../contract/pushes.ts';
import type { TrailWriter } from '../../contract/trail.ts';
import { repoKey } from '../../stored-record.ts';
import type { Collections } from '../database.ts';
import { type BaselineDocument, packText, unpackText } from '../documents.ts';
import type { Fresh, FreshRead } from '../operations.ts';
import { IS_PUSH, PUSH_QUERIES } from './queries.ts';

interface BaselineOptions {
  collections: Collections;
  fresh: FreshRead;
  appendEvent: TrailWriter['appendEvent'];
}

/**
 * Baselines. Nothing can write document and entry together, so a baseline comes into being in
 * three steps, each of which anybody may repeat:
 *
 *     B1  insert the document with its entry in it, untold: no reader takes it for a baseline
 *     B2  append that entry                              fails: nothing has changed for anybody
 *     B3  take the entry out of the document             from now on it is the baseline
 *
 * The next adoption finds what a daemon left after B1 or B2, and goes on with that baseline and
 * that entry, never with its own: so the trail tells of one, and of the one that counts. With the
 * entry first, one that stood alone would have to be matched by a later call that saw the
 * repository in another state; with a plain document first, a baseline would count untold.
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
    if (found === null) throw takenBack();
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
  ): Promise<{ baseline: Baseline | null; name_host: string | null }> {
    return await fresh(async (at) => {
      const { filter } = PUSH_QUERIES.baseline(repo);
      const found = await baselines.findOne(filter, at);
      const baseline = found === null ? null : await baselineOf(found);
      return { baseline, name_host: await hostOfName(repo, at) };
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
    const [from, to] = [
      { tenant_id, repo_key: name },
      { tenant_id, repo_key },
    ];
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
    const { filter, options } = PUSH_QUERIES.fallenOf(from);
    await rfcs.updateMany(filter, { $set: { 'fallen.repo': repo_key } }, { hint: options.hint });
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

function takenBack(): CraError {
  return new CraError(
    'UNAVAILABLE',
    'another baseline of this repository was taken back: try again',
  );
}
