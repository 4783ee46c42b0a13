import type { Example } from './example.ts';
import { FINDING_ID, RFC_ID, TASK_ID } from './example-values.ts';

/** Deployments, tasks, usage. */
export const DESK_EXAMPLES = {
  'prod-check': {
    path: {
      repo: 'acme/shop',
    },
    query: {
      branch: 'main',
    },
    answer: {
      ok: true,
      data: {
        allowed: false,
        rfcId: RFC_ID,
        riskScore: 86,
        reason: 'the newest change is blocked',
        approveUrl: 'https://cra.example.com/cra#approve-RFC-01A1FF8880DF85FB46C889901EC',
        latest_rfc_id: RFC_ID,
      },
    },
  },
  'claude-task': {
    body: {
      findingId: FINDING_ID,
    },
    answer: {
      ok: true,
      data: {
        taskId: TASK_ID,
        findingId: FINDING_ID,
        title: 'vuln-01 in acme/shop, server/files.js',
        severity: 'critical',
        description:
          'a shell command in exec (line 4) is made from data from outside: req.query.dir (line 4)',
        suggestedFix:
          'Call execFile or spawn with the program and an array of arguments, without a shell, and check the arguments against a list of allowed values.',
        filePath: 'server/files.js',
        lineHint: 4,
        status: 'pending',
        created: true,
      },
    },
  },
  'pending-tasks': {
    query: {
      limit: 10,
    },
    answer: {
      ok: true,
      data: [
        {
          taskId: TASK_ID,
          findingId: FINDING_ID,
          title: 'vuln-01 in acme/shop, server/files.js',
          severity: 'critical',
          description:
            'a shell command in exec (line 4) is made from data from outside: req.query.dir (line 4)',
          suggestedFix:
            'Call execFile or spawn with the program and an array of arguments, without a shell, and check the arguments against a list of allowed values.',
          filePath: 'server/files.js',
          lineHint: 4,
        },
      ],
      next_cursor: null,
    },
  },
  'pending-tasks-post': {
    query: {
      limit: 10,
    },
    answer: {
      ok: true,
      data: [
        {
          taskId: TASK_ID,
          findingId: FINDING_ID,
          title: 'vuln-01 in acme/shop, server/files.js',
          severity: 'critical',
          description:
            'a shell command in exec (line 4) is made from data from outside: req.query.dir (line 4)',
          suggestedFix:
            'Call execFile or spawn with the program and an array of arguments, without a shell, and check the arguments against a list of allowed values.',
          filePath: 'server/files.js',
          lineHint: 4,
        },
      ],
      next_cursor: null,
    },
  },
  'task-status': {
    body: {
      taskId: TASK_ID,
      status: 'done',
      markFixed: true,
    },
    answer: {
      ok: true,
      data: {
        taskId: TASK_ID,
        findingId: FINDING_ID,
        status: 'done',
      },
    },
  },
  'usage-log': {
    body: {
      provider: 'anthropic',
      model: 'claude-opus',
      input_tokens: 1000,
      output_tokens: 200,
      cost_usd: 0.0123,
    },
    answer: {
      ok: true,
      data: {
        usage_id: '651916b0-203c-486d-a130-ddeeb808bd49',
      },
    },
  },
  'usage-total': {
    query: {
      hours: 24,
    },
    answer: {
      ok: true,
      data: {
        hours: 24,
        since: '2026-11-20T19:15:00.575Z',
        calls: 1,
        input_tokens: 1000,
        output_tokens: 200,
        cache_creation_tokens: 0,
        cache_read_tokens: 0,
        cost_usd: 0.0123,
      },
    },
  },
  'usage-summary': {
    query: {
      since: '2026-11-01',
    },
    answer: {
      ok: true,
      data: {
        since: '2026-11-01',
        days: [
          {
            date: '2026-11-21',
            provider: 'anthropic',
            model: 'claude-opus',
            calls: 1,
            input_tokens: 1000,
            output_tokens: 200,
            cache_creation_tokens: 0,
            cache_read_tokens: 0,
            cost_usd: 0.0123,
          },
        ],
        total: {
          calls: 1,
          input_tokens: 1000,
          output_tokens: 200,
          cache_creation_tokens: 0,
          cache_read_tokens: 0,
          cost_usd: 0.0123,
        },
      },
    },
  },
} as const satisfies Record<string, Example>;
