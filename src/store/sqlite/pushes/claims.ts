import type { RefPlace, RepositoryPlace } from '../../../model/push.ts';
import { acceptsHead, type RfcRecord, recordText } from '../../../model/records.ts';
import type {
  ClaimInput,
  PushClaim,
  RenewInput,
  ReopenInput,
  SaveInput,
  SettleInput,
  SupersedeInput,
  TakeInput,
} from '../../contract/pushes.ts';
import { heldPush, staleRfc, unknownRfc } from '../../errors.ts';
import { PUSH_STORE } from '../../limits.ts';
import { checkProgress, claimedPush, headRevoked, supersededPush } from '../../steps/push.ts';
import { createTurns, placeName } from '../../steps/turns.ts';
import { canReopen, checkCount, parseRecord } from '../../stored-record.ts';
import type { Connection } from '../connection.ts';
import type { StateRow } from '../queries.ts';
import { createTrendSteps, type TrendSums } from '../trends.ts';
import { createRevocationWriter } from './heads.ts';
import { PUSH_QUERIES } from './queries.ts';

type OlderRow = PushClaim['older'][number];

/** Who holds which push, and its progress: the steps as they run within a transaction. */
export function createClaimSteps(database: Connection, now: () => number) {
  const find = createPushFinder(database);
  const findOlder = database.prepare<unknown[], OlderRow>(PUSH_QUERIES.olderOpen);
  const writeProgress = database.prepare(PUSH_QUERIES.progress);
  const writeLease = database.prepare(PUSH_QUERIES.renew);
  const writeFree = database.prepare(PUSH_QUERIES.free);
  const search = createClaimSearch(database);

  function hold(push: PushRow, owner: string, leaseMs: number): RfcRecord {
    const nowMs = now();
    const record = claimedPush(parseRecord(push.json), nowMs);
    const { json, summary } = recordText(record);
    writeProgress.run(record.rev, summary, json, nowMs + leaseMs, owner, record.rfc_id);
    return record;
  }

  return {
    claim({ owner, leaseMs, after, busy }: ClaimInput): { claim: PushClaim | null } {
      const found = search({ after, busy }, now());
      if (found === null) return { claim: null };
      const { place, rfc_id, seq } = found;
      const { tenant_id, repo_key, ref } = place;
      const record = hold(requirePush(find({ tenant_id, rfc_id })), owner, leaseMs);
      const rows = findOlder.all(tenant_id, repo_key, ref, seq, PUSH_STORE.GROUP_MAX + 1);
      const older = rows.slice(0, PUSH_STORE.GROUP_MAX);
      return { claim: { place, record, older, hasMore: rows.length > older.length } };
    },

    take(input: TakeInput): { record: RfcRecord } {
      const push = requirePush(find(input));
      if (push.status !== 'DRAFT' || push.rev !== input.expectedRev) throw staleRfc(push);
      // What its own daemon has put off may be taken up by it sooner.
      const isHeld = (push.push_held_until ?? 0) > now();
      if (isHeld && push.push_owner !== input.owner) throw heldPush(push.rev);
      return { record: hold(push, input.owner, input.leaseMs) };
    },

    save({ record, expectedRev, holdMs }: SaveInput): { rev: number } {
      checkProgress(record, expectedRev);
      const { rev, summary, json } = record;
      const push = requirePush(find(record));
      // Asked again by somebody who did not hear the answer: only the hold begins again.
      const isAgain = push.rev === rev && push.json === json;
      if (push.status !== 'DRAFT' || !(isAgain || push.rev === expectedRev)) throw staleRfc(push);
      writeProgress.run(rev, summary, json, now() + holdMs, push.push_owner, push.rfc_id);
      return { rev };
    },

    renew({ owner, pushes, leaseMs }: RenewInput): { ok: true } {
      checkCount('pushes', pushes, PUSH_STORE.GROUP_MAX);
      const heldUntil = now() + leaseMs;
      for (const { tenant_id, rfc_id } of pushes) {
        writeLease.run(heldUntil, rfc_id, tenant_id, owner);
      }
      return { ok: true };
    },

    free: (owner: string): { released: number } => ({
      released: writeFree.run(now(), owner).changes,
    }),
  };
}

interface NewestRow {
  seq: number;
  rfc_id: string;
  push_held_until: number | null;
}

/** The newest open push of a ref; nobody holds it. */
export interface FoundPush extends NewestRow {
  place: RefPlace;
}

/** Before every repository. */
const FIRST: RepositoryPlace = { tenant_id: '', repo_key: '' };

/**
 * Finds who is next: repositories in turn behind `after`, and in each of them the refs in turn
 * behind the one that was looked at there last. A search that was given up at CLAIM_HOPS_MAX goes
 * on where it stopped. Each step costs two look-ups, however many pushes there are.
 */
function createClaimSearch(
  database: Connection,
): (input: Pick<ClaimInput, 'after' | 'busy'>, nowMs: number) => FoundPush | null {
  const nextRepo = database.prepare<unknown[], RepositoryPlace>(PUSH_QUERIES.nextOpenRepo);
  const nextRef = database.prepare<unknown[], { push_ref: string }>(PUSH_QUERIES.nextOpenRef);
  const findNewest = database.prepare<unknown[], NewestRow>(PUSH_QUERIES.newestOpen);
  const turns = createTurns();

  function* placesBehind(start: RepositoryPlace, busy: ClaimInput['busy']): Generator<RefPlace> {
    const busyNames = new Set(busy.map(placeName));
    const repos = roundFrom(start, FIRST, (repo) => nextRepo.get(repo.tenant_id, repo.repo_key));
    for (const repo of repos) {
      const { tenant_id, repo_key } = repo;
      if (busyNames.has(placeName(repo))) {
        yield { tenant_id, repo_key, ref: '' };
        continue;
      }
      const refs = roundFrom(turns.lastRef(repo), '', (ref) => {
        return nextRef.get(tenant_id, repo_key, ref)?.push_ref;
      });
      for (const ref of refs) yield { tenant_id, repo_key, ref };
    }
  }

  return ({ after, busy }, nowMs) => {
    let hops = 0;
    for (const place of placesBehind(turns.start(after) ?? FIRST, busy)) {
      const newest = findNewest.get(place.tenant_id, place.repo_key, place.ref);
      if (newest !== undefined) turns.taken(place);
      if (newest !== undefined && (newest.push_held_until ?? 0) <= nowMs) {
        return { place, ...newest };
      }
      hops += 1;
      if (hops === PUSH_STORE.CLAIM_HOPS_MAX) {
        turns.stopBehind(place);
        return null;
      }
    }
    return null;
  };
}

/** What stands behind `start`, to the end, then from the first on to `start` itself. */
function* roundFrom<Place extends string | RepositoryPlace>(
  start: Place,
  first: Place,
  next: (place: Place) => Place | undefined,
): Generator<Place> {
  let met: Place | null = null;
  for (let place = next(start); place !== undefined; place = next(place)) {
    met ??= place;
    yield place;
  }
  for (let place = next(first); place !== undefined; place = next(place)) {
    if (met !== null && isSame(place, met)) return;
    yield place;
  }
}

function isSame(a: string | RepositoryPlace, b: string | RepositoryPlace): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  return a.tenant_id === b.tenant_id && a.repo_key === b.repo_key;
}

/** What writing steps look at before they change a push. */
export interface PushRow extends StateRow {
  rfc_id: string;
  push_ref: string;
  push_owner: string | null;
  /** Ms since the epoch; null: nobody has claimed it. */
  push_held_until: number | null;
  vcs_posted: string | null;
}

type PushId = Pick<PushRow, 'tenant_id' | 'rfc_id'>;

/** Finds a push by its id; null also for that of another tenant, and for an RFC without a push. */
function createPushFinder(database: Connection): (id: PushId) => PushRow | null {
  const find = database.prepare<[string, string], PushRow>(PUSH_QUERIES.push);
  return ({ rfc_id, tenant_id }) => find.get(rfc_id, tenant_id) ?? null;
}

/** NOT_FOUND for none. */
function requirePush(push: PushRow | null): PushRow {
  if (push === null) throw unknownRfc();
  return push;
}

/** The steps on what is not judged, and on statuses that hosts received, within a transaction. */
export function createEndSteps(database: Connection, sums: TrendSums, now: () => number) {
  const find = createPushFinder(database);
  const writeEnd = database.prepare(PUSH_QUERIES.supersede);
  const putOffDeleted = database.prepare(PUSH_QUERIES.putOffDeleted);
  const removeDeleted = database.prepare(PUSH_QUERIES.removeDeleted);
  const writeSettled = database.prepare(PUSH_QUERIES.settleStatus);

  const writeReopened = database.prepare(PUSH_QUERIES.reopen);
  const removeRevocation = database.prepare(PUSH_QUERIES.removeRevocation);
  const heads = createHeadSteps(database, now);
  const trends = createTrendSteps(database, sums);

  return {
    supersede({ tenant_id, pushes, by, at }: SupersedeInput): { superseded: number } {
      checkCount('pushes', pushes, PUSH_STORE.GROUP_MAX);
      let superseded = 0;
      for (const { rfc_id, rev } of pushes) {
        const push = find({ tenant_id, rfc_id });
        if (push?.status !== 'DRAFT' || push.rev !== rev) continue;
        const record = supersededPush(parseRecord(push.json), by, at);
        const { overall_status, json, summary } = recordText(record);
        // A host that got no status of it needs none about its end.
        const dueMs = push.vcs_posted === null ? null : now();
        writeEnd.run(overall_status, record.rev, summary, json, dueMs, rfc_id);
        superseded += 1;
      }
      return { superseded };
    },

    /** Takes a head back: the push waits for another verdict. */
    reopen({ record, expectedRev, atMs }: ReopenInput): { rev: number } {
      checkProgress(record, expectedRev);
      const { rfc_id, tenant_id, rev, summary, json, vcs_host } = record;
      const push = requirePush(find({ tenant_id, rfc_id }));
      const before = parseRecord(push.json);
      if (push.rev === rev && push.json === json) return { rev };
      if (push.rev !== expectedRev || !canReopen(before)) throw staleRfc(push);
      const dueMs = vcs_host === null ? null : now();
      heads.changed(before, parseRecord(json), atMs);
      writeReopened.run('DRAFT', rev, summary, json, vcs_host, dueMs, rfc_id, expectedRev);
      trends.counted(rfc_id, '');
      return { rev };
    },

    settleRevocation(tenantId: string, id: string): { ok: true } {
      removeRevocation.run(tenantId, id);
      return { ok: true };
    },

    settle({ tenant_id, rfc_id, rev, posted, dueMs }: SettleInput): { ok: true } {
      const { changes } = writeSettled.run(posted, rev, dueMs, posted, now(), rfc_id, tenant_id);
      if (changes > 0) return { ok: true };
      if (dueMs === null) removeDeleted.run(rfc_id, tenant_id);
      else putOffDeleted.run(dueMs, posted, rfc_id, tenant_id);
      return { ok: true };
    },
  };
}

/** Which heads are accepted, and what they depend on, within a transaction. */
export function createHeadSteps(database: Connection, now: () => number) {
  const findRepo = database.prepare<[string], { push_repo: string | null }>(
    PUSH_QUERIES.repoOfPush,
  );
  const acceptHead = database.prepare(PUSH_QUERIES.acceptHead);
  const addRest = database.prepare(PUSH_QUERIES.addRest);
  const removeRest = database.prepare(PUSH_QUERIES.removeRest);
  const addRevocation = createRevocationWriter(database);

  return {
    /** A push has a verdict. */
    settled(record: RfcRecord): void {
      if (acceptsHead(record)) acceptHead.run(record.rfc_id);
      const { tenant_id, rfc_id, push } = record;
      for (const onId of push?.rests_on ?? []) addRest.run(tenant_id, onId, rfc_id);
    },

    /** Before a record is replaced, or deleted (null): see `headRevoked`. */
    changed(before: RfcRecord, next: RfcRecord | null, at_ms = now()): void {
      const taken = headRevoked(before, next);
      const { tenant_id, rfc_id: id, commit_sha: sha, push } = before;
      const repo_key = taken && findRepo.get(id)?.push_repo;
      if (taken === null || sha === null || !repo_key) return;
      for (const onId of push?.rests_on ?? []) removeRest.run(tenant_id, onId, id);
      addRevocation({ tenant_id, id, repo_key, sha, is_rejected: taken.isRejected, at_ms });
    },
  };
}
