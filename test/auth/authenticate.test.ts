import test from 'ava';
import { ACCESS, type AuthRow } from '../../src/auth/access.ts';
import { type Credentials, createAuthenticate } from '../../src/auth/authenticate.ts';
import { secretDigest } from '../../src/core/secret-digest.ts';
import type { CraError } from '../../src/model/errors.ts';
import type { Principal } from '../../src/model/principal.ts';

const TOKEN = 'a'.repeat(32);
const OVERRIDE = 'o'.repeat(32);
const API_ID = `api-token:${secretDigest(TOKEN).slice(0, 8)}`;
const OVERRIDE_ID = `override-token:${secretDigest(OVERRIDE).slice(0, 8)}`;
const NONE: Credentials = {
  authorization: '',
  apiKey: '',
  overrideToken: '',
  isRepeated: false,
  isInQuery: false,
  cookies: '',
};
const bearer = (token: string) => ({ ...NONE, authorization: `Bearer ${token}` });

const apiTokens = ['b'.repeat(32), TOKEN].map(secretDigest);
const on = createAuthenticate({
  isEnabled: true,
  apiTokens,
  overrideToken: secretDigest(OVERRIDE),
  checkJwt: null,
  findSession: null,
});

const NO_PRIVILEGE = { apiTokens, overrideToken: null, checkJwt: null, findSession: null };

const CASES: [string, Credentials, AuthRow, string][] = [
  ['no credential', NONE, ACCESS.read, 'UNAUTHENTICATED'],
  ['no credential where none is needed', NONE, ACCESS.everybody, 'anonymous'],
  ['an API token', bearer(TOKEN), ACCESS.read, API_ID],
  ['a scheme in odd case', { ...NONE, authorization: `bEARER ${TOKEN}` }, ACCESS.read, API_ID],
  ['an API token in the legacy header', { ...NONE, apiKey: TOKEN }, ACCESS.submit, API_ID],
  [
    'the legacy header beside a bad bearer',
    { ...bearer('x'), apiKey: TOKEN },
    ACCESS.read,
    'UNAUTHENTICATED',
  ],
  [
    'another scheme',
    { ...NONE, authorization: `Basic ${TOKEN}`, apiKey: TOKEN },
    ACCESS.read,
    'UNAUTHENTICATED',
  ],
  [
    'a credential given twice',
    { ...bearer(TOKEN), isRepeated: true },
    ACCESS.read,
    'UNAUTHENTICATED',
  ],
  [
    'a token in the query, too',
    { ...bearer(TOKEN), isInQuery: true },
    ACCESS.read,
    'UNAUTHENTICATED',
  ],
  ['what looks like a JWT, without issuer', bearer('a.b.c'), ACCESS.read, 'UNAUTHENTICATED'],
  ['a wrong token', bearer('wrong'), ACCESS.read, 'UNAUTHENTICATED'],
  ['part of a token', bearer(TOKEN.slice(1)), ACCESS.read, 'UNAUTHENTICATED'],
  ['an API token for a machine endpoint', bearer(TOKEN), ACCESS.machine, API_ID],
  ['an API token that overrides', bearer(TOKEN), ACCESS.override, 'PERMISSION_DENIED'],
  ['an API token that rejects', bearer(TOKEN), ACCESS.reject, 'PERMISSION_DENIED'],
  ['an API token that sets rules', bearer(TOKEN), ACCESS.rules, 'PERMISSION_DENIED'],
  ['an API token that deletes', bearer(TOKEN), ACCESS.erase, 'PERMISSION_DENIED'],
  ['the override token as bearer', bearer(OVERRIDE), ACCESS.override, OVERRIDE_ID],
  ['the override token in bulk', bearer(OVERRIDE), ACCESS.bulkOverride, OVERRIDE_ID],
  ['the override token that reads', bearer(OVERRIDE), ACCESS.read, 'PERMISSION_DENIED'],
  ['the override token that rejects', bearer(OVERRIDE), ACCESS.reject, 'PERMISSION_DENIED'],
  ['the override token that deletes', bearer(OVERRIDE), ACCESS.erase, 'PERMISSION_DENIED'],
  [
    'the override token beside an API token',
    { ...bearer(TOKEN), overrideToken: OVERRIDE },
    ACCESS.override,
    OVERRIDE_ID,
  ],
  [
    'both tokens where the API token is enough',
    { ...bearer(TOKEN), overrideToken: OVERRIDE },
    ACCESS.read,
    API_ID,
  ],
  [
    'a wrong override token beside an API token',
    { ...bearer(TOKEN), overrideToken: TOKEN },
    ACCESS.read,
    'UNAUTHENTICATED',
  ],
  [
    'the override token alone in its header',
    { ...NONE, overrideToken: OVERRIDE },
    ACCESS.override,
    'UNAUTHENTICATED',
  ],
  [
    'the override token in the legacy header',
    { ...NONE, apiKey: OVERRIDE },
    ACCESS.override,
    'UNAUTHENTICATED',
  ],
];

for (const [title, credentials, row, outcome] of CASES) {
  test(`createAuthenticate with auth on gives ${outcome} for ${title}`, (t) => {
    const decide = () => on(credentials, row) as Principal;
    if (outcome === outcome.toUpperCase()) {
      t.is(String(t.throws<CraError>(decide)?.code), outcome);
    } else t.is(decide().id, outcome);
  });
}

test('createAuthenticate in dev mode opens everything while nobody holds a privilege', (t) => {
  const off = createAuthenticate({ isEnabled: false, ...NO_PRIVILEGE });
  for (const row of Object.values(ACCESS)) {
    if (row === ACCESS.person) continue;
    t.is((off(NONE, row) as Principal).id, row === ACCESS.everybody ? 'anonymous' : 'dev-mode');
  }
});

test('createAuthenticate in dev mode guards decisions once there is an override token', (t) => {
  const overrideToken = secretDigest(OVERRIDE);
  const off = createAuthenticate({ isEnabled: false, ...NO_PRIVILEGE, overrideToken });
  for (const [name, row] of Object.entries<AuthRow>(ACCESS)) {
    if (row.guarded) {
      t.is(t.throws<CraError>(() => off(NONE, row))?.code, 'UNAUTHENTICATED', name);
      t.is(t.throws<CraError>(() => off(bearer(TOKEN), row))?.code, 'PERMISSION_DENIED', name);
    } else if (name !== 'person') t.notThrows(() => off(NONE, row), name);
  }
  t.is((off(bearer(OVERRIDE), ACCESS.override) as Principal).id, OVERRIDE_ID);
});
