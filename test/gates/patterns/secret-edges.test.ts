import test from 'ava';
import { prepareRules } from '../../../src/gates/patterns/compile.ts';
import type { CompiledRule } from '../../../src/gates/patterns/compiled-rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { someOf } from '../../some-cases.ts';
import { scanText } from './scan-text.ts';

const rules = prepareRules(defaultRules);

/** Rules for what merely looks like a credential; all others are those of one vendor. */
const GENERIC =
  /^secret-(?:password|word-.*|vendor-uuid|assignment|key-literal|config-.*|markup-value|connection-.*|url-.*|bearer-header|basic-header|command-password|netrc|pgpass|npmrc|pypirc|docker-auth|htpasswd|kubernetes-secret|terraform-default|jwt|jwe|jwk|private-key.*|.*-private-key|known-file.*)$/;
const providerRules = rules.rules.filter(
  ({ kind, pattern, target }) =>
    kind === 'secret' && !GENERIC.test(pattern.id) && target === 'line',
);

/** Escapes that stand before a token in code, shells and logs, without anything between. */
const ESCAPES: readonly string[] = [
  ...['\\n', '\\t', '\\r', '\\r\\n', '\\b', '\\0', '\\e[32m'],
  ...['\\u001b[32m', '\\x1b[1;31m', '\\033[0m', '\u001b[32m', '\\u0009', '\\x09'],
];
/** Words, from which a prefix that delimits itself is told. */
const WORDS: readonly [before: string, after: string][] = [
  ['token_', ''],
  ['__', '__'],
  ['', '_old'],
  ['_', '_'],
  ['my_key_', '_2024'],
  ['\\ntoken_', '\\n'],
];

function isFound(text: string, { pattern }: CompiledRule): boolean {
  return scanText(rules, text, pattern.examples.path ?? 'src/example.txt').some(({ id }) =>
    id.startsWith('secret-'),
  );
}

/** What an example's secret is, as the rule itself says. */
function secretsOf(rule: CompiledRule): string[] {
  return rule.pattern.examples.match.flatMap((text) => {
    const bytes = Buffer.from(text);
    const match = rule.regex?.search(bytes, 0);
    const span = match?.groups.find((group) => group !== null) ?? null;
    return span === null || text.includes('\n') ? [] : [bytes.toString('utf8', ...span)];
  });
}

const knownForms = new Map<CompiledRule, string[]>();

/** Those of a rule that it takes for a secret whatever its name is. */
function formsOf(rule: CompiledRule): string[] {
  const known = knownForms.get(rule);
  if (known !== undefined) return known;
  const forms = secretsOf(rule).filter((secret) => isFound(`"${secret}"`, rule));
  knownForms.set(rule, forms);
  return forms;
}

/** The texts in which no secret is found, with the rule that they are made for. */
function missed(texts: (rule: CompiledRule) => string[]): string[] {
  return providerRules.flatMap((rule) =>
    texts(rule)
      .filter((text) => !isFound(text, rule))
      .map((text) => `${rule.pattern.id}: ${text}`),
  );
}

test('there are provider rules, and most know their secrets by the form', (t) => {
  t.true(providerRules.length > 250, `${providerRules.length}`);
  t.true(providerRules.filter((rule) => formsOf(rule).length > 0).length > 150);
});

for (const before of someOf(ESCAPES)) {
  test(`each provider rule finds its secret behind ${JSON.stringify(before)}`, (t) => {
    t.deepEqual(
      missed((rule) => formsOf(rule).map((secret) => `printf '%s u${before}${secret}'`)),
      [],
    );
  });
}

/** Signs between which a token stands in markup, code, mails and prose. */
const SIGNS: readonly [before: string, after: string][] = [
  ...[';', ',', '(', '[', '{', '|', '<', '@', '#', '*', '$', '&', '!', '?', '^'].map(
    (sign): [string, string] => [sign, sign],
  ),
  ['&quot;', '&quot;'],
  ['&#61;', ''],
  ['“', '”'],
  ['密钥：', '。'],
  ['\u00a0', '\u00a0'],
];

for (const [before, after] of someOf(SIGNS)) {
  test(`each provider rule finds its secret as ${JSON.stringify(before)}...`, (t) => {
    t.deepEqual(
      missed((rule) => formsOf(rule).map((secret) => `const a = x${before}${secret}${after}`)),
      [],
    );
  });
}

for (const before of ['\\n', '\\t', '\\r\\n', '\\u001b[32m']) {
  test(`each provider rule finds a named secret behind ${before}`, (t) => {
    const examples = ({ pattern }: CompiledRule) =>
      pattern.examples.match.filter((text) => !/\n|^\s/.test(text));
    t.deepEqual(
      missed((rule) => examples(rule).map((text) => `echo "a${before}${text}`)),
      [],
    );
  });
}

for (const [before, after] of WORDS) {
  test(`each provider rule finds its secret as ${before}...${after}`, (t) => {
    t.deepEqual(
      missed((rule) => formsOf(rule).map((secret) => `const a = '${before}${secret}${after}';`)),
      [],
    );
  });
}

test('each provider rule finds its secret alone on a line', (t) => {
  t.deepEqual(missed(formsOf), []);
});

const SELF_DELIMITING = [
  ...[fake('ghp_', 36), fake('gho_', 36), fake('ghs_', 36), fake('github_pat_', 22)],
  ...[fake('sk_live_', 24), fake('npm_', 36), fake('dop_v1_', 64, 'hex'), fake('gsk_', 52)],
  ...[fake('glpat-', 20), fake('xoxb-', 40), fake('shpat_', 32, 'hex'), fake('sk-ant-api03-', 93)],
].map((token) => (token.startsWith('github_pat_') ? `${token}_${fake('', 59)}` : token));

test('a prefix that delimits itself needs no word boundary', (t) => {
  for (const token of SELF_DELIMITING) {
    for (const text of [`x${token}`, `aB9${token}`, `authToken${token}`, `nn${token}_old`]) {
      const ids = scanText(rules, `log('${text}')`).map(({ id }) => id);
      t.true(
        ids.some((id) => id.startsWith('secret-')),
        text,
      );
    }
  }
});

const QUIET = [
  // Longer than the token, so something else.
  ...[
    fake('ghp_', 300),
    `${fake('dop_v1_', 64, 'hex')}abcdef`,
    `${fake('AKIA', 16, 'upper')}ABCDEF`,
  ],
  // Within a word.
  ...[`x${fake('AKIA', 16, 'upper')}`, `Zz${fake('hf_', 34)}`, `a${fake('', 36, 'hex')}NRAL`],
  ...[
    '\\nghp_',
    'token_ghp_name',
    '__npm_package_version__',
    '\\tsk_live_...',
    'x\\nhf_hub_download',
  ],
];

for (const text of QUIET) {
  test(`no provider rule takes ${text.slice(0, 40)} for a secret`, (t) => {
    const ids = scanText(rules, `call('${text}')`).map(({ id }) => id);
    t.deepEqual(
      ids.filter((id) => id.startsWith('secret-')),
      text.startsWith('ghp_') ? ids.filter(() => false) : [],
    );
  });
}
