import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { named } from './assignment.ts';
import { prefixed } from './prefixed.ts';
import { token } from './token.ts';

const raw = String.raw;

const TOKENS = 'https://docs.slack.dev/authentication/tokens/';

/** Slack's kinds of credentials. */
export const slackPatterns: readonly Pattern[] = [
  token({
    id: 'secret-slack-token',
    what: 'Slack bot, user, app or refresh token',
    regex: raw`(xox[abeoprs]-[A-Za-z0-9-]{20,}|xapp-\d-[A-Z0-9]{8,}-\d{8,}-[a-f0-9]{32,})`,
    keywords: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    entropy: 3,
    severity: 'critical',
    source: TOKENS,
    match: [
      `slack: "${fake('xoxb-', 12, 'digits')}-${fake('', 24)}"`,
      `${fake('xapp-1-A', 10, 'upper')}-${fake('', 12, 'digits')}-${fake('', 64, 'hex')}`,
      `refresh = "xoxe.${fake('xoxp-1-', 150)}"`,
    ],
    noMatch: [`slack: "xoxb-${'x'.repeat(24)}"`, 'slack: "xoxb-..."'],
  }),
  token({
    id: 'secret-slack-session',
    what: 'token or cookie of a Slack session',
    regex: raw`(xoxc-\d{9,14}-\d{9,14}-\d{9,14}-[0-9a-f]{64}|xoxd-[A-Za-z0-9%/+_=-]{80,400})`,
    keywords: ['xoxc-', 'xoxd-'],
    entropy: 3,
    severity: 'critical',
    source: TOKENS,
    match: [
      `${fake('xoxc-', 12, 'digits')}-${fake('', 12, 'digits')}-${fake('', 13, 'digits')}-${fake('', 64, 'hex')}`,
      `cookie: d=${fake('xoxd-', 120)}%3D%3D`,
    ],
    noMatch: ['xoxc-...', `d=xoxd-${'x'.repeat(100)}`],
  }),
  token({
    id: 'secret-slack-webhook',
    what: 'URL of a Slack webhook',
    regex: raw`https://hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{40,})`,
    keywords: ['hooks.slack.com'],
    entropy: 3,
    source: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/',
    match: [
      `https://hooks.slack.com/services/${fake('T', 8, 'upper')}/${fake('B', 8)}/${fake('', 24)}`,
      `url: https://hooks.slack.com/workflows/T${fake('', 45)}`,
    ],
    noMatch: [
      'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
      'https://hooks.slack.com/services/$TEAM/$BOT/$TOKEN',
    ],
  }),
  named({
    id: 'secret-slack-signing-secret',
    what: 'Slack signing or client secret',
    vendors: ['slack'],
    words: 'secret',
    value: '[0-9a-f]{32}',
    sample: fake('', 32, 'hex'),
    names: ['SLACK_SIGNING_SECRET', 'slackSigningSecret'],
    source: 'https://docs.slack.dev/authentication/verifying-requests-from-slack/',
  }),
  prefixed({
    id: 'secret-slack-workflow-token',
    what: 'Slack workflow token',
    prefixes: ['xwfp-'],
    body: '[A-Za-z0-9_-]{20,300}',
    sample: `${fake('xwfp-', 12, 'digits')}-${fake('', 24)}`,
    name: 'SLACK_WORKFLOW_TOKEN',
    entropy: 3.3,
    source: 'https://docs.slack.dev/authentication/tokens/',
  }),
  named({
    id: 'secret-slack-verification-token',
    what: 'Slack verification token',
    vendors: ['slack'],
    words: 'verification_?token|legacy_?token',
    value: '[A-Za-z0-9]{24}',
    sample: fake('', 24),
    names: ['SLACK_VERIFICATION_TOKEN', 'slackVerificationToken'],
    entropy: 3.4,
    severity: 'medium',
    source: 'https://docs.slack.dev/authentication/verifying-requests-from-slack/',
  }),
];
