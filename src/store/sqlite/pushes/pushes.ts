import {
  BRANCH_PREFIX,
  isPullRequestRef,
  type ProdFacts,
  type PushView,
  type RefPlace,
} from '../../../model/push.ts';
import { carriedFrom, pinOf, type RecordText, type RfcSummary } from '../../../model/records.ts';
import { commitId } from '../../../model/rfc.ts';
import type {
  AcceptedPush,
  ProdHead,
  ProdInput,
  ProdView,
  PushedRepository,
  PushKeys,
  PushReader,
  PushWriter,
} from '../../contract/pushes.ts';
import { duplicateRfc, nothingToDeploy, unknownPush } from '../../errors.ts';
import { PUSH_STORE } from '../../limits.ts';
import { awaitedPush, knownToSweep, type RefLog, type RefPush } from '../../same-push.ts';
import {
  bodyKey,
  deliveryKey,
  findRelated,
  isUnjudged,
  parseRecord,
  parseSummary,
  type RelatedReads,
  repoKey,
} from '../../stored-record.ts';
import { ARCHIVE_QUERIES } from '../archive.ts';
import { type Connection, prepared } from '../connection.ts';
import { createDecisionSteps } from '../decide.ts';
import { inGroups, type Steps, type WriterParts } from '../group-commit.ts';
import { ownBytes, QUERIES } from '../queries.ts';
import { createRfcList, findRecord, stateOf } from '../records.ts';
import { settled, type TrailSettle } from '../trail.ts';
import { createClaimSteps, createEndSteps } from './claims.ts';
import { createBaselineSteps, createHeadReader } from './heads.ts';
import { type FactsRow, type LoggedRow, PUSH_QUERIES } from './queries.ts';
import { createDecidedFinder, createRefusalReader, type RefusalReader } from './refusals.ts';

/** The writing methods of Pushes on an open database. */
export function createPushWriter(parts: WriterParts & { settle: TrailSettle }): PushWriter {
  const { database, commits, log, settle, now } = parts;
  const { completePush } = createDecisionSteps(parts);
  const { bindRepository, ...baselines } = createBaselineSteps(database, log.append);
  return {
    ...inGroups(commits, {
      acceptPush: createAcceptStep(database, now),
      ...createClaimSteps(database, now),
      ...createEndSteps(parts),
      bindRepository,
    }),
    ...settled(settle, inGroups(commits, { completePush, ...baselines })),
  };
}

/** The reading methods of Pushes; `now` is the clock by which leases end. */
export function createPushReader(database: Connection, now: () => number): PushReader {
  const queries = prepared(database, PUSH_QUERIES);
  const ofRecords = prepared(database, QUERIES);
  const refusals = createRefusalReader(database);
  const heads = createHeadReader(database, refusals);
  const related: RelatedReads = {
    record: (id) => parseRecord(stateOf(ofRecords, id).json),
    among: (tenant_id, rfcIds) =>
      rfcIds.flatMap((rfc_id) => findRecord(ofRecords, { tenant_id, rfc_id }) ?? []),
    dependents: heads.methods.dependentsOf,
    ofCommit: heads.livePushesOfCommit,
    list: createRfcList(database),
  };

  return {
    ...heads.methods,
    decisionsOfCommit: createDecidedFinder(database, refusals),
    deletedRefusal: ({ tenant_id, rfc_id }) => ({ record: refusals.find(tenant_id, rfc_id) }),
    newestOfComponent(input) {
      const { tenant_id, repo_name, component } = input;
      const row = queries.newestOfComponent.get(tenant_id, component, repoKey(repo_name));
      const left = refusals.ofComponent(input, row?.seq ?? 0);
      return { rfc_id: left ?? row?.rfc_id ?? null };
    },
    relatedTo: (input) => findRelated(related, input),
    prodView: createProdFinder(database, heads, refusals),
    newestPush({ tenant_id, repo_name }) {
      const row = queries.newestPush.get(tenant_id, repoKey(repo_name));
      if (row === undefined) throw unknownPush();
      return { overall_status: row.status, rev: row.rev, json: ownBytes(row.json) };
    },
    /** Two look-ups for each repository, however many pushes it has. */
    listPushed({ after, limit }) {
      const repos: PushedRepository[] = [];
      let place = queries.nextPushedRepo.get(after?.tenant_id ?? '', after?.repo_key ?? '');
      while (place !== undefined && repos.length < limit) {
        const { tenant_id, repo_key } = place;
        const row = queries.newestOfRepo.get(tenant_id, repo_key);
        if (row !== undefined) {
          repos.push({ tenant_id, repo_key, record: parseRecord(row.json.toString()) });
        }
        place = queries.nextPushedRepo.get(tenant_id, repo_key);
      }
      return { repos };
    },
    postedStatus({ tenant_id, rfc_id }) {
      const row = queries.postedStatus.get(rfc_id, tenant_id);
      return { posted: row?.vcs_posted ?? null, isDue: (row?.vcs_due ?? null) !== null };
    },
    queueDepth() {
      const { open, due } = queries.counts.get() ?? { open: 0, due: 0 };
      const held = queries.leasedCount.get(now(), PUSH_STORE.DEPTH_COUNTED_MAX)?.count ?? 0;
      const oldestAt = queries.oldestOpen.get()?.created_at ?? null;
      const landed = queries.landedCount.get(PUSH_STORE.LANDED_COUNTED_MAX)?.count ?? 0;
      return { open, held, oldestAt, statuses_due: due, landed_blocked: landed };
    },
  };
}

/**
 * The step that takes a new push, within a transaction: one insert, unless it is known, also as one
 * that is archived.
 */
function createAcceptStep(
  database: Connection,
  now: () => number,
): Steps<PushWriter>['acceptPush'] {
  const queries = prepared(database, PUSH_QUERIES);
  const archive = prepared(database, ARCHIVE_QUERIES);
  const { newestPushes } = createHeadReader(database, createRefusalReader(database)).methods;
  const logs = createRefLogs(database);

  /**
   * The RFC of the same push, which a webhook announces and a sweep found, in either order; or that
   * of the push by which the ref has moved on since the sweep looked. The head of a fork's pull
   * request that was judged on a branch of the repository has its verdict there.
   */
  function samePush({ tenant_id, commit_sha }: RecordText, keys: PushKeys, body: Buffer | null) {
    const { repo_key, ref, source, behind, before } = keys;
    const place = { tenant_id, repo_key, ref };
    const sha = commit_sha ?? '';
    const shared = isPullRequestRef(ref)
      ? queries.judgedOfBranches.get(tenant_id, commitId(sha), repo_key)
      : undefined;
    if (shared !== undefined) return shared.rfc_id;
    if (source === 'webhook') {
      // Nearly no head was found by a sweep before its webhook, and the log of a busy ref is long.
      const isSwept = queries.sweptPush.get(tenant_id, repo_key, ref, sha) !== undefined;
      if (body === null || !isSwept) return null;
      const awaited = awaitedPush(logs.of(place, sha), before);
      if (awaited === null || queries.pushByBody.get(body) !== undefined) return null;
      if (archive.archivedBody.get(body.toString('hex')) !== undefined) return null;
      queries.takeWebhook.run(body, awaited.rfc_id);
      return awaited.rfc_id;
    }
    const [newest] = newestPushes({ tenant_id, repo_key, refs: [ref] }).pushes;
    return knownToSweep(logs.of(place, sha), behind, {
      live: newest?.rfc_id ?? null,
      newest: logs.newest(place),
    });
  }

  function archivedPush(delivery: Buffer, body: Buffer | null): AcceptedPush | null {
    const first = archive.archivedDelivery.get(delivery.toString('hex'));
    if (first !== undefined) return { outcome: 'same-delivery', rfc_id: first.rfc_id };
    const same = body === null ? undefined : archive.archivedBody.get(body.toString('hex'));
    return same === undefined ? null : { outcome: 'same-body', rfc_id: same.rfc_id };
  }

  return ({ record, push: keys }) => {
    const { ref, delivery, body_hash, repo_key } = keys;
    const { rfc_id, vcs_host } = record;
    const deliveryBytes = Buffer.from(deliveryKey(delivery), 'hex');
    const body = body_hash === null ? null : Buffer.from(bodyKey(body_hash), 'hex');
    const known = samePush(record, keys, body);
    if (known !== null) return { outcome: 'same-push', rfc_id: known };
    const archived = archivedPush(deliveryBytes, body);
    if (archived !== null) return archived;
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
      JSON.stringify(record.texts),
    );
    if (changes === 1) return { outcome: 'new', rfc_id };
    const first = queries.pushByDelivery.get(deliveryBytes);
    if (first !== undefined) return { outcome: 'same-delivery', rfc_id: first.rfc_id };
    const same = queries.pushByBody.get(body);
    if (same !== undefined) return { outcome: 'same-body', rfc_id: same.rfc_id };
    throw duplicateRfc();
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
  return { ...row, isAwaited: is_awaited === 1, isUnjudged: isUnjudged(row.status, waiting_for) };
}

/** Finds what a deployment depends on. */
function createProdFinder(
  database: Connection,
  heads: ReturnType<typeof createHeadReader>,
  refusals: RefusalReader,
): (input: ProdInput) => ProdView {
  const findNewest = createNewestFinder(database);
  const queries = prepared(database, PUSH_QUERIES);

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
