import { CraError } from '../../../src/model/errors.ts';
import type { StoredSession } from '../../../src/model/session.ts';
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

/** Browser desk. */
export function checkSessions(check: Check): void {
  check('a session is found as it was created, also after a restart', async (t, harness) => {
    const one = session('a');
    await harness.desk.createSession({ session: one });
    const find = () => harness.desk.findSession({ session_id: one.session_id });
    t.deepEqual(await find(), { session: one });
    await harness.reopen();
    t.deepEqual(await find(), { session: one });
    t.deepEqual(await harness.desk.findSession({ session_id: 'b' }), { session: null });
  });

  check('a session id is taken once', async (t, { desk }) => {
    await desk.createSession({ session: session('a') });
    const other = session('a', { id: 'eve' });
    const refused = await t.throwsAsync(desk.createSession({ session: other }), {
      instanceOf: CraError,
    });
    t.is(refused.code, 'ALREADY_EXISTS');
    const { session: kept } = await desk.findSession(other);
    t.is(kept?.principal.id, 'ann');
  });

  check('the use of a session moves forward, never back', async (t, { desk }) => {
    const one = session('a');
    const { session_id } = one;
    await desk.createSession({ session: one });
    for (const ms of [2, 1]) await desk.touchSession({ session_id, last_seen_at: at(ms) });
    const found = await desk.findSession({ session_id });
    t.deepEqual(found, { session: { ...one, last_seen_at: at(2) } });
    await desk.touchSession({ session_id: 'none', last_seen_at: at(3) });
    t.deepEqual(await desk.findSession({ session_id: 'none' }), { session: null });
  });

  check('sessions are deleted one by one and by person', async (t, { desk }) => {
    const own = ['a', 'b', 'c'].map((id) => session(id));
    const others = [session('d', { tenant_id: 'other' }), session('e', { id: 'bob' })];
    for (const each of [...own, ...others]) await desk.createSession({ session: each });
    const [first = session('a')] = own;
    await desk.deleteSession(first);
    await desk.deleteSession(first);
    t.deepEqual(await desk.findSession(first), { session: null });
    const ann = { tenant_id: 'acme', principal_id: 'ann' };
    t.deepEqual(await desk.deleteSessionsOf(ann), { deleted: 2 });
    t.deepEqual(await desk.deleteSessionsOf(ann), { deleted: 0 });
    for (const each of others) t.truthy((await desk.findSession(each)).session);
  });
}
