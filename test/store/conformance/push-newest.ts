import { decisionOn } from '../fixtures/decisions.ts';
import { shaOf } from '../fixtures/pushes.ts';
import { sampleRecord } from '../fixtures/records.ts';
import { judged, pushed } from './push-steps.ts';
import { type Check, fails, type Harness, insert } from './steps.ts';

const ANY = { tenant_id: 'default', repo_name: 'acme/shop' };
const SHOP = { repo_name: 'Acme/Shop' };

/** Which RFC a deployment goes by. */
export function checkNewest(check: Check): void {
  checkRelated(check);
  check('prodView finds the newest of a repository, a branch, a commit', async (t, harness) => {
    const rows: [string, string, string | null][] = [
      ['RFC-1', 'main', 'a1'],
      ['RFC-2', 'main', 'a2'],
      ['RFC-3', 'next', 'a1'],
      ['RFC-4', 'next', null],
    ];
    for (const [rfc_id, branch, commit_sha] of rows) {
      await insert(harness.store, sampleRecord({ ...SHOP, rfc_id, branch, commit_sha }));
    }
    const others = [{ repo_name: 'acme/other' }, { ...SHOP, tenant_id: 'acme' }];
    for (const [n, other] of others.entries()) {
      await insert(harness.store, sampleRecord({ rfc_id: `RFC-${5 + n}`, ...other }));
    }
    t.is(await newestOf(harness, {}), 'RFC-4');
    t.is(await newestOf(harness, { branch: 'main' }), 'RFC-2');
    t.is(await newestOf(harness, { commit_sha: 'a1' }), 'RFC-3');
    t.is(await newestOf(harness, { commit_sha: 'a1', branch: 'main' }), 'RFC-1');
    t.is(await newestOf(harness, { tenant_id: 'acme' }), 'RFC-6');
    for (const narrow of [
      { branch: 'gone' },
      { commit_sha: 'b' },
      { commit_sha: 'a2', branch: 'next' },
      { repo_name: 'acme/none' },
      { tenant_id: 'other' },
      { tenant_id: 'acme', branch: 'next' },
    ]) {
      await fails(t, newestOf(harness, narrow), 'NOT_FOUND');
    }
  });

  check('prodView leaves out what is SUPERSEDED or deleted', async (t, harness) => {
    const { store, trail } = harness;
    const same = { ...SHOP, commit_sha: 'a1' };
    await insert(store, sampleRecord({ ...same, rfc_id: 'RFC-1' }));
    const superseded = { ...same, overall_status: 'SUPERSEDED' } as const;
    await insert(store, sampleRecord({ ...superseded, rfc_id: 'RFC-2' }));
    const narrows = [{}, { branch: 'main' }, { commit_sha: 'a1' }];
    for (const narrow of narrows) t.is(await newestOf(harness, narrow), 'RFC-1');
    const newer = sampleRecord({ ...same, rfc_id: 'RFC-3' });
    await insert(store, newer);
    for (const narrow of narrows) t.is(await newestOf(harness, narrow), 'RFC-3');
    await trail.decide(decisionOn(newer, 'op-1', { action: 'delete' }));
    for (const narrow of narrows) t.is(await newestOf(harness, narrow), 'RFC-1');
  });

  check('prodView: the head of a superseded push is that before it', async (t, harness) => {
    await judged(harness, { ...SHOP, rfc_id: 'RFC-1' });
    await judged(harness, { ...SHOP, rfc_id: 'RFC-2' }, { overall_status: 'SUPERSEDED' });
    await pushed(harness.pushes, { ...SHOP, rfc_id: 'RFC-3', tenant_id: 'acme' });
    const { newest, head } = await harness.pushes.prodView({ ...ANY, ...EVERY });
    t.is(newest.rfc_id, 'RFC-1');
    t.like(head, { rfc_id: 'RFC-1', commit_sha: shaOf('RFC-1'), isAccepted: true });
  });
}

const EVERY = { branch: null, commit_sha: null };

/** The id of the RFC that counts. */
async function newestOf({ pushes }: Harness, narrow: object): Promise<string> {
  return (await pushes.prodView({ ...ANY, ...EVERY, ...narrow })).newest.rfc_id;
}

function checkRelated(check: Check): void {
  check(
    'relatedTo gives what a verdict depends on, what falls with it, what is alike',
    async (t, h) => {
      const { pushes, store } = h;
      const blocked = { overall_status: 'BLOCKED' } as const;
      const diff_hash = 'd'.repeat(64);
      const own = { rfc_id: 'RFC-1', commit_sha: shaOf('one'), push: { rests_on: ['RFC-0'] } };
      await judged(h, { rfc_id: 'RFC-0' });
      await judged(h, own, { ...blocked, diff_hash });
      await judged(h, { rfc_id: 'RFC-2', push: { rests_on: ['RFC-1'] } });
      const carried = { rfc_id: 'RFC-3', push: { rests_on: ['RFC-1'] } };
      await judged(h, carried, { overall_status: 'OVERRIDDEN', carried_from: ['RFC-1'] });
      const later = { commit_sha: shaOf('one'), ref: 'refs/heads/next' };
      await judged(h, { rfc_id: 'RFC-4', ...later }, blocked);
      await judged(h, { rfc_id: 'RFC-5', ref: 'refs/heads/other' }, { ...blocked, diff_hash });
      await judged(h, { rfc_id: 'RFC-6', ref: 'refs/heads/else' }, blocked);
      await insert(store, sampleRecord({ rfc_id: 'RFC-7', ...blocked, diff_hash }));
      const find = (rfc_id: string, limit = 9, tenant_id = 'default') =>
        pushes.relatedTo({ tenant_id, rfc_id, limit });
      const ids = (rows: { rfc_id: string }[]) => rows.map(({ rfc_id }) => rfc_id).sort();
      const found = await find('RFC-1');
      t.deepEqual(ids(found.rests_on), ['RFC-0']);
      t.deepEqual(ids(found.resting), ['RFC-2', 'RFC-3']);
      t.deepEqual(ids(found.resting.filter(({ is_carried }) => is_carried)), ['RFC-3']);
      t.deepEqual(
        found.carries_to.map(({ rfc_id, same }) => [rfc_id, same]),
        [
          ['RFC-4', 'commit'],
          ['RFC-5', 'change'],
        ],
      );
      t.false(found.more);
      const few = await find('RFC-1', 1);
      t.deepEqual([few.resting.length, few.carries_to.length, few.more], [1, 1, true]);
      const from = (await find('RFC-3')).rests_on;
      t.like(from[0], { rfc_id: 'RFC-1', overall_status: 'BLOCKED', is_carried: true, same: null });
      const none = { rests_on: [], resting: [], carries_to: [], more: false };
      t.deepEqual(await find('RFC-7'), none);
      await fails(t, find('RFC-1', 9, 'other'), 'NOT_FOUND');
      await fails(t, find('RFC-X'), 'NOT_FOUND');
      await fails(t, find('RFC-1', 0), 'INVALID_ARGUMENT');
    },
  );
}
