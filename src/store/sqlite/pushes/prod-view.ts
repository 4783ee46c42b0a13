import { CraError } from '../../../domain/errors.ts';
import { BRANCH_PREFIX } from '../../../domain/push.ts';
import { pinOf, type RfcRecord } from '../../../domain/records.ts';
import type { ProdFacts, ProdInput, ProdView } from '../../../rpc/queue-contract.ts';
import { repoKey } from '../../repo-key.ts';
import { parseRecord } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import { createLatestFinder } from '../latest.ts';
import { createHeadsReader } from './heads.ts';
import { PUSH_QUERIES } from './queries.ts';

/** Finds what a deployment depends on. */
export function createProdFinder(database: Connection): (input: ProdInput) => ProdView {
  const findLatest = createLatestFinder(database);
  const findDefault = database.prepare<unknown[], { branch: string | null }>(
    PUSH_QUERIES.defaultBranch,
  );
  const heads = createHeadsReader(database);

  return (input) => {
    const { tenant_id, repo_name, commit_sha } = input;
    const row = findLatest(input);
    if (row === undefined) throw new CraError('NOT_FOUND', 'there is no RFC of this kind');
    const newest = factsOf(parseRecord(row.json.toString()));
    if (commit_sha !== null) return { newest, head: null };
    const pushed = findDefault.get(tenant_id, repoKey(repo_name));
    const branch = input.branch ?? pushed?.branch ?? null;
    if (pushed === undefined || branch === null) return { newest, head: null };
    const [head] = heads.viewsOf({ tenant_id, repo_name, refs: [BRANCH_PREFIX + branch] });
    return { newest, head: head ?? null };
  };
}

function factsOf(record: RfcRecord): ProdFacts {
  const { rfc_id, overall_status, risk_score, commit_sha } = record;
  return { rfc_id, overall_status, risk_score, commit_sha, pin: pinOf(record) };
}
