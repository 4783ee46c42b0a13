import test from 'ava';
import { parse } from 'smol-toml';
import { importGitleaks } from '../../../../src/gates/patterns/config/gitleaks-config.ts';
import { pattern, ruleSet } from '../scan-text.ts';

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
  ['a\\s+b', false],
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
    'note nobody: extend.disabledRules names it, but it is',
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
      'error acme-token: allowlist regexTarget "file" is none of ',
    ],
    1,
  ],
  [
    'allowlists for unknown rules',
    `[[allowlists]]\ntargetRules = ["nobody"]\npaths = ["a"]\n${RULE}`,
    ['note nobody: an allowlist targets it, but it is none '],
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
