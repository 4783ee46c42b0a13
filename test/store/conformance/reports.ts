import { sealDiff } from '../../../src/core/seal.ts';
import type { KeptReport, ReportName } from '../../../src/model/reports.ts';
import { REPORT_STORE } from '../../../src/store/limits.ts';
import { reportBytes } from '../../../src/store/steps/report.ts';
import { shaOf } from '../fixtures/pushes.ts';
import { sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { type Check, fails, insert, KEY, NOW } from './steps.ts';

const ABOUT = { tenant_id: 'default', repo_name: 'Acme/Shop', subject: shaOf('one') };

function report(tool: string, over: Partial<KeptReport> = {}): KeptReport {
  const sealed = sealDiff(Buffer.from(`report of ${tool}`), KEY, tool, 8);
  return { tool, sha256: 'ab', at: new Date(NOW).toISOString(), results: 3, sealed, ...over };
}

/** Reports of other tools, and the RFCs of a commit. */
export function checkReports(check: Check): void {
  check('keepReports keeps the newest report of each tool, by change', async (t, { store }) => {
    const one = report('one');
    const two = report('two');
    const later = report('one', { sha256: 'cd' });
    await store.keepReports({ ...ABOUT, reports: [one, two] });
    await store.keepReports({ ...ABOUT, reports: [later] });
    const kept = async (over: Partial<typeof ABOUT>) => {
      const { reports } = await store.reportNames({ ...ABOUT, ...over });
      const read = async ({ tool, sha256, bytes }: ReportName) => {
        const { report } = await store.getReport({ ...ABOUT, ...over, tool });
        t.is(report?.sha256, sha256);
        t.is(bytes, reportBytes(report ?? one));
        return report;
      };
      return await Promise.all(reports.sort((a, b) => (a.tool < b.tool ? -1 : 1)).map(read));
    };
    t.deepEqual(await kept({ repo_name: 'acme/shop' }), [later, two]);
    const others = [{ tenant_id: 'other' }, { repo_name: 'acme/x' }, { subject: shaOf('two') }];
    for (const other of others) {
      t.deepEqual(await kept(other), []);
      const { report } = await store.getReport({ ...ABOUT, ...other, tool: 'one' });
      t.is(report, null);
    }
  });

  check('keepReports refuses what has no room, and keeps nothing of it', async (t, { store }) => {
    const many = Array.from({ length: REPORT_STORE.TOOLS_MAX }, (_, at) => report(`tool-${at}`));
    await store.keepReports({ ...ABOUT, reports: many });
    await store.keepReports({ ...ABOUT, reports: [report('tool-3')] });
    const more = [report('tool-1', { sha256: 'cd' }), report('more')];
    const error = await fails(
      t,
      store.keepReports({ ...ABOUT, reports: more }),
      'RESOURCE_EXHAUSTED',
    );
    t.regex(error?.message ?? '', /more than 20 tools/);
    const { reports } = await store.reportNames(ABOUT);
    t.true(reports.every(({ sha256 }) => sha256 === 'ab'));
    const chunks = [new Uint8Array(REPORT_STORE.REPORT_BYTES_MAX + 1)];
    const large = report('large', { sealed: { chunks, bytes: 1 } });
    const subject = shaOf('two');
    const refused = store.keepReports({ ...ABOUT, subject, reports: [large] });
    await fails(t, refused, 'RESOURCE_EXHAUSTED');
  });

  check('rfcsOfCommit names the newest first, of one repository', async (t, { store }) => {
    const commit_sha = shaOf('one');
    const own = { repo_name: 'Acme/Shop', commit_sha };
    await insert(store, sampleRecord({ rfc_id: 'RFC-1', ...own }));
    await insert(store, sampleDraft({ rfc_id: 'RFC-2', ...own }));
    await insert(store, sampleRecord({ rfc_id: 'RFC-3', ...own, overall_status: 'SUPERSEDED' }));
    await insert(store, sampleRecord({ rfc_id: 'RFC-4', ...own, repo_name: 'acme/x' }));
    await insert(store, sampleRecord({ rfc_id: 'RFC-5', ...own, tenant_id: 'other' }));
    const asked = { tenant_id: 'default', repo_name: 'acme/shop', commit_sha };
    t.deepEqual(await store.rfcsOfCommit(asked), {
      rfc_ids: ['RFC-2', 'RFC-1'],
      has_more: false,
    });
    for (let at = 0; at < REPORT_STORE.RFCS_MAX; at += 1) {
      await insert(store, sampleRecord({ rfc_id: `RFC-A${at}`, ...own }));
    }
    const { rfc_ids, has_more } = await store.rfcsOfCommit(asked);
    t.is(rfc_ids.length, REPORT_STORE.RFCS_MAX);
    t.true(has_more);
  });
}
