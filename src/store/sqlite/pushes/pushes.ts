import { RFCS } from '../../../model/limits.ts';
import {
  type Baseline,
  BRANCH_PREFIX,
  type ProdFacts,
  type PushView,
  type QueueDepth,
  type RefPlace,
} from '../../../model/push.ts';
import { carriedFrom, pinOf, type RecordText, type RfcSummary } from '../../../model/records.ts';
import type {
  AcceptedPush,
  ProdHead,
  ProdInput,
  ProdView,
  PushedInput,
  PushedRepository,
  PushKeys,
  PushReader,
  PushWriter,
} from '../../contract/pushes.ts';
import { nothingToDeploy, takenId, unknownPush, unknownRfc } from '../../errors.ts';
import { PUSH_STORE } from '../../limits.ts';
import { checkLimit } from '../../lists.ts';
import { awaitedPush, knownToSweep, type RefLog, type RefPush } from '../../same-push.ts';
import {
  bodyKey,
  deliveryKey,
  findRelated,
  parseRecord,
  parseSummary,
  type RelatedReads,
  repoKey,
} from '../../stored-record.ts';
import type { AuditLog } from '../audit-log.ts';
import { type Connection, prepared } from '../connection.ts';
import { createDecisionSteps } from '../decide.ts';
import type { DiffSegments } from '../diffs.ts';
import type { GroupCommit } from '../group-commit.ts';
import { ownBytes, QUERIES } from '../queries.ts';
import { createRfcList } from '../records.ts';
import type { TrailSettle } from '../trail.ts';
import { createClaimSteps, createEndSteps } from './claims.ts';
import {
  createBaselineSteps,
  createHeadsReader,
  createPushLists,
  dueStatuses,
  findBaseline,
  oldestPush,
} from './heads.ts';
import { type FactsRow, type LoggedRow, PUSH_QUERIES, type PushStatements } from './queries.ts';
import { createDecidedFinder, createRefusalReader } from './refusals.ts';

interface PushWriterOptions {
  database: Connection;
  segments: DiffSegments;
  log: AuditLog;
  commits: GroupCommit;
  settle: TrailSettle;
  /** Ms since the epoch; leases end by it. */
  now: () => number;
}

/** The writing methods of Pushes on an open database. */
export function createPushWriter(options: PushWriterOptions): PushWriter {
  const { database, log, settle, now } = options;
  const { write } = options.commits;
  const accept = createAcceptStep(database, now);
  const claims = createClaimSteps(database, now);
  const ends = createEndSteps(database, options.commits.trends, now);
  const baselines = createBaselineSteps(database, log.append);
  const { carry } = createDecisionSteps(options);

  return {
    acceptPush: ({ record, push }, call) =>
      write(record.json.length + record.summary.length, () => accept(record, push), call),
    claimPush: (input, call) => write(RECORD_BYTES, () => claims.claim(input), call),
    takePush: (input, call) => write(RECORD_BYTES, () => claims.take(input), call),
    renewPushes: (input, call) =>
      write(input.pushes.length * LEASE_BYTES, () => claims.renew(input), call),
    releasePushes: ({ owner }, call) => write(RECORD_BYTES, () => claims.release(owner), call),
    savePush: (input, call) => write(RECORD_BYTES, () => claims.save(input), call),
    supersedePushes: (input, call) =>
      write(input.pushes.length * RECORD_BYTES, () => ends.supersede(input), call),
    adoptBaseline: (input, call) => {
      const bytes = Object.keys(input.baseline.heads).length * HEAD_BYTES;
      return settle<{ baseline: Baseline; adopted: boolean }>(
        write(bytes, () => baselines.adopt(input), call),
      );
    },
    lowerBaseline: (input, call) =>
      settle<{ lowered: boolean }>(write(RECORD_BYTES, () => baselines.lower(input), call)),
    bindRepository: (input, call) => write(RECORD_BYTES, () => baselines.bind(input), call),
    carryPush: (input, call) =>
      settle<{ rev: number }>(write(input.record.json.length, () => carry(input), call)),
    reopenPush: (input, call) => write(input.record.json.length, () => ends.reopen(input), call),
    settleRevocation: ({ tenant_id, id }, call) =>
      write(0, () => ends.settleRevocation(tenant_id, id), call),
    settleStatus: (input, call) => write(0, () => ends.settle(input), call),
  };
}

/** About what they weigh; only the size of batches depends on it. */
const RECORD_BYTES = 2 * 1024;
const HEAD_BYTES = 100;
const LEASE_BYTES = 100;

/** The reading methods of Pushes; `now` is the clock by which leases end. */
export function createPushReader(database: Connection, now: () => number): PushReader {
  const heads = createHeadsReader(database);
  const refusals = createRefusalReader(database);
  const lists = createPushLists(database, refusals);
  const findDecided = createDecidedFinder(database, refusals);
  const queries = prepared(database, PUSH_QUERIES);
  const { state } = prepared(database, QUERIES);
  const findProdView = createProdFinder(database);
  const find = (tenantId: string, rfcId: string) => {
    const row = state.get(rfcId);
    return row?.tenant_id === tenantId ? [parseRecord(row.json)] : [];
  };
  const related: RelatedReads = {
    record({ tenant_id, rfc_id }) {
      const [record] = find(tenant_id, rfc_id);
      if (record === undefined) throw unknownRfc();
      return record;
    },
    among: (tenantId, rfcIds) => rfcIds.flatMap((rfcId) => find(tenantId, rfcId)),
    dependents: lists.dependents,
    ofCommit: lists.liveOfCommit,
    list: createRfcList(database),
  };

  return {
    acceptedHeads: (input) => ({ accepted: heads.among(input) }),
    newestAccepted: (input) => ({ accepted: heads.newestOf(input) }),
    newestPushes: (input) => ({ pushes: heads.viewsOf(input) }),
    findBaseline: (input) => ({
      baseline: findBaseline(queries, input),
      nameHost: queries.hostOfName.get(input.tenant_id, repoKey(input.repo_name))?.host ?? null,
    }),
    pushesOfCommit: lists.ofCommit,
    decisionsOfCommit: findDecided,
    deletedRefusal: ({ tenant_id, rfc_id }) => ({ record: refusals.find(tenant_id, rfc_id) }),
    newestOfComponent(input) {
      const { tenant_id, repo_name, component } = input;
      const row = queries.newestOfComponent.get(tenant_id, component, repoKey(repo_name));
      const left = refusals.ofComponent(input, row?.seq ?? 0);
      return { rfc_id: left ?? row?.rfc_id ?? null };
    },
    refusedPushes: lists.refused,
    overriddenPushes: lists.overridden,
    dependentsOf: lists.dependents,
    async relatedTo(input) {
      checkLimit(input.limit, RFCS.LIST_LIMIT_MAX);
      return await findRelated(related, input);
    },
    revocations({ limit }) {
      const rows = queries.revocations.all(limit);
      return { revocations: rows.map((row) => ({ ...row, is_rejected: row.is_rejected === 1 })) };
    },
    oldestPush: (input) => ({ record: oldestPush(queries, input) }),
    prodView: findProdView,
    newestPush({ tenant_id, repo_name }) {
      const row = queries.newestPush.get(tenant_id, repoKey(repo_name));
      if (row === undefined) throw unknownPush();
      return { overall_status: row.status, rev: row.rev, json: ownBytes(row.json) };
    },
    listPushed(input) {
      checkLimit(input.limit, PUSH_STORE.LIST_LIMIT_MAX);
      return { repos: listPushed(queries, input) };
    },
    queueDepth: () => measureDepth(queries, now()),
    dueStatuses(input) {
      checkLimit(input.limit, PUSH_STORE.LIST_LIMIT_MAX);
      return { due: dueStatuses(queries, input) };
    },
  };
}

/** Two look-ups for each repository, however many pushes it has. */
function listPushed(
  { nextPushedRepo, newestOfRepo }: PushStatements,
  { after, limit }: PushedInput,
): PushedRepository[] {
  const repos: PushedRepository[] = [];
  let place = nextPushedRepo.get(after?.tenant_id ?? '', after?.repo_key ?? '');
  while (place !== undefined && repos.length < limit) {
    const { tenant_id, repo_key } = place;
    const row = newestOfRepo.get(tenant_id, repo_key);
    if (row !== undefined) {
      repos.push({ tenant_id, repo_key, record: parseRecord(row.json.toString()) });
    }
    place = nextPushedRepo.get(tenant_id, repo_key);
  }
  return repos;
}

function measureDepth(queries: PushStatements, nowMs: number): QueueDepth {
  const { open, due } = queries.counts.get() ?? { open: 0, due: 0 };
  const held = queries.heldCount.get(nowMs, PUSH_STORE.DEPTH_COUNTED_MAX)?.count ?? 0;
  const oldestAt = queries.oldestOpen.get()?.created_at ?? null;
  return { open, held, oldestAt, statuses_due: due };
}

/** The step that takes a new push, within a transaction: one insert, unless it is known. */
function createAcceptStep(
  database: Connection,
  now: () => number,
): (record: RecordText, push: PushKeys) => AcceptedPush {
  const queries = prepared(database, PUSH_QUERIES);
  const heads = createHeadsReader(database);
  const logs = createRefLogs(database);

  /**
   * The RFC of the same push, which a webhook announces and a sweep found, in either order; or that
   * of the push by which the ref has moved on since the sweep looked.
   */
  function samePush({ tenant_id, commit_sha }: RecordText, keys: PushKeys, body: Buffer | null) {
    const { repo_key, ref, behind, before } = keys;
    const place = { tenant_id, repo_key, ref };
    const log = logs.of(place, commit_sha ?? '');
    if (body !== null) {
      const awaited = awaitedPush(log, before);
      if (awaited === null || queries.pushByBody.get(body) !== undefined) return null;
      queries.takeWebhook.run(body, awaited.rfc_id);
      return awaited.rfc_id;
    }
    const [newest] = heads.viewsOf({ tenant_id, repo_key, refs: [ref] });
    return knownToSweep(log, behind, {
      live: newest?.rfc_id ?? null,
      newest: logs.newest(place),
    });
  }

  return (record, keys) => {
    const { ref, delivery, body_hash, repo_key } = keys;
    const { rfc_id, vcs_host } = record;
    const deliveryBytes = Buffer.from(deliveryKey(delivery), 'hex');
    const body = body_hash === null ? null : Buffer.from(bodyKey(body_hash), 'hex');
    const known = samePush(record, keys, body);
    if (known !== null) return { outcome: 'same-push', rfc_id: known };
    const { changes } = queries.acceptPush.run(
      rfc_id,
      record.tenant_id,
      repoKey(record.repo_name),
      record.branch,
      record.commit_sha,
      record.overall_status,
      record.rev,
      record.created_at,
      record.summary,
      record.json,
      vcs_host,
      vcs_host === null ? null : now(),
      ref,
      deliveryBytes,
      body,
      repo_key,
    );
    if (changes === 1) return { outcome: 'new', rfc_id };
    const first = queries.pushByDelivery.get(deliveryBytes);
    if (first !== undefined) return { outcome: 'same-delivery', rfc_id: first.rfc_id };
    const same = queries.pushByBody.get(body);
    if (same !== undefined) return { outcome: 'same-body', rfc_id: same.rfc_id };
    throw takenId();
  };
}

/** Reads the pushes of a ref, within a transaction. */
function createRefLogs(database: Connection) {
  const queries = prepared(database, PUSH_QUERIES);
  const finders = [queries.openAfter, queries.judgedAfter, queries.supersededAfter];
  const after = ({ tenant_id, repo_key, ref }: RefPlace, seq: number, limit: number) =>
    finders.flatMap((find) => find.all(tenant_id, repo_key, ref, seq, limit));
  return {
    of(place: RefPlace, sha: string): RefLog {
      const { tenant_id, repo_key, ref } = place;
      const limit = PUSH_STORE.REF_LOG_MAX;
      const ofHead = queries.pushesOfHead.all(tenant_id, repo_key, ref, sha, limit);
      const first = ofHead.at(-1);
      if (first === undefined) return { ofHead: [], after: [] };
      return { ofHead: ofHead.map(logged), after: after(place, first.seq, limit).map(logged) };
    },
    /** The newest push of a ref, whatever its status. */
    newest(place: RefPlace): string | null {
      const [newest] = after(place, 0, 1).sort((one, other) => other.seq - one.seq);
      return newest?.rfc_id ?? null;
    },
  };
}

function logged({ is_awaited, waiting_for, ...row }: LoggedRow): RefPush {
  const isUnjudged = row.status === 'BLOCKED' && waiting_for !== null;
  return { ...row, isAwaited: is_awaited === 1, isUnjudged };
}

/** Finds what a deployment depends on. */
function createProdFinder(database: Connection): (input: ProdInput) => ProdView {
  const findNewest = createNewestFinder(database);
  const heads = createHeadsReader(database);
  const queries = prepared(database, PUSH_QUERIES);
  const refusals = createRefusalReader(database);

  function headOf(view: PushView | null, tenantId: string): ProdHead | null {
    if (view === null) return null;
    const row = queries.summary.get(view.rfc_id);
    const found =
      row === undefined ? refusals.find(tenantId, view.rfc_id) : parseSummary(row.summary);
    return found && { ...view, risk_score: found.risk_score };
  }

  /** What a deletion left counts in the place of its record. */
  function newestFacts(input: ProdInput): ProdFacts {
    const row = findNewest(input);
    const left = refusals.newest(input);
    if (left !== null && (row === undefined || left.seq >= row.seq)) return left.facts;
    if (row === undefined) throw nothingToDeploy();
    return factsOf(row);
  }

  return (input) => {
    const { tenant_id, repo_name, commit_sha } = input;
    const newest = newestFacts(input);
    if (commit_sha !== null) {
      const head = heads.viewOfCommit({ tenant_id, repo_name, commit_sha });
      return { newest, head: headOf(head, tenant_id) };
    }
    const pushed =
      queries.defaultBranch.get(tenant_id, repoKey(repo_name)) ??
      refusals.pushOfName(tenant_id, repo_name);
    const branch = input.branch ?? pushed?.branch ?? null;
    if (pushed === undefined || branch === null) return { newest, head: null };
    const { push_repo: repo_key } = pushed;
    const head = heads.viewOfRef({ tenant_id, repo_key }, BRANCH_PREFIX + branch);
    return { newest, head: headOf(head, tenant_id) };
  };
}

function factsOf({ status, commit_sha, summary, decided }: FactsRow): ProdFacts {
  const { rfc_id, risk_score }: RfcSummary = parseSummary(summary);
  const record = decided === null ? null : parseRecord(decided);
  const pin = record && pinOf(record);
  const carried_from = record === null ? [] : carriedFrom(record);
  return { rfc_id, overall_status: status, risk_score, commit_sha, pin, carried_from };
}

/** Finds the newest row of a repository that is not SUPERSEDED, perhaps of a branch or commit. */
function createNewestFinder(database: Connection): (input: ProdInput) => FactsRow | undefined {
  const queries = prepared(database, PUSH_QUERIES);

  return ({ tenant_id: tenant, repo_name, branch, commit_sha }) => {
    const key = repoKey(repo_name);
    if (commit_sha !== null) {
      for (const row of queries.factsOfCommit.iterate(tenant, key, commit_sha)) {
        if (branch === null || row.branch === branch) return row;
      }
      return undefined;
    }
    return branch === null
      ? queries.facts.get(tenant, key)
      : queries.factsOfBranch.get(tenant, key, branch);
  };
}
