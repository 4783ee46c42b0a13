import type { MongoClient, TopologyDescription } from 'mongodb';
import { STORE } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';

/** Who takes writes, as the driver's monitors see it. */
export interface PrimaryWatch {
  /**
   * Throws UNAVAILABLE when nobody takes writes and nobody did for as long as an operation would
   * wait: so only the first ones wait, and the rest is told at once until somebody is there.
   */
  requirePrimary(): void;
  /**
   * Names the term of the primary: what it took within one term, it keeps or loses in that order.
   * Null when there is none, and behind a mongos, which does not tell.
   */
  term(): string | null;
}

const TAKES_WRITES: ReadonlySet<string> = new Set(['RSPrimary', 'Mongos', 'Standalone']);

/** Watches a client that is not connected yet. */
export function watchPrimary(client: MongoClient): PrimaryWatch {
  /** By performance.now(); null: there is a primary. */
  let missingSince: number | null = null;
  let term: string | null = null;
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    term = termOf(newDescription);
    if (hasPrimary(newDescription)) missingSince = null;
    else missingSince ??= performance.now();
  });
  return {
    term: () => term,
    requirePrimary() {
      if (missingSince === null) return;
      if (performance.now() - missingSince < STORE.SERVER_SELECTION_MS) return;
      throw new CraError('UNAVAILABLE', 'the database of the store can not be reached');
    },
  };
}

function hasPrimary({ servers }: TopologyDescription): boolean {
  return [...servers.values()].some(({ type }) => TAKES_WRITES.has(type));
}

function termOf({ servers }: TopologyDescription): string | null {
  const primary = [...servers.values()].find(({ type }) => type === 'RSPrimary');
  const election = primary?.electionId ?? null;
  return election === null ? null : `${election.toHexString()} ${primary?.address}`;
}
