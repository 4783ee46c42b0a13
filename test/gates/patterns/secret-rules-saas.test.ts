import test from 'ava';
import type { CompiledRule } from '../../../src/gates/patterns/compile.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { fake } from '../../../src/rules/fake.ts';
import { analyticsPatterns } from '../../../src/rules/secrets/analytics.ts';
import { blockchainPatterns } from '../../../src/rules/secrets/blockchain.ts';
import { commercePatterns } from '../../../src/rules/secrets/commerce.ts';
import { dataPatterns } from '../../../src/rules/secrets/data.ts';
import { identityPatterns } from '../../../src/rules/secrets/identity.ts';
import { marketingPatterns } from '../../../src/rules/secrets/marketing.ts';
import { messagingPatterns } from '../../../src/rules/secrets/messaging.ts';
import { paymentPatterns } from '../../../src/rules/secrets/payments.ts';
import { productivityPatterns } from '../../../src/rules/secrets/productivity.ts';
import { slackPatterns } from '../../../src/rules/secrets/slack.ts';
import { socialPatterns } from '../../../src/rules/secrets/social.ts';
import { compile, scanText } from './scan-text.ts';

const GROUPS: [name: string, patterns: readonly Pattern[]][] = [
  ['analytics', analyticsPatterns],
  ['blockchain', blockchainPatterns],
  ['commerce', commercePatterns],
  ['data', dataPatterns],
  ['identity', identityPatterns],
  ['marketing', marketingPatterns],
  ['messaging', messagingPatterns],
  ['payments', paymentPatterns],
  ['productivity', productivityPatterns],
  ['Slack', slackPatterns],
  ['social networks', socialPatterns],
];

const PATTERNS = GROUPS.flatMap(([, patterns]) => patterns);
const RULES = compile(...PATTERNS);

/** The part of the text that the rule takes for the secret. */
function secretIn(rule: CompiledRule, text: string): string {
  const bytes = Buffer.from(text);
  const match = rule.regex?.search(bytes, 0);
  const span = match?.groups.find((group) => group !== null) ?? [match?.start, match?.end];
  return bytes.subarray(...span).toString();
}

for (const [name, patterns] of GROUPS) {
  test(`scanRisk finds every example of the rules for ${name}, and hides the secret`, (t) => {
    for (const pattern of patterns) {
      const rule = RULES.rules.find((candidate) => candidate.pattern === pattern);
      t.true(rule !== undefined && pattern.examples.match.length >= 2, pattern.id);
      for (const text of pattern.examples.match) {
        const found = scanText(RULES, `first line\n\n${text}\nlast line\n`, 'src/settings.txt');
        const where = found.map(({ id, file, line }) => `${id} ${file}:${line}`);
        t.deepEqual(where, [`${pattern.id} src/settings.txt:3`], text);
        const secret = rule === undefined ? '' : secretIn(rule, text);
        t.true(secret.length >= 10, text);
        t.is(typeof found[0]?.excerpt, 'string');
        t.false(JSON.stringify(found).includes(secret), pattern.id);
        t.is(found[0]?.severity, pattern.severity);
      }
    }
  });

  test(`scanRisk finds nothing in the counterexamples of the rules for ${name}`, (t) => {
    for (const { id, examples } of patterns) {
      t.true(examples.noMatch.length >= 2, id);
      for (const text of examples.noMatch) {
        const found = scanText(RULES, text, 'src/settings.txt').map((finding) => finding.id);
        t.deepEqual(found, [], text);
      }
    }
  });
}

const TWILIO = fake('', 32, 'hex');

const WAYS: string[] = [
  `export TWILIO_AUTH_TOKEN=${TWILIO}`,
  `ENV TWILIO_AUTH_TOKEN ${TWILIO}`,
  `twilio.auth.token: ${TWILIO}`,
  `--twilio-auth-token=${TWILIO} --verbose`,
  `https://x.example.io/?twilio_token=${TWILIO}&y=1`,
  `const twilioToken: string = "${TWILIO}";`,
  `const twilioToken string = "${TWILIO}"`,
  `const TWILIO_TOKEN: &str = "${TWILIO}";`,
  `twilioToken := \`${TWILIO}\``,
  `'twilio_auth_token' => '${TWILIO}',`,
  `process.env.TWILIO_AUTH_TOKEN || '${TWILIO}'`,
  `os.environ["TWILIO_AUTH_TOKEN"] = "${TWILIO}"`,
  `os.getenv("TWILIO_AUTH_TOKEN", "${TWILIO}")`,
  `os.getenv("TWILIO_AUTH_TOKEN") or "${TWILIO}"`,
  `getenv('TWILIO_AUTH_TOKEN') ?: '${TWILIO}'`,
  `<add key="TwilioAuthToken" value="${TWILIO}" />`,
  `<string name="twilio_auth_token">${TWILIO}</string>`,
  `- { name: TWILIO_AUTH_TOKEN, value: "${TWILIO}" }`,
  `"{\\"twilio_token\\":\\"${TWILIO}\\"}"`,
];

for (const text of WAYS) {
  test(`scanRisk finds a value by its name in ${text.replaceAll(TWILIO, '…')}`, (t) => {
    const found = scanText(RULES, text).map(({ id }) => id);
    t.deepEqual(found, ['secret-twilio-auth-token']);
  });
}

const QUIET: string[] = [
  `twilioToken = hash("${TWILIO}${TWILIO}")`,
  `https://twilio.example.io/docs/token/${TWILIO}/index.html`,
  `twilio-token@1.2.3#${TWILIO}`,
  `twilio_token: $TWILIO_TOKEN # ${TWILIO}`,
  `const twilioToken = getTokenOfTheTwilioAccountNow();`,
  `twilioToken = 'your-auth-token-from-the-console'`,
  `"twilio": "^4.19.0", "integrity": "sha512-${TWILIO}=="`,
  `twilioTokenHash = "${TWILIO}"`,
  `"privateKeySha256": "${TWILIO}${TWILIO}"`,
  `expect(slackSecretDigest).toBe("${TWILIO}")`,
  `twilio_sid = "${fake('AC', 32, 'hex')}"`,
];

for (const text of QUIET) {
  test(`scanRisk is quiet about ${text.replaceAll(TWILIO, '…')}`, (t) => {
    t.deepEqual(scanText(RULES, text), []);
  });
}

test('rules for services wake by rare literals only', (t) => {
  const CODE = [
    'token',
    'key',
    'secret',
    'password',
    'const',
    'return',
    'function',
    'import',
    'api',
  ];
  for (const { id, keywords = [] } of PATTERNS) {
    t.true(keywords.length > 0, id);
    for (const keyword of keywords) {
      t.true(keyword.length >= 4 && !CODE.includes(keyword), `${id}: ${keyword}`);
    }
  }
});

test('rules for services each have a number, a source and a fix of their own', (t) => {
  t.true(PATTERNS.length >= 80);
  t.is(new Set(PATTERNS.map(({ id }) => id)).size, PATTERNS.length);
  for (const { id, source, fix, cwe } of PATTERNS) {
    t.regex(source, /^https:\/\/[^\s]+$/, id);
    t.is(cwe, 'CWE-798');
    t.truthy(fix, id);
  }
});
