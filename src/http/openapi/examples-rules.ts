import type { Example } from './example.ts';

const RULES = {
  version: 1,
  allow_empty: true,
  risk_patterns: [
    {
      id: 'risk-kill-switch',
      description: 'The kill switch is touched',
      regex: 'KILL_SWITCH\\s*=',
      keywords: ['kill_switch'],
      severity: 'high',
      message: 'the kill switch changes',
      source: 'https://wiki.example/kill-switch',
      examples: {
        match: ['KILL_SWITCH = 1'],
        noMatch: ['kill_switches = 1'],
      },
    },
  ],
} as const;

/** Rules and the state of the service. */
export const RULES_EXAMPLES = {
  'rules-put': {
    query: {
      comment: 'kill switch',
    },
    body: RULES,
    answer: {
      ok: true,
      data: {
        number: 1,
        revision: '65df9ce2ef0dd7be',
        source: 'api',
        text_sha256: '87127edb86ba497d7f07272a9e55ae5b5577097bb66eeec62b22b1879e9d33b1',
        added_at: '2026-11-21T19:15:04.129Z',
        added_by: 'ann',
        comment: 'kill switch',
      },
    },
  },
  rules: {
    answer: {
      ok: true,
      data: {
        version: 1,
        allow_empty: true,
        risk_patterns: [
          {
            id: 'risk-kill-switch',
            description: 'The kill switch is touched',
            regex: 'KILL_SWITCH\\s*=',
            keywords: ['kill_switch'],
            severity: 'high',
            message: 'the kill switch changes',
            source: 'https://wiki.example/kill-switch',
            examples: {
              match: ['KILL_SWITCH = 1'],
              noMatch: ['kill_switches = 1'],
            },
          },
        ],
        secret_patterns: [],
        vulnerability_patterns: [],
        allowlists: [],
        pipeline: {
          block_severities: ['critical', 'high'],
          block_score: null,
        },
      },
    },
  },
  'rules-revisions': {
    answer: {
      ok: true,
      data: [
        {
          number: 1,
          revision: '65df9ce2ef0dd7be',
          source: 'api',
          text_sha256: '87127edb86ba497d7f07272a9e55ae5b5577097bb66eeec62b22b1879e9d33b1',
          added_at: '2026-11-21T19:15:04.129Z',
          added_by: 'ann',
          comment: 'kill switch',
        },
      ],
    },
  },
  'rules-revision': {
    path: {
      number: '1',
    },
    answer: {
      ok: true,
      data: RULES,
    },
  },
  'rules-restore': {
    path: {
      number: '1',
    },
    answer: {
      ok: true,
      data: {
        number: 2,
        revision: '65df9ce2ef0dd7be',
        source: 'api',
        text_sha256: '87127edb86ba497d7f07272a9e55ae5b5577097bb66eeec62b22b1879e9d33b1',
        added_at: '2026-11-21T19:15:06.083Z',
        added_by: 'ann',
        comment: 'back to revision 1',
      },
    },
  },
  status: {
    answer: {
      ok: true,
      data: {
        version: '0.1.0',
        started_at: '2026-11-21T19:14:55.771Z',
        store: {
          state: 'up',
          driver: 'sqlite',
          error: null,
        },
        audit: {
          worm: 'tamper-evident',
          problems: [
            'SQLite can not refuse its own writer: what is changed or removed in the file is found by `cra audit verify`, not prevented',
          ],
          state: 'up',
          chain: '20261121T191442Z-4b6622ae6436c33d',
          seq: 9,
          bytes: 6579,
          bytes_max: null,
          last_checkpoint: null,
          open_intents: 0,
        },
        queue: {
          state: 'up',
          running: 0,
          waiting: 0,
          drafts: 0,
        },
        pushes: {
          state: 'up',
          waiting: 0,
          oldest_seconds: null,
          running: 0,
          webhooks_ignored: 0,
          statuses_due: 0,
          statuses_posted: 0,
          statuses_failed: 0,
          hosts: [{ id: 'hub', state: 'off', error: null }],
        },
        git: { state: 'up', version: '2.39.5' },
        pool: {
          state: 'up',
          threads: 2,
          busy: 0,
          replaced: 0,
        },
        rules: {
          state: 'up',
          number: 2,
          revision: '65df9ce2ef0dd7be',
          problems: [],
          warnings: [
            'there are no secret_patterns: allow_empty is set',
            'there are no vulnerability_patterns: allow_empty is set',
          ],
        },
        oidc: {
          state: 'up',
        },
        llm: {
          state: 'not configured',
          spent_today_usd: null,
          tiers: [],
        },
        object_storage: {
          state: 'not configured',
        },
      },
    },
  },
  health: {
    answer: {
      ok: true,
      data: {
        status: 'ok',
      },
      status: 'ok',
    },
  },
} as const satisfies Record<string, Example>;
