import test from 'ava';
import fc from 'fast-check';
import { readChange, runGates } from '../../src/analysis/worker/gates.ts';
import { finalRecord, outcome } from '../../src/analysis/worker/record.ts';
import { createCancelFlag } from '../../src/core/deadline.ts';
import {
  falseAlarms,
  type GateFinding,
  isSuppressible,
  plainFinding,
  SEVERITIES,
} from '../../src/model/finding.ts';
import { FINDINGS_PER_RFC_MAX, FLOW } from '../../src/model/limits.ts';
import { findingsOf as findingsOfRecord, type RfcRecord } from '../../src/model/records.ts';
import { reopenedRecord } from '../../src/pushes/push-record.ts';
import { acceptedIn, applySuppressions } from '../../src/verdict/suppression.ts';
import { foldGates, foldRepeats, nameFindings } from '../../src/verdict/verdict.ts';
import { findingsIn, findingsOf, gateTools, short } from '../analysis/worker/gates-run.ts';
import { newFile, pattern } from '../gates/patterns/scan-text.ts';
import { sampleDraft } from '../store/fixtures/records.ts';

const TOKEN = 'tok_12345678';
const OTHER = 'tok_87654321';

function secret(line: number | null, over: Partial<GateFinding> = {}): GateFinding {
  const base = { id: 'secret-token', gate: 'risk', severity: 'high', message: 'Found.' } as const;
  return plainFinding({ ...base, file: 'a.py', line, fingerprint: 'f', ...over });
}

test('foldRepeats makes one finding of a secret in several places, and names some', (t) => {
  const places = [3, 9, 12].map((line) => secret(line));
  const [first, ...rest] = foldRepeats([...places, secret(1, { file: 'b.py' }), secret(2)]);
  t.deepEqual(rest, []);
  t.like(first, { file: 'a.py', line: 3 });
  t.is(first?.message, 'Found. It is also in 4 other places: line 9, line 12, b.py:1 and 1 more.');
  t.is(foldRepeats([secret(1), secret(7)])[0]?.message.includes('1 other place: line 7.'), true);
});

test('foldRepeats keeps apart what is not the same secret, and what is not a secret', (t) => {
  const apart = [
    secret(1),
    secret(2, { fingerprint: 'g' }),
    secret(3, { id: 'secret-other' }),
    secret(4, { id: 'risk-x' }),
    secret(5, { id: 'risk-x' }),
    secret(null, { file: null }),
    secret(null, { file: null }),
  ];
  t.deepEqual(foldRepeats(apart), apart);
});

test('foldRepeats names the patterns that match unknown texts of a file in one finding', (t) => {
  const slow = (line: number, over: Partial<GateFinding> = {}) =>
    secret(line, { id: 'ast-backtracking', severity: 'low', fingerprint: `${line}`, ...over });
  const followed = slow(9, { flow: [] });
  const [first, ...rest] = foldRepeats([slow(1), slow(2), slow(5, { file: 'b.py' }), followed]);
  t.is(first?.message, 'Found. It is also in 1 other place: line 2.');
  t.deepEqual(
    rest.map(({ file, line }) => [file, line]),
    [
      ['b.py', 5],
      ['a.py', 9],
    ],
  );
});

test('foldRepeats keeps suppressed places apart from others, and by reason', (t) => {
  const marked = (line: number, reason: string) =>
    secret(line, { suppressed: { by: 'cra-ignore', reason } });
  const folded = foldRepeats([
    marked(1, 'a'),
    secret(2),
    marked(3, 'b'),
    marked(4, 'a'),
    secret(5),
  ]);
  t.deepEqual(
    folded.map(({ line, message }) => `${line} ${message}`),
    [
      '1 Found. It is also in 1 other place: line 4.',
      '2 Found. It is also in 1 other place: line 5.',
      '3 Found.',
    ],
  );
});

test('foldRepeats shows no control characters of a path, and little of a long one', (t) => {
  const hostile = `${'d/'.repeat(2000)}\u001b[2J\u202e.py`;
  const [first] = foldRepeats([secret(1), secret(2, { file: hostile })]);
  const message = first?.message ?? '';
  t.true(message.length < 200);
  t.notRegex(message, /[\p{Cc}\p{Cf}]/u);
});

test('findings-overflow counts secrets, not their places', (t) => {
  const many = Array.from({ length: FINDINGS_PER_RFC_MAX }, (_, index) => [
    secret(index * 2 + 1, { fingerprint: `${index}` }),
    secret(index * 2 + 2, { fingerprint: `${index}` }),
  ]).flat();
  t.is(nameFindings('RFC-1', foldRepeats(many)).length, FINDINGS_PER_RFC_MAX);
  const named = nameFindings('RFC-1', foldRepeats([...many, secret(1, { fingerprint: 'x' })]));
  t.regex(named.find(({ id }) => id === 'findings-overflow')?.message ?? '', /^1 more findings/);
});

test('nameFindings keeps the flows of the worst for which a record has room', (t) => {
  const step = { file: 'a\u0000'.repeat(2_000), line: 1, column: 1, what: 'data' };
  const flow = Array.from({ length: FLOW.STEPS_MAX }, () => step);
  const made = Array.from({ length: 20 }, (_, index) => {
    const severity = index < 10 ? ('low' as const) : ('critical' as const);
    return secret(index + 1, { id: 'ast-command', gate: 'ast', severity, flow });
  });
  const named = nameFindings('RFC-1', made);
  const kept = named.filter((finding) => finding.flow !== undefined);
  t.true(kept.length > 0 && kept.length < 10);
  t.true(kept.every(({ severity }) => severity === 'critical'));
  t.true(
    Buffer.byteLength(JSON.stringify(kept.map((one) => one.flow))) <= FLOW.RECORD_BYTES_MAX + 99,
  );
  for (const { message, flow: steps } of named) {
    t.is(message, steps === undefined ? 'Found. There is no room to list its steps.' : 'Found.');
  }
});

test('runGates tells a repeated secret once, also over files', async (t) => {
  const diff = Buffer.concat([
    newFile(`a = "${TOKEN}"\nb = "${TOKEN}"\nc = "${OTHER}"\n`, 'a.py'),
    newFile(`a = "${TOKEN}"\n`, 'b.py'),
  ]);
  const findings = await findingsOf(diff);
  t.deepEqual(short(findings), ['secret-token', 'secret-token']);
  t.regex(findings[0]?.message ?? '', /also in 2 other places: line 2, b\.py:1\.$/);
});

test('runGates: a marker at one place does not hide another', async (t) => {
  const text = `a = "${TOKEN}" # cra-ignore secret-token: made up\nb = "${TOKEN}"\n`;
  const findings = await findingsIn(text);
  t.deepEqual(short(findings), [
    'secret-token (cra-ignore: made up)',
    'secret-token',
    'marker-used',
  ]);
  t.is(findings[1]?.line, 2);
});

const NEVER = [
  'vuln-01',
  'vuln-10',
  'diff-unreadable',
  'binary-file',
  'outside-diff',
  'ast-unparsed',
  'risk-unscanned',
  'risk-undecoded',
  'scan-crashed',
  'findings-overflow',
  'gate-pending',
  'marker-invalid',
  'marker-used',
];

const IDS = [
  ...NEVER,
  'secret-a',
  'secret-ab',
  'risk-a',
  'risk-reverse-shell',
  'risk-miner',
  'ast-a',
];

const FINDING = fc.record({
  id: fc.constantFrom(...IDS),
  severity: fc.constantFrom(...SEVERITIES),
  file: fc.constantFrom('a', 'b', null),
  line: fc.option(fc.integer({ min: 1, max: 4 })),
  fingerprint: fc.constantFrom('1', '2', ''),
});

const MARKER = fc.record({
  file: fc.constantFrom('a', 'b'),
  line: fc.nat(4),
  coversNext: fc.boolean(),
  by: fc.constant('cra-ignore'),
  rules: fc.array(fc.constantFrom(...IDS, 'secret-*', 'risk-*', 'vuln-*', 'ast-*', 'risk-un*')),
  reason: fc.constant('why'),
  isNew: fc.boolean(),
});

test('applySuppressions suppresses exactly what a marker or a fingerprint covers', (t) => {
  const lists = [fc.array(FINDING), fc.array(MARKER), fc.subarray(['1', '2'])] as const;
  fc.assert(
    fc.property(...lists, fc.boolean(), (fields, markers, fingerprints, trustsNew) => {
      const findings = fields.map((each) =>
        plainFinding({ gate: 'risk', message: 'found', ...each }),
      );
      const entries = fingerprints.map((fingerprint) => ({ fingerprint, reason: 'known' }));
      const accepted = acceptedIn('shop', entries, 0);
      const judged = applySuppressions(findings, { markers, accepted, trustsNew });
      for (const [index, finding] of findings.entries()) {
        const { id, file, line, fingerprint, severity } = finding;
        const isGrave =
          severity === 'critical' ||
          (severity === 'high' && id.startsWith('secret-')) ||
          /^risk-(?:reverse-shell|miner)$/.test(id);
        const isMarked = markers.some(
          (marker) =>
            marker.file === file &&
            !isGrave &&
            (severity !== 'high' || !marker.isNew || trustsNew) &&
            (marker.line === line || (marker.coversNext && marker.line + 1 === line)) &&
            marker.rules.some((rule) => rule === id || matchesStar(rule, id)),
        );
        const isExpected =
          isSuppressible(id) && file !== null && (isMarked || accepted.has(fingerprint));
        const suppressed = judged[index]?.suppressed ?? null;
        t.deepEqual({ ...judged[index], suppressed: null }, findings[index]);
        t.is(suppressed !== null, isExpected);
      }
    }),
  );
});

test('applySuppressions: a marker of the change itself lowers no high finding unless trusted', (t) => {
  const at = { file: 'a.ts', line: 3 };
  const fields = { id: 'ast-a', gate: 'ast', message: 'found', fingerprint: '1', ...at } as const;
  const marker = { ...at, rules: ['ast-a'], reason: 'known', by: 'cra-ignore', coversNext: false };
  for (const [severity, isNew, trustsNew, isExpected] of [
    ['high', true, false, false],
    ['high', true, true, true],
    ['high', false, false, true],
    ['medium', true, false, true],
  ] as const) {
    const findings = [plainFinding({ ...fields, severity })];
    const given = { markers: [{ ...marker, isNew }], accepted: new Map(), trustsNew };
    const [judged] = applySuppressions(findings, given);
    t.is(judged?.suppressed !== null, isExpected, `${severity}, ${isNew}, ${trustsNew}`);
  }
});

function matchesStar(rule: string, id: string): boolean {
  return rule.endsWith('*') && id.startsWith(rule.slice(0, -1));
}

for (const id of NEVER) {
  test(`isSuppressible says no to ${id}`, (t) => {
    t.false(isSuppressible(id));
  });
}

test('applySuppressions leaves what is suppressed already with its first reason', (t) => {
  const fields = { id: 'secret-a', gate: 'risk', severity: 'high', message: 'found' } as const;
  const suppressed = { by: 'cra-ignore', reason: 'a test key' };
  const finding = plainFinding({ ...fields, file: 'a', line: 1, fingerprint: '1', suppressed });
  const accepted = acceptedIn('shop', [{ fingerprint: '1', reason: 'known' }], 0);
  t.deepEqual(applySuppressions([finding], { markers: [], accepted, trustsNew: false }), [finding]);
});

const RISK = plainFinding({
  id: 'risk-python-shell',
  gate: 'risk',
  severity: 'high',
  message: 'm',
  file: 'app.py',
  line: 8,
  end_line: 8,
  cwe: 'CWE-78',
});
const AST: GateFinding = { ...RISK, id: 'vuln-01', gate: 'ast', severity: 'critical', line: 7 };

test('foldGates leaves one finding of a line and class: the graver, else that of gate 2', (t) => {
  t.deepEqual(foldGates([RISK, AST]), [AST]);
  const milder: GateFinding = { ...AST, id: 'ast-command', severity: 'medium' };
  t.deepEqual(foldGates([milder, RISK]), [RISK]);
  const alike: GateFinding = { ...milder, severity: 'high' };
  t.deepEqual(foldGates([RISK, alike]), [alike]);
  const run = { ...AST, cwe: 'CWE-94' };
  t.deepEqual(foldGates([{ ...RISK, cwe: 'CWE-95' }, run]), [run], 'eval runs code as well');
});

test('foldGates keeps other lines, files and classes, and what differs in suppression', (t) => {
  for (const other of [
    { ...RISK, line: 9 },
    { ...RISK, line: 6 },
    { ...RISK, file: 'b.py' },
    { ...RISK, cwe: 'CWE-89' },
    { ...RISK, cwe: null },
    { ...RISK, suppressed: { by: 'cra-ignore', reason: 'why' } },
    { ...RISK, gate: 'ast' as const, line: 7 },
    { ...RISK, id: 'secret-connection-string' },
  ]) {
    t.deepEqual(foldGates([other, AST]), [other, AST]);
  }
});

test('who accepts a finding accepts what was folded into it, and nothing else', (t) => {
  const shown: GateFinding = { ...AST, id: 'ast-command', severity: 'high', fingerprint: 'shown' };
  const open = (accepted: string, ...findings: GateFinding[]) => {
    const entries = acceptedIn('shop', [{ fingerprint: accepted, reason: 'known' }], 0);
    const suppressors = { markers: [], accepted: entries, trustsNew: false };
    const left = foldGates(applySuppressions(findings, suppressors));
    return left.filter(({ suppressed }) => suppressed === null);
  };
  const folded: GateFinding = { ...RISK, fingerprint: 'folded' };
  t.deepEqual(open('shown', folded, shown), []);
  const milder: GateFinding = { ...shown, severity: 'medium' };
  t.deepEqual(open('folded', folded, milder), [], 'gate 1 said it, as it was graver');
  t.deepEqual(open('shown', folded, milder), [folded], 'what is graver was never folded');
  t.deepEqual(open('folded', folded, shown), [shown], 'it was not the one to see');
  for (const other of [
    { ...folded, line: 9, end_line: 9 },
    { ...folded, file: 'b.py' },
    { ...folded, cwe: 'CWE-89' },
    { ...folded, id: 'vuln-01' },
    { ...shown, line: 7, column: 9, fingerprint: 'other' },
    { ...folded, id: 'secret-connection-string' },
  ]) {
    t.deepEqual(open('shown', other, shown), [other]);
  }
  const marked = [folded, shown].map((one) => ({ ...one, suppressed: null }));
  const marker = { file: 'app.py', line: 7, coversNext: true, by: 'cra-ignore', reason: 'why' };
  const markers = [{ ...marker, rules: ['ast-command'], isNew: false }];
  const judged = applySuppressions(marked, { markers, accepted: new Map(), trustsNew: false });
  t.deepEqual(
    judged.map(({ suppressed }) => suppressed !== null),
    [false, true],
    'a marker names its rules',
  );
});

test('a rule that blocks is not hidden by one of its line that the rules set to monitor', async (t) => {
  const shell = { id: 'risk-shell', severity: 'high', regex: 'exec\\(', cwe: 'CWE-78' } as const;
  const tools = gateTools({ patterns: [pattern({ ...shell, keywords: ['exec('] })] });
  const code =
    "const { exec } = require('child_process');\nfunction f(req) { exec('ls ' + req.query.d); }\n";
  const scan = await runGates(readChange(newFile(code, 'a.js')), tools, createCancelFlag());
  const modes = [{ rules: ['vuln-01'], mode: 'monitor' as const }];
  const settings = { ...tools.rules.pipeline, modes, allow_weaker: true };
  const now = '2026-11-21T12:00:00.000Z';
  const draft = sampleDraft({ rfc_id: 'RFC-1' });
  const none = { chance: 0, factors: [] };
  const { overall_status, gates } = finalRecord(draft, none, scan, settings, { now });
  t.is(overall_status, 'BLOCKED');
  t.like(gates.risk.findings[0], { id: 'risk-shell', suppressed: null });
  t.is(gates.ast.findings[0]?.suppressed?.by, 'mode monitor');
  const plain = finalRecord(draft, none, scan, tools.rules.pipeline, { now });
  t.deepEqual(
    findingsOfRecord(plain)
      .map(({ id }) => id)
      .filter((id) => id !== 'rules-empty'),
    ['vuln-01'],
    'else the graver one says it',
  );
});

test('a comment stays with its finding when the gates run again and find more', async (t) => {
  const token = { id: 'risk-token', severity: 'high', regex: 'tok_\\d{8}' } as const;
  const tools = gateTools({ patterns: [pattern({ ...token, keywords: ['tok_'] })] });
  const now = '2026-11-21T12:00:00.000Z';
  const judge = async (from: RfcRecord, ...lines: string[]) => {
    const change = readChange(newFile(lines.map((line) => `a = '${line}'\n`).join(''), 'a.py'));
    const scan = await runGates(change, tools, createCancelFlag());
    const none = { chance: 0, factors: [] };
    const judged = finalRecord(from, none, scan, tools.rules.pipeline, { now });
    return JSON.parse(outcome(judged, null, {}, () => []).record.json) as RfcRecord;
  };
  const findingOf = (record: RfcRecord, excerpt: string) =>
    findingsOfRecord(record).find((finding) => finding.excerpt?.includes(excerpt));
  const first = await judge(sampleDraft({ rfc_id: 'RFC-1' }), OTHER);
  const said = { text: 'why', by: { id: 'ann', name: null }, at: now };
  const marked = findingOf(first, OTHER)?.finding_id ?? '';
  const comments = [
    { ...said, comment_id: 'C-1', finding_id: marked, false_alarm: true },
    { ...said, comment_id: 'C-2', finding_id: 'F-1-P1' },
  ];
  const known = { ...first, discussion: { findings: [], comments } };
  const again = (record: RfcRecord) =>
    reopenedRecord(record, 'its base was rejected', new Date(now));
  const second = await judge(again(known), TOKEN, OTHER);
  const moved = findingOf(second, OTHER)?.finding_id;
  t.not(moved, marked);
  const idsIn = ({ discussion }: RfcRecord) =>
    discussion?.comments.map(({ finding_id }) => finding_id);
  t.deepEqual(idsIn(second), [moved, 'F-1-P1']);
  // The finding is gone, and comes again.
  const third = await judge(again(second), TOKEN);
  t.is(falseAlarms(third.discussion ?? { comments: [] }).length, 1);
  t.false(findingsOfRecord(third).some(({ finding_id: id }) => idsIn(third)?.includes(id)));
  t.deepEqual(idsIn(await judge(again(third), OTHER, TOKEN)), [marked, 'F-1-P1']);
});
