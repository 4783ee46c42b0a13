import test from 'ava';
import fc from 'fast-check';
import { RISK_GATE } from '../../../src/limits.ts';
import { compile, pattern, scanText } from './scan-text.ts';

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
    { numRuns: 300 },
  );
});
