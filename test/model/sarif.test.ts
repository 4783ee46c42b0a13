import test from 'ava';
import { toSarif } from '../../src/model/sarif.ts';
import { finding, OUTCOMES, outcome } from './outcomes.ts';

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
    message: { text: 'found vuln-01' },
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

test('toSarif tells of every result whether, how and why it is suppressed', (t) => {
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
    ['the analysis has not ended yet', 'gate llm did not run: no LLM tier is configured'],
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
