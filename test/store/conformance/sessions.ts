import type { SessionRecord } from '../../../src/domain/session.ts';
import { type Check, NOW } from './steps.ts';

function session(session_hash: string, id: string): SessionRecord {
  return {
    session_hash,
    principal: { id, name: 'Somebody', credential: 'session', role: 'admin', tenant_id: 'default' },
    id_token_hint: null,
    created_ms: NOW,
    seen_ms: NOW,
    expires_ms: NOW + 1000,
  };
}

/** Browser sessions. */
export function checkSessions(check: Check): void {
  check('a session is found until it expires, is deleted, or all are', async (t, { desk }) => {
    for (const [hash, id] of [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'y'],
    ] as const) {
      await desk.createSession({ session: session(hash, id) });
    }
    const find = async (session_hash: string, now_ms = NOW) =>
      (await desk.findSession({ session_hash, now_ms })).session;
    t.deepEqual(await find('a'), session('a', 'x'));
    t.is(await find('nobody'), null);
    t.is(await find('a', NOW + 1000), null);
    const touch = { seen_ms: NOW + 500, expires_ms: NOW + 1500 };
    t.true((await desk.touchSession({ session_hash: 'a', ...touch })).found);
    t.deepEqual(await find('a', NOW + 1000), { ...session('a', 'x'), ...touch });
    t.false((await desk.touchSession({ session_hash: 'nobody', ...touch })).found);
    t.true((await desk.deleteSession({ session_hash: 'c' })).found);
    t.false((await desk.deleteSession({ session_hash: 'c' })).found);
    const all = { tenant_id: 'default', principal_id: 'x' };
    t.is((await desk.deleteSessionsOf(all)).deleted, 2);
    t.is(await find('b'), null);
  });
}
