import type { BulkOverride } from '../../src/decisions/bulk-override.ts';
import type { Decisions } from '../../src/decisions/decisions.ts';
import type { OpsLog } from '../../src/decisions/ops-log.ts';
import type { AskReview } from '../../src/decisions/remarks.ts';
import { createOpsLogHandlers, OPS_LOG_ROUTES } from '../../src/http/api/audit.ts';
import {
  BULK_OVERRIDE_ROUTES,
  createBulkOverrideHandlers,
  createDecisionHandlers,
  DECISION_ROUTES,
} from '../../src/http/api/decisions.ts';
import { createReviewHandlers, REVIEW_ROUTES } from '../../src/http/api/remarks.ts';

export interface DecisionServices {
  decisions: Decisions;
  askReview: AskReview;
  bulkOverride: BulkOverride;
  opsLog: OpsLog;
}

/** All routes that write decisions or events to the audit trail. */
export const AUDITED_ROUTES = [
  ...DECISION_ROUTES,
  ...REVIEW_ROUTES,
  ...BULK_OVERRIDE_ROUTES,
  ...OPS_LOG_ROUTES,
];

/** The handlers of AUDITED_ROUTES. */
export function auditedHandlers({ decisions, askReview, bulkOverride, opsLog }: DecisionServices) {
  return {
    ...createDecisionHandlers(decisions),
    ...createReviewHandlers(askReview),
    ...createBulkOverrideHandlers(bulkOverride),
    ...createOpsLogHandlers(opsLog),
  };
}

/** Services whose answers hold what reached them. */
export function echoServices(): DecisionServices {
  const place = { chain: 'test', seq: 1 };
  return {
    decisions: {
      async decide(ask, { principal, idempotencyKey }) {
        const { rfcId, action, actor, reason, commit_sha, repo_full_name } = ask;
        const decision = {
          decision_id: 'op',
          action: action === 'delete' ? 'reject' : action,
          principal,
          actor: actor ?? principal.id,
          reason,
          at: new Date(0).toISOString(),
          commit_sha,
          repo_full_name,
        };
        return {
          rfc_id: rfcId,
          overall_status: 'OVERRIDDEN',
          decision,
          op_id: JSON.stringify(ask),
          audit: place,
          replayed: idempotencyKey === 'again',
        };
      },
    },
    async askReview({ rfcId: rfc_id, reason }, { idempotencyKey }) {
      const op_id = JSON.stringify({ rfc_id, reason });
      const replayed = idempotencyKey === 'again';
      return {
        rfc_id,
        review_id: op_id,
        overall_status: 'PASSED',
        op_id,
        audit: place,
        replayed,
      };
    },
    bulkOverride: {
      preview: async () => ({ json: '[]', next_cursor: null }),
      async override(ask) {
        return { results: [], next: null, op_id: JSON.stringify(ask), replayed: false };
      },
    },
    opsLog: {
      async write(event) {
        return { op_id: JSON.stringify(event), audit: place, replayed: false };
      },
    },
  };
}
