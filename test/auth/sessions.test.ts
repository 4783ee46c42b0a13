import test from 'ava';
import { LOCAL_ADMIN } from '../../src/auth/admin-password.ts';
import type { AuthRefusal } from '../../src/auth/refusal.ts';
import { createSessions } from '../../src/auth/sessions.ts';
import { createMemorySessions } from './memory-sessions.ts';

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
