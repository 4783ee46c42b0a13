import { scryptSync } from 'node:crypto';
import test from 'ava';
import { ACCESS, type AuthRefusal, type AuthRow } from '../../src/auth/access.ts';
import { createAuthentication } from '../../src/auth/authenticate.ts';
import { AUTH } from '../../src/auth/limits.ts';
import {
  createLoginTrail,
  createOneTimeLink,
  createPasswordCheck,
  LOCAL_ADMIN,
} from '../../src/auth/login.ts';
import { returnPath } from '../../src/auth/oidc-login.ts';
import { createSessions } from '../../src/auth/sessions.ts';
import { readPasswordHash } from '../../src/core/credentials.ts';
import type { AuditEvent } from '../../src/model/audit.ts';
import { CraError } from '../../src/model/errors.ts';
import type { LoginEvent, Principal } from '../../src/model/principal.ts';
import type { TrailStore } from '../../src/store/contract/trail.ts';
import { createMemorySessions } from './memory-sessions.ts';
import { hashOf } from './password-hash.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ANN = { ...LOCAL_ADMIN, id: 'ann', credential: 'oidc', tenant_id: 'acme' } as const;

function open(isSecure = true) {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const store = createMemorySessions();
  const sessions = createSessions({ store, now: () => nowMs, isSecure });
  return {
    ...sessions,
    store,
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

/** The `Cookie` that a browser sends for this `Set-Cookie`. */
const sent = (setCookie: string) => setCookie.split(';')[0] ?? '';

test('a session names its person, and the store knows only a hash of the cookie', async (t) => {
  const { start, find, store } = open();
  const setCookie = await start(ANN, '');
  t.regex(
    setCookie,
    /^__Host-cra_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
  );
  t.deepEqual(await find(`a=b; ${sent(setCookie)}; c=d`), { ...ANN, credential: 'session' });
  const value = sent(setCookie).split('=')[1] ?? 'none';
  t.false(JSON.stringify([...store.sessions]).includes(value));
});

test('over plain http the cookie says so', async (t) => {
  const { start } = open(false);
  t.regex(await start(ANN, ''), /^cra_session=[\w-]{43}; Path=\/; .*SameSite=Lax$/);
});

test('a session ends when it is unused for an hour', async (t) => {
  const { start, find, pass } = open();
  const cookie = sent(await start(ANN, ''));
  for (let n = 0; n < 5; n += 1) {
    pass(HOUR - MINUTE);
    t.is((await find(cookie))?.id, 'ann');
  }
  pass(HOUR);
  const refusal = await t.throwsAsync<AuthRefusal>(find(cookie) ?? Promise.resolve());
  t.is(refusal?.code, 'UNAUTHENTICATED');
  t.false(refusal?.isFailedAttempt);
});

test('what a page sends by itself does not keep a session alive', async (t) => {
  const { start, find, ends, pass } = open();
  const cookie = sent(await start(ANN, ''));
  t.deepEqual(await ends(cookie), {
    idle_ends_at: '2026-01-01T01:00:00.000Z',
    ends_at: '2026-01-01T12:00:00.000Z',
  });
  pass(HOUR / 2);
  t.is((await find(cookie))?.id, 'ann');
  t.is((await ends(cookie))?.idle_ends_at, '2026-01-01T01:30:00.000Z');
  for (let minutes = 0; minutes < 59; minutes += 1) {
    pass(MINUTE);
    t.is((await find(cookie, false))?.id, 'ann');
  }
  t.is((await ends(cookie))?.idle_ends_at, '2026-01-01T01:30:00.000Z');
  pass(MINUTE);
  const refusal = await t.throwsAsync<AuthRefusal>(find(cookie, false) ?? Promise.resolve());
  t.is(refusal?.code, 'UNAUTHENTICATED');
  t.is(await ends(cookie), null);
  t.is(await ends(''), null);
});

test('a session ends after twelve hours, used or not', async (t) => {
  const { start, find, pass } = open();
  const cookie = sent(await start(ANN, ''));
  for (let n = 0; n < 23; n += 1) {
    pass(HOUR / 2);
    await find(cookie);
  }
  pass(HOUR / 2 - 1);
  t.is((await find(cookie))?.id, 'ann');
  pass(1);
  await t.throwsAsync(find(cookie) ?? Promise.resolve(), { message: /log in again/ });
});

test('a login gives a new number and ends the session that the browser had', async (t) => {
  const { start, find, store } = open();
  const planted = sent(await start({ ...ANN, id: 'eve' }, ''));
  const own = sent(await start(ANN, planted));
  t.not(own, planted);
  await t.throwsAsync(find(planted) ?? Promise.resolve());
  t.is((await find(own))?.id, 'ann');
  const made = `__Host-cra_session=${'A'.repeat(43)}`;
  const next = sent(await start(ANN, made));
  t.not(next, made);
  t.is(store.sessions.size, 2);
});

test('logging out ends the session, and everywhere ends all of the person and of nobody else', async (t) => {
  const { start, find, end, endAll } = open();
  const cookies = [sent(await start(ANN, '')), sent(await start(ANN, ''))];
  const other = sent(await start({ ...ANN, tenant_id: 'other' }, ''));
  t.regex(await end(cookies[0] ?? ''), /^__Host-cra_session=; Path=\/; Max-Age=0; /);
  await t.throwsAsync(find(cookies[0] ?? '') ?? Promise.resolve());
  t.is((await find(cookies[1] ?? ''))?.id, 'ann');
  t.is(await endAll(ANN), 1);
  await t.throwsAsync(find(cookies[1] ?? '') ?? Promise.resolve());
  t.is((await find(other))?.id, 'ann');
});

const NO_SESSION: [string, string][] = [
  ['no cookie', ''],
  ['other cookies', 'a=b; cra_session=x'],
  ['an empty value', '__Host-cra_session='],
  ['an odd value', `__Host-cra_session=${'a'.repeat(42)}!`],
  ['a long value', `__Host-cra_session=${'a'.repeat(4_000)}`],
  ['two of them', `__Host-cra_session=${'a'.repeat(43)}; __Host-cra_session=${'b'.repeat(43)}`],
  ['the name without its prefix', `cra_session=${'a'.repeat(43)}`],
  ['another name that ends so', `x__Host-cra_session=${'a'.repeat(43)}`],
  ['only separators', ';;;===;'],
];

for (const [title, cookies] of NO_SESSION) {
  test(`${title} name no session, and no store is asked`, (t) => {
    const { find, store } = open();
    Object.assign(store, {
      findSession() {
        throw new Error('asked');
      },
    });
    t.is(find(cookies), null);
  });
}

const VIEWER: Principal = {
  id: 'ann',
  name: null,
  credential: 'oidc',
  role: 'viewer',
  tenant_id: 'acme',
};

function openTrail(appendEvent?: TrailStore['appendEvent']) {
  const events: AuditEvent[] = [];
  const errors: CraError[] = [];
  let nowMs = 0;
  const tell = createLoginTrail({
    now: () => nowMs,
    onError: (error) => errors.push(error),
    trail: {
      appendEvent:
        appendEvent ??
        (async ({ event }) => {
          events.push(event);
          return { chain: 'a', seq: events.length, replayed: false };
        }),
    },
  });
  return {
    events,
    errors,
    tell: (over: Partial<LoginEvent>) =>
      tell({
        event: 'login failed',
        how: 'password',
        principal: null,
        reason: 'wrong password',
        remoteAddress: '192.0.2.1',
        ...over,
      }),
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

test('createLoginTrail writes who logged in, how and from where', (t) => {
  const { tell, events } = openTrail();
  tell({ event: 'login', how: 'oidc', principal: VIEWER, reason: null });
  t.is(events.length, 1);
  t.like(events[0], {
    kind: 'login',
    tenant_id: 'acme',
    principal: VIEWER,
    details: { event: 'login', how: 'oidc', remote_address: '192.0.2.1', untold: 0 },
  });
});

test('createLoginTrail cuts off floods of failures, by address and as a whole, and says how many', (t) => {
  const { tell, events, pass } = openTrail();
  for (let n = 0; n < 1_000; n += 1) tell({});
  t.is(events.length, AUTH.LOGIN_ENTRIES_PER_MINUTE);
  for (let n = 0; n < 1_000; n += 1) tell({ remoteAddress: `10.0.${n >> 8}.${n & 255}` });
  t.is(events.length, AUTH.FAILED_LOGIN_ENTRIES_PER_MINUTE);
  tell({ event: 'login', principal: VIEWER, reason: null });
  const told = events.reduce((sum, { details }) => sum + Number(details['untold']), 0);
  t.is(told + events.length, 2_001, 'a login is told in the middle of it');
  t.is(events.at(-1)?.principal?.id, 'ann');
  pass(60_000);
  tell({});
  t.is(events.length, AUTH.FAILED_LOGIN_ENTRIES_PER_MINUTE + 2);
});

test('createLoginTrail goes on when the trail cannot be written', async (t) => {
  const { tell, errors } = openTrail(() => Promise.reject(new CraError('UNAVAILABLE', 'the disk')));
  tell({ event: 'login', principal: VIEWER });
  await new Promise(setImmediate);
  t.deepEqual(
    errors.map(({ code }) => code),
    ['UNAVAILABLE'],
  );
});

test('createLoginTrail tells later what it could not tell', async (t) => {
  let isDown = false;
  const told: unknown[] = [];
  const { tell, pass } = openTrail(async ({ event }) => {
    if (isDown) throw new CraError('UNAVAILABLE', 'the disk');
    told.push(event.details['untold']);
    return { chain: 'a', seq: told.length, replayed: false };
  });
  for (let n = 0; n < AUTH.LOGIN_ENTRIES_PER_MINUTE + 5; n += 1) tell({});
  isDown = true;
  pass(60_000);
  tell({});
  await new Promise(setImmediate);
  isDown = false;
  tell({});
  t.is(told.length, AUTH.LOGIN_ENTRIES_PER_MINUTE + 1);
  t.is(told.at(-1), 6, 'the five that were too many, and the entry that failed');
});

test('createPasswordCheck knows the password, in any form of the same characters', async (t) => {
  const known = readPasswordHash(hashOf('pässword'));
  if (known === null) return t.fail();
  const check = createPasswordCheck(known);
  t.true(await check('pässword'));
  t.true(await check('pa\u0308ssword'));
  for (const wrong of ['', 'password', 'pässword ', 'x'.repeat(4_000)]) t.false(await check(wrong));
});

test('createPasswordCheck lets few wait and goes on afterwards', async (t) => {
  const known = readPasswordHash(hashOf('right'));
  if (known === null) return t.fail();
  const check = createPasswordCheck(known);
  const many = Array.from({ length: AUTH.PASSWORD_WAITING_MAX + 2 }, () => check('right'));
  const outcomes = await Promise.allSettled(many);
  t.is(outcomes.filter(({ status }) => status === 'rejected').length, 2);
  t.true(await check('right'));
});

test('readPasswordHash takes the format of others and refuses what is weak or odd', (t) => {
  const salt = Buffer.alloc(16, 7);
  const hash = scryptSync('x', salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 });
  const bare = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const text = (ln: number | string, r = 8, p = 1, end = bare(hash)) =>
    `$scrypt$ln=${ln},r=${r},p=${p}$${bare(salt)}$${end}`;
  t.deepEqual(readPasswordHash(text(15)), {
    logCost: 15,
    blockSize: 8,
    parallelism: 1,
    salt,
    hash,
  });
  const odd = [text(14), text(21), text(15, 9), text(15, 8, 0), text(15, 8, 5), text('1e1')];
  const none = ['', 'password', '$2b$12$abc', text(15, 8, 1, 'AAAA'), `${text(15)} `];
  for (const bad of [...odd, ...none]) t.is(readPasswordHash(bad), null, bad);
});

test('createOneTimeLink is valid once and for fifteen minutes', (t) => {
  let nowMs = 0;
  let used = 0;
  const onUsed = () => {
    used += 1;
  };
  const link = createOneTimeLink(() => nowMs, onUsed);
  t.is(link.token.length, 43);
  t.false(link.redeem(''));
  t.false(link.redeem(`${link.token}x`));
  nowMs = AUTH.ONE_TIME_LINK_MS - 1;
  t.true(link.redeem(link.token));
  t.false(link.redeem(link.token));
  t.is(used, 1);
  const late = createOneTimeLink(() => nowMs, onUsed);
  nowMs += AUTH.ONE_TIME_LINK_MS;
  t.false(late.redeem(late.token));
  t.not(late.token, link.token);
});

const PATHS: [string, boolean][] = [
  ['/cra#approve-RFC-1', true],
  ['/', true],
  ['/a?b=c&d=//e', true],
  ['', false],
  ['cra', false],
  ['//elsewhere.example', false],
  ['/\\elsewhere.example', false],
  ['/\t/elsewhere.example', false],
  ['/a\r\nSet-Cookie: x=y', false],
  ['https://elsewhere.example', false],
  ['javascript:alert(1)', false],
  ['/a b', false],
  ['/é', false],
  [`/${'a'.repeat(600)}`, false],
];

for (const [wanted, isKept] of PATHS) {
  test(`returnPath ${isKept ? 'keeps' : 'refuses'} ${JSON.stringify(wanted.slice(0, 40))}`, (t) => {
    t.is(returnPath(wanted), isKept ? wanted : '/cra');
  });
}

test('sessions override and approve as admin only, or by role where that is set', async (t) => {
  const find = (role: Principal['role']) => async (): Promise<Principal> => ({
    id: 'ann',
    name: null,
    credential: 'session',
    role,
    tenant_id: 'default',
  });
  const asked = {
    authorization: '',
    apiKey: '',
    overrideToken: '',
    cookies: 'x',
    isRepeated: false,
    isInQuery: false,
    isBackground: false,
  };
  const outcomes = async (row: AuthRow, decides: 'admin' | 'cab-member') => {
    const admitted: string[] = [];
    for (const role of ['reviewer', 'cab-member', 'change-manager', 'admin'] as const) {
      const options = {
        apiTokens: [],
        overrideToken: null,
        agentToken: null,
        checkJwt: null,
        findSession: find(role),
      };
      const set = createAuthentication({ isEnabled: true, ...options, sessionDecisions: decides });
      const person = await find(role)();
      const isIn = await Promise.resolve(set.check(asked, row)).then(
        () => true,
        () => false,
      );
      t.is(set.may(person, row), isIn);
      if (isIn) admitted.push(role);
    }
    return admitted;
  };
  t.deepEqual(await outcomes(ACCESS.override, 'admin'), ['admin']);
  t.deepEqual(await outcomes(ACCESS.override, 'cab-member'), [
    ...['cab-member', 'change-manager', 'admin'],
  ]);
  for (const row of [ACCESS.bulkOverride, ACCESS.erase, ACCESS.rules]) {
    t.deepEqual(await outcomes(row, 'cab-member'), ['admin']);
  }
});
