import test from 'ava';
import type { PushClaim } from '../../../../src/store/contract/pushes.ts';
import { until } from '../../../daemon.ts';
import { accept, claim, claimedId, LONG_MS, pushed } from '../../conformance/push-steps.ts';
import { fails, read } from '../../conformance/steps.ts';
import { decisionOn } from '../../fixtures/decisions.ts';
import { judgedPush, samplePush } from '../../fixtures/pushes.ts';
import { recordText } from '../../fixtures/records.ts';
import { openTwo } from './two-daemons.ts';

const HOUR_MS = 3_600_000;

test('claimPush: two daemons that drain a queue never get the same push', async (t) => {
  const daemons = await openTwo(t);
  const ids = Array.from({ length: 60 }, (_, n) => `RFC-${n}`);
  await Promise.all(
    ids.map((rfc_id, n) =>
      pushed(daemons[0].pushes, { rfc_id, repo_name: `org/r${n % 4}`, ref: `refs/heads/${n}` }),
    ),
  );
  const claims = await Promise.all(
    daemons.map(async ({ pushes }, n) => {
      const got: PushClaim[] = [];
      for (;;) {
        const after = got.at(-1)?.place ?? null;
        const next = await claim(pushes, { owner: `daemon-${n}`, after });
        if (next === null) return got;
        got.push(next);
      }
    }),
  );
  const got = claims.flat().map(({ record }) => record.rfc_id);
  t.deepEqual([...got].sort(), [...ids].sort());
  t.true(claims.every(({ length }) => length > 0));
  t.true(claims.flat().every(({ record }) => record.queue?.attempts === 1 && record.rev === 2));
});

test('a daemon that dies leaves its lease to run out; what it still writes is refused', async (t) => {
  const [one, two] = await openTwo(t);
  const push = await pushed(one.pushes, { rfc_id: 'RFC-1' });
  const first = await claim(one.pushes, { lease_ms: 700 });
  const other = { owner: 'daemon-2', lease_ms: LONG_MS };
  t.is(claimedId(await claim(two.pushes, other)), null);
  let second: PushClaim | null = null;
  await until(async () => {
    second = await claim(two.pushes, other);
    return second !== null;
  });
  t.like((second as PushClaim | null)?.record, { rfc_id: 'RFC-1', rev: 3, queue: { attempts: 2 } });
  // It was not dead after all.
  const late = first?.record ?? push;
  const outcome = recordText(judgedPush(late));
  await fails(t, one.store.completeDraft({ record: outcome, expectedRev: late.rev }), 'ABORTED');
  const progress = recordText({ ...late, rev: late.rev + 1 });
  const save = { record: progress, expectedRev: late.rev, hold_ms: 0 };
  await fails(t, one.pushes.savePush(save), 'ABORTED');
  const renewed = [{ tenant_id: 'default', rfc_id: 'RFC-1' }];
  await one.pushes.renewPushes({ owner: 'daemon-1', pushes: renewed, lease_ms: 0 });
  await one.pushes.freeHeld({ owner: 'daemon-1' });
  t.is(await claim(one.pushes), null);
  t.is((await read(one.store, push)).overall_status, 'DRAFT');
});

test('leases are measured by the server, whatever clock a daemon has', async (t) => {
  for (const off of [HOUR_MS, -HOUR_MS]) {
    const [one, two] = await openTwo(t, () => Date.now() + off);
    await pushed(two.pushes, { rfc_id: 'RFC-1' });
    t.is(claimedId(await claim(one.pushes, { lease_ms: 60_000 })), 'RFC-1');
    t.is(await claim(two.pushes, { owner: 'daemon-2' }), null);
    t.like(await two.pushes.queueDepth(null), { open: 1, held: 1 });
    await pushed(one.pushes, { rfc_id: 'RFC-2', ref: 'refs/heads/next' });
    t.is(claimedId(await claim(two.pushes, { owner: 'daemon-2', lease_ms: 60_000 })), 'RFC-2');
    t.is(await claim(one.pushes), null);
  }
});

test('acceptPush: of two daemons that get one body one writes, both answer its RFC', async (t) => {
  const daemons = await openTwo(t);
  for (let round = 0; round < 20; round += 1) {
    const body_hash = String(round).padStart(64, '0');
    const answers = await Promise.all(
      daemons.map(({ pushes }, n) =>
        accept(pushes, samplePush({ rfc_id: `RFC-${round}-${n}` }), { body_hash }),
      ),
    );
    const outcomes = answers.map(({ outcome }) => outcome).sort();
    t.deepEqual(outcomes, ['new', 'same-body']);
    t.is(new Set(answers.map(({ rfc_id }) => rfc_id)).size, 1);
  }
  t.is((await daemons[0].pushes.queueDepth(null)).open, 20);
});

test('what one daemon accepted the other one reads at once, and its rejection, too', async (t) => {
  const [one, two] = await openTwo(t);
  for (let round = 0; round < 10; round += 1) {
    const rfc_id = `RFC-${round}`;
    const draft = await pushed(one.pushes, { rfc_id });
    const outcome = recordText(judgedPush(draft));
    await one.store.completeDraft({ record: outcome, expectedRev: 1 });
    const repo = { tenant_id: 'default', repo_name: 'Org/Repo' };
    const shas = [draft.commit_sha ?? ''];
    t.is((await two.pushes.acceptedHeads({ ...repo, shas })).accepted.length, 1);
    await one.trail.decide(decisionOn(draft, `op-${round}`, { action: 'reject' }));
    t.is((await two.pushes.acceptedHeads({ ...repo, shas })).accepted.length, 0);
  }
});
