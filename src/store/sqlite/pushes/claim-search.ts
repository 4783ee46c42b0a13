import { PUSHES } from '../../../limits.ts';
import type { ClaimInput, RefPlace, RepositoryPlace } from '../../contract/pushes.ts';
import { createRefTurns } from '../../ref-turns.ts';
import type { Connection } from '../database.ts';
import { PUSH_QUERIES } from './queries.ts';

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
 * behind the one that was looked at there last. That one is remembered here, else a ref that is
 * pushed all the time would be next whenever it is the turn of its repository. A search that was
 * given up at CLAIM_HOPS_MAX goes on where it stopped.
 *
 * What is on the way costs two look-ups, however many pushes it has.
 */
export function createClaimSearch(
  database: Connection,
): (input: Pick<ClaimInput, 'after' | 'busy'>, nowMs: number) => FoundPush | null {
  const nextRepo = database.prepare<unknown[], RepositoryPlace>(PUSH_QUERIES.nextOpenRepo);
  const nextRef = database.prepare<unknown[], { push_ref: string }>(PUSH_QUERIES.nextOpenRef);
  const findNewest = database.prepare<unknown[], NewestRow>(PUSH_QUERIES.newestOpen);
  const turns = createRefTurns();
  let stoppedAt: RepositoryPlace | null = null;

  function* placesBehind(start: RepositoryPlace, busy: ClaimInput['busy']): Generator<RefPlace> {
    const isBusy = (repo: RepositoryPlace) =>
      busy.some(
        ({ tenant_id, repo_key }) => tenant_id === repo.tenant_id && repo_key === repo.repo_key,
      );
    const repos = roundFrom(start, FIRST, (repo) => nextRepo.get(repo.tenant_id, repo.repo_key));
    for (const repo of repos) {
      const { tenant_id, repo_key } = repo;
      if (isBusy(repo)) {
        yield { tenant_id, repo_key, ref: '' };
        continue;
      }
      const refs = roundFrom(turns.last(repo), '', (ref) => {
        return nextRef.get(tenant_id, repo_key, ref)?.push_ref;
      });
      for (const ref of refs) yield { tenant_id, repo_key, ref };
    }
  }

  return ({ after, busy }, nowMs) => {
    const start = stoppedAt ?? after ?? FIRST;
    stoppedAt = null;
    let hops = 0;
    for (const place of placesBehind(start, busy)) {
      const newest = findNewest.get(place.tenant_id, place.repo_key, place.ref);
      if (newest !== undefined) turns.note(place);
      if (newest !== undefined && (newest.push_held_until ?? 0) <= nowMs) {
        return { place, ...newest };
      }
      hops += 1;
      if (hops === PUSHES.CLAIM_HOPS_MAX) {
        stoppedAt = place;
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
