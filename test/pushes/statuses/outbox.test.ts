import test, { type ExecutionContext } from 'ava';
import { COMMIT_STATUS, PUSHES } from '../../../src/pushes/limits.ts';
import { APP_ID, PRIVATE_KEY, startAppHost } from '../../hosts/app-host.ts';
import { type PullHostKind, startPullHost } from '../../hosts/pull-host.ts';
import { startStatusHost } from '../../hosts/status-host.ts';
import { type OutboxHouse, openOutboxHouse, TOKEN, vcsHost } from './outbox-house.ts';
import { decision, next, pushedRecord, shaOf } from './status-records.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Puts records and wakes the outbox; resolves when it has done what it can now. */
async function put(
  { records, clock, outbox }: OutboxHouse,
  ...list: ReturnType<typeof pushedRecord>[]
) {
  for (const record of list) {
    records.put({ ...record, updated_at: new Date(clock.now()).toISOString() }, clock.now());
  }
  await clock.idle();
  outbox.wake();
  await clock.advance(0);
}

test('the outbox tells the host each status of an RFC, and the same one only once', async (t) => {
  const house = await openOutboxHouse(t);
  const draft = pushedRecord(1, { overall_status: 'DRAFT' });
  await put(house, draft);
  const blocked = next(draft, { overall_status: 'BLOCKED' });
  await put(house, blocked);
  await put(house, blocked);
  const overridden = next(blocked, { overall_status: 'OVERRIDDEN' });
  await put(house, overridden);
  await put(house, next(overridden, { overall_status: 'REJECTED' }));
  const states = house.host.taken.map(({ state }) => state);
  t.deepEqual(states, ['pending', 'failure', 'success', 'failure']);
  t.is(house.records.entry('RFC-1')?.dueMs, null);
  t.like(house.outbox.state(), { posted: 4, failed: 0, waiting: 0 });
  t.like(house.outbox.state().hosts[0], { host: 'forge', state: 'up', skipped: 1 });
});

test('the outbox finds by itself what became due without a word', async (t) => {
  const house = await openOutboxHouse(t);
  await house.clock.idle();
  house.records.put(pushedRecord(1), house.clock.now());
  await house.clock.advance(PUSHES.POLL_INTERVAL_MS);
  t.is(house.host.stateOf('acme/shop', shaOf(1)), 'success');
});

test('the outbox says nothing for an outdated RFC, and green only for what is accepted', async (t) => {
  const house = await openOutboxHouse(t);
  const same = { commit_sha: shaOf(1) };
  await put(house, pushedRecord(1), pushedRecord(2, { ...same, overall_status: 'BLOCKED' }));
  t.deepEqual(
    house.host.taken.map(({ state }) => state),
    ['failure'],
  );
  t.is(house.records.entry('RFC-1')?.dueMs, null);
  await put(house, pushedRecord(3, { overall_status: 'SUPERSEDED' }));
  t.is(house.host.stateOf('acme/shop', shaOf(3)), 'error');
});

test('the outbox makes a pinned commit green and takes the green of the own one away', async (t) => {
  const house = await openOutboxHouse(t);
  const passed = pushedRecord(1);
  await put(house, passed);
  t.is(house.host.stateOf('acme/shop', shaOf(1)), 'success');
  const history = [decision({ commit_sha: shaOf(9), repo_full_name: 'acme/live' })];
  const approved = next(passed, { overall_status: 'APPROVED', override_history: history });
  await put(house, approved);
  t.is(house.host.stateOf('acme/shop', shaOf(1)), 'failure');
  t.is(house.host.stateOf('acme/live', shaOf(9)), 'success');
  await put(house, next(approved, { overall_status: 'REJECTED' }));
  t.is(house.host.stateOf('acme/live', shaOf(9)), 'failure');
});

test('of two places of one RFC the posted one is not posted again', async (t) => {
  const house = await openOutboxHouse(t);
  house.host.unknown.add(shaOf(9));
  const history = [decision({ commit_sha: shaOf(9), repo_full_name: 'acme/live' })];
  await put(house, pushedRecord(1, { overall_status: 'APPROVED', override_history: history }));
  t.is(house.host.taken.length, 1);
  house.host.unknown.clear();
  await house.clock.advance(10_000);
  t.deepEqual(
    house.host.taken.map(({ sha }) => sha),
    [shaOf(1), shaOf(9)],
  );
});

test('a decision during a call is posted after it', async (t) => {
  const house = await openOutboxHouse(t);
  const passed = pushedRecord(1);
  await house.host.setFault('slow');
  house.records.put(passed, house.clock.now());
  await house.clock.idle();
  house.outbox.wake();
  await until(t, () => house.host.requests === 1);
  house.records.put(next(passed, { overall_status: 'REJECTED' }), house.clock.now());
  await house.host.setFault('none');
  house.host.letGo();
  await house.clock.advance(0);
  t.deepEqual(
    house.host.taken.map(({ state }) => state),
    ['success', 'failure'],
  );
});

test('verdicts go before what is pending', async (t) => {
  const house = await openOutboxHouse(t);
  const drafts = [1, 2, 3].map((i) => pushedRecord(i, { overall_status: 'DRAFT' }));
  await put(house, ...drafts, pushedRecord(4), pushedRecord(5));
  const told = house.host.taken.map(({ state }) => state);
  t.deepEqual(told.slice(0, 2), ['success', 'success']);
  t.is(told.length, 5);
});

test('no verdict waits behind hundreds of pushes that only wait', async (t) => {
  const house = await openOutboxHouse(t, {
    before({ records, clock }) {
      for (let index = 1; index <= 300; index += 1) {
        records.put(pushedRecord(index, { overall_status: 'DRAFT' }), clock.now() - 1000 + index);
      }
      records.put(pushedRecord(301), clock.now());
    },
  });
  await house.clock.advance(1_000);
  t.is(house.host.stateOf('acme/shop', shaOf(301)), 'success');
  await house.clock.advance(10 * MINUTE);
  t.is(house.host.taken.length, 301, 'the others are told when there is room');
});

test('a commit that is not there yet is tried 1, 2, 4 ... 60 s later, then every 10 minutes', async (t) => {
  const house = await openOutboxHouse(t);
  house.host.unknown.add(shaOf(1));
  await put(house, pushedRecord(1));
  const start = house.clock.now();
  const times: number[] = [];
  house.records.onCall = (name) => {
    if (name === 'settleStatus') times.push((house.clock.now() - start) / 1_000);
  };
  await house.clock.advance(9 * MINUTE);
  t.true(times.length >= 12 && times.length <= 20, `${times.length} in nine minutes`);
  t.true((times[0] ?? 0) >= 1 && (times[0] ?? 0) <= 6);
  times.length = 0;
  await house.clock.advance(HOUR);
  t.true(times.length >= 5 && times.length <= 8, `${times.length} in the hour after that`);
  t.like(house.outbox.state().hosts[0], { state: 'up', failed: 0 });
  house.host.unknown.clear();
  await house.clock.advance(10 * MINUTE + 10_000);
  t.is(house.host.stateOf('acme/shop', shaOf(1)), 'success');
});

test('a status that is not taken for three days is given up, with a word in the log', async (t) => {
  const house = await openOutboxHouse(t);
  house.host.unknown.add(shaOf(1));
  const updated_at = new Date(house.clock.now() - COMMIT_STATUS.RETRY_FOR_MS).toISOString();
  house.records.put(pushedRecord(1, { updated_at }), house.clock.now());
  await house.clock.idle();
  house.outbox.wake();
  await house.clock.advance(0);
  t.is(house.records.entry('RFC-1')?.dueMs, null);
  t.is(house.outbox.state().failed, 1);
  t.true(house.log.some((line) => line.includes('given up') && line.includes('RFC-1')));
});

for (const fault of [401, 403, 'redirects'] as const) {
  test(`a host that answers ${fault} ends the tries for that RFC alone`, async (t) => {
    const house = await openOutboxHouse(t, { kind: 'github' });
    await house.host.setFault(fault);
    await put(house, pushedRecord(1));
    await house.clock.advance(HOUR);
    t.is(house.host.requests, 1);
    t.like(house.outbox.state(), { posted: 0, failed: 1 });
    await house.host.setFault('none');
    await put(house, pushedRecord(2));
    t.is(house.host.stateOf('acme/shop', shaOf(2)), 'success');
    t.false(JSON.stringify([house.log, house.outbox.state()]).includes(TOKEN));
  });
}

for (const fault of [429, 'secondary-limit'] as const) {
  test(`a host that answers ${fault} is left alone as long as it says`, async (t) => {
    const house = await openOutboxHouse(t, { kind: 'github' });
    house.host.retryAfterSeconds = 300;
    await house.host.setFault(fault);
    await put(house, pushedRecord(1));
    await put(house, pushedRecord(2));
    await house.clock.advance(299_000);
    t.is(house.host.requests, 1);
    t.like(house.outbox.state().hosts[0], { state: 'limited' });
    await house.host.setFault('none');
    await house.clock.advance(2_000);
    t.deepEqual(house.host.taken.map(({ sha }) => sha).sort(), [shaOf(1), shaOf(2)]);
    t.like(house.outbox.state(), { posted: 2, failed: 0 });
    t.is(house.outbox.state().hosts[0]?.state, 'up');
  });
}

for (const fault of ['down', 'html', 502] as const) {
  test(`after an outage (${fault}) every status arrives once, newest first, within the budget`, async (t) => {
    const house = await openOutboxHouse(t);
    await house.host.setFault(fault);
    const count = 120;
    for (let index = 1; index <= count; index += 1) {
      house.records.put(pushedRecord(index, { updated_at: iso(house) }), house.clock.now() + index);
    }
    await house.clock.advance(30 * MINUTE);
    t.is(house.host.taken.length, 0);
    t.like(house.outbox.state().hosts[0], { state: 'down', failed: 0 });
    t.true(house.host.requests < 60, `${house.host.requests} tries in 30 minutes`);
    const newest = pushedRecord(7, { overall_status: 'REJECTED', rev: 2, updated_at: iso(house) });
    house.records.put(newest, house.clock.now());
    await house.host.setFault('none');
    await house.clock.advance(5 * MINUTE);
    const told = house.host.taken.map(({ sha }) => Number.parseInt(sha, 16));
    t.is(new Set(told).size, count);
    t.is(told.length, count);
    t.is(house.host.stateOf('acme/shop', shaOf(7)), 'failure', 'what is told is how it stands now');
    // Those that were due longest may have been put off; calls side by side may pass each other.
    const newer = told.filter((index) => index > 60);
    t.true(
      newer.every((index, at) => Math.abs(count - at - index) < 4),
      newer.join(),
    );
    t.is(house.outbox.state().hosts[0]?.state, 'up');
    const news = house.log.filter((line) => /takes (?:no )?commit statuses/.test(line));
    t.is(news.length, 2, 'one word when it goes, one when it is back');
  });
}

const iso = ({ clock }: OutboxHouse) => new Date(clock.now()).toISOString();

test('no minute has more than 150 calls, and a storm is posted as fast as that allows', async (t) => {
  const house = await openOutboxHouse(t);
  const count = 500;
  for (let index = 1; index <= count; index += 1) {
    house.records.put(pushedRecord(index, { updated_at: iso(house) }), house.clock.now());
  }
  const start = house.clock.now();
  const times: number[] = [];
  let seen = 0;
  house.records.onCall = () => {
    for (; seen < house.host.taken.length; seen += 1) times.push(house.clock.now() - start);
  };
  await house.clock.idle();
  house.outbox.wake();
  await house.clock.advance(3 * MINUTE);
  t.true(times.length >= 360, `${times.length} in three minutes`);
  for (const from of times) {
    const inMinute = times.filter((at) => at >= from && at < from + MINUTE).length;
    t.true(inMinute <= 150, `${inMinute} calls in the minute from ${from} ms`);
  }
  await house.clock.advance(2 * MINUTE);
  t.is(house.host.taken.length, count);
});

test('a host that hangs holds up neither another host nor the stop', async (t) => {
  const other = await startStatusHost(t, { kind: 'gitlab', token: TOKEN });
  const house = await openOutboxHouse(t, { deadlineMs: 60_000 });
  await house.outbox.stop();
  await house.host.setFault('hangs');
  const both = await openOutboxHouse(t, {
    deadlineMs: 600_000,
    settings: {
      hosts: [vcsHost('forge', 'gitea', house.host), vcsHost('lab', 'gitlab', other)],
    },
    before({ records, clock }) {
      const push = pushedRecord(2).push;
      records.put(pushedRecord(1), clock.now());
      records.put(pushedRecord(2, { push: push && { ...push, host: 'lab' } }), clock.now());
    },
  });
  await until(t, () => other.taken.length === 1 && house.host.requests === 1);
  const stopped = both.outbox.stop();
  await both.clock.advance(COMMIT_STATUS.STOP_MS, 0);
  await stopped;
  t.not(both.records.entry('RFC-1')?.dueMs, null, 'it stays due');
});

test('an RFC of another tenant is not posted by a host that is not its own', async (t) => {
  const house = await openOutboxHouse(t, { over: { tenantId: 'acme' } });
  const theirs = pushedRecord(1, { push: null, tenant_id: 'rival' });
  await put(house, theirs, pushedRecord(2, { push: null, tenant_id: 'acme' }));
  t.deepEqual(
    house.host.taken.map(({ sha }) => sha),
    [shaOf(2)],
  );
  t.is(house.outbox.state().failed, 1);
});

test('without a token, or without a default host, nothing stays due for ever', async (t) => {
  const off = await openOutboxHouse(t, { over: { token: null } });
  await put(off, pushedRecord(1));
  t.is(off.records.entry('RFC-1')?.dueMs, null);
  t.like(off.outbox.state().hosts[0], { state: 'off', skipped: 1 });
  const nowhere = await openOutboxHouse(t, { settings: { hosts: [], defaultHost: null } });
  await put(nowhere, pushedRecord(1, { push: null }));
  t.is(nowhere.records.entry('RFC-1')?.dueMs, null);
  t.is(off.host.requests + nowhere.host.requests, 0);
});

test('a store that fails is asked again, and nothing is lost', async (t) => {
  const house = await openOutboxHouse(t);
  await house.clock.idle();
  house.records.put(pushedRecord(1), house.clock.now());
  house.records.failWith = new Error('disk full');
  house.outbox.wake();
  await house.clock.advance(PUSHES.POLL_INTERVAL_MS);
  t.is(house.host.stateOf('acme/shop', shaOf(1)), 'success');
  t.true(house.log.some((line) => line.includes('cannot be read or noted')));
});

test('every call for a check run counts in the budget of its host', async (t) => {
  const app = await startAppHost(t);
  const { clock } = await openOutboxHouse(t, {
    kind: 'github',
    over: {
      apiUrl: app.apiUrl,
      token: null,
      app: { appId: APP_ID, privateKey: PRIVATE_KEY },
      findings: { show: 'lines', leastSeverity: 'low' },
    },
    before({ records, clock: own }) {
      for (let index = 0; index < 40; index += 1) records.put(pushedRecord(index), own.now());
    },
  });
  await clock.idle();
  // A list and a write for each, beside the two that give the token.
  t.is(app.requests.filter((request) => /check-runs/.test(request)).length, 30);
  t.is(app.runs.length, 15);
});

/** An outbox with a host that shows findings in comments of pull requests. */
async function openCommentHouse(t: ExecutionContext, kind: PullHostKind) {
  const pulls = await startPullHost(t, { kind, token: TOKEN });
  const house = await openOutboxHouse(t, {
    kind,
    over: { apiUrl: pulls.apiUrl, findings: { show: 'summary', leastSeverity: 'low' } },
  });
  return { pulls, house };
}

for (const kind of ['gitea', 'gitlab'] as const) {
  test(`${kind}: a status comes first, and a comment that fails does not repeat it`, async (t) => {
    const { pulls, house } = await openCommentHouse(t, kind);
    pulls.pulls.set(3, shaOf(1));
    pulls.faults.push({ path: /notes$|reviews$/, method: 'POST', status: 500, times: 2 });
    await put(house, pushedRecord(1, { overall_status: 'BLOCKED' }));
    t.is(pulls.statuses.length, 1);
    t.like(house.outbox.state().hosts[0], { state: 'up', posted: 1 });
    t.not(house.records.entry('RFC-1')?.dueMs, null);
    await house.clock.advance(MINUTE);
    t.is(pulls.statuses.length, 1);
    t.is(pulls.comments.length, 1);
    t.is(house.records.entry('RFC-1')?.dueMs, null);
  });

  test(`${kind}: a pull request that is opened soon after the push gets its comment`, async (t) => {
    const { pulls, house } = await openCommentHouse(t, kind);
    await put(house, pushedRecord(1, { overall_status: 'BLOCKED' }));
    await put(house, pushedRecord(2, { overall_status: 'PASSED' }));
    t.is(house.records.entry('RFC-2')?.dueMs, null, 'there is nothing to say of it');
    await house.clock.advance(2 * MINUTE);
    pulls.pulls.set(3, shaOf(1));
    await house.clock.advance(2 * MINUTE);
    t.is(pulls.comments.length, 1);
    t.is(house.records.entry('RFC-1')?.dueMs, null);
  });

  test(`${kind}: only the calls that a comment took count in the budget of its host`, async (t) => {
    const { pulls, house } = await openCommentHouse(t, kind);
    for (let index = 1; index <= 20; index += 1) {
      pulls.pulls.set(index, shaOf(index));
      house.records.put(pushedRecord(index, { overall_status: 'BLOCKED' }), house.clock.now());
    }
    house.outbox.wake();
    await house.clock.idle();
    t.true(pulls.requests.length <= 30, `${pulls.requests.length} calls at once`);
    await house.clock.advance(50_000);
    // A status, two lists and a comment for each, and the account once: 81 calls.
    t.is(pulls.comments.length, 20);
    t.is(pulls.statuses.length, 20);
  });

  test(`${kind}: a commit without a pull request is left alone after ten minutes`, async (t) => {
    const { pulls, house } = await openCommentHouse(t, kind);
    await put(house, pushedRecord(1, { overall_status: 'BLOCKED' }));
    await house.clock.advance(11 * MINUTE);
    t.is(house.records.entry('RFC-1')?.dueMs, null);
    t.true(pulls.requests.length < 25, `${pulls.requests.length} calls`);
    t.like(house.outbox.state(), { failed: 0 });
  });
}

/** Waits for something that real calls bring about. */
async function until(t: ExecutionContext, holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  t.pass();
}
