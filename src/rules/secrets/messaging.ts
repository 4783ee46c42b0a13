import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { FAKE_UUID, named, TOKEN_END, UUID } from './assignment.ts';
import { BEFORE, delimited, END, ESCAPE, START } from './delimited.ts';
import { token } from './token.ts';

const raw = String.raw;

const TELEGRAM = 'https://core.telegram.org/bots/api#authorizing-your-bot';
const TWILIO = 'https://www.twilio.com/docs/iam/api-keys';
const LINE = 'https://developers.line.biz/en/docs/basics/channel-access-token/';

/** Shape of a Discord bot token: user id in base64 (digits), time, HMAC. */
const DISCORD_BOT = raw`[MNO][A-Za-z0-9]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}`;
const FAKE_DISCORD_BOT = [fake('MTI', 21), 'GFakeT', fake('', 38)].join('.');

/** How a token without the vendor's name is written, up to the first letter of the id in it. */
const DISCORD_TOKENS = ['token": "', "token: '", 'token: "', 'token = "', "token = '", 'token='];
const DISCORD_KEYWORDS = DISCORD_TOKENS.flatMap((text) => [`${text}m`, `${text}n`, `${text}o`]);

/** Credentials that read or send messages: chat, SMS, push and calls. */
export const messagingPatterns: readonly Pattern[] = [
  token({
    id: 'secret-discord-bot-token',
    what: 'Discord bot token',
    regex: raw`(?i:discord[\w.-]{0,24}|bot_?token|\.login\(|${START}bot |token)["'\]]{0,2}\s{0,2}[:=(,]?\s{0,2}["'\x60]?(${DISCORD_BOT})(?:[^A-Za-z0-9_.-]|$)`,
    keywords: ['discord', 'bot_token', 'bottoken', '.login(', ...DISCORD_KEYWORDS],
    entropy: 3.5,
    severity: 'critical',
    source: 'https://discord.com/developers/docs/reference#authentication',
    match: [
      `DISCORD_TOKEN=${FAKE_DISCORD_BOT}`,
      `client.login('${FAKE_DISCORD_BOT}');`,
      `{ "token": "${FAKE_DISCORD_BOT}" }`,
    ],
    noMatch: [
      'client.login(process.env.DISCORD_TOKEN);',
      `DISCORD_TOKEN=M${'x'.repeat(23)}.xxxxxx.${'x'.repeat(27)}`,
      'const token = MessageService.create.withDefaultsAndEverythingElse();',
    ],
  }),
  token({
    id: 'secret-discord-webhook',
    what: 'URL of a Discord webhook',
    regex: raw`https://(?:(?:canary|ptb)\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(\d{17,20}/[A-Za-z0-9_-]{60,80})`,
    keywords: ['discord.com/api/', 'discordapp.com/api/'],
    entropy: 3.5,
    source: 'https://discord.com/developers/docs/resources/webhook',
    match: [
      `https://discord.com/api/webhooks/${fake('', 18, 'digits')}/${fake('', 68)}`,
      `url: "https://discordapp.com/api/v10/webhooks/${fake('', 19, 'digits')}/${fake('', 68)}"`,
    ],
    noMatch: [
      'https://discord.com/api/webhooks/1234567890/token',
      `https://discord.com/api/webhooks/${fake('', 18, 'digits')}/${'x'.repeat(68)}`,
    ],
  }),
  named({
    id: 'secret-discord-client-secret',
    what: 'Discord client secret',
    vendors: ['discord'],
    words: 'secret',
    value: '[A-Za-z0-9_-]{32}',
    sample: fake('', 32),
    names: ['DISCORD_CLIENT_SECRET', 'discordClientSecret'],
    entropy: 3.7,
    source: 'https://discord.com/developers/docs/topics/oauth2',
  }),
  token({
    id: 'secret-telegram-bot-token',
    what: 'Telegram bot token',
    regex: raw`(?:^|[^A-Za-z0-9]|${ESCAPE})(?:bot)?(\d{8,10}:AA[A-Za-z0-9_-]{33})${TOKEN_END}`,
    keywords: [':aae', ':aaf', ':aag', ':aah', 'telegram'],
    entropy: 4,
    source: TELEGRAM,
    match: [
      `TELEGRAM_BOT_TOKEN=${fake('', 10, 'digits')}:${fake('AAE', 32)}`,
      `https://api.telegram.org/bot${fake('', 9, 'digits')}:${fake('AAH', 32)}/sendMessage`,
    ],
    noMatch: [
      'TELEGRAM_BOT_TOKEN=123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11',
      `TELEGRAM_BOT_TOKEN=${fake('', 10, 'digits')}:AAE${'x'.repeat(32)}`,
    ],
  }),
  token({
    id: 'secret-twilio-api-key',
    what: 'Twilio API key',
    regex: raw`${BEFORE}(SK[0-9a-f]{32})${END}`,
    keywords: delimited(...[...'0123456789abcdef'].map((digit) => `sk${digit}`)),
    entropy: 3,
    source: TWILIO,
    match: [`TWILIO_API_KEY=${fake('SK', 32, 'hex')}`, `new Twilio("${fake('SK', 32, 'hex')}", s)`],
    noMatch: [`TWILIO_API_KEY=SK${'0'.repeat(32)}`, `TWILIO_API_KEY=SK${'x'.repeat(32)}`],
  }),
  named({
    id: 'secret-twilio-auth-token',
    what: 'Twilio auth token or API secret',
    vendors: ['twilio'],
    words: 'token|secret',
    value: '[0-9a-f]{32}|[A-Za-z0-9]{32}',
    sample: fake('', 32, 'hex'),
    names: ['TWILIO_AUTH_TOKEN', 'twilioAuthToken'],
    severity: 'critical',
    source: 'https://www.twilio.com/docs/iam/api/authtoken',
  }),
  named({
    id: 'secret-messagebird-key',
    what: 'MessageBird access key',
    vendors: ['messagebird', 'message_bird'],
    value: '(?:live_)?[A-Za-z0-9]{25}',
    sample: fake('', 25),
    names: ['MESSAGEBIRD_ACCESS_KEY', 'messagebirdKey'],
    entropy: 3.3,
    source: 'https://developers.messagebird.com/api/#authentication',
  }),
  named({
    id: 'secret-vonage-api-secret',
    what: 'Vonage (Nexmo) API secret',
    vendors: ['vonage', 'nexmo'],
    words: 'secret',
    value: '[A-Za-z0-9]{16}',
    sample: fake('', 16),
    names: ['VONAGE_API_SECRET', 'nexmoApiSecret'],
    source: 'https://developer.vonage.com/en/getting-started/concepts/authentication',
  }),
  token({
    id: 'secret-teams-webhook',
    what: 'URL of a Microsoft Teams webhook',
    regex: raw`https://[\w.-]{1,64}\.office\.com/webhook(?:b2)?/(${UUID}@${UUID}/IncomingWebhook/[0-9a-f]{32}/${UUID})`,
    keywords: ['.office.com/webhook'],
    source:
      'https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook',
    match: [
      `https://acme.webhook.office.com/webhookb2/${FAKE_UUID}@${FAKE_UUID}/IncomingWebhook/${fake('', 32, 'hex')}/${FAKE_UUID}`,
      `url = "https://outlook.office.com/webhook/${FAKE_UUID}@${FAKE_UUID}/IncomingWebhook/${fake('', 32, 'hex')}/${FAKE_UUID}"`,
    ],
    noMatch: [
      'https://outlook.office.com/webhook/...',
      `https://outlook.office.com/webhook/${FAKE_UUID}/IncomingWebhook/test`,
    ],
  }),
  token({
    id: 'secret-power-automate-url',
    what: 'signed URL of a Power Automate or Logic Apps flow',
    regex: raw`https://[\w.-]{1,128}\.(?:logic\.azure|powerplatform)\.com(?::443)?/[^\s"'<>]{1,400}[?&]sig=([A-Za-z0-9_-]{43})${TOKEN_END}`,
    keywords: ['.logic.azure.com', '.powerplatform.com'],
    entropy: 4,
    source: 'https://learn.microsoft.com/en-us/azure/logic-apps/logic-apps-securing-a-logic-app',
    match: [
      `https://prod-1.westeurope.logic.azure.com:443/workflows/${fake('', 32, 'hex')}/triggers/manual/paths/invoke?api-version=2016-10-01&sp=%2F&sv=1.0&sig=${fake('', 43)}`,
      `URL="https://x.environment.api.powerplatform.com/workflows/a?sig=${fake('', 43)}"`,
    ],
    noMatch: [
      'https://prod-1.westeurope.logic.azure.com/workflows/id?sig=<signature>',
      `https://prod-1.westeurope.logic.azure.com/workflows/id?sig=${'x'.repeat(43)}`,
    ],
  }),
  token({
    id: 'secret-google-chat-webhook',
    what: 'URL of a Google Chat webhook',
    regex: raw`https://chat\.googleapis\.com/v1/spaces/[\w-]{6,32}/messages\?key=[\w-]{20,60}&(?:amp;)?token=([A-Za-z0-9_%=-]{30,80})`,
    keywords: ['chat.googleapis.com/v1/spaces/'],
    entropy: 3.5,
    source: 'https://developers.google.com/workspace/chat/quickstart/webhooks',
    match: [
      `https://chat.googleapis.com/v1/spaces/AAAAFake123/messages?key=${fake('', 39)}&token=${fake('', 43)}%3D`,
      `u='https://chat.googleapis.com/v1/spaces/AAQAfake-9/messages?key=${fake('', 39)}&token=${fake('', 43)}'`,
    ],
    noMatch: [
      'https://chat.googleapis.com/v1/spaces/SPACE_ID/messages?key=KEY&token=TOKEN',
      `https://chat.googleapis.com/v1/spaces/SPACE_ID/messages?key=${fake('', 39)}&token=${'x'.repeat(43)}`,
    ],
  }),
  token({
    id: 'secret-dingtalk-webhook',
    what: 'URL of a DingTalk robot',
    regex: raw`oapi\.dingtalk\.com/robot/send\?access_token=([0-9a-f]{64})${END}`,
    keywords: ['oapi.dingtalk.com/robot/'],
    entropy: 3,
    source: 'https://open.dingtalk.com/document/robots/custom-robot-access',
    match: [
      `https://oapi.dingtalk.com/robot/send?access_token=${fake('', 64, 'hex')}`,
      `u = "https://oapi.dingtalk.com/robot/send?access_token=${fake('', 64, 'hex')}&timestamp=1"`,
    ],
    noMatch: [
      'https://oapi.dingtalk.com/robot/send?access_token=xxxxxxxx',
      `https://oapi.dingtalk.com/robot/send?access_token=${'0'.repeat(64)}`,
    ],
  }),
  token({
    id: 'secret-lark-webhook',
    what: 'URL of a Lark (Feishu) bot',
    regex: raw`open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/(${UUID}|[0-9a-f]{32})${END}`,
    keywords: ['/open-apis/bot/'],
    entropy: 3,
    source: 'https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot',
    match: [
      `https://open.feishu.cn/open-apis/bot/v2/hook/${FAKE_UUID}`,
      `url: https://open.larksuite.com/open-apis/bot/hook/${fake('', 32, 'hex')}`,
    ],
    noMatch: [
      'https://open.feishu.cn/open-apis/bot/v2/hook/xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
      'https://open.larksuite.com/open-apis/bot/v2/hook/00000000-0000-0000-0000-000000000000',
    ],
  }),
  token({
    id: 'secret-wecom-webhook',
    what: 'URL of a WeCom (WeChat Work) robot',
    regex: raw`qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=(${UUID})${END}`,
    keywords: ['qyapi.weixin.qq.com/cgi-bin/webhook'],
    entropy: 3,
    source: 'https://developer.work.weixin.qq.com/document/path/91770',
    match: [
      `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${FAKE_UUID}`,
      `hook: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${FAKE_UUID}"`,
    ],
    noMatch: [
      'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=$KEY',
      'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=00000000-0000-0000-0000-000000000000',
    ],
  }),
  named({
    id: 'secret-line-channel-token',
    what: 'LINE channel access token',
    vendors: ['channel_access_token', 'channelaccesstoken', 'line_access_token', 'line_token'],
    words: '',
    value: '[A-Za-z0-9+/]{150,180}=',
    sample: `${fake('', 171)}=`,
    names: ['LINE_CHANNEL_ACCESS_TOKEN', 'channelAccessToken'],
    entropy: 4,
    source: LINE,
  }),
  named({
    id: 'secret-line-channel-secret',
    what: 'LINE channel secret',
    vendors: ['channel_secret', 'channelsecret'],
    words: '',
    value: '[0-9a-f]{32}',
    sample: fake('', 32, 'hex'),
    names: ['LINE_CHANNEL_SECRET', 'channelSecret'],
    source: LINE,
  }),
  token({
    id: 'secret-mattermost-token',
    what: 'Mattermost token or incoming webhook',
    regex: raw`(?i)mattermost[\w.:/@-]{0,80}(?:/hooks/|(?:token|webhook)["']?\s{0,4}[:=]\s{0,4}["']?)(?-i:([a-z0-9]{26}))${TOKEN_END}`,
    keywords: ['mattermost'],
    entropy: 3.3,
    allowlists: [{ description: 'identifiers', regexes: ['^[a-z]+$'] }],
    source: 'https://developers.mattermost.com/integrate/webhooks/incoming/',
    match: [
      `https://mattermost.acme.io/hooks/${fake('', 26).toLowerCase()}`,
      `MATTERMOST_TOKEN=${fake('', 26).toLowerCase()}`,
    ],
    noMatch: [
      'https://mattermost.acme.io/hooks/xxxxxxxxxxxxxxxxxxxxxxxxxx',
      `mattermostToken: process.env.MATTERMOST_TOKEN`,
    ],
  }),
  named({
    id: 'secret-zulip-api-key',
    what: 'Zulip API key',
    vendors: ['zulip'],
    value: '[A-Za-z0-9]{32}',
    sample: fake('', 32),
    names: ['ZULIP_API_KEY', 'zulipBotKey'],
    entropy: 3.5,
    source: 'https://zulip.com/api/api-keys',
  }),
  token({
    id: 'secret-onesignal-api-key',
    what: 'OneSignal API key',
    regex: raw`(os_v2_(?:app|org)_[a-z2-7]{80,120})${END}`,
    keywords: ['os_v2_app_', 'os_v2_org_'],
    entropy: 3.5,
    source: 'https://documentation.onesignal.com/docs/keys-and-ids',
    match: [
      `Key ${fake('os_v2_app_', 103).toLowerCase().replace(/[01]/g, '7')}`,
      `ONESIGNAL=${fake('os_v2_org_', 103).toLowerCase().replace(/[01]/g, '6')}`,
    ],
    noMatch: [`Key os_v2_app_${'x'.repeat(103)}`, 'ONESIGNAL=os_v2_app_your_key'],
  }),
  token({
    id: 'secret-telnyx-api-key',
    what: 'Telnyx API key',
    regex: raw`${START}(KEY0[0-9A-F]{31}_[A-Za-z0-9]{22})${END}`,
    keywords: ['key0'],
    entropy: 3.5,
    source: 'https://developers.telnyx.com/development/api-fundamentals/authentication',
    match: [
      `TELNYX=${fake('KEY0', 31, 'hex').toUpperCase()}_${fake('', 22)}`,
      `Bearer ${fake('KEY01', 30, 'digits')}_${fake('', 22)}`,
    ],
    noMatch: ['TELNYX=KEY0123_your_key', `const key0 = keys[0];`],
  }),
  token({
    id: 'secret-pubnub-secret-key',
    what: 'PubNub secret key',
    regex: raw`(sec-c-[A-Za-z0-9]{46,48}={0,2})(?:[^A-Za-z0-9=]|$)`,
    keywords: ['sec-c-'],
    entropy: 3.5,
    source: 'https://www.pubnub.com/docs/general/setup/account-setup',
    match: [`secretKey: '${fake('sec-c-', 48)}'`, `PUBNUB_SECRET=${fake('sec-c-', 47)}=`],
    noMatch: [`PUBNUB_SECRET=sec-c-${'x'.repeat(48)}`, `subscribeKey: 'sub-c-${FAKE_UUID}'`],
  }),
  token({
    id: 'secret-ably-api-key',
    what: 'Ably API key',
    regex: raw`(?i:ably_?(?:api_?)?(?:root_?)?key|ably\.(?:realtime|rest)(?:\.promise)?\()["'\s:=({k]{0,8}(?-i:([A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{6}:[A-Za-z0-9_-]{43}))${TOKEN_END}`,
    keywords: ['ably_api', 'ablyapi', 'ably_key', 'ablykey', 'ably.realtime', 'ably.rest'],
    entropy: 4,
    source: 'https://ably.com/docs/auth/basic',
    match: [
      `ABLY_API_KEY=xVLyHw.FaKe7Q:${fake('', 43)}`,
      `const client = new Ably.Realtime('aBc-1w.Fake_Q:${fake('', 43)}');`,
    ],
    noMatch: [`ABLY_API_KEY=xxxxxx.xxxxxx:${'x'.repeat(43)}`, 'new Ably.Rest({ authUrl })'],
  }),
  named({
    id: 'secret-pusher-secret',
    what: 'Pusher app secret',
    vendors: ['pusher'],
    words: 'secret',
    value: '[0-9a-f]{20}',
    sample: fake('', 20, 'hex'),
    names: ['PUSHER_APP_SECRET', 'pusherSecret'],
    entropy: 2.7,
    source: 'https://pusher.com/docs/channels/library_auth_reference/rest-api/',
  }),
  named({
    id: 'secret-sendbird-token',
    what: 'Sendbird API token',
    vendors: ['sendbird'],
    value: '[0-9a-f]{40}',
    sample: fake('', 40, 'hex'),
    names: ['SENDBIRD_API_TOKEN', 'sendbirdToken'],
    source: 'https://sendbird.com/docs/chat/platform-api/v3/prepare-to-use-api',
  }),
  token({
    id: 'secret-infobip-api-key',
    what: 'Infobip API key',
    regex: raw`(?i)infobip[\w.-]{0,32}["'\]]{0,2}\s{0,4}[:=,]\s{0,4}["']?(?:App )?([0-9a-f]{32}-${UUID})${END}`,
    keywords: ['infobip'],
    source: 'https://www.infobip.com/docs/essentials/api-essentials/api-authentication',
    match: [
      `INFOBIP_API_KEY=${fake('', 32, 'hex')}-${FAKE_UUID}`,
      `infobipKey: "App ${fake('', 32, 'hex')}-${FAKE_UUID}"`,
    ],
    noMatch: ['INFOBIP_API_KEY=$KEY', `INFOBIP_API_KEY=${fake('', 32, 'hex')}`],
  }),
  named({
    id: 'secret-pushover-token',
    what: 'Pushover token',
    vendors: ['pushover'],
    value: '[au][a-z0-9]{29}',
    sample: fake('a', 29).toLowerCase(),
    names: ['PUSHOVER_TOKEN', 'pushoverToken'],
    entropy: 3.3,
    severity: 'medium',
    source: 'https://pushover.net/api',
  }),
  named({
    id: 'secret-plivo-auth-token',
    what: 'Plivo auth token',
    vendors: ['plivo'],
    words: 'token',
    value: '[A-Za-z0-9]{40}',
    sample: fake('', 40),
    names: ['PLIVO_AUTH_TOKEN', 'plivoAuthToken'],
    entropy: 3.5,
    source: 'https://www.plivo.com/docs/messaging/api/overview#authentication',
  }),
  named({
    id: 'secret-webex-token',
    what: 'Webex access token',
    vendors: ['webex', 'ciscospark'],
    words: 'token',
    value: '[A-Za-z0-9]{64}_[A-Z0-9]{4}_[0-9a-f-]{36}',
    sample: `${fake('', 64)}_PF84_${FAKE_UUID}`,
    names: ['WEBEX_ACCESS_TOKEN', 'webexBotToken'],
    source: 'https://developer.webex.com/docs/bots',
  }),
];
