import test from 'ava';
import { STORE } from '../../../../src/limits.ts';
import { CraError } from '../../../../src/model/errors.ts';
import type { PushStore } from '../../../../src/store/contract/pushes.ts';
import { until } from '../../../daemon.ts';
import { startMongod } from '../../../mongod/mongod.ts';
import {
  claim,
  claimedId,
  claimedIds,
  claimInTurn,
  pushed,
  REPO,
} from '../../conformance/push-steps.ts';
import { idOf } from '../../conformance/steps.ts';
import { keysOf, samplePush } from '../../fixtures/pushes.ts';
import { recordText } from '../../fixtures/records.ts';
import { openMongo } from '../harness.ts';

const AT_ONCE_MS = 500;

/** Every method once. */
function callsOf(pushes: PushStore): [name: string, call: () => Promise<unknown>][] {
  const record = samplePush({ rfc_id: 'RFC-9' });
  const text = recordText(record);
  const lease = { owner: 'daemon-1', lease_ms: 1 };
  const at = '2026-11-21T12:00:00.000Z';
  const refs = ['refs/heads/main'];
  const narrow = { branch: null, commit_sha: null };
  const baseline = { host: 'hub', sha: null, heads: {}, adopted_at: at };
  return [
    ['acceptPush', () => pushes.acceptPush({ record: text, push: keysOf(record) })],
    ['claimPush', () => claim(pushes)],
    ['takePush', () => pushes.takePush({ ...idOf(record), ...lease, expectedRev: 1 })],
    ['renewPushes', () => pushes.renewPushes({ ...lease, pushes: [idOf(record)] })],
    ['freeHeld', () => pushes.freeHeld({ owner: 'daemon-1' })],
    ['savePush', () => pushes.savePush({ record: text, expectedRev: 0, hold_ms: 1 })],
    [
      'supersedePushes',
      () =>
        pushes.supersedePushes({
          ...{ tenant_id: 'default', by: null, at },
          pushes: [{ rfc_id: 'RFC-9', rev: 1 }],
        }),
    ],
    ['adoptBaseline', () => pushes.adoptBaseline({ ...REPO, baseline, event: null })],
    [
      'settleStatus',
      () => pushes.settleStatus({ ...idOf(record), rev: 1, posted: 'x', due_ms: null }),
    ],
    ['acceptedHeads', () => pushes.acceptedHeads({ ...REPO, shas: ['a'] })],
    ['newestAccepted', () => pushes.newestAccepted({ ...REPO, refs })],
    ['findBaseline', () => pushes.findBaseline(REPO)],
    ['oldestPush', () => pushes.oldestPush({ ...REPO, ref: 'refs/heads/main' })],
    ['prodView', () => pushes.prodView({ ...REPO, ...narrow })],
    ['newestPushes', () => pushes.newestPushes({ ...REPO, refs })],
    ['newestPush', () => pushes.newestPush(REPO)],
    ['listPushed', () => pushes.listPushed({ after: null, limit: 1 })],
    ['queueDepth', () => pushes.queueDepth(null)],
    ['dueStatuses', () => pushes.dueStatuses({ host: 'hub', now_ms: 1, limit: 1 })],
  ];
}

test('while nobody is primary every call is UNAVAILABLE at once; then the queue goes on', async (t) => {
  const mongod = await startMongod();
  t.teardown(mongod.stop);
  const { pushes, close } = await openMongo(mongod.url);
  t.teardown(close);
  for (const n of [1, 2, 3]) await pushed(pushes, { rfc_id: `RFC-${n}`, ref: `refs/heads/${n}` });
  t.is(claimedId(await claim(pushes)), 'RFC-1');
  const member = await mongod.primary();
  await member.kill();
  const killed = performance.now();
  const ask = () => pushes.queueDepth(null).then(null, codeOf);
  await until(async () => {
    const start = performance.now();
    const isRefused = (await ask()) === 'UNAVAILABLE' && performance.now() - start < AT_ONCE_MS;
    // A connection that broke fails fast, too: the calls behind it still wait for a primary.
    return isRefused && start - killed > STORE.SERVER_SELECTION_MS;
  });
  const calls = callsOf(pushes);
  t.deepEqual(calls.map(([name]) => name).sort(), Object.keys(pushes).sort());
  for (const [name, call] of calls) {
    const start = performance.now();
    t.is(await call().then(() => 'answered', codeOf), 'UNAVAILABLE', name);
    t.true(performance.now() - start < AT_ONCE_MS, name);
  }
  await member.start();
  await until(async () => (await ask()) !== 'UNAVAILABLE');
  // What was held is held, what waited waits.
  t.deepEqual([...claimedIds(await claimInTurn(pushes, 9))].sort(), ['RFC-2', 'RFC-3']);
  t.is((await pushes.queueDepth(null)).held, 3);
});

function codeOf(thrown: unknown): string {
  return thrown instanceof CraError ? thrown.code : String(thrown);
}
