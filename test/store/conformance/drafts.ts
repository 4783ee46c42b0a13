import { SEAL_CHUNK_BYTES, sealDiff } from '../../../src/core/seal.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import { STORE } from '../../../src/store/limits.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import {
  type Check,
  fails,
  idOf,
  idsOf,
  insert,
  KEY,
  list,
  NOW,
  read,
  readDiffText,
} from './steps.ts';

export function checkDrafts(check: Check): void {
  check('completeDraft replaces the draft, keeps its place and its diff', async (t, { store }) => {
    const draft = sampleDraft({ rfc_id: 'RFC-1' });
    const diff = sealDiff(Buffer.from('diff'), KEY, 'RFC-1', SEAL_CHUNK_BYTES);
    await store.insertRfc({ record: recordText(draft), diff });
    await insert(store, sampleRecord({ rfc_id: 'RFC-2' }));
    const outcome = outcomeOf(draft, { risk_score: 77 });
    const answer = await store.completeDraft({ record: recordText(outcome), expectedRev: 1 });
    t.deepEqual(answer, { rev: 2 });
    t.deepEqual(await read(store, draft), outcome);
    const { summaries } = await list(store, {});
    t.deepEqual(summaries.map(idsOf), ['RFC-2', 'RFC-1']);
    t.is(summaries[1]?.risk_score, 77);
    t.is(await readDiffText(store, 'RFC-1'), 'diff');
  });

  check('completeDraft refuses what is stale, final, unknown or no outcome', async (t, harness) => {
    const { store } = harness;
    const draft = sampleDraft({ rfc_id: 'RFC-1' });
    await insert(store, draft);
    const complete = (record: RfcRecord, expectedRev: number) =>
      store.completeDraft({ record: recordText(record), expectedRev });
    await fails(t, complete(outcomeOf(draft, { rev: 3 }), 2), 'ABORTED');
    await fails(t, complete(outcomeOf(draft, { rev: 1 }), 1), 'INVALID_ARGUMENT');
    await fails(t, complete(outcomeOf(draft, { overall_status: 'DRAFT' }), 1), 'INVALID_ARGUMENT');
    await fails(t, complete(outcomeOf({ ...draft, rfc_id: 'RFC-2' }), 1), 'NOT_FOUND');
    t.deepEqual(await read(store, draft), draft);
    await complete(outcomeOf(draft), 1);
    const error = await fails(t, complete(outcomeOf(draft), 1), 'ABORTED');
    t.deepEqual(error?.details, { status: 'PASSED', rev: 2 });
    await fails(t, complete(outcomeOf(draft, { rev: 3 }), 2), 'ABORTED');
  });

  check('startAttempt counts, raises rev and sets updated_at', async (t, { store }) => {
    const draft = sampleDraft({ rfc_id: 'RFC-1' });
    await insert(store, draft);
    const { record } = await store.startAttempt({ ...idOf(draft), expectedRev: 1 });
    t.deepEqual(record, {
      ...draft,
      queue: { attempts: 1, queued_at: '2026-11-21T10:00:00.000Z' },
      updated_at: new Date(NOW).toISOString(),
      rev: 2,
    });
    t.deepEqual(await read(store, draft), record);
    t.is((await list(store, {})).summaries[0]?.updated_at, record.updated_at);
    await fails(t, store.startAttempt({ ...idOf(draft), expectedRev: 1 }), 'ABORTED');
    const again = await store.startAttempt({ ...idOf(draft), expectedRev: 2 });
    t.is(again.record.queue?.attempts, 2);
    await store.completeDraft({ record: recordText(outcomeOf(again.record)), expectedRev: 3 });
    await fails(t, store.startAttempt({ ...idOf(draft), expectedRev: 4 }), 'ABORTED');
  });

  check('listDrafts gives the drafts of all tenants, oldest first', async (t, { store }) => {
    const drafts = ['a', 'b', 'c', 'd'].map((tenant_id, n) =>
      sampleDraft({ rfc_id: `RFC-${n}`, tenant_id, created_at: `2026-11-2${9 - n}T00:00:00.000Z` }),
    );
    for (const draft of drafts) {
      await insert(store, draft);
      await insert(store, sampleRecord({ rfc_id: `RFC-X${draft.rfc_id}` }));
    }
    const [first, ...rest] = drafts as [RfcRecord, ...RfcRecord[]];
    await store.completeDraft({ record: recordText(outcomeOf(first)), expectedRev: 1 });
    t.deepEqual((await store.listDrafts({ limit: 100 })).drafts, rest);
    const page = await store.listDrafts({ limit: 2 });
    t.deepEqual(page.drafts, rest.slice(0, 2));
    const { next_cursor: cursor } = page;
    t.deepEqual((await store.listDrafts({ limit: 2, cursor })).drafts, rest.slice(2, 4));
    for (const limit of [0, -1, 1.5, Number.NaN, STORE.DRAFTS_LIMIT_MAX + 1]) {
      await fails(t, store.listDrafts({ limit }), 'INVALID_ARGUMENT');
    }
  });
}

export function checkRaces(check: Check): void {
  check('completeDraft: of 20 racing completions exactly one wins', async (t, { store }) => {
    for (let round = 0; round < 10; round += 1) {
      const draft = sampleDraft({ rfc_id: `RFC-${round}` });
      await insert(store, draft);
      const outcomes = Array.from({ length: 20 }, (_, n) => outcomeOf(draft, { risk_score: n }));
      const results = await Promise.allSettled(
        outcomes.map((record) =>
          store.completeDraft({ record: recordText(record), expectedRev: 1 }),
        ),
      );
      const winners = outcomes.filter((_, n) => results[n]?.status === 'fulfilled');
      t.is(winners.length, 1);
      t.deepEqual(await read(store, draft), winners[0]);
    }
  });

  check('startAttempt: of 20 racing attempts exactly one wins', async (t, { store }) => {
    const draft = sampleDraft({ rfc_id: 'RFC-1' });
    await insert(store, draft);
    const attempt = () => store.startAttempt({ ...idOf(draft), expectedRev: 1 });
    const results = await Promise.allSettled(Array.from({ length: 20 }, attempt));
    t.is(results.filter((result) => result.status === 'fulfilled').length, 1);
    t.is((await read(store, draft)).queue?.attempts, 1);
  });
}
