import type { AuditEvent } from '../../../model/audit.ts';
import { CraError } from '../../../model/errors.ts';
import type { CallContext } from '../../../rpc/service.ts';
import type { AdoptInput, Baseline, Repository } from '../../contract/pushes.ts';
import type { TrailWriter } from '../../contract/trail.ts';
import type { Collections } from '../connection.ts';
import type { BaselineDocument } from '../documents.ts';
import type { FreshRead } from '../fresh-read.ts';
import { packText, unpackText } from '../packed-text.ts';
import { placeOf } from './heads.ts';
import { PUSH_QUERIES } from './queries.ts';

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
 * Whoever adopts next finds what a daemon left after B1 or B2, and goes on with that baseline and
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
      _id: placeOf(input),
      sha: input.baseline.sha,
      baseline: await packText(JSON.stringify(input.baseline), 'the refs of the repository'),
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
    const text = await unpackText(found.baseline, 'refs');
    return { baseline: JSON.parse(text) as Baseline, adopted };
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

  async function find(repo: Repository): Promise<{ baseline: Baseline | null }> {
    const { filter } = PUSH_QUERIES.baseline(placeOf(repo));
    const found = await fresh((at) => baselines.findOne(filter, at));
    if (found === null) return { baseline: null };
    const text = await unpackText(found.baseline, 'refs');
    return { baseline: JSON.parse(text) as Baseline };
  }

  return { adopt, find };
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
