import test from 'ava';
import { ANALYZE_REQUEST } from '../../src/model/change.ts';
import { CraError } from '../../src/model/errors.ts';
import { toRdjson } from '../../src/model/rdjson.ts';
import { nextStatus, type RfcStatus, STATUSES, type Transition } from '../../src/model/rfc.ts';
import { toSarif } from '../../src/model/sarif.ts';
import { createValidator } from '../../src/model/validate.ts';
import { finding, OUTCOMES, outcome } from './outcomes.ts';

test('toRdjson begins with the title', (t) => {
  const fields = { file: 'a.js', title: 'Evil call', message: 'It does harm.', fix: 'Do not.' };
  const [first] = toRdjson(outcome([finding('risk-a', fields)])).diagnostics;
  t.is(first?.message, 'Evil call\n\nIt does harm.\n\nDo not.');
});

test('toRdjson gives what has a place and is not suppressed, with byte columns', (t) => {
  const findings = [
    finding('vuln-01', { file: 'a.js', line: 3, end_line: 3, column: 7, fix: 'Use execFile.' }),
    finding('secret-key', { file: 'b', line: 4, end_line: 9, column: 2, severity: 'medium' }),
    finding('risk-mode', { file: 'c', severity: 'low' }),
    finding('risk-line', { file: 'd', line: 2, severity: 'info' }),
    finding('diff-unreadable'),
    finding('secret-a', { file: 'e', suppressed: { by: 'cra-ignore', reason: 'made up' } }),
  ];
  t.deepEqual(toRdjson(outcome(findings)), {
    source: { name: 'cra' },
    severity: 'ERROR',
    diagnostics: [
      {
        message: 'found vuln-01\n\nUse execFile.',
        location: { path: 'a.js', range: { start: { line: 3, column: 7 } } },
        severity: 'ERROR',
        code: { value: 'vuln-01' },
      },
      {
        message: 'found secret-key',
        location: { path: 'b', range: { start: { line: 4 }, end: { line: 9 } } },
        severity: 'WARNING',
        code: { value: 'secret-key' },
      },
      {
        message: 'found risk-mode',
        location: { path: 'c' },
        severity: 'INFO',
        code: { value: 'risk-mode' },
      },
      {
        message: 'found risk-line',
        location: { path: 'd', range: { start: { line: 2 } } },
        severity: 'INFO',
        code: { value: 'risk-line' },
      },
    ],
  });
  t.is(toRdjson(outcome([], { overall_status: 'PASSED' })).severity, 'INFO');
});

test('a finding of an earlier commit has no line in SARIF and rdjson, which are about the result', (t) => {
  const fields = { file: 'a.js', line: 3, end_line: 3, commit: 'b'.repeat(40) };
  const judged = outcome([finding('secret-key', fields)]);
  t.deepEqual(toRdjson(judged).diagnostics[0]?.location, { path: 'a.js' });
  const [result] = toSarif(judged).runs[0]?.results ?? [];
  t.is(result?.locations[0]?.physicalLocation.region, undefined);
});

const TRANSITIONS: Transition[] = ['pass', 'block', 'supersede', 'override', 'approve', 'reject'];

/** Written from the spec, "States and transitions"; every other move is a conflict. */
const ALLOWED: Record<string, RfcStatus> = {
  'DRAFT pass': 'PASSED',
  'DRAFT block': 'BLOCKED',
  'DRAFT supersede': 'SUPERSEDED',
  'BLOCKED override': 'OVERRIDDEN',
  'BLOCKED approve': 'OVERRIDDEN',
  'PASSED approve': 'APPROVED',
  'DRAFT reject': 'REJECTED',
  'BLOCKED reject': 'REJECTED',
  'PASSED reject': 'REJECTED',
  'OVERRIDDEN reject': 'REJECTED',
  'APPROVED reject': 'REJECTED',
  'REJECTED reject': 'REJECTED',
  'SUPERSEDED reject': 'REJECTED',
};

for (const status of STATUSES) {
  test(`nextStatus allows from ${status} exactly what the spec says`, (t) => {
    for (const transition of TRANSITIONS) {
      const wanted = ALLOWED[`${status} ${transition}`] ?? null;
      t.is(nextStatus(status, transition), wanted, `${status} + ${transition}`);
    }
  });
}

const EVERYTHING = OUTCOMES.find(([what]) => what === 'everything')?.[1] ?? outcome([]);

test('toSarif makes a rule of each id and a result of each finding', (t) => {
  const [run] = toSarif(EVERYTHING).runs;
  const rules = run?.tool.driver.rules ?? [];
  t.deepEqual(
    run?.results.map(({ ruleId, ruleIndex, level }) => [ruleId, rules[ruleIndex]?.id, level]),
    [
      ['vuln-01', 'vuln-01', 'error'],
      ['secret-a', 'secret-a', 'error'],
      ['secret-a', 'secret-a', 'error'],
      ['diff-unreadable', 'diff-unreadable', 'error'],
      ['risk-mode', 'risk-mode', 'warning'],
    ],
  );
  t.like(rules[0], {
    shortDescription: { text: 'Command injection' },
    help: { text: 'Use execFile.' },
    properties: { tags: ['security', 'vuln', 'external/cwe/cwe-078'], 'security-severity': '9.5' },
  });
  t.like(run?.results[0], {
    message: { text: 'Request parameter `a` reaches a shell command. found vuln-01' },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'src/a%20b%23%3F.js', uriBaseId: '%SRCROOT%' },
          region: { startLine: 3, startColumn: 7, endLine: 5, snippet: { text: 'exec(a)' } },
        },
      },
    ],
    partialFingerprints: { 'craFingerprint/v1': 'f'.repeat(64) },
    properties: { gate: 'ast', severity: 'critical', cwe: 'CWE-78' },
  });
  t.like(run?.properties, { repo_name: 'acme/shop', rfc_id: 'RFC-1', risk_score: 80 });
});

test('toSarif names the page of each rule where a service has its handbook', (t) => {
  const rulesOf = (baseUrl: string | null) =>
    toSarif(outcome([finding('risk-ä', {})]), baseUrl).runs[0]?.tool.driver.rules ?? [];
  t.like(rulesOf('https://cra.example')[0], {
    helpUri: 'https://cra.example/cra/docs/rules/risk-%C3%A4.html',
  });
  t.false('helpUri' in (rulesOf(null)[0] ?? {}));
});

test('toSarif gives a flow as a thread of places with lines', (t) => {
  const [run] = toSarif(EVERYTHING).runs;
  const flows = run?.results.map(({ codeFlows }) => codeFlows ?? []);
  t.deepEqual(
    flows?.map(({ length }) => length),
    [1, 0, 0, 0, 0],
  );
  const [file, other] = ['src/a%20b%23%3F.js', 'lib/b.js'].map((uri) => ({
    uri,
    uriBaseId: '%SRCROOT%',
  }));
  const place = (artifactLocation: unknown, startLine: number | null, text: string) => ({
    location: {
      physicalLocation: {
        artifactLocation,
        ...(startLine === null ? {} : { region: { startLine } }),
      },
      message: { text },
    },
  });
  t.deepEqual(flows?.[0]?.[0]?.threadFlows[0]?.locations as unknown, [
    place(file, null, 'request parameter `a`'),
    place(other, 9, 'passed to `run` as `[c] (d) {{0}}`'),
    place(file, 3, 'shell command of `exec`'),
  ]);
});

test('toSarif names a rule of gate 2 by its class, another one by its title', (t) => {
  const title = 'Request parameter `a` reaches a shell command';
  const [run] = toSarif(
    outcome([
      finding('ast-command', { gate: 'ast', title }),
      finding('risk-curl', { title: 'A download that is run' }),
      finding('risk-own'),
    ]),
  ).runs;
  t.deepEqual(
    run?.tool.driver.rules.map(({ shortDescription }) => shortDescription.text),
    ['Command injection', 'A download that is run', 'Risk: own'],
  );
});

test('toSarif says of every result whether, how and why it is suppressed', (t) => {
  const [run] = toSarif(EVERYTHING).runs;
  t.deepEqual(
    run?.results.map(({ suppressions }) => suppressions),
    [
      [],
      [{ kind: 'inSource', status: 'accepted', justification: 'cra-ignore: made up' }],
      [{ kind: 'external', status: 'accepted', justification: 'alice: rotated' }],
      [],
      [],
    ],
  );
});

test('toSarif says that a DRAFT has not ended, and which gates did not run', (t) => {
  const draft = toSarif(outcome([], { overall_status: 'DRAFT' })).runs[0]?.invocations[0];
  t.false(draft?.executionSuccessful);
  t.deepEqual(
    draft?.toolExecutionNotifications.map(({ message }) => message.text),
    ['the analysis has not ended yet', 'gate llm did not run: no_tier'],
  );
  t.true(toSarif(outcome([])).runs[0]?.invocations[0]?.executionSuccessful);
});

test('toSarif makes no path another host, scheme or folder above', (t) => {
  const hostile = OUTCOMES.find(([what]) => what === 'hostile names')?.[1] ?? outcome([]);
  const uris = toSarif(hostile).runs[0]?.results.map(
    ({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri ?? 'none',
  );
  t.deepEqual(uris, [
    '%2F%2Fevil.example/x',
    'javascript%3Aalert(1)',
    '../..',
    '%EF%BF%BD%00%0A',
    '%252e%252e/%22%3C',
    '',
  ]);
});

test('toSarif takes nothing in a message for a link or a placeholder', (t) => {
  const message = 'see [here](https://evil.example) and {0}';
  const [run] = toSarif(outcome([finding('risk-a', { message })])).runs;
  t.is(run?.results[0]?.message.text, 'see [here] (https://evil.example) and {{0}}');
});

/** [excerpt, whether the byte column is the column in characters]. */
const COLUMNS: [string | null, boolean][] = [
  ['exec(a)', true],
  ['key = "ghp_\u2026"', true],
  ['\u2026 tail of a long line', false],
  ["t('\u00e9', exec(a))", false],
  [null, false],
];

for (const [excerpt, isKnown] of COLUMNS) {
  test(`toSarif ${isKnown ? 'gives' : 'leaves out'} the column of ${excerpt}`, (t) => {
    const places = toSarif(outcome([finding('a-b', { file: 'a', line: 1, column: 4, excerpt })]));
    const region = places.runs[0]?.results[0]?.locations[0]?.physicalLocation.region;
    t.is(region?.startColumn, isKnown ? 4 : undefined);
  });
}

const GOOD = { repo_name: 'a', branch: 'b', commit_message: '', diff: 'x' };

const BAD: [string, unknown, string][] = [
  ['a number', 1, 'body: must be object'],
  ['null', null, 'body: must be object'],
  ['an array', [], 'body: must be object'],
  ['nothing in it', {}, 'repo_name: is required'],
  ['a missing diff', { ...GOOD, diff: undefined }, 'diff: is required'],
  ['a wrong type', { ...GOOD, repo_name: 5 }, 'repo_name: must be string'],
  ['an empty name', { ...GOOD, branch: '' }, 'branch: must not be empty'],
  ['an empty diff', { ...GOOD, diff: '' }, 'diff: must not be empty'],
  [
    'a NUL',
    { ...GOOD, branch: 'a\0' },
    'branch: must hold a letter or a digit, and no control character, lone surrogate or ' +
      'character that turns the direction of text or is invisible',
  ],
  ...[
    'acme/shop.git',
    'acme/shop.GIT',
    'acme/shop/',
    '/acme/shop',
    ' acme/shop',
    'acme/shop ',
    '\u00a0acme/shop',
    'acme//shop',
    'acme/shop.git/',
    'acme/sh\u200bop',
    'acme/shop\u3164',
    'acme/shop\ufe0f',
    'acme/shop\0',
  ].map((repo_name, index): [string, unknown, string] => [
    `another spelling of a repository, ${index}: ${encodeURIComponent(repo_name)}`,
    { ...GOOD, repo_name },
    'repo_name: must name a repository, like owner/repo',
  ]),
  ['an unknown source', { ...GOOD, diffSource: 'x' }, 'diffSource: must be one of local, pre-'],
  ['a text for a flag', { ...GOOD, postVcsStatus: 'yes' }, 'postVcsStatus: must be boolean'],
  ['a long name', { ...GOOD, branch: 'b'.repeat(1025) }, 'branch: must have at most 1024 char'],
];

for (const [title, value, message] of BAD) {
  test(`createValidator names the field and the problem of ${title}`, (t) => {
    const validate = createValidator(ANALYZE_REQUEST, 'body');
    const error = t.throws(() => validate(JSON.parse(JSON.stringify(value))), {
      instanceOf: CraError,
    });
    t.is(error?.code, 'INVALID_ARGUMENT');
    t.true(error?.message.startsWith(message), error?.message);
    t.is(error?.details['field'], message.slice(0, message.indexOf(':')));
  });
}

test('createValidator lets names of repositories pass that have one spelling', (t) => {
  const validate = createValidator(ANALYZE_REQUEST, 'body');
  const names = [
    'a',
    'acme/shop',
    'acme/.github',
    'Acme/Shop 2',
    'группа/проект',
    '店/铺',
    'a/b/c',
    'gitgit',
  ];
  for (const repo_name of names) t.notThrows(() => validate({ ...GOOD, repo_name }), repo_name);
});

test('createValidator lets unknown extra fields pass', (t) => {
  const validate = createValidator(ANALYZE_REQUEST, 'body');
  t.notThrows(() => validate({ ...GOOD, extra: 1 }));
});
