import type { Collection } from 'mongodb';
import {
  BRANCH_PREFIX,
  type ProdFacts,
  type RefPlace,
  type RepositoryPlace,
} from '../../../model/push.ts';
import type { RfcRecord } from '../../../model/records.ts';
import { type RfcStatus, STATUSES } from '../../../model/rfc.ts';
import type {
  ProdHead,
  ProdInput,
  ProdView,
  PushedRepository,
  PushReader,
  PushWriter,
} from '../../contract/pushes.ts';
import { nothingToDeploy, unknownPush } from '../../errors.ts';
import { PUSH_STORE } from '../../limits.ts';
import {
  findRelated,
  isUnjudged,
  parseRecord,
  parseSummary,
  prodFacts,
  type RelatedReads,
  repoKey,
} from '../../stored-record.ts';
import { whenReachable } from '../database.ts';
import { GONE_STATUS, type RfcDocument } from '../documents.ts';
import type { MongoTrail } from '../open-trail.ts';
import { createFreshRead, type Fresh, type FreshRead, findEach } from '../operations.ts';
import { countOf, findAll, findFirst, QUERIES, type Query } from '../queries.ts';
import type { MongoStore } from '../records.ts';
import { createClaimMethods, createProgress } from './claims.ts';
import {
  createBaselineFinder,
  createBaselineWriter,
  createHeadReader,
  createRevocations,
  viewOf,
} from './heads.ts';
import { createIntake } from './intake.ts';
import {
  IS_REFUSED_PUSH,
  LOCAL,
  type NamePlace,
  nameOf,
  openLandings,
  PUSH_QUERIES,
  REFUSED_OF_BRANCH,
  runsOf,
} from './queries.ts';
import { createRefusalReader, isAfter, type RefusalReader } from './refusals.ts';

interface MongoPushesOptions {
  store: Pick<MongoStore, 'connection' | 'inserts' | 'track' | 'records'>;
  trail: Pick<MongoTrail, 'completePush' | 'writer'>;
  /** The name of this daemon. */
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/** The queue of pushes on the connection of the store. */
export function createMongoPushes(options: MongoPushesOptions): PushWriter & PushReader {
  const { store, trail, instance, now } = options;
  const { appendEvent } = trail.writer;
  const { connection, inserts, track, records } = store;
  const { collections } = connection;
  const { rfcs } = collections;
  const fresh = createFreshRead(connection.db);
  const refusals = createRefusalReader(rfcs, fresh);
  const heads = createHeadReader(collections, fresh, refusals);
  const { revocations, settleRevocation } = createRevocations(collections, fresh);
  const { dueStatuses, postedStatus, settleStatus } = createStatuses(rfcs);

  const writer: PushWriter = {
    acceptPush: createIntake({ collections, inserts, instance, now }),
    ...createClaimMethods(rfcs, now),
    ...createProgress(rfcs, now),
    ...createBaselineWriter({ collections, fresh, appendEvent }),
    completePush: trail.completePush,
    settleRevocation,
    settleStatus,
  };
  const reader: PushReader = {
    ...heads.methods,
    ...createOverview(rfcs, fresh),
    prodView: createProdReader(rfcs, fresh, refusals),
    findBaseline: createBaselineFinder(collections, fresh),
    revocations,
    dueStatuses,
    postedStatus,
    decisionsOfCommit: refusals.decisionsOfCommit,
    deletedRefusal: async ({ tenant_id, rfc_id }) => ({
      record: await refusals.find(tenant_id, rfc_id),
    }),
    newestOfComponent: async (input) => ({ rfc_id: await refusals.newestOfComponent(input) }),
    async relatedTo(input, call) {
      const reads: RelatedReads = {
        record: async (id) => parseRecord(textOf(await records.getRfc(id, call))),
        async among(tenant_id, rfcIds) {
          const { filter, options } = QUERIES.views(rfcIds);
          const found = await rfcs.find({ ...filter, tenant_id }, options).toArray();
          return found.map(({ json }) => parseRecord(json));
        },
        dependents: heads.methods.dependentsOf,
        ofCommit: heads.livePushesOfCommit,
        list: (list) => records.listRfcs(list, call),
      };
      return await findRelated(reads, input);
    },
  };
  return whenReachable(connection, { ...track(writer), ...reader });
}

function textOf({ json }: { json: Uint8Array }): string {
  return Buffer.from(json).toString();
}

/** Records that are looked up at the same time. */
const AT_ONCE = 16;

const JUDGED = [...STATUSES.filter((status) => status !== 'DRAFT'), GONE_STATUS];

/** Which hosts get the status of which records, and what they got. */
function createStatuses(rfcs: Collection<RfcDocument>) {
  async function isOutdated(
    document: RfcDocument,
    { repo_full_name }: RfcRecord,
  ): Promise<boolean> {
    const { commit_sha, repo_key } = document;
    if (commit_sha === null) return false;
    // The status goes to the full name, which a submitted diff may give beside another name.
    const keys = [...new Set([repo_key, repoKey(repo_full_name ?? repo_key)])];
    const { speakerOfCommit, refusalOfCommit } = PUSH_QUERIES;
    for (const speaks of [speakerOfCommit, refusalOfCommit]) {
      if ((await findFirst(rfcs, speaks(document, keys, commit_sha))) !== null) return true;
    }
    return false;
  }

  return {
    async dueStatuses({ host, nowMs, limit }) {
      const find = (statuses: readonly RfcStatus[], most: number) =>
        findAll(rfcs, PUSH_QUERIES.due(host, statuses, nowMs, most));
      const judged = await find(JUDGED, limit);
      const room = limit - judged.length;
      const drafts = room === 0 ? [] : await find(['DRAFT'], room);
      const due = await findEach([...judged, ...drafts], AT_ONCE, async (document) => {
        const { posted = null, deleted } = document.vcs ?? {};
        const record = parseRecord(deleted ?? document.json);
        const isDeleted = deleted !== undefined;
        return { record, posted, isDeleted, isOutdated: await isOutdated(document, record) };
      });
      return { due };
    },

    async postedStatus({ tenant_id, rfc_id }) {
      const projection = { 'vcs.posted': 1, 'vcs.due': 1 };
      const found = await rfcs.findOne({ _id: rfc_id, tenant_id }, { projection, ...LOCAL });
      const { posted = null, due } = found?.vcs ?? {};
      return { posted, isDue: due !== undefined };
    },

    async settleStatus({ tenant_id, rfc_id, rev, posted, dueMs }) {
      const next = dueMs === null ? '$$REMOVE' : new Date(dueMs);
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
    },
  } satisfies Partial<PushReader & PushWriter>;
}

/** What is known of pushes at large. */
function createOverview(rfcs: Collection<RfcDocument>, fresh: FreshRead) {
  /** One look-up or two, however many pushes a repository has. */
  async function nextPushed(after: RepositoryPlace | null): Promise<PushedRepository | null> {
    for (const run of runsOf({ after, upTo: null })) {
      const found = await findFirst(rfcs, PUSH_QUERIES.newestOfFirst(run));
      if (found?.push === undefined) continue;
      const { tenant_id, push, json } = found;
      return { tenant_id, repo_key: push.repo, record: parseRecord(json) };
    }
    return null;
  }

  async function countLanded(): Promise<number> {
    const pipeline = openLandings(rfcs.collectionName, PUSH_STORE.LANDED_COUNTED_MAX);
    const [found] = await rfcs
      .aggregate<{ count: number }>(pipeline, { hint: 'landed', ...LOCAL })
      .toArray();
    return found?.count ?? 0;
  }

  return {
    async newestPush(repo) {
      const newest = PUSH_QUERIES.newestOfName(nameOf(repo));
      const found = await fresh((at) => findFirst(rfcs, newest, at));
      if (found === null) throw unknownPush();
      const { status: overall_status, rev, json } = found;
      return { overall_status, rev, json: new TextEncoder().encode(json) };
    },

    async listPushed({ after, limit }) {
      const repos: PushedRepository[] = [];
      let last = after;
      while (repos.length < limit) {
        const found = await nextPushed(last);
        if (found === null) break;
        repos.push(found);
        last = { tenant_id: found.tenant_id, repo_key: found.repo_key };
      }
      return { repos };
    },

    async queueDepth() {
      const [open, held, statuses_due, oldest, landed_blocked] = await Promise.all([
        countOf(rfcs, PUSH_QUERIES.open()),
        countOf(rfcs, PUSH_QUERIES.leased()),
        countOf(rfcs, PUSH_QUERIES.statusesDue()),
        findFirst(rfcs, PUSH_QUERIES.oldestOpen()),
        countLanded(),
      ]);
      return { open, held, oldestAt: oldest?.created_at ?? null, statuses_due, landed_blocked };
    },
  } satisfies Partial<PushReader>;
}

/** Finds what a deployment depends on. */
function createProdReader(
  rfcs: Collection<RfcDocument>,
  fresh: FreshRead,
  refusals: RefusalReader,
): PushReader['prodView'] {
  /** All of them from after the same barrier; a deployment asks for them at once. */
  async function prodView(input: ProdInput): Promise<ProdView> {
    const { tenant_id, branch, commit_sha } = input;
    const repo = nameOf(input);
    return await fresh(async (at) => {
      const newest = await newestFacts(input, at);
      if (commit_sha !== null) {
        const live = PUSH_QUERIES.newestOfCommit(repo, commit_sha);
        const isPush = { $and: [IS_REFUSED_PUSH, REFUSED_OF_BRANCH] };
        const own = { repo_key: repo.repo_key, ...isPush };
        const left = PUSH_QUERIES.refusalsOfCommit(tenant_id, [commit_sha], own);
        return { newest, head: await newestHead({ live, left }, at) };
      }
      const place = await headThatCounts(repo, branch, at);
      if (place === null) return { newest, head: null };
      const live = PUSH_QUERIES.newestOfRef(place);
      const left = PUSH_QUERIES.refusalsOfRef(place);
      return { newest, head: await newestHead({ live, left }, at) };
    });
  }

  /** What a deletion left counts in the place of its record. */
  async function newestFacts(input: ProdInput, at: Fresh): Promise<ProdFacts> {
    const { branch, commit_sha } = input;
    const latest = QUERIES.latest({ ...nameOf(input), branch, commit_sha });
    const found = await findFirst(rfcs, latest, at);
    const left = await refusals.newest(input, at);
    if (left !== null && isAfter(left, found)) return left.facts;
    if (found === null) throw nothingToDeploy();
    return prodFacts(parseRecord(found.json));
  }

  async function newestHead(
    { live, left }: { live: Query<RfcDocument>; left: Query<RfcDocument> },
    at: Fresh,
  ): Promise<ProdHead | null> {
    const projection = { ...live.options.projection, summary: 1 };
    const head = await findFirst(rfcs, live, { ...at, projection });
    const deleted = await refusals.firstOf(left, at);
    if (deleted?.refusal !== undefined && isAfter(deleted, head)) {
      return headOfRefusal(parseRecord(deleted.refusal.json));
    }
    if (head === null) return null;
    const { risk_score } = parseSummary(head.summary);
    return { ...viewOf(head, head.push?.ref ?? ''), risk_score };
  }

  /** Null: the repository has no pushes, or its host names no default branch. */
  async function headThatCounts(
    name: NamePlace,
    requested: string | null,
    at: Fresh,
  ): Promise<RefPlace | null> {
    const found = await findFirst(rfcs, PUSH_QUERIES.newestOfName(name), at);
    const left =
      found === null ? await refusals.firstOf(PUSH_QUERIES.refusedPushesOfName(name), at) : null;
    const json = found?.json ?? left?.refusal?.json;
    const branch = requested ?? (json && parseRecord(json).push?.default_branch) ?? null;
    const repo_key = found?.push?.repo ?? left?.refusal?.repo;
    if (repo_key === undefined || branch === null) return null;
    return { tenant_id: name.tenant_id, repo_key, ref: BRANCH_PREFIX + branch };
  }

  return prodView;
}

/** A deleted push as the newest head of its ref: it refuses. */
function headOfRefusal({ rfc_id, ref, commit_sha, overall_status, push, risk_score }: RfcRecord) {
  const view = { ref: ref ?? '', rfc_id, commit_sha: commit_sha ?? '', overall_status, risk_score };
  const unjudged = isUnjudged(overall_status, push?.waiting_for);
  return { ...view, isAccepted: false, isUnjudged: unjudged };
}
