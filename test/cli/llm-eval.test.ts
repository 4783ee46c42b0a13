import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import {
  type EvalRead,
  type EvalRecording,
  formatReport,
  measure,
} from '../../src/cli/llm-eval.ts';
import { PROGRAM, temporaryDir } from '../daemon.ts';
import { startFakeVendor } from '../gates/review/fake-vendor.ts';

const PRICES = { input: 2, output: 10, cache_write: 2.5, cache_read: 0.2 };

function llmEval(args: string[], env: Record<string, string> = {}) {
  return promisify(execFile)(process.execPath, [PROGRAM, 'llm', 'eval', ...args], { env });
}

test('a live run against a test server is recorded, marked, and replayed to the same report', async (t) => {
  const vendor = await startFakeVendor(t);
  const folder = temporaryDir(t);
  const settings = join(folder, 'llm.json');
  const tier = {
    name: 'first',
    role: 'review',
    protocol: 'anthropic',
    family: 'fake',
    model: 'm',
    base_url: vendor.url,
    key_env: 'FAKE_KEY',
    locality: 'any',
    prices: PRICES,
  };
  writeFileSync(settings, JSON.stringify({ tiers: [tier] }));
  const out = join(folder, 'recording.jsonl');
  const kinds = ['plain', 'injection', 'huge'].flatMap((kind) => ['--only', kind]);
  const live = ['--live', ...kinds, '--limit', '2', '--runs', '2', '--out', out];
  const env = { SERVICE_LLM_CONFIG: settings, FAKE_KEY: 'the-key' };
  const { stdout } = await llmEval(live, env);
  t.true(vendor.requests.length >= 12, 'each change is read twice');
  const [head = '', ...reads] = readFileSync(out, 'utf8').trim().split('\n');
  t.like(JSON.parse(head), { version: 1, isSynthetic: true });
  t.is(reads.length, 12);
  t.regex(stdout, /^\| 6 changes \| first \(m\) \|$/m);
  t.regex(stdout, /^\| changes read \| 12 of 12 \|$/m);
  t.regex(stdout, /^\| recall \| - \|$/m);
  t.regex(stdout, /Recorded against a test server/);
  t.is((await llmEval(['--replay', out])).stdout, stdout);
});

test('without a model, with both or neither source, and for another file it says what is wrong', async (t) => {
  type Failure = Error & { code: number; stderr: string };
  const other = join(temporaryDir(t), 'other');
  writeFileSync(other, 'hello');
  for (const [args, message] of [
    [['--live'], /set SERVICE_LLM_CONFIG/],
    [[], /give --live or --replay FILE/],
    [['--live', '--only', 'odd'], /--only must be one of advisory, fix/],
    [['--replay', other], /is not a recording of cra llm eval/],
  ] as const) {
    const failure = await t.throwsAsync<Failure>(llmEval([...args]));
    t.is(failure?.code, 2);
    t.regex(failure?.stderr ?? '', message);
  }
});

const BLOCK = { class: 'command-injection', severity: 'critical', path: 'a.js', line: 3 } as const;

function read(over: Partial<EvalRead> & Pick<EvalRead, 'case' | 'kind'>): EvalRead {
  return {
    tier: 'one',
    class: null,
    paths: ['a.js'],
    pair: null,
    round: 1,
    failure: null,
    findings: [],
    costNanoUsd: 5e8,
    ms: [1_000, 3_000],
    ...over,
  };
}

test('the measures of a tier follow their definitions', (t) => {
  const defect = { class: 'command-injection', findings: [BLOCK] };
  const recording: EvalRecording = {
    version: 1,
    isSynthetic: false,
    tiers: [{ name: 'one', family: 'f', model: 'm' }],
    reads: [
      read({ case: 'advisory/a', kind: 'advisory', pair: 'fix/a', ...defect }),
      read({ case: 'fix/a', kind: 'fix', pair: 'advisory/a' }),
      read({ case: 'advisory/b', kind: 'advisory', pair: 'fix/b', ...defect }),
      read({ case: 'fix/b', kind: 'fix', pair: 'advisory/b', findings: [BLOCK] }),
      read({ case: 'plain/x', kind: 'plain', ...defect }),
      read({ case: 'plain/x', kind: 'plain', ...defect, findings: [], round: 2 }),
      read({ case: 'injection/x/1', kind: 'injection', pair: 'plain/x', ...defect }),
      read({ case: 'injection/x/2', kind: 'injection', pair: 'plain/x', ...defect, findings: [] }),
      // A finding elsewhere is not the defect, and a lower one does not block.
      read({
        case: 'framing/x/1',
        kind: 'framing',
        pair: 'plain/x',
        class: 'command-injection',
        findings: [
          { ...BLOCK, path: 'b.js' },
          { ...BLOCK, severity: 'medium' },
        ],
      }),
      read({ case: 'huge/x', kind: 'huge', ...defect, failure: 'timeout' }),
      read({ case: 'other', kind: 'plain', ...defect, tier: 'two' }),
    ],
  };
  const report = measure(recording);
  t.deepEqual(report.tiers, [
    {
      name: 'one',
      model: 'm',
      reads: 10,
      unread: 1,
      precision: 4 / 5,
      recall: 4 / 6,
      pairAccuracy: 1 / 2,
      flips: 1,
      injectionSuccess: 1 / 2,
      framingSuccess: 1,
      huge: null,
      costUsd: 5,
      p50: 3_000,
      p95: 3_000,
    },
  ]);
  t.regex(formatReport(report), /^\| recall \| 66\.7 % \|$/m);
});
