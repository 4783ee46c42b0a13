import { gzipSync } from 'node:zlib';
import test from 'ava';
import { REPORTS } from '../../../src/gates/external/limits.ts';
import { fillIn, readSarif, splitSarif } from '../../../src/gates/external/sarif.ts';
import { CraError } from '../../../src/model/errors.ts';
import type { ReportSettings } from '../../../src/model/rules.ts';

/** A log with one run of a tool. */
function log(results: readonly unknown[], run: object = {}, driver: object = {}): Buffer {
  const tool = { driver: { name: 'Acme Scan', ...driver } };
  return Buffer.from(JSON.stringify({ version: '2.1.0', runs: [{ tool, results, ...run }] }));
}

function at(uri: string, region: object = { startLine: 3 }, more: object = {}) {
  return { locations: [{ physicalLocation: { artifactLocation: { uri, ...more }, region } }] };
}

const only = (bytes: Buffer) => {
  const { results } = readSarif(bytes);
  if (results.length !== 1 || results[0] === undefined)
    throw new Error(`${results.length} results`);
  return results[0];
};

test('a result has rule, severity, place, weakness and fix', (t) => {
  const rules = [
    {
      id: 'py/sql',
      shortDescription: { text: 'SQL injection' },
      help: { text: 'Use parameters.' },
      defaultConfiguration: { level: 'error' },
      properties: { tags: ['security', 'external/cwe/cwe-089'] },
    },
  ];
  const region = { startLine: 3, startColumn: 5, endLine: 4 };
  const message = { text: 'From {0} to {1}', arguments: ['a', 'b'] };
  const partialFingerprints = { primaryLocationLineHash: 'ab:1' };
  const result = { ruleIndex: 0, message, ...at('src/a.py', region), partialFingerprints };
  t.deepEqual(only(log([result], {}, { rules })), {
    tool: 'acme-scan',
    id: 'ext-acme-scan-py-sql',
    rule: 'py/sql',
    severity: 'high',
    title: 'SQL injection',
    message: 'From a to b',
    fix: 'Use parameters.',
    cwe: 'CWE-89',
    path: 'src/a.py',
    line: 3,
    endLine: 4,
    column: 5,
    fingerprint: '[["primaryLocationLineHash","ab:1"]]',
    suppressed: null,
  });
});

test('the values of a message are asked for until its text is full, and no further', (t) => {
  let asked = 0;
  const filled = fillIn('{0}'.repeat(333), () => {
    asked += 1;
    return 'z'.repeat(400);
  });
  t.is(asked, 3);
  t.is(filled, `${'z'.repeat(REPORTS.TEXT_CHARS_MAX)}…`);
  const whole = 'y'.repeat(REPORTS.TEXT_CHARS_MAX);
  t.is(
    fillIn('{0}', () => whole),
    whole,
  );
  const named = (position: number) => ['a', ''][position];
  t.is(fillIn('{1}{0} of {2}, {0}', named), 'a of {2}, a');
});

test('the name of the tool is not said twice in the id', (t) => {
  t.is(only(log([{ ruleId: 'Acme Scan/weak.hash' }])).id, 'ext-acme-scan-weak-hash');
  t.is(only(log([{ ruleId: '***' }])).id, 'ext-acme-scan-unnamed');
});

test('severities: the score of the result, of its rule, then the level, else medium', (t) => {
  const severity = (result: object, rule: object = {}) =>
    only(log([{ ruleId: 'a', ...result }], {}, { rules: [{ id: 'a', ...rule }] })).severity;
  t.is(severity({ level: 'error' }), 'high');
  t.is(severity({ level: 'note' }), 'low');
  t.is(severity({ level: 'none' }), 'info');
  t.is(severity({}), 'medium');
  t.is(severity({}, { defaultConfiguration: { level: 'note' } }), 'low');
  t.is(severity({ level: 'note' }, { properties: { 'security-severity': '9.1' } }), 'critical');
  t.is(severity({ properties: { 'security-severity': '3.9' } }), 'low');
  t.is(severity({ level: 'error' }, { properties: { 'security-severity': 'none' } }), 'high');
});

test('severities go by rows of the rules, then by rows of the tool', (t) => {
  const graded = (name: string, result: object, severities: ReportSettings['severities'] = []) =>
    readSarif(log([{ ruleId: 'a', ...result }], {}, { name }), { severities }).results[0]?.severity;
  t.is(graded('gitleaks', {}), 'high');
  t.is(graded('Checkov', { level: 'error' }), 'medium');
  t.is(
    graded('Checkov', { level: 'error', properties: { 'security-severity': '10.0' } }),
    'critical',
  );
  t.is(graded('ESLint', { level: 'error' }), 'medium');
  t.is(graded('ESLint', { level: 'warning' }), 'low');
  t.is(graded('ESLint', { level: 'note' }), 'info');
  t.is(graded('ESLint', { level: 'none' }), 'info');
  const rows = [
    { tool: 'eslint', tag: 'Security', severity: 'critical' },
    { tool: 'eslint', level: 'error', severity: 'low' },
    { score: 5, severity: 'high' },
  ] as const;
  t.is(graded('ESLint', { level: 'error' }, rows), 'low');
  t.is(graded('ESLint', { level: 'error', properties: { tags: ['security'] } }, rows), 'critical');
  t.is(graded('Lint', { properties: { 'security-severity': '5' } }, rows), 'high');
  t.is(graded('Lint', { properties: { 'security-severity': '4.9' } }, rows), 'medium');
  t.is(graded('Lint', { level: 'error' }, rows), 'high');
});

test('a report suppresses its results only as the rules let it', (t) => {
  const suppressed = (result: object, honours: ReportSettings['honours'] = []) =>
    readSarif(log([{ ruleId: 'a', ...result }]), { honours }).results[0]?.suppressed;
  const inSource = { suppressions: [{ kind: 'inSource', justification: 'we know' }] };
  t.is(suppressed(inSource), null);
  t.is(suppressed(inSource, ['baseline']), null);
  t.is(suppressed(inSource, ['suppressions']), 'the report says that it is suppressed (inSource)');
  const by = (...statuses: string[]) => ({
    suppressions: statuses.map((status) => ({ kind: 'external', status })),
  });
  t.regex(suppressed(by('accepted'), ['suppressions']) ?? '', /\(external\)$/);
  t.is(suppressed(by('accepted', 'underReview'), ['suppressions']), null);
  t.is(suppressed(by('rejected'), ['suppressions']), null);
  t.is(suppressed({ suppressions: [] }, ['suppressions']), null);
  t.is(suppressed({ suppressions: 'all' }, ['suppressions']), null);
  const old = { baselineState: 'unchanged' };
  t.is(suppressed(old), null);
  t.is(suppressed(old, ['suppressions']), null);
  t.is(suppressed(old, ['baseline']), 'the report says that it was there before');
  t.is(suppressed({ baselineState: 'updated' }, ['baseline']), null);
});

test('paths are read in every form in which tools write them', (t) => {
  const path = (uri: string, more: object = {}, run: object = {}) =>
    only(log([at(uri, { startLine: 1 }, more)], run)).path;
  t.is(path('./src/a.js'), 'src/a.js');
  t.is(path('file:///home/ci/shop/src/a.js'), 'home/ci/shop/src/a.js');
  t.is(path('file:/home/ci/a.js'), 'home/ci/a.js');
  t.is(path('src%20b/a.js'), 'src b/a.js');
  t.is(path('src%b/a.js'), 'src%b/a.js');
  t.is(path('src\\b\\a.js'), 'src/b/a.js');
  t.is(path('C:\\ci\\src\\a.js'), 'ci/src/a.js');
  t.is(path('file:///C:/ci/src/a.js'), 'ci/src/a.js');
  t.is(path('src/../lib/a.js'), 'lib/a.js');
  const originalUriBaseIds = {
    ROOT: { uri: 'file:///ci/shop/' },
    SRC: { uri: 'src', uriBaseId: 'ROOT' },
    LOOP: { uri: 'x', uriBaseId: 'LOOP' },
  };
  t.is(path('a.js', { uriBaseId: 'SRC' }, { originalUriBaseIds }), 'ci/shop/src/a.js');
  t.true(path('a.js', { uriBaseId: 'LOOP' }, { originalUriBaseIds })?.endsWith('x/a.js'));
  const artifacts = [{ location: { uri: 'src/a.js' } }];
  const indexed = { locations: [{ physicalLocation: { artifactLocation: { index: 0 } } }] };
  t.is(only(log([indexed], { artifacts })).path, 'src/a.js');
  t.is(only(log([{ message: { text: 'all of it' } }])).path, null);
});

test('results that say that all is well, or are gone, do not count', (t) => {
  const results = [{ kind: 'pass' }, { kind: 'notApplicable' }, { baselineState: 'absent' }];
  t.deepEqual(readSarif(log(results)).results, []);
  // A tool may not take a result out of the verdict.
  t.is(readSarif(log([{ suppressions: [{ kind: 'inSource' }] }])).results.length, 1);
});

test('a weakness is found in tags, properties and taxa', (t) => {
  const cwe = (rule: object, result: object = {}) =>
    only(log([{ ruleId: 'a', ...result }], {}, { rules: [{ id: 'a', ...rule }] })).cwe;
  t.is(cwe({ properties: { tags: ['CWE-79: XSS', 'OWASP'] } }), 'CWE-79');
  t.is(cwe({ properties: { cwe: 'CWE-022' } }), 'CWE-22');
  t.is(cwe({}, { taxa: [{ id: '502', toolComponent: { name: 'CWE' } }] }), 'CWE-502');
  t.is(cwe({ properties: { tags: ['security'] } }), null);
});

test('gzip and a byte order mark are read', (t) => {
  t.is(readSarif(gzipSync(log([{}]))).results.length, 1);
  t.is(readSarif(Buffer.concat([Buffer.from('\ufeff'), log([{}])])).results.length, 1);
});

test('anything but a log of SARIF 2.1.0 is refused, and the error says why', (t) => {
  const refused = (bytes: Buffer | string, why: RegExp) => {
    const error = t.throws(() => readSarif(Buffer.from(bytes)), { instanceOf: CraError });
    t.is(error?.code, 'INVALID_ARGUMENT');
    t.regex(error?.message ?? '', why);
  };
  refused('nothing', /report: is not JSON/);
  refused(Buffer.from([0xff, 0xfe]), /is not UTF-8/);
  refused('[]', /is not an object/);
  refused('{"version":"2.0.0","runs":[]}', /needs "version": "2\.1\.0"/);
  refused('{"version":"2.1.0"}', /needs a list "runs"/);
  refused('{"version":"2.1.0","runs":[]}', /has no run of a tool/);
  refused('{"version":"2.1.0","runs":[{}]}', /runs\[0\] names no tool/);
  refused(log([], { results: {} }), /runs\[0\]\.results is not a list/);
  refused(Buffer.from([0x1f, 0x8b, 1, 2]), /is broken gzip/);
  refused(gzipSync(Buffer.alloc(REPORTS.BYTES_MAX + 1, 32)), /has more than \d+ bytes/);
  refused(log(Array.from({ length: REPORTS.RESULTS_MAX + 1 }, () => 0)), /more than 50000 results/);
  const runs = Array.from({ length: REPORTS.RUNS_MAX + 1 }, () => ({}));
  refused(JSON.stringify({ version: '2.1.0', runs }), /has more than 100 runs/);
  // To write it again as JSON would end the stack.
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const nested = log([{ partialFingerprints: { a: 'DEEP' } }])
    .toString()
    .replace('"DEEP"', deep);
  refused(nested, /more than 1000 lists and maps within each other/);
});

test('values of wrong types are read as absent', (t) => {
  const wrong = { ruleId: 7, level: [], message: 'x', locations: [{ physicalLocation: 3 }] };
  t.like(only(log([wrong], {}, { rules: 'none' })), {
    rule: 'unnamed',
    severity: 'medium',
    message: 'The tool gives no message.',
    path: null,
    line: null,
  });
  t.is(only(log([at('a', { startLine: -1 })])).line, null);
  t.is(only(log([at('a', { startLine: 1e300 })])).line, null);
});

test('each run has the commits that it names', (t) => {
  const run = (name: string, ids: readonly string[]) => ({
    tool: { driver: { name } },
    versionControlProvenance: ids.map((revisionId) => ({ revisionId })),
  });
  const runs = [run('One', ['FFFFFFF', 'aaaaaaa']), run('Two', []), run('Three', ['bbbbbbb'])];
  const { reports, commits } = splitSarif(Buffer.from(JSON.stringify({ version: '2.1.0', runs })));
  t.deepEqual(
    reports.map(({ tool }) => tool),
    ['one', 'two', 'three'],
  );
  t.deepEqual(commits, [['fffffff', 'aaaaaaa'], ['bbbbbbb']]);
});

test('a part of a report that is longer than a report when it is written again is refused', (t) => {
  const numbers = `[${'1e20,'.repeat(1_700_000)}1]`;
  const runs = ['One', 'Two'].map((name) => {
    return `{"tool":{"driver":{"name":"${name}"}},"results":[],"properties":{"n":${numbers}}}`;
  });
  const report = Buffer.from(`{"version":"2.1.0","runs":[${runs}]}`);
  t.true(report.length < REPORTS.BYTES_MAX);
  const { message } = t.throws(() => splitSarif(report), { instanceOf: CraError });
  t.regex(message, /has more than 33554432 bytes of one/);
});

test('hostile reports are refused with a clear error, or read without harm', (t) => {
  const text = (results: string, more = '') =>
    Buffer.from(
      `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"A"}},${more}"results":[${results}]}]}`,
    );
  const one = (result: string, more = '') => only(text(result, more));
  const refused = (bytes: Uint8Array, why: RegExp) => {
    const error = t.throws(() => readSarif(bytes), { instanceOf: CraError });
    t.is(error?.code, 'INVALID_ARGUMENT');
    t.regex(error?.message ?? '', why);
    // It quotes nothing of the report.
    t.true((error?.message ?? '').length < 200);
  };
  const place = (uri: string, region: string, base = '') =>
    `{"locations":[{"physicalLocation":{"artifactLocation":{"uri":${JSON.stringify(uri)}${base}},"region":${region}}}]}`;

  // Values of wrong types in every place, and names of members of every object.
  for (const value of ['7', '"x"', 'true', 'null', '[]', '{}', '[[]]', '{"text":7}', '1e308']) {
    for (const name of [
      ...['ruleId', 'ruleIndex', 'rule', 'level', 'kind', 'message', 'locations', 'suppressions'],
      ...['properties', 'taxa', 'relationships', 'fingerprints', 'partialFingerprints'],
      ...['baselineState', '__proto__', 'constructor', 'toString'],
    ]) {
      t.true(readSarif(text(`{"${name}":${value}}`)).results.length <= 1, `${name}: ${value}`);
    }
    for (const name of ['artifacts', 'originalUriBaseIds', 'versionControlProvenance']) {
      t.is(splitSarif(text('{}', `"${name}":${value},`)).reports[0]?.results, 1, name);
    }
    t.is(readSarif(text(value)).results.length, 1, value);
  }
  t.is(({} as Record<string, unknown>)['polluted'], undefined);
  t.is(one('{"ruleId":"__proto__"}').id, 'ext-a-proto');
  const bases =
    '"originalUriBaseIds":{"A":{"uri":"a","uriBaseId":"B"},"B":{"uri":"b","uriBaseId":"A"}},';
  t.true((one(place('x', '{}', ',"uriBaseId":"A"'), bases).path ?? '').length < 50);
  t.is(one(place('x', '{}', ',"uriBaseId":"__proto__"'), bases).path, 'x');
  t.is(one(place('x', '{}', ',"uriBaseId":"constructor"'), bases).path, 'x');

  // Regions.
  for (const [region, line, endLine] of [
    ['{"startLine":-5,"endLine":-1}', null, null],
    ['{"startLine":0}', null, null],
    ['{"startLine":1.5}', null, null],
    ['{"startLine":1e308,"endLine":1e308}', null, null],
    ['{"startLine":"3"}', null, null],
    ['{"startLine":9,"endLine":2}', 9, 9],
    ['{"startLine":1,"endLine":9007199254740991}', 1, 9_007_199_254_740_991],
    ['{"startLine":2,"startLine":3}', 3, 3],
  ] as const) {
    t.like(one(place('a', region)), { line, endLine }, region);
  }

  // Paths that lead out of the repository stay names of its own files, or of none.
  for (const [uri, path] of [
    ['../../etc/passwd', 'etc/passwd'],
    ['a/../../../b', 'b'],
    ['%2e%2e/%2e%2e/etc/passwd', 'etc/passwd'],
    ['/etc/passwd', 'etc/passwd'],
    ['file://server/share/a.js', 'share/a.js'],
    ['\\\\server\\share\\a.js', 'server/share/a.js'],
    ['C:/x/../a.js', 'a.js'],
    ['file:///C%3A/x/a.js', 'x/a.js'],
    ['..', ''],
    ['a\u0000b', 'a\u0000b'],
    ['%ff%fe', '%ff%fe'],
  ] as const) {
    t.is(one(place(uri, '{}')).path, path, uri);
  }

  // Rules by an index that the list does not have.
  for (const index of ['-1', '0.5', '99', '1e308', '"length"', '"0"', 'null']) {
    t.is(one(`{"ruleIndex":${index}}`).rule, 'unnamed', index);
  }
  const odd = '{"suppressions":[{"kind":"other"},7,null,{"status":[]}]}';
  t.is(readSarif(text(odd), { honours: ['suppressions'] }).results[0]?.suppressed, null);

  // Texts: halves of surrogates, and more than is kept.
  const { message, rule } = one(
    `{"ruleId":"\\ud800x","message":{"text":"\\udc00${'y'.repeat(5_000)}"}}`,
  );
  t.true(message.isWellFormed() && message.length <= REPORTS.TEXT_CHARS_MAX + 1);
  t.true(rule.isWellFormed());
  t.is(one('{"message":{"text":"{0}{99}{0}","arguments":["{0}"]}}').message, '{0}{99}{0}');
  const doubled = '{0}'.repeat(2_000);
  const long = one(`{"message":{"text":"${doubled}","arguments":["${'z'.repeat(1_000_000)}"]}}`);
  t.true(long.message.length <= REPORTS.TEXT_CHARS_MAX + 1);

  // What is no report at all.
  refused(Buffer.concat([log([{}]), log([{}])]), /is not JSON/);
  refused(Buffer.concat([gzipSync(log([{}])), gzipSync(log([{}]))]), /is not JSON/);
  refused(gzipSync(log([{}])).subarray(0, 40), /is broken gzip/);
  refused(gzipSync(gzipSync(log([{}]))), /is not UTF-8/);
  refused(Buffer.from('\ufeff\ufeff{}'), /is not JSON/);
  refused(Buffer.from(log([{}]).toString(), 'utf16le'), /is not (?:UTF-8|JSON)/);
  refused(Buffer.concat([log([{}]), Buffer.from([0])]), /is not JSON/);
  refused(Buffer.from([...log([{ ruleId: 'a' }]).subarray(0, -20), 0xc3, 0x28]), /is not UTF-8/);
  refused(Buffer.alloc(0), /is not JSON/);
  refused(text(`${'{},'.repeat(999_999)}{}`), /has more than 50000 results \(1000000\)/);
  refused(text('{}', `"properties":{"a":[${'[],'.repeat(5_000_000)}0]},`), /more than 5000000/);
});
