import { hash } from 'node:crypto';
import { Timestamp, type WithId } from 'mongodb';
import type { Batcher } from '../../../core/batcher.ts';
import { CraError } from '../../../model/errors.ts';
import { isPullRequestRef, type RefPlace } from '../../../model/push.ts';
import type { RecordText } from '../../../model/records.ts';
import { commitId } from '../../../model/rfc.ts';
import type { AcceptedPush, PushKeys, PushWriter } from '../../contract/pushes.ts';
import { duplicateRfc } from '../../errors.ts';
import { PUSH_STORE } from '../../limits.ts';
import { awaitedPush, knownToSweep, type RefLog, type RefPush } from '../../same-push.ts';
import { bodyKey, deliveryKey } from '../../stored-record.ts';
import type { Collections } from '../database.ts';
import type { PushFields, RfcDocument } from '../documents.ts';
import { passBarrier } from '../operations.ts';
import { findAll, findFirst, type Query } from '../queries.ts';
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
export function createIntake(options: IntakeOptions): PushWriter['acceptPush'] {
  const { collections, inserts, instance, now } = options;
  const { rfcs, archived, meta } = collections;

  const list = (query: Query<RfcDocument>) => findAll(rfcs, query, LOCAL);

  async function logOf(place: RefPlace, sha: string): Promise<RefLog> {
    const ofHead = await list(PUSH_QUERIES.pushesOfHead(place, sha));
    const first = ofHead.at(-1);
    if (first === undefined) return EMPTY;
    const limit = PUSH_STORE.REF_LOG_MAX;
    const after = await list(PUSH_QUERIES.pushesAfter(place, first.seq, limit));
    return { ofHead: ofHead.map(logged), after: after.map(logged) };
  }

  /** The head of a fork's pull request that was judged on a branch has its verdict there. */
  async function judgedOfBranches(place: RefPlace, sha: string | null): Promise<string | null> {
    if (!isPullRequestRef(place.ref) || sha === null) return null;
    const query = PUSH_QUERIES.judgedOfBranches(place, commitId(sha));
    return (await findFirst(rfcs, query, LOCAL))?._id ?? null;
  }

  async function sameOfSweep(
    log: RefLog,
    place: RefPlace,
    { behind }: PushKeys,
  ): Promise<string | null> {
    const newest = await findFirst(rfcs, PUSH_QUERIES.newestOfRef(place), LOCAL);
    const [last] = await list(PUSH_QUERIES.pushesAfter(place, FIRST, 1));
    return knownToSweep(log, behind, { live: newest?._id ?? null, newest: last?._id ?? null });
  }

  /** The RFC of a push that a sweep found and this webhook announces: it is taken for it. */
  async function sameOfWebhook(
    log: RefLog,
    { before, body_hash }: PushKeys,
  ): Promise<string | null> {
    if (body_hash === null) return null;
    const awaited = awaitedPush(log, before);
    if (awaited === null) return null;
    if ((await findFirst(rfcs, PUSH_QUERIES.byBody(body_hash))) !== null) return null;
    const swept = { _id: awaited.rfc_id, 'push.swept': true } as const;
    const { matchedCount } = await rfcs.updateOne(swept, {
      $set: { 'push.body': bodyKey(body_hash) },
      $unset: { 'push.swept': '' },
    });
    return matchedCount === 1 ? awaited.rfc_id : null;
  }

  /** What stood in the way; ALREADY_EXISTS where that is only the id. */
  async function findKnown(
    { rfc_id }: RecordText,
    { delivery, body_hash }: PushKeys,
  ): Promise<AcceptedPush | null> {
    const sameDelivery = await findFirst(rfcs, PUSH_QUERIES.byDelivery(delivery));
    if (sameDelivery !== null) return { outcome: 'same-delivery', rfc_id: sameDelivery._id };
    const sameBody = body_hash && (await findFirst(rfcs, PUSH_QUERIES.byBody(body_hash)));
    if (sameBody) return { outcome: 'same-body', rfc_id: sameBody._id };
    const named = await rfcs.findOne({ _id: rfc_id }, { projection: { _id: 1 } });
    if (named !== null) throw duplicateRfc();
    return null;
  }

  /** The push where it is archived. */
  async function findArchived({ delivery, body_hash }: PushKeys): Promise<AcceptedPush | null> {
    const own = deliveryKey(delivery);
    const keys = [{ delivery: own }, ...(body_hash === null ? [] : [{ body: bodyKey(body_hash) }])];
    const options = { projection: { delivery: 1 }, ...LOCAL };
    const found = await archived.find({ $or: keys }, options).toArray();
    const first = found.find((one) => one.delivery === own);
    if (first !== undefined) return { outcome: 'same-delivery', rfc_id: first._id };
    const [same] = found;
    return same === undefined ? null : { outcome: 'same-body', rfc_id: same._id };
  }

  return async ({ record, push: keys }, call) => {
    if (record.overall_status !== 'DRAFT') {
      throw new CraError('INVALID_ARGUMENT', 'a new push must be a DRAFT');
    }
    checkSize(record);
    const { rfc_id } = record;
    const place = { ...keys, tenant_id: record.tenant_id };
    // It misses what is archived between this look-up and the insert, which are milliseconds apart.
    const old = await findArchived(keys);
    for (let tries = 0; tries <= SAME_HEAD_TRIES; tries += 1) {
      // Most heads are new: another push of the same one shows by its key, which is taken. What a
      // sweep found may be an older head, so it looks where the ref is.
      const isSeen = keys.source !== 'webhook';
      const isBlind = tries === 0 && !isSeen;
      const log = isBlind ? EMPTY : await logOf(place, record.commit_sha ?? '');
      const shared = await judgedOfBranches(place, record.commit_sha);
      const ofWebhook = () => (old === null ? sameOfWebhook(log, keys) : null);
      const same = shared ?? (await (isSeen ? sameOfSweep(log, place, keys) : ofWebhook()));
      if (same !== null) {
        // A sweep writes nothing to it, and its writer may not have a majority yet.
        if (isSeen || shared !== null) await passBarrier(meta);
        return { outcome: 'same-push', rfc_id: same };
      }
      if (old !== null) return old;
      const isLast = tries === SAME_HEAD_TRIES;
      const head = isLast ? {} : { head: headKey(record, keys, log) };
      const push = { ...fieldsOf(keys), ...head };
      const document = newDocument(record, { diff: null, push, instance, nowMs: now(), lanes: [] });
      const inserted = await inserts.submit({ record, document, chunks: [] }, call);
      if (inserted === 'written') return { outcome: 'new', rfc_id };
      const known = await findKnown(record, keys);
      if (known !== null) return known;
      // Another writer was faster, and a majority does not have that write yet.
      await passBarrier(meta);
      const confirmed = await findKnown(record, keys);
      if (confirmed !== null) return confirmed;
      // The head was pushed before: now it is seen, or this is another push of it.
    }
    throw rolledBack();
  };
}

const EMPTY: RefLog = { ofHead: [], after: [] };
/** Before any push. */
const FIRST = new Timestamp({ t: 0, i: 0 });

function logged({ _id, seq, commit_sha, status, push }: WithId<RfcDocument>): RefPush {
  const isAwaited = push?.swept === true;
  return {
    rfc_id: _id,
    seq: seq.toBigInt(),
    commit_sha: commit_sha ?? '',
    status,
    isAwaited,
    before: push?.before ?? null,
    isUnjudged: push?.unjudged === true,
    source: push?.source ?? (isAwaited ? 'sweep' : null),
  };
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
  { ofHead: [last] }: RefLog,
): string {
  const parts = [tenant_id, repo_key, ref, commit_sha, last?.rfc_id ?? null];
  return hash('sha256', JSON.stringify(parts)).slice(0, 32);
}

/** Anybody may claim it at once. */
function fieldsOf({
  repo_key: repo,
  ref,
  delivery,
  source,
  body_hash,
  before,
}: PushKeys): PushFields {
  const own = { repo, ref, delivery: deliveryKey(delivery), due: new Date(0), owner: null };
  if (body_hash === null) return { ...own, source, swept: true };
  const from = before === null ? {} : { before };
  return { ...own, source, body: bodyKey(body_hash), ...from };
}
