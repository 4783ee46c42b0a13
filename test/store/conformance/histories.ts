import { createHash, randomUUID } from 'node:crypto';
import { type ChangeEntry, emptyHistory, type RepoHistory } from '../../../src/model/change.ts';
import { HISTORY } from '../../../src/model/limits.ts';
import type { RecordStore } from '../../../src/store/contract/records.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import type { Check } from './steps.ts';

const REPO = { tenant_id: 'default', repo_name: 'Org/Repo' };
const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(16)) as [string, string, string];

function entry(number: number, over: Partial<ChangeEntry> = {}): ChangeEntry {
  const diff_hash = createHash('sha256').update(String(number)).digest('hex');
  return { diff_hash, lines_added: 10, is_fix: false, file_keys: [A], ...over };
}

async function post(store: RecordStore, change: ChangeEntry, over: object = {}): Promise<void> {
  const rfc_id = `RFC-${randomUUID()}`;
  const record = sampleRecord({ rfc_id, ...REPO, ...over });
  await store.insertRfc({ record: recordText(record, change), diff: null });
}

function met(store: RecordStore, change: ChangeEntry, over: object = {}): Promise<RepoHistory> {
  const { diff_hash, file_keys } = change;
  return store.repoHistory({ ...REPO, diff_hash, file_keys, ...over });
}

export function checkHistories(check: Check): void {
  check('repoHistory of an unknown repository is empty', async (t, { store }) => {
    t.deepEqual(await met(store, entry(1, { file_keys: [A, B] })), emptyHistory(2));
  });

  check('repoHistory sums what is known of the files of a change', async (t, harness) => {
    await post(harness.store, entry(1, { is_fix: true, file_keys: [A, B] }));
    await post(harness.store, entry(2, { file_keys: [A] }));
    await post(harness.store, entry(3, { file_keys: [C], lines_added: 100 }));
    await harness.reopen();
    const history = await met(harness.store, entry(4, { file_keys: [A, B, 'd'.repeat(16)] }));
    const sizes = [10, 10, 100].map(Math.log1p);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / 3;
    const variance = sizes.reduce((sum, size) => sum + (size - mean) ** 2, 0) / 3;
    t.true(Math.abs(history.size_mean - mean) < 1e-5);
    t.true(Math.abs(history.size_deviation - Math.sqrt(variance)) < 1e-5);
    t.deepEqual(
      { ...history, size_mean: 0, size_deviation: 0 },
      {
        ...emptyHistory(3),
        changes: 3,
        files_known: 2,
        touches: 3,
        fixes: 2,
        recent_touches: 3,
        log_age: Number((Math.log1p(2) + Math.log1p(3)).toFixed(6)),
      },
    );
  });

  check('repoHistory counts a diff once, and gives it what it met then', async (t, { store }) => {
    await post(store, entry(1));
    await post(store, entry(2));
    const before = await met(store, entry(2));
    t.is(before.changes, 1);
    await post(store, entry(2), { overall_status: 'BLOCKED' });
    await post(store, entry(2), { repo_name: 'ORG/repo' });
    t.deepEqual(await met(store, entry(2)), before);
    t.is((await met(store, entry(3))).changes, 2);
  });

  check('repoHistory keeps repositories and tenants apart', async (t, { store }) => {
    await post(store, entry(1));
    await post(store, entry(2), { repo_name: 'org/other' });
    await post(store, entry(3), { tenant_id: 'else' });
    t.is((await met(store, entry(9))).changes, 1);
    t.is((await met(store, entry(9), { repo_name: 'org/REPO' })).changes, 1);
    t.is((await met(store, entry(9), { tenant_id: 'else' })).touches, 1);
    t.is((await met(store, entry(9), { repo_name: 'org/none' })).changes, 0);
  });

  check('repoHistory counts a draft when it comes, not when it ends', async (t, { store }) => {
    const draft = sampleDraft({ rfc_id: 'RFC-1', ...REPO });
    const known = { record: recordText(draft, entry(1)), diff: null };
    await store.insertRfc(known);
    await store.insertRfc(known);
    t.is((await met(store, entry(2))).changes, 1);
    const outcome = recordText(outcomeOf(draft), entry(5));
    await store.completeDraft({ record: outcome, expectedRev: 1 });
    t.is((await met(store, entry(2))).changes, 1);
  });

  check('repoHistory forgets old touches, and counts so many of the others', async (t, harness) => {
    const { store } = harness;
    const { TOUCHES_MAX, WINDOW_CHANGES } = HISTORY;
    for (let n = 1; n <= TOUCHES_MAX + 5; n += 1) await post(store, entry(n));
    t.is((await met(store, entry(0))).recent_touches, TOUCHES_MAX);
    t.is((await met(store, entry(0))).touches, TOUCHES_MAX + 5);
    const others = Array.from({ length: WINDOW_CHANGES - 1 }, (_, n) =>
      post(store, entry(1000 + n, { file_keys: [B] })),
    );
    await Promise.all(others);
    t.is((await met(store, entry(0))).recent_touches, 1);
    await post(store, entry(2000, { file_keys: [B] }));
    t.is((await met(store, entry(0))).recent_touches, 0);
    await post(store, entry(2001));
    t.is((await met(store, entry(0))).recent_touches, 1);
    t.is((await met(store, entry(0))).log_age, Number(Math.log1p(1).toFixed(6)));
  });
}
