import { FINDINGS_PER_RFC_MAX } from '../../../src/model/limits.ts';
import type { TrailStore } from '../../../src/store/contract/trail.ts';
import { blockedRecord, decisionOn, findingWith } from '../fixtures/decisions.ts';
import { type Check, fails, insert } from './steps.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];

function among(trail: TrailStore, repo_name = 'org/REPO', tenant_id = 'default') {
  return trail
    .acceptedAmong({ tenant_id, repo_name, fingerprints: [A, B, C, A] })
    .then(({ accepted }) => accepted.map(({ fingerprint }) => fingerprint).sort());
}

export function checkAccepted(check: Check): void {
  check('decide accepts what may be suppressed, in its repository', async (t, harness) => {
    const { store, trail } = harness;
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [
      findingWith('a'),
      findingWith('a', { line: 9 }),
      findingWith('b', { id: 'vuln-03' }),
      findingWith('c', { suppressed: { by: 'cra-ignore', reason: 'test' } }),
    ]);
    await insert(store, record);
    t.deepEqual(await among(trail), []);
    await trail.decide(decisionOn(record, 'op-1', { accept_findings: true }));
    const { accepted } = await trail.acceptedAmong({
      tenant_id: 'default',
      repo_name: 'ORG/repo',
      fingerprints: [C, B, A],
    });
    t.deepEqual(accepted, [
      {
        fingerprint: A,
        reason: 'incident 7',
        by: 'Alice A. (alice), RFC-1',
        repo: 'ORG/repo',
      },
    ]);
    t.deepEqual(await among(trail, 'org/other'), []);
    t.deepEqual(await among(trail, 'org/repo', 'other'), []);
    const entry = (await harness.entries()).find(({ op_id }) => op_id === 'op-1');
    t.is(entry?.details['accepted'], 1);
    await harness.reopen();
    t.deepEqual(await among(harness.trail), [A]);
  });

  check('decide without accept_findings accepts nothing', async (t, { store, trail }) => {
    const record = blockedRecord({ rfc_id: 'RFC-1' }, [findingWith('a')]);
    await insert(store, record);
    await trail.decide(decisionOn(record, 'op-1'));
    t.deepEqual(await among(trail), []);
  });

  for (const action of ['reject', 'delete'] as const) {
    check(`decide: ${action} withdraws what its RFC accepted alone`, async (t, harness) => {
      const { store, trail } = harness;
      const one = blockedRecord({ rfc_id: 'RFC-1' }, [findingWith('a'), findingWith('b')]);
      const two = blockedRecord({ rfc_id: 'RFC-2' }, [findingWith('b'), findingWith('c')]);
      for (const record of [one, two]) {
        await insert(store, record);
        const id = `op-${record.rfc_id}`;
        await trail.decide(decisionOn(record, id, { accept_findings: true }));
      }
      t.deepEqual(await among(trail), [A, B, C]);
      await trail.decide(decisionOn(one, 'op-3', { action }));
      t.deepEqual(await among(trail), [B, C]);
      const entry = (await harness.entries()).find(({ op_id }) => op_id === 'op-3');
      t.like(entry?.details, { accepted: 0, withdrawn: 2 });
      await trail.decide(decisionOn(two, 'op-4', { action }));
      t.deepEqual(await among(trail), []);
    });
  }

  check('acceptedAmong is bounded', async (t, { trail }) => {
    const ask = (count: number) =>
      trail.acceptedAmong({
        tenant_id: 'default',
        repo_name: 'org/repo',
        fingerprints: Array.from({ length: count }, (_, n) => String(n)),
      });
    t.deepEqual(await ask(FINDINGS_PER_RFC_MAX), { accepted: [] });
    await fails(t, ask(FINDINGS_PER_RFC_MAX + 1), 'INVALID_ARGUMENT');
  });
}
