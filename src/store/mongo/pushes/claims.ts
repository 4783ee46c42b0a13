import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { type Batcher, createBatcher } from '../../../core/batcher.ts';
import type { RefPlace, RepositoryPlace } from '../../../model/push.ts';
import { type RecordText, type RfcRecord, recordText } from '../../../model/records.ts';
import type {
  ClaimInput,
  PushClaim,
  PushWriter,
  SupersedeInput,
  TakeInput,
} from '../../contract/pushes.ts';
import type { RfcId } from '../../contract/records.ts';
import { leasedPush, staleRfc, unknownRfc } from '../../errors.ts';
import { MONGO, PUSH_STORE } from '../../limits.ts';
import { claimedPush, pushClaim, supersededPush, withPullRequest } from '../../steps/push.ts';
import { createTurns, placeName, type Turns } from '../../steps/turns.ts';
import { DEPENDENT_STATUSES, parseRecord } from '../../stored-record.ts';
import type { RfcDocument } from '../documents.ts';
import { BATCHES, bounded, inParts, writeApart } from '../operations.ts';
import { findAll, findFirst, QUERIES } from '../queries.ts';
import {
  checkSize,
  dueIfPosted,
  dueStatus,
  judgedPush,
  revoked,
  texts,
} from '../record-documents.ts';
import {
  IS_FREE,
  IS_OPEN,
  IS_PUSH,
  LOCAL,
  PUSH_QUERIES,
  type RepoRange,
  runsOf,
} from './queries.ts';

interface Claimed {
  claim: PushClaim | null;
}

/** What claims share. */
interface Claims {
  rfcs: Collection<RfcDocument>;
  leasePush: LeasePush;
  turns: Turns;
}

/** One claim on its way. */
interface Search extends Claims, Pick<ClaimInput, 'owner' | 'leaseMs'> {
  busy: ReadonlySet<string>;
  /** How many look-ups are left. */
  hops: number;
}

/** Who leases which push. */
export function createClaimMethods(rfcs: Collection<RfcDocument>, now: () => number) {
  const leasePush = createLeasePush(rfcs, now);
  const claims = createClaims({ rfcs, leasePush });
  return {
    claimPush: (input, call) => claims.submit(input, call),

    /** Also a push that its own daemon has put off. */
    async takePush(input) {
      const record = await leasePush(input, 'others');
      if (record !== null) return { record };
      const found = await findPush(rfcs, input);
      const isSame = found.status === 'DRAFT' && found.rev === input.expectedRev;
      throw isSame ? leasedPush(found.rev) : staleRfc(found);
    },

    /** While a push is a DRAFT: no rev, so no race is lost. */
    async renewPushes({ owner, pushes, leaseMs }) {
      const update = [{ $set: { 'push.due': { $add: ['$$NOW', leaseMs] } } }];
      const operations = pushes.map(({ rfc_id: _id, tenant_id }) => {
        const filter = { _id, tenant_id, ...IS_OPEN, 'push.owner': owner };
        return { updateOne: { filter, update } };
      });
      if (operations.length > 0) await writeApart(rfcs, operations);
      return { ok: true };
    },

    async releasePushes({ owner }) {
      const { filter, options } = PUSH_QUERIES.leasedBy(owner);
      const freed = { $set: { 'push.due': new Date(0), 'push.owner': null } };
      const { modifiedCount } = await rfcs.updateMany(filter, freed, { hint: options.hint ?? {} });
      return { released: modifiedCount };
    },
  } satisfies Partial<PushWriter>;
}

/** What a push is now; NOT_FOUND for what is not a push. */
async function findPush(rfcs: Collection<RfcDocument>, id: RfcId) {
  const { filter, options } = QUERIES.view(id);
  const found = await rfcs.findOne({ ...filter, ...IS_PUSH }, options);
  if (found === null) throw unknownRfc();
  return found;
}

/**
 * Claims pushes, the repositories and their refs in turn. What is looked at may be older than what
 * others do at the same time: only `leasePush` decides, and where it misses, the next ref has its
 * turn. Claims of one daemon go one after the other, as all of them would begin with the same ref.
 */
function createClaims({ rfcs, leasePush }: Omit<Claims, 'turns'>): Batcher<ClaimInput, Claimed> {
  const turns = createTurns();

  async function claimNext({ after, busy, ...lease }: ClaimInput): Promise<Claimed> {
    const names = new Set(busy.map(placeName));
    const hops = PUSH_STORE.CLAIM_HOPS_MAX;
    const search = { rfcs, leasePush, turns, ...lease, busy: names, hops };
    for (const range of rangesBehind(turns.start(after))) {
      const claim = await claimWithin(search, range);
      if (claim !== null) return { claim };
    }
    return { claim: null };
  }

  return createBatcher({
    commit: async (batch) => {
      const claimed = await bounded(Promise.all(batch.map(claimNext)));
      return claimed.map((value) => ({ ok: true, value }));
    },
    weigh: () => 0,
    ...BATCHES,
    batchMax: 1,
  });
}

/** All repositories, beginning behind `start`. */
function rangesBehind(start: RepositoryPlace | null): RepoRange[] {
  const everything = { after: null, upTo: start };
  return start === null ? [everything] : [{ after: start, upTo: null }, everything];
}

/** In the first repository of a range in which there is something to claim. */
async function claimWithin(search: Search, range: RepoRange): Promise<PushClaim | null> {
  let rest = range;
  for (;;) {
    const found = await findFree(search, runsOf(rest));
    if (found === null) return null;
    if (!search.busy.has(placeName(found))) {
      const claim = await claimInRepo(search, found);
      if (claim !== null) return claim;
    }
    rest = { ...rest, after: found };
    // What others have leased has taken the whole search: the next one goes on behind it.
    if (search.hops === 0) search.turns.stopBehind(found);
  }
}

/** Of its refs, beginning behind the ref that had its turn last. */
async function claimInRepo(
  search: Search,
  { tenant_id, repo_key }: RepositoryPlace,
): Promise<PushClaim | null> {
  const last = search.turns.lastRef({ tenant_id, repo_key });
  for (const within of [{ $gt: last }, { $lte: last }]) {
    let refs: { $gt?: string; $lte?: string } = within;
    for (;;) {
      const place = await findFree(search, [
        { tenant_id, 'push.repo': repo_key, 'push.ref': refs },
      ]);
      if (place === null) break;
      const claim = await claimNewest(search, place);
      if (claim !== null) return claim;
      refs = { ...within, $gt: place.ref };
    }
  }
  return null;
}

/** The first ref of the runs in which there is a push that nobody leases. */
async function findFree(
  search: Search,
  runs: readonly Filter<RfcDocument>[],
): Promise<RefPlace | null> {
  if (search.hops === 0) return null;
  search.hops -= 1;
  for (const run of runs) {
    const found = await findFirst(search.rfcs, PUSH_QUERIES.firstFree(run));
    if (found?.push === undefined) continue;
    return { tenant_id: found.tenant_id, repo_key: found.push.repo, ref: found.push.ref };
  }
  return null;
}

/** Null: the newest push of the ref is leased, or was claimed or changed just now. */
async function claimNewest(
  { rfcs, leasePush, turns, owner, leaseMs }: Search,
  place: RefPlace,
): Promise<PushClaim | null> {
  const [newest, ...before] = await findAll(rfcs, PUSH_QUERIES.openOf(place));
  if (newest === undefined) return null;
  const { tenant_id } = place;
  const { _id: rfc_id, rev: expectedRev } = newest;
  const record = await leasePush({ tenant_id, rfc_id, expectedRev, owner, leaseMs }, 'anybody');
  if (record === null) return null;
  turns.taken(place);
  const older = before.map(({ _id, rev, commit_sha }) => {
    return { rfc_id: _id, rev, commit_sha: commit_sha ?? '' };
  });
  return pushClaim(place, record, older);
}

/**
 * Counts an attempt and leases a push; null where it is not of that rev, or is leased by:
 * `others` than the caller, or `anybody`.
 */
type LeasePush = (input: TakeInput, leasedBy: 'anybody' | 'others') => Promise<RfcRecord | null>;

/**
 * A compare-and-set of one document on status, rev and the end of the lease, by the clock of the
 * server, which a majority confirms: of all daemons one gets a push.
 */
function createLeasePush(rfcs: Collection<RfcDocument>, now: () => number): LeasePush {
  return async ({ tenant_id, rfc_id, expectedRev, owner, leaseMs }, leasedBy) => {
    const draft = QUERIES.draftAt(rfc_id, tenant_id, expectedRev);
    const isFree = leasedBy === 'others' ? { $or: [IS_FREE, { 'push.owner': owner }] } : IS_FREE;
    const filter = { ...draft, ...IS_PUSH, ...isFree };
    const state = await rfcs.findOne(filter, { projection: { _id: 0, json: 1 }, ...LOCAL });
    if (state === null) return null;
    const record = claimedPush(parseRecord(state.json), now());
    const change = {
      rev: record.rev,
      ...texts(recordText(record)),
      'push.due': { $add: ['$$NOW', leaseMs] },
      'push.owner': { $literal: owner },
    };
    const { matchedCount } = await rfcs.updateOne(filter, [{ $set: change }]);
    return matchedCount === 1 ? record : null;
  };
}

/** What becomes of pushes without a verdict; each is a compare-and-set of one document. */
export function createProgress(rfcs: Collection<RfcDocument>, now: () => number) {
  /** Of a write that found another state: a caller may repeat a write whose answer was lost. */
  async function requireWritten(record: RecordText): Promise<{ rev: number }> {
    const found = await findPush(rfcs, record);
    if (found.json !== record.json) throw staleRfc(found);
    return { rev: record.rev };
  }

  async function supersedeAll({ tenant_id, pushes, by, at }: SupersedeInput): Promise<number> {
    const revs = new Map(pushes.map(({ rfc_id, rev }) => [rfc_id, rev]));
    const found = await findAll(rfcs, PUSH_QUERIES.openAmong(tenant_id, [...revs.keys()]));
    const operations = found
      .filter(({ _id, rev }) => revs.get(_id) === rev)
      .map(({ _id, rev, json }): AnyBulkWriteOperation<RfcDocument> => {
        const next = supersededPush(parseRecord(json), by, at);
        const change = {
          status: next.overall_status,
          rev: next.rev,
          ...texts(recordText(next)),
          ...judgedPush(next),
          ...dueIfPosted(now()),
        };
        const unchanged = { ...QUERIES.draftAt(_id, tenant_id, rev), ...IS_PUSH };
        return { updateOne: { filter: unchanged, update: [{ $set: change }] } };
      });
    if (operations.length === 0) return 0;
    return (await bounded(rfcs.bulkWrite(operations, { ordered: false }))).matchedCount;
  }

  return {
    async savePush({ record, expectedRev, holdMs, isStatusDue = false }) {
      checkSize(record);
      const { rfc_id, tenant_id, rev } = record;
      const filter = { ...QUERIES.draftAt(rfc_id, tenant_id, expectedRev), ...IS_PUSH };
      const due = isStatusDue ? dueStatus(record.vcs_host, now()) : {};
      const change = { rev, ...texts(record), 'push.due': { $add: ['$$NOW', holdMs] }, ...due };
      const { matchedCount } = await rfcs.updateOne(filter, [{ $set: change }]);
      return matchedCount === 1 ? { rev } : await requireWritten(record);
    },

    async supersedePushes(input) {
      let superseded = 0;
      await inParts(input.pushes, MONGO.READ_BATCH_MAX, async (part) => {
        superseded += await supersedeAll({ ...input, pushes: part });
      });
      return { superseded };
    },

    /** Revokes a head. */
    async reopenPush({ record, expectedRev }) {
      const { rfc_id: _id, tenant_id, rev, json, vcs_host } = record;
      const status = { $in: [...DEPENDENT_STATUSES] };
      const filter = { _id, tenant_id, rev: expectedRev, status, ...IS_PUSH };
      const push = { $mergeObjects: ['$push', { due: new Date(0), owner: null }] };
      const next = { ...judgedPush(parseRecord(json)), ...dueStatus(vcs_host, now()) };
      const { matchedCount } = await rfcs.updateOne(filter, [
        { $set: { ...revoked('reopened'), push } },
        { $set: { status: 'DRAFT', rev, review_due: '$$REMOVE', ...texts(record), ...next } },
      ]);
      return matchedCount === 1 ? { rev } : await requireWritten(record);
    },

    async notePullRequest(input) {
      const { tenant_id, rfc_id, expectedRev } = input;
      const push = await findPush(rfcs, { tenant_id, rfc_id });
      const record = recordText(withPullRequest(push, input));
      checkSize(record);
      const { rev } = record;
      const filter = { _id: rfc_id, tenant_id, rev: expectedRev, status: push.status };
      const { matchedCount } = await rfcs.updateOne(filter, [{ $set: { rev, ...texts(record) } }]);
      return matchedCount === 1 ? { rev } : await requireWritten(record);
    },
  } satisfies Partial<PushWriter>;
}
