import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { FAKE_UUID, named, TOKEN_END, UUID } from './assignment.ts';
import { BEFORE, delimited, END, START } from './delimited.ts';
import { token } from './token.ts';

const raw = String.raw;

/** Names of an app-specific password begin with these, or the tools that take one are run. */
const APPLE = [
  ...['apple_', 'appleid', 'apple-id', 'applepass', 'appleapp'],
  ...['specific_pass', 'specific-pass', 'specificpass', 'altool', 'notarytool'],
];

/** Credentials of those that log people in, prove who they are, or keep robots out. */
export const identityPatterns: readonly Pattern[] = [
  token({
    id: 'secret-okta-api-token',
    what: 'Okta API token',
    regex: raw`(?:(?i:okta[\w.-]{0,32}["'\]]{0,2}\s{0,4}(?::=|=>|[:=,(])\s{0,4}["'\x60]?)|SSWS\s)(00[A-Za-z0-9_-]{40})${TOKEN_END}`,
    keywords: ['okta', 'ssws '],
    entropy: 3.7,
    severity: 'critical',
    source: 'https://developer.okta.com/docs/guides/create-an-api-token/main/',
    match: [`OKTA_API_TOKEN=${fake('00', 40)}`, `Authorization: SSWS ${fake('00', 40)}`],
    noMatch: [`OKTA_API_TOKEN=00${'x'.repeat(40)}`, `Authorization: SSWS \${token}`],
  }),
  named({
    id: 'secret-okta-client-secret',
    what: 'Okta client secret',
    vendors: ['okta'],
    words: 'secret',
    value: '[A-Za-z0-9_-]{40}|[A-Za-z0-9_-]{64}',
    sample: fake('', 64),
    names: ['OKTA_CLIENT_SECRET', 'oktaClientSecret'],
    entropy: 3.7,
    source: 'https://developer.okta.com/docs/guides/client-secret-rotation-key/main/',
  }),
  named({
    id: 'secret-auth0-client-secret',
    what: 'Auth0 client secret',
    vendors: ['auth0'],
    words: 'secret',
    value: '[A-Za-z0-9_-]{64}',
    sample: fake('', 64),
    names: ['AUTH0_CLIENT_SECRET', 'auth0ClientSecret'],
    entropy: 4,
    severity: 'critical',
    source: 'https://auth0.com/docs/get-started/applications/application-settings',
  }),
  token({
    id: 'secret-workos-api-key',
    what: 'WorkOS API key',
    regex: raw`${START}(sk_(?:live_|test_)?a2V5X[A-Za-z0-9]{40,120})${END}`,
    keywords: ['sk_live_a2v5x', 'sk_test_a2v5x', 'sk_a2v5x'],
    entropy: 3.5,
    severity: 'critical',
    source: 'https://workos.com/docs/reference/api-keys',
    match: [
      `WORKOS_API_KEY=${fake('sk_test_a2V5X', 80)}`,
      `new WorkOS('${fake('sk_live_a2V5X', 80)}')`,
    ],
    noMatch: [
      'WORKOS_API_KEY=sk_example_123456789',
      `WORKOS_API_KEY=sk_test_a2V5X${'A'.repeat(80)}`,
    ],
  }),
  token({
    id: 'secret-stytch-secret',
    what: 'Stytch live secret',
    regex: raw`(secret-live-[A-Za-z0-9_-]{36,48}=?)(?:[^A-Za-z0-9=]|$)`,
    keywords: ['secret-live-'],
    entropy: 3.7,
    severity: 'critical',
    source: 'https://stytch.com/docs/workspace-management/pwa/auth',
    match: [`STYTCH_SECRET=${fake('secret-live-', 43)}=`, `secret: "${fake('secret-live-', 43)}="`],
    noMatch: [
      `STYTCH_SECRET=secret-live-${'1'.repeat(43)}=`,
      `STYTCH_SECRET=${fake('secret-test-', 43)}=`,
    ],
  }),
  token({
    id: 'secret-onfido-token',
    what: 'Onfido live API token',
    regex: raw`(api_live(?:_[a-z]{2})?\.[A-Za-z0-9_-]{11}\.[A-Za-z0-9_-]{32})${TOKEN_END}`,
    keywords: ['api_live.', 'api_live_'],
    entropy: 3.7,
    source: 'https://documentation.onfido.com/api/latest/#api-tokens',
    match: [
      `ONFIDO=${fake('api_live.', 11)}.${fake('', 32)}`,
      `token=${fake('api_live_ca.', 11)}.${fake('', 32)}`,
    ],
    noMatch: ['ONFIDO=api_live.your_token', `ONFIDO=${fake('api_sandbox.', 11)}.${fake('', 32)}`],
  }),
  token({
    id: 'secret-persona-api-key',
    what: 'Persona production API key',
    regex: raw`(persona_production_(?:${UUID}|[0-9a-f]{32,64}))${END}`,
    keywords: ['persona_production_'],
    source: 'https://docs.withpersona.com/api-keys',
    match: [
      `PERSONA=persona_production_${FAKE_UUID}`,
      `Bearer ${fake('persona_production_', 40, 'hex')}`,
    ],
    noMatch: ['PERSONA=persona_production_key', `PERSONA=persona_sandbox_${FAKE_UUID}`],
  }),
  token({
    id: 'secret-recaptcha-key',
    what: 'reCAPTCHA secret key',
    regex: raw`(?i)captcha[\w.-]{0,16}(?:secret|private)[\w.-]{0,16}["'\]]{0,2}\s{0,4}(?::=|=>|[:=,(])\s{0,4}["'\x60]?(?-i:(6L[A-Za-z0-9_-]{38}))${TOKEN_END}`,
    keywords: ['captcha'],
    entropy: 3,
    allowlists: [
      {
        description: 'test keys of the reCAPTCHA documentation',
        regexes: ['^6LeIxAcTAAAAA(?:JcZVRqyHh71UMIEGNQ_MXjiZKhI|GG-vFI1TnRWxMZNFuojJ4WifJWe)$'],
      },
    ],
    source: 'https://developers.google.com/recaptcha/docs/verify',
    match: [
      `RECAPTCHA_SECRET_KEY=${fake('6LeAAAAAAAA', 29)}`,
      `captchaPrivateKey: '${fake('6LcfAAAAAAA', 29)}',`,
    ],
    noMatch: [
      'RECAPTCHA_SECRET_KEY=6LeIxAcTAAAAAGG-vFI1TnRWxMZNFuojJ4WifJWe',
      `RECAPTCHA_SITE_KEY=${fake('6LeAAAAAAAA', 29)}`,
    ],
  }),
  named({
    id: 'secret-hcaptcha-key',
    what: 'hCaptcha secret key',
    vendors: ['hcaptcha'],
    words: 'secret|key',
    value: '(?:0x[0-9a-fA-F]{40}|ES_[0-9a-f]{32})',
    sample: fake('0x', 40, 'hex'),
    names: ['HCAPTCHA_SECRET', 'hcaptchaSecretKey'],
    allowlists: [{ description: 'the test key', regexes: ['^0x0{20}'] }],
    source: 'https://docs.hcaptcha.com/',
  }),
  token({
    id: 'secret-turnstile-key',
    what: 'Cloudflare Turnstile secret key',
    regex: raw`${BEFORE}(0x4AAAAAA[A-Za-z0-9_-]{26})${TOKEN_END}`,
    keywords: delimited('0x4aaaaaa'),
    entropy: 3,
    source: 'https://developers.cloudflare.com/turnstile/get-started/',
    match: [`TURNSTILE_SECRET=${fake('0x4AAAAAAAa', 24)}`, `secret: '${fake('0x4AAAAAABb', 24)}'`],
    noMatch: [`TURNSTILE_SITE_KEY=${fake('0x4AAAAAAAa', 13)}`, `0x4AAAAAA${'A'.repeat(26)}`],
  }),
  token({
    id: 'secret-apple-app-password',
    what: 'Apple app-specific password',
    regex: raw`(?i)(?:apple(?:[_-]?id)?[_-]?(?:app(?:lication)?)?[_-]?(?:specific)?[_-]?pass(?:word)?|specific[_-]?password|(?:altool|notarytool)[^"'\n]{0,120}\s--?p(?:assword)?)["'\]]{0,2}\s{0,4}[:= ]\s{0,4}["'\x60]?([a-z]{4}-[a-z]{4}-[a-z]{4}-[a-z]{4})(?:["'\x60\s;,)]|$)`,
    keywords: APPLE,
    entropy: 2.8,
    allowlists: [{ description: 'made up', stopwords: ['abcd-efgh', 'your-', 'pass-word'] }],
    source: 'https://support.apple.com/en-us/102654',
    match: [
      'APPLE_ID_PASSWORD=fakt-okeq-notz-rewl',
      'FASTLANE_APPLE_APPLICATION_SPECIFIC_PASSWORD="qzfk-wuvj-ltoy-mexn"',
      'xcrun notarytool submit App.zip --apple-id a@b.io --password qzfk-wuvj-ltoy-mexn',
    ],
    noMatch: [
      'APPLE_ID_PASSWORD=xxxx-xxxx-xxxx-xxxx',
      'APPLE_APP_SPECIFIC_PASSWORD=abcd-efgh-ijkl-mnop',
      'apple-pass-with-some-more-text',
    ],
  }),
];
