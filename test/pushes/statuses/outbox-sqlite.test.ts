import test, { type ExecutionContext } from 'ava';
import { startOutbox } from '../../../src/pushes/statuses/outbox.ts';
import { startStatusHost } from '../../hosts/status-host.ts';
import { createSteppedClock } from '../../hosts/stepped-clock.ts';
import { accept, judged } from '../../store/conformance/push-steps.ts';
import { insert, NOW, read } from '../../store/conformance/steps.ts';
import { decisionOn } from '../../store/fixtures/decisions.ts';
import { samplePush } from '../../store/fixtures/pushes.ts';
import { sampleRecord } from '../../store/fixtures/records.ts';
import { openHarness } from '../../store/sqlite/harness.ts';
import { listLogger, TOKEN, vcsHost } from './outbox-house.ts';

const REPO = 'acme/shop';

/** The outbox over a real SQLite store, and a host. */
async function open(t: ExecutionContext) {
  const clock = createSteppedClock(NOW);
  const harness = await openHarness(clock.now);
  t.teardown(() => harness.close());
  const host = await startStatusHost(t, { kind: 'gitlab', token: TOKEN });
  const start = () =>
    startOutbox({
      settings: {
        ...{ hosts: [vcsHost('hub', 'gitlab', host)], defaultHost: 'hub', adopt: 'baseline' },
        ...{ judgesTags: false, sweepIntervalMs: 1, mirrorBytesMax: 1 },
      },
      store: harness.pushes,
      baseUrl: () => 'https://cra.example',
      log: listLogger([]),
      clock,
    });
  return { clock, harness, host, start };
}

const states = (host: { taken: { state: string }[] }) => host.taken.map(({ state }) => state);

test('outbox on SQLite: a push is told from its arrival to its last decision', async (t) => {
  const { clock, harness, host, start } = await open(t);
  const { pushes, store, trail } = harness;
  const outbox = start();
  t.teardown(() => outbox.stop());
  const tell = async () => {
    await clock.idle();
    outbox.wake();
    await clock.advance(0);
  };
  const draft = samplePush({ rfc_id: 'RFC-1', repo_full_name: REPO });
  await accept(pushes, draft);
  await tell();
  t.deepEqual(states(host), ['pending']);
  const blocked = await judged(
    harness,
    { rfc_id: 'RFC-2', repo_full_name: REPO },
    {
      overall_status: 'BLOCKED',
    },
  );
  await tell();
  await trail.decide(decisionOn(blocked, 'op-1', { action: 'override' }));
  await tell();
  await trail.decide(decisionOn(blocked, 'op-2', { action: 'reject' }));
  await tell();
  t.deepEqual(states(host), ['pending', 'failed', 'success', 'failed']);
  t.is(host.taken[0]?.ref, 'main');
  await tell();
  t.is(host.requests, 4, 'and nothing twice');
  const { statuses_due } = await pushes.queueDepth(null);
  t.is(statuses_due, 0);
  t.is((await read(store, blocked)).overall_status, 'REJECTED');
});

test('outbox on SQLite: what is due survives a stop, and is told once after it', async (t) => {
  const { clock, harness, host, start } = await open(t);
  await host.setFault('down');
  for (let index = 1; index <= 5; index += 1) {
    await judged(harness, {
      rfc_id: `RFC-${index}`,
      repo_full_name: REPO,
      ref: `refs/heads/b${index}`,
    });
  }
  const first = start();
  await clock.advance(60_000);
  await first.stop();
  t.is(host.taken.length, 0);
  await harness.reopen();
  await host.setFault('none');
  const second = start();
  await clock.advance(10_000);
  await second.stop();
  t.deepEqual(states(host), ['success', 'success', 'success', 'success', 'success']);
  t.is((await harness.pushes.queueDepth(null)).statuses_due, 0);
});

test('outbox on SQLite: a rejection takes the green of a pinned approval away', async (t) => {
  const { clock, harness, host, start } = await open(t);
  const record = sampleRecord({ rfc_id: 'RFC-1', repo_name: REPO });
  await insert(harness.store, record);
  const pin = { commit_sha: 'a'.repeat(40), repo_full_name: REPO };
  await harness.trail.decide(decisionOn(record, 'op-1', { action: 'approve', ...pin }));
  const outbox = start();
  t.teardown(() => outbox.stop());
  await clock.idle();
  t.is(host.stateOf(REPO, pin.commit_sha), 'success');
  await harness.trail.decide(decisionOn(record, 'op-2', { action: 'reject' }));
  outbox.wake();
  await clock.advance(0);
  t.is(host.stateOf(REPO, pin.commit_sha), 'failed');
});
