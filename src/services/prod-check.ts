import { CraError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { RfcRecord } from '../domain/records.ts';
import type { RfcStatus } from '../domain/rfc.ts';
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
 * Answers whether a repository may deploy: by its newest RFC that is not SUPERSEDED. NOT_FOUND
 * when there is none.
 */
export type ProdCheck = (principal: Principal, question: ProdQuestion) => Promise<ProdDecision>;

/** Creates the check; `baseUrl` tells where people reach the service, without `/api/cra`. */
export function createProdCheck(store: Pick<Store, 'latestRfc'>, baseUrl: () => string): ProdCheck {
  return async ({ tenant_id }, { repo, branch, sha }) => {
    const { json } = await store.latestRfc({ tenant_id, repo_name: repo, branch, commit_sha: sha });
    const record = JSON.parse(Buffer.from(json).toString()) as RfcRecord;
    const refusal = refusalOf(record, sha);
    return {
      allowed: refusal === null,
      rfcId: record.rfc_id,
      riskScore: record.risk_score,
      reason: refusal ?? PERMITS[record.overall_status] ?? '',
      approveUrl: `${baseUrl()}/cra#approve-${record.rfc_id}`,
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
  const { overall_status, override_history } = record;
  const refused = REFUSES[overall_status];
  if (refused !== undefined) return refused;
  if (PERMITS[overall_status] === undefined) {
    throw new CraError('INTERNAL', `an RFC that is ${overall_status} counts for no deployment`);
  }
  const pinned = override_history.findLast((one) => one.action !== 'reject')?.commit_sha ?? null;
  const asked = sha ?? record.commit_sha;
  if (pinned === null || asked?.toLowerCase() === pinned.toLowerCase()) return null;
  // A decision that is pinned to a commit counts for that commit alone.
  return `the decision counts for commit ${pinned} alone; ask with ?sha=`;
}
