import { type DeployReport, orderAfter, placeKey, reportOrder } from '../../../src/model/deploy.ts';
import type { ScoreCurves } from '../../../src/model/score.ts';
import type { Check } from './steps.ts';

/** A report of a deploy that succeeded. */
export function sampleReport(fields: Partial<DeployReport> = {}): DeployReport {
  return {
    report_id: 'D-1',
    repo: 'Acme/Shop',
    component: null,
    environment: 'prod',
    sha: 'a'.repeat(40),
    result: 'succeeded',
    at: '2026-11-21T12:00:00.000Z',
    started_at: null,
    received_at: '2026-11-21T12:00:01.000Z',
    url: null,
    artifact: { name: 'shop', digest: `sha256:${'0'.repeat(64)}` },
    by: 'api-token:1a2b3c4d',
    ...fields,
  };
}

/** Curves of one group. */
export function sampleCurves(version: number): ScoreCurves {
  const curve = { group: 'acme', slope: 0.9, offset: -0.4, changes: 300, failures: 60 };
  return { version, made_at: '2026-11-21T12:00:00.000Z', curves: [curve] };
}

/** Reports of deploys, and curves of scores. */
export function checkDeploys(check: Check): void {
  check(
    'a version of curves is added once, and each tenant has its own',
    async (t, { deploys }) => {
      const tenant_id = 'default';
      t.deepEqual(await deploys.newestCurves({ tenant_id, below: null }), { curves: null });
      for (const version of [1, 2]) {
        const added = await deploys.addCurves({ tenant_id, curves: sampleCurves(version) });
        t.deepEqual(added, { added: true });
      }
      const other = { ...sampleCurves(2), curves: [] };
      t.deepEqual(await deploys.addCurves({ tenant_id, curves: other }), { added: false });
      await deploys.addCurves({ tenant_id: 'other', curves: sampleCurves(7) });
      const newest = await deploys.newestCurves({ tenant_id, below: null });
      t.deepEqual(newest.curves, sampleCurves(2));
      const before = await deploys.newestCurves({ tenant_id, below: 2 });
      t.deepEqual(before.curves, sampleCurves(1));
    },
  );

  check('a report of a deploy that comes again is the first one', async (t, { deploys }) => {
    const report = sampleReport();
    const add = (of: DeployReport) => deploys.addReport({ tenant_id: 'default', report: of });
    t.deepEqual(await add(report), { report, added: true });
    t.deepEqual(await add({ ...report, received_at: '2026-11-21T13:00:00.000Z' }), {
      report,
      added: false,
    });
  });

  check('reports of a place stand in one order, by pages', async (t, { deploys }) => {
    const at = '2026-11-21T12:00:00.000Z';
    const reports = (['failed', 'rolled_back', 'started', 'succeeded'] as const).map((result, n) =>
      sampleReport({ report_id: `D-${n}`, result, at }),
    );
    const later = sampleReport({ report_id: 'D-9', at: '2026-11-22T12:00:00.000Z' });
    const other = sampleReport({ report_id: 'D-8', component: 'pay' });
    await Promise.all(
      [later, ...reports, other].map((report) =>
        deploys.addReport({ tenant_id: 'default', report }),
      ),
    );
    const place = placeKey({ environment: 'PROD', repo: 'acme/shop', component: null });
    const found: DeployReport[] = [];
    let order = orderAfter(later.at);
    for (let page = 0; page < 3; page += 1) {
      const asked = { tenant_id: 'default', place, order, limit: 2 };
      const { reports: some } = await deploys.reportsBelow(asked);
      found.push(...some);
      order = reportOrder(some.at(-1) ?? later);
    }
    t.deepEqual(
      found.map(({ result }) => result),
      ['succeeded', 'rolled_back', 'succeeded', 'failed', 'started'],
    );
    const of = { tenant_id: 'default', place, sha: later.sha, result: 'succeeded' } as const;
    const succeeded = await deploys.reportsOf({ ...of, order: orderAfter(later.at), limit: 2 });
    t.deepEqual(
      succeeded.reports.map(({ report_id }) => report_id),
      ['D-9', 'D-3'],
    );
    const below = { ...of, order: reportOrder(later), limit: 2 };
    t.is((await deploys.reportsOf(below)).reports.length, 1);
    t.deepEqual(await deploys.reportsOf({ ...below, sha: 'b'.repeat(40) }), { reports: [] });
    const elsewhere = { tenant_id: 'other', place, order: orderAfter(later.at), limit: 2 };
    t.deepEqual(await deploys.reportsBelow(elsewhere), { reports: [] });
    t.deepEqual(await deploys.nextPlace({ tenant_id: 'default', after: '' }), { place });
    t.deepEqual(await deploys.nextPlace({ tenant_id: 'default', after: place }), {
      place: placeKey(other),
    });
    t.deepEqual(await deploys.nextPlace({ tenant_id: 'default', after: placeKey(other) }), {
      place: null,
    });
    t.deepEqual(await deploys.nextPlace({ tenant_id: 'other', after: '' }), { place: null });
  });
}
