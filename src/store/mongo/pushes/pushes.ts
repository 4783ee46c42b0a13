import { hash } from 'node:crypto';
import type { Collection, WithId } from 'mongodb';
import type { Batcher } from '../../../core/batcher.ts';
import { CraError } from '../../../model/errors.ts';
import { RFCS } from '../../../model/limits.ts';
import { BRANCH_PREFIX, type Repository, type RepositoryPlace } from '../../../model/push.ts';
import type { RecordText, RfcRecord } from '../../../model/records.ts';
import type { CallContext } from '../../../rpc/service.ts';
import { PUSH_STORE } from '../../contract/limits.ts';
import type {
  AcceptedPush,
  CarryInput,
  DueInput,
  DueStatus,
  ProdInput,
  ProdView,
  PushedInput,
  PushedRepository,
  PushKeys,
  PushReader,
  PushWriter,
  QueueDepth,
  SettleInput,
} from '../../contract/pushes.ts';
import { takenId } from '../../errors.ts';
import { checkLimit } from '../../lists.ts';
import { findRelated, type RelatedReads } from '../../related.ts';
import {
  bodyKey,
  deliveryKey,
  parseRecord,
  parseSummary,
  prodFacts,
  repoKey,
} from '../../stored-record.ts';
import { type Collections, whenReachable } from '../database.ts';
import type { PushFields, RfcDocument } from '../documents.ts';
import { type Insert, type Inserted, takenBack } from '../group-commit.ts';
import { countChanges } from '../history.ts';
import type { MongoTrail } from '../open-trail.ts';
import {
  createFreshRead,
  type Fresh,
  type FreshRead,
  findEach,
  passBarrier,
} from '../operations.ts';
import { QUERIES, type Query } from '../queries.ts';
import { checkSize, newDocument } from '../record-documents.ts';
import type { MongoStore } from '../records.ts';
import {
  createClaims,
  createHold,
  createProgress,
  freeHeld,
  renewPushes,
  takePush,
} from './claims.ts';
import { createBaselines, createFallen, createHeadReader, nameOf, viewOf } from './heads.ts';
import { type Counted, LOCAL, type NamePlace, PUSH_QUERIES, runsOf } from './queries.ts';

interface MongoPushesOptions {
  store: Pick<MongoStore, 'connection' | 'inserts' | 'track' | 'records'>;
  trail: Pick<MongoTrail, 'carry' | 'writer'>;
  /** The name of this daemon. */
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/** The queue of pushes on the connection of the store. */
export function createMongoPushes(options: MongoPushesOptions): PushWriter & PushReader {
  const { store, trail, instance, now } = options;
  const { appendEvent } = trail.writer;
  const { connection, inserts, track } = store;
  const { collections } = connection;
  const { rfcs } = collections;
  const fresh = createFreshRead(connection.db);
  const accept = createIntake({ collections, inserts, instance, now });
  const hold = createHold(rfcs, now);
  const claims = createClaims({ rfcs, hold });
  const progress = createProgress(rfcs, now);
  const heads = createHeadReader(collections, fresh);
  const baselines = createBaselines({ collections, fresh, appendEvent });
  const fallen = createFallen(collections, fresh);
  const statuses = createStatuses(rfcs);
  const overview = createOverview(rfcs, fresh);

  /** The change of a push is known only with its verdict. */
  async function carry(input: CarryInput): Promise<{ rev: number }> {
    const { tenant_id, repo_name, change: entry } = input.record;
    const answer = await trail.carry(input);
    if (entry !== null) await countChanges(collections, [{ tenant_id, repo_name, entry }]);
    return answer;
  }

  const methods: PushWriter & PushReader = {
    acceptPush: ({ record, push }, call) => track(() => accept(record, push, call)),
    claimPush: (input, call) => track(() => claims.submit(input, call)),
    takePush: (input) => track(() => takePush(rfcs, hold, input)),
    renewPushes: (input) => track(() => renewPushes(rfcs, input)),
    freeHeld: ({ owner }) => track(() => freeHeld(rfcs, owner)),
    savePush: (input) => track(() => progress.save(input)),
    supersedePushes: (input) => track(() => progress.supersede(input)),
    adoptBaseline: (input, call) => track(() => baselines.adopt(input, call)),
    lowerBaseline: (input, call) => track(() => baselines.lower(input, call)),
    bindRepository: (input) => track(() => baselines.bind(input)),
    carryPush: (input) => track(() => carry(input)),
    reopenPush: (input) => track(() => progress.reopen(input)),
    settleFallen: (input) => track(() => fallen.settle(input)),
    settleStatus: (input) => track(() => statuses.settle(input)),
    acceptedHeads: heads.acceptedHeads,
    newestAccepted: heads.newestAccepted,
    findBaseline: baselines.find,
    oldestPush: heads.oldestPush,
    pushesOfCommit: heads.pushesOfCommit,
    refusedPushes: heads.refusedPushes,
    overriddenPushes: heads.overriddenPushes,
    restingOn: heads.restingOn,
    async relatedTo(input, call) {
      checkLimit(input.limit, RFCS.LIST_LIMIT_MAX);
      const { records } = store;
      const reads: RelatedReads = {
        record: async (id) => parseRecord(textOf(await records.getRfc(id, call))),
        async among(tenant_id, rfcIds) {
          const { filter, options } = QUERIES.views(rfcIds);
          const found = await rfcs.find({ ...filter, tenant_id }, options).toArray();
          return found.map(({ json }) => parseRecord(json));
        },
        resting: heads.restingOn,
        ofCommit: heads.pushesOfCommit,
        list: (list) => records.listRfcs(list, call),
      };
      return await findRelated(reads, input);
    },
    fallen: fallen.list,
    prodView: overview.prodView,
    newestPushes: heads.newestPushes,
    newestPush: overview.newestPush,
    listPushed: overview.listPushed,
    queueDepth: overview.queueDepth,
    dueStatuses: statuses.due,
  };
  return whenReachable(connection, methods);
}

function textOf({ json }: { json: Uint8Array }): string {
  return Buffer.from(json).toString();
}

interface IntakeOptions {
  collections: Collections;
  inserts: Batcher<Insert, Inserted>;
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/**
 * Takes pushes in by the group commit of all new records. The unique indexes tell a known delivery,
 * body or head, even with writers at the same time; a new push costs one look-up, of the newest
 * push of its ref.
 */
function createIntake({ collections, inserts, instance, now }: IntakeOptions) {
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
    const { rfc_id } = record;
    for (let tries = 0; tries <= SAME_HEAD_TRIES; tries += 1) {
      const newest = await newestOf(record, keys);
      // Most heads are new: another push of the same one shows by its key, which is taken.
      const last = tries === 0 ? null : await lastOfHead(record, keys);
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
    throw takenBack();
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

/** A push that stands in the way of another one; null: there is none. */
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

/** Records that are looked up at the same time. */
const AT_ONCE = 16;

/** Which hosts get the status of which records, and what they got. */
function createStatuses(rfcs: Collection<RfcDocument>) {
  async function due({ host, now_ms, limit }: DueInput): Promise<{ due: DueStatus[] }> {
    checkLimit(limit, PUSH_STORE.LIST_LIMIT_MAX);
    const { filter, options } = PUSH_QUERIES.due(host, now_ms, limit);
    const found = await rfcs.find(filter, options).toArray();
    const statuses = await findEach(found, AT_ONCE, async (document) => {
      const { posted = null, deleted } = document.vcs ?? {};
      const record = parseRecord(deleted ?? document.json);
      const is_outdated = await isOutdated(document, record);
      return { record, posted, is_outdated, is_deleted: deleted !== undefined };
    });
    return { due: statuses };
  }

  async function isOutdated(
    document: RfcDocument,
    { repo_full_name }: RfcRecord,
  ): Promise<boolean> {
    const { commit_sha, repo_key } = document;
    if (commit_sha === null) return false;
    // The status goes to the full name, which a submitted diff may give beside another name.
    const keys = [...new Set([repo_key, repoKey(repo_full_name ?? repo_key)])];
    const { filter, options } = PUSH_QUERIES.speakerOfCommit(document, keys, commit_sha);
    return (await rfcs.findOne(filter, options)) !== null;
  }

  async function settle(input: SettleInput): Promise<{ ok: true }> {
    const { tenant_id, rfc_id, rev, posted, due_ms } = input;
    const next = due_ms === null ? '$$REMOVE' : new Date(due_ms);
    // The host may have got the newer one before.
    const again = { $ifNull: ['$vcs.due', '$$NOW'] };
    const change = {
      ...(posted === null ? {} : { 'vcs.posted': { $literal: posted } }),
      'vcs.due': { $cond: [{ $eq: ['$rev', rev] }, next, posted === null ? '$vcs.due' : again] },
    };
    // A record that is gone has no `vcs` any more.
    const filter = { _id: rfc_id, tenant_id, 'vcs.host': { $exists: true } };
    await rfcs.updateOne(filter, [{ $set: change }]);
    return { ok: true };
  }

  return { due, settle };
}

/** What is known of pushes at large. */
function createOverview(rfcs: Collection<RfcDocument>, fresh: FreshRead) {
  async function newestPush(repo: Repository) {
    const { filter, options } = PUSH_QUERIES.newestOfName(nameOf(repo));
    const found = await fresh((at) => rfcs.findOne(filter, { ...options, ...at }));
    if (found === null) throw new CraError('NOT_FOUND', 'the repository was never pushed here');
    const { status, rev, json } = found;
    return { overall_status: status, rev, json: new TextEncoder().encode(json) };
  }

  async function listPushed({ after, limit }: PushedInput) {
    checkLimit(limit, PUSH_STORE.LIST_LIMIT_MAX);
    const repos: PushedRepository[] = [];
    let last = after;
    while (repos.length < limit) {
      const found = await nextPushed(last);
      if (found === null) break;
      repos.push(found);
      last = { tenant_id: found.tenant_id, repo_key: found.repo_key };
    }
    return { repos };
  }

  /** One look-up or two, however many pushes a repository has. */
  async function nextPushed(after: RepositoryPlace | null): Promise<PushedRepository | null> {
    for (const run of runsOf({ after, upTo: null })) {
      const { filter, options } = PUSH_QUERIES.newestOfFirst(run);
      const found = await rfcs.findOne(filter, options);
      if (found?.push === undefined) continue;
      const { tenant_id, push, json } = found;
      return { tenant_id, repo_key: push.repo, record: parseRecord(json) };
    }
    return null;
  }

  async function queueDepth(): Promise<QueueDepth> {
    const { filter, options } = PUSH_QUERIES.oldestOpen();
    const [open, held, statuses_due, oldest] = await Promise.all([
      count(PUSH_QUERIES.open()),
      count(PUSH_QUERIES.held()),
      count(PUSH_QUERIES.statusesDue()),
      rfcs.findOne(filter, options),
    ]);
    return { open, held, oldest_at: oldest?.created_at ?? null, statuses_due };
  }

  function count({ filter, hint }: Counted): Promise<number> {
    return rfcs.countDocuments(filter, { hint, limit: PUSH_STORE.DEPTH_COUNTED_MAX });
  }

  return { newestPush, prodView: createProdReader(rfcs, fresh), listPushed, queueDepth };
}

/** Finds what a deployment depends on. */
function createProdReader(rfcs: Collection<RfcDocument>, fresh: FreshRead) {
  /** All three from after the same barrier; a deployment asks for them at once. */
  async function prodView(input: ProdInput): Promise<ProdView> {
    const { branch, commit_sha } = input;
    const repo = nameOf(input);
    return await fresh(async (at) => {
      const latest = QUERIES.latest({ ...repo, branch, commit_sha });
      const found = await rfcs.findOne(latest.filter, { ...latest.options, ...at });
      if (found === null) throw new CraError('NOT_FOUND', 'there is no RFC of this kind');
      const newest = prodFacts(parseRecord(found.json));
      const ofCommit = commit_sha === null ? null : PUSH_QUERIES.newestOfCommit(repo, commit_sha);
      const query = ofCommit ?? (await headThatCounts(repo, branch, at));
      if (query === null) return { newest, head: null };
      const projection = { ...query.options.projection, summary: 1 };
      const head = await rfcs.findOne(query.filter, { ...query.options, ...at, projection });
      if (head === null) return { newest, head: null };
      const { risk_score } = parseSummary(head.summary);
      return { newest, head: { ...viewOf(head, head.push?.ref ?? ''), risk_score } };
    });
  }

  /** Null: the repository has no pushes, or its host names no default branch. */
  async function headThatCounts(
    name: NamePlace,
    asked: string | null,
    at: Fresh,
  ): Promise<Query<RfcDocument> | null> {
    const { filter, options } = PUSH_QUERIES.newestOfName(name);
    const found = await rfcs.findOne(filter, { ...options, ...at });
    const branch = asked ?? (found && parseRecord(found.json).push?.default_branch) ?? null;
    if (found?.push === undefined || branch === null) return null;
    const repo = { tenant_id: name.tenant_id, repo_key: found.push.repo };
    return PUSH_QUERIES.newestOfRef(repo, BRANCH_PREFIX + branch);
  }

  return prodView;
}
