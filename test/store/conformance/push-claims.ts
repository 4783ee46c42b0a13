import { PUSH_STORE } from '../../../src/store/limits.ts';
import { decisionOn } from '../fixtures/decisions.ts';
import { samplePush } from '../fixtures/pushes.ts';
import {
  accept,
  claim,
  claimedId,
  claimedIds,
  claimInTurn,
  finish,
  judged,
  LONG_MS,
  pushed,
} from './push-steps.ts';
import { type Check, fails, NOW, read } from './steps.ts';

const [MAIN, NEXT] = ['refs/heads/main', 'refs/heads/next'] as const;

/** Who is judged next, and by whom. */
export function checkClaims(check: Check): void {
  checkOrder(check);
  checkTurns(check);
  checkPassedOver(check);
  checkSupersede(check);
}

function checkOrder(check: Check): void {
  check('claimPush of an empty queue is null', async (t, { pushes }) => {
    t.is(await claim(pushes), null);
    const after = { tenant_id: 'default', repo_key: 'org/repo', ref: MAIN };
    t.is(await claim(pushes, { after }), null);
  });

  check('claimPush counts the attempt of the newest push, names the older', async (t, harness) => {
    const { pushes, store } = harness;
    const first = await pushed(pushes, { rfc_id: 'RFC-1' });
    const second = await pushed(pushes, { rfc_id: 'RFC-2' });
    const third = await pushed(pushes, { rfc_id: 'RFC-3' });
    await pushed(pushes, { rfc_id: 'RFC-X', ref: NEXT });
    await judged(harness, { rfc_id: 'RFC-4' });
    const claimed = await claim(pushes);
    t.deepEqual(claimed?.record, {
      ...third,
      queue: { attempts: 1, queued_at: '2026-11-21T10:00:00.000Z' },
      push: third.push && { ...third.push, phase: 'fetching' },
      updated_at: claimed?.record.updated_at ?? '',
      rev: 2,
    });
    t.deepEqual(await read(store, third), claimed?.record);
    t.deepEqual(claimed?.place, { tenant_id: 'default', repo_key: 'org/repo', ref: MAIN });
    t.false(claimed?.hasMore);
    t.deepEqual(
      claimed?.older,
      [second, first].map(({ rfc_id, commit_sha }) => ({
        rfc_id,
        rev: 1,
        commit_sha: commit_sha ?? '',
      })),
    );
  });

  check('claimPush names no more older pushes than GROUP_MAX', async (t, { pushes }) => {
    const count = PUSH_STORE.GROUP_MAX + 2;
    const records = Array.from({ length: count }, (_, n) => samplePush({ rfc_id: `RFC-${n}` }));
    for (const record of records.slice(0, -1)) await accept(pushes, record);
    const last = records.at(-1) ?? samplePush({ rfc_id: 'none' });
    await accept(pushes, last);
    const claimed = await claim(pushes);
    t.is(claimedId(claimed), last.rfc_id);
    t.is(claimed?.older.length, PUSH_STORE.GROUP_MAX);
    t.is(claimed?.older[0]?.rfc_id, records.at(-2)?.rfc_id);
    t.true(claimed?.hasMore);
  });

  check('claimPush: racing daemons never get the same push', async (t, { pushes }) => {
    const ids = Array.from({ length: 30 }, (_, n) => `RFC-${n}`);
    await Promise.all(
      ids.map((rfc_id, n) =>
        pushed(pushes, { rfc_id, repo_name: `org/r${n % 7}`, ref: `refs/heads/${n}` }),
      ),
    );
    const owners = Array.from({ length: 45 }, (_, n) => `daemon-${n % 2}`);
    const claims = await Promise.all(owners.map((owner) => claim(pushes, { owner })));
    const got = claims.map(claimedId).filter((id) => id !== null);
    t.deepEqual([...got].sort(), [...ids].sort());
    t.is(await claim(pushes), null);
  });
}

function checkTurns(check: Check): void {
  check('claimPush: repositories take turns, however many pushes wait', async (t, { pushes }) => {
    for (let n = 0; n < 100; n += 1) {
      const batch = Array.from({ length: 10 }, (_, m) => {
        const ref = `refs/heads/${n * 10 + m}`;
        return pushed(pushes, { rfc_id: `RFC-M${n}-${m}`, repo_name: 'org/mono', ref });
      });
      await Promise.all(batch);
    }
    for (let n = 0; n < 9; n += 1) {
      await pushed(pushes, { rfc_id: `RFC-${n}`, repo_name: `org/${'abcxyz'[n % 6]}${n}` });
    }
    const ids = claimedIds(await claimInTurn(pushes, 10));
    t.is(ids.filter((id) => !id.startsWith('RFC-M')).length, 9);
    // And then nobody else waits.
    const rest = await claimInTurn(pushes, 5);
    t.deepEqual([...new Set(rest.map(({ place }) => place.repo_key))], ['org/mono']);
  });

  check('claimPush: tenants are apart, spellings are not', async (t, { pushes }) => {
    await pushed(pushes, { rfc_id: 'RFC-1', repo_name: 'Org/Repo' });
    await pushed(pushes, { rfc_id: 'RFC-2', repo_name: 'org/REPO' });
    await pushed(pushes, { rfc_id: 'RFC-3', repo_name: 'org/repo', tenant_id: 'other' });
    const claims = await claimInTurn(pushes, 9);
    t.deepEqual(claimedIds(claims), ['RFC-2', 'RFC-3']);
    t.deepEqual(
      claims.map(({ place, older }) => [place.tenant_id, older.map(({ rfc_id }) => rfc_id)]),
      [
        ['default', ['RFC-1']],
        ['other', []],
      ],
    );
  });

  check('claimPush: the refs of a repository take turns, too', async (t, harness) => {
    const { pushes } = harness;
    await pushed(pushes, { rfc_id: 'RFC-X', repo_name: 'org/z' });
    await pushed(pushes, { rfc_id: 'RFC-N', ref: NEXT });
    const turns: (string | undefined)[] = [];
    // There is always another push of the first ref.
    let after = null;
    for (let n = 0; n < 4; n += 1) {
      await pushed(pushes, { rfc_id: `RFC-${n}` });
      const claimed = await claim(pushes, { after });
      if (claimed === null) break;
      turns.push(claimed.record.rfc_id);
      after = claimed.place;
      await finish(harness, claimed);
    }
    t.deepEqual(turns.slice(0, 3), ['RFC-0', 'RFC-X', 'RFC-N']);
    t.is(turns.length, 4);
  });
}

function checkPassedOver(check: Check): void {
  check('claimPush leaves out repositories that are busy', async (t, { pushes }) => {
    await pushed(pushes, { rfc_id: 'RFC-1', repo_name: 'Org/A' });
    await pushed(pushes, { rfc_id: 'RFC-2', repo_name: 'Org/B' });
    const busy = [{ tenant_id: 'default', repo_key: 'org/a' }];
    t.is(claimedId(await claim(pushes, { busy })), 'RFC-2');
    t.is(await claim(pushes, { busy }), null);
    const others = [{ tenant_id: 'other', repo_key: 'org/a' }];
    t.is(claimedId(await claim(pushes, { busy: others })), 'RFC-1');
  });

  check('claimPush ends a search after CLAIM_HOPS_MAX, the next goes on', async (t, { pushes }) => {
    const count = PUSH_STORE.CLAIM_HOPS_MAX + 50;
    const refs = Array.from(
      { length: count },
      (_, n) => `refs/heads/${String(n).padStart(5, '0')}`,
    );
    for (let at = 0; at < count; at += 50) {
      const batch = refs.slice(at, at + 50);
      for (const age of ['old', 'new']) {
        await Promise.all(
          batch.map((ref) =>
            pushed(pushes, { rfc_id: `RFC-${ref}-${age}`, repo_name: 'org/a', ref }),
          ),
        );
      }
      const claims = await Promise.all(batch.map(() => claim(pushes)));
      t.false(claims.includes(null));
    }
    // All whose newest push is held, with an older one that is free, lie before it.
    await pushed(pushes, { rfc_id: 'RFC-Z', repo_name: 'org/z' });
    t.is(await claim(pushes), null);
    t.is(claimedId(await claim(pushes)), 'RFC-Z');
  });
}

function checkSupersede(check: Check): void {
  check('supersedePushes ends unchanged pushes', async (t, { pushes, store, trail }) => {
    const one = await pushed(pushes, { rfc_id: 'RFC-1' });
    const two = await pushed(pushes, { rfc_id: 'RFC-2' });
    const three = await pushed(pushes, { rfc_id: 'RFC-3' });
    const four = await pushed(pushes, { rfc_id: 'RFC-4' });
    const five = await pushed(pushes, { rfc_id: 'RFC-5' });
    await pushed(pushes, { rfc_id: 'RFC-T', tenant_id: 'other' });
    await pushes.takePush({
      tenant_id: 'default',
      rfc_id: 'RFC-2',
      expectedRev: 1,
      owner: 'daemon-1',
      leaseMs: LONG_MS,
    });
    await trail.decide(decisionOn(three, 'op-1', { action: 'reject' }));
    await trail.decide(decisionOn(four, 'op-2', { action: 'delete' }));
    const ids = ['RFC-1', 'RFC-2', 'RFC-3', 'RFC-4', 'RFC-T', 'RFC-9'];
    const at = '2026-11-21T13:00:00.000Z';
    const input = {
      tenant_id: 'default',
      by: 'RFC-5',
      at,
      pushes: ids.map((rfc_id) => ({ rfc_id, rev: 1 })),
    };
    t.deepEqual(await pushes.supersedePushes(input), { superseded: 1 });
    t.deepEqual(await read(store, one), {
      ...one,
      overall_status: 'SUPERSEDED',
      push: one.push && { ...one.push, phase: null, superseded_by: 'RFC-5' },
      queue: null,
      updated_at: at,
      rev: 2,
    });
    t.like(await read(store, two), { overall_status: 'DRAFT', rev: 2 });
    t.is((await read(store, three)).overall_status, 'REJECTED');
    t.like(await read(store, five), { overall_status: 'DRAFT', rev: 1 });
    t.deepEqual(await pushes.supersedePushes(input), { superseded: 0 });
    const claimed = await claim(pushes);
    t.is(claimedId(claimed), 'RFC-5');
    t.deepEqual(
      claimed?.older.map(({ rfc_id }) => rfc_id),
      ['RFC-2'],
    );
  });

  check('supersedePushes takes GROUP_MAX of them, no more', async (t, { pushes }) => {
    const all = Array.from({ length: PUSH_STORE.GROUP_MAX + 1 }, (_, n) => ({
      rfc_id: `RFC-${n}`,
      rev: 1,
    }));
    const input = { tenant_id: 'default', by: null, at: new Date(NOW).toISOString() };
    await fails(t, pushes.supersedePushes({ ...input, pushes: all }), 'INVALID_ARGUMENT');
    const answer = await pushes.supersedePushes({ ...input, pushes: all.slice(1) });
    t.deepEqual(answer, { superseded: 0 });
  });
}
