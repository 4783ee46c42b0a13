import type { RfcStatus } from '../../domain/rfc.ts';
import type { LatestInput } from '../../rpc/contract.ts';
import { repoKey } from '../repo-key.ts';
import type { Connection } from './database.ts';
import { QUERIES } from './queries.ts';

/** A record as it stands in a row. */
export interface ViewRow {
  status: RfcStatus;
  rev: number;
  json: Buffer;
}

/** The newest row of a repository that is not SUPERSEDED, perhaps of a branch or commit. */
export function createLatestFinder(
  database: Connection,
): (input: LatestInput) => ViewRow | undefined {
  const { latest, latestOfBranch, latestOfCommit } = QUERIES;
  return createNewestFinder(database, {
    ofRepo: latest,
    ofBranch: latestOfBranch,
    ofCommit: latestOfCommit,
  });
}

/** What finds the newest row; the columns are those that the statements name. */
interface NewestQueries {
  ofRepo: string;
  ofBranch: string;
  /** The newest ones, with their `branch`. */
  ofCommit: string;
}

/** The same with other columns. */
export function createNewestFinder<Row>(
  database: Connection,
  queries: NewestQueries,
): (input: LatestInput) => Row | undefined {
  const ofRepo = database.prepare<unknown[], Row>(queries.ofRepo);
  const ofBranch = database.prepare<unknown[], Row>(queries.ofBranch);
  const ofCommit = database.prepare<unknown[], Row & { branch: string }>(queries.ofCommit);

  return ({ tenant_id: tenant, repo_name, branch, commit_sha }) => {
    const key = repoKey(repo_name);
    if (commit_sha !== null) {
      for (const row of ofCommit.iterate(tenant, key, commit_sha)) {
        if (branch === null || row.branch === branch) return row;
      }
      return undefined;
    }
    return branch === null ? ofRepo.get(tenant, key) : ofBranch.get(tenant, key, branch);
  };
}
