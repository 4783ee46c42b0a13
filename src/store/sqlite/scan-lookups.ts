import Database from 'better-sqlite3';
import type { AcceptedFingerprint } from '../../model/rules.ts';
import { STORE } from '../contract/limits.ts';
import type { AcceptedInput } from '../contract/trail.ts';
import { repoKey } from '../stored-record.ts';
import { type Connection, storePaths } from './database.ts';
import { QUERIES } from './queries.ts';

/** Finds which fingerprints are accepted in a repository: one look-up for each. */
export function createAcceptedFinder(
  database: Connection,
): (input: AcceptedInput) => AcceptedFingerprint[] {
  const find = database.prepare<[string, string, string], { by: string; reason: string }>(
    QUERIES.acceptedNow,
  );
  return ({ tenant_id, repo_name, fingerprints }) => {
    const key = repoKey(repo_name);
    return [...new Set(fingerprints)].flatMap((fingerprint) => {
      const row = find.get(tenant_id, key, fingerprint);
      return row === undefined ? [] : [{ fingerprint, ...row, repo: repo_name }];
    });
  };
}

/** What a scan thread wants to know of the store. */
export interface ScanLookups {
  acceptedAmong(input: AcceptedInput): Promise<{ accepted: AcceptedFingerprint[] }>;
}

/**
 * Reads it in the thread that asks, from a database that the writer has opened before: a few rows
 * by their keys, each a view of its own. The connection is opened at its first use.
 */
export function createScanLookups(dataDir: string): ScanLookups {
  let opened: ReturnType<typeof openLookups> | null = null;
  const open = () => {
    opened ??= openLookups(storePaths(dataDir).database);
    return opened;
  };
  return {
    acceptedAmong: async (input) => ({ accepted: open()(input) }),
  };
}

function openLookups(file: string): ReturnType<typeof createAcceptedFinder> {
  const database = new Database(file, {
    readonly: true,
    fileMustExist: true,
    timeout: STORE.LOOKUP_MS,
  });
  database.pragma('trusted_schema = OFF');
  return createAcceptedFinder(database);
}
