import test from 'ava';
import type { TreeFile } from '../../../src/model/tree-file.ts';
import { pattern } from '../../gates/patterns/scan-text.ts';
import { findingsOf, type RunOptions, short } from './gates-run.ts';

const MARKED = 'query("a" + x) # cra-ignore risk-high: old';
const SUPPRESSED = 'risk-high (cra-ignore: old)';

const rule = (id: string, severity: 'critical' | 'high' | 'medium', regex: string) =>
  pattern({ id, severity, regex, keywords: [regex] });

const RULES = [
  rule('risk-high', 'high', 'query'),
  rule('risk-medium', 'medium', 'warn'),
  rule('secret-live', 'critical', 'sk_live'),
  rule('secret-acme-private-key', 'high', 'begin_key'),
  rule('risk-reverse-shell', 'high', 'dev_tcp'),
];

/** A diff of one hunk that changes `lib/a.txt`, perhaps after a rename. */
function edit(lines: readonly string[], from = 'lib/a.txt', to = 'lib/a.txt'): string {
  const count = (marks: string) => lines.filter((line) => marks.includes(line[0] ?? '')).length;
  return [
    `diff --git a/${from} b/${to}`,
    ...(from === to ? [] : [`rename from ${from}`, `rename to ${to}`]),
    `--- a/${from}`,
    `+++ b/${to}`,
    `@@ -1,${count(' -')} +1,${count(' +')} @@`,
    ...lines,
    '',
  ].join('\n');
}

/** `id`, or `id (by: reason)`, of the findings themselves. */
async function judged(diff: string, options: RunOptions = {}): Promise<string[]> {
  const findings = await findingsOf(diff, { patterns: RULES, ...options });
  return short(findings.filter(({ id }) => !id.startsWith('marker-')));
}

function base(path: string, text: string): TreeFile[] {
  return [{ side: 'base', path, state: 'read', bytes: Buffer.from(text) }];
}

const ADDED = [' a', `+${MARKED}`];

const CASES: { title: string; diff: string; options?: RunOptions; findings: string[] }[] = [
  { title: 'new in the change', diff: edit(ADDED), findings: ['risk-high'] },
  {
    title: 'new, and the setting is on',
    diff: edit(ADDED),
    options: { pipeline: { own_markers: 'on' } },
    findings: [SUPPRESSED],
  },
  {
    title: 'on a context line',
    diff: edit([' # cra-ignore risk-high: old', '+query(x)']),
    findings: [SUPPRESSED],
  },
  {
    title: 'on a context line, and the setting is off',
    diff: edit([' # cra-ignore risk-high: old', '+query(x)']),
    options: { pipeline: { own_markers: 'off' } },
    findings: ['risk-high'],
  },
  {
    title: 'on a removed line of the hunk',
    diff: edit(['-query(y) # cra-ignore risk-high: old', `+${MARKED}`]),
    findings: [SUPPRESSED],
  },
  {
    title: 'on a removed line, with another reason',
    diff: edit(['-query(y) # cra-ignore risk-high: very old', `+${MARKED}`]),
    findings: ['risk-high'],
  },
  {
    title: 'on a removed line, for other rules',
    diff: edit(['-query(y) # cra-ignore risk-*: old', `+${MARKED}`]),
    findings: ['risk-high'],
  },
  {
    title: 'in the file of the base',
    diff: edit(ADDED),
    options: { files: base('lib/a.txt', 'b\nq() # cra-ignore risk-high: old\n') },
    findings: [SUPPRESSED],
  },
  {
    title: 'in the file of the base under its old name',
    diff: edit(ADDED, 'lib/old.txt', 'lib/a.txt'),
    options: { files: base('lib/old.txt', '# cra-ignore risk-high:  old  \n') },
    findings: [SUPPRESSED],
  },
  {
    title: 'in another file of the base',
    diff: edit(ADDED),
    options: { files: base('lib/b.txt', '# cra-ignore risk-high: old\n') },
    findings: ['risk-high'],
  },
  {
    title: 'new, for a medium finding',
    diff: edit(['+warn # cra-ignore risk-medium: old']),
    findings: ['risk-medium (cra-ignore: old)'],
  },
];

for (const { title, diff, options = {}, findings } of CASES) {
  test(`a marker ${title}: ${findings.join()}`, async (t) => {
    t.deepEqual(await judged(diff, options), findings);
  });
}

test('no marker lowers live provider keys, private keys and remote code', async (t) => {
  const line = 'sk_live begin_key dev_tcp # cra-ignore secret-*, risk-*: old';
  const diff = edit([` ${line}`, `-${line}`, `+${line} `]);
  const settings: RunOptions = { pipeline: { own_markers: 'on' } };
  for (const options of [{}, settings, { files: base('lib/a.txt', line) }]) {
    t.deepEqual((await judged(diff, options)).sort(), [
      'risk-reverse-shell',
      'secret-acme-private-key',
      'secret-live',
    ]);
  }
});

test('a marker that lowers nothing yet says so, and why', async (t) => {
  const findings = await findingsOf(edit(ADDED), { patterns: RULES });
  const note = findings.find(({ id }) => id === 'marker-invalid');
  t.like(note, { file: 'lib/a.txt', line: 2, severity: 'low' });
  t.regex(note?.message ?? '', /is new in this change/);
});

test('a foreign marker that the change adds lowers no high finding either', async (t) => {
  const diff = edit(['+query(x) # nosec']);
  const pipeline = { foreign_markers: ['nosec'] } as const;
  t.deepEqual(await judged(diff, { pipeline }), ['risk-high']);
  const moved = edit(['-query(x) # nosec', ' a', '+query(x) # nosec']);
  t.regex((await judged(moved, { pipeline })).join(), /risk-high \(nosec/);
});
