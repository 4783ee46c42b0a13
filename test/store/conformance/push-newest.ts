import { decisionOn } from '../fixtures/decisions.ts';
import { shaOf } from '../fixtures/pushes.ts';
import { sampleRecord } from '../fixtures/records.ts';
import { judged, pushed } from './push-steps.ts';
import { type Check, fails, type Harness, insert } from './steps.ts';

const ANY = { tenant_id: 'default', repo_name: 'acme/shop' };
const SHOP = { repo_name: 'Acme/Shop' };

/** Which RFC a deployment goes by. */
export function checkNewest(check: Check): void {
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
    t.like(head, { rfc_id: 'RFC-1', commit_sha: shaOf('RFC-1'), is_accepted: true });
  });
}

const EVERY = { branch: null, commit_sha: null };

/** The id of the RFC that counts. */
async function newestOf({ pushes }: Harness, narrow: object): Promise<string> {
  return (await pushes.prodView({ ...ANY, ...EVERY, ...narrow })).newest.rfc_id;
}
