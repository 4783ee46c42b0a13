import test from 'ava';
import { sealDiff } from '../../../src/core/seal.ts';
import { createSqliteReader } from '../../../src/store/sqlite/reader.ts';
import { recordText, sampleFinding, sampleRecord } from '../fixtures/records.ts';
import { openWriter, temporaryFor } from './harness.ts';

const CONTEXT = { stopReason: () => null };

/** A view on a shared buffer would take its neighbours along when it is transferred. */
test('createSqliteReader answers with whole ArrayBuffers', async (t) => {
  const dataDir = temporaryFor(t);
  const writer = openWriter({ dataDir });
  const reader = createSqliteReader({ dataDir, now: Date.now });
  t.teardown(() => {
    reader.close();
    return writer.close();
  });
  for (const count of [0, 1, 100]) {
    const rfc_id = `RFC-${count}`;
    const record = sampleRecord({ rfc_id });
    const findings = Array.from({ length: count }, (_, n) => sampleFinding(n));
    record.gates = { ...record.gates, risk: { ...record.gates.risk, findings } };
    const diff = sealDiff(Buffer.alloc(count), new Uint8Array(32), rfc_id, 10);
    await writer.records.insertRfc({ record: recordText(record), diff }, CONTEXT);
    const id = { tenant_id: 'default', rfc_id };
    const { json } = await reader.records.getRfc(id, CONTEXT);
    const { chunks } = await reader.records.getDiff(id, CONTEXT);
    for (const bytes of [json, ...chunks]) {
      t.is(bytes.byteLength, bytes.buffer.byteLength);
    }
  }
});

test('together shows what was written before it, and a read that fails costs no other', async (t) => {
  const dataDir = temporaryFor(t);
  const writer = openWriter({ dataDir });
  const reader = createSqliteReader({ dataDir, now: Date.now });
  t.teardown(() => {
    reader.close();
    return writer.close();
  });
  const view = (rfc_id: string) => reader.records.getRfc({ tenant_id: 'default', rfc_id }, CONTEXT);
  for (const rfc_id of ['RFC-1', 'RFC-2']) {
    const record = recordText(sampleRecord({ rfc_id }));
    await writer.records.insertRfc({ record, diff: null }, CONTEXT);
    const views: unknown[] = [];
    reader.together(() => {
      t.throws(() => view('RFC-0'), { message: /no such RFC/ });
      views.push(view(rfc_id));
    });
    t.like(views, [{ rev: record.rev }]);
    t.throws(() => reader.together(() => view('RFC-0')), { message: /no such RFC/ });
  }
});
