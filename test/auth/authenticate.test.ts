import test from 'ava';
import { createAuthenticate, type Requirement } from '../../src/auth/authenticate.ts';
import type { CraError } from '../../src/domain/errors.ts';

const TOKEN = 'a'.repeat(32);
const NONE = { authorization: '', apiKey: '' };
const BEARER = { ...NONE, authorization: `Bearer ${TOKEN}` };
const READ: Requirement = { apiToken: true, unauthenticated: 'dev mode only', role: 'viewer' };

const on = createAuthenticate({ isEnabled: true, apiTokens: ['b'.repeat(32), TOKEN] });
const off = createAuthenticate({ isEnabled: false, apiTokens: [] });

const CASES: [string, typeof NONE, Partial<Requirement>, string][] = [
  ['no credential', NONE, {}, 'UNAUTHENTICATED'],
  ['no credential where none is needed', NONE, { unauthenticated: 'yes' }, 'anonymous'],
  ['an API token', BEARER, {}, 'api-token'],
  ['an API token in the legacy header', { ...NONE, apiKey: TOKEN }, {}, 'api-token'],
  ['another scheme', { ...NONE, authorization: `Basic ${TOKEN}` }, {}, 'UNAUTHENTICATED'],
  ['a wrong token', { ...NONE, authorization: 'Bearer wrong' }, {}, 'UNAUTHENTICATED'],
  [
    'part of a token',
    { ...NONE, authorization: `Bearer ${TOKEN.slice(1)}` },
    {},
    'UNAUTHENTICATED',
  ],
  ['an API token that the row refuses', BEARER, { apiToken: false }, 'PERMISSION_DENIED'],
  ['an API token below the role', BEARER, { role: 'cab-member' }, 'PERMISSION_DENIED'],
];

for (const [title, credentials, over, outcome] of CASES) {
  test(`createAuthenticate with auth on gives ${outcome} for ${title}`, (t) => {
    const decide = () => on(credentials, { ...READ, ...over });
    if (outcome === outcome.toUpperCase()) {
      t.is(String(t.throws<CraError>(decide)?.code), outcome);
    } else t.is(decide().id, outcome);
  });
}

test('createAuthenticate with auth off lets everybody in, but not where nobody may', (t) => {
  t.is(off(NONE, READ).id, 'dev-mode');
  const refused = t.throws<CraError>(() => off(NONE, { ...READ, unauthenticated: 'no' }));
  t.is(refused?.code, 'UNAUTHENTICATED');
});
