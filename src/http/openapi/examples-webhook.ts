import type { Example } from './example.ts';
import { GATES, PUSHED_COMMIT, RFC_ID, STATS } from './example-values.ts';

const NO_COMMIT = '0000000000000000000000000000000000000000';

/** Pushes: the body is what the host sends, of which only these fields are read. */
export const WEBHOOK_EXAMPLES = {
  webhook: {
    body: {
      ref: 'refs/heads/main',
      before: NO_COMMIT,
      after: PUSHED_COMMIT,
      repository: {
        id: 42,
        full_name: 'acme/checkout',
        default_branch: 'main',
        html_url: 'https://git.example.com/acme/checkout',
      },
      pusher: { name: 'ann' },
    },
    answer: { ok: true, data: { rfc_id: RFC_ID, outcome: 'new' } },
  },
  'webhook-status': {
    path: { repo: 'acme/checkout' },
    query: { wait: 30 },
    answer: {
      ok: true,
      data: {
        rfc_id: RFC_ID,
        tenant_id: 'default',
        diff_hash: 'ccb8a1e04b1d1b2ebd2b2b7f3b3b6ad63c9bbac6b7bd6ff1d6a1d4a3c6c2fa31',
        repo_name: 'acme/checkout',
        branch: 'main',
        commit_message: 'List a directory',
        overall_status: 'BLOCKED',
        risk_score: 86,
        score: {
          change_risk: 10,
          findings_risk: 76,
          factors: ['+77: critical finding vuln-01', '-2: 1 place changed'],
          model: 'change-trees-1',
        },
        created_at: '2026-11-21T19:14:56.530Z',
        updated_at: '2026-11-21T19:14:57.082Z',
        gates: GATES,
        override: null,
        hard_limits: ['vuln-01'],
        override_history: [],
        carried_from: [],
        stats: STATS,
        rules_revision: '0d44dbd845a94eaa',
        trigger: 'webhook',
        diff_source: 'vcs-compare',
        commit_sha: PUSHED_COMMIT,
        repo_full_name: 'acme/checkout',
        ref: 'refs/heads/main',
        post_vcs_status: false,
        vcs_status: null,
        submitted_by: {
          id: 'webhook:hub',
          name: 'ann',
          credential: 'webhook',
          role: 'submitter',
          tenant_id: 'default',
        },
        queue: null,
        push: {
          source: 'webhook',
          delivery_id: '5cd6a3d4-6ad5-11ef-8b1f-0242ac120002',
          before: null,
          default_branch: 'main',
          pusher: 'ann',
          host: 'hub',
          provider: 'github',
          repository_id: '42',
          phase: null,
          base: null,
          base_kind: 'empty-tree',
          rests_on: [],
          commits: 1,
          tries: 0,
          waiting_for: null,
          superseded_by: null,
        },
        rev: 4,
      },
    },
  },
} as const satisfies Record<string, Example>;
