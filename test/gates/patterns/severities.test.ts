import test from 'ava';
import { buildRules } from '../../../src/gates/patterns/rules-text.ts';
import { compileSeverities, idleSeverities } from '../../../src/gates/patterns/severities.ts';
import { mayLowerSeverity, type Severity } from '../../../src/model/finding.ts';
import { rulesRevision, type SeverityMap } from '../../../src/model/rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { findingsIn, findingsOf } from '../../analysis/worker/gates-run.ts';
import { newFile } from './scan-text.ts';

/** The map, a finding of medium severity, and what becomes of it. */
const GRADES: [map: SeverityMap, id: string, file: string | null, severity: Severity][] = [
  [{ 'risk-a': 'high' }, 'risk-a', 'x.sql', 'high'],
  [{ 'risk-a': 'high' }, 'risk-a', null, 'high'],
  [{ 'risk-a': 'low' }, 'risk-a', 'x.sql', 'low'],
  [{ 'risk-a': 'high' }, 'risk-b', 'x.sql', 'medium'],
  [{ 'risk-*': 'high' }, 'risk-b', 'x.sql', 'high'],
  [{ 'ast-*': 'high' }, 'ast-sql', 'x.js', 'high'],
  [{ 'llm-*': 'low' }, 'llm-sql', 'x.js', 'low'],
  [{ 'risk-a': { 'db/prod/**': 'critical' } }, 'risk-a', 'db/prod/a.sql', 'critical'],
  [{ 'risk-a': { 'db/prod/**': 'critical' } }, 'risk-a', 'db/test/a.sql', 'medium'],
  [{ 'risk-a': { 'db/prod/**': 'critical' } }, 'risk-a', null, 'medium'],
  // The most specific path, whatever comes first.
  [{ 'risk-a': { 'db/prod/**': 'critical', '**': 'high' } }, 'risk-a', 'db/prod/a', 'critical'],
  [{ 'risk-a': { '**': 'high', 'db/prod/**': 'critical' } }, 'risk-a', 'db/prod/a', 'critical'],
  [{ 'risk-a': { 'db/prod/**': 'critical', '**': 'high' } }, 'risk-a', 'x', 'high'],
  [{ 'risk-a': { 'db/**': 'low', 'db/prod/a.sql': 'high' } }, 'risk-a', 'db/prod/a.sql', 'high'],
  [{ 'risk-a': { 'db/**': 'low', 're:^db/': 'high' } }, 'risk-a', 'db/a', 'low'],
  [{ 'risk-*': { 'db/prod/**': 'critical' }, 'risk-a': 'low' }, 'risk-a', 'db/prod/a', 'critical'],
  // Of equal paths the more specific rule, of equal rules the later entry.
  [{ 'risk-*': 'critical', 'risk-a': 'high' }, 'risk-a', 'x', 'high'],
  [{ 'risk-a': 'high', 'risk-*': 'critical' }, 'risk-a', 'x', 'high'],
  [{ 'risk-a*': 'high', 'risk-*': 'critical' }, 'risk-ab', 'x', 'high'],
  [{ 'risk-a': { 'a/*': 'high', '*/a': 'low' } }, 'risk-a', 'a/a', 'low'],
  [{ 'risk-a': { '*/a': 'low', 'a/*': 'high' } }, 'risk-a', 'a/a', 'high'],
  // A name for all rules that go by the surroundings of a secret alone.
  [{ 'secret-generic-*': 'high' }, 'secret-password', 'a.js', 'high'],
  [{ 'secret-generic-*': 'high' }, 'secret-cookie', 'a.js', 'high'],
  [{ 'secret-generic-*': 'high' }, 'secret-generic-api-key', 'a.js', 'high'],
  [{ 'secret-generic-*': 'high' }, 'secret-slack-token', 'a.js', 'medium'],
];

const MEDIUM: Severity = 'medium' as Severity;

for (const [map, id, file, severity] of GRADES) {
  test(`${JSON.stringify(map)} makes ${id} in ${file} ${severity}`, (t) => {
    const graded: Severity = compileSeverities(map)({ id, severity: MEDIUM, file }).severity;
    t.is(graded, severity);
  });
}

const FIXED: [id: string, severity: Severity][] = [
  ...([1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => [`vuln-0${number}`, 'critical']) as [
    string,
    Severity,
  ][]),
  ...([
    ['vuln-10', 'critical'],
    ['secret-private-key', 'critical'],
    ['secret-jwk', 'high'],
  ] as [string, Severity][]),
  ...([
    ['secret-github-token', 'critical'],
    ['secret-groq-api-key', 'high'],
  ] as [string, Severity][]),
  ...(['risk-pipe-to-shell', 'risk-reverse-shell', 'risk-install-download'].map((id) => [
    id,
    'high',
  ]) as [string, Severity][]),
  ...(['risk-miner', 'risk-run-decoded', 'risk-environment-sent'].map((id) => [id, 'high']) as [
    string,
    Severity,
  ][]),
  ...(['binary-file', 'diff-unreadable', 'ast-unparsed', 'outside-diff'].map((id) => [
    id,
    'high',
  ]) as [string, Severity][]),
];

test('nothing lowers what may not be suppressed', (t) => {
  for (const [id, severity] of FIXED) {
    t.false(mayLowerSeverity({ id, severity }), id);
    for (const rule of [id, `${id.slice(0, 6)}*`, `${id.split('-')[0]}-*`]) {
      const grade = compileSeverities({ [rule]: { '**': 'info' } });
      t.is(grade({ id, severity, file: 'a.js' }).severity, severity, `${rule} ${id}`);
    }
  }
});

const build = (fields: object, isStored = false) => {
  const text = JSON.stringify({ version: 1, extends: 'default', ...fields });
  return buildRules({ name: 'rules', text, isToml: false, isStored }, defaultRules, () => 0);
};

const REFUSED: [fields: object, problem: RegExp][] = [
  [{ severities: { 'vuln-01': 'high' } }, /vuln-01 to vuln-10 are always critical/],
  [{ severities: { 'vuln-*': { 'a/**': 'low' } } }, /are always critical/],
  [{ severities: { 'secret-private-key': 'medium' } }, /nothing lowers .* private keys/],
  [{ severities: { 'secret-github-token': 'high' } }, /keys of providers/],
  [{ severities: { 'risk-reverse-shell': 'low' } }, /remote code/],
  [{ severities: { 'risk-reverse-shell': { 'tools/**': 'info' } } }, /remote code/],
  [{ severities: { 'risk-iam-wildcard': 'grave' } }, /severities\.risk-iam-wildcard/],
  [{ severities: { 'risk-iam-wildcard': {} } }, /severities\.risk-iam-wildcard/],
  [{ severities: { 'risk-iam-wildcard': { 'db/': 'high' } } }, /the path db\/ matches no file/],
  [{ severities: { 'risk-iam-wildcard': { '/db/**': 'high' } } }, /must begin at the root/],
  [{ severities: { 'risk-iam-wildcard': { 're:(': 'high' } } }, /does not compile/],
  [{ severities: { '*': 'high' } }, /give the id of a rule/],
  [{ severities: { 'Risk A': 'high' } }, /give the id of a rule/],
  [
    { pipeline: { modes: [{ rules: ['risk-iam-wildcard'], mode: 'block' }] } },
    /block does nothing for risk-iam-wildcard.*"severities": \{"risk-iam-wildcard": "high"\}/,
  ],
  [
    {
      pipeline: {
        modes: [
          { rules: ['risk-a*'], mode: 'warn', branches: ['main'] },
          { rules: ['risk-a1'], mode: 'block', branches: ['dev'] },
        ],
      },
    },
    /block does nothing for risk-a1/,
  ],
  [
    {
      pipeline: {
        modes: [
          { rules: ['risk-a'], mode: 'block' },
          { rules: ['risk-a'], mode: 'warn' },
        ],
      },
    },
    /block does nothing for risk-a,/,
  ],
  [
    { components: [{ id: 'web', paths: ['web/**'], modes: { 'risk-a': 'block' } }] },
    /block does nothing for risk-a/,
  ],
];

REFUSED.push([
  {
    components: [{ id: 'web', paths: ['web/**'] }],
    pipeline: {
      required_reports: [
        { tool: 'one', component: 'web', within: 60 },
        { tool: 'two', component: 'wbe', within: 60 },
      ],
    },
  },
  /^pipeline\.required_reports\[1\] \(two\): the rules have no component wbe$/,
]);

for (const [fields, problem] of REFUSED) {
  test(`a rules file is refused with ${JSON.stringify(fields)}`, (t) => {
    const { problems, built } = build(fields);
    t.regex(problems.join('\n'), problem);
    t.is(built, null);
  });
}

test('modes that take monitor or warn back, and severities that raise, are accepted', (t) => {
  const accepted = [
    {
      severities: { 'secret-generic-*': 'high', 'risk-schema-drop': { 'db/prod/**': 'critical' } },
    },
    { severities: { 'risk-*': 'low', 'secret-*': 'low', 'binary-file': 'high', 'llm-*': 'low' } },
    {
      pipeline: {
        modes: [
          { rules: ['risk-acme-*'], mode: 'monitor' },
          { rules: ['risk-acme-*'], mode: 'warn', branches: ['main', 'release/*'] },
          { rules: ['risk-acme-kill-switch'], mode: 'block', branches: ['release/1'] },
        ],
      },
    },
    {
      pipeline: { modes: [{ rules: ['risk-*'], mode: 'warn' }] },
      components: [{ id: 'web', paths: ['web/**'], modes: { 'risk-a': 'block' } }],
    },
  ];
  for (const fields of accepted) t.deepEqual(build(fields).problems, [], JSON.stringify(fields));
});

test('rules that were stored before are run with modes that do nothing', (t) => {
  const fields = { pipeline: { modes: [{ rules: ['risk-a'], mode: 'block' }] } };
  t.deepEqual(build(fields, true).problems, []);
});

test('the resolved rules hold the severities, and their order is part of the revision', (t) => {
  const severities = { 'risk-iam-wildcard': 'high', 'risk-iam-*': { 'a/*': 'low', '*/a': 'high' } };
  const { built } = build({ severities });
  t.deepEqual(built?.rules.severities, severities as SeverityMap);
  const json = JSON.parse(Buffer.from(built?.json ?? []).toString()) as object;
  t.deepEqual((json as { severities: unknown }).severities, severities);
  const turned = { 'risk-iam-wildcard': 'high', 'risk-iam-*': { '*/a': 'high', 'a/*': 'low' } };
  t.not(built?.revision, build({ severities: turned }).built?.revision);
  t.is(rulesRevision(defaultRules), rulesRevision({ ...defaultRules }));
});

test('an entry for a rule that is not there is named', (t) => {
  const severities = {
    'risk-nope': 'high',
    'secret-none-*': 'low',
    'secret-generic-*': 'high',
  } as const;
  t.deepEqual(idleSeverities({ ...defaultRules, severities }), [
    'severities names risk-nope, and there is no such rule',
    'severities names secret-none-*, and there is no such rule',
  ]);
});

const BLOCKING: [title: string, rule: string, path: string, text: string][] = [
  ['generic secrets', 'secret-generic-*', 'src/a.js', "const password = 'q8Zr2Lw5Nn7Yt1Vb3Kc6';"],
  ['DROP TABLE', 'risk-schema-drop', 'db/prod/1.sql', 'DROP TABLE users;'],
  [
    'privileged pods',
    'risk-privileged-container',
    'k8s/a.yaml',
    'securityContext:\n  privileged: true',
  ],
  ['IAM *', 'risk-iam-wildcard', 'iam.tf', '    actions = ["*"]\n    resources = ["*"]'],
];

for (const [title, rule, path, text] of BLOCKING) {
  test(`a shop can make ${title} block, everywhere or by path`, async (t) => {
    const patterns = [...defaultRules.secret_patterns, ...defaultRules.risk_patterns];
    const worst = async (severities: SeverityMap) =>
      (await findingsOf(newFile(text, path), { patterns, severities })).map((one) => one.severity);
    t.true((await worst({ [rule]: 'critical' })).includes('critical'));
    t.true((await worst({ [rule]: { [path]: 'critical' } })).includes('critical'));
    t.false((await worst({ [rule]: { 'other/**': 'critical' } })).includes('critical'));
  });
}

test('severities of the rules count before markers do', async (t) => {
  const text = 'DROP TABLE a; -- cra-ignore risk-drop: rehearsed\n';
  const marked = await findingsIn(text, {}, 'a.sql');
  t.true(marked.some(({ id, suppressed }) => id === 'risk-drop' && suppressed !== null));
  const raised = await findingsIn(text, { severities: { 'risk-drop': 'high' } }, 'a.sql');
  t.true(raised.some(({ id, suppressed }) => id === 'risk-drop' && suppressed === null));
});

test('findings of gate 2 have the severities of the rules, by their real path', async (t) => {
  const bad = "app.get('/', (req, res) => { res.redirect(req.query.to); });\n";
  const at = async (severities: SeverityMap) =>
    (await findingsOf(newFile(bad, 'src/a.js'), { severities })).map(({ severity }) => severity);
  t.deepEqual(await at({ 'ast-redirect': { 'src/**': 'critical' } }), ['critical']);
  t.deepEqual(await at({ 'ast-redirect': { 'lib/**': 'critical', '**': 'low' } }), ['low']);
  const script = `#!/usr/bin/env node\n${bad}`;
  const found = await findingsOf(newFile(script, 'bin/run'), {
    severities: { 'ast-redirect': { 'bin/run': 'critical' } },
  });
  t.true(found.some(({ id, severity }) => id === 'ast-redirect' && severity === 'critical'));
});

test('a provider key stays what it is under secret-*', async (t) => {
  const options = {
    patterns: defaultRules.secret_patterns,
    severities: { 'secret-*': 'low' } as const,
  };
  const [found] = await findingsIn(`const a = '${fake('ghp_', 36)}';\n`, options);
  t.is(found?.severity, 'critical');
});
