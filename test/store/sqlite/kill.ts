import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openDiff } from '../../../src/core/seal.ts';
import { CraError } from '../../../src/model/errors.ts';
import { BODY } from '../../../src/model/limits.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import type { RecordStore } from '../../../src/store/contract/records.ts';
import { openForReading, storePaths } from '../../../src/store/sqlite/database.ts';
import { openSqlite } from './harness.ts';

export const KILL_KEY = new Uint8Array(32).fill(9);

export interface KillReport {
  kills: number;
  /** Records of which at least the insert was acknowledged. */
  acknowledged: number;
  /** Whatever is not as it was acknowledged, in words. Must be empty. */
  faults: string[];
}

/**
 * Kills a writing process with SIGKILL `kills` times on one data directory, each time at a moment
 * drawn from the seed, and compares what it had acknowledged with what is there after it; in the
 * end once more with everything.
 */
export async function killRepeatedly(options: {
  dataDir: string;
  kills: number;
  seed: number;
  onKill?: (report: KillReport) => void;
}): Promise<KillReport> {
  const report: KillReport = { kills: 0, acknowledged: 0, faults: [] };
  const all = new Map<string, number>();
  for (let round = 0; round < options.kills; round += 1) {
    const seed = options.seed + round;
    const revs = await writeUntilKilled(options.dataDir, seed);
    for (const [id, rev] of revs) all.set(id, rev);
    report.kills += 1;
    report.acknowledged += revs.size;
    report.faults.push(...(await findFaults(options.dataDir, revs, `RFC-${seed}-`)));
    options.onKill?.(report);
  }
  report.faults.push(...(await findFaults(options.dataDir, all, 'RFC-')));
  return report;
}

/** The diff that belongs to an id: 0 to 16 KB that nothing else looks like. */
export function diffOf(rfcId: string): Uint8Array {
  const hash = createHash('sha256').update(rfcId).digest('hex');
  return Buffer.from(hash.repeat(Number.parseInt(hash.slice(0, 2), 16)));
}

/** The newest acknowledged rev by id. */
async function writeUntilKilled(dataDir: string, seed: number): Promise<Map<string, number>> {
  const revs = new Map<string, number>();
  await runUntilKilled('kill-child.js', dataDir, { seed, linesMax: 1_500 }, (line) => {
    const [rfcId = '', rev] = line.split(' ');
    revs.set(rfcId, Math.max(revs.get(rfcId) ?? 0, Number(rev)));
  });
  return revs;
}

/**
 * Starts a writing process with the directory and the seed, and kills it with SIGKILL after a
 * number of lines that the seed tells. Every line that it managed to write is given to `onLine`.
 */
export async function runUntilKilled(
  file: string,
  dataDir: string,
  { seed, linesMax }: { seed: number; linesMax: number },
  onLine: (line: string) => void,
): Promise<void> {
  const entry = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [entry, dataDir, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const draw = createHash('sha256').update(String(seed)).digest().readUInt16LE();
  const killAfter = 1 + (draw % linesMax);
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    onLine(line);
    lines += 1;
    if (lines === killAfter) child.kill('SIGKILL');
  }
  const [, signal] = await exited;
  if (signal !== 'SIGKILL') throw new Error(`the writing process ended by itself (${signal})`);
}

/** Looks at what was acknowledged, and at all else whose id begins with `prefix`. */
async function findFaults(
  dataDir: string,
  revs: Map<string, number>,
  prefix: string,
): Promise<string[]> {
  const opened = openSqlite(dataDir, Date.now);
  const database = openForReading(storePaths(dataDir).database);
  const faults: string[] = [];
  try {
    const check = database.pragma('quick_check', { simple: true });
    if (check !== 'ok') faults.push(`quick_check: ${check}`);
    // What was not acknowledged may be there or not, but never in part.
    const stored = database
      .prepare<[string], { rfc_id: string }>('SELECT rfc_id FROM rfc WHERE rfc_id GLOB ?')
      .all(`${prefix}*`);
    const ids = new Set([...revs.keys(), ...stored.map((row) => row.rfc_id)]);
    for (const id of ids) {
      const fault = await faultOf(opened.store, id, revs.get(id) ?? 0);
      if (fault !== null) faults.push(`${id}: ${fault}`);
    }
  } finally {
    database.close();
    await opened.close();
  }
  return faults;
}

const STATUS_BY_REV = [null, ['PASSED', 'DRAFT'], ['DRAFT'], ['PASSED']];

async function faultOf(store: RecordStore, rfc_id: string, rev: number): Promise<string | null> {
  const id = { tenant_id: 'default', rfc_id };
  try {
    const view = await store.getRfc(id);
    const record = JSON.parse(Buffer.from(view.json).toString()) as RfcRecord;
    if (view.rev < rev) return `rev ${rev} was acknowledged, ${view.rev} is stored`;
    if (record.rfc_id !== rfc_id || record.rev !== view.rev) return 'json of another state';
    const isPossible = STATUS_BY_REV[view.rev]?.includes(view.overall_status);
    if (!isPossible) return `${view.overall_status} at rev ${view.rev}`;
    const sealed = await store.getDiff(id);
    const diff = openDiff(sealed, KILL_KEY, rfc_id, BODY.LARGE_BYTES_MAX);
    return Buffer.from(diffOf(rfc_id)).equals(diff) ? null : 'diff of another RFC';
  } catch (thrown) {
    const error = CraError.fromUnknown(thrown);
    return `${error.code} ${error.message}`;
  }
}
