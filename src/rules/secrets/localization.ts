import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { named } from './assignment.ts';
import { prefixed } from './prefixed.ts';

/** Credentials of services for translations. */
export const localizationPatterns: readonly Pattern[] = [
  prefixed({
    id: 'secret-weblate-token',
    what: 'Weblate API token',
    prefixes: ['wlu_', 'wlp_'],
    body: '[A-Za-z0-9]{36,40}',
    sample: fake('wlu_', 40),
    name: 'WEBLATE_TOKEN',
    entropy: 3.7,
    source: 'https://docs.weblate.org/en/latest/api.html#authentication',
  }),
  prefixed({
    id: 'secret-tolgee-key',
    what: 'Tolgee API key',
    prefixes: ['tgpak_', 'tgpat_'],
    body: '[a-z0-9_]{30,70}',
    sample: fake('tgpak_', 52).toLowerCase(),
    name: 'TOLGEE_API_KEY',
    entropy: 3.4,
    source: 'https://docs.tolgee.io/platform/account_settings/api_keys_and_pat_tokens',
  }),
  named({
    id: 'secret-crowdin-token',
    what: 'Crowdin personal access token',
    vendors: ['crowdin'],
    value: '[0-9a-f]{80}|[0-9a-f]{40}',
    sample: fake('', 80, 'hex'),
    names: ['CROWDIN_PERSONAL_TOKEN', 'crowdinApiToken'],
    source: 'https://support.crowdin.com/account-settings/#api',
  }),
  named({
    id: 'secret-lokalise-token',
    what: 'Lokalise API token',
    vendors: ['lokalise'],
    value: '[0-9a-f]{40}',
    sample: fake('', 40, 'hex'),
    names: ['LOKALISE_API_TOKEN', 'lokaliseToken'],
    source: 'https://developers.lokalise.com/reference/api-authentication',
  }),
  named({
    id: 'secret-phrase-token',
    what: 'Phrase access token',
    vendors: ['phraseapp', 'phrase_access', 'phrase_api', 'phraseaccess'],
    words: 'token|',
    value: '[0-9a-f]{64}',
    sample: fake('', 64, 'hex'),
    names: ['PHRASE_ACCESS_TOKEN', 'phraseappAccessToken'],
    source: 'https://developers.phrase.com/en/api/strings/authentication',
  }),
  named({
    id: 'secret-poeditor-token',
    what: 'POEditor API token',
    vendors: ['poeditor'],
    value: '[0-9a-f]{32}',
    sample: fake('', 32, 'hex'),
    names: ['POEDITOR_API_TOKEN', 'poeditorToken'],
    source: 'https://poeditor.com/docs/api',
  }),
  named({
    id: 'secret-transifex-token',
    what: 'Transifex API token',
    vendors: ['transifex', 'tx_token'],
    words: 'token|',
    value: '1/[0-9a-f]{40}',
    sample: fake('1/', 40, 'hex'),
    names: ['TX_TOKEN', 'transifexToken'],
    source: 'https://developers.transifex.com/reference/api-authentication',
  }),
];
