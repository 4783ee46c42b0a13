import type { Collection } from 'mongodb';
import { PUSHES } from '../../../limits.ts';
import { recordText } from '../../../model/record-text.ts';
import type { RfcRecord } from '../../../model/records.ts';
import type { RenewInput, TakeInput } from '../../contract/pushes.ts';
import { heldPush, staleRfc, unknownRfc } from '../../errors.ts';
import { checkCount, claimedPush } from '../../stored-push.ts';
import { parseRecord } from '../../stored-record.ts';
import { writeApart } from '../bulk.ts';
import type { RfcDocument } from '../documents.ts';
import { QUERIES } from '../queries.ts';
import { texts } from '../record-documents.ts';
import { IS_FREE, IS_OPEN, IS_PUSH, LOCAL, PUSH_QUERIES } from './queries.ts';

/**
 * Counts an attempt and holds a push; null where it is not of that rev, or somebody holds it:
 * `others` than the one who asks, or `anybody`.
 */
export type Hold = (input: TakeInput, heldBy: 'anybody' | 'others') => Promise<RfcRecord | null>;

/**
 * A compare-and-set of one document on status, rev and the end of the lease, by the clock of the
 * server, which a majority confirms: of all daemons one gets a push.
 */
export function createHold(rfcs: Collection<RfcDocument>, now: () => number): Hold {
  return async ({ tenant_id, rfc_id, expectedRev, owner, lease_ms }, heldBy) => {
    const draft = QUERIES.draftAt(rfc_id, tenant_id, expectedRev);
    const isFree = heldBy === 'others' ? { $or: [IS_FREE, { 'push.owner': owner }] } : IS_FREE;
    const filter = { ...draft, ...IS_PUSH, ...isFree };
    const state = await rfcs.findOne(filter, { projection: { _id: 0, json: 1 }, ...LOCAL });
    if (state === null) return null;
    const record = claimedPush(parseRecord(state.json), now());
    const change = {
      rev: record.rev,
      ...texts(recordText(record, null)),
      'push.due': { $add: ['$$NOW', lease_ms] },
      'push.owner': { $literal: owner },
    };
    const { matchedCount } = await rfcs.updateOne(filter, [{ $set: change }]);
    return matchedCount === 1 ? record : null;
  };
}

/**
 * Holds a push that is named, also one that its own daemon has put off. NOT_FOUND for what is none;
 * ABORTED where another daemon holds it or it has changed.
 */
export async function takePush(
  rfcs: Collection<RfcDocument>,
  hold: Hold,
  input: TakeInput,
): Promise<{ record: RfcRecord }> {
  const record = await hold(input, 'others');
  if (record !== null) return { record };
  const { filter, options } = QUERIES.view(input);
  const found = await rfcs.findOne({ ...filter, ...IS_PUSH }, options);
  if (found === null) throw unknownRfc();
  const isSame = found.status === 'DRAFT' && found.rev === input.expectedRev;
  throw isSame ? heldPush(found.rev) : staleRfc(found);
}

/** Holds pushes for longer, of this owner and while they are DRAFT: no rev, so no race is lost. */
export async function renewPushes(
  rfcs: Collection<RfcDocument>,
  { owner, pushes, lease_ms }: RenewInput,
): Promise<{ ok: true }> {
  checkCount('pushes', pushes, PUSHES.GROUP_MAX);
  const renewed = [{ $set: { 'push.due': { $add: ['$$NOW', lease_ms] } } }];
  const operations = pushes.map(({ rfc_id: _id, tenant_id }) => ({
    updateOne: {
      filter: { _id, tenant_id, ...IS_OPEN, 'push.owner': owner },
      update: renewed,
    },
  }));
  if (operations.length > 0) await writeApart(rfcs, operations);
  return { ok: true };
}

/** Lets go of what a daemon of this name holds. */
export async function freeHeld(
  rfcs: Collection<RfcDocument>,
  owner: string,
): Promise<{ freed: number }> {
  const { filter, options } = PUSH_QUERIES.heldBy(owner);
  const freed = { 'push.due': new Date(0), 'push.owner': null };
  const { modifiedCount } = await rfcs.updateMany(
    filter,
    { $set: freed },
    { hint: options.hint ?? {} },
  );
  return { freed: modifiedCount };
}
