import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import type { CompiledRule } from '../../../src/gates/patterns/compiled-rules.ts';
import { compileRegex, type Span } from '../../../src/gates/patterns/regex.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { aiPatterns } from '../../../src/rules/secrets/ai.ts';
import { namedAiPatterns } from '../../../src/rules/secrets/ai-named.ts';
import { analyticsPatterns } from '../../../src/rules/secrets/analytics.ts';
import { azurePatterns } from '../../../src/rules/secrets/azure.ts';
import { blockchainPatterns } from '../../../src/rules/secrets/blockchain.ts';
import { ciPatterns } from '../../../src/rules/secrets/ci.ts';
import { cloudPatterns } from '../../../src/rules/secrets/cloud.ts';
import { commercePatterns } from '../../../src/rules/secrets/commerce.ts';
import { dataPatterns } from '../../../src/rules/secrets/data.ts';
import { databasePatterns } from '../../../src/rules/secrets/databases.ts';
import { devicePatterns } from '../../../src/rules/secrets/devices.ts';
import { domainPatterns } from '../../../src/rules/secrets/domains.ts';
import { hostingPatterns } from '../../../src/rules/secrets/hosting.ts';
import { identityPatterns } from '../../../src/rules/secrets/identity.ts';
import { infrastructurePatterns } from '../../../src/rules/secrets/infrastructure.ts';
import { keyPatterns } from '../../../src/rules/secrets/keys.ts';
import { localizationPatterns } from '../../../src/rules/secrets/localization.ts';
import { marketingPatterns } from '../../../src/rules/secrets/marketing.ts';
import { messagingPatterns } from '../../../src/rules/secrets/messaging.ts';
import { observabilityPatterns } from '../../../src/rules/secrets/observability.ts';
import { namedObservabilityPatterns } from '../../../src/rules/secrets/observability-named.ts';
import { paymentPatterns } from '../../../src/rules/secrets/payments.ts';
import { productivityPatterns } from '../../../src/rules/secrets/productivity.ts';
import { registryPatterns } from '../../../src/rules/secrets/registries.ts';
import { securityToolPatterns } from '../../../src/rules/secrets/security-tools.ts';
import { slackPatterns } from '../../../src/rules/secrets/slack.ts';
import { socialPatterns } from '../../../src/rules/secrets/social.ts';
import { sourceHostingPatterns } from '../../../src/rules/secrets/source-hosting.ts';
import { testingPatterns } from '../../../src/rules/secrets/testing.ts';
import { compile, ruleSet, scanText } from './scan-text.ts';

const GROUPS: Record<string, readonly Pattern[]> = {
  ai: aiPatterns,
  'ai, by name': namedAiPatterns,
  azure: azurePatterns,
  ci: ciPatterns,
  cloud: cloudPatterns,
  databases: databasePatterns,
  devices: devicePatterns,
  domains: domainPatterns,
  hosting: hostingPatterns,
  infrastructure: infrastructurePatterns,
  keys: keyPatterns,
  localization: localizationPatterns,
  observability: observabilityPatterns,
  'observability, by name': namedObservabilityPatterns,
  registries: registryPatterns,
  'security tools': securityToolPatterns,
  'source hosting': sourceHostingPatterns,
  testing: testingPatterns,
};

const ALL = Object.values(GROUPS).flat();
const RULES = compileRules(ruleSet(ALL, defaultRules.allowlists));
const LEAD = '# one\n# two\n';

for (const [name, patterns] of Object.entries(GROUPS)) {
  test(`scanRisk finds the credentials of ${name}: line, severity, no secret shown`, (t) => {
    for (const pattern of patterns) {
      for (const text of pattern.examples.match) {
        const findings = scanText(RULES, LEAD + text, pathOf(pattern));
        const found = findings.find(({ id }) => id === pattern.id);
        const { secret, line } = secretOf(pattern, LEAD + text);
        t.is(found?.line, line, pattern.id);
        t.is(found?.severity, pattern.severity, pattern.id);
        t.false(found?.excerpt?.includes(secret) ?? true, `${pattern.id}: ${found?.excerpt}`);
      }
    }
  });

  test(`scanRisk is quiet about look-alikes of ${name}, with all these rules`, (t) => {
    for (const pattern of patterns) {
      for (const text of pattern.examples.noMatch) {
        const findings = scanText(RULES, LEAD + text, pathOf(pattern));
        t.deepEqual(
          findings.map(({ id }) => id),
          [],
          `${pattern.id}: ${text}`,
        );
      }
    }
  });
}

test('rules of credentials give one finding for one credential', (t) => {
  for (const pattern of ALL) {
    for (const text of pattern.examples.match) {
      const ids = scanText(RULES, LEAD + text, pathOf(pattern)).map(({ id }) => id);
      t.deepEqual(ids, [pattern.id], `${pattern.id}: ${text}`);
    }
  }
});

test('keywords of rules of credentials are in what their rules match, and rare in code', (t) => {
  for (const { id, keywords = [], examples } of ALL) {
    t.true(keywords.length > 0, id);
    for (const keyword of keywords) t.true(keyword.length >= 3, `${id}: ${keyword}`);
    for (const text of examples.match) {
      t.true(
        keywords.some((keyword) => text.toLowerCase().includes(keyword.toLowerCase())),
        `${id}: ${text}`,
      );
    }
  }
});

function pathOf(pattern: Pattern): string {
  return pattern.examples.path ?? 'src/example.txt';
}

/** What the rule's own expression calls the secret, and the line on which its match begins. */
function secretOf(pattern: Pattern, text: string): { secret: string; line: number } {
  const bytes = Buffer.from(text);
  const match = compileRegex(pattern.regex ?? '').search(bytes, 0);
  const whole: Span = [match?.start ?? 0, match?.end ?? 0];
  const [start, end] = match?.groups.find((group) => group !== null) ?? whole;
  // A match may begin with the line break before it.
  const before = text.slice(0, whole[0] + (text[whole[0]] === '\n' ? 1 : 0));
  return {
    secret: bytes.toString('utf8', start, end),
    line: before.split('\n').length,
  };
}

const SAAS_GROUPS: [name: string, patterns: readonly Pattern[]][] = [
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

const PATTERNS = SAAS_GROUPS.flatMap(([, patterns]) => patterns);
const SAAS_RULES = compile(...PATTERNS);

/** The part of the text that the rule takes for the secret. */
function secretIn(rule: CompiledRule, text: string): string {
  const bytes = Buffer.from(text);
  const match = rule.regex?.search(bytes, 0);
  const span = match?.groups.find((group) => group !== null) ?? [match?.start, match?.end];
  return bytes.subarray(...span).toString();
}

for (const [name, patterns] of SAAS_GROUPS) {
  test(`scanRisk finds every example of the rules for ${name}, and hides the secret`, (t) => {
    for (const pattern of patterns) {
      const rule = SAAS_RULES.rules.find((candidate) => candidate.pattern === pattern);
      t.true(rule !== undefined && pattern.examples.match.length >= 2, pattern.id);
      for (const text of pattern.examples.match) {
        const found = scanText(
          SAAS_RULES,
          `first line\n\n${text}\nlast line\n`,
          'src/settings.txt',
        );
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
        const found = scanText(SAAS_RULES, text, 'src/settings.txt').map((finding) => finding.id);
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
  `{&quot;twilio_token&quot;:&quot;${TWILIO}&quot;}`,
  `TWILIO_TOKEN ?= ${TWILIO}`,
  `$twilioToken .= '${TWILIO}';`,
  `twilio_tokens = ["${TWILIO}"]`,
];

for (const text of WAYS) {
  test(`scanRisk finds a value by its name in ${text.replaceAll(TWILIO, '…')}`, (t) => {
    const found = scanText(SAAS_RULES, text).map(({ id }) => id);
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
    t.deepEqual(scanText(SAAS_RULES, text), []);
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
