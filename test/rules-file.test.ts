import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { buildRules } from '../src/gates/patterns/rules-text.ts';
import { defaultRules } from '../src/rules/default.ts';
import { analyze, change, newFile, startDaemonProcess, temporaryDir } from './daemon.ts';
import { EXTRA_RULE, EXTRA_RULES } from './decision-calls.ts';

/** Without the built-in rules, whose trial takes seconds. */
const OWN_RULES = { version: 1, allow_empty: true, risk_patterns: [EXTRA_RULE] };

const BAD: [string, unknown, RegExp][] = [
  ['an unknown field', { ...OWN_RULES, risk_pattern: [] }, /risk_pattern/],
  [
    'an unknown rule to disable',
    { ...OWN_RULES, disabled_rules: ['nope'] },
    /there is no rule nope/,
  ],
  [
    'an accepted fingerprint without a reason',
    { ...OWN_RULES, accepted: [{ fingerprint: 'a'.repeat(64) }] },
    /accepted\.0\.reason: is required/,
  ],
  [
    'a marker that it does not know',
    { ...OWN_RULES, pipeline: { foreign_markers: ['noqa'] } },
    /pipeline\.foreign_markers\.0/,
  ],
  [
    'a regex that RE2 has not',
    { ...OWN_RULES, risk_patterns: [{ ...EXTRA_RULE, regex: '(?=a)b' }] },
    /risk-acme-kill-switch/,
  ],
  [
    'an example that does not match',
    {
      ...OWN_RULES,
      risk_patterns: [{ ...EXTRA_RULE, examples: { match: ['x'], noMatch: ['y'] } }],
    },
    /risk-acme-kill-switch/,
  ],
];

test.serial('a rules file adds its rules to the built-in ones and can disable some', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'rules.json');
  writeFileSync(path, JSON.stringify(EXTRA_RULES));
  const daemon = await startDaemonProcess(t, join(dir, 'data'), { SERVICE_RULES_PATH: path });
  const { body } = await analyze(daemon.url, change(newFile('a.py', 'KILL_SWITCH = 1\n')));
  t.is(body.data.overall_status, 'BLOCKED');
  t.is(body.data.gates.risk.findings[0].id, 'risk-acme-kill-switch');
  t.is(await daemon.stop(), 0);
});

test.serial('a fingerprint that the rules file accepts does not count any more', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'rules.json');
  const env = { SERVICE_RULES_PATH: path };
  writeFileSync(path, JSON.stringify(EXTRA_RULES));
  const before = await startDaemonProcess(t, join(dir, 'data'), env);
  const text = 'KILL_SWITCH = 1\n';
  const first = await analyze(before.url, change(newFile('a.py', text)));
  const { fingerprint } = first.body.data.gates.risk.findings[0];
  t.is(await before.stop(), 0);

  const accepted = [{ fingerprint, reason: 'agreed with operations', by: 'bob' }];
  writeFileSync(path, JSON.stringify({ ...EXTRA_RULES, accepted }));
  const after = await startDaemonProcess(t, join(dir, 'data'), env);
  const { body } = await analyze(after.url, change(newFile('moved.py', `\n${text}`)));
  t.is(body.data.overall_status, 'PASSED');
  t.true(body.data.risk_score < first.body.data.risk_score);
  t.like(body.data.gates.risk.findings[0], {
    id: 'risk-acme-kill-switch',
    suppressed: { by: 'bob', reason: 'agreed with operations' },
  });
  t.is(await after.stop(), 0);
});

test.serial('a gitleaks configuration serves as rules file', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'gitleaks.toml');
  const rule = '[[rules]]\nid = "acme"\nregex = "acme_[0-9]{8}"\nkeywords = ["acme_"]\n';
  writeFileSync(path, rule);
  const daemon = await startDaemonProcess(t, join(dir, 'data'), { SERVICE_RULES_PATH: path });
  const { body } = await analyze(daemon.url, change(newFile('a.py', 'a = "acme_12345678"\n')));
  t.is(body.data.overall_status, 'BLOCKED');
  t.like(body.data.gates.risk.findings[0], { id: 'secret-acme', severity: 'high', line: 1 });
  t.is(await daemon.stop(), 0);

  writeFileSync(
    path,
    `${rule}[[rules]]\nid = "pair"\nregex = "b"\n[[rules.required]]\nid = "acme"\n`,
  );
  const start = startDaemonProcess(t, join(dir, 'new'), { SERVICE_RULES_PATH: path });
  await t.throwsAsync(start, { message: /gitleaks\.toml: rule pair: .*composite rules/ });
});

test.serial('a wrong rules file does not replace the rules that were in force', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'rules.json');
  const env = { SERVICE_RULES_PATH: path };
  writeFileSync(path, JSON.stringify(OWN_RULES));
  const before = await startDaemonProcess(t, join(dir, 'data'), env);
  t.is(await before.stop(), 0);
  writeFileSync(path, JSON.stringify({ ...OWN_RULES, disabled_rules: ['nope'] }));
  const after = await startDaemonProcess(t, join(dir, 'data'), env);
  const { body } = await analyze(after.url, change(newFile('a.py', 'KILL_SWITCH = 1\n')));
  t.is(body.data.gates.risk.findings[0].id, 'risk-acme-kill-switch');
  const status = await fetch(`${after.url}/dispatcher/status`);
  const { rules } = ((await status.json()) as { data: { rules: object } }).data;
  t.like(rules, { state: 'down', number: 1 });
  t.regex(JSON.stringify(rules), /there is no rule nope/);
  t.is(await after.stop(), 0);
});

for (const [title, file, says] of BAD) {
  test(`a rules file with ${title} is refused by name`, (t) => {
    const source = { name: 'rules file', text: JSON.stringify(file), isToml: false };
    const { problems, built } = buildRules(source, defaultRules, () => 0);
    t.is(built, null);
    t.regex(problems.join('; '), says);
  });
}

test.serial('a wrong rules file ends the first start and is named', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'rules.json');
  writeFileSync(path, JSON.stringify({ ...OWN_RULES, disabled_rules: ['nope'] }));
  const start = startDaemonProcess(t, join(dir, 'data'), { SERVICE_RULES_PATH: path });
  await t.throwsAsync(start, { message: /rules file .*rules\.json: .*there is no rule nope/ });
});
