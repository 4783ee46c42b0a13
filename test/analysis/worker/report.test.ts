import test from 'ava';
import { readChange } from '../../../src/analysis/worker/gates.ts';
import { inspectReport } from '../../../src/analysis/worker/report.ts';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { type GateFinding, plainFinding } from '../../../src/model/finding.ts';
import { secretPatterns } from '../../../src/rules/secrets.ts';
import { diffOf } from '../../gates/configuration/run.ts';
import { newFile } from '../../gates/patterns/scan-text.ts';
import { gateTools } from './gates-run.ts';

interface Result {
  uri: string;
  line?: number;
  endLine?: number;
  level?: string;
  text?: string;
  tags?: readonly string[];
}

function reportOf(results: readonly Result[], name = 'scan'): Buffer {
  const runs = [
    {
      tool: { driver: { name } },
      results: results.map(({ uri, line, endLine, level = 'error', text = 'bad', tags = [] }) => ({
        ruleId: 'rule',
        level,
        message: { text },
        properties: { tags },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri },
              ...(line === undefined ? {} : { region: { startLine: line, endLine } }),
            },
          },
        ],
      })),
    },
  ];
  return Buffer.from(JSON.stringify({ version: '2.1.0', runs }));
}

const BEFORE = 'one\ntwo\nthree\nfour\nfive\n';
const CHANGED = diffOf('src/app/a.js', BEFORE, BEFORE.replace('three', 'THREE'), 3);

async function inspect(
  results: readonly Result[],
  diff = CHANGED,
  known: readonly GateFinding[] = [],
) {
  const change = readChange(Buffer.from(diff));
  const tools = gateTools({ patterns: secretPatterns });
  return inspectReport(reportOf(results), change, known, tools, createCancelFlag());
}

const linesOf = async (results: readonly Result[], diff = CHANGED) =>
  (await inspect(results, diff)).findings.map(({ file, line }) => `${file}:${line}`);

test('results count on lines that the change adds', async (t) => {
  const uri = 'src/app/a.js';
  t.deepEqual(await linesOf([{ uri, line: 3 }]), ['src/app/a.js:3']);
  t.deepEqual(
    await linesOf([
      { uri, line: 3 },
      { uri, line: 3 },
    ]),
    ['src/app/a.js:3'],
  );
  t.deepEqual(await linesOf([{ uri, line: 2 }]), []);
  t.deepEqual(await linesOf([{ uri, line: 1, endLine: 5 }]), ['src/app/a.js:3']);
  t.deepEqual(await linesOf([{ uri, line: 4, endLine: 5 }]), []);
  const long = `${'x\n'.repeat(3_000)}`;
  const late = diffOf('b.js', long, `${long}new\n`, 3);
  t.deepEqual(await linesOf([{ uri: 'b.js', line: 1, endLine: 4_000 }], late), ['b.js:3001']);
  t.deepEqual(await linesOf([{ uri }]), [], 'a whole file that was there before');
  t.deepEqual(await linesOf([{ uri: 'b.js' }], newFile('x\n', 'b.js').toString()), ['b.js:null']);
  t.deepEqual(await linesOf([{ uri: 'other.js', line: 3 }]), []);
});

test('a file is found by the path of a build machine, and of a folder within', async (t) => {
  const found = ['src/app/a.js:3'];
  t.deepEqual(await linesOf([{ uri: 'file:///home/ci/w/src/app/a.js', line: 3 }]), found);
  t.deepEqual(await linesOf([{ uri: 'app/a.js', line: 3 }]), found);
  t.deepEqual(await linesOf([{ uri: 'a.js', line: 3 }]), found);
  const two = CHANGED + diffOf('lib/a.js', BEFORE, BEFORE.replace('three', 'THREE'), 3);
  t.deepEqual(await linesOf([{ uri: 'a.js', line: 3 }], two), [], 'which of both is not said');
  t.deepEqual(await linesOf([{ uri: '/ci/lib/a.js', line: 3 }], two), ['lib/a.js:3']);
});

test('what a finding says as gravely is named there, and not said twice', async (t) => {
  const uri = 'src/app/a.js';
  const own = plainFinding({
    id: 'vuln-03',
    gate: 'ast',
    severity: 'critical',
    message: 'ours',
    file: uri,
    line: 3,
    cwe: 'CWE-89',
  });
  const { findings, also } = await inspect(
    [
      { uri, line: 3, tags: ['CWE-89'] },
      { uri, line: 3, tags: ['CWE-79'] },
    ],
    CHANGED,
    [own],
  );
  t.deepEqual(
    findings.map(({ cwe }) => cwe),
    ['CWE-79'],
  );
  t.deepEqual(also.get(own), ['scan (rule)']);
});

test('a secret in the message of a tool is hidden', async (t) => {
  const secret = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'}`;
  const text = `found ${secret} here`;
  const { findings } = await inspect([{ uri: 'src/app/a.js', line: 3, text }]);
  t.is(findings.length, 1);
  t.false(JSON.stringify(findings).includes(secret));
});
