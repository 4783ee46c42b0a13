import { CraError } from '../../../src/model/errors.ts';
import type { StoredSession } from '../../../src/model/principal.ts';
import { type Check, NOW } from './steps.ts';

const HOUR_MS = 3_600_000;
const at = (ms: number) => new Date(NOW + ms).toISOString();

function session(id: string, over: Partial<StoredSession['principal']> = {}): StoredSession {
  return {
    session_id: id.padEnd(64, '0'),
    principal: {
      id: 'ann',
      name: 'Änn "A"',
      credential: 'session',
      role: 'reviewer',
      tenant_id: 'acme',
      ...over,
    },
    created_at: at(0),
    last_seen_at: at(0),
    expires_at: at(12 * HOUR_MS),
  };
}

/** Browser sessions. */
export function checkSessions(check: Check): void {
  check('a session is found as it was created, also after a restart', async (t, harness) => {
    const one = session('a');
    await harness.sessions.createSession({ session: one });
    const find = () => harness.sessions.findSession({ session_id: one.session_id });
    t.deepEqual(await find(), { session: one });
    await harness.reopen();
    t.deepEqual(await find(), { session: one });
    t.deepEqual(await harness.sessions.findSession({ session_id: 'b' }), { session: null });
  });

  check('a session id is taken once', async (t, { sessions }) => {
    await sessions.createSession({ session: session('a') });
    const other = session('a', { id: 'eve' });
    const refused = await t.throwsAsync(sessions.createSession({ session: other }), {
      instanceOf: CraError,
    });
    t.is(refused.code, 'ALREADY_EXISTS');
    const { session: kept } = await sessions.findSession(other);
    t.is(kept?.principal.id, 'ann');
  });

  check('the use of a session moves forward, never back', async (t, { sessions }) => {
    const one = session('a');
    const { session_id } = one;
    await sessions.createSession({ session: one });
    for (const ms of [2, 1]) await sessions.touchSession({ session_id, last_seen_at: at(ms) });
    const found = await sessions.findSession({ session_id });
    t.deepEqual(found, { session: { ...one, last_seen_at: at(2) } });
    await sessions.touchSession({ session_id: 'none', last_seen_at: at(3) });
    t.deepEqual(await sessions.findSession({ session_id: 'none' }), { session: null });
  });

  check('sessions are deleted one by one and by person', async (t, { sessions }) => {
    const own = ['a', 'b', 'c'].map((id) => session(id));
    const others = [session('d', { tenant_id: 'other' }), session('e', { id: 'bob' })];
    for (const each of [...own, ...others]) await sessions.createSession({ session: each });
    const [first = session('a')] = own;
    await sessions.deleteSession(first);
    await sessions.deleteSession(first);
    t.deepEqual(await sessions.findSession(first), { session: null });
    const ann = { tenant_id: 'acme', principal_id: 'ann' };
    t.deepEqual(await sessions.deleteSessionsOf(ann), { deleted: 2 });
    t.deepEqual(await sessions.deleteSessionsOf(ann), { deleted: 0 });
    for (const each of others) t.truthy((await sessions.findSession(each)).session);
  });
}
