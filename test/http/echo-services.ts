import type { DecisionServices } from '../../src/http/api/handlers-decisions.ts';

/** Services whose answers hold what reached them. */
export function echoServices(): DecisionServices {
  const place = { chain: 'test', seq: 1 };
  return {
    decisions: {
      async decide(ask, { principal, idempotencyKey }) {
        const { rfcId, action, actor, reason, commitSha, repoFullName } = ask;
        const decision = {
          decision_id: 'op',
          action: action === 'delete' ? 'reject' : action,
          principal,
          actor: actor ?? principal.id,
          reason,
          at: new Date(0).toISOString(),
          commit_sha: commitSha,
          repo_full_name: repoFullName,
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
    bulkOverride: {
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
