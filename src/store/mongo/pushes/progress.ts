import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { recordText } from '../../../model/records.ts';
import { PUSH_STORE } from '../../contract/limits.ts';
import type { ReopenInput, SaveInput, SupersedeInput } from '../../contract/pushes.ts';
import { staleRfc, unknownRfc } from '../../errors.ts';
import {
  checkCount,
  checkProgress,
  parseRecord,
  RESTING_STATUSES,
  supersededPush,
} from '../../stored-record.ts';
import type { RfcDocument } from '../documents.ts';
import { MONGO } from '../limits.ts';
import { bounded, inParts } from '../operations.ts';
import { QUERIES } from '../queries.ts';
import {
  checkSize,
  dueIfPosted,
  dueStatus,
  judgedPush,
  takenBack,
  texts,
} from '../record-documents.ts';
import { IS_PUSH, PUSH_QUERIES } from './queries.ts';

/** What becomes of pushes without a verdict; each is a compare-and-set of one document. */
export function createProgress(rfcs: Collection<RfcDocument>, now: () => number) {
  /** A caller that did not hear the answer may ask again with the same. */
  async function save({ record, expectedRev, hold_ms }: SaveInput): Promise<{ rev: number }> {
    checkProgress(record, expectedRev);
    checkSize(record);
    const { rfc_id, tenant_id, rev, json } = record;
    const filter = { ...QUERIES.draftAt(rfc_id, tenant_id, expectedRev), ...IS_PUSH };
    const due = { $add: ['$$NOW', hold_ms] };
    const change = { rev, ...texts(record), 'push.due': due };
    const { matchedCount } = await rfcs.updateOne(filter, [{ $set: change }]);
    if (matchedCount === 1) return { rev };
    const view = QUERIES.view({ tenant_id, rfc_id });
    const found = await rfcs.findOne({ ...view.filter, ...IS_PUSH }, view.options);
    if (found === null) throw unknownRfc();
    if (found.json !== json) throw staleRfc(found);
    return { rev };
  }

  async function supersede(input: SupersedeInput): Promise<{ superseded: number }> {
    checkCount('pushes', input.pushes, PUSH_STORE.GROUP_MAX);
    let superseded = 0;
    await inParts(input.pushes, MONGO.READ_BATCH_MAX, async (part) => {
      superseded += await supersedeAll({ ...input, pushes: part });
    });
    return { superseded };
  }

  async function supersedeAll({ tenant_id, pushes, by, at }: SupersedeInput): Promise<number> {
    const revs = new Map(pushes.map(({ rfc_id, rev }) => [rfc_id, rev]));
    const { filter, options } = PUSH_QUERIES.openAmong(tenant_id, [...revs.keys()]);
    const found = await rfcs.find(filter, options).toArray();
    const operations = found
      .filter(({ _id, rev }) => revs.get(_id) === rev)
      .map(({ _id, rev, json }): AnyBulkWriteOperation<RfcDocument> => {
        const next = supersededPush(parseRecord(json), by, at);
        const change = {
          ...{ status: next.overall_status, rev: next.rev },
          ...texts(recordText(next, null)),
          ...judgedPush(next),
          ...dueIfPosted(now()),
        };
        const unchanged = { ...QUERIES.draftAt(_id, tenant_id, rev), ...IS_PUSH };
        return { updateOne: { filter: unchanged, update: [{ $set: change }] } };
      });
    if (operations.length === 0) return 0;
    return (await bounded(rfcs.bulkWrite(operations, { ordered: false }))).matchedCount;
  }

  /** Takes a head back; a caller that did not hear the answer may ask again with the same. */
  async function reopen({ record, expectedRev }: ReopenInput): Promise<{ rev: number }> {
    checkProgress(record, expectedRev);
    const { rfc_id: _id, tenant_id, rev, json, vcs_host } = record;
    const status = { $in: [...RESTING_STATUSES] };
    const filter = { _id, tenant_id, rev: expectedRev, status, ...IS_PUSH };
    const push = { $mergeObjects: ['$push', { due: new Date(0), owner: null }] };
    const next = { ...judgedPush(parseRecord(json)), ...dueStatus(vcs_host, now()) };
    const { matchedCount } = await rfcs.updateOne(filter, [
      { $set: { ...takenBack(false), push } },
      { $set: { status: 'DRAFT', rev, ...texts(record), ...next } },
    ]);
    if (matchedCount === 1) return { rev };
    const view = QUERIES.view({ tenant_id, rfc_id: _id });
    const found = await rfcs.findOne({ ...view.filter, ...IS_PUSH }, view.options);
    if (found === null) throw unknownRfc();
    if (found.json !== json) throw staleRfc(found);
    return { rev };
  }

  return { save, supersede, reopen };
}
