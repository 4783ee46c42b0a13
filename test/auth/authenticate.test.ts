import { readFileSync } from 'node:fs';
import test from 'ava';
import { ACCESS, type AuthRow, invalid } from '../../src/auth/access.ts';
import {
  type Credentials,
  createAuthentication,
  OPEN_PRINCIPAL,
} from '../../src/auth/authenticate.ts';
import { AUTH } from '../../src/auth/limits.ts';
import { createFailedAttempts } from '../../src/auth/login.ts';
import { ODD_TENANT, otherKindOf, principalOf } from '../../src/auth/oidc.ts';
import { secretDigest } from '../../src/core/credentials.ts';
import type { CraError } from '../../src/model/errors.ts';
import type { Principal } from '../../src/model/principal.ts';

const TOKEN = 'a'.repeat(32);
const OVERRIDE = 'o'.repeat(32);
const AGENT = 'g'.repeat(32);
const API_ID = `api-token:${secretDigest(TOKEN).slice(0, 8)}`;
const OVERRIDE_ID = `override-token:${secretDigest(OVERRIDE).slice(0, 8)}`;
const AGENT_ID = `agent-token:${secretDigest(AGENT).slice(0, 8)}`;
const NONE: Credentials = {
  authorization: '',
  apiKey: '',
  overrideToken: '',
  isRepeated: false,
  isInQuery: false,
  cookies: '',
  isBackground: false,
};
const bearer = (token: string) => ({ ...NONE, authorization: `Bearer ${token}` });

const apiTokens = ['b'.repeat(32), TOKEN].map(secretDigest);
const on = createAuthentication({
  isEnabled: true,
  apiTokens,
  overrideToken: secretDigest(OVERRIDE),
  agentToken: secretDigest(AGENT),
  checkJwt: null,
  findSession: null,
  sessionDecisions: 'admin',
});

const sessionDecisions = 'admin' as const;
const NO_PRIVILEGE = {
  sessionDecisions,
  apiTokens,
  overrideToken: null,
  agentToken: null,
  checkJwt: null,
  findSession: null,
};

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
  ['an API token that asks for a review', bearer(TOKEN), ACCESS.review, 'PERMISSION_DENIED'],
  ['the override token likewise', bearer(OVERRIDE), ACCESS.review, 'PERMISSION_DENIED'],
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
  ['the token of agents as bearer', bearer(AGENT), ACCESS.override, AGENT_ID],
  ...Object.entries(ACCESS)
    .filter(([name]) => name !== 'override' && name !== 'everybody')
    .map(([name, row]): (typeof CASES)[number] => [
      ...([`the token of agents at "${name}"`, bearer(AGENT), row, 'PERMISSION_DENIED'] as const),
    ]),
  [
    'the token of agents beside an API token',
    { ...bearer(TOKEN), overrideToken: AGENT },
    ACCESS.override,
    AGENT_ID,
  ],
  [
    'the token of agents beside one in the legacy header',
    { ...NONE, apiKey: TOKEN, overrideToken: AGENT },
    ACCESS.override,
    AGENT_ID,
  ],
  [
    'the token of agents where the API token is enough',
    { ...bearer(TOKEN), overrideToken: AGENT },
    ACCESS.read,
    API_ID,
  ],
  [
    'the token of agents beside an API token, in bulk',
    { ...bearer(TOKEN), overrideToken: AGENT },
    ACCESS.bulkOverride,
    'PERMISSION_DENIED',
  ],
  [
    'the token of agents alone in its header',
    { ...NONE, overrideToken: AGENT },
    ACCESS.override,
    'UNAUTHENTICATED',
  ],
  [
    'the token of agents in the legacy header',
    { ...NONE, apiKey: AGENT },
    ACCESS.override,
    'UNAUTHENTICATED',
  ],
  ['part of the token of agents', bearer(AGENT.slice(1)), ACCESS.override, 'UNAUTHENTICATED'],
  [
    'the override token in the legacy header',
    { ...NONE, apiKey: OVERRIDE },
    ACCESS.override,
    'UNAUTHENTICATED',
  ],
];

for (const [title, credentials, row, outcome] of CASES) {
  test(`createAuthentication with auth on gives ${outcome} for ${title}`, (t) => {
    const decide = () => on.check(credentials, row) as Principal;
    if (outcome === outcome.toUpperCase()) {
      t.is(String(t.throws<CraError>(decide)?.code), outcome);
    } else t.is(decide().id, outcome);
  });
}

const PRIVILEGED = [ACCESS.override, ACCESS.bulkOverride, ACCESS.erase, ACCESS.rules];

/** Authentication in dev mode, with these settings. */
function devMode(over: object) {
  return createAuthentication({ isEnabled: false, ...NO_PRIVILEGE, apiTokens: [], ...over });
}

test('createAuthentication in dev mode opens everything while no token is configured', (t) => {
  for (const row of Object.values(ACCESS)) {
    t.is(devMode({}).isOpen(row), row !== ACCESS.person && row !== ACCESS.everybody);
  }
});

test('createAuthentication in dev mode asks for privilege once somebody can have it', (t) => {
  const overrideToken = secretDigest(OVERRIDE);
  const agentToken = secretDigest(AGENT);
  for (const over of [{ overrideToken }, { agentToken }, { findSession: () => null }]) {
    const off = devMode({ apiTokens, ...over });
    for (const row of PRIVILEGED) {
      t.false(off.isOpen(row));
      t.is(t.throws<CraError>(() => off.check(NONE, row))?.code, 'UNAUTHENTICATED');
      t.is(t.throws<CraError>(() => off.check(bearer(TOKEN), row))?.code, 'PERMISSION_DENIED');
    }
    for (const row of [ACCESS.read, ACCESS.submit, ACCESS.reject]) t.true(off.isOpen(row));
  }
  const holder = devMode({ overrideToken }).check(bearer(OVERRIDE), ACCESS.override) as Principal;
  t.is(holder.id, OVERRIDE_ID);
});

test('createAuthentication in dev mode asks machines for an API token once there is one', (t) => {
  t.true(devMode({}).isOpen(ACCESS.machine));
  const off = devMode({ apiTokens });
  t.false(off.isOpen(ACCESS.machine));
  t.is(t.throws<CraError>(() => off.check(NONE, ACCESS.machine))?.code, 'UNAUTHENTICATED');
  t.is((off.check(bearer(TOKEN), ACCESS.machine) as Principal).id, API_ID);
});

test('identify names the caller by a valid credential and passes over an invalid one', async (t) => {
  const ann: Principal = { ...OPEN_PRINCIPAL, id: 'ann', credential: 'oidc', tenant_id: 'acme' };
  const checkJwt = async (token: string) =>
    token === 'a.b.c' ? ann : Promise.reject(invalid('x'));
  const off = devMode({
    apiTokens,
    overrideToken: secretDigest(OVERRIDE),
    checkJwt,
    agentToken: secretDigest(AGENT),
  });
  const ignored: string[] = [];
  const nameOf = async (credentials: Credentials) =>
    (await off.identify(credentials, ({ reason }) => ignored.push(reason))).id;
  t.is(await nameOf(NONE), 'dev-mode');
  t.deepEqual(ignored, []);
  t.is(await nameOf(bearer(TOKEN)), API_ID);
  t.is(await nameOf({ ...NONE, apiKey: TOKEN }), API_ID);
  t.is(await nameOf(bearer(OVERRIDE)), OVERRIDE_ID);
  t.is(await nameOf(bearer(AGENT)), AGENT_ID);
  t.is(await nameOf(bearer('a.b.c')), 'ann');
  t.deepEqual(ignored, []);
  for (const bad of [bearer('guess'), bearer('x.y.z'), { ...NONE, apiKey: 'guess' }]) {
    t.is(await nameOf(bad), 'dev-mode');
  }
  t.deepEqual(ignored, ['unknown token', 'x', 'wrong token in X-API-Key']);
});

const ROLES: [unknown, unknown, string][] = [
  [undefined, undefined, 'viewer'],
  [['submitter'], undefined, 'submitter'],
  [['viewer', 'admin', 'reviewer'], undefined, 'admin'],
  [undefined, { roles: ['cab-member', 'offline_access'] }, 'cab-member'],
  [['submitter'], { roles: ['change-manager'] }, 'change-manager'],
  [['change-manager'], { roles: ['submitter'] }, 'change-manager'],
  ['admin', undefined, 'viewer'],
  [{ 0: 'admin', length: 1 }, undefined, 'viewer'],
  [['Admin', ' admin', 'ADMIN'], undefined, 'viewer'],
  [[['admin']], undefined, 'viewer'],
  [[null, 7, {}, 'submitter'], undefined, 'submitter'],
  [undefined, { roles: 'admin' }, 'viewer'],
  [undefined, ['admin'], 'viewer'],
  [undefined, null, 'viewer'],
  [null, 'admin', 'viewer'],
  [7, 7, 'viewer'],
  [Array.from({ length: 5_000 }, () => 'x'), { roles: [] }, 'viewer'],
];

for (const [index, [meridian_roles, realm_access, role]] of ROLES.entries()) {
  test(`principalOf gives ${role} for roles of shape ${index}`, (t) => {
    const found = personOf({ sub: 'ann', meridian_roles, realm_access });
    t.is(String(found.role), role);
  });
}

test('principalOf keeps the address of a person, and a name without it', (t) => {
  const person = principalOf({ sub: 'ann', name: 'Ann', email: 'ann@example.test' });
  t.like(person, { name: 'Ann', email: 'ann@example.test' });
  for (const email of [undefined, 7, '', 'a\u0000b', 'x'.repeat(300)]) {
    t.false('email' in personOf({ sub: 'ann', email }), String(email));
  }
});

test('principalOf takes roles from nowhere else', (t) => {
  const resource_access = { cra: { roles: ['admin'] } };
  const others = { resource_access, groups: ['admin'], scope: 'admin', roles: ['admin'] };
  t.is(personOf({ sub: 'ann', ...others }).role, 'viewer');
});

test('principalOf takes the tenant as it is, and refuses an unusable one', (t) => {
  const tenantOf = (claims: object) => personOf({ sub: 'ann', ...claims }).tenant_id;
  t.is(tenantOf({ meridian_tenant: 'acme' }), 'acme');
  t.is(tenantOf({ meridian_tenant: 'a'.repeat(128) }), 'a'.repeat(128));
  t.is(tenantOf({}), 'default');
  const odd = [
    ...['', 'a'.repeat(129), 7, null, true, ['acme'], [], {}, 'a\0b', '\ud800'],
    ...[' ', '\u3164', '\u200b', '\u2800', 'acme\u202e', '--'],
  ];
  for (const meridian_tenant of odd) {
    t.is(principalOf({ sub: 'ann', meridian_tenant }), ODD_TENANT, JSON.stringify(meridian_tenant));
  }
});

const OWN_NAMES = [
  ...['API-Token:12345678', ' api-token:12345678', 'api\u200b-token:1', 'api\u2010token:1'],
  ...['\uff41pi-token:1', 'api-token\uff1a1', '\u0430pi-t\u043eken:1', 'api token:1', 'apitoken'],
  ...['override_token', 'OVERRIDE\u00adTOKEN:ab', 'agent-token:1234abcd', 'Agent\u3164Token:1'],
  ...['webhook:github.com', 'Web\u00adhook', 'WEBHOOK\u2236git', 'local', 'Local Admin'],
  ...['local-admin\u2063', 'l\u043ecal-admin', 'DEV MODE', 'dev\u00a0mode', 'Anonymous'],
  ...['CRA', 'c\u0301ra', 'cr\u0430', '\u2800cra', 'System', '\uff53ystem', 's.y.s.t.e.m'],
];

test('principalOf refuses a sub, and drops a name, that reads like one of the service', (t) => {
  for (const sub of OWN_NAMES) {
    t.is(principalOf({ sub }), 'sub is not a usable text', JSON.stringify(sub));
    t.is(personOf({ sub: 'ann', name: sub }).name, null, JSON.stringify(sub));
  }
  for (const sub of [
    ...['ann', 'craig', 'webhooks-team', 'api-tokens', 'localadmins', 'system-7', 'apitoken-bot'],
    ...['f3c1a7e2-0000-4000-8000-000000000000', 'service-account-ci', 'auth0|5f7', 'сергей'],
  ]) {
    t.is(personOf({ sub }).id, sub);
  }
});

/** The person; fails where the claims name nobody. */
function personOf(claims: Parameters<typeof principalOf>[0]): Principal {
  const person = principalOf(claims);
  if (typeof person === 'string') throw new Error(person);
  return person;
}

test('principalOf names people by name, else by address, and never by control characters', (t) => {
  const nameOf = (claims: object) => personOf({ sub: 'ann', ...claims }).name;
  t.is(nameOf({ name: 'Ann', email: 'ann@example.test' }), 'Ann');
  t.is(nameOf({ email: 'ann@example.test' }), 'ann@example.test');
  t.is(nameOf({ name: 'a\r\nb', email: ['x'] }), null);
  t.is(nameOf({ name: { toString: 'x' } }), null);
});

test('principalOf names nobody without a usable sub', (t) => {
  for (const sub of [undefined, null, '', 7, ['ann'], 'a\nb', '\udc00', 'a'.repeat(256)]) {
    t.is(principalOf({ sub }), 'sub is not a usable text');
  }
});

test('otherKindOf knows what is not an access token, whatever the shapes', (t) => {
  t.is(otherKindOf({}), null);
  t.is(otherKindOf({ typ: 'Bearer' }), null);
  t.is(otherKindOf({ typ: 7 }), null);
  for (const typ of ['ID', 'id', 'Refresh', 'Offline', 'Logout']) t.truthy(otherKindOf({ typ }));
  for (const name of ['nonce', 'at_hash', 'c_hash', 'events']) {
    t.truthy(otherKindOf({ [name]: null }), name);
  }
});

for (const sub of [
  'local-admin',
  'dev-mode',
  'anonymous',
  'cra',
  'api-token:12ab',
  'override-token',
]) {
  test(`principalOf takes nobody of the issuer for ${sub}`, (t) => {
    t.is(principalOf({ sub }), 'sub is not a usable text');
  });
}

function fresh() {
  let nowMs = 0;
  const attempts = createFailedAttempts({
    now: () => nowMs,
    attemptsMax: 30,
    windowMs: 60_000,
  });
  return {
    pass(ms: number) {
      nowMs += ms;
    },
    add: attempts.add,
    forgive: attempts.forgive,
    spend(address: string) {
      for (let n = 0; n < 30; n += 1) attempts.add(address);
    },
  };
}

test('createFailedAttempts lets 30 through, then one every two seconds', (t) => {
  const { add, pass } = fresh();
  for (let n = 0; n < 30; n += 1) t.is(add('192.0.2.1'), 0);
  t.is(add('192.0.2.1'), 2);
  pass(1_000);
  t.is(add('192.0.2.1'), 1);
  pass(1_000);
  t.is(add('192.0.2.1'), 0);
  t.is(add('192.0.2.1'), 2);
  pass(-60_000);
  t.true(add('192.0.2.1') > 0, 'a clock that goes back gives nothing');
});

const SAME: [string, string, boolean][] = [
  ['192.0.2.1', '192.0.2.2', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['0000:0000:0000:0000:0000:ffff:192.0.2.1', '192.0.2.1', true],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', true],
  ['2001:0db8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2::', true],
  ['2001:db8:1:2::', '2001:db8:1:3::', false],
  ['2001:db8::1', '2001:db8:0:1::1', false],
  ['::1', '0000:0000:0000:0000:0000:0000:0000:0001', true],
  ['', '192.0.2.1', false],
];

for (const [first, second, isSame] of SAME) {
  test(`createFailedAttempts takes "${first}" and ${second} for ${isSame ? 'one' : 'two'}`, (t) => {
    const { add, spend } = fresh();
    spend(first);
    t.is(add(second) > 0, isSame);
  });
}

test('createFailedAttempts remembers a bounded number of addresses', (t) => {
  const { add, spend } = fresh();
  spend('192.0.2.1');
  const octets = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  for (let n = 0; n < AUTH.ADDRESSES_MAX - 1; n += 1) add(octets(n));
  t.true(add('192.0.2.1') > 0);
  for (let n = 0; n < AUTH.ADDRESSES_MAX; n += 1) add(octets(n));
  t.is(add('192.0.2.1'), 0);
});

test('createFailedAttempts forgets what was forgiven', (t) => {
  const { add, spend, forgive } = fresh();
  spend('192.0.2.1');
  forgive('192.0.2.2');
  t.true(add('192.0.2.1') > 0);
  forgive('192.0.2.1');
  t.is(add('192.0.2.1'), 0);
});

const ROW = /^\| (\d+) \| .+? \| (.+) \|$/;
const NAMED = /^`(test\/[\w./-]+)`: (.+)$/;

/** The tree above the compiled tests. */
const root = new URL('../../../', import.meta.url);

/** Titles of the tests in a file; `...` for what stands in `${}`. */
function titlesIn(file: string): string[] {
  const source = readFileSync(new URL(file, root), 'utf8');
  return [...source.matchAll(/\btest(?:\.serial)?\(\s*(['"`])(.+?)\1,/g)].map(([, , title = '']) =>
    title.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '...'),
  );
}

test('docs/why/asvs.md names tests that there are for each of its 30 statements', (t) => {
  const rows = readFileSync(new URL('docs/why/asvs.md', root), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => ROW.exec(line) ?? []);
  const thirty = Array.from({ length: 30 }, (_, index) => String(index + 1));
  t.deepEqual(
    rows.map(([, number]) => number),
    thirty,
  );
  for (const [line, , names = ''] of rows) {
    for (const name of names.split('<br>')) {
      const [, file, title = ''] = NAMED.exec(name) ?? [];
      if (file === undefined) t.fail(line);
      else t.true(titlesIn(file).includes(title), name);
    }
  }
});
