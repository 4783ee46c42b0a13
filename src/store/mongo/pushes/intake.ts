import { hash } from 'node:crypto';
import type { Collection, WithId } from 'mongodb';
import type { Batcher } from '../../../core/batcher.ts';
import { CraError } from '../../../model/errors.ts';
import type { RecordText } from '../../../model/records.ts';
import type { CallContext } from '../../../rpc/service.ts';
import type { AcceptedPush, PushKeys } from '../../contract/pushes.ts';
import { takenId } from '../../errors.ts';
import { bodyKey, deliveryKey } from '../../stored-record.ts';
import type { Collections } from '../database.ts';
import type { PushFields, RfcDocument } from '../documents.ts';
import { passBarrier } from '../operations.ts';
import {
  checkSize,
  type Insert,
  type Inserted,
  newDocument,
  rolledBack,
} from '../record-documents.ts';
import { LOCAL, PUSH_QUERIES } from './queries.ts';

interface IntakeOptions {
  collections: Collections;
  inserts: Batcher<Insert, Inserted>;
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/**
 * Takes pushes in by the group commit of all new records. The unique indexes tell a known delivery,
 * body or head, even with writers at the same time, so a webhook of a new head costs no look-up.
 */
export function createIntake({ collections, inserts, instance, now }: IntakeOptions) {
  const { rfcs, meta } = collections;

  async function accept(
    record: RecordText,
    keys: PushKeys,
    call: CallContext,
  ): Promise<AcceptedPush> {
    if (record.overall_status !== 'DRAFT') {
      throw new CraError('INVALID_ARGUMENT', 'a new push must be a DRAFT');
    }
    checkSize(record);
    const { rfc_id } = record;
    for (let tries = 0; tries <= SAME_HEAD_TRIES; tries += 1) {
      // Most heads are new: another push of the same one shows by its key, which is taken. What a
      // sweep found may be an older head, so it looks where the ref is.
      const isFirst = tries === 0;
      const newest = isFirst && keys.body_hash !== null ? null : await newestOf(record, keys);
      const last = isFirst ? null : await lastOfHead(record, keys);
      const same = await samePush(rfcs, { newest, last }, record, keys);
      if (same !== null) return { outcome: 'same-push', rfc_id: same };
      const isLast = tries === SAME_HEAD_TRIES;
      const head = isLast ? {} : { head: headKey(record, keys, last) };
      const push = { ...fieldsOf(keys), ...head };
      const document = newDocument(record, { diff: null, push, instance, nowMs: now() });
      const inserted = await inserts.submit({ record, document, chunks: [] }, call);
      if (inserted === 'written') return { outcome: 'new', rfc_id };
      const known = await findFirst(record, keys);
      if (known !== null) return known;
      // Another writer was faster, and a majority does not have that write yet.
      await passBarrier(meta);
      const confirmed = await findFirst(record, keys);
      if (confirmed !== null) return confirmed;
      // The head was pushed before: now it is seen, or this is another push of it.
    }
    throw rolledBack();
  }

  async function newestOf({ tenant_id }: RecordText, { repo_key, ref }: PushKeys) {
    const { filter, options } = PUSH_QUERIES.newestOfRef({ tenant_id, repo_key }, ref);
    return await rfcs.findOne(filter, { ...options, ...LOCAL });
  }

  async function lastOfHead({ tenant_id, commit_sha }: RecordText, { repo_key, ref }: PushKeys) {
    const place = { tenant_id, repo_key };
    const { filter, options } = PUSH_QUERIES.lastOfHead(place, ref, commit_sha ?? '');
    return await rfcs.findOne(filter, { ...options, ...LOCAL });
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

/** A push that stands in the way of another one; null: the way is free. */
type Pushed = WithId<RfcDocument> | null;

/**
 * The RFC of the same push, which a webhook announces and a sweep found, in either order; or that
 * of the push by which the ref has moved on since the sweep looked.
 */
async function samePush(
  rfcs: Collection<RfcDocument>,
  { newest, last }: { newest: Pushed; last: Pushed },
  { commit_sha }: RecordText,
  { body_hash, behind, before }: PushKeys,
): Promise<string | null> {
  const isNewest = newest?.commit_sha === commit_sha && newest.push?.unjudged !== true;
  if (body_hash === null) {
    if (isNewest) return newest._id;
    return (newest?._id ?? null) === behind ? null : (newest?._id ?? behind);
  }
  const found = isNewest ? newest : last;
  if (found?.push?.swept !== true) return null;
  const isOlder = !isNewest && found.status !== 'SUPERSEDED' && newest?.commit_sha !== before;
  if (!isNewest && !isOlder) return null;
  const byBody = PUSH_QUERIES.byBody(body_hash);
  if ((await rfcs.findOne(byBody.filter, byBody.options)) !== null) return null;
  const taken = {
    $set: { 'push.body': bodyKey(body_hash) },
    $unset: { 'push.swept': '' as const },
  };
  const { matchedCount } = await rfcs.updateOne({ _id: found._id, 'push.swept': true }, taken);
  return matchedCount === 1 ? found._id : null;
}

/** Pushes of one head at once that exclude each other; the next one is written whatever it is. */
const SAME_HEAD_TRIES = 8;

/**
 * What a webhook and a sweep of the same push have in common, and of which the unique index lets
 * one in, whatever else is pushed to the ref meanwhile: the head, and the push of the same head
 * and ref that it came after. Half a SHA-256, hex.
 */
function headKey(
  { tenant_id, commit_sha }: RecordText,
  { repo_key, ref }: PushKeys,
  last: Pushed,
): string {
  const parts = [tenant_id, repo_key, ref, commit_sha, last?._id ?? null];
  return hash('sha256', JSON.stringify(parts)).slice(0, 32);
}

/** Anybody may claim it at once. */
function fieldsOf({ repo_key: repo, ref, delivery, body_hash }: PushKeys): PushFields {
  const body = body_hash === null ? { swept: true as const } : { body: bodyKey(body_hash) };
  return { repo, ref, delivery: deliveryKey(delivery), ...body, due: new Date(0), owner: null };
}
