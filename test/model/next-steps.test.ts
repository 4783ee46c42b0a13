import test from 'ava';
import { type GateFinding, isMarkable, isSuppressible } from '../../src/model/finding.ts';
import { type Means, type NextStep, nextSteps } from '../../src/model/next-steps.ts';
import { findingsOf as findingsOfRecord, type RfcRecord } from '../../src/model/records.ts';
import type { Pattern, PipelineSettings, SeverityMap } from '../../src/model/rules.ts';
import { readBuiltInRules } from '../../src/rulebook/active-rules.ts';
import { skippedGate, verdictOfGates } from '../../src/verdict/verdict.ts';
import { findingsOf, type RunOptions } from '../analysis/worker/gates-run.ts';
import { newFile, pattern, ruleSet } from '../gates/patterns/scan-text.ts';
import { pushedRecord } from '../pushes/statuses/status-records.ts';
import { someOf, someRuns } from '../some-cases.ts';

const BASE = 'https://cra.example';
/** Every finding blocks. */
const ALL = { block_severities: ['critical', 'high', 'medium', 'low', 'info'] } as const;
const USUAL = { block_severities: ['critical', 'high'] } as const;

function settings(own: Partial<PipelineSettings>): PipelineSettings {
  return { block_score: null, ...USUAL, ...own };
}

/** An RFC with these findings, and what its caller is told to do. */
function stepsFor(
  found: readonly GateFinding[],
  own: Partial<PipelineSettings> = {},
  { baseUrl = BASE, push = null }: Partial<Pick<Means, 'baseUrl'> & Pick<RfcRecord, 'push'>> = {},
) {
  const pipeline = settings(own);
  const llm = skippedGate('no_tier');
  const { gates } = verdictOfGates('RFC-1', found, { risk: 0, ast: 0 }, pipeline, llm);
  const isBlocked = gates.risk.status === 'fail' || gates.ast.status === 'fail';
  const overall_status = isBlocked ? ('BLOCKED' as const) : ('PASSED' as const);
  const record = { rfc_id: 'RFC-1', overall_status, risk_score: 50, gates, push };
  return { record, steps: nextSteps(record, { pipeline, baseUrl }) };
}

function of(way: NextStep['way'], steps: readonly NextStep[]): NextStep[] {
  return steps.filter((step) => step.way === way);
}

/** A new file, or with `isOld` one that had the marker and gets the other lines around it. */
function withMarker(text: string, path: string, marker: string, line: number, isOld: boolean) {
  const lines = text.split('\n');
  lines.splice(line - 1, 0, marker);
  if (!isOld) return newFile(lines.join('\n'), path);
  const body = lines.map((each, at) => `${at === line - 1 ? ' ' : '+'}${each}\n`).join('');
  const names = `--- a/${path}\n+++ b/${path}\n`;
  return Buffer.from(
    `diff --git a/${path} b/${path}\n${names}@@ -1 +1,${lines.length} @@\n${body}`,
  );
}

const patterns: Pattern[] = (({ secret_patterns, risk_patterns, vulnerability_patterns }) => [
  ...secret_patterns,
  ...risk_patterns,
  ...vulnerability_patterns,
])(readBuiltInRules().rules);

interface RuleCase {
  rule: Pattern;
  path: string;
  text: string;
  options: RunOptions;
  found: GateFinding[];
}

/** Made once: each is a run of the gates. */
let made: Promise<RuleCase[]> | null = null;

function ruleCases(): Promise<RuleCase[]> {
  made ??= makeRuleCases();
  return made;
}

/** The first example of each of some built-in rules, as a new file under this rule alone. */
async function makeRuleCases(): Promise<RuleCase[]> {
  const cases: RuleCase[] = [];
  for (const rule of someOf(patterns)) {
    const [text] = rule.examples.match;
    if (text === undefined || rule.regex === undefined || rule.target === 'header') continue;
    const path = rule.examples.path ?? 'src/a.py';
    const options: RunOptions = { rules: ruleSet([rule]), pipeline: ALL };
    const found = await findingsOf(newFile(text, path), options);
    const own = found.filter(({ file, line }) => file === path && line !== null);
    if (own.length > 0) cases.push({ rule, path, text, options, found: own });
  }
  return cases;
}

test('nextSteps: over the whole catalogue a marker clears what the answer says it clears, and no other', async (t) => {
  const seen = { atOnce: 0, inBase: 0, never: 0, silent: 0 };
  const cases = await ruleCases();
  t.true(cases.length > someRuns(600), `${cases.length} rules have an example in a file`);
  for (const { rule, path, text, options, found } of cases) {
    for (const finding of found) {
      t.true((finding.fix ?? '').length > 0, `${finding.id} says what to do`);
      const { record, steps } = stepsFor([finding], ALL);
      const [named] = findingsOfRecord(record);
      const [marker] = of('marker', steps);
      const line = finding.line ?? 1;
      const open = async (paste: string, isOld: boolean) => {
        const again = await findingsOf(withMarker(text, path, paste, line, isOld), options);
        return again.filter(
          ({ id, suppressed, line: at }) =>
            id === finding.id && suppressed === null && at === line + 1,
        );
      };
      if (marker?.paste === undefined) {
        const isLowered = isSuppressible(finding.id) && isMarkable(finding);
        // Its file takes no comments, or no marker lowers it: that is so.
        if (isLowered) seen.silent += 1;
        else {
          seen.never += 1;
          const left = await open(`# cra-ignore ${finding.id}: REASON`, true);
          t.not(left.length, 0, `${rule.id}: a marker lowers it, and the answer names none`);
        }
        continue;
      }
      t.deepEqual(marker.finding_ids, [named?.finding_id ?? '']);
      const countsAtOnce = marker.text.includes('It counts at once.');
      t.deepEqual(await open(marker.paste, !countsAtOnce), [], `${rule.id}: ${marker.paste}`);
      seen[countsAtOnce ? 'atOnce' : 'inBase'] += 1;
    }
  }
  t.log(seen);
  t.true(seen.atOnce > someRuns(100) && seen.never > someRuns(100), JSON.stringify(seen));
  t.true(seen.inBase >= someRuns(5), JSON.stringify(seen));
});

test('nextSteps: over the whole catalogue the setting that it names takes the finding out of what blocks', async (t) => {
  let settings = 0;
  for (const { rule, path, text, options, found } of await ruleCases()) {
    const { steps } = stepsFor(found, USUAL);
    for (const { paste, finding_ids: ids } of of('rules', steps)) {
      settings += 1;
      t.is(
        ids?.length,
        found.filter(({ id, severity }) => paste?.includes(id) && isHigh(severity)).length,
      );
      const { severities } = JSON.parse(`{${paste}}`) as { severities: SeverityMap };
      const again = await findingsOf(newFile(text, path), { ...options, severities });
      const left = again.filter(({ id, severity }) => severities[id] && isHigh(severity));
      t.deepEqual(left, [], `${rule.id}: ${paste}`);
    }
  }
  // Few rules of a fifth may be lowered.
  t.true(settings >= someRuns(5), `${settings} rules may be lowered`);
});

function isHigh(severity: string): boolean {
  return severity === 'critical' || severity === 'high';
}

const TOKEN = 'tok_12345678';
const HIGH = [pattern({ id: 'risk-token', severity: 'high', regex: 'tok_[0-9]{8}' })];

/** [path, a line with the finding, its marker]. */
const KINDS: [path: string, line: string, marker: string][] = [
  ['a.js', `call("${TOKEN}");`, '// cra-ignore risk-token: REASON'],
  ['a.ts', `call("${TOKEN}");`, '// cra-ignore risk-token: REASON'],
  ['a.tsx', `<A b="${TOKEN}" />`, '{/* cra-ignore risk-token: REASON */}'],
  ['a.py', `call("${TOKEN}")`, '# cra-ignore risk-token: REASON'],
  ['a.go', `call("${TOKEN}")`, '// cra-ignore risk-token: REASON'],
  ['A.java', `call("${TOKEN}");`, '// cra-ignore risk-token: REASON'],
  ['a.kt', `call("${TOKEN}")`, '// cra-ignore risk-token: REASON'],
  ['a.rb', `call("${TOKEN}")`, '# cra-ignore risk-token: REASON'],
  ['a.php', `call("${TOKEN}");`, '// cra-ignore risk-token: REASON'],
  ['a.rs', `call("${TOKEN}");`, '// cra-ignore risk-token: REASON'],
  ['a.sh', `call ${TOKEN}`, '# cra-ignore risk-token: REASON'],
  ['a.yaml', `key: ${TOKEN}`, '# cra-ignore risk-token: REASON'],
  ['main.tf', `key = "${TOKEN}"`, '# cra-ignore risk-token: REASON'],
  ['a.toml', `key = "${TOKEN}"`, '# cra-ignore risk-token: REASON'],
  ['Dockerfile', `ENV KEY ${TOKEN}`, '# cra-ignore risk-token: REASON'],
  ['Makefile', `KEY = ${TOKEN}`, '# cra-ignore risk-token: REASON'],
  ['requirements-dev.txt', `a==1 # ${TOKEN}`, '# cra-ignore risk-token: REASON'],
  ['.env.local', `KEY=${TOKEN}`, '# cra-ignore risk-token: REASON'],
  ['a.ini', `key = ${TOKEN}`, '; cra-ignore risk-token: REASON'],
  ['a.sql', `SELECT '${TOKEN}';`, '-- cra-ignore risk-token: REASON'],
  ['a.html', `<p>${TOKEN}</p>`, '<!-- cra-ignore risk-token: REASON -->'],
  ['b.html', `const a = "${TOKEN}";`, '// cra-ignore risk-token: REASON'],
  ['a.xml', `<a>${TOKEN}</a>`, '<!-- cra-ignore risk-token: REASON -->'],
  ['a.md', `Use ${TOKEN}`, '<!-- cra-ignore risk-token: REASON -->'],
  ['a.css', `a { b: "${TOKEN}" }`, '/* cra-ignore risk-token: REASON */'],
  ['a.scss', `$a: "${TOKEN}";`, '// cra-ignore risk-token: REASON'],
  ['a.erl', `a("${TOKEN}")`, '% cra-ignore risk-token: REASON'],
  ['a.lua', `a("${TOKEN}")`, '-- cra-ignore risk-token: REASON'],
  ['a.bat', `set A=${TOKEN}`, 'REM cra-ignore risk-token: REASON'],
  ['a.hbs', `{{a "${TOKEN}"}}`, '{{! cra-ignore risk-token: REASON }}'],
  ['a.njk', `{{ "${TOKEN}" }}`, '{# cra-ignore risk-token: REASON #}'],
  ['a.erb', `<%= "${TOKEN}" %>`, '<%# cra-ignore risk-token: REASON %>'],
  ['a.ml', `let a = "${TOKEN}"`, '(* cra-ignore risk-token: REASON *)'],
  ['a.vb', `A("${TOKEN}")`, "' cra-ignore risk-token: REASON"],
  ['deploy/Jenkinsfile', `sh '${TOKEN}'`, '// cra-ignore risk-token: REASON'],
];

for (const [path, line, marker] of KINDS) {
  test(`nextSteps: the marker for ${path} is ${marker}, and it clears the finding`, async (t) => {
    const options: RunOptions = { patterns: HIGH, pipeline: { own_markers: 'on' } };
    const first = await findingsOf(newFile(`\n${line}\n`, path), options);
    const { steps } = stepsFor(first, { own_markers: 'on' });
    t.is(of('marker', steps)[0]?.paste, marker);
    const counts = async (text: string) =>
      stepsFor(await findingsOf(newFile(text, path), options)).record.overall_status;
    t.is(await counts(`\n${line}\n`), 'BLOCKED');
    t.is(await counts(`\n${marker}\n${line}\n`), 'PASSED');
    if (!path.endsWith('.bat') && !path.endsWith('.vb')) {
      t.is(await counts(`\n${line} ${marker}\n`), 'PASSED');
    }
  });
}

for (const path of ['a.json', 'package.json', 'a.csv', 'a.ipynb', 'a.unknown', 'NOTES']) {
  test(`nextSteps: ${path} takes no comment, so there is no marker, but a setting`, async (t) => {
    const found = await findingsOf(newFile(`"${TOKEN}"\n`, path), { patterns: HIGH });
    const { steps } = stepsFor(found);
    t.deepEqual(
      steps.map(({ way }) => way),
      ['fix', 'rules', 'accept', 'override'],
    );
    t.is(of('rules', steps)[0]?.paste, `"severities": { "risk-token": { "${path}": "medium" } }`);
  });
}

const LONG = `document.write(location.hash);${'a=1;'.repeat(6_000)}\n`;

/** [path, what names it]. */
const FOREIGN: [path: string, setting: string][] = [
  ['public/vendor/jquery.js', '^public/vendor/'],
  ['web/third_party/lib/a.js', '^web/third_party/'],
  ['static/app.min.js', '\\.min\\.js$'],
  ['static/app.bundle.js', '^static/app\\.bundle\\.js$'],
];

for (const [path, setting] of FOREIGN) {
  test(`nextSteps: a file of another project, ${path}, is named by ast.generated_paths`, async (t) => {
    const found = await findingsOf(newFile(LONG, path), {});
    const { record, steps } = stepsFor(found);
    t.is(record.overall_status, 'BLOCKED');
    const [step] = of('rules', steps);
    const { ast } = JSON.parse(`{${step?.paste}}`) as { ast: { generated_paths: string[] } };
    t.deepEqual(ast.generated_paths, [setting]);
    const again = await findingsOf(newFile(LONG, path), { rules: { ...ruleSet([]), ast } });
    t.is(stepsFor(again).record.overall_status, 'PASSED');
  });
}

test('nextSteps: a program is named by binaries.allowed_paths', async (t) => {
  const path = 'gradle/wrapper/gradle-wrapper.jar';
  const names = `diff --git a/${path} b/${path}\nnew file mode 100644\nindex 0000000..1111111\n`;
  const diff = `${names}Binary files /dev/null and b/${path} differ\n`;
  const [step] = of('rules', stepsFor(await findingsOf(diff, {})).steps);
  t.is(step?.paste, `"binaries": { "allowed_paths": [ "${path}" ] }`);
  const again = await findingsOf(diff, { pathsAllowed: [path] });
  t.is(stepsFor(again).record.overall_status, 'PASSED');
});

async function tokenIn(path = 'a.py') {
  return findingsOf(newFile(`"${TOKEN}"\n`, path), { patterns: HIGH });
}

test('nextSteps: what a caller can do depends on where the change is judged', async (t) => {
  const found = await tokenIn();
  const ways = (steps: readonly NextStep[]) => steps.map(({ way }) => way);
  const posted = stepsFor(found).steps;
  t.deepEqual(ways(posted), ['fix', 'marker', 'rules', 'accept', 'override']);
  t.regex(of('marker', posted)[0]?.text ?? '', /base: .* as an unchanged line of the diff/);
  t.is(of('override', posted)[0]?.url, `${BASE}/cra#approve-RFC-1`);
  const laptop = stepsFor(found, {}, { baseUrl: null }).steps;
  t.deepEqual(ways(laptop), ['fix', 'marker', 'rules', 'submit']);
  t.regex(of('rules', laptop)[0]?.text ?? '', /SERVICE_RULES_PATH/);
  t.true(laptop.every(({ url }) => url === undefined));
  const { push } = pushedRecord(1, {});
  const pushed = stepsFor(found, {}, { push }).steps;
  t.regex(of('marker', pushed)[0]?.text ?? '', /approved or overridden the RFC of the push/);
});

test('nextSteps: the rules say which markers count, and for how long a finding may be accepted', async (t) => {
  const found = await tokenIn();
  t.deepEqual(of('marker', stepsFor(found, { own_markers: 'off' }).steps), []);
  const on = of('marker', stepsFor(found, { own_markers: 'on' }).steps);
  t.regex(on[0]?.text ?? '', /It counts at once\.$/);
  const [accept] = of('accept', stepsFor(found, { max_acceptance_days: { high: 90 } }).steps);
  t.regex(accept?.text ?? '', /expires_at, at most 90 days ahead/);
  t.is(accept?.max_days, 90);
});

test('nextSteps: nothing but a decision settles what may not be suppressed', async (t) => {
  const text = `import os\nfrom flask import request\nos.system(request.args['a'])\n`;
  const { steps, record } = stepsFor(await findingsOf(newFile(text, 'a.py'), {}));
  t.is(record.overall_status, 'BLOCKED');
  t.deepEqual(
    steps.map(({ way }) => way),
    ['fix', 'override'],
  );
});

test('nextSteps: a score that blocks and a review that failed have ways out, too', (t) => {
  const { record } = stepsFor([]);
  const pipeline = settings({ block_score: 40 });
  const means = { pipeline, baseUrl: BASE };
  const blocked = { ...record, overall_status: 'BLOCKED' as const };
  t.is(
    nextSteps(blocked, means)[0]?.text,
    'Split the change: its risk score is 50, and 40 blocks.',
  );
  const llm = { ...skippedGate('timeout'), held: true as const };
  const held = { ...blocked, gates: { ...record.gates, llm } };
  const ways = nextSteps(held, { ...means, pipeline: settings({}) }).map(({ way }) => way);
  t.deepEqual(ways, ['review', 'override']);
  for (const overall_status of ['PASSED', 'OVERRIDDEN', 'REJECTED', 'DRAFT'] as const) {
    t.deepEqual(nextSteps({ ...held, overall_status }, means), []);
  }
});

test('nextSteps: many findings share what is to be pasted, and the answer stays small', async (t) => {
  const lines = Array.from({ length: 300 }, (_, n) => `"tok_${10_000_000 + n}"`).join('\n');
  const { steps } = stepsFor(await findingsOf(newFile(lines, 'a.py'), { patterns: HIGH }));
  const markers = of('marker', steps);
  t.is(markers.length, 1);
  t.regex(markers[0]?.text ?? '', /a\.py:1, a\.py:2, a\.py:3 and \d+ more/);
  const rules = Array.from({ length: 50 }, (_, n) =>
    pattern({ id: `risk-n${n}`, severity: 'high', regex: `tok_${n}x` }),
  );
  const text = rules.map((_, n) => `tok_${n}x`).join('\n');
  const many = stepsFor(await findingsOf(newFile(text, 'a.py'), { patterns: rules })).steps;
  t.is(of('marker', many).length, 20);
  t.is(of('rules', many).length, 20);
});

/** Findings of gate 2 that markers lower: [path, text]. */
const SYNTAX: [path: string, text: string][] = [
  ['a.js', 'const a = (x) => db.query("SELECT * FROM t WHERE id=" + x);'],
  ['a.ts', 'export const a = (x: string) => el.innerHTML = x;'],
  ['a.py', 'import os\ndef a(x):\n    os.system("ls " + x)'],
  ['a.go', 'package a\n\nfunc a(x string) {\n\tdb.Query("SELECT * FROM t WHERE id=" + x)\n}'],
  [
    'A.java',
    'class A {\n  void a(String x) throws Exception {\n    st.executeQuery("SELECT * FROM t WHERE id=" + x);\n  }\n}',
  ],
];

for (const [path, text] of SYNTAX) {
  test(`nextSteps: the marker for a finding of gate 2 in ${path} clears it`, async (t) => {
    const options: RunOptions = { patterns: [], pipeline: { own_markers: 'on', ...ALL } };
    const ofGate = (found: readonly GateFinding[]) =>
      found.filter(({ id, gate }) => gate === 'ast' && id.startsWith('ast-'));
    const found = ofGate(await findingsOf(newFile(text, path), options));
    const [first] = found;
    t.truthy(first, 'gate 2 finds it');
    const [marker] = of('marker', stepsFor(found, { own_markers: 'on', ...ALL }).steps);
    const diff = withMarker(text, path, marker?.paste ?? '', first?.line ?? 1, false);
    const again = ofGate(await findingsOf(diff, options)).filter(({ id }) => id === first?.id);
    t.true(again.length > 0);
    t.true(again.every(({ suppressed }) => suppressed?.by === 'cra-ignore'));
  });
}
