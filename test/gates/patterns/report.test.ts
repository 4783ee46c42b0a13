import test from 'ava';
import fc from 'fast-check';
import { RISK_GATE } from '../../../src/gates/limits.ts';
import type { GateFinding } from '../../../src/model/finding.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { fake } from '../../../src/rules/fake.ts';
import { someRuns } from '../../some-cases.ts';
import { compile, pattern, scanDiff, scanText } from './scan-text.ts';

const SECRET = pattern({ id: 'secret-key', regex: 'key=([A-Z]+)', keywords: ['key='] });
const SHELL = pattern({ id: 'risk-shell', regex: 'curl.*sh', keywords: ['curl'] });
const UPPER = pattern({ id: 'risk-upper', regex: 'QRST' });
const BLOCK = pattern({
  id: 'secret-block',
  regex: 'BEGIN(\\s[A-Z\\s]+)END',
  keywords: ['begin'],
  target: 'hunk',
});
const RULES = compile(SECRET, BLOCK, SHELL, UPPER);

const EXCERPTS: [title: string, text: string, excerpts: string[]][] = [
  ['shows four characters of a long secret', 'key=ABCDEFGHIJKLMNOP', ['key=ABCD…']],
  ['shows a quarter of a short one', '  key=ABCDEFGH;', ['key=AB…;']],
  ['shows nothing of a tiny one', 'key=ABC;', ['key=…;']],
  [
    'hides the secret from other findings on the line',
    'curl -H key=ABCDEFGHIJKLMNOP | sh',
    ['curl -H key=ABCD… | sh', 'curl -H key=ABCD… | sh'],
  ],
  [
    'hides it where no rule found it',
    'key=ABCDEFGHIJKLMNOP # ABCDEFGHIJKLMNOP\ncurl ABCDEFGHIJKLMNOP | sh',
    ['key=ABCD… # ABCD…', 'curl ABCD… | sh'],
  ],
  [
    'hides it in lines before it',
    'curl ABCDEFGHIJKLMNOP | sh\nkey=ABCDEFGHIJKLMNOP',
    ['curl ABCD… | sh', 'key=ABCD…'],
  ],
  [
    'hides all lines of a longer one',
    'x BEGIN ABCDEFGHIJKLMNOP\nABCDQRSTUVWX\nQRST END',
    ['x BEGIN ABC…', '…', '…END'],
  ],
  ['shows the match of other rules', 'x QRST y', ['x QRST y']],
  [
    'replaces control and direction characters',
    'QRST\u0007\u001b[31m\u202e\ty',
    ['QRST\ufffd\ufffd[31m\ufffd y'],
  ],
];

for (const [title, text, excerpts] of EXCERPTS) {
  test(`scanRisk ${title}`, (t) => {
    const found = scanText(RULES, text).map(({ excerpt }) => excerpt);
    t.deepEqual(found, excerpts);
  });
}

test('scanRisk hides a secret that an allowlist or entropy let pass', (t) => {
  const allowed = compile({ ...SECRET, allowlists: [{ stopwords: ['efgh'] }] }, SHELL);
  const [finding] = scanText(allowed, 'curl key=ABCDEFGHIJKLMNOP | sh');
  t.is(finding?.excerpt, 'curl key=ABCD… | sh');
});

test('a finding says whether the checksum of a token fits', (t) => {
  const fits = ' Its checksum fits: the vendor made it.';
  const differs = ' Its checksum does not fit: it was made up, cut or changed.';
  const made = (prefix: string, digits: string) => `${prefix}${fake('', 30)}${digits}`;
  const routable = `${fake('glpat-', 40)}.01.14`;
  // Checksums of made-up tokens, by Python's zlib; that of Grafana is of its own test. The keys are
  // public examples: of age, NIP 19, the NKeys of NATS, SEP 5, the wiki of Bitcoin, and BIP 32.
  const age = `AGE-SECRET-KEY-1${'GFPYYSJZ'.repeat(6)}GFPQ4`;
  const nostr = ['nsec1vl029mgpspedva04g90vltkh6fvh', '240zqtv9k0t9af8935ke9laqsnlfe5'].join('');
  const nats = ['SUAKYRHVIOREXV7EUZTBHUHL7NUMHP', 'MAS7QMDU3GTIUWEI5LDNOXD43IZY'].join('');
  const stellar = ['SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA', '2G4O34RMTB343OYPXU5DJDVMN'].join('');
  const wif = ['5HueCGU8rMjxEXxiPuD5BDku4M', 'kFqeZyd4dZ1jvhTVqvbTLvyTJ'].join('');
  const extended = [
    'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPq',
    'jiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
  ].join('');
  for (const [id, token, note] of [
    ['github-token', made('ghp_', '0YmhvK'), fits],
    ['github-token', made('ghp_', '1YmhvK'), differs],
    ['github-app-token', made('ghs_', '0YmhvK'), fits],
    ['github-token', fake('ghp_', 40), ''],
    ['npm-token', made('npm_', '0YmhvK'), fits],
    ['grafana-service-account-token', `glsa_iNValIdinValiDinvalidinvalidinva_5b${'582697'}`, fits],
    [
      'grafana-service-account-token',
      `glsa_iNValIdinValiDinvalidinvalidinva_5b${'582698'}`,
      differs,
    ],
    ['gitlab-token', `${routable}07ynyz6`, fits],
    ['gitlab-token', `${routable}0000000`, differs],
    ['gitlab-token', fake('glpat-', 20), ''],
    ['key', fake('ghp_', 36), ''],
    ['age-private-key', `${age}EGAEX`, fits],
    ['age-private-key', `${age}EGAEY`, differs],
    ['nostr-private-key', nostr, fits],
    ['nostr-private-key', nostr.replace('240', '241'), differs],
    ['nats-seed', nats, fits],
    ['nats-seed', nats.replace('7Q', '7R'), differs],
    ['stellar-seed', stellar, fits],
    ['stellar-seed', stellar.replace('2G', '2H'), differs],
    ['bitcoin-wif-key', wif, fits],
    ['bitcoin-wif-key', wif.replace('kF', 'kG'), differs],
    ['extended-private-key', extended, fits],
    ['extended-private-key', extended.replace('jiC', 'jiD'), differs],
  ] as const) {
    const regex = '(\\w+_\\w+|glpat-[\\w.]+|[\\w-]{48,})';
    const rules = compile(pattern({ id: `secret-${id}`, regex }));
    const [found] = scanText(rules, `a = "${token}"`);
    t.is(found?.message, `${pattern({ id: 'a', regex: 'a' }).message}${note}`, token);
  }
});

test('scanRisk clips an excerpt around the match', (t) => {
  const [finding] = scanText(RULES, `${'é'.repeat(500)} QRST ${'x'.repeat(500)}`);
  t.true((finding?.excerpt?.length ?? 0) <= RISK_GATE.EXCERPT_CHARS_MAX);
  t.regex(finding?.excerpt ?? '', /^…é+ QRST x+…$/);
});

test('scanRisk shows no part of a secret that the clip cut off', (t) => {
  const secret = 'ABCDEFGHIJKLMNOP'.repeat(20);
  const findings = scanText(RULES, `key=${secret} QRST`);
  const excerpts = findings.map(({ excerpt }) => excerpt);
  t.deepEqual(excerpts, ['key=ABCD…', '…… QRST']);
});

test('scanRisk shows nothing of a hunk with too many secrets', (t) => {
  const line = `${'key=ABCDEFGH '.repeat(300)}curl sh\n`;
  const lines = Math.ceil((RISK_GATE.MASKS_PER_HUNK_MAX + 1) / 300);
  const findings = scanText(RULES, line.repeat(lines));
  t.true(findings.length > RISK_GATE.MATCHES_PER_RULE_MAX);
  t.deepEqual([...new Set(findings.map(({ excerpt }) => excerpt))], [null]);
});

test('scanRisk leaks no secret into any field of any finding', (t) => {
  // Other texts hold none of these letters, so that no part of a secret is there by chance.
  const secret = fc.string({
    unit: fc.constantFrom(...'GHIJKLMNOPQRSTUVWXYZ'),
    minLength: 5,
    maxLength: 90,
  });
  const piece = fc.oneof(
    fc.record({ kind: fc.constant('key'), value: secret }),
    fc.record({ kind: fc.constant('bare'), value: secret }),
    fc.record({
      kind: fc.constantFrom('curl', 'sh', ' ', 'é', '\u0000', 'xyz', '"'),
      value: fc.constant(''),
    }),
  );
  const lines = fc.array(fc.array(piece, { maxLength: 6 }), { minLength: 1, maxLength: 6 });
  const rules = compile(
    SECRET,
    SHELL,
    pattern({ id: 'secret-two', regex: 'key=([A-Z]{6,})', keywords: ['key'] }),
    pattern({ id: 'risk-any', regex: 'x.*' }),
    pattern({ id: 'risk-lines', regex: '(?s)sh.*curl', target: 'hunk', keywords: ['sh'] }),
    pattern({ id: 'risk-every', regex: 'c.*' }),
  );
  fc.assert(
    fc.property(lines, (content) => {
      const secrets = new Set<string>();
      const text = content.map((parts) =>
        parts.map(({ kind, value }) => {
          if (kind === 'key') secrets.add(value);
          return kind === 'key' ? `key=${value};` : `${kind === 'bare' ? '' : kind}${value} `;
        }),
      );
      const findings = scanText(rules, text.map((parts) => parts.join('')).join('\n'));
      const shown = JSON.stringify(findings.map((finding) => ({ ...finding, message: '' })));
      for (const value of secrets) t.false(shown.includes(value), value);
    }),
    { numRuns: someRuns(300) },
  );
});

/** Expressions that RE2 and JavaScript read alike, on ASCII. */
const PATTERNS: Pattern[] = [
  pattern({ id: 'secret-a', regex: 'key=([a-z0-9]+)', keywords: ['key'] }),
  pattern({ id: 'secret-b', regex: '^\\s*tok_[a-z]{2,4}\\b', keywords: ['tok_', 'zzz'] }),
  pattern({ id: 'risk-c', regex: '\\bx+$' }),
  pattern({ id: 'risk-d', regex: '(?:key|tok)[^ ]{1,3} ', keywords: ['KEY', 'ok_'] }),
  pattern({ id: 'risk-e', regex: '[a-z]=|;$', keywords: ['=', ';'] }),
];

const fragment = fc.constantFrom(
  'key',
  'KEY',
  '=',
  'tok_',
  'x',
  'xx',
  ' ',
  ';',
  'a1',
  'zzz',
  '\t',
  // No quotes: string literals that follow each other would be joined.
  '|',
);
const lineText = fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join(''));
const bodyLine = fc.record({
  marker: fc.constantFrom('+', '+', ' ', '-'),
  text: lineText,
  cr: fc.boolean(),
});
const hunk = fc.array(bodyLine, { minLength: 1, maxLength: 12 });

interface BodyLine {
  marker: string;
  text: string;
  cr: boolean;
}

/** The diff of one file with hunks 100 lines apart. */
function diffOf(hunks: readonly BodyLine[][]): string {
  let text = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n';
  for (const [index, lines] of hunks.entries()) {
    const count = (without: string) => lines.filter(({ marker }) => marker !== without).length;
    const start = 100 * (index + 1);
    text += `@@ -${start},${count('+')} +${start},${count('-')} @@\n`;
    for (const { marker, text: content, cr } of lines)
      text += `${marker}${content}${cr ? '\r' : ''}\n`;
  }
  return text;
}

/** What every rule finds on every added line, one by one, with JavaScript's own engine. */
function naive(hunks: readonly BodyLine[][]): string[] {
  const found = new Set<string>();
  for (const [index, lines] of hunks.entries()) {
    let number = 100 * (index + 1);
    for (const { marker, text } of lines) {
      if (marker === '+') {
        for (const rule of PATTERNS)
          for (const hit of naiveLine(rule, text, number)) found.add(hit);
      }
      if (marker !== '-') number += 1;
    }
  }
  return [...found].sort();
}

function naiveLine(rule: Pattern, text: string, number: number): string[] {
  const isWoken = (rule.keywords ?? ['']).some((word) =>
    text.toLowerCase().includes(word.toLowerCase()),
  );
  if (!isWoken) return [];
  const seen = new Set<string>();
  const hits: string[] = [];
  for (const match of text.matchAll(new RegExp(rule.regex ?? '', 'g'))) {
    const value = rule.id.startsWith('secret-') ? (match[1] ?? match[0]) : match[0];
    // The same text is reported once a line.
    if (!seen.has(value)) hits.push(`${rule.id} ${number}:${match.index + 1}`);
    seen.add(value);
  }
  return hits;
}

function listed(findings: readonly GateFinding[]): string[] {
  return findings.map(({ id, line, column }) => `${id} ${line}:${column}`).sort();
}

test('scanRisk finds what a plain search of every line finds, at the same line and column', (t) => {
  const rules = compile(...PATTERNS);
  fc.assert(
    fc.property(fc.array(hunk, { minLength: 1, maxLength: 3 }), (hunks) => {
      t.deepEqual(listed(scanDiff(rules, diffOf(hunks))), naive(hunks));
    }),
    { numRuns: someRuns(500) },
  );
});

test('scanRisk finds the same in long lines, wherever windows and pieces end', (t) => {
  const token = pattern({ id: 'risk-t', regex: '\\btok_[a-z]{3,9}\\b', keywords: ['tok_'] });
  const woken = compile(token);
  const always = compile({ ...token, keywords: [] });
  const gap = fc.oneof(
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: RISK_GATE.LINE_WINDOW_BYTES - 20, max: RISK_GATE.LINE_WINDOW_BYTES + 20 }),
    fc.integer({ min: 0, max: RISK_GATE.LINE_PIECE_BYTES }),
  );
  const word = fc.constantFrom(
    'tok_abc',
    'tok_abcdefghi',
    'tok_ab',
    'xtok_abc',
    'tok_abcdefghij',
    ' ',
  );
  const filler = fc.constantFrom('.', 'é', 'x ');
  const part = fc.tuple(gap, word, filler);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
      // Numbered, as the same text is reported once a line.
      const line = parts
        .map(([size, text, fill], index) => `${fill.repeat(size)}${text} ${index}`)
        .join(' ');
      const expected: string[] = [];
      const seen = new Set<string>();
      for (const match of line.matchAll(/(?<!\w)tok_[a-z]{3,9}(?!\w)/g)) {
        const column = Buffer.byteLength(line.slice(0, match.index)) + 1;
        if (!seen.has(match[0])) expected.push(`risk-t 1:${column}`);
        seen.add(match[0]);
      }
      t.deepEqual(listed(scanText(woken, line)), expected.sort());
      t.deepEqual(listed(scanText(always, line)), expected.sort());
    }),
    { numRuns: 60 },
  );
});

test('scanRisk finds multi-line matches wherever the pieces of a long hunk end', (t) => {
  const block = pattern({
    id: 'secret-k',
    regex: 'BEGIN\\n((?:[a-z0-9]+\\n)+)END',
    target: 'hunk',
    keywords: ['begin'],
  });
  const rules = compile(block);
  const gap = fc.integer({ min: 0, max: RISK_GATE.HUNK_WINDOW_BYTES });
  const length = fc.integer({ min: 1, max: 400 });
  fc.assert(
    fc.property(fc.array(fc.tuple(gap, length), { minLength: 1, maxLength: 5 }), (blocks) => {
      const lines: string[] = [];
      const expected: string[] = [];
      for (const [index, [size, count]] of blocks.entries()) {
        for (let left = size; left > 0; left -= 80) lines.push('-'.repeat(Math.min(left, 79)));
        expected.push(`secret-k ${lines.length + 1}:1-${lines.length + count + 2}`);
        lines.push('BEGIN');
        for (let line = 0; line < count; line += 1) lines.push(`b${index}l${line}`.padEnd(64, 'q'));
        lines.push('END');
      }
      const found = scanText(rules, lines.join('\n'));
      t.deepEqual(
        found.map(({ id, line, column, end_line }) => `${id} ${line}:${column}-${end_line}`),
        expected,
      );
    }),
    { numRuns: 25 },
  );
});

const AT_BOUNDARIES: [title: string, regex: string, text: string, columns: number[]][] = [
  ['whole words', '\\btok_[a-z]{3,9}\\b', ' tok_abcdefghi ', [1]],
  ['no parts of words', '\\btok_[a-z]{3,9}\\b', 'xtok_abcdefghi ', []],
  ['runs once', '(?:ab)+', '-abababababab-', [1]],
  ['neighbours each', '[a-d]x', '-axbxcxdx-', [1, 3, 5, 7]],
  ['no false start', '^tok_[a-z]+', 'tok_abcdefghi ', []],
];

for (const [title, regex, text, columns] of AT_BOUNDARIES) {
  test(`scanRisk finds ${title} where two pieces of a line meet`, (t) => {
    // Woken by every dot, so that one window covers the line.
    const rules = compile(pattern({ id: 'risk-t', regex, keywords: ['.'] }));
    const pieceEnd = RISK_GATE.LINE_PIECE_BYTES;
    for (const boundary of [pieceEnd - RISK_GATE.LINE_WINDOW_BYTES, pieceEnd]) {
      for (let at = boundary - text.length; at <= boundary; at += 1) {
        const line = '.'.repeat(at) + text + '.'.repeat(pieceEnd);
        const expected = columns.map((column) => `risk-t 1:${at + column + 1}`);
        t.deepEqual(listed(scanText(rules, line)), expected, `${at}`);
      }
    }
  });
}
