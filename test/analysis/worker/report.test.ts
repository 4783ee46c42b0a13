import test from 'ava';
import { settledByReports } from '../../../src/analysis/worker/attached-record.ts';
import { readChange } from '../../../src/analysis/worker/gates.ts';
import { inspectReport } from '../../../src/analysis/worker/report.ts';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { type GateFinding, plainFinding } from '../../../src/model/finding.ts';
import type { RequiredReport, RfcRecord } from '../../../src/model/records.ts';
import type { KeptReport } from '../../../src/model/reports.ts';
import { secretPatterns } from '../../../src/rules/secrets.ts';
import { diffOf } from '../../gates/configuration/run.ts';
import { newFile } from '../../gates/patterns/scan-text.ts';
import { sampleDraft, sampleRecord } from '../../store/fixtures/records.ts';
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

const NOW = '2026-11-21T12:00:00.000Z';
const LATER = '2026-11-21T13:00:00.000Z';

const required = (tool: string, due_at: string): RequiredReport => {
  return { tool, component: null, due_at, state: 'awaited' };
};

const kept = (tool: string): KeptReport => {
  return { tool, sha256: tool, at: NOW, results: 0, sealed: { chunks: [], bytes: 0 } };
};

/** A record with reports of tools that find nothing, under rules that block on critical only. */
async function settle(before: RfcRecord, tools: readonly string[], read: string[] = []) {
  const { compiled } = gateTools({ patterns: secretPatterns }).rules;
  const pipeline = { block_severities: ['critical'], block_score: null } as const;
  const rules = { compiled, pipeline, accepted: [], components: [], notes: [] };
  const inspect = async ({ tool }: KeptReport) => {
    read.push(tool);
    return { tools: [tool], results: new Map(), findings: [], also: new Map() };
  };
  return await settledByReports(before, { reports: tools.map(kept), inspect }, rules, NOW);
}

test('a missing report blocks whatever the severities that block, and nothing is awaited then', async (t) => {
  const required_reports = [required('one', NOW), required('two', LATER)];
  const draft = sampleDraft({ rfc_id: 'RFC-1', required_reports });
  const blocked = await settle(draft, []);
  t.is(blocked.overall_status, 'BLOCKED');
  t.is(blocked.gates.risk.status, 'fail');
  t.deepEqual(
    blocked.gates.risk.findings.map(({ id, message }) => [id, message.includes('report of one')]),
    [['report-missing', true]],
  );
  t.deepEqual(
    blocked.required_reports?.map(({ state }) => state),
    ['missing', 'missing'],
  );
  const held = sampleDraft({ rfc_id: 'RFC-2', required_reports: [required('two', LATER)] });
  t.is((await settle(held, ['one'])).overall_status, 'DRAFT');
  t.is((await settle(held, ['one', 'two'])).overall_status, 'PASSED');
});

test('a verdict counts reports that came late, as one revision; a decision reads none', async (t) => {
  const before = sampleRecord({ rfc_id: 'RFC-1' });
  const counted = await settle(before, ['one', 'two']);
  t.is(counted.rev, before.rev + 1);
  t.deepEqual(
    counted.reports?.map(({ tool }) => tool),
    ['one', 'two'],
  );
  t.is(await settle(counted, ['one', 'two']), counted);
  const read: string[] = [];
  const decided = sampleRecord({ rfc_id: 'RFC-2', overall_status: 'APPROVED' });
  await t.throwsAsync(settle(decided, ['one'], read), { message: /the RFC is APPROVED/ });
  t.deepEqual(read, []);
});
