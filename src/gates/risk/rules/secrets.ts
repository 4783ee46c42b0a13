import type { Pattern } from '../../../domain/rules.ts';
import { fake } from './fake.ts';
import { addressPatterns } from './secrets/generic-addresses.ts';
import { assignmentPatterns } from './secrets/generic-assignments.ts';
import { filePatterns } from './secrets/generic-files.ts';
import { keyPatterns } from './secrets/generic-keys.ts';

const raw = String.raw;

const CWE = 'CWE-798';
const FIX = 'Revoke it, issue a new one, and read it from the environment or a secret store.';

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
  ...keyPatterns,
  ...filePatterns,
  ...addressPatterns,
  ...assignmentPatterns,
] satisfies readonly Pattern[];
