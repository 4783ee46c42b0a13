import type { Finding } from '../../../src/model/finding.ts';
import { blockedRecord } from '../fixtures/decisions.ts';
import { sampleFinding } from '../fixtures/records.ts';
import { type Check, fails, insert } from './steps.ts';

/** Findings by name. */
export function checkFindings(check: Check): void {
  check('a finding is found by its id, or by its rule where it is open', async (t, { store }) => {
    const one = (index: number, over: Partial<Finding> = {}): Finding => ({
      ...sampleFinding(index),
      finding_id: `F-1-${index}`,
      ...over,
    });
    const done = { by: 'somebody', at: '2026-11-21T12:00:00.000Z' };
    const findings = [
      one(1, { id: 'risk-a', suppressed: { by: 'marker', reason: 'a test' } }),
      one(2, { id: 'risk-a', resolved: done }),
      one(3, { id: 'risk-a' }),
      ...[4, 5, 6].map((index) => one(index, { id: 'risk-b' })),
    ];
    const record = blockedRecord({ rfc_id: 'RFC-1', repo_name: 'acme/shop' }, findings);
    await insert(store, record);
    const find = async (name: string) => {
      const found = await store.findFindings({ tenant_id: 'default', rfc_id: 'RFC-1', name });
      t.is(found.repo_name, 'acme/shop');
      return found.findings;
    };
    t.deepEqual(await find('F-1-2'), findings.slice(1, 2));
    t.deepEqual(await find('risk-a'), findings.slice(2, 3));
    t.deepEqual(await find('risk-b'), findings.slice(3, 5));
    t.deepEqual(await find('risk-none'), []);
    for (const id of [
      { tenant_id: 'other', rfc_id: 'RFC-1' },
      { tenant_id: 'default', rfc_id: 'RFC-2' },
    ]) {
      await fails(t, store.findFindings({ ...id, name: 'risk-a' }), 'NOT_FOUND');
    }
  });
}
