import { openDiff, SEAL_CHUNK_BYTES, sealDiff } from '../../../src/core/seal.ts';
import { BODY, RETENTION } from '../../../src/model/limits.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { type Check, DAY_MS, fails, idOf, KEY, NOW, read, readDiffText } from './steps.ts';

export function checkDiffs(check: Check): void {
  check('getDiff gives back diffs of every size', async (t, { store }) => {
    for (const size of [0, 1, 10_000, SEAL_CHUNK_BYTES + 1, BODY.LARGE_BYTES_MAX]) {
      const rfc_id = `RFC-${size}`;
      const diff = new Uint8Array(size).fill(43);
      for (let n = 0; n < size; n += 97) diff[n] = n % 251;
      await store.insertRfc({
        record: recordText(sampleRecord({ rfc_id })),
        diff: sealDiff(diff, KEY, rfc_id, SEAL_CHUNK_BYTES),
      });
      const sealed = await store.getDiff({ tenant_id: 'default', rfc_id });
      t.is(sealed.bytes, size);
      const opened = openDiff(sealed, KEY, rfc_id, BODY.LARGE_BYTES_MAX);
      t.true(Buffer.from(diff).equals(opened));
    }
  });

  check('getDiff keeps apart what came in one batch', async (t, { store }) => {
    const ids = Array.from({ length: 30 }, (_, n) => `RFC-${n}`);
    await Promise.all(
      ids.map((rfc_id, n) => {
        const text = Buffer.from(`diff of ${rfc_id} `.repeat(n * 50));
        const diff = n % 3 === 0 ? null : sealDiff(text, KEY, rfc_id, 100);
        return store.insertRfc({ record: recordText(sampleRecord({ rfc_id })), diff });
      }),
    );
    for (const [n, rfc_id] of ids.entries()) {
      if (n % 3 === 0) {
        await fails(t, store.getDiff({ tenant_id: 'default', rfc_id }), 'NOT_FOUND');
      } else t.is(await readDiffText(store, rfc_id), `diff of ${rfc_id} `.repeat(n * 50));
    }
  });

  check('getDiff says NOT_FOUND when the retention is over, not before', async (t, harness) => {
    const record = sampleRecord({ rfc_id: 'RFC-1' });
    for (const days of [RETENTION.DIFF_DAYS_DEFAULT, RETENTION.DIFF_DAYS_MAX]) {
      if (days !== RETENTION.DIFF_DAYS_DEFAULT) await harness.keepDiffs(days);
      const rfc_id = `RFC-${days}`;
      const diff = sealDiff(Buffer.from('diff'), KEY, rfc_id, SEAL_CHUNK_BYTES);
      await harness.store.insertRfc({ record: recordText({ ...record, rfc_id }), diff });
      t.is(await harness.pruneDiffs(NOW + days * DAY_MS), 0, `${days} days`);
      t.is(await readDiffText(harness.store, rfc_id), 'diff');
      t.is(await harness.pruneDiffs(NOW + (days + 1) * DAY_MS), 1, `${days} days`);
      await fails(t, harness.store.getDiff({ ...idOf(record), rfc_id }), 'NOT_FOUND');
      t.deepEqual(await read(harness.store, { ...record, rfc_id }), { ...record, rfc_id });
    }
  });
}
