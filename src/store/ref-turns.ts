import { PUSHES } from '../limits.ts';
import type { RefPlace } from './contract/pushes.ts';

type RepoPlace = Pick<RefPlace, 'tenant_id' | 'repo_key'>;

/** Which ref of a repository had its turn last. It decides nothing but the order of claims. */
export interface RefTurns {
  /** '' where none is known: every ref stands behind it. */
  last(repo: RepoPlace): string;
  note(place: RefPlace): void;
}

/** Remembers it for the repositories that were noted last, PUSHES.TURNS_REMEMBERED of them. */
export function createRefTurns(): RefTurns {
  const refs = new Map<string, string>();
  return {
    last: (repo) => refs.get(nameOf(repo)) ?? '',
    note(place) {
      const name = nameOf(place);
      // A map gives its keys in the order in which they came.
      refs.delete(name);
      refs.set(name, place.ref);
      if (refs.size <= PUSHES.TURNS_REMEMBERED) return;
      for (const oldest of refs.keys()) {
        refs.delete(oldest);
        break;
      }
    },
  };
}

function nameOf({ tenant_id, repo_key }: RepoPlace): string {
  return JSON.stringify([tenant_id, repo_key]);
}
