import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { named } from './assignment.ts';
import { prefixed } from './prefixed.ts';

const raw = String.raw;

/** Credentials of services for devices. */
export const devicePatterns: readonly Pattern[] = [
  prefixed({
    id: 'secret-adafruit-io-key',
    what: 'Adafruit IO key',
    prefixes: ['aio_'],
    body: '[A-Za-z0-9]{28}',
    sample: fake('aio_', 28),
    name: 'ADAFRUIT_IO_KEY',
    entropy: 3.5,
    severity: 'medium',
    source: 'https://io.adafruit.com/api/docs/#authentication',
  }),
  prefixed({
    id: 'secret-ubidots-token',
    what: 'Ubidots token',
    prefixes: ['BBFF-', 'BBUS-'],
    body: '[A-Za-z0-9]{30}',
    sample: fake('BBFF-', 30),
    name: 'UBIDOTS_TOKEN',
    entropy: 3.6,
    severity: 'medium',
    source: 'https://docs.ubidots.com/reference/authentication',
  }),
  named({
    id: 'secret-particle-token',
    what: 'Particle access token',
    vendors: ['particle'],
    words: 'token',
    value: '[0-9a-f]{40}',
    sample: fake('', 40, 'hex'),
    names: ['PARTICLE_ACCESS_TOKEN', 'particleAccessToken'],
    source: 'https://docs.particle.io/reference/cloud-apis/access-tokens/',
  }),
  named({
    id: 'secret-balena-key',
    what: 'balena API key',
    vendors: ['balena'],
    value: '[A-Za-z0-9]{32}',
    sample: fake('', 32),
    names: ['BALENA_API_KEY', 'balenaApiKey'],
    entropy: 3.6,
    source: 'https://docs.balena.io/learn/accounts/api-keys/',
  }),
  named({
    id: 'secret-blynk-token',
    what: 'Blynk device token',
    vendors: ['blynk'],
    value: '[A-Za-z0-9_-]{32}',
    sample: fake('', 32),
    names: ['BLYNK_AUTH_TOKEN', 'blynkAuthToken'],
    entropy: 3.6,
    severity: 'medium',
    source: 'https://docs.blynk.io/en/concepts/device#authtoken',
  }),
  named({
    id: 'secret-home-assistant-token',
    what: 'Home Assistant token',
    vendors: ['hass_', 'home_assistant', 'homeassistant', 'supervisor_token'],
    words: 'token|',
    value: raw`eyJ[A-Za-z0-9_-]{10,80}\.eyJ[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{43}`,
    sample: `${fake('eyJ', 33)}.eyJ${fake('', 90)}.${fake('', 43)}`,
    names: ['HASS_TOKEN', 'homeAssistantToken'],
    entropy: 4,
    severity: 'critical',
    source: 'https://developers.home-assistant.io/docs/auth_api/#long-lived-access-token',
  }),
];
