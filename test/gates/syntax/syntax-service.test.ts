import test from 'ava';
import { createSyntaxService } from '../../../src/gates/syntax/syntax-service.ts';
import { CONTEXT, fragmentOf, inspect, KEY, short } from './code.ts';

test('createSyntaxService answers one result per fragment, in order', async (t) => {
  const fragments = ['eval(a)', 'b()', 'eval(c)'].map((text) => fragmentOf(text));
  const { results } = await createSyntaxService().inspect(
    { fragments, fingerprintKey: KEY },
    CONTEXT,
  );
  t.deepEqual(
    results.map(({ findings }) => findings.length),
    [1, 0, 1],
  );
});

test('inspect fills every field of a finding', (t) => {
  const text = "  const { host } = req.query\n  cp.exec(\n    'ping ' + host,\n  )\n";
  const [finding] = inspect(fragmentOf(text, { startLine: 41, path: 'lib/a.js' })).findings;
  t.like(finding, {
    id: 'vuln-01',
    gate: 'ast',
    severity: 'critical',
    message:
      'a shell command in exec (line 42) is made from data from outside: req.query.host (line 41)',
    file: 'lib/a.js',
    line: 42,
    end_line: 43,
    column: 6,
    excerpt: 'cp.exec(',
    cwe: 'CWE-78',
    suppressed: null,
  });
  t.regex(finding?.fix ?? '', /execFile/);
  t.regex(finding?.fingerprint ?? '', /^[0-9a-f]{64}$/);
});

/** [what, text, line, column in bytes]. */
const PLACES: [string, string, number, number][] = [
  ['ASCII', 'a()\n  eval(b)', 2, 3],
  ['two-byte characters before it', "'é'; eval(b)", 1, 7],
  ['four-byte characters before it', "'𝒳'; eval(b)", 1, 9],
  ['characters on the lines before', "'é𝒳漢'\n\n  eval(b)", 3, 3],
  ['CRLF', 'a()\r\n  eval(b)\r\n', 2, 3],
  ['a byte order mark', '\ufeffeval(b)', 1, 4],
  ['a hashbang', '#!/usr/bin/env node\neval(b)', 2, 1],
  ['the rest of a comment', ' * é\n */ eval(b)', 2, 5],
  ['the rest of a template', 'é text`); eval(b)\n', 1, 12],
  ['stray closers', '  }\n})\n  eval(b)\n', 3, 3],
  ['a broken line before it', '%%% [[ ](\neval(b)\n', 2, 1],
  ['a chain over lines', 'a\n  .b()\n  .$queryRawUnsafe(req.body.c)', 3, 4],
  ['line separators that are no newline', "'\u2028'; eval(b)", 1, 8],
];
for (const [what, text, line, column] of PLACES) {
  test(`inspect gives the exact place: ${what}`, (t) => {
    const [finding] = inspect(fragmentOf(text)).findings;
    t.deepEqual([finding?.line, finding?.column], [line, column]);
    const shown = text.split('\n')[line - 1] ?? '';
    t.true(shown.includes(finding?.excerpt?.trim() ?? '-'));
  });
}

test('inspect clips excerpts to 512 characters', (t) => {
  const [finding] = inspect(fragmentOf(`eval(a, '${'b'.repeat(600)}')`)).findings;
  t.is(finding?.excerpt?.length, 512);
});

test('fingerprints survive moves and white space, not other code, files or keys', (t) => {
  const print = (text: string, startLine = 1) =>
    inspect(fragmentOf(text, { startLine })).findings.map(({ fingerprint }) => fingerprint);
  const [one] = print("exec('a ' + b)");
  t.deepEqual(print("\n\n  exec(\n    'a ' + b)", 70), print("exec( 'a ' + b)"));
  t.deepEqual(print("foo()\nexec('a ' + b)", 9), [one]);
  t.notDeepEqual(print("exec('a ' + c)"), [one]);
});

test('inspect reports added lines without a tree', (t) => {
  const { findings, unparsed } = inspect(fragmentOf('a()\n%%% x [[ ](\n%% y ]] (\neval(b)\n'));
  t.deepEqual(unparsed, [[1, 3]]);
  t.deepEqual(findings.map(short), ['vuln-02 critical 4']);
});

test('inspect reads files of no known kind as scripts: only those are sent', (t) => {
  const found = inspect(fragmentOf('const a: string = b\neval(a)', { path: 'bin/run' }));
  t.deepEqual(found.findings.map(short), ['vuln-02 critical 2']);
  const prose = fragmentOf('# no program', { path: 'bin/run' });
  t.deepEqual(inspect(prose), { findings: [], unparsed: [[0, 1]] });
});

test('inspect reports what was kept from the parser as ast-unparsed, high', (t) => {
  const { findings } = inspect(fragmentOf('eval(a)\nx=<b:c.d/>\n', { path: 'a.jsx' }));
  t.deepEqual(findings.map(short), ['vuln-02 critical 1', 'ast-unparsed high 2']);
});

test('inspect reports a tree that is too deep to follow as ast-unparsed, high', (t) => {
  const { findings } = inspect(fragmentOf(`${'while(a)'.repeat(1_990)};\neval(b)`));
  t.true(findings.map(short).includes('ast-unparsed high 1'));
});

for (const [what, pad] of [
  ['without data from outside', 'same(1);\n'],
  ['with data from outside', 'same(req.query.x);\n'],
] as const) {
  test(`inspect says so when many calls ${what} keep it from following one`, (t) => {
    const text = [
      'function same(a) { return a; }',
      'function run(c) { exec(c); }',
      `app.get('/', (req, res) => {\n${pad.repeat(350)} run('ls ' + req.query.dir); });`,
    ].join('\n');
    const { findings } = inspect(fragmentOf(text));
    t.deepEqual(
      findings.map(({ id, severity }) => [id, severity]),
      [['ast-unparsed', 'high']],
    );
  });
}
