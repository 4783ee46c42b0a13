import test from 'ava';
import { lineCommentOf } from '../../../src/hosts/pull-comments.ts';
import type { Finding, Severity } from '../../../src/model/finding.ts';
import { reportOf } from '../../../src/pushes/statuses/report.ts';
import { pushedRecord } from './status-records.ts';

const URL_OF_RFC = 'https://cra.example/cra#approve-RFC-1';
const BASE_URL = 'https://cra.example';
const HELP = `${BASE_URL}/cra/docs/rules/vuln-01.html`;
const TARGET = { url: URL_OF_RFC, baseUrl: BASE_URL, annotationsMax: 200 };
const LINES = { show: 'lines', leastSeverity: 'low' } as const;

function finding(over: Partial<Finding> = {}): Finding {
  return {
    id: 'vuln-01',
    finding_id: 'f',
    gate: 'ast',
    severity: 'high',
    title: 'A request parameter reaches a shell',
    message: 'A request parameter reaches exec.',
    file: 'src/backup.js',
    line: 7,
    end_line: 9,
    column: 1,
    excerpt: 'exec(secret)',
    fingerprint: 'a'.repeat(64),
    cwe: null,
    fix: 'Use execFile.',
    suppressed: null,
    resolved: null,
    ...over,
  };
}

function record(findings: Finding[], overall_status: 'BLOCKED' | 'DRAFT' = 'BLOCKED') {
  const { gates } = pushedRecord(1);
  const ast = { ...gates.ast, findings };
  return pushedRecord(1, { overall_status, gates: { ...gates, ast } });
}

test('a report says why, where, what to do, and who may decide', (t) => {
  const { summary, annotations } = reportOf(record([finding()]), LINES, TARGET);
  t.is(
    summary,
    [
      '**BLOCKED**, risk score 12 of 100. Repair the findings and push again, or ask a person who may override the verdict.',
      `- **high** \`A request parameter reaches a shell\` in \`src/backup.js:7\` ([help](${HELP}))`,
      `[Open RFC-1](${URL_OF_RFC})`,
    ].join('\n\n'),
  );
  t.deepEqual(annotations, [
    {
      path: 'src/backup.js',
      startLine: 7,
      endLine: 9,
      level: 'failure',
      title: 'high: A request parameter reaches a shell',
      message: 'A request parameter reaches exec.\n\nFix: Use execFile.',
    },
  ]);
});

test('a finding of an earlier commit names it, and is shown at no line of the result', (t) => {
  const commit = 'b'.repeat(40);
  const { summary, annotations } = reportOf(record([finding({ commit })]), LINES, TARGET);
  t.true(summary.includes('in `src/backup.js:7` of commit bbbbbbbbbbbb'));
  t.deepEqual(annotations, []);
});

test('worst findings come first; suppressed and milder ones, excerpts and drafts are not shown', (t) => {
  const of = (severity: Severity, line: number, over: Partial<Finding> = {}) =>
    finding({ severity, line, end_line: line, ...over });
  const suppressed = { by: 'cra-ignore', reason: 'a test' };
  const list = [of('low', 1), of('info', 2), of('critical', 3), of('high', 4, { suppressed })];
  const { summary, annotations } = reportOf(record(list), LINES, TARGET);
  t.deepEqual(
    annotations.map(({ startLine, level }) => [startLine, level]),
    [
      [3, 'failure'],
      [1, 'notice'],
    ],
  );
  t.true(summary.includes('1 other findings are in the RFC alone.'));
  t.false(JSON.stringify(annotations).includes('secret'));
  const draft = reportOf(record(list, 'DRAFT'), LINES, TARGET);
  t.deepEqual(draft, {
    summary: 'The analysis has not ended.',
    annotations: [],
    isQuiet: true,
  });
});

test('what is not listed is counted', (t) => {
  const list = Array.from({ length: 230 }, (_, index) => finding({ line: index + 1 }));
  const { summary } = reportOf(record(list), LINES, TARGET);
  t.is(summary.split('\n').filter((line) => line.startsWith('- ')).length, 20);
  t.true(summary.includes('210 more are listed in the RFC. 30 are not shown at their lines'));
  t.deepEqual(reportOf(record(list), { ...LINES, show: 'summary' }, TARGET).annotations, []);
});

test('the setting of a component counts for its findings in place of that of the host', (t) => {
  const components = [
    { id: 'web', paths: ['web/**'], findings: 'off' as const },
    { id: 'pay', paths: ['pay/**'], findings_severity: 'high' as const },
    { id: 'ui', paths: ['web/ui/**', 'ui/**'], findings: 'lines' as const },
    { id: 'docs', paths: ['docs/**'], repo: 'acme/other', findings: 'off' as const },
  ];
  const at = (file: string | null, severity: Severity = 'low') =>
    finding({ title: `${severity} ${file}`, file, severity });
  const list = [
    at('web/a.js', 'critical'),
    at('pay/a.js', 'high'),
    at('pay/b.js'),
    at('web/ui/a.js', 'high'),
    at('docs/a.js'),
    at(null),
  ];
  const verdict = (id: string) => ({
    id,
    status: 'BLOCKED' as const,
    risk_score: 0,
    findings: [],
    findings_total: 0,
    base: null,
    same_as: null,
  });
  const judged = { ...record(list), components: ['web', 'pay', 'ui'].map(verdict) };
  const shown = (over: object) => {
    const setting = { show: 'summary', leastSeverity: 'low', ...over } as const;
    const report = reportOf(judged, setting, { ...TARGET, components });
    const lines = report.summary.split('\n').filter((line) => line.startsWith('- '));
    return {
      listed: lines.map((line) => /`\w+ ([^`]+)`/.exec(line)?.[1]),
      placed: report.annotations.map(({ path }) => path),
      rest: /(\d+) other/.exec(report.summary)?.[1],
    };
  };
  // `web/ui` belongs to two components; what none claims, to all.
  t.deepEqual(shown({}), {
    listed: ['pay/a.js', 'web/ui/a.js', 'docs/a.js', 'null'],
    placed: ['web/ui/a.js', 'docs/a.js'],
    rest: '2',
  });
  t.deepEqual(shown({ show: 'lines', leastSeverity: 'critical' }), {
    listed: ['pay/a.js'],
    placed: ['pay/a.js'],
    rest: '5',
  });
  const quiet = { ...record([at('web/a.js')]), components: [verdict('web')] };
  const passed = { ...quiet, overall_status: 'PASSED' as const };
  t.true(reportOf(passed, LINES, { ...TARGET, components }).isQuiet);
});

test('a finding of the whole change has no annotation', (t) => {
  const list = [finding({ file: null, line: null, end_line: null })];
  const { summary, annotations } = reportOf(record(list), LINES, TARGET);
  t.deepEqual(annotations, []);
  t.regex(summary, /^- \*\*high\*\* `A request parameter reaches a shell` \(\[help\]/m);
});

const HOSTILE = [
  '@acme/admins look',
  '@all',
  '\\@all &#64;all',
  '#1 !1 ~bug %v1 $1 ^2 &3 acme/shop#1 GH-1',
  `see ${'a1'.repeat(20)}`,
  '/close',
  'x\n/approve\n/merge',
  '```\n/close\n```',
  '`\n/label ~bug\n`',
  '![x](https://evil.example/p.png)',
  '[click](javascript:alert(1))',
  '[l]: https://evil.example',
  'https://evil.example www.evil.example eve@evil.example',
  '<img src=x onerror=alert(1)>',
  '<!-- cra/gate verdict -->',
  '--> <b>',
  '$`a`$ :tada: {{x}} [[page]]',
  '| a | b |\n|---|---|',
  '- [x] done',
  'a`b @acme ``c`` ```d',
  'line\n\n# Approved\n- **PASSED**',
  '`',
  '\\',
  '\\`@acme',
  ' ',
  'a\u202eb',
  'a\u2028/close',
];

for (const text of HOSTILE) {
  test(`a host makes nothing of the text ${JSON.stringify(text)}`, (t) => {
    const list = [finding({ title: text, file: `src/${text}.js`, message: text, fix: text })];
    const { summary, annotations } = reportOf(record(list), LINES, TARGET);
    const [line = '', ...more] = summary.split('\n').filter((one) => one.startsWith('- '));
    t.deepEqual(more, []);
    // Without its code spans nothing is left but our own words.
    t.is(withoutCodeSpans(line), `- **high**  in  ([help](${HELP}))`);
    const [comment = ''] = annotations.map(lineCommentOf);
    t.regex(withoutCodeSpans(comment), /^\*\*\*\*\s*(?:Fix:)?\s*$/);
    for (const markdown of [summary, comment]) {
      t.notRegex(markdown, /[\u2028\u2029\u202a-\u202e]/);
      // Quick actions of GitLab begin a line.
      t.notRegex(markdown, /^\//m);
    }
  });
}

test('a summary stays below what hosts take, however long titles and paths are', (t) => {
  const long = finding({ title: '`a'.repeat(50_000), file: `${'`'.repeat(50_000)}.js` });
  const { summary } = reportOf(record(Array.from({ length: 30 }, () => long)), LINES, TARGET);
  t.true(summary.length < 65_000, `${summary.length}`);
});

test('a report names freezes, and shows their reasons as code', (t) => {
  const freezes = ['Deploys to prod are held until Monday: [see](https://evil.example)'];
  const { summary } = reportOf(record([]), LINES, { ...TARGET, freezes });
  t.true(summary.includes(`- \`${freezes[0]}\``));
  const long = reportOf(record([]), LINES, { ...TARGET, freezes: ['x'.repeat(9_000)] });
  t.true(long.summary.length < 2_000);
});

test('a report names the rejection of its commit', (t) => {
  const target = { ...TARGET, rejectedBy: 'RFC-9' };
  const { summary, isQuiet } = reportOf(pushedRecord(1), LINES, target);
  t.true(summary.includes('A person rejected the commit in RFC-9.'));
  t.false(isQuiet);
});

/** As CommonMark reads them: a run of backticks up to the next run of the same length. */
function withoutCodeSpans(text: string): string {
  return text.replace(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, '');
}

test('a report counts the packages of a change, and lists some of them', (t) => {
  const one = { file: 'go.sum', name: 'a', from: '1', to: '2', direct: true, required_by: null };
  const packages = [
    one,
    { ...one, name: '`b`', from: null, direct: false, required_by: 'a' },
    { ...one, to: null },
    ...Array.from({ length: 197 }, () => one),
  ];
  const counts = { added: 3, transitive: 2, removed: 1, changed: 300 };
  const blocked = { ...record([finding()]), dependencies: { ...counts, packages } };
  const lines = reportOf(blocked, LINES, TARGET).summary.split('\n');
  const at = lines.findIndex((line) => line.startsWith('**Dependencies**'));
  t.deepEqual(lines.slice(at, at + 5), [
    '**Dependencies**: 3 added (2 that no manifest asks for), 1 removed, 300 changed.',
    '',
    '- `a` `1` to `2`',
    '- `` `b` `` `2` is new, for `a`',
    '- `a` removed',
  ]);
  t.is(lines[at + 52], '- 254 more are in the RFC.');
  const none = { added: 0, removed: 0, changed: 0, packages: [] };
  const quiet = { ...record([finding()]), dependencies: none };
  t.notRegex(reportOf(quiet, LINES, TARGET).summary, /Dependencies/);
});
