import type { Pattern } from '../../../domain/rules.ts';
import { fake } from './fake.ts';
import { aiPatterns } from './secrets/ai.ts';
import { namedAiPatterns } from './secrets/ai-named.ts';
import { azurePatterns } from './secrets/azure.ts';
import { ciPatterns } from './secrets/ci.ts';
import { cloudPatterns } from './secrets/cloud.ts';
import { databasePatterns } from './secrets/databases.ts';
import { hostingPatterns } from './secrets/hosting.ts';
import { infrastructurePatterns } from './secrets/infrastructure.ts';
import { keyPatterns } from './secrets/keys.ts';
import { observabilityPatterns } from './secrets/observability.ts';
import { namedObservabilityPatterns } from './secrets/observability-named.ts';
import { registryPatterns } from './secrets/registries.ts';
import { sourceHostingPatterns } from './secrets/source-hosting.ts';

const raw = String.raw;

const CWE = 'CWE-798';
const FIX = 'Revoke it, issue a new one, and read it from the environment or a secret store.';

/** Words that make a value a placeholder. */
const PLACEHOLDERS = [
  'change',
  'default',
  'dummy',
  'example',
  'fake',
  'insert',
  'mock',
  'password',
  'placeholder',
  'redacted',
  'replace',
  'sample',
  'secret',
  'test',
  'todo',
  'xxxx',
  'your',
];

const KEY_BODY = `${fake('MII', 61)}\n${fake('', 64)}`;

const TEST_PATHS = raw`(?i)(?:^|/)(?:tests?|__tests__|specs?|fixtures?|testdata|mocks?|examples?)/`;

/** Credentials by their published formats; the generic ones come last and do not block. */
export const secretPatterns = [
  ...aiPatterns,
  ...namedAiPatterns,
  ...azurePatterns,
  ...ciPatterns,
  ...cloudPatterns,
  ...databasePatterns,
  ...hostingPatterns,
  ...infrastructurePatterns,
  ...keyPatterns,
  ...observabilityPatterns,
  ...namedObservabilityPatterns,
  ...registryPatterns,
  ...sourceHostingPatterns,
  {
    id: 'secret-slack-token',
    description: 'Slack bot, user, app or refresh token',
    regex: raw`\b(xox[abeoprs]-[A-Za-z0-9-]{20,}|xapp-\d-[A-Z0-9]{8,}-\d{8,}-[a-f0-9]{32,})`,
    keywords: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    entropy: 3,
    severity: 'critical',
    message: 'A Slack token is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://docs.slack.dev/authentication/tokens/',
    examples: {
      match: [
        `slack: "${fake('xoxb-', 12, 'digits')}-${fake('', 24)}"`,
        `${fake('xapp-1-A', 10, 'upper')}-${fake('', 12, 'digits')}-${fake('', 64, 'hex')}`,
      ],
      noMatch: [`slack: "xoxb-${'x'.repeat(24)}"`, 'slack: "xoxb-..."'],
    },
  },
  {
    id: 'secret-slack-webhook',
    description: 'Slack incoming webhook: whoever has the URL can post',
    regex: raw`https://hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9+/]{40,})`,
    keywords: ['hooks.slack.com'],
    entropy: 3,
    severity: 'high',
    message: 'The URL of a Slack webhook is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/',
    examples: {
      match: [
        `https://hooks.slack.com/services/${fake('T', 8, 'upper')}/${fake('B', 8)}/${fake('', 24)}`,
        `url: https://hooks.slack.com/workflows/T${fake('', 45)}`,
      ],
      noMatch: [
        'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
        'https://hooks.slack.com/services/$TEAM/$BOT/$TOKEN',
      ],
    },
  },
  {
    id: 'secret-stripe-key',
    description: 'Stripe live secret or restricted key',
    regex: raw`\b((?:sk|rk)_live_[A-Za-z0-9]{16,})\b`,
    keywords: ['sk_live_', 'rk_live_'],
    entropy: 3,
    severity: 'critical',
    message: 'A live Stripe key is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://docs.stripe.com/keys',
    examples: {
      match: [`stripe.api_key = "${fake('sk_live_', 24)}"`, `${fake('rk_live_', 40)}`],
      noMatch: [`stripe.api_key = "${fake('sk_test_', 24)}"`, `sk_live_${'x'.repeat(24)}`],
    },
  },
  {
    id: 'secret-private-key',
    description: 'PEM or OpenPGP private key with a body; the end may lie outside the hunk',
    regex: raw`-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE\sKEY(?:\sBLOCK)?-----((?:[A-Za-z0-9+/=\s\\:,"']|-[A-Za-z0-9]){64,})`,
    keywords: ['private key-----', 'private key block-----'],
    target: 'hunk',
    secretGroup: 1,
    entropy: 3.5,
    severity: 'critical',
    message: 'A private key is committed.',
    fix: 'Replace the key pair, and keep the private key in a secret store.',
    cwe: 'CWE-321',
    source: 'https://www.rfc-editor.org/rfc/rfc7468',
    examples: {
      match: [
        `-----BEGIN RSA PRIVATE KEY-----\n${KEY_BODY}\n-----END RSA PRIVATE KEY-----`,
        `key: "-----BEGIN PRIVATE KEY-----\\n${fake('', 64)}\\n-----END PRIVATE KEY-----"`,
        `-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: X,0\n\n${KEY_BODY}`,
      ],
      noMatch: [
        `-----BEGIN PUBLIC KEY-----\n${KEY_BODY}\n-----END PUBLIC KEY-----`,
        '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
        `if (text.includes('-----BEGIN PRIVATE KEY-----')) return;`,
      ],
    },
  },
  {
    id: 'secret-jwt',
    description: 'Signed JSON Web Token',
    regex: raw`\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})`,
    keywords: ['eyj'],
    entropy: 3.5,
    allowlists: [
      { description: 'the subject of the jwt.io example', stopwords: ['eyjzdwiioiixmjm0nty3odkw'] },
      { description: 'made for a test', paths: [TEST_PATHS] },
    ],
    severity: 'medium',
    message: 'A signed token (JWT) is committed.',
    fix: 'Revoke the session or the signing key, unless the token has expired.',
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc7519',
    examples: {
      match: [
        `token = "${fake('eyJ', 20)}.${fake('eyJ', 40)}.${fake('', 43)}"`,
        `Authorization: Bearer ${fake('eyJ', 30)}.${fake('eyJ', 60)}.${fake('', 86)}`,
      ],
      noMatch: [
        `token = "${fake('eyJ', 20)}.eyJzdWIiOiIxMjM0NTY3ODkwIiwibm.${fake('', 43)}"`,
        `eyJ${'a'.repeat(20)}.eyJ${'a'.repeat(20)}.${'a'.repeat(40)}`,
        'eyJhbGciOiJIUzI1NiJ9',
      ],
    },
  },
  {
    id: 'secret-url-password',
    description: 'Password in the authority of a URL',
    regex: raw`://[\w.~%+-]+:([\w.~%!*&=;,^+-]{6,})@[\w.-]+`,
    keywords: ['://'],
    secretGroup: 1,
    allowlists: [
      { description: 'made for a test', paths: [TEST_PATHS] },
      { description: 'placeholders', stopwords: PLACEHOLDERS },
      {
        description: 'this machine, and names that exist nowhere (RFC 2606)',
        regexTarget: 'match',
        regexes: [
          raw`@(?:localhost|127\.0\.0\.1|(?:[\w-]+\.)*(?:example|test|invalid)(?:\.(?:com|org|net))?)$`,
        ],
      },
    ],
    severity: 'medium',
    message: 'A URL holds a password.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1',
    examples: {
      match: [
        `DATABASE_URL=postgres://app:${fake('', 6)}9x@db.internal:5432/app`,
        `amqp://guest:${'hunter2'.repeat(2)}@mq.prod.acme.io`,
      ],
      noMatch: [
        'postgres://app:password@db.internal/app',
        `postgres://app:${'hunter2'.repeat(2)}@localhost/app`,
        `postgres://app:\${PASSWORD}@db.internal/app`,
        'https://acme.io:8443/a@b',
      ],
    },
  },
  {
    id: 'secret-assignment',
    description: 'A random-looking literal given to a name such as password or apiKey',
    regex: raw`(?i)(?:passwo?r?d|passphrase|secret|api_?key|auth_?key|(?:auth|access|refresh|bearer)_?token|private_?key|credential)[\w-]{0,20}["']?\s{0,4}(?::=|=>|[:=])\s{0,4}["']([^"'\s]{10,})["']`,
    keywords: [
      'password',
      'passwd',
      'passphrase',
      'secret',
      'apikey',
      'api_key',
      'authkey',
      'auth_key',
      'authtoken',
      'auth_token',
      'accesstoken',
      'access_token',
      'refreshtoken',
      'refresh_token',
      'bearertoken',
      'bearer_token',
      'privatekey',
      'private_key',
      'credential',
    ],
    secretGroup: 1,
    entropy: 3.5,
    allowlists: [
      { description: 'placeholders', stopwords: PLACEHOLDERS },
      {
        description: 'paths, URLs, templates, names, sentences',
        regexes: [
          raw`^(?:\.{0,2}/|https?://|[a-z]+:)`,
          raw`\$\{|\{\{|%\(|<[A-Za-z]`,
          raw`^[A-Za-z_.-]+$`,
        ],
      },
      {
        description: 'hashes of something, in tests',
        condition: 'AND',
        paths: [TEST_PATHS],
        regexes: [raw`^[0-9a-f]{32,}$`],
      },
    ],
    severity: 'medium',
    message: 'A literal that looks like a credential is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://cwe.mitre.org/data/definitions/798.html',
    examples: {
      match: [
        `password = "${'Tr0ub4dor&3-Zq9'}"`,
        `  "api_key": "${fake('', 3)}9aK2mZ7pQ4vX8cL1",`,
        `const refreshToken = '${'q8Zr2Lw5Nn7Yt1Vb3Kc6'}';`,
      ],
      noMatch: [
        'password = "your-password-here"',
        'password = os.environ["DB_PASSWORD"]',
        `secretName: "projects/acme/secrets/db"`,
        'apiKey: "getApiKeyFromConfig"',
        'password = "aaaaaaaaaaaaaaaa"',
      ],
    },
  },
] satisfies readonly Pattern[];
