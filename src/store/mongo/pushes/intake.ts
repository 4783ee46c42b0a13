import type { Batcher } from '../../../core/batcher.ts';
import { CraError } from '../../../model/errors.ts';
import type { RecordText } from '../../../model/record-text.ts';
import type { CallContext } from '../../../rpc/service.ts';
import type { AcceptedPush, PushKeys } from '../../contract/pushes.ts';
import { takenId } from '../../errors.ts';
import type { Collections } from '../connection.ts';
import type { PushFields } from '../documents.ts';
import { passBarrier } from '../fresh-read.ts';
import { type Insert, type Inserted, takenBack } from '../insert-batcher.ts';
import { checkSize, newDocument } from '../record-documents.ts';
import { PUSH_QUERIES } from './queries.ts';

interface IntakeOptions {
  collections: Collections;
  inserts: Batcher<Insert, Inserted>;
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/**
 * Takes pushes in by the group commit of all new records. The unique indexes tell a known delivery
 * or body, even with writers at the same time: so a new push costs no look-up at all.
 */
export function createIntake({ collections, inserts, instance, now }: IntakeOptions) {
  const { rfcs, meta } = collections;

  async function accept(
    record: RecordText,
    keys: PushKeys,
    call: CallContext,
  ): Promise<AcceptedPush> {
    if (record.overall_status !== 'DRAFT') {
      throw new CraError('INVALID_ARGUMENT', 'a push is taken in as a DRAFT');
    }
    checkSize(record);
    const push = fieldsOf(keys);
    const document = newDocument(record, { diff: null, push, instance, nowMs: now() });
    const same = await samePush(record, keys);
    if (same !== null) return { outcome: 'same-push', rfc_id: same };
    const inserted = await inserts.submit({ record, document, chunks: [] }, call);
    if (inserted === 'written') return { outcome: 'new', rfc_id: record.rfc_id };
    const known = await findFirst(record, keys);
    if (known !== null) return known;
    // Another daemon wrote it just now, and a majority does not have it yet.
    await passBarrier(meta);
    const confirmed = await findFirst(record, keys);
    if (confirmed === null) throw takenBack();
    return confirmed;
  }

  /** The RFC of the same push, which a webhook announces and a sweep found, in either order. */
  async function samePush(
    { tenant_id, commit_sha }: RecordText,
    { repo_key, ref, body_hash }: PushKeys,
  ): Promise<string | null> {
    const repo = { tenant_id, repo_key };
    const sha = commit_sha ?? '';
    const swept = PUSH_QUERIES.swept(repo, ref, sha);
    const found = body_hash === null ? null : await rfcs.findOne(swept.filter, swept.options);
    if (body_hash !== null && found === null) return null;
    const { filter, options } = PUSH_QUERIES.newestOfRef(repo, ref);
    const newest = await rfcs.findOne(filter, options);
    if (newest?.commit_sha !== sha || newest.push?.unjudged === true) return null;
    if (found === null || body_hash === null) return newest._id;
    const byBody = PUSH_QUERIES.byBody(body_hash);
    const isKnown = (await rfcs.findOne(byBody.filter, byBody.options)) !== null;
    if (newest._id !== found._id || isKnown) return null;
    const taken = { $set: { 'push.body': body_hash }, $unset: { 'push.swept': '' as const } };
    const { matchedCount } = await rfcs.updateOne({ _id: found._id, 'push.swept': true }, taken);
    return matchedCount === 1 ? found._id : null;
  }

  /** What stood in the way; ALREADY_EXISTS where that is only the id. */
  async function findFirst(
    { rfc_id }: RecordText,
    { delivery, body_hash }: PushKeys,
  ): Promise<AcceptedPush | null> {
    const byDelivery = PUSH_QUERIES.byDelivery(delivery);
    const sameDelivery = await rfcs.findOne(byDelivery.filter, byDelivery.options);
    if (sameDelivery !== null) return { outcome: 'same-delivery', rfc_id: sameDelivery._id };
    const byBody = PUSH_QUERIES.byBody(body_hash ?? '');
    const sameBody = body_hash && (await rfcs.findOne(byBody.filter, byBody.options));
    if (sameBody) return { outcome: 'same-body', rfc_id: sameBody._id };
    const named = await rfcs.findOne({ _id: rfc_id }, { projection: { _id: 1 } });
    if (named !== null) throw takenId();
    return null;
  }

  return accept;
}

/** Anybody may claim it at once. */
function fieldsOf({ repo_key: repo, ref, delivery, body_hash }: PushKeys): PushFields {
  const body = body_hash === null ? { swept: true as const } : { body: body_hash };
  return { repo, ref, delivery, ...body, due: new Date(0), owner: null };
}
