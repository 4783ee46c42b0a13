import test from 'ava';
import { RISK_GATE } from '../../../src/gates/limits.ts';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { compile, pattern, placesOf, ruleSet, scanDiff, scanText } from './scan-text.ts';

const TOKEN = pattern({ id: 'risk-token', regex: 'tok_[a-z0-9]{4}', keywords: ['tok_'] });
const ALL_ADDED = ['tok_aaaa', '', '  tok_bbbb x tok_cccc', 'é tok_dddd\r', 'tok_eee'].join('\n');

const PLACES: [title: string, rule: Partial<Pattern>, text: string, places: string[]][] = [
  [
    'counts lines from 1 and columns in bytes',
    {},
    ALL_ADDED,
    ['risk-token 1:1', 'risk-token 3:3', 'risk-token 3:14', 'risk-token 4:4'],
  ],
  [
    'runs rules without keywords on every line',
    { keywords: [] },
    ALL_ADDED,
    ['risk-token 1:1', 'risk-token 3:3', 'risk-token 3:14', 'risk-token 4:4'],
  ],
  ['ignores the case of keywords only', { keywords: ['TOK_'] }, 'TOK_aaaa', []],
  ['needs the keyword', { keywords: ['secret'] }, 'tok_aaaa\nsecret tok_bbbb', ['risk-token 2:8']],
  [
    'anchors at the line',
    { regex: '^tok_a+$' },
    'tok_aa\n tok_aa\ntok_aa\r',
    ['risk-token 1:1', 'risk-token 3:1'],
  ],
  [
    'anchors keywordless rules at the line',
    { regex: '^tok_a+$', keywords: [] },
    ' tok_a\ntok_aa',
    ['risk-token 2:1'],
  ],
  [
    'keeps \\A and \\z at the line',
    { regex: '\\Atok\\z', keywords: [] },
    'x\ntok\ny',
    ['risk-token 2:1'],
  ],
  ['does not match over lines', { regex: 'tok_\\s+x' }, 'tok_\nx', []],
  [
    'reports a match once a line',
    { regex: 'tok_a' },
    'tok_a tok_a\ntok_a',
    ['risk-token 1:1', 'risk-token 2:1'],
  ],
  [
    'matches over added lines with target hunk',
    { target: 'hunk', regex: 'tok_\\s+end' },
    'a\n tok_\n\nend tok_ end',
    ['risk-token 2:2-4', 'risk-token 4:5'],
  ],
  [
    'skips line breaks before a multi-line match',
    { target: 'hunk', regex: '\\s+tok_a' },
    'x\n\ntok_a',
    ['risk-token 3:1'],
  ],
  [
    'runs hunk rules without keywords',
    { target: 'hunk', regex: 'a\\nb', keywords: [] },
    'x\na\nb',
    ['risk-token 2:1-3'],
  ],
];

for (const [title, fields, text, places] of PLACES) {
  test(`scanRisk ${title}`, (t) => {
    t.deepEqual(placesOf(scanText(compile({ ...TOKEN, ...fields }), text)), places);
  });
}

const DIFF = `diff --git a/a.txt b/a.txt
index 1234567..89abcde 100644
--- a/a.txt
+++ b/a.txt
@@ -10,4 +20,5 @@ tok_0000
 tok_1111
-tok_2222
+tok_3333

+tok_4444
 x
\\ No newline at end of file
+tok_5555
@@ -40,2 +60,1 @@
-tok_6666
 tok_7777
diff --git a/b.txt b/b.txt
deleted file mode 100644
--- a/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-tok_8888
`;

test('scanRisk reports added lines only, with their numbers in the new file', (t) => {
  const findings = scanDiff(compile(TOKEN), DIFF);
  t.deepEqual(placesOf(findings), ['risk-token 21:1', 'risk-token 23:1', 'risk-token 25:1']);
  t.deepEqual([...new Set(findings.map(({ file }) => file))], ['a.txt']);
});

test('scanRisk reads combined diffs: added in any column, contents behind the columns', (t) => {
  const diff = `diff --cc a.txt
index 1234567,89abcde..fedcba9
--- a/a.txt
+++ b/a.txt
@@@ -1,2 -1,2 +1,4 @@@
  tok_0000
 -tok_1111
- tok_2222
++tok_3333
+ tok_4444
 +tok_5555
`;
  const places = ['risk-token 2:1', 'risk-token 3:1', 'risk-token 4:1'];
  t.deepEqual(placesOf(scanDiff(compile(TOKEN), diff)), places);
  t.deepEqual(placesOf(scanDiff(compile({ ...TOKEN, keywords: [] }), diff)), places);
  const hunk = compile({ ...TOKEN, target: 'hunk' });
  t.deepEqual(placesOf(scanDiff(hunk, diff)), places);
});

const HEADERS = `diff --git a/tok_a b/tok_a
old mode 100644
new mode 100755
diff --git a/old b/new
similarity index 100%
rename from old
rename to new
diff --git "a/\\nnew mode 100755" "b/\\nnew mode 100755"
new file mode 120000
index 0000000..e69de29
--- /dev/null
+++ "b/\\nnew mode 100755"
@@ -0,0 +1 @@
+new mode 100755
diff --git a/bin b/bin
deleted file mode 100644
index e69de29..0000000
Binary files a/bin and /dev/null differ
`;

const HEADER_RULES: [title: string, rule: Partial<Pattern>, places: string[]][] = [
  ['modes', { regex: '(?m)^new mode 100755$', keywords: ['100755'] }, ['risk-h tok_a']],
  ['modes without keywords', { regex: '(?m)^new mode 100755$' }, ['risk-h tok_a']],
  ['renames', { regex: 'rename to (\\w+)' }, ['risk-h new']],
  ['kinds', { regex: 'mode 120000' }, ['risk-h \nnew mode 100755']],
  ['deletions and binary files', { regex: '(?s)deleted.*Binary' }, ['risk-h bin']],
  ['paths beside them', { regex: 'mode', path: '^tok' }, ['risk-h tok_a']],
];

for (const [title, fields, places] of HEADER_RULES) {
  test(`scanRisk runs header rules on ${title}`, (t) => {
    const rule = pattern({ id: 'risk-h', target: 'header', ...fields });
    t.deepEqual(placesOf(scanDiff(compile(rule), HEADERS)), places);
  });
}

test('scanRisk shows the header line that matched', (t) => {
  const rule = pattern({ id: 'risk-h', target: 'header', regex: 'new mode 100755' });
  t.is(scanDiff(compile(rule), HEADERS)[0]?.excerpt, 'new mode 100755');
});

test('scanRisk reports a rule on the path alone once a file, but for deletions', (t) => {
  const rule = pattern({ id: 'risk-p', path: '^(?:tok_a|new|bin)$' });
  t.deepEqual(placesOf(scanDiff(compile(rule), HEADERS)), ['risk-p tok_a', 'risk-p new']);
  const withKeyword = compile({ ...rule, keywords: ['TOK'] });
  t.deepEqual(placesOf(scanDiff(withKeyword, HEADERS)), ['risk-p tok_a']);
});

test('scanRisk keeps a rule to its path', (t) => {
  const rules = compile({ ...TOKEN, path: '(?i)\\.sql$' });
  t.is(scanText(rules, 'tok_aaaa', 'db/X.SQL').length, 1);
  t.is(scanText(rules, 'tok_aaaa', 'db/x.sql.md').length, 0);
});

const SECRETS: [title: string, rule: Partial<Pattern>, text: string, count: number][] = [
  ['passes enough entropy', { entropy: 3 }, 'key=abcdefgh', 1],
  ['drops too little entropy', { entropy: 3.1 }, 'key=abcdefgh', 0],
  ['measures the secret, not the match', { entropy: 0.1 }, 'key=aaaaaaaa', 0],
  ['drops by regex on the secret', { allowlists: [{ regexes: ['^abc'] }] }, 'key=abcdefgh', 0],
  ['asks the secret by default', { allowlists: [{ regexes: ['^key'] }] }, 'key=abcdefgh', 1],
  [
    'drops by regex on the match',
    { allowlists: [{ regexTarget: 'match', regexes: ['^key='] }] },
    'key=abcdefgh',
    0,
  ],
  [
    'drops by regex on the line',
    { allowlists: [{ regexTarget: 'line', regexes: ['# ok$'] }] },
    'key=abcdefgh # ok',
    0,
  ],
  ['drops by stopword', { allowlists: [{ stopwords: ['CDE'] }] }, 'key=abcdefgh', 0],
  ['drops by path', { allowlists: [{ paths: ['^src/'] }] }, 'key=abcdefgh', 0],
  [
    'needs one of the kinds (OR)',
    { allowlists: [{ paths: ['^no/'], stopwords: ['cde'] }] },
    'key=abcdefgh',
    0,
  ],
  [
    'needs all of the kinds (AND)',
    { allowlists: [{ condition: 'AND', paths: ['^no/'], stopwords: ['cde'] }] },
    'key=abcdefgh',
    1,
  ],
  [
    'drops when all kinds hold (AND)',
    { allowlists: [{ condition: 'AND', paths: ['^src/'], stopwords: ['cde'] }] },
    'key=abcdefgh',
    0,
  ],
  [
    'drops by a path alone (AND)',
    { allowlists: [{ condition: 'AND', paths: ['^src/'] }] },
    'key=abcdefgh',
    0,
  ],
  [
    'needs one of several lists',
    { allowlists: [{ stopwords: ['zzz'] }, { stopwords: ['cde'] }] },
    'key=abcdefgh',
    0,
  ],
];

for (const [title, fields, text, count] of SECRETS) {
  test(`scanRisk ${title}`, (t) => {
    const rule = pattern({
      id: 'secret-key',
      regex: 'key=([a-z]+)',
      keywords: ['key='],
      ...fields,
    });
    t.is(scanText(compile(rule), text).length, count);
  });
}

test('scanRisk takes the secret from secretGroup, else from the first group taking part', (t) => {
  const fingerprint = (fields: Partial<Pattern>, text: string) =>
    scanText(compile(pattern({ id: 'secret-key', ...fields })), text)[0]?.fingerprint;
  const expected = fingerprint({ regex: 'abcd' }, 'abcd');
  t.is(fingerprint({ regex: 'key=(abcd)' }, 'key=abcd'), expected);
  t.is(fingerprint({ regex: '(k)ey=(abcd)', secretGroup: 2 }, 'key=abcd'), expected);
  t.is(fingerprint({ regex: 'x=(x)|y=(abcd)' }, 'y=abcd'), expected);
  t.is(fingerprint({ regex: '()key=(abcd)' }, 'key=abcd'), expected);
  t.not(fingerprint({ regex: '(k)ey=(abcd)' }, 'key=abcd'), expected);
});

test('scanRisk applies the allowlists of the rule set to secrets only', (t) => {
  const patterns = [
    pattern({ id: 'secret-a', regex: 'abcd' }),
    pattern({ id: 'risk-a', regex: 'abcd' }),
  ];
  for (const list of [{ stopwords: ['bc'] }, { paths: ['^src/'] }, { regexes: ['^abcd$'] }]) {
    t.deepEqual(placesOf(scanText(compileRules(ruleSet(patterns, [list])), 'abcd')), [
      'risk-a 1:1',
    ]);
  }
});

test('scanRisk gives a finding the words of its rule', (t) => {
  const rule = pattern({
    id: 'vuln-09-x',
    regex: 'verify=off',
    report_as: 'vuln-09',
    message: 'TLS is off',
    fix: 'Switch it on.',
    cwe: 'CWE-295',
  });
  const [finding] = scanText(compile(rule), 'x verify=off', 'a.py');
  t.like(finding, {
    id: 'vuln-09',
    gate: 'risk',
    severity: 'critical',
    message: 'TLS is off',
    fix: 'Switch it on.',
    cwe: 'CWE-295',
    file: 'a.py',
    line: 1,
    end_line: 1,
    column: 3,
    excerpt: 'x verify=off',
    suppressed: null,
  });
});

test('scanRisk reports the same text under one report_as once a line', (t) => {
  const rules = compile(
    pattern({ id: 'vuln-09-a', regex: 'off', report_as: 'vuln-09' }),
    pattern({ id: 'vuln-09-b', regex: 'of.', report_as: 'vuln-09' }),
  );
  t.deepEqual(placesOf(scanText(rules, 'off\noff')), ['vuln-09 1:1', 'vuln-09 2:1']);
});

test('scanRisk keeps a fingerprint when lines move and depends on rule, secret and key', (t) => {
  const rules = compile(
    pattern({ id: 'secret-a', regex: 'a=([a-z]+)' }),
    pattern({ id: 'secret-b', regex: 'a=([a-z]+)' }),
  );
  const [first] = scanText(rules, 'a=bcd');
  const secondRule = compile(pattern({ id: 'secret-b', regex: 'a=([a-z]+)' }));
  const [second] = scanText(secondRule, 'a=bcd');
  t.regex(second?.fingerprint ?? '', /^[0-9a-f]{64}$/);
  const [moved] = scanText(rules, '\n\n   a=bcd;', 'other.txt');
  const [other] = scanText(rules, 'a=bce');
  t.regex(first?.fingerprint ?? '', /^[0-9a-f]{64}$/);
  t.is(moved?.fingerprint, first?.fingerprint);
  t.not(second?.fingerprint, first?.fingerprint);
  t.not(other?.fingerprint, first?.fingerprint);
});

test('scanRisk sorts findings by file, line, column and rule', (t) => {
  const rules = compile(
    pattern({ id: 'secret-late', regex: 'c\\nd', target: 'hunk' }),
    pattern({ id: 'risk-b', regex: 'b', keywords: [] }),
    pattern({ id: 'risk-a', regex: '[abd]', keywords: ['b', 'a', 'd'] }),
  );
  t.deepEqual(placesOf(scanText(rules, 'ba\nc\nd')), [
    'risk-b 1:1',
    'risk-a 1:1',
    'risk-a 1:2',
    'secret-late 2:1-3',
    'risk-a 3:1',
  ]);
});

test('scanRisk lists so many matches of a rule and says that there are more', (t) => {
  const max = RISK_GATE.MATCHES_PER_RULE_MAX;
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `tok_${String(index).padStart(4, '0')}`).join('\n');
  const other = pattern({ id: 'risk-other', regex: 'other' });
  const full = scanText(compile(TOKEN, other), `${lines(max)}\nother`);
  t.is(full.length, max + 1);
  const over = scanText(compile(TOKEN, other), `${lines(max + 1)}\nother`);
  t.is(over.length, max + 2);
  t.like(over.at(-1), { id: 'risk-token', severity: 'medium', file: null, line: null });
  t.regex(over.at(-1)?.message ?? '', /risk-token matches more than 100 times/);
  t.is(over.at(-2)?.id, 'risk-other');
});

test('scanRisk counts allowed matches for nothing', (t) => {
  const rule = { ...TOKEN, allowlists: [{ stopwords: ['aaaa'] }] };
  const text = `${'tok_aaaa\n'.repeat(500)}tok_bbbb`;
  t.deepEqual(placesOf(scanText(compile(rule), text)), ['risk-token 501:1']);
});
