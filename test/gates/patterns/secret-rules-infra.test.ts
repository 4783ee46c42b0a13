import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { compileRegex, type Span } from '../../../src/gates/patterns/regex.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { aiPatterns } from '../../../src/rules/secrets/ai.ts';
import { namedAiPatterns } from '../../../src/rules/secrets/ai-named.ts';
import { azurePatterns } from '../../../src/rules/secrets/azure.ts';
import { ciPatterns } from '../../../src/rules/secrets/ci.ts';
import { cloudPatterns } from '../../../src/rules/secrets/cloud.ts';
import { databasePatterns } from '../../../src/rules/secrets/databases.ts';
import { hostingPatterns } from '../../../src/rules/secrets/hosting.ts';
import { infrastructurePatterns } from '../../../src/rules/secrets/infrastructure.ts';
import { keyPatterns } from '../../../src/rules/secrets/keys.ts';
import { observabilityPatterns } from '../../../src/rules/secrets/observability.ts';
import { namedObservabilityPatterns } from '../../../src/rules/secrets/observability-named.ts';
import { registryPatterns } from '../../../src/rules/secrets/registries.ts';
import { sourceHostingPatterns } from '../../../src/rules/secrets/source-hosting.ts';
import { ruleSet, scanText } from './scan-text.ts';

const GROUPS: Record<string, readonly Pattern[]> = {
  ai: aiPatterns,
  'ai, by name': namedAiPatterns,
  azure: azurePatterns,
  ci: ciPatterns,
  cloud: cloudPatterns,
  databases: databasePatterns,
  hosting: hostingPatterns,
  infrastructure: infrastructurePatterns,
  keys: keyPatterns,
  observability: observabilityPatterns,
  'observability, by name': namedObservabilityPatterns,
  registries: registryPatterns,
  'source hosting': sourceHostingPatterns,
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
