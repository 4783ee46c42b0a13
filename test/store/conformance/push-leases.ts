import { samplePush } from '../fixtures/pushes.ts';
import { recordText } from '../fixtures/records.ts';
import {
  claim,
  claimedId,
  claimedIds,
  claimInTurn,
  finish,
  LONG_MS,
  pushed,
} from './push-steps.ts';
import { type Check, NOW, read } from './steps.ts';

const NEXT = 'refs/heads/next';

/** How long a push is somebody's. */
export function checkLeases(check: Check): void {
  checkEnds(check);
  checkOwners(check);
}

function checkEnds(check: Check): void {
  check('claimPush passes over a ref whose newest push is held', async (t, { pushes }) => {
    await pushed(pushes, { rfc_id: 'RFC-1' });
    await pushed(pushes, { rfc_id: 'RFC-2' });
    t.is(claimedId(await claim(pushes)), 'RFC-2');
    t.is(await claim(pushes, { owner: 'daemon-2' }), null);
    // A newer push of the same ref waits for nobody.
    await pushed(pushes, { rfc_id: 'RFC-3' });
    const claimed = await claim(pushes, { owner: 'daemon-2' });
    t.is(claimedId(claimed), 'RFC-3');
    t.deepEqual(
      claimed?.older.map(({ rfc_id, rev }) => [rfc_id, rev]),
      [
        ['RFC-2', 2],
        ['RFC-1', 1],
      ],
    );
  });

  check('a lease ends by the clock of the store; the attempt was counted', async (t, harness) => {
    await pushed(harness.pushes, { rfc_id: 'RFC-1' });
    t.is(claimedId(await claim(harness.pushes, { leaseMs: 50 })), 'RFC-1');
    await harness.reopen();
    await harness.passTime(51);
    const again = await claim(harness.pushes, { owner: 'daemon-2' });
    t.like(again?.record, { rfc_id: 'RFC-1', rev: 3, queue: { attempts: 2 } });
    t.is(await claim(harness.pushes), null);
  });

  check('savePush renews a lease; what was put off comes back', async (t, harness) => {
    const { pushes } = harness;
    await pushed(pushes, { rfc_id: 'RFC-1' });
    const first = (await claim(pushes, { leaseMs: 50 }))?.record ?? samplePush({ rfc_id: 'x' });
    const at = new Date(NOW).toISOString();
    const next = { ...first, rev: first.rev + 1, updated_at: at };
    const text = { record: recordText(next), expectedRev: first.rev };
    await pushes.savePush({ ...text, holdMs: LONG_MS });
    await harness.passTime(51);
    t.is(await claim(pushes), null);
    const last = { ...next, rev: next.rev + 1 };
    await pushes.savePush({ record: recordText(last), expectedRev: next.rev, holdMs: 50 });
    await harness.passTime(51);
    t.is(claimedId(await claim(pushes)), 'RFC-1');
  });
}

function checkOwners(check: Check): void {
  check('renewPushes holds what its owner has in hand, without a new rev', async (t, harness) => {
    const { pushes, store } = harness;
    const record = await pushed(pushes, { rfc_id: 'RFC-1' });
    await pushed(pushes, { rfc_id: 'RFC-2', ref: NEXT });
    const first = await claim(pushes);
    const second = await claim(pushes, { owner: 'daemon-2' });
    t.deepEqual([claimedId(first), claimedId(second)], ['RFC-1', 'RFC-2']);
    const ids = ['RFC-1', 'RFC-2', 'RFC-9'].map((rfc_id) => ({ tenant_id: 'default', rfc_id }));
    // Short leases from the start may be over before the second claim.
    for (const owner of ['daemon-1', 'daemon-2']) {
      await pushes.renewPushes({ owner, pushes: ids, leaseMs: 50 });
    }
    const renew = { owner: 'daemon-1', pushes: ids, leaseMs: LONG_MS };
    t.deepEqual(await pushes.renewPushes(renew), { ok: true });
    const foreign = ids.map((id) => ({ ...id, tenant_id: 'other' }));
    await pushes.renewPushes({ ...renew, owner: 'daemon-2', pushes: foreign });
    await harness.passTime(51);
    t.is((await read(store, record)).rev, 2);
    t.is(claimedId(await claim(pushes)), 'RFC-2');
    t.is(await claim(pushes), null);
    // What has a verdict is held no more.
    if (first !== null) await finish(harness, first);
    await pushes.renewPushes(renew);
    t.like(await pushes.queueDepth(null), { open: 1, held: 1 });
  });

  check('releasePushes lets go what its owner held, and nothing else', async (t, harness) => {
    const { pushes } = harness;
    const ids = ['RFC-1', 'RFC-2', 'RFC-3'];
    for (const [n, rfc_id] of ids.entries()) {
      await pushed(pushes, { rfc_id, ref: `refs/heads/${n}` });
      await claim(pushes, { owner: n === 1 ? 'daemon-2' : 'daemon-1' });
    }
    t.deepEqual(await pushes.releasePushes({ owner: 'daemon-3' }), { released: 0 });
    t.deepEqual(await pushes.releasePushes({ owner: 'daemon-1' }), { released: 2 });
    t.deepEqual(await pushes.releasePushes({ owner: 'daemon-1' }), { released: 0 });
    const again = claimedIds(await claimInTurn(pushes, 9));
    t.deepEqual([...again].sort(), ['RFC-1', 'RFC-3']);
  });
}
