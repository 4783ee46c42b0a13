import type { RefPlace, RepositoryPlace } from '../../../model/push.ts';
import { type RfcRecord, recordText } from '../../../model/records.ts';
import type { ClaimInput, PushWriter } from '../../contract/pushes.ts';
import type { RfcId } from '../../contract/records.ts';
import { leasedPush, staleRfc, unknownRfc } from '../../errors.ts';
import { PUSH_STORE } from '../../limits.ts';
import {
  claimedPush,
  pushClaim,
  requireState,
  supersededPush,
  withPullRequest,
} from '../../steps/push.ts';
import { createTurns, placeName } from '../../steps/turns.ts';
import { canReopen, parseRecord } from '../../stored-record.ts';
import { type Connection, prepared } from '../connection.ts';
import type { Steps, WriterParts } from '../group-commit.ts';
import { createRecordSetter } from '../records.ts';
import { createTrendSteps } from '../trends.ts';
import { createHeadSteps } from './heads.ts';
import { type NewestRow, PUSH_QUERIES, type PushRow } from './queries.ts';

/** Who leases which push, and its progress: the steps as they run within a transaction. */
export function createClaimSteps(database: Connection, now: () => number) {
  const find = createPushFinder(database);
  const queries = prepared(database, PUSH_QUERIES);
  const search = createClaimSearch(database);

  function lease(push: PushRow, owner: string, leaseMs: number): RfcRecord {
    const nowMs = now();
    const record = claimedPush(parseRecord(push.json), nowMs);
    const { json, summary } = recordText(record);
    const hold = [nowMs + leaseMs, owner, null];
    queries.progress.run(record.rev, summary, json, ...hold, record.rfc_id);
    return record;
  }

  return {
    claimPush({ owner, leaseMs, after, busy }) {
      const found = search({ after, busy }, now());
      if (found === null) return { claim: null };
      const { place, rfc_id, seq } = found;
      const { tenant_id, repo_key, ref } = place;
      const record = lease(find({ tenant_id, rfc_id }), owner, leaseMs);
      const older = queries.olderOpen.all(tenant_id, repo_key, ref, seq, PUSH_STORE.GROUP_MAX + 1);
      return { claim: pushClaim(place, record, older) };
    },

    takePush(input) {
      const push = find(input);
      requireState(push, 'DRAFT', input.expectedRev);
      // What its own daemon has put off may be taken up by it sooner.
      const isHeld = (push.push_held_until ?? 0) > now();
      if (isHeld && push.push_owner !== input.owner) throw leasedPush(push.rev);
      return { record: lease(push, input.owner, input.leaseMs) };
    },

    savePush({ record, expectedRev, holdMs, isStatusDue = false }) {
      const { rev, summary, json, vcs_host } = record;
      const push = find(record);
      // Asked again by somebody who did not hear the answer: only the hold begins again.
      const isAgain = push.rev === rev && push.json === json;
      if (push.status !== 'DRAFT' || !(isAgain || push.rev === expectedRev)) throw staleRfc(push);
      const dueMs = isStatusDue && vcs_host !== null ? now() : null;
      const hold = [now() + holdMs, push.push_owner, dueMs];
      queries.progress.run(rev, summary, json, ...hold, push.rfc_id);
      return { rev };
    },

    renewPushes({ owner, pushes, leaseMs }) {
      const leasedUntil = now() + leaseMs;
      for (const { tenant_id, rfc_id } of pushes) {
        queries.renewPush.run(leasedUntil, rfc_id, tenant_id, owner);
      }
      return { ok: true };
    },

    releasePushes: ({ owner }) => ({
      released: queries.releasePushes.run(now(), owner).changes,
    }),
  } satisfies Partial<Steps<PushWriter>>;
}

/** The newest open push of a ref; nobody leases it. */
interface FoundPush extends NewestRow {
  place: RefPlace;
}

/** Before every repository. */
const FIRST: RepositoryPlace = { tenant_id: '', repo_key: '' };

/**
 * Finds who is next: repositories in turn behind `after`, and in each of them the refs in turn
 * behind the ref that was looked at there last. A search that was given up at CLAIM_HOPS_MAX goes
 * on where it stopped. Each step costs two look-ups, however many pushes there are.
 */
function createClaimSearch(
  database: Connection,
): (input: Pick<ClaimInput, 'after' | 'busy'>, nowMs: number) => FoundPush | null {
  const queries = prepared(database, PUSH_QUERIES);
  const turns = createTurns();

  function* placesBehind(start: RepositoryPlace, busy: ClaimInput['busy']): Generator<RefPlace> {
    const busyNames = new Set(busy.map(placeName));
    const repos = roundFrom(start, FIRST, (repo) =>
      queries.nextOpenRepo.get(repo.tenant_id, repo.repo_key),
    );
    for (const repo of repos) {
      const { tenant_id, repo_key } = repo;
      if (busyNames.has(placeName(repo))) {
        yield { tenant_id, repo_key, ref: '' };
        continue;
      }
      const refs = roundFrom(turns.lastRef(repo), '', (ref) => {
        return queries.nextOpenRef.get(tenant_id, repo_key, ref)?.push_ref;
      });
      for (const ref of refs) yield { tenant_id, repo_key, ref };
    }
  }

  return ({ after, busy }, nowMs) => {
    let hops = 0;
    for (const place of placesBehind(turns.start(after) ?? FIRST, busy)) {
      const newest = queries.newestOpen.get(place.tenant_id, place.repo_key, place.ref);
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

/** Finds a push by its id; NOT_FOUND also for that of another tenant, and for no push. */
function createPushFinder(database: Connection): (id: RfcId) => PushRow {
  const { push } = prepared(database, PUSH_QUERIES);
  return ({ rfc_id, tenant_id }) => {
    const found = push.get(rfc_id, tenant_id);
    if (found === undefined) throw unknownRfc();
    return found;
  };
}

/** The steps on what is not judged, and on statuses that hosts received, within a transaction. */
export function createEndSteps({ database, commits, now }: WriterParts) {
  const find = createPushFinder(database);
  const queries = prepared(database, PUSH_QUERIES);
  const heads = createHeadSteps(database, now);
  const trends = createTrendSteps(database, commits.trends);
  const setRecord = createRecordSetter(database);

  return {
    supersedePushes({ tenant_id, pushes, by, at }) {
      let superseded = 0;
      for (const { rfc_id, rev } of pushes) {
        const push = queries.push.get(rfc_id, tenant_id);
        if (push?.status !== 'DRAFT' || push.rev !== rev) continue;
        const record = supersededPush(parseRecord(push.json), by, at);
        const { overall_status, json, summary } = recordText(record);
        // A host that got no status of it, and was asked to take none, needs none about its end.
        const dueMs = push.vcs_posted === null ? null : now();
        queries.supersede.run(overall_status, record.rev, summary, json, dueMs, rfc_id);
        superseded += 1;
      }
      return { superseded };
    },

    /** Revokes a head: the push waits for another verdict. */
    reopenPush({ record, expectedRev, atMs }) {
      const { rfc_id, tenant_id, rev, summary, json, vcs_host } = record;
      const push = find({ tenant_id, rfc_id });
      const before = parseRecord(push.json);
      if (push.rev === rev && push.json === json) return { rev };
      if (push.rev !== expectedRev || !canReopen(before)) throw staleRfc(push);
      const dueMs = vcs_host === null ? null : now();
      heads.changed(before, parseRecord(json), atMs);
      queries.reopen.run('DRAFT', rev, summary, json, vcs_host, dueMs, rfc_id, expectedRev);
      trends.counted(rfc_id, '');
      return { rev };
    },

    notePullRequest(input) {
      const next = withPullRequest(find(input), input);
      setRecord(next);
      return { rev: next.rev };
    },

    settleRevocation({ tenant_id, id }) {
      queries.removeRevocation.run(tenant_id, id);
      return { ok: true };
    },

    settleStatus({ tenant_id, rfc_id, rev, posted, dueMs }) {
      const status = [posted, rev, dueMs, posted, now()];
      const { changes } = queries.settleStatus.run(...status, rfc_id, tenant_id);
      if (changes > 0) return { ok: true };
      if (dueMs === null) queries.removeDeleted.run(rfc_id, tenant_id);
      else queries.putOffDeleted.run(dueMs, posted, rfc_id, tenant_id);
      return { ok: true };
    },
  } satisfies Partial<Steps<PushWriter>>;
}
