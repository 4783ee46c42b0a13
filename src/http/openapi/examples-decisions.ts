import type { Example } from './example.ts';
import { COMMIT, RFC_ID } from './example-values.ts';

/** Decisions and the operations log. */
export const DECISION_EXAMPLES = {
  override: {
    path: {
      rfc_id: RFC_ID,
    },
    body: {
      actor: 'ann@example.com',
      reason: 'The directory comes from a list',
    },
    answer: {
      ok: true,
      data: {
        rfc_id: RFC_ID,
        overall_status: 'OVERRIDDEN',
        decision: {
          decision_id: 'e505c62e-f763-42ee-b4a4-52edbdfcfe80',
          action: 'override',
          principal: {
            id: 'override-token:d46c248b',
            name: null,
            credential: 'override-token',
            role: 'cab-member',
            tenant_id: 'default',
          },
          actor: 'ann@example.com',
          reason: 'The directory comes from a list',
          at: '2026-11-21T19:14:58.316Z',
          commit_sha: null,
          repo_full_name: null,
        },
        op_id: 'e505c62e-f763-42ee-b4a4-52edbdfcfe80',
        audit: {
          chain: '20261121T191442Z-4b6622ae6436c33d',
          seq: 2,
        },
        override: {
          actor: 'ann@example.com',
          reason: 'The directory comes from a list',
        },
      },
    },
  },
  approve: {
    path: {
      rfc_id: RFC_ID,
    },
    body: {
      action: 'approve',
      reason: 'Reviewed by the CAB',
      force_commit_sha: COMMIT,
      force_repo_full_name: 'acme/shop',
    },
    answer: {
      ok: true,
      data: {
        rfc_id: RFC_ID,
        overall_status: 'OVERRIDDEN',
        decision: {
          decision_id: '4ab648db-aa13-45a6-b6df-5cf586b88537',
          action: 'approve',
          principal: {
            id: 'override-token:d46c248b',
            name: null,
            credential: 'override-token',
            role: 'cab-member',
            tenant_id: 'default',
          },
          actor: 'override-token:d46c248b',
          reason: 'Reviewed by the CAB',
          at: '2026-11-21T19:14:58.721Z',
          commit_sha: COMMIT,
          repo_full_name: 'acme/shop',
        },
        op_id: '4ab648db-aa13-45a6-b6df-5cf586b88537',
        audit: {
          chain: '20261121T191442Z-4b6622ae6436c33d',
          seq: 3,
        },
      },
    },
  },
  reject: {
    path: {
      rfc_id: RFC_ID,
    },
    body: {
      reason: 'The directory must come from a list',
    },
    answer: {
      ok: true,
      data: {
        rfc_id: RFC_ID,
        overall_status: 'REJECTED',
        decision: {
          decision_id: 'b3bfc278-525e-4979-b9e8-8eb0e088a4b9',
          action: 'reject',
          principal: {
            id: 'ann',
            name: null,
            credential: 'oidc',
            role: 'admin',
            tenant_id: 'default',
          },
          actor: 'ann',
          reason: 'The directory must come from a list',
          at: '2026-11-21T19:14:59.585Z',
          commit_sha: null,
          repo_full_name: null,
        },
        op_id: 'b3bfc278-525e-4979-b9e8-8eb0e088a4b9',
        audit: {
          chain: '20261121T191442Z-4b6622ae6436c33d',
          seq: 4,
        },
      },
    },
  },
  delete: {
    path: {
      rfc_id: RFC_ID,
    },
    body: {
      reason: 'Sent by mistake',
    },
    answer: {
      ok: true,
      data: {
        rfc_id: RFC_ID,
        overall_status: null,
        decision: null,
        op_id: '8f1a8c40-414f-450f-9d04-e4f6c950bda8',
        audit: {
          chain: '20261121T191442Z-4b6622ae6436c33d',
          seq: 5,
        },
      },
    },
  },
  'delete-post': {
    path: {
      rfc_id: RFC_ID,
    },
    body: {
      reason: 'Sent by mistake',
    },
    answer: {
      ok: true,
      data: {
        rfc_id: RFC_ID,
        overall_status: null,
        decision: null,
        op_id: '8f1a8c40-414f-450f-9d04-e4f6c950bda8',
        audit: {
          chain: '20261121T191442Z-4b6622ae6436c33d',
          seq: 5,
        },
      },
    },
  },
  'bulk-override': {
    body: {
      reason: 'The scanner was mistaken: incident 17',
      rfc_ids: [RFC_ID],
    },
    answer: {
      ok: true,
      data: {
        results: [
          {
            rfc_id: RFC_ID,
            ok: true,
            overall_status: 'OVERRIDDEN',
          },
        ],
        next: null,
        op_id: '35c91a90-6af3-481c-b7e7-abf7e608a5b0',
      },
    },
  },
  'ops-log': {
    body: {
      action: 'deploy',
      description: 'shop 4.2 to production',
      repo: 'acme/shop',
    },
    answer: {
      ok: true,
      data: {
        op_id: 'bd15b22c-5ee0-47cd-a4da-d440c05c3d36',
        audit: {
          chain: '20261121T191442Z-4b6622ae6436c33d',
          seq: 7,
        },
      },
    },
  },
} as const satisfies Record<string, Example>;
