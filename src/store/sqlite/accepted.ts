import type { AcceptedFingerprint } from '../../model/rules.ts';
import type { AcceptedInput } from '../contract/trail.ts';
import { repoKey } from '../stored-record.ts';
import type { Connection } from './database.ts';
import { QUERIES } from './queries.ts';

/** Whose fingerprints: what a decision accepts holds in the repository of its RFC. */
interface AcceptingRfc {
  tenant_id: string;
  rfc_id: string;
  repo_name: string;
}

/** Writes what decisions accept and withdraw, within their transaction. */
export interface AcceptedWriter {
  add(rfc: AcceptingRfc, fingerprints: readonly AcceptedFingerprint[], at: string): void;
  /** How many fingerprints decisions about this RFC have accepted. */
  count(rfc: AcceptingRfc): number;
  /** Takes them back; where another RFC accepted the same, that stays. */
  withdraw(rfc: AcceptingRfc): void;
}

/** The accepted fingerprints of a database that is open for writing. */
export function createAcceptedWriter(database: Connection): AcceptedWriter {
  const insert = database.prepare(QUERIES.accept);
  const countRows = database.prepare<[string, string], { count: number }>(QUERIES.acceptedByRfc);
  const remove = database.prepare(QUERIES.withdraw);
  return {
    add({ tenant_id, rfc_id, repo_name }, fingerprints, at) {
      for (const { fingerprint, by = '', reason } of fingerprints) {
        insert.run(tenant_id, repoKey(repo_name), fingerprint, rfc_id, by, reason, at);
      }
    },
    count: ({ tenant_id, rfc_id }) => countRows.get(tenant_id, rfc_id)?.count ?? 0,
    withdraw({ tenant_id, rfc_id }) {
      remove.run(tenant_id, rfc_id);
    },
  };
}

/** Finds which fingerprints are accepted in a repository: one look-up for each. */
export function createAcceptedFinder(
  database: Connection,
): (input: AcceptedInput) => AcceptedFingerprint[] {
  const find = database.prepare<[string, string, string], { by: string; reason: string }>(
    QUERIES.accepted,
  );
  return ({ tenant_id, repo_name, fingerprints }) => {
    const key = repoKey(repo_name);
    return [...new Set(fingerprints)].flatMap((fingerprint) => {
      const row = find.get(tenant_id, key, fingerprint);
      return row === undefined ? [] : [{ fingerprint, ...row, repo: repo_name }];
    });
  };
}
