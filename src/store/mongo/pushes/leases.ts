import type { Collection } from 'mongodb';
import type { RfcRecord } from '../../../domain/records.ts';
import type { TakeInput } from '../../../rpc/queue-contract.ts';
import { claimedPush, heldPush, textsOf } from '../../stored-push.ts';
import { parseRecord, staleRfc, unknownRfc } from '../../stored-record.ts';
import type { RfcDocument } from '../documents.ts';
import { QUERIES } from '../queries.ts';
import { texts } from '../record-changes.ts';
import { IS_FREE, IS_PUSH, LOCAL } from './queries.ts';

/** Counts an attempt and holds a push; null where it is not free, or not of that rev. */
export type Hold = (input: TakeInput) => Promise<RfcRecord | null>;

/**
 * A compare-and-set of one document on status, rev and the end of the lease, by the clock of the
 * server, which a majority confirms: of all daemons one gets a push.
 */
export function createHold(rfcs: Collection<RfcDocument>, now: () => number): Hold {
  return async ({ tenant_id, rfc_id, expectedRev, owner, lease_ms }) => {
    const draft = QUERIES.draftAt(rfc_id, tenant_id, expectedRev);
    const filter = { ...draft, ...IS_PUSH, ...IS_FREE };
    const state = await rfcs.findOne(filter, { projection: { _id: 0, json: 1 }, ...LOCAL });
    if (state === null) return null;
    const record = claimedPush(parseRecord(state.json), now());
    const change = {
      rev: record.rev,
      ...texts(textsOf(record)),
      'push.due': { $add: ['$$NOW', lease_ms] },
      'push.owner': { $literal: owner },
    };
    const { matchedCount } = await rfcs.updateOne(filter, [{ $set: change }]);
    return matchedCount === 1 ? record : null;
  };
}

/**
 * Holds a push that is named. NOT_FOUND for what is none; ABORTED where somebody holds it or it
 * has changed.
 */
export async function takePush(
  rfcs: Collection<RfcDocument>,
  hold: Hold,
  input: TakeInput,
): Promise<{ record: RfcRecord }> {
  const record = await hold(input);
  if (record !== null) return { record };
  const { filter, options } = QUERIES.view(input);
  const found = await rfcs.findOne({ ...filter, ...IS_PUSH }, options);
  if (found === null) throw unknownRfc();
  const isSame = found.status === 'DRAFT' && found.rev === input.expectedRev;
  throw isSame ? heldPush(found.rev) : staleRfc(found);
}
