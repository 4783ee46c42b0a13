import { approveUrl } from '../domain/approve-url.ts';
import { commitId } from '../domain/commit-id.ts';
import { CraError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { pinOf, type RfcRecord } from '../domain/records.ts';
import type { RfcStatus } from '../domain/rfc.ts';
import type { LatestInput } from '../rpc/contract.ts';
import type { Store } from '../store/store.ts';

/** The answer of `GET prod-check/<repo>` (spec, Production-check decision). */
export interface ProdDecision {
  allowed: boolean;
  rfcId: string;
  riskScore: number;
  reason: string;
  approveUrl: string;
}

/** What narrows the question; null: the newest RFC of the repository. */
export interface ProdQuestion {
  repo: string;
  branch: string | null;
  sha: string | null;
}

/**
 * Answers whether a repository may deploy: by its newest RFC that is not SUPERSEDED. With a commit
 * by the newest one of that commit; when there is none, by the newest of all if its decision is
 * pinned to that commit. NOT_FOUND when there is none.
 */
export type ProdCheck = (principal: Principal, question: ProdQuestion) => Promise<ProdDecision>;

/** Creates the check; `baseUrl` tells where people reach the service, without `/api/cra`. */
export function createProdCheck(store: Pick<Store, 'latestRfc'>, baseUrl: () => string): ProdCheck {
  async function newest(input: LatestInput): Promise<RfcRecord> {
    const { json } = await store.latestRfc(input);
    return JSON.parse(Buffer.from(json).toString()) as RfcRecord;
  }

  /** An RFC that came without its commit may have been approved for one. */
  async function ofCommit(input: LatestInput, sha: string): Promise<RfcRecord> {
    try {
      return await newest({ ...input, commit_sha: sha });
    } catch (thrown) {
      if (!(thrown instanceof CraError) || thrown.code !== 'NOT_FOUND') throw thrown;
      const record = await newest(input);
      if (pinOf(record) === sha) return record;
      throw thrown;
    }
  }

  return async ({ tenant_id }, { repo, branch, sha: asked }) => {
    const input = { tenant_id, repo_name: repo, branch, commit_sha: null };
    const sha = asked === null ? null : commitId(asked);
    const record = await (sha === null ? newest(input) : ofCommit(input, sha));
    const refusal = refusalOf(record, sha);
    return {
      allowed: refusal === null,
      rfcId: record.rfc_id,
      riskScore: record.risk_score,
      reason: refusal ?? PERMITS[record.overall_status] ?? '',
      approveUrl: approveUrl(baseUrl(), record.rfc_id),
    };
  };
}

const PERMITS: Partial<Record<RfcStatus, string>> = {
  PASSED: 'the newest change passed all gates',
  APPROVED: 'the newest change was approved',
  OVERRIDDEN: 'the newest change was blocked, and overridden',
};

const REFUSES: Partial<Record<RfcStatus, string>> = {
  DRAFT: 'the analysis of the newest change has not ended',
  BLOCKED: 'the newest change is blocked',
  REJECTED: 'the newest change was rejected',
};

/** Why it may not deploy; null: it may. */
function refusalOf(record: RfcRecord, sha: string | null): string | null {
  const { overall_status } = record;
  const refused = REFUSES[overall_status];
  if (refused !== undefined) return refused;
  if (PERMITS[overall_status] === undefined) {
    throw new CraError('INTERNAL', `an RFC that is ${overall_status} counts for no deployment`);
  }
  const pinned = pinOf(record);
  if (pinned === null || (sha ?? record.commit_sha) === pinned) return null;
  // A decision that is pinned to a commit counts for that commit alone.
  return `the decision counts for commit ${pinned} alone; ask with ?sha=`;
}
