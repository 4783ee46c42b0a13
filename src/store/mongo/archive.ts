import type { Db, Filter } from 'mongodb';
import { touchedComponents } from '../../model/components.ts';
import { PULL_REQUEST_REF } from '../../model/push.ts';
import type { LegalHold } from '../../model/retention.ts';
import type { ArchivedRfc, ArchiveSide, FreeRfc } from '../archive.ts';
import { ARCHIVE } from '../limits.ts';
import { parseRecord } from '../stored-record.ts';
import { type Collections, decisionCollections } from './database.ts';
import type { ArchivedDocument, PushFields, RfcDocument } from './documents.ts';
import { findEach, transact } from './operations.ts';
import { IS_PUSH, IS_REFUSAL } from './pushes/queries.ts';
import {
  decodeSequence,
  encodeSequence,
  findAll,
  findFirst,
  LIVE_STATUSES,
  newest,
  OF_BRANCH,
  type Query,
  query,
} from './queries.ts';

/** Records that are compared with the others of their repository at the same time. */
const AT_ONCE = 16;

const ALIVE = { deleted: { $ne: true } } as const;
const LIVE = { status: { $in: [...LIVE_STATUSES] } };
const JUDGED = { status: { $in: LIVE_STATUSES.filter((status) => status !== 'DRAFT') } };

/** What a document says by itself: no head, nothing due, nothing decided, nothing to be counted. */
const IS_QUIET: Filter<RfcDocument> = {
  ...ALIVE,
  decided: { $exists: false },
  fallen: { $exists: false },
  'push.accepted': { $ne: true },
  'vcs.due': { $exists: false },
  'events.0': { $exists: false },
  'trend.due': { $ne: true },
  $or: [{ trend: { $exists: true } }, { status: 'SUPERSEDED' }],
};

/** What of a document is compared with others. */
const COMPARED = 'tenant_id status rev fence seq json repo_key branch commit_sha push components';

/** Queries of the archive; each names its index. */
const ARCHIVE_QUERIES = {
  /** The last of the records that one step looks at; absent: there are fewer. */
  windowEnd: (place: Filter<RfcDocument>) =>
    query(place, 'seq -_id', {
      sort: { seq: 1 },
      skip: ARCHIVE.WINDOW - 1,
      limit: 1,
      hint: 'by_status',
    }),
  quiet: (place: Filter<RfcDocument>, before: string) =>
    query({ ...place, ...IS_QUIET, created_at: { $lt: before } }, COMPARED, {
      sort: { seq: 1 },
      hint: 'by_status',
    }),
  moved: (ids: readonly string[]) => query({ _id: { $in: [...ids] } }, COMPARED),
  newerPushOfName: ({ tenant_id, repo_key, seq }: RfcDocument) =>
    newest({ tenant_id, repo_key, seq: { $gt: seq }, ...IS_PUSH, ...OF_BRANCH }, '_id', {
      hint: 'push_by_name',
    }),
  newerPushOfRepository: ({ tenant_id, push, seq }: RfcDocument) =>
    newest({ tenant_id, 'push.repo': push?.repo ?? '', seq: { $gt: seq }, ...IS_PUSH }, '_id', {
      hint: 'push_by_repository',
    }),
  newerOfBranch: ({ tenant_id, repo_key, branch, seq }: RfcDocument) =>
    newest(
      { tenant_id, repo_key, branch, seq: { $gt: seq }, ...LIVE, ...OF_BRANCH, ...ALIVE },
      '_id',
      { hint: 'live_by_branch' },
    ),
  /** Another judged push of its ref. */
  newerPushOfRef: ({ tenant_id, push, seq }: RfcDocument) => {
    const ref = { 'push.repo': push?.repo ?? '', 'push.ref': push?.ref ?? '' };
    return newest({ tenant_id, ...ref, seq: { $gt: seq }, ...IS_PUSH, ...JUDGED }, '_id', {
      hint: 'push_of_ref',
    });
  },
  /** Of any repository. */
  olderOfCommit: ({ tenant_id, commit_sha, seq }: RfcDocument) =>
    query({ tenant_id, commit_sha, seq: { $lt: seq }, ...LIVE, ...ALIVE }, '_id', {
      limit: 1,
      hint: 'live_of_commit',
    }),
  olderRefusalOfCommit: ({ tenant_id, commit_sha, seq }: RfcDocument) =>
    query({ tenant_id, commit_sha, seq: { $lte: seq }, ...IS_REFUSAL }, '_id', {
      limit: 1,
      hint: 'refusal_by_commit',
    }),
  newerOfComponent: ({ tenant_id, repo_key, seq }: RfcDocument, components: string) =>
    newest({ tenant_id, repo_key, components, seq: { $gt: seq }, ...OF_BRANCH, ...ALIVE }, '_id', {
      hint: 'by_component',
    }),
} as const;

/** Documents of `meta`: the legal holds of a daemon. */
const HOLDS = 'holds:';
const UPSERT = { upsert: true };
const DAY_MS = 24 * 3_600_000;

/** The archive's side of a store in MongoDB. */
export function createArchiveSide(db: Db, collections: Collections): ArchiveSide {
  const { rfcs, archived, trendMarks, meta } = collections;
  const { accepted } = decisionCollections(db);
  const isThere = async (found: Query<RfcDocument>) => (await findFirst(rfcs, found)) !== null;

  /** See the condition of the same name of SQLite. */
  async function isFree(found: RfcDocument): Promise<boolean> {
    const { _id: rfc_id, status, commit_sha, push, json } = found;
    if (push !== undefined) {
      if (!(await isThere(ARCHIVE_QUERIES.newerPushOfName(found)))) return false;
      if (!(await isThere(ARCHIVE_QUERIES.newerPushOfRepository(found)))) return false;
    }
    const isOfBranch = push === undefined || !PULL_REQUEST_REF.test(push.ref);
    if (status !== 'SUPERSEDED') {
      if (isOfBranch && !(await isThere(ARCHIVE_QUERIES.newerOfBranch(found)))) return false;
      if (push !== undefined && !(await isThere(ARCHIVE_QUERIES.newerPushOfRef(found)))) {
        return false;
      }
      if (commit_sha !== null) {
        if (await isThere(ARCHIVE_QUERIES.olderOfCommit(found))) return false;
        if (await isThere(ARCHIVE_QUERIES.olderRefusalOfCommit(found))) return false;
      }
    }
    for (const component of touchedComponents(parseRecord(json))) {
      if (!(await isThere(ARCHIVE_QUERIES.newerOfComponent(found, component)))) return false;
    }
    return (await accepted.findOne({ rfc_id }, { projection: { _id: 1 } })) === null;
  }

  return {
    async free({ tenant_id, status, before, after }) {
      const seq = after === null ? {} : { seq: { $gt: decodeSequence(String(after)) } };
      const behind = { tenant_id, status, ...seq };
      const last = await findFirst(rfcs, ARCHIVE_QUERIES.windowEnd(behind));
      const until = last === null ? {} : { $lte: last.seq };
      const places = { ...seq.seq, ...until };
      const window = Object.keys(places).length === 0 ? behind : { ...behind, seq: places };
      const quiet = await findAll(rfcs, ARCHIVE_QUERIES.quiet(window, before));
      const free = await findEach(quiet, AT_ONCE, async (found) =>
        (await isFree(found)) ? freeRfc(found) : null,
      );
      return { rfcs: free, next: last === null ? null : encodeSequence(last.seq) };
    },

    /**
     * Right before the transaction all are asked once more whether they are free. What stays
     * possible: within these milliseconds another daemon deletes or archives the newer RFC that
     * one of them was compared with. Then an older RFC is the newest of its branch, ref or
     * component in the store. An RFC that is itself changed does not leave.
     */
    async replace(moved) {
      const deletions = moved.map(({ rfc_id: _id, tenant_id, status, rev }) => ({
        deleteOne: { filter: { _id, tenant_id, status, rev, ...IS_QUIET } as Filter<RfcDocument> },
      }));
      const ids = moved.map(({ rfc_id }) => rfc_id);
      const found = await findAll(rfcs, ARCHIVE_QUERIES.moved(ids));
      const free = await findEach(found, AT_ONCE, async (one) => (await isFree(one)) || null);
      if (free.length !== moved.length) return false;
      return await transact(db.client, async (session) => {
        // A sweep's push may have got the body of its webhook just now.
        const pushes = await rfcs
          .find({ _id: { $in: ids } }, { projection: { push: 1 }, session })
          .toArray();
        const keys = new Map(pushes.map(({ _id, push }) => [_id, push]));
        const places = moved.map((rfc) => placeOf(rfc, keys.get(rfc.rfc_id)));
        const { deletedCount } = await rfcs.bulkWrite(deletions, { session });
        if (deletedCount !== moved.length) {
          await session.abortTransaction();
          return false;
        }
        await archived.insertMany(places, { session });
        await trendMarks.deleteMany({ _id: { $in: ids } }, { session });
        return true;
      });
    },

    async shareHolds(own) {
      const _id = `${HOLDS}${own?.instance ?? ''}`;
      const at = new Date(own?.nowMs ?? Date.now());
      if (own !== null) await meta.updateOne({ _id }, { $set: { at, holds: own.holds } }, UPSERT);
      const since = new Date(at.getTime() - ARCHIVE.HOLDS_DAYS * DAY_MS);
      const isOther = { _id: { $gt: HOLDS, $lt: `${HOLDS}\uffff`, $ne: _id }, at: { $gte: since } };
      const found = await meta.find(isOther).toArray();
      return found.flatMap(({ holds }) => holds as LegalHold[]);
    },

    async isReferred({ file, offset }) {
      return (await archived.findOne({ file, offset }, { projection: { _id: 1 } })) !== null;
    },

    async ends() {
      const end = { $max: { $add: ['$offset', '$bytes'] } };
      const files = archived.aggregate<{ _id: string; end: number }>([
        { $group: { _id: '$file', end } },
      ]);
      return new Map((await files.toArray()).map((file) => [file._id, Number(file.end)]));
    },
  };
}

function freeRfc({ _id: rfc_id, tenant_id, status, rev, json }: RfcDocument): FreeRfc {
  return { rfc_id, tenant_id, status, rev, json };
}

function placeOf(
  { rfc_id: _id, rests_on: _, ...place }: ArchivedRfc,
  push: PushFields | undefined,
): ArchivedDocument {
  return { _id, ...place, delivery: push?.delivery ?? null, body: push?.body ?? null };
}
