import { type Finding, plainFinding } from '../../src/model/finding.ts';
import type { Outcome } from '../../src/model/records.ts';

/** A finding of which only these fields matter. */
export function finding(id: string, fields: Partial<Finding> = {}): Finding {
  const plain = plainFinding({ id, gate: 'risk', severity: 'high', message: `found ${id}` });
  return { ...plain, finding_id: 'F-1-1', resolved: null, ...fields };
}

/** An outcome with these findings of gate 1 and, unless they say otherwise, a verdict on them. */
export function outcome(findings: Finding[], fields: Partial<Outcome> = {}): Outcome {
  const none = { findings: [], suppressed_count: 0, skip_reason: null, duration_ms: 1 };
  const gate = { status: 'pass' as const, ...none };
  const llm = { ...gate, status: 'skipped' as const, skip_reason: 'no_tier' };
  return {
    rfc_id: 'RFC-1',
    diff_hash: 'ab',
    overall_status: 'BLOCKED',
    risk_score: 80,
    gates: { risk: { ...gate, findings }, ast: gate, llm },
    stats: { files: 1, additions: 1, deletions: 0, bytes: 9 },
    ...fields,
  };
}

/** A source whose line is not known, a step in another file, and the sink. */
const FLOW: NonNullable<Finding['flow']> = [
  { file: 'src/a b#?.js', line: null, column: null, what: 'request parameter `a`' },
  { file: 'lib/b.js', line: 9, column: 3, what: 'passed to `run` as `[c](d) {0}`' },
  { file: 'src/a b#?.js', line: 3, column: 7, what: 'shell command of `exec`' },
];

/** Outcomes of every shape that exports have to cope with. */
export const OUTCOMES: [string, Outcome][] = [
  ['nothing found', outcome([], { overall_status: 'PASSED' })],
  [
    'a draft',
    outcome([finding('gate-pending', { severity: 'info' })], { overall_status: 'DRAFT' }),
  ],
  [
    'everything',
    outcome(
      [
        finding('vuln-01', {
          gate: 'ast',
          severity: 'critical',
          file: 'src/a b#?.js',
          line: 3,
          end_line: 5,
          column: 7,
          excerpt: 'exec(a)',
          fingerprint: 'f'.repeat(64),
          cwe: 'CWE-78',
          fix: 'Use execFile.',
          title: 'Request parameter `a` reaches a shell command',
          flow: FLOW,
        }),
        finding('secret-a', {
          file: 'a',
          line: 1,
          end_line: 1,
          suppressed: { by: 'cra-ignore', reason: 'made up' },
        }),
        finding('secret-a', { file: 'a', suppressed: { by: 'alice', reason: 'rotated' } }),
        finding('diff-unreadable', { file: null }),
        finding('risk-mode', { severity: 'medium', file: 'b', resolved: { by: 'bob', at: 'now' } }),
      ],
      { repo_name: 'acme/shop', branch: 'main', commit_sha: null, rules_revision: 'r1' },
    ),
  ],
  [
    'hostile names',
    outcome(
      ['//evil.example/x', 'javascript:alert(1)', '../..', '\ud800\0\n', '%2e%2e/"<', ''].map(
        (file) => finding('risk-x', { file, line: 1, message: '[a](b) {0} \u202e', excerpt: '' }),
      ),
    ),
  ],
];
