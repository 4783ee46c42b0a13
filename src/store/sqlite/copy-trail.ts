import { leafHash } from '../../audit/chain.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { CopyCursor, CopyRow } from '../copy.ts';
import { chainNames } from './audit-log.ts';
import { type KindCopy, pageOf } from './copy-records.ts';
import type { Connection } from './database.ts';

/** Entries of the trail, chain by chain, the oldest first: the texts as they were written. */
export function createEntryCopy(database: Connection): KindCopy {
  const read = database.prepare<[string, number], { seq: number; entry: string }>(
    'SELECT seq, entry FROM audit WHERE chain = ? AND seq > ? ORDER BY seq',
  );
  const find = database.prepare<[string, number], { entry: string }>(
    'SELECT entry FROM audit WHERE chain = ? AND seq = ?',
  );
  const last = database.prepare<[], { n: number; bytes: number }>(
    'SELECT n, bytes FROM audit ORDER BY n DESC LIMIT 1',
  );
  const insert = database.prepare(`
    INSERT INTO audit (n, chain, seq, op_id, phase, kind, ts, bytes, prev, hash, entry)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);

  function* behind(
    after: CopyCursor | null,
  ): Generator<{ chain: string; seq: number; entry: string }> {
    const chains = chainNames(database);
    const [chain, seq] = (after ?? [chains[0] ?? '', 0]) as [string, number];
    for (const name of chains.slice(chains.indexOf(chain))) {
      for (const row of read.iterate(name, name === chain ? seq : 0)) yield { chain: name, ...row };
    }
  }

  return {
    read: (after) =>
      pageOf(
        behind(after),
        ({ entry }) => ({ entry }),
        ({ chain, seq }) => [chain, seq],
      ),
    write(row) {
      const text = row['entry'] as string;
      const { chain, seq, op_id, phase, kind, ts, prev } = JSON.parse(text) as AuditEntry;
      if (find.get(chain, seq)?.entry === text) return;
      const { n, bytes } = last.get() ?? { n: 0, bytes: 0 };
      const place = [BigInt(n + 1), chain, BigInt(seq), op_id, phase, kind, ts];
      const total = BigInt(bytes + Buffer.byteLength(text));
      insert.run(...place, total, prev, leafHash(text).toString('hex'), text);
    },
  };
}

/** Tasks in their order. */
export function createTaskCopy(database: Connection): KindCopy {
  const columns = 'task_id, tenant_id, finding_id, status, json';
  const behind = database.prepare<[number], CopyRow & { seq: number }>(
    `SELECT seq, ${columns} FROM task WHERE seq > ? ORDER BY seq`,
  );
  const insert = database.prepare(
    `INSERT INTO task (seq, ${columns}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  return {
    read: (after) =>
      pageOf(
        behind.iterate(Number(after ?? 0)),
        ({ seq: _, ...row }) => row,
        ({ seq }) => seq,
      ),
    write({ task_id, tenant_id, finding_id, status, json }, at) {
      insert.run(BigInt(at + 1), task_id, tenant_id, finding_id, status, json);
    },
  };
}
