import { CraError } from '../../../domain/errors.ts';
import { BRANCH_PREFIX } from '../../../domain/push.ts';
import type { ProdInput, ProdView } from '../../../rpc/queue-contract.ts';
import { repoKey } from '../../repo-key.ts';
import { parseRecord, prodFacts } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import { QUERIES } from '../queries.ts';
import type { ViewRow } from '../reading.ts';
import { createHeadsReader } from './heads.ts';
import { PUSH_QUERIES } from './queries.ts';

/** Finds what a deployment depends on. */
export function createProdFinder(database: Connection): (input: ProdInput) => ProdView {
  const findNewest = createNewestFinder(database);
  const findDefault = database.prepare<unknown[], { branch: string | null }>(
    PUSH_QUERIES.defaultBranch,
  );
  const heads = createHeadsReader(database);

  return (input) => {
    const { tenant_id, repo_name, commit_sha } = input;
    const row = findNewest(input);
    if (row === undefined) throw new CraError('NOT_FOUND', 'there is no RFC of this kind');
    const newest = prodFacts(parseRecord(row.json.toString()));
    if (commit_sha !== null) return { newest, head: null };
    const pushed = findDefault.get(tenant_id, repoKey(repo_name));
    const branch = input.branch ?? pushed?.branch ?? null;
    if (pushed === undefined || branch === null) return { newest, head: null };
    const [head] = heads.viewsOf({ tenant_id, repo_name, refs: [BRANCH_PREFIX + branch] });
    return { newest, head: head ?? null };
  };
}

/** The newest row of a repository that is not SUPERSEDED, perhaps of a branch or commit. */
function createNewestFinder(database: Connection): (input: ProdInput) => ViewRow | undefined {
  const newest = database.prepare<unknown[], ViewRow>(QUERIES.latest);
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
    return branch === null ? newest.get(tenant, key) : ofBranch.get(tenant, key, branch);
  };
}
