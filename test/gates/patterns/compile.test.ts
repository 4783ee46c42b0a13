import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { checkExamples } from '../../../src/gates/patterns/examples.ts';
import { RISK_GATE } from '../../../src/limits.ts';
import { CraError } from '../../../src/model/errors.ts';
import type { Pattern } from '../../../src/model/rules.ts';
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
    'a report_as that is no class',
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
  ['neither regex nor path', [{}], /^rule risk-1: needs a regex or a path/],
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

test('compileRules refuses a pattern in the wrong list', (t) => {
  const set = { ...ruleSet([]), secret_patterns: [pattern({ id: 'risk-1', regex: 'a' })] };
  t.throws(() => compileRules(set), { message: /^rule risk-1: it stands among the secret/ });
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

test('checkExamples finds no fault with the built-in rules, two of each or more', (t) => {
  const rules = compileRules(defaultRules);
  t.deepEqual(checkExamples(rules), []);
  for (const { pattern: rule } of rules.rules) {
    t.true(rule.examples.match.length >= 2 && rule.examples.noMatch.length >= 2, rule.id);
    t.regex(rule.source, /^https:\/\//, rule.id);
  }
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
    'rule risk-c needs an examples.path that its path accepts; src/example.txt is none',
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
