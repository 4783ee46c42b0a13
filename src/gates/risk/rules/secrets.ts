import type { Pattern } from '../../../domain/rules.ts';
import { fake } from './fake.ts';
import { analyticsPatterns } from './secrets/analytics.ts';
import { blockchainPatterns } from './secrets/blockchain.ts';
import { commercePatterns } from './secrets/commerce.ts';
import { dataPatterns } from './secrets/data.ts';
import { identityPatterns } from './secrets/identity.ts';
import { marketingPatterns } from './secrets/marketing.ts';
import { messagingPatterns } from './secrets/messaging.ts';
import { paymentPatterns } from './secrets/payments.ts';
import { productivityPatterns } from './secrets/productivity.ts';
import { slackPatterns } from './secrets/slack.ts';
import { socialPatterns } from './secrets/social.ts';

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
  {
    id: 'secret-aws-access-key-id',
    description: 'AWS access key id',
    regex: raw`\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b`,
    keywords: ['akia', 'asia', 'abia', 'acca'],
    entropy: 2.5,
    allowlists: [{ description: 'key ids of the AWS documentation', regexes: [raw`EXAMPLE$`] }],
    severity: 'high',
    message: 'An AWS access key id is committed; its secret key may not be far.',
    fix: FIX,
    cwe: CWE,
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html',
    examples: {
      match: [`id = "${fake('AKIA', 16, 'upper')}"`, `${fake('ASIA', 16, 'upper')}`],
      noMatch: [`id = "AKIAIOSFODNN7${'EXAMPLE'}"`, `AKIA${'A'.repeat(16)}`, 'ASIA_PACIFIC_REGION'],
    },
  },
  {
    id: 'secret-aws-secret-access-key',
    description: 'AWS secret access key, told by its name and its randomness',
    regex: raw`(?i)(?:aws_?secret|secret_?access_?key)[\w.-]{0,24}["']?\s{0,4}(?::=|=>|[:=])\s{0,4}["']?([a-z0-9/+]{40})(?:["'\s;,<]|$)`,
    keywords: ['aws_secret', 'awssecret', 'secret_access_key', 'secretaccesskey'],
    secretGroup: 1,
    entropy: 4,
    allowlists: [{ description: 'the key of the AWS documentation', stopwords: ['examplekey'] }],
    severity: 'critical',
    message: 'An AWS secret access key is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html',
    examples: {
      match: [`aws_secret_access_key = ${fake('', 40)}`, `  secretAccessKey: '${fake('', 40)}',`],
      noMatch: [
        `aws_secret_access_key = ${fake('', 30)}EXAMPLEKEY`,
        `aws_secret_access_key = ${'0'.repeat(40)}`,
        'secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY',
      ],
    },
  },
  {
    id: 'secret-github-token',
    description: 'GitHub token: personal, OAuth, app, refresh or fine-grained',
    regex: raw`\b(gh[opsur]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b`,
    keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    entropy: 3,
    severity: 'critical',
    message: 'A GitHub token is committed.',
    fix: FIX,
    cwe: CWE,
    source:
      'https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/',
    examples: {
      match: [
        `token: ${fake('ghp_', 36)}`,
        `curl -H "Authorization: Bearer ${fake('github_pat_', 22)}_${fake('', 59)}"`,
      ],
      noMatch: [`token: ghp_${'x'.repeat(36)}`, `token: ${fake('ghp_', 20)}`],
    },
  },
  {
    id: 'secret-gitlab-token',
    description: 'GitLab token: personal, deploy, runner, CI job, trigger, feed, mail, agent',
    regex: raw`\b(gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_-]{20,})`,
    keywords: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glimt-',
      'glagent-',
      'glsoat-',
      'glffct-',
    ],
    entropy: 3,
    severity: 'critical',
    message: 'A GitLab token is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://docs.gitlab.com/security/tokens/#token-prefixes',
    examples: {
      match: [`GITLAB_TOKEN=${fake('glpat-', 20)}`, `"${fake('glrt-', 24)}"`],
      noMatch: [`GITLAB_TOKEN=glpat-${'x'.repeat(20)}`, 'glpat-$GITLAB_TOKEN'],
    },
  },
  ...paymentPatterns,
  ...slackPatterns,
  ...messagingPatterns,
  ...marketingPatterns,
  ...commercePatterns,
  ...productivityPatterns,
  ...identityPatterns,
  ...socialPatterns,
  ...analyticsPatterns,
  ...dataPatterns,
  ...blockchainPatterns,
  {
    id: 'secret-google-api-key',
    description: 'Google API key',
    regex: raw`\b(AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$)`,
    keywords: ['aiza'],
    entropy: 3.5,
    severity: 'high',
    message: 'A Google API key is committed.',
    fix: 'Restrict it to its application, or replace it and read it from the environment.',
    cwe: CWE,
    source: 'https://cloud.google.com/docs/authentication/api-keys',
    examples: {
      match: [`key=${fake('AIza', 35)}`, `apiKey: "${fake('AIza', 35)}",`],
      noMatch: [`key=AIza${'0'.repeat(35)}`, `key=${fake('AIza', 50)}`],
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
    id: 'secret-npm-token',
    description: 'npm access token, or the auth token of a registry in .npmrc',
    regex: raw`\b(npm_[A-Za-z0-9]{36})\b|:_authToken\s{0,4}=\s{0,4}["']?([A-Za-z0-9+/=_-]{32,})`,
    keywords: ['npm_', ':_authtoken'],
    entropy: 3,
    severity: 'critical',
    message: 'An npm token is committed.',
    fix: FIX,
    cwe: CWE,
    source: 'https://github.blog/changelog/2021-09-23-npm-has-a-new-access-token-format/',
    examples: {
      match: [`NPM_TOKEN=${fake('npm_', 36)}`, `//registry.example/:_authToken=${fake('', 36)}`],
      noMatch: [
        `//registry.example/:_authToken=\${NPM_TOKEN}`,
        'npm_config_registry=https://registry.example/a/very/long/path/to/it',
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
