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
  const latest = database.prepare<unknown[], ViewRow>(QUERIES.latest);
  const ofBranch = database.prepare<unknown[], ViewRow>(QUERIES.latestOfBranch);
  const ofCommit = database.prepare<unknown[], ViewRow & { branch: string }>(
    QUERIES.latestOfCommit,
  );

  return ({ tenant_id: tenant, repo_name, branch, commit_sha }) => {
    const key = repoKey(repo_name);
    if (commit_sha !== null) {
      for (const row of ofCommit.iterate(tenant, key, commit_sha)) {
        if (branch === null || row.branch === branch) return row;
      }
      return undefined;
    }
    return branch === null ? latest.get(tenant, key) : ofBranch.get(tenant, key, branch);
  };
}
