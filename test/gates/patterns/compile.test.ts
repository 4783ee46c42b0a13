import test from 'ava';
import { parse } from 'smol-toml';
import { RISK_GATE } from '../../../src/gates/limits.ts';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { importGitleaks } from '../../../src/gates/patterns/gitleaks.ts';
import { checkExamples, checkRuleSet } from '../../../src/gates/patterns/rules-text.ts';
import { CraError } from '../../../src/model/errors.ts';
import type { Pattern, RuleSet } from '../../../src/model/rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { compile, pattern, ruleSet, scanText } from './scan-text.ts';

const REFUSED: [title: string, patterns: Partial<Pattern>[], why: RegExp][] = [
  ['look-ahead, which RE2 has not', [{ regex: 'a(?=b)' }], /^rule risk-1: .*\(\?=/],
  ['a back-reference', [{ regex: '(a)\\1' }], /^rule risk-1: invalid escape/],
  ['a bad path', [{ regex: 'a', path: '(' }], /^rule risk-1: missing \)/],
  ['a bad allowlist', [{ regex: 'a', allowlists: [{ regexes: ['['] }] }], /^rule risk-1: missing/],
  ['an empty allowlist', [{ regex: 'a', allowlists: [{}] }], /^rule risk-1: an allowlist needs/],
  [
    'an empty stopword',
    [{ regex: 'a', allowlists: [{ stopwords: [''] }] }],
    /^rule risk-1: an empty/,
  ],
  ['a regex that matches nothing at all', [{ regex: 'a*' }], /^rule risk-1: .*empty string/],
  ['quoted literals', [{ regex: '\\Qa/b\\E' }], /^rule risk-1: \\Q/],
  ['a bracket that re2 would rewrite', [{ regex: '[(?<]' }], /^rule risk-1: "\(\?<"/],
  ['a regex that is too long', [{ regex: 'a'.repeat(5_000) }], /^rule risk-1: .*longer than/],
  ['the same id twice', [{ regex: 'a' }, { regex: 'b' }], /^rule risk-1: another rule/],
  ['an id without a name', [{ id: 'risk-', regex: 'a' }], /^rule risk-: an id is/],
  ['an id with odd characters', [{ id: 'risk-a b', regex: 'a' }], /^rule risk-a b: an id is/],
  [
    'an id that is too long',
    [{ id: `risk-${'a'.repeat(100)}`, regex: 'a' }],
    /^rule risk-a+: an id/,
  ],
  [
    'a report_as that is not a class',
    [{ regex: 'a', report_as: 'vuln-11' }],
    /^rule risk-1: report_as/,
  ],
  ['a vuln id without class', [{ id: 'vuln-x', regex: 'a' }], /^rule vuln-x: it needs a report_as/],
  [
    'a vuln that is not critical',
    [{ id: 'vuln-01', regex: 'a', severity: 'high' }],
    /^rule vuln-01: /,
  ],
  ['a secretGroup out of range', [{ regex: '(a)', secretGroup: 2 }], /^rule risk-1: secretGroup 2/],
  ['neither regex nor path', [{}], /^rule risk-1: needs a regex, a path or a document/],
  ['a header rule without regex', [{ path: 'a', target: 'header' }], /^rule risk-1: a target/],
  ['an empty keyword', [{ regex: 'a', keywords: [''] }], /^rule risk-1: a keyword is empty/],
  ['a keyword with a line break', [{ regex: 'a', keywords: ['a\nb'] }], /^rule risk-1: a keyword/],
  [
    'a keyword that is too long',
    [{ regex: 'a', keywords: ['a'.repeat(129)] }],
    /^rule risk-1: a key/,
  ],
];

for (const [title, fields, why] of REFUSED) {
  test(`compileRules refuses ${title}`, (t) => {
    const patterns = fields.map((field) => pattern({ id: 'risk-1', ...field }));
    const error = t.throws(() => compileRules(ruleSet(patterns)), { instanceOf: CraError });
    t.is(error?.code, 'INVALID_ARGUMENT');
    t.regex(error?.message ?? '', why);
    t.is(error?.details['rule'], (fields[0]?.id ?? 'risk-1').slice(0, RISK_GATE.ID_CHARS_MAX));
  });
}

test('compileRules leaves expressions of known rules until they are used, and no others', (t) => {
  const known = pattern({ id: 'risk-1', regex: '(', keywords: ['a'] });
  const own = pattern({ id: 'risk-2', regex: '[' });
  t.notThrows(() => compileRules(ruleSet([known]), [known]));
  t.throws(() => compileRules(ruleSet([known, own]), [known]), { message: /^rule risk-2: / });
});

test('compileRules refuses a pattern in the wrong list, also a copy of a known one', (t) => {
  const patterns = [pattern({ id: 'risk-1', regex: 'a' })];
  const set = { ...ruleSet([]), secret_patterns: patterns };
  for (const known of [[], patterns, structuredClone(patterns)]) {
    t.throws(() => compileRules(set, known), { message: /^rule risk-1: it stands among the secr/ });
  }
});

test('compileRules refuses more rules, keywords and table than its limits', (t) => {
  const many = (count: number, fields: (index: number) => Partial<Pattern>) =>
    Array.from({ length: count }, (_, index) =>
      pattern({ id: `risk-${index}`, regex: 'a', ...fields(index) }),
    );
  t.throws(() => compileRules(ruleSet(many(RISK_GATE.PATTERNS_MAX + 1, () => ({})))), {
    message: /more than 5000 rules/,
  });
  const words = Array.from({ length: 5_001 }, (_, index) => `k${index}`);
  t.throws(() => compileRules(ruleSet(many(4, () => ({ keywords: words })))), {
    message: /more than 20000 keywords/,
  });
  const long = (index: number) =>
    Array.from({ length: 4_999 }, (_, n) => `${n}é${'\u0431'.repeat(50)}${index}`);
  t.throws(() => compileRules(ruleSet(many(4, (index) => ({ keywords: long(index) })))), {
    message: /keywords together are too long/,
  });
});

const ACCEPTED: [title: string, regex: string, text: string][] = [
  ['inline flags, also for a group only', '(?i)key(?-i:API)', 'KEYAPI'],
  ['named groups of both forms', '(?P<a>x)(?<b>y)', 'xy'],
  ['hexadecimal escapes', '[\\x60\'"]z', '`z'],
  ['classes of POSIX and Unicode', '[[:digit:]]\\pL\\p{Greek}', '1aλ'],
  ['ends of text', '\\Aab\\z', 'ab'],
  ['slashes', '^https?://[^/]+/$', 'https://a.b/'],
  ['lazy and bounded repeats', '[\\w.-]{0,50}?token[a-z]{2,1000}', 'my.tokenab'],
  ['an escaped parenthesis before <', '\\(?<a', '(<a'],
];

for (const [title, regex, text] of ACCEPTED) {
  test(`compileRules takes Go's syntax: ${title}`, (t) => {
    t.is(scanText(compile(pattern({ id: 'risk-1', regex })), text).length, 1);
  });
}

const ELSEWHERE: [title: string, regex: string, says: RegExp][] = [
  [
    'a look-behind',
    '(?<=key=)\\w{20}',
    /\(\?<= \(RE2 has no look-behind: .*secretGroup.*allowlists\)/,
  ],
  ['a negative look-behind', '(?<!test_)key', /\(\?<! \(RE2 has no look-behind: match that text/],
  ['a look-behind in a group', 'a((?<=b)c)', /RE2 has no look-behind/],
  ['a look-behind behind an escaped backslash', 'a\\\\(?<=b)', /RE2 has no look-behind/],
  ['a look-ahead', 'key(?=;)', /\(\?= \(RE2 has no look-ahead: match that text as well/],
  ['a negative look-ahead', 'key(?!test)', /RE2 has no look-ahead: .*exceptions belong in allow/],
  ['a backreference', '(["\'])key\\1', /\\1 \(RE2 has no backreference: write each case out/],
  ['a backreference by name', '(?P<q>["\'])key(?P=q)', /RE2 has no backreference/],
  ['a backreference by name, as in JavaScript', '(?<q>x)\\k<q>', /RE2 has no backreference/],
  ['a backreference of Perl', '(x)\\g1', /RE2 has no backreference/],
  ['an atomic group', '(?>a+)b', /RE2 has no atomic group, and needs none: write \(\?:/],
  ['a possessive repetition', 'a++b', /RE2 has no possessive repetition, .*leave the \+ out/],
  ['a condition', '(a)?(?(1)b|c)', /RE2 has no conditions: write each case out/],
  ['a comment', 'a(?#why)b', /RE2 has no comments: use the description/],
  ['the end of a text as in Perl', 'a\\Z', /write \\z for the end/],
  ['a long repetition', 'a{2000}', /RE2 repeats up to 1000 times/],
];

for (const [title, regex, says] of ELSEWHERE) {
  test(`compileRules says how to write ${title}`, (t) => {
    const error = t.throws(() => compile(pattern({ id: 'risk-1', regex })), {
      instanceOf: CraError,
    });
    t.regex(error.message, says);
    t.regex(error.message, /risk-1/);
    const allowlists = [{ regexes: [regex] }];
    t.throws(() => compile(pattern({ id: 'risk-1', regex: 'a', allowlists })), { message: says });
  });
}

test('what only looks like these compiles', (t) => {
  for (const regex of ['\\(\\?<=a', 'a\\\\1', '[(?]=', 'a\\\\Z', '\\(\\?=']) {
    t.notThrows(() => compile(pattern({ id: 'risk-1', regex })), regex);
  }
});

test('checkExamples finds no fault with the built-in rules, two of each or more', (t) => {
  const rules = compileRules(defaultRules);
  t.deepEqual(checkExamples(rules), []);
  for (const { pattern: rule } of rules.rules) {
    t.true(rule.examples.match.length >= 2 && rule.examples.noMatch.length >= 2, rule.id);
    t.regex(rule.source, /^https:\/\//, rule.id);
  }
});

test('checkRuleSet runs the examples of a rule of the program under other allowlists only', (t) => {
  const known = pattern({
    id: 'risk-a',
    regex: 'abc',
    examples: { match: ['xyz'], noMatch: ['x'] },
  });
  const defaults = ruleSet([known]);
  const problemsOf = (set: RuleSet) => checkRuleSet(set, defaults, () => 0).problems;
  const says = ['rule risk-a misses examples.match[0]'];
  t.deepEqual(problemsOf(defaults), []);
  t.deepEqual(problemsOf({ ...defaults, allowlists: [{ paths: ['x'] }] }), says);
  // Rules of another process are copies.
  t.deepEqual(problemsOf(structuredClone(defaults)), []);
  t.deepEqual(problemsOf({ ...defaults, risk_patterns: [{ ...known, severity: 'low' }] }), says);
});

test('checkExamples names rule and example', (t) => {
  const rules = compile(
    pattern({
      id: 'risk-a',
      regex: 'abc',
      examples: { match: ['abc', 'ab'], noMatch: ['xyz', 'xabcx'] },
    }),
    pattern({ id: 'risk-b', regex: 'abc' }),
    pattern({
      id: 'risk-c',
      regex: 'abc',
      path: '\\.sql$',
      examples: { match: ['abc'], noMatch: ['x'] },
    }),
  );
  t.deepEqual(checkExamples(rules), [
    'rule risk-a misses examples.match[1]',
    'rule risk-a matches examples.noMatch[1]',
    'rule risk-b has no example that it must match',
    'rule risk-b has no example that it must not match',
    'rule risk-c needs an examples.path that its path accepts; src/example.txt is not accepted',
  ]);
});

test('checkExamples tells patterns apart that report as the same', (t) => {
  const examples = { match: ['eval(x)'], noMatch: ['x'] };
  const shared = { report_as: 'vuln-02', examples };
  const rules = compile(
    pattern({ id: 'vuln-02-a', regex: 'eval', ...shared }),
    pattern({ id: 'vuln-02-b', regex: 'exec', ...shared }),
  );
  t.deepEqual(checkExamples(rules), ['rule vuln-02-b misses examples.match[0]']);
});

test('checkExamples reads examples of header rules as header, of path rules as paths', (t) => {
  const rules = compile(
    pattern({
      id: 'risk-mode',
      target: 'header',
      regex: '(?m)^new mode 100755$',
      examples: {
        match: ['old mode 100644\nnew mode 100755'],
        noMatch: ['old mode 100755\nnew mode 100644'],
      },
    }),
    pattern({
      id: 'risk-path',
      path: '\\.pem$',
      examples: { match: ['a/b.pem'], noMatch: ['a/b.pem.txt'] },
    }),
  );
  t.deepEqual(checkExamples(rules), []);
});

const DEFAULTS = ruleSet(
  [
    pattern({
      id: 'secret-acme',
      regex: 'acme_[0-9]{8}',
      keywords: ['acme_'],
      examples: { match: ['acme_12345678'], noMatch: ['acme'] },
    }),
    pattern({ id: 'secret-other', regex: 'other_[0-9]{8}' }),
    pattern({ id: 'risk-a', regex: 'a' }),
  ],
  [{ regexes: ['^x+$'] }],
);

function convert(toml: string) {
  const { file, problems } = importGitleaks(parse(toml), DEFAULTS);
  const told = problems.map(
    ({ rule, message, level }) => `${level} ${rule ?? '-'}: ${message.slice(0, 40)}`,
  );
  return { file, told };
}

const RULE = `
[[rules]]
id = "acme-token"
description = "An Acme token"
regex = '''(?i)acme[_-]([0-9a-z]{20})\\b'''
secretGroup = 1
entropy = 3
path = '''\\.env$'''
keywords = ["ACME", "acme"]
tags = ["acme", "cloud"]
`;

test('importGitleaks takes over every field of a rule', (t) => {
  const { file, told } = convert(RULE);
  t.deepEqual(told, []);
  t.is(file.extends, 'default-no-secrets');
  t.like(file.secret_patterns?.[0], {
    id: 'secret-acme-token',
    description: 'An Acme token',
    message: 'An Acme token',
    regex: '(?i)acme[_-]([0-9a-z]{20})\\b',
    secretGroup: 1,
    entropy: 3,
    path: '\\.env$',
    keywords: ['acme'],
    tags: ['acme', 'cloud'],
    severity: 'high',
    imported_from: 'gitleaks',
    examples: { match: [], noMatch: [] },
  });
});

test('importGitleaks reads keys in any case and numbers as they are meant', (t) => {
  const { file, told } = convert(
    '[[Rules]]\nID = "a"\nRegex = "b(c)"\nSECRETGROUP = "1"\nEntropy = 2\nKeywords = "B,c"\n',
  );
  t.deepEqual(told, []);
  t.like(file.secret_patterns?.[0], { secretGroup: 1, entropy: 2, keywords: ['b', 'c'] });
});

const CROSSES: [string, boolean][] = [
  ['-----BEGIN[\\s\\S]+END', true],
  ['(?is)a.b', true],
  ['a[\\r\\n]b', true],
  ['a\\\\[nr]b', false],
  ['a\\s+b', true],
  ['a[\\s:]*b', true],
  ['a[^"]+b', true],
  ['a\\s{0,5}b', false],
  ['a[^"\\s]+b', false],
  ['(?P<secret>a)', false],
  ['(?i:secret)', false],
];

for (const [regex, isHunk] of CROSSES) {
  test(`importGitleaks runs ${regex} on ${isHunk ? 'joined lines' : 'each line'}`, (t) => {
    const { file } = convert(`[[rules]]\nid = "a"\nregex = '''${regex}'''\n`);
    t.is(file.secret_patterns?.[0]?.target, isHunk ? 'hunk' : undefined);
  });
}

test('importGitleaks converts allowlists in both forms, global and for single rules', (t) => {
  const { file, told } = convert(`${RULE}
  [[rules.allowlists]]
  description = "examples"
  condition = "&&"
  regexTarget = "line"
  regexes = ["EXAMPLE"]
  paths = ["docs/"]
  stopWords = ["DUMMY"]
[[allowlists]]
paths = ["vendor/"]
[[allowlists]]
targetRules = ["acme-token"]
stopwords = ["sample"]
`);
  t.deepEqual(told, []);
  t.deepEqual(file.allowlists, [{ paths: ['vendor/'] }]);
  t.deepEqual(file.secret_patterns?.[0]?.allowlists, [
    {
      description: 'examples',
      condition: 'AND',
      paths: ['docs/'],
      regexes: ['EXAMPLE'],
      regexTarget: 'line',
      stopwords: ['dummy'],
    },
    { stopwords: ['sample'] },
  ]);
  const older = convert(`[allowlist]\npaths = ["a"]\n${RULE}\n[rules.allowlist]\nregexes = ["b"]`);
  t.deepEqual(older.told, []);
  t.deepEqual(older.file.allowlists, [{ paths: ['a'] }]);
  t.deepEqual(older.file.secret_patterns?.[0]?.allowlists, [{ regexes: ['b'] }]);
});

test('importGitleaks follows extend.useDefault and disabledRules with our rules', (t) => {
  const { file, told } = convert(`
[extend]
useDefault = true
disabledRules = ["other", "nobody"]
[[rules]]
id = "acme"
entropy = 2.5
keywords = ["more"]
[[allowlists]]
targetRules = ["acme"]
regexes = ["x"]
`);
  t.is(file.extends, 'default');
  t.deepEqual(file.disabled_rules, ['secret-other']);
  t.like(file.secret_patterns?.[0], {
    id: 'secret-acme',
    regex: 'acme_[0-9]{8}',
    entropy: 2.5,
    keywords: ['acme_', 'more'],
    allowlists: [{ regexes: ['x'] }],
    examples: { match: ['acme_12345678'], noMatch: ['acme'] },
  });
  t.is(file.secret_patterns?.length, 1);
  t.deepEqual(told, [
    "note -: extend.useDefault adds cra's own rules f",
    'note nobody: extend.disabledRules names it, but the e',
  ]);
});

/** [what, TOML, what is told, how many rules remain]. */
const UNSUPPORTED: [string, string, string[], number][] = [
  [
    'composite rules',
    `${RULE}\n[[rules.required]]\nid = "b"\nwithinLines = 5\n`,
    ['error acme-token: is left out: composite rules (required) '],
    0,
  ],
  [
    'skipReport',
    `${RULE}skipReport = true\n`,
    ['note acme-token: is left out: with skipReport it reports '],
    0,
  ],
  [
    'allowlists of commits alone',
    `${RULE}[[rules.allowlists]]\ncommits = ["abc"]\n`,
    ['note acme-token: allowlist commits: a diff names no commi'],
    1,
  ],
  [
    'extend.path and extend.url',
    `[extend]\npath = "base.toml"\nurl = "https://example.com"\n${RULE}`,
    [
      'error -: extend.path is not followed; import that',
      'error -: extend.url is not followed; import that ',
    ],
    1,
  ],
  [
    'fields of other tools',
    `${RULE}validate = "x"\n`,
    ['note acme-token: no meaning here: validate'],
    1,
  ],
  [
    'rules with nothing to match',
    '[[rules]]\nid = "empty"\n',
    ['error empty: is left out: it has neither regex nor pa'],
    0,
  ],
  ['rules without id', '[[rules]]\nregex = "a"\n', ['error -: a rule has no id: '], 0],
  [
    'wrong types',
    '[[rules]]\nid = "a"\nregex = ["b"]\npath = "c"\nentropy = "high"\n',
    ['error -: regex is not a text', 'error -: entropy is not a number'],
    1,
  ],
  [
    'unknown conditions',
    `${RULE}[[rules.allowlists]]\ncondition = "XOR"\nregexTarget = "file"\nregexes = ["a"]\n`,
    [
      'error acme-token: allowlist condition "XOR" is neither AND',
      'error acme-token: allowlist regexTarget "file" must be sec',
    ],
    1,
  ],
  [
    'allowlists for unknown rules',
    `[[allowlists]]\ntargetRules = ["nobody"]\npaths = ["a"]\n${RULE}`,
    ['note nobody: an allowlist targets it, but there is no'],
    1,
  ],
];

for (const [what, toml, expected, rules] of UNSUPPORTED) {
  test(`importGitleaks names ${what}`, (t) => {
    const { file, told } = convert(toml);
    t.deepEqual(told, expected);
    t.is(file.secret_patterns?.length, rules);
  });
}

test('an allowlist of commits AND texts never holds', (t) => {
  const list = '[[rules.allowlists]]\ncondition = "AND"\ncommits = ["a"]\npaths = ["b"]\n';
  t.is(convert(`${RULE}${list}`).file.secret_patterns?.[0]?.allowlists, undefined);
});
