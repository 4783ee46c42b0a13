import { CraError } from '../../../src/domain/errors.ts';
import { sampleRecord } from '../fixtures/records.ts';
import { type Check, insert } from './steps.ts';

const ANY = { tenant_id: 'default', repo_name: 'acme/shop', branch: null, commit_sha: null };

/** The newest RFC of a repository. */
export function checkLatest(check: Check): void {
  check('latestRfc finds the newest of a repository, a branch, a commit', async (t, { store }) => {
    const rows: [string, string, string | null][] = [
      ['RFC-1', 'main', 'a1'],
      ['RFC-2', 'main', 'a2'],
      ['RFC-3', 'next', 'a1'],
      ['RFC-4', 'next', null],
    ];
    for (const [rfc_id, branch, commit_sha] of rows) {
      await insert(store, sampleRecord({ rfc_id, repo_name: 'Acme/Shop', branch, commit_sha }));
    }
    await insert(store, sampleRecord({ rfc_id: 'RFC-5', repo_name: 'acme/other' }));
    const latest = async (narrow: Partial<typeof ANY>) => {
      const { json } = await store.latestRfc({ ...ANY, ...narrow } as typeof ANY);
      return (JSON.parse(Buffer.from(json).toString()) as { rfc_id: string }).rfc_id;
    };
    t.is(await latest({}), 'RFC-4');
    t.is(await latest({ branch: 'main' } as never), 'RFC-2');
    t.is(await latest({ commit_sha: 'a1' } as never), 'RFC-3');
    t.is(await latest({ commit_sha: 'a1', branch: 'main' } as never), 'RFC-1');
    for (const narrow of [
      { branch: 'gone' },
      { commit_sha: 'b' },
      { repo_name: 'acme/none' },
      { tenant_id: 'other' },
    ]) {
      const error = await t.throwsAsync(latest(narrow as never), { instanceOf: CraError });
      t.is(error?.code, 'NOT_FOUND');
    }
  });

  check('latestRfc leaves out what is SUPERSEDED', async (t, { store }) => {
    await insert(store, sampleRecord({ rfc_id: 'RFC-1', repo_name: 'acme/shop' }));
    const newer = {
      rfc_id: 'RFC-2',
      repo_name: 'acme/shop',
      overall_status: 'SUPERSEDED',
    } as const;
    await insert(store, sampleRecord(newer));
    const { json } = await store.latestRfc(ANY);
    t.regex(Buffer.from(json).toString(), /"rfc_id":"RFC-1"/);
  });
}
