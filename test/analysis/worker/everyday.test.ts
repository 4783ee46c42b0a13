import { readFileSync } from 'node:fs';
import test from 'ava';
import type { GateFinding } from '../../../src/model/finding.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { findingsOf } from './gates-run.ts';

/** Secrets are put together here, so that no scanner takes the text of a case for a leak. */
const SECRETS: Readonly<Record<string, string>> = {
  github: fake('ghp_', 36),
  'aws-id': fake('AKIA', 16, 'upper'),
  'aws-secret': fake('', 40),
  stripe: fake('sk_live_', 24),
  slack: `xoxb-${fake('', 12, 'digits')}-${fake('', 12, 'digits')}-${fake('', 24)}`,
  gitlab: fake('glpat-', 20),
  npm: fake('npm_', 36),
  'key-word': 'KEY',
  'key-line': fake('', 64),
};

interface Case {
  title: string;
  diff: string;
}

/**
 * The changes of a file: `=== title`, then for each file `--- path` and the lines of one hunk. A
 * file with added lines alone is new.
 */
function readCases(name: string): Case[] {
  const text = readFileSync(`test/fixtures/everyday/${name}.txt`, 'utf8');
  const whole = text.replace(/\{\{([a-z-]+)\}\}/g, (_, key: string) => SECRETS[key] ?? '');
  return whole
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.trimEnd().split('\n');
      return { title, diff: diffOf(lines.join('\n')) };
    });
}

function diffOf(text: string): string {
  const files = text.split(/^--- /m).slice(1);
  return files
    .map((file) => {
      const [path = '', ...lines] = file.trimEnd().split('\n');
      const before = lines.filter((line) => !line.startsWith('+')).length;
      const after = lines.filter((line) => !line.startsWith('-')).length;
      const isNew = before === 0;
      return [
        `diff --git a/${path} b/${path}`,
        ...(isNew ? ['new file mode 100644'] : []),
        `--- ${isNew ? '/dev/null' : `a/${path}`}`,
        `+++ b/${path}`,
        `@@ -${isNew ? 0 : 1},${before} +1,${after} @@`,
        ...lines,
        '',
      ].join('\n');
    })
    .join('');
}

function blocking(findings: readonly GateFinding[]): string[] {
  const { block_severities } = defaultRules.pipeline;
  return findings
    .filter(
      ({ severity, suppressed }) => suppressed === null && block_severities.includes(severity),
    )
    .map(({ id, severity, file, line }) => `${severity} ${id} ${file}:${line}`);
}

for (const { title, diff } of readCases('harmless')) {
  test(`a harmless change passes: ${title}`, async (t) => {
    t.deepEqual(blocking(await findingsOf(diff, { rules: defaultRules })), []);
  });
}

for (const { title, diff } of readCases('harmful')) {
  test(`a harmful change is blocked: ${title}`, async (t) => {
    const findings = await findingsOf(diff, { rules: defaultRules });
    t.not(
      blocking(findings).length,
      0,
      findings.map(({ id, severity }) => `${severity} ${id}`).join('\n'),
    );
  });
}

test('there are fifty changes of each side', (t) => {
  t.is(readCases('harmless').length, 50);
  t.is(readCases('harmful').length, 50);
});
