import { readFileSync } from 'node:fs';
import test from 'ava';
import { sizeOf } from '../../src/cli/size.ts';
import { runCommand } from './fixtures/command.ts';

const PAGE = readFileSync('docs/why/sizing.md', 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```sh\ncra (size .*)\n```\n\n```\n([\s\S]*?)```/g)];

test('the examples of the page on sizing are what the command prints', async (t) => {
  t.is(EXAMPLES.length, 3);
  for (const [, command = '', shown] of EXAMPLES) {
    const { code, stdout } = await runCommand(command.split(' '));
    t.is(code, 0);
    t.is(stdout, shown ?? '');
  }
});

test('sizeOf grows with each part of the demand', (t) => {
  const demand = { developers: 100, pushes: 1e5, diffKib: 12, repoGib: 10, days: 365, llmShare: 0 };
  const size = sizeOf(demand);
  t.true(sizeOf({ ...demand, pushes: 1e6 }).cores > size.cores);
  t.true(sizeOf({ ...demand, diffKib: 48 }).cores > size.cores);
  t.true(sizeOf({ ...demand, days: 730 }).diskGib.store > size.diskGib.store);
  t.true(sizeOf({ ...demand, repoGib: 50 }).diskGib.all > size.diskGib.all + 40);
  t.is(size.llm.usdPerMonth, 0);
  t.true(sizeOf({ ...demand, llmShare: 0.5 }).llm.usdPerMonth > 0);
});

test('cra size names no more threads than a daemon may have', async (t) => {
  const { stdout } = await runCommand(['size', '--pushes', '5000000']);
  t.regex(stdout, /^CPU +174 cores, SERVICE_THREADS=58 in each of 3 daemons on MongoDB$/m);
});

test('cra size refuses what is not a number, and a share above 1', async (t) => {
  const wrong = await runCommand(['size', '--pushes', 'many']);
  t.is(wrong.code, 2);
  t.regex(wrong.stderr, /--pushes must be a number/);
  t.regex((await runCommand(['size', '--llm-share', '2'])).stderr, /0 to 1/);
});
