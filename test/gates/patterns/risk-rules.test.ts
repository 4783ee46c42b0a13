import test from 'ava';
import { prepareRules } from '../../../src/gates/patterns/compile.ts';
import type { GateFinding } from '../../../src/model/finding.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { riskPatternGroups, riskPatterns } from '../../../src/rules/risk.ts';
import { vulnerabilityPatterns } from '../../../src/rules/vulnerabilities.ts';
import { scanDiff } from './scan-text.ts';

const RULES = prepareRules(defaultRules);
/** New lines before the example in `changedFile`. */
const FIRST_LINE = 43;

/** A diff that changes a file: context, a removed line, the example as added lines, context. */
function changedFile(text: string, path: string): string {
  const added = text.split('\n').map((line) => `+${line}\n`);
  const counts = `-41,4 +41,${3 + added.length}`;
  const before = ' before\n \n-gone\n';
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ ${counts} @@\n${before}${added.join('')} after\n`;
}

function diffOf(rule: Pattern, text: string): string {
  if (rule.regex === undefined) {
    return `diff --git a/${text} b/${text}\nnew file mode 100644\nindex 0000000..e69de29\n`;
  }
  const path = rule.examples.path ?? 'src/example.txt';
  if (rule.target === 'header') return `diff --git a/${path} b/${path}\n${text}\n`;
  return changedFile(text, path);
}

function findingsOf(rule: Pattern, text: string): GateFinding[] {
  const id = rule.report_as ?? rule.id;
  return scanDiff(RULES, diffOf(rule, text)).filter((finding) => finding.id === id);
}

test('every risk rule has its own id, a source, two true and two false examples', (t) => {
  t.true(riskPatterns.length >= 150, `${riskPatterns.length} rules`);
  t.is(new Set(riskPatterns.map(({ id }) => id)).size, riskPatterns.length);
  for (const { id, source, examples } of [...riskPatterns, ...vulnerabilityPatterns]) {
    t.regex(source, /^https:\/\/[\w.-]+\//, id);
    t.true(examples.match.length >= 2 && examples.noMatch.length >= 2, id);
  }
});

for (const rule of [...riskPatterns, ...vulnerabilityPatterns]) {
  test(`scanRisk finds the examples of ${rule.id} in a diff, on their lines`, (t) => {
    for (const text of rule.examples.match) {
      const found = findingsOf(rule, text);
      t.true(found.length >= 1, text);
      const hasLine = rule.regex !== undefined && rule.target !== 'header';
      const last = FIRST_LINE + text.split('\n').length - 1;
      for (const { line, file, severity } of found) {
        t.is(severity, rule.severity);
        t.is(file, rule.regex === undefined ? text : (rule.examples.path ?? 'src/example.txt'));
        if (!hasLine) t.is(line, null);
        else t.true(line !== null && line >= FIRST_LINE && line <= last, `${line}: ${text}`);
      }
    }
  });
}

test('few risk rules block, and none of them by a word that is common', (t) => {
  const blocking = riskPatterns.filter(({ severity }) => severity === 'high');
  t.true(riskPatterns.every(({ severity }) => severity !== 'critical'));
  t.deepEqual(blocking.map(({ id }) => id).sort(), [
    'risk-bidi-control',
    'risk-environment-sent',
    'risk-fetch-and-run',
    'risk-generate-fetch-and-run',
    'risk-git-folder',
    'risk-gitlab-script-injection',
    'risk-ingress-admin-port',
    'risk-install-download',
    'risk-invisible-text',
    'risk-k8s-anonymous',
    'risk-miner',
    'risk-npm-script-shell',
    'risk-package-escaped-name',
    'risk-public-writable-bucket',
    'risk-reverse-shell',
    'risk-reviewer-instruction',
    'risk-run-decoded',
    'risk-source-encoding',
    'risk-submodule-command',
    'risk-template-request',
    'risk-variation-selectors',
    'risk-workflow-all-secrets-sent',
    'risk-workflow-script-injection',
    'risk-workflow-secret-sent',
    'risk-workflow-untrusted-checkout',
  ]);
});

test('risk rules look at lines that are added, not at those removed or kept', (t) => {
  const kept = 'diff --git a/a.sql b/a.sql\n--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n';
  const diff = `${kept} DROP TABLE users;\n-DELETE FROM users;\n+SELECT 1;\n`;
  t.deepEqual(scanDiff(RULES, diff), []);
});

test('every group has rules', (t) => {
  for (const [name, patterns] of Object.entries(riskPatternGroups)) {
    t.true(patterns.length >= 5, `${name}: ${patterns.length}`);
  }
});

/** Multi-line examples whose finding must begin on a line of its own: [rule, text, line]. */
const LINES: [id: string, text: string, line: number][] = [
  [
    'risk-workflow-script-injection',
    `jobs:\n  a:\n    steps:\n      - name: x\n        run: |\n          echo "\${{ github.event.issue.title }}"`,
    FIRST_LINE + 4,
  ],
  ['risk-sql-update-all', 'SELECT 1;\nUPDATE users\n  SET a = 1;', FIRST_LINE + 1],
  ['risk-host-path', 'volumes:\n  - name: a\n    hostPath:\n      path: /etc\n', FIRST_LINE + 2],
  ['risk-k8s-rbac-wildcard', 'rules:\n  - apiGroups: [""]\n    verbs: ["*"]', FIRST_LINE + 2],
];

for (const [id, text, line] of LINES) {
  test(`scanRisk places a match of ${id} over several lines on its first`, (t) => {
    const rule = riskPatterns.find((pattern) => pattern.id === id);
    if (rule === undefined) throw new Error(id);
    t.deepEqual(
      findingsOf(rule, text).map((finding) => finding.line),
      [line],
    );
  });
}
