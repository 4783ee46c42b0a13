import type { Example } from './example.ts';
import { COMMIT, DIFF, FINDING_ID, GATES, RFC_ID, STATS } from './example-values.ts';

/** RFCs: what the requests and answers look like. */
export const RFC_EXAMPLES = {
  analyze: {
    body: {
      repo_name: 'acme/shop',
      branch: 'main',
      commit_message: 'List a directory',
      diff: DIFF,
      diffSource: 'local',
      commitSha: COMMIT,
    },
    answer: {
      ok: true,
      data: {
        rfc_id: RFC_ID,
        diff_hash: '2bf04e771f221448fedee099ac6885ea4b489d28cbb0a1737e5e367f23deaed8',
        overall_status: 'BLOCKED',
        risk_score: 86,
        gates: GATES,
        stats: STATS,
      },
    },
  },
  sarif: {
    path: {
      rfc_id: RFC_ID,
    },
    answer: {
      $schema:
        'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'cra',
              fullName: 'Change-Risk Analysis',
              rules: [
                {
                  id: 'vuln-01',
                  shortDescription: {
                    text: 'Command injection',
                  },
                  help: {
                    text: 'Call execFile or spawn with the program and an array of arguments, without a shell, and check the arguments against a list of allowed values.',
                  },
                  defaultConfiguration: {
                    level: 'error',
                  },
                  properties: {
                    tags: ['security', 'vuln', 'external/cwe/cwe-078'],
                    'security-severity': '9.5',
                  },
                },
              ],
            },
          },
          invocations: [
            {
              executionSuccessful: true,
              toolExecutionNotifications: [
                {
                  level: 'note',
                  message: {
                    text: 'gate llm did not run: no_tier',
                  },
                },
              ],
            },
          ],
          columnKind: 'unicodeCodePoints',
          results: [
            {
              ruleId: 'vuln-01',
              ruleIndex: 0,
              level: 'error',
              message: {
                text: 'a shell command in exec (line 4) is made from data from outside: req.query.dir (line 4)',
              },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: {
                      uri: 'server/files.js',
                      uriBaseId: '%SRCROOT%',
                    },
                    region: {
                      startLine: 4,
                      startColumn: 3,
                      snippet: {
                        text: 'exec("ls " + req.query.dir, (error, out) => res.send(out));',
                      },
                    },
                  },
                },
              ],
              partialFingerprints: {
                'craFingerprint/v1':
                  'b7dede431d9541faab1cfa3017dc6fbde292dfa2f94da083ef1f70ce281d1ae0',
              },
              suppressions: [],
              properties: {
                gate: 'ast',
                severity: 'critical',
                finding_id: FINDING_ID,
                cwe: 'CWE-78',
                fix: 'Call execFile or spawn with the program and an array of arguments, without a shell, and check the arguments against a list of allowed values.',
                resolved: null,
              },
            },
          ],
          properties: {
            rfc_id: RFC_ID,
            diff_hash: '2bf04e771f221448fedee099ac6885ea4b489d28cbb0a1737e5e367f23deaed8',
            overall_status: 'BLOCKED',
            risk_score: 86,
            stats: STATS,
            repo_name: 'acme/shop',
            branch: 'main',
            commit_sha: COMMIT,
            rules_revision: '0d44dbd845a94eaa',
          },
        },
      ],
    },
  },
  rfc: {
    path: {
      rfc_id: RFC_ID,
    },
    query: {
      wait: 30,
    },
    answer: {
      ok: true,
      data: {
        rfc_id: RFC_ID,
        tenant_id: 'default',
        diff_hash: '2bf04e771f221448fedee099ac6885ea4b489d28cbb0a1737e5e367f23deaed8',
        repo_name: 'acme/shop',
        branch: 'main',
        commit_message: 'List a directory',
        overall_status: 'BLOCKED',
        risk_score: 86,
        score: {
          change_risk: 10,
          findings_risk: 76,
          factors: [
            '+77: critical finding vuln-01',
            '-2: 1 place changed',
            '-1: no line added to tests',
            '+1: 4 lines added to code',
            '-1: 1 directory touched',
          ],
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
        trigger: 'api',
        diff_source: 'local',
        commit_sha: COMMIT,
        repo_full_name: null,
        ref: null,
        post_vcs_status: false,
        vcs_status: null,
        submitted_by: {
          id: 'api-token:e33cdf9c',
          name: null,
          credential: 'api-token',
          role: 'submitter',
          tenant_id: 'default',
        },
        queue: null,
        push: null,
        rev: 1,
      },
    },
  },
  rfcs: {
    query: {
      status: 'BLOCKED',
      repo: 'acme/shop',
      limit: 1,
    },
    answer: {
      ok: true,
      data: [
        {
          rfc_id: RFC_ID,
          repo_name: 'acme/shop',
          branch: 'main',
          commit_message: 'List a directory',
          overall_status: 'BLOCKED',
          risk_score: 86,
          created_at: '2026-11-21T19:14:56.530Z',
          updated_at: '2026-11-21T19:14:57.082Z',
          diff_hash: '2bf04e771f221448fedee099ac6885ea4b489d28cbb0a1737e5e367f23deaed8',
          stats: STATS,
          gates: {
            risk: {
              status: 'pass',
              findings_count: 0,
            },
            ast: {
              status: 'fail',
              findings_count: 1,
            },
            llm: {
              status: 'skipped',
              findings_count: 0,
            },
          },
          override: null,
        },
      ],
      next_cursor: 'NQ',
    },
  },
} as const satisfies Record<string, Example>;
