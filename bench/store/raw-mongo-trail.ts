import type { Db } from 'mongodb';
import type { RawRows, RawTrail } from './raw-trail.ts';

const CAPPED_BYTES = 1024 ** 3;

/** The driver of MongoDB with documents of equal sizes, indexes and concern; nothing computed. */
export async function openRawMongoTrail(
  database: Db,
  records: number,
  rows: RawRows,
): Promise<RawTrail> {
  const audit = await database.createCollection<{ _id: string }>('audit', {
    capped: true,
    size: CAPPED_BYTES,
  });
  await audit.createIndex({ chain: 1, seq: 1 }, { unique: true });
  await audit.createIndex({ op_id: 1, slot: 1 }, { unique: true });
  const rfcs = database.collection<{ _id: string }>('decided');
  const ids = Array.from({ length: records }, (_, n) => `RFC-${n}`);
  const texts = { summary: rows.summary, json: rows.json };
  await rfcs.insertMany(ids.map((_id) => ({ _id, status: 'PASSED', rev: 1, ...texts })));
  let seq = 0;

  async function append(count: number, slot: string): Promise<void> {
    const documents = Array.from({ length: count }, (_, n) => {
      seq += 1;
      const place = { _id: `chain:${seq}`, chain: 'chain', seq, op_id: `op-${seq - n}-${n}` };
      return { ...place, slot, phase: slot, kind: 'approve', ts: new Date(), entry: rows.entry };
    });
    await audit.insertMany(documents);
  }

  async function decide(count: number): Promise<void> {
    await append(count, 'intent');
    await rfcs.bulkWrite(
      Array.from({ length: count }, (_, n) => ({
        updateOne: {
          filter: { _id: ids[(seq + n) % records] ?? '' },
          update: { $set: { status: 'APPROVED', ...texts }, $inc: { rev: 1 } },
        },
      })),
      { ordered: false },
    );
    await append(count, 'outcome');
  }

  const inBatches = async (count: number, batch: number, write: (n: number) => Promise<void>) => {
    for (let at = 0; at < count; at += batch) await write(Math.min(batch, count - at));
  };
  return {
    appendAll: (count, batch) => inBatches(count, batch, (n) => append(n, 'whole')),
    decideAll: (count, batch) => inBatches(count, batch, decide),
    close: () => undefined,
  };
}
