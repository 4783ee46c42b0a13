import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { buildRules, withoutExamples } from '../../src/rulebook/active-rules.ts';
import { runCommand } from '../cli/fixtures/command.ts';
import { change, newFile, startDaemonProcess, temporaryDir } from '../daemon.ts';

const HANDLER = `class A {
  @Handles("a")
  void a(String c) throws Exception {
    Runtime.getRuntime().exec(c);
  }
}
`;
const ENTRY = {
  language: 'java',
  lines: ['route Handles'],
  examples: [{ bad: HANDLER, good: HANDLER.replace('.exec(c)', '.exec("ls")') }],
};
const RULES = { version: 1, allow_empty: true, ast: { catalogue: [ENTRY] } };
const BROKEN = { ...ENTRY, lines: ['route Handle'] };
const REFUSED = 'ast.catalogue[0].examples[0].bad gives no finding';

function build(entry: object, isStored = false) {
  const text = JSON.stringify({ ...RULES, ast: { catalogue: [entry] } });
  return buildRules({ name: 'rules', text, isToml: false, isStored });
}

test('rows of the rules are tried, and are part of the revision', async (t) => {
  const { revision, rules } = await build(ENTRY);
  t.is(rules.ast?.catalogue?.length, 1);
  t.not(revision, (await build({ ...ENTRY, lines: ['route Handles Other'] })).revision);
  await t.throwsAsync(build(BROKEN), { message: `rules: ${REFUSED}` });
  // Threads need no examples.
  t.deepEqual(withoutExamples(rules).ast?.catalogue?.[0]?.examples, []);
  t.deepEqual(withoutExamples(rules).ast?.catalogue?.[0]?.lines, ENTRY.lines);
});

test('rows that were accepted before are not tried again', async (t) => {
  const { rules } = await build(BROKEN, true);
  t.is(rules.ast?.catalogue?.length, 1);
});

const SIZES: readonly [what: string, entry: object, problem: RegExp][] = [
  ['too many lines', { lines: Array(101).fill('route A') }, /ast\.catalogue\.0\.lines: /],
  ['a line too long', { lines: [`route ${'a'.repeat(500)}`] }, /ast\.catalogue\.0\.lines\.0: /],
  ['no example', { examples: [] }, /ast\.catalogue\.0\.examples: /],
  [
    'an example too long',
    { examples: [{ bad: 'a'.repeat(4_001), good: 'a' }] },
    /examples\.0\.bad/,
  ],
  [
    'another language',
    { language: 'typescript' },
    /language: must be one of javascript, python, go, java/,
  ],
  ['a field that is not known', { sinks: [] }, /ast\.catalogue\.0\.sinks: is not a known field/],
  [
    'more tries than the bound',
    {
      lines: Array.from({ length: 60 }, (_, at) => `route A${at}`),
      examples: Array(50).fill(ENTRY.examples[0]),
    },
    /lines times examples of all entries are 3000, at most 2000/,
  ],
];

for (const [what, over, problem] of SIZES) {
  test(`rows of the rules with ${what} are refused before they are tried`, async (t) => {
    await t.throwsAsync(build({ ...ENTRY, ...over }), { message: problem });
  });
}

test('cra analyze follows data by rows of the rules file', async (t) => {
  const folder = temporaryDir(t);
  const rules = join(folder, 'rules.json');
  writeFileSync(rules, JSON.stringify(RULES));
  const analyze = (env: Record<string, string>) =>
    runCommand(['analyze', '-'], { env, stdin: newFile('src/A.java', HANDLER) });
  const without = await analyze({});
  t.is(without.code, 0, without.stdout + without.stderr);
  const { code, stdout } = await analyze({ SERVICE_RULES_PATH: rules });
  t.is(code, 1);
  t.regex(stdout, /src\/A\.java[\s\S]*vuln-01/);
});

test('the service tries rows in a dry run and when they are put, and follows data by them', async (t) => {
  const { url } = await startDaemonProcess(t, temporaryDir(t));
  const send = async (method: string, path: string, content: object) => {
    const answer = await fetch(`${url}/${path}`, { method, body: JSON.stringify(content) });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const judged = async () => {
    const { body } = await send('POST', 'analyze', change(newFile('src/A.java', HANDLER)));
    return body.data.overall_status;
  };
  t.is(await judged(), 'PASSED');
  const broken = { ...RULES, ast: { catalogue: [BROKEN] } };
  for (const [method, path] of [
    ['PUT', 'rules'],
    ['POST', 'rules/dry-run'],
  ] as const) {
    const { status, body } = await send(method, path, broken);
    t.is(`${status} ${body.error}`, `400 rules: ${REFUSED}`);
  }
  const dry = await send('POST', 'rules/dry-run', RULES);
  t.is(dry.status, 200, dry.body.error);
  const [first] = dry.body.data.changed;
  t.like(first, { from: 'PASSED', to: 'BLOCKED' });
  t.true(first.new_rules.includes('vuln-01'));
  t.is(await judged(), 'PASSED');
  t.is((await send('PUT', 'rules', RULES)).status, 200);
  t.is(await judged(), 'BLOCKED');
  t.is((await send('PUT', 'rules', { version: 1, extends: 'default' })).status, 200);
  t.is(await judged(), 'PASSED');
});
