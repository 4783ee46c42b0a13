import test from 'ava';
import { createLoginTrail } from '../../src/auth/login-trail.ts';
import { AUTH } from '../../src/limits.ts';
import type { AuditEvent } from '../../src/model/audit.ts';
import { CraError } from '../../src/model/errors.ts';
import type { LoginEvent } from '../../src/model/login-event.ts';
import type { Principal } from '../../src/model/principal.ts';
import type { TrailStore } from '../../src/store/contract/trail.ts';

const ANN: Principal = {
  id: 'ann',
  name: null,
  credential: 'oidc',
  role: 'viewer',
  tenant_id: 'acme',
};

function open(appendEvent?: TrailStore['appendEvent']) {
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
  const { tell, events } = open();
  tell({ event: 'login', how: 'oidc', principal: ANN, reason: null });
  t.is(events.length, 1);
  t.like(events[0], {
    kind: 'login',
    tenant_id: 'acme',
    principal: ANN,
    details: { event: 'login', how: 'oidc', remote_address: '192.0.2.1', untold: 0 },
  });
});

test('createLoginTrail cuts off floods of failures, by address and as a whole, and says how many', (t) => {
  const { tell, events, pass } = open();
  for (let n = 0; n < 1_000; n += 1) tell({});
  t.is(events.length, AUTH.LOGIN_ENTRIES_PER_MINUTE);
  for (let n = 0; n < 1_000; n += 1) tell({ remoteAddress: `10.0.${n >> 8}.${n & 255}` });
  t.is(events.length, AUTH.FAILED_LOGIN_ENTRIES_PER_MINUTE);
  tell({ event: 'login', principal: ANN, reason: null });
  const told = events.reduce((sum, { details }) => sum + Number(details['untold']), 0);
  t.is(told + events.length, 2_001, 'a login is told in the middle of it');
  t.is(events.at(-1)?.principal?.id, 'ann');
  pass(60_000);
  tell({});
  t.is(events.length, AUTH.FAILED_LOGIN_ENTRIES_PER_MINUTE + 2);
});

test('createLoginTrail goes on when the trail cannot be written', async (t) => {
  const { tell, errors } = open(() => Promise.reject(new CraError('UNAVAILABLE', 'the disk')));
  tell({ event: 'login', principal: ANN });
  await new Promise(setImmediate);
  t.deepEqual(
    errors.map(({ code }) => code),
    ['UNAVAILABLE'],
  );
});

test('createLoginTrail tells later what it could not tell', async (t) => {
  let isDown = false;
  const told: unknown[] = [];
  const { tell, pass } = open(async ({ event }) => {
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
