import type { RefPlace, RepositoryPlace } from '../../model/push.ts';
import { PUSH_STORE } from '../limits.ts';

/**
 * Whose turn it is to be claimed: repositories in turn, and within each its refs. What one daemon
 * remembers of it decides nothing but the order.
 */
export interface Turns {
  /**
   * Behind which repository a search begins: where the last one was given up, else `after`; null:
   * with the first.
   */
  start(after: RepositoryPlace | null): RepositoryPlace | null;
  /** The search was given up behind this repository: the next one goes on there. */
  stopBehind(repo: RepositoryPlace): void;
  /**
   * The ref of a repository that had its turn last; '' where none is known. Without it, a ref that
   * is pushed all the time would be next whenever it is the turn of its repository.
   */
  lastRef(repo: RepositoryPlace): string;
  /** A ref has had its turn. */
  taken(place: RefPlace): void;
}

/** Remembers the refs of PUSH_STORE.TURNS_REMEMBERED repositories, the newest. */
export function createTurns(): Turns {
  const lastRefs = new Map<string, string>();
  let stopped: RepositoryPlace | null = null;
  return {
    start(after) {
      const start = stopped ?? after;
      stopped = null;
      return start;
    },
    stopBehind({ tenant_id, repo_key }) {
      stopped = { tenant_id, repo_key };
    },
    lastRef: (repo) => lastRefs.get(placeName(repo)) ?? '',
    taken(place) {
      const name = placeName(place);
      // A map gives its keys in the order in which they came.
      lastRefs.delete(name);
      lastRefs.set(name, place.ref);
      const [oldest] = lastRefs.keys();
      if (lastRefs.size > PUSH_STORE.TURNS_REMEMBERED && oldest !== undefined) {
        lastRefs.delete(oldest);
      }
    },
  };
}

/** One text for a repository, whatever its tenant and name are made of. */
export function placeName({ tenant_id, repo_key }: RepositoryPlace): string {
  return JSON.stringify([tenant_id, repo_key]);
}
