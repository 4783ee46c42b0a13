import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Statement } from 'better-sqlite3';
import { leafHash } from '../../audit/chain.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import {
  type CopiedKind,
  type CopyCursor,
  type CopyProgress,
  type CopyRow,
  type CopySide,
  PLAIN_KINDS,
  type PlainKind,
} from '../copy.ts';
import { parseRecord, searchedOf } from '../stored-record.ts';
import { chainNames } from './audit-log.ts';
import { type Connection, insertInto, prepared } from './connection.ts';
import { bound, createRfcCopy, type DiffFiles, type KindCopy, pageOf } from './copy-records.ts';
import {
  lockDataDir,
  makeDirectory,
  openForReading,
  openForWriting,
  storePaths,
} from './database.ts';
import { createDiffSegments, createSmallDiffs } from './diffs.ts';
import { QUERIES } from './queries.ts';
import { SUMS } from './usage.ts';

/** The table of each kind; `derived`: it is computed from others. */
export const COPIED_TABLES: Readonly<Record<string, CopiedKind | 'derived'>> = {
  rfc: 'rfcs',
  // They come with their records.
  small_diff: 'derived',
  deleted_status: 'deletedStatuses',
  deleted_refusal: 'deletedRefusals',
  archived: 'archived',
  repository: 'repositories',
  push_fallen: 'fallen',
  push_rests: 'derived',
  rfc_component: 'derived',
  rfc_text: 'derived',
  rfc_indexed: 'derived',
  push_count: 'derived',
  audit: 'entries',
  decision_op: 'operations',
  accepted: 'accepted',
  task: 'tasks',
  usage: 'usage',
  usage_hour: 'derived',
  budget: 'budgets',
  review_call: 'reviewCalls',
  review_answer: 'reviewAnswers',
  review_queue: 'reviewQueue',
  review_memory: 'reviewMemory',
  report: 'reports',
  rules_revision: 'rules',
  session: 'sessions',
  deploy_report: 'deployReports',
  score_curves: 'scoreCurves',
  event: 'events',
  // Records that are copied are not counted yet: the first daemon does so.
  trend: 'derived',
};

/** What a table has besides the fields of its kind. */
interface TableExtras {
  /** The column that gives the order; absent: the key does. */
  order?: string;
  /** Fields of a row that are computed, as SQL. */
  computed?: Readonly<Record<string, string>>;
  /** Columns that follow from a row; `at` is its number. */
  written?(row: CopyRow, at: number): CopyRow;
}

const EXTRAS: Partial<Record<CopiedKind, TableExtras>> = {
  // `rank`: how many records came before.
  deletedStatuses: {
    computed: { rank: '(SELECT count(*) FROM rfc WHERE rfc.seq <= deleted_status.seq)' },
    written: ({ rank = 0, json }) => ({ seq: rank, push_ref: refOf(String(json)) }),
  },
  deletedRefusals: {
    computed: { rank: '(SELECT count(*) FROM rfc WHERE rfc.seq <= deleted_refusal.seq)' },
    written: ({ rank = 0 }) => ({ seq: rank }),
  },
  tasks: { order: 'seq', written: (_row, at) => ({ seq: at + 1 }) },
  // No daemon holds a review any more.
  reviewQueue: { written: () => ({ held_until: 0, owner: '' }) },
};

/** The ref of a deleted push; null: it was submitted. */
function refOf(json: string): string | null {
  const { push, ref } = parseRecord(json);
  return push === null ? null : ref;
}

export interface SqliteCopyOptions {
  dataDir: string;
  /** A target is made when it is not there. */
  role: 'source' | 'target';
}

/**
 * Opens a data directory to be copied. FAILED_PRECONDITION when a daemon runs on it, or a source
 * holds no database.
 */
export async function openSqliteCopy({ dataDir, role }: SqliteCopyOptions): Promise<CopySide> {
  const paths = storePaths(dataDir);
  if (role === 'source' && !existsSync(paths.database)) {
    throw new CraError('FAILED_PRECONDITION', `${dataDir} holds no database: set SERVICE_DATA_DIR`);
  }
  makeDirectory(dataDir);
  const lock = lockDataDir(dataDir);
  try {
    makeDirectory(paths.diffs);
    const database =
      role === 'source' ? openForReading(paths.database) : openForWriting(paths.database);
    return createSide(dataDir, database, () => {
      database.close();
      lock.release();
    });
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

function createSide(dataDir: string, database: Connection, release: () => void): CopySide {
  let day = 0;
  const { diffs } = storePaths(dataDir);
  const segments = createDiffSegments(diffs, () => day);
  const setDay = (ms: number) => {
    day = ms;
  };
  const smallDiffs = createSmallDiffs(database, () => day);
  const kinds = createKinds(database, { diffs, segments, smallDiffs, setDay });
  const isHeld = (table: string) => database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get();
  return {
    place: `sqlite:${resolve(dataDir)}`,
    diffDays: null,
    async isEmpty() {
      const copied = Object.entries(COPIED_TABLES).filter(([, kind]) => kind !== 'derived');
      return !copied.some(([table]) => isHeld(table) !== undefined);
    },
    async read(kind, after) {
      return kinds[kind].read(after);
    },
    async write(kind, rows, from) {
      const { write } = kinds[kind];
      const step = database.transaction(() => {
        for (const [index, row] of rows.entries()) write(row, from + index);
        segments.flush();
      });
      step.immediate();
    },
    // Only a daemon deletes diffs.
    begin: () => Promise.resolve(),
    async finish() {
      database.transaction(() => deriveRest(database)).immediate();
    },
    async loadProgress() {
      return readCopyMarker(dataDir);
    },
    async saveProgress(progress) {
      writeMarker(dataDir, progress);
    },
    async close() {
      segments.close();
      release();
    },
  };
}

function createKinds(database: Connection, files: DiffFiles): Record<CopiedKind, KindCopy> {
  const tables = Object.entries(COPIED_TABLES).flatMap(([table, kind]) => {
    if (!(kind in PLAIN_KINDS)) return [];
    const plain = PLAIN_KINDS[kind as keyof typeof PLAIN_KINDS];
    return [[kind, createTableCopy(database, table, plain, EXTRAS[kind as CopiedKind])]];
  });
  return {
    ...Object.fromEntries(tables),
    rfcs: createRfcCopy(database, files),
    entries: createEntryCopy(database),
  };
}

function createTableCopy(
  database: Connection,
  table: string,
  { key, columns }: PlainKind,
  { order, computed = {}, written = () => ({}) }: TableExtras = {},
): KindCopy {
  const fields = [...key, ...columns];
  const places = order === undefined ? key : [order];
  const sql = Object.entries(computed).map(([name, expression]) => `${expression} AS ${name}`);
  const selected = [...new Set([...fields, ...places])].map(quoted);
  const select = `SELECT ${[...selected, ...sql].join(', ')} FROM ${table}`;
  const sorted = `ORDER BY ${places.map(quoted).join(', ')}`;
  const first = database.prepare<unknown[], CopyRow>(`${select} ${sorted}`);
  const behind = database.prepare<unknown[], CopyRow>(
    `${select} WHERE (${places.map(quoted).join(', ')}) > (${marks(places.length)}) ${sorted}`,
  );
  const shown = new Set([...fields, ...Object.keys(computed)]);
  let insert: Statement<unknown[]> | null = null;
  return {
    read: (after) =>
      pageOf(
        after === null ? first.iterate() : behind.iterate(...[after].flat()),
        (row) => Object.fromEntries(Object.entries(row).filter(([name]) => shown.has(name))),
        (row) => places.map((name) => row[name] as string | number),
      ),
    write(row, at) {
      const values = { ...Object.fromEntries(fields.map((name) => [name, row[name] ?? null])) };
      const all: CopyRow = { ...values, ...written(row, at) };
      const names = Object.keys(all);
      const columns = names.map(quoted).join(' ');
      insert ??= database.prepare(insertInto(table, columns, 'ON CONFLICT DO NOTHING'));
      insert.run(...names.map((name) => bound(all[name])));
    },
  };
}

function quoted(name: string): string {
  return `"${name}"`;
}

function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}

/** Sums of usage, and what each push depends on. Counts are kept by triggers. */
function deriveRest(database: Connection): void {
  database.exec(`
    DELETE FROM usage_hour;
    INSERT INTO usage_hour
      SELECT tenant_id, at_ms / 3600000, provider, model, count(*), ${SUMS}
      FROM usage GROUP BY 1, 2, 3, 4;
    DELETE FROM push_rests;`);
  const add = database.prepare('INSERT OR IGNORE INTO push_rests VALUES (?, ?, ?)');
  const pushes = database
    .prepare<[], { json: string }>('SELECT json FROM rfc WHERE push_ref IS NOT NULL ORDER BY seq')
    .all();
  for (const { json } of pushes) {
    const record = parseRecord(json);
    for (const onId of searchedOf(record).dependsOn) add.run(record.tenant_id, onId, record.rfc_id);
  }
}

/** Stands in a data directory into which a store is being copied. */
const MARKER = 'copy.json';

/** How far a copy into this directory has come; null when not under way. */
export function readCopyMarker(dataDir: string): CopyProgress | null {
  const path = join(dataDir, MARKER);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as CopyProgress) : null;
}

function writeMarker(dataDir: string, progress: CopyProgress | null): void {
  const path = join(dataDir, MARKER);
  if (progress === null) {
    rmSync(path, { force: true });
    return;
  }
  writeFileSync(`${path}.new`, JSON.stringify(progress), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Entries of the trail, chain by chain, the oldest first: the texts as they were written. */
function createEntryCopy(database: Connection): KindCopy {
  const read = database.prepare<[string, number], { seq: number; entry: string }>(
    'SELECT seq, entry FROM audit WHERE chain = ? AND seq > ? ORDER BY seq',
  );
  const find = database.prepare<[string, number], { entry: string }>(
    'SELECT entry FROM audit WHERE chain = ? AND seq = ?',
  );
  const last = database.prepare<[], { n: number; bytes: number }>(
    'SELECT n, bytes FROM audit ORDER BY n DESC LIMIT 1',
  );
  const { auditAppend } = prepared(database, QUERIES);

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
      auditAppend.run(...place, total, prev, leafHash(text).toString('hex'), text);
    },
  };
}
