import { PUSHES } from '../../../limits.ts';
import type { RefPlace, RepositoryPlace } from '../../contract/pushes.ts';
import type { RepoRange } from './queries.ts';

/** Whose turn it is. What is remembered decides nothing but the order. */
export interface Turns {
  /** All repositories, beginning behind `after`; behind where a search was given up, if one was. */
  from(after: RepositoryPlace | null): RepoRange[];
  /** The search was given up behind this one: the next goes on there. */
  stopBehind(repo: RepositoryPlace): void;
  /**
   * The ref that was claimed last in the repository; '': none that is remembered. Without it, a
   * ref that is pushed all the time would be next whenever the turn is at its repository.
   */
  lastRef(repo: RepositoryPlace): string;
  claimed(place: RefPlace): void;
}

/** The turns of one daemon; those that were not there for longest are forgotten. */
export function createTurns(): Turns {
  const lastRefs = new Map<string, string>();
  let stopped: RepositoryPlace | null = null;
  return {
    from(after) {
      const start = stopped ?? after;
      stopped = null;
      const everything = { after: null, upTo: start };
      return start === null ? [everything] : [{ after: start, upTo: null }, everything];
    },
    stopBehind(repo) {
      stopped = repo;
    },
    lastRef: (repo) => lastRefs.get(placeName(repo)) ?? '',
    claimed(place) {
      const name = placeName(place);
      lastRefs.delete(name);
      lastRefs.set(name, place.ref);
      const [oldest] = lastRefs.keys();
      if (lastRefs.size > PUSHES.TURNS_REMEMBERED && oldest !== undefined) {
        lastRefs.delete(oldest);
      }
    },
  };
}

/** One text for a repository, whatever its tenant and name are made of. */
export function placeName({ tenant_id, repo_key }: RepositoryPlace): string {
  return JSON.stringify([tenant_id, repo_key]);
}
