import test from 'ava';
import type { NextStep } from '../../../src/model/next-steps.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import { request } from '../../daemon.ts';
import { houseForAll } from './house.ts';
import { PushedRepository, riskIds } from './pushed-repository.ts';

const house = houseForAll(test);

const PADDING = '//\n'.repeat(30);
/** A line with a high finding. */
const HIGH = 'const a = (x) => db.query("SELECT * FROM t WHERE id=" + x);';
const MARKER = '// cra-ignore ast-*: reviewed';

type Files = Record<string, string | null>;

interface Arming {
  what: string;
  /** The state before the service saw the repository. */
  root?: Files;
  /** Pushes that bring the marker, each by itself harmless. */
  harmless: Files[];
  /** The push with the finding at the marker. */
  high: Files;
}

const both = (marker: string) => `${marker}\n${HIGH}\n`;
const MEMBERS: Arming[] = [
  {
    what: 'alone on its line',
    harmless: [{ 'a.js': `${MARKER}\n` }],
    high: { 'a.js': both(MARKER) },
  },
  {
    what: 'behind code',
    harmless: [{ 'a.js': `const a = 1; ${MARKER}\n` }],
    high: { 'a.js': `${HIGH} ${MARKER}\n` },
  },
  {
    what: 'far from the line',
    harmless: [{ 'a.js': `${PADDING}${MARKER}\n` }],
    high: { 'a.js': `${both(MARKER)}${PADDING}${MARKER}\n` },
  },
  {
    what: 'with the name of one rule',
    harmless: [{ 'a.js': '// cra-ignore ast-sql-injection, ast-sql-query, ast-s*: reviewed\n' }],
    high: { 'a.js': both('// cra-ignore ast-sql-injection, ast-sql-query, ast-s*: reviewed') },
  },
  {
    what: 'that is wide',
    harmless: [{ 'a.js': '// cra-ignore ast-*, risk-*, secret-*: all of it\n' }],
    high: { 'a.js': both('// cra-ignore ast-*, risk-*, secret-*: all of it') },
  },
  {
    what: 'with an end',
    harmless: [{ 'a.js': '// cra-ignore ast-* until 2999-01-01: for now\n' }],
    high: { 'a.js': both('// cra-ignore ast-* until 2999-01-01: for now') },
  },
  {
    what: 'in a file that another push gives another name',
    harmless: [
      { 'old.js': `${PADDING}${MARKER}\n` },
      { 'old.js': null, 'a.js': `${PADDING}${MARKER}\n` },
    ],
    high: { 'a.js': `${PADDING}${both(MARKER)}` },
  },
  {
    what: 'in a file that gets another name with the finding',
    harmless: [{ 'old.js': `${PADDING}${MARKER}\n` }],
    high: { 'old.js': null, 'a.js': `${PADDING}${both(MARKER)}` },
  },
  {
    what: 'of the adopted state in another file',
    root: { 'old.js': `${PADDING}${MARKER}\n` },
    harmless: [{ 'a.js': `${MARKER}\n` }],
    high: { 'a.js': both(MARKER) },
  },
  {
    what: 'of the adopted state with another reason',
    root: { 'a.js': '// cra-ignore ast-*: old\n' },
    harmless: [{ 'a.js': `${MARKER}\n` }],
    high: { 'a.js': both(MARKER) },
  },
  {
    what: 'that two pushes bring and move',
    harmless: [{ 'a.js': `${MARKER}\n${PADDING}` }, { 'a.js': `${PADDING}${MARKER}\n` }],
    high: { 'a.js': `${PADDING}${both(MARKER)}` },
  },
  {
    what: 'in a comment of another kind',
    harmless: [{ 'a.js': '/* cra-ignore ast-*: reviewed */\n' }],
    high: { 'a.js': both('/* cra-ignore ast-*: reviewed */') },
  },
];

async function founded(name: string, root: Files = {}): Promise<PushedRepository> {
  const repo = new PushedRepository(house(), name);
  repo.commit({ 'README.md': 'read me\n', ...root });
  await repo.judge({ 'first.txt': 'one\n' });
  return repo;
}

for (const [index, { what, root, harmless, high }] of MEMBERS.entries()) {
  test(`a marker that nobody decided about arms no high finding: ${what}`, async (t) => {
    const repo = await founded(`marks/open-${index}`, root);
    for (const files of harmless) {
      const record = await repo.judge(files);
      t.is(record.overall_status, 'PASSED');
      const isMove = Object.values(files).includes(null);
      if (!isMove && harmless[0] === files) t.true(riskIds(record).includes('marker-added'));
    }
    // An override of something else makes nobody decide about the marker.
    const other = await repo.push({ 'other.js': `${HIGH}\n` }, { ref: 'refs/heads/other' });
    await repo.verdict(other);
    await repo.decide(other.rfcId, 'override');
    const record = await repo.judge(high);
    t.is(record.overall_status, 'BLOCKED');
    t.is(record.gates.ast.suppressed_count, 0);
  });
}

for (const [what, action] of [
  ['approved', 'approve'],
  ['rejected later', 'reject'],
] as const) {
  test(`a marker of an RFC that was ${what} ${action === 'approve' ? 'arms' : 'does not arm'} high findings`, async (t) => {
    const repo = await founded(`marks/${action}`);
    const marked = await repo.push({ 'a.js': `${MARKER}\n` });
    t.is((await repo.verdict(marked)).overall_status, 'PASSED');
    await repo.decide(marked.rfcId, 'approve');
    if (action === 'reject') await repo.decide(marked.rfcId, 'reject');
    const record = await repo.judge({ 'a.js': both(MARKER) });
    t.is(record.overall_status, action === 'approve' ? 'PASSED' : 'BLOCKED');
  });
}

test('a marker of an overridden push arms high findings, also after a merge', async (t) => {
  const repo = await founded('marks/overridden');
  const from = repo.head('refs/heads/main');
  const ref = 'refs/heads/next';
  const marked = await repo.push({ 'a.js': both(MARKER) }, { ref, from });
  t.is((await repo.verdict(marked)).overall_status, 'BLOCKED');
  await repo.decide(marked.rfcId, 'override');
  const merged = await repo.judge({ 'a.js': both(MARKER) });
  t.is(merged.overall_status, 'OVERRIDDEN');
  const changed = both(MARKER).replace('const a', 'const b');
  t.is((await repo.judge({ 'a.js': changed })).overall_status, 'PASSED');
});

test('a marker of the adopted state arms high findings', async (t) => {
  const repo = await founded('marks/adopted', { 'a.js': `${MARKER}\n` });
  t.is((await repo.judge({ 'a.js': both(MARKER) })).overall_status, 'PASSED');
});

test('lines that mark files as generated are findings, graver where they cover source', async (t) => {
  const repo = await founded('marks/generated');
  const record = await repo.judge({
    '.gitattributes': 'package-lock.json linguist-generated\n',
    'web/.gitattributes': '*.js linguist-generated=true\n',
    'lib/.gitattributes': '*.js -linguist-generated\n',
  });
  t.is(record.overall_status, 'PASSED');
  const found = record.gates.risk.findings.filter(({ id }) => id === 'generated-mark-added');
  t.deepEqual(found.map(({ file, severity }) => `${severity} ${file}`).sort(), [
    'info .gitattributes',
    'medium web/.gitattributes',
  ]);
});

test('an author whose push is BLOCKED does what the RFC says, and passes', async (t) => {
  const repo = await founded('marks/next-steps');
  const from = repo.head('refs/heads/main');
  const file = (marker: string) => ({ 'a.js': `${marker}${HIGH}\n` });
  const tried = await repo.push(file(''), { ref: 'refs/heads/tried', from });
  const blocked: RfcRecord & { next_steps?: NextStep[] } = await repo.verdict(tried);
  t.is(blocked.overall_status, 'BLOCKED');
  const step = blocked.next_steps?.find(({ way }) => way === 'marker');
  t.regex(step?.text ?? '', /push the marker by itself, have its RFC approved, then push this/);
  const { body } = await request(`${house().daemon.url}/webhook-status/marks/next-steps`);
  t.deepEqual(body.data.next_steps, blocked.next_steps);

  const marker = `${step?.paste}\n`;
  const marked = await repo.push({ 'a.js': marker });
  t.is((await repo.verdict(marked)).overall_status, 'PASSED');
  await repo.decide(marked.rfcId, 'approve');
  const passed = await repo.judge(file(marker));
  t.is(passed.overall_status, 'PASSED');
  t.false('next_steps' in passed);
});
