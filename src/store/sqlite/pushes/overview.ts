import { CraError } from '../../../model/errors.ts';
import { BRANCH_PREFIX } from '../../../model/push.ts';
import { carriedFrom, pinOf, type RfcSummary } from '../../../model/records.ts';
import type { RfcStatus } from '../../../model/rfc.ts';
import type { ProdFacts, ProdHead, ProdInput, ProdView, PushView } from '../../contract/pushes.ts';
import { parseRecord, parseSummary, repoKey } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import { createHeadsReader } from './heads.ts';
import { PUSH_QUERIES } from './queries.ts';

interface FactsRow {
  status: RfcStatus;
  commit_sha: string | null;
  /** The RfcSummary. */
  summary: string;
  /** The record, where somebody has decided about it; else null. */
  decided: string | null;
}

/** Finds what a deployment depends on. */
export function createProdFinder(database: Connection): (input: ProdInput) => ProdView {
  const findNewest = createNewestFinder<FactsRow>(database, {
    ofRepo: PUSH_QUERIES.facts,
    ofBranch: PUSH_QUERIES.factsOfBranch,
    ofCommit: PUSH_QUERIES.factsOfCommit,
  });
  const findDefault = database.prepare<unknown[], { branch: string | null; push_repo: string }>(
    PUSH_QUERIES.defaultBranch,
  );
  const heads = createHeadsReader(database);
  const findSummary = database.prepare<[string], { summary: string }>(PUSH_QUERIES.summary);

  function headOf(view: PushView | null | undefined): ProdHead | null {
    const row = view ? findSummary.get(view.rfc_id) : undefined;
    return view && row ? { ...view, risk_score: parseSummary(row.summary).risk_score } : null;
  }

  return (input) => {
    const { tenant_id, repo_name, commit_sha } = input;
    const row = findNewest(input);
    if (row === undefined) throw new CraError('NOT_FOUND', 'there is no RFC of this kind');
    const newest = factsOf(row);
    if (commit_sha !== null) {
      const head = heads.viewOfCommit({ tenant_id, repo_name, commit_sha });
      return { newest, head: headOf(head) };
    }
    const pushed = findDefault.get(tenant_id, repoKey(repo_name));
    const branch = input.branch ?? pushed?.branch ?? null;
    if (pushed === undefined || branch === null) return { newest, head: null };
    const { push_repo: repo_key } = pushed;
    const [head] = heads.viewsOf({ tenant_id, repo_key, refs: [BRANCH_PREFIX + branch] });
    return { newest, head: headOf(head) };
  };
}

function factsOf({ status, commit_sha, summary, decided }: FactsRow): ProdFacts {
  const { rfc_id, risk_score }: RfcSummary = parseSummary(summary);
  const record = decided === null ? null : parseRecord(decided);
  const pin = record && pinOf(record);
  const carried_from = record === null ? [] : carriedFrom(record);
  return { rfc_id, overall_status: status, risk_score, commit_sha, pin, carried_from };
}

/** What finds the newest row; the columns are those that the statements name. */
interface NewestQueries {
  ofRepo: string;
  ofBranch: string;
  /** The newest ones, with their `branch`. */
  ofCommit: string;
}

/** Finds the newest row of a repository that is not SUPERSEDED, perhaps of a branch or commit. */
function createNewestFinder<Row>(
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
