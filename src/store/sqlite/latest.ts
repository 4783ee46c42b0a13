import type { ProdInput } from '../contract/pushes.ts';
import { repoKey } from '../repo-key.ts';
import type { Connection } from './database.ts';

/** What finds the newest row; the columns are those that the statements name. */
interface NewestQueries {
  ofRepo: string;
  ofBranch: string;
  /** The newest ones, with their `branch`. */
  ofCommit: string;
}

/** Finds the newest row of a repository that is not SUPERSEDED, perhaps of a branch or commit. */
export function createNewestFinder<Row>(
  database: Connection,
  queries: NewestQueries,
): (input: ProdInput) => Row | undefined {
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
