import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { leafHash } from '../../audit/chain.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import {
  COPIED_KINDS,
  type CopiedKind,
  type CopyCursor,
  type CopyProgress,
  type CopyRow,
  type CopySide,
} from '../copy.ts';
import { parseRecord, searchedOf } from '../stored-record.ts';
import { chainNames } from './audit-log.ts';
import {
  bound,
  createDeletedCopy,
  createRefusalCopy,
  createRfcCopy,
  type DiffFiles,
  type KindCopy,
  pageOf,
} from './copy-records.ts';
import {
  type Connection,
  lockDataDir,
  makeDirectory,
  openForReading,
  openForWriting,
  storePaths,
} from './database.ts';
import { createDiffSegments, createSmallDiffs } from './diffs.ts';

/** The table of each kind; `derived`: it is computed from others. */
export const COPIED_TABLES: Readonly<Record<string, CopiedKind | 'derived'>> = {
  rfc: 'rfcs',
  // They come with their records.
  small_diff: 'derived',
  deleted_status: 'deletedStatuses',
  deleted_refusal: 'deletedRefusals',
  repository: 'repositories',
  push_fallen: 'fallen',
  push_rests: 'derived',
  rfc_component: 'derived',
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
  rules_revision: 'rules',
  session: 'sessions',
  // Records that are copied are not counted yet: the first daemon does so.
  trend: 'derived',
};

/** A table that is copied as it stands: its key, which gives the order, and its other columns. */
interface PlainTable {
  table: string;
  key: readonly string[];
  columns: readonly string[];
  /** Columns that are not copied, and what they get. */
  fixed?: Readonly<Record<string, string | number>>;
}

const PLAIN: Partial<Record<CopiedKind, PlainTable>> = {
  repositories: {
    table: 'repository',
    key: ['tenant_id', 'repo_key'],
    columns: ['name', 'host', 'sha', 'adopted_at', 'heads'],
  },
  fallen: {
    table: 'push_fallen',
    key: ['tenant_id', 'id'],
    columns: ['repo_key', 'sha', 'is_rejected', 'at_ms'],
  },
  operations: {
    table: 'decision_op',
    key: ['op_id'],
    columns: ['tenant_id', 'rfc_id', 'request_hash', 'output'],
  },
  accepted: {
    table: 'accepted',
    key: ['tenant_id', 'repo_key', 'fingerprint', 'rfc_id'],
    columns: ['by', 'reason', 'at', 'rule', 'expires_at'],
  },
  usage: {
    table: 'usage',
    key: ['usage_id'],
    columns: [
      ...['tenant_id', 'at_ms', 'provider', 'model', 'input_tokens', 'output_tokens'],
      ...['cache_creation_tokens', 'cache_read_tokens', 'cost_nano_usd', 'context', 'logged_by'],
      'source',
    ],
  },
  budgets: { table: 'budget', key: ['scope'], columns: ['nano_usd'] },
  reviewCalls: {
    table: 'review_call',
    key: ['call_id'],
    columns: ['owner', 'started_ms', 'call'],
  },
  reviewAnswers: { table: 'review_answer', key: ['key'], columns: ['at_ms', 'json'] },
  // No daemon holds a review any more.
  reviewQueue: {
    table: 'review_queue',
    key: ['review_id'],
    columns: ['due_ms', 'tries', 'json'],
    fixed: { held_until: 0, owner: '' },
  },
  reviewMemory: {
    table: 'review_memory',
    key: ['tenant_id', 'repo_key', 'line_key', 'kind'],
    columns: ['at_ms', 'json'],
  },
  rules: { table: 'rules_revision', key: ['number'], columns: ['entry', 'text'] },
  sessions: {
    table: 'session',
    key: ['session_id'],
    columns: ['tenant_id', 'principal_id', 'created_at', 'last_seen_at', 'expires_at', 'principal'],
  },
};

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
  const special: Partial<Record<CopiedKind, KindCopy>> = {
    rfcs: createRfcCopy(database, files),
    deletedStatuses: createDeletedCopy(database),
    deletedRefusals: createRefusalCopy(database),
    entries: createEntryCopy(database),
    tasks: createTaskCopy(database),
  };
  const all = COPIED_KINDS.map((kind) => {
    const plain = PLAIN[kind];
    const copy = special[kind] ?? (plain === undefined ? null : createPlainCopy(database, plain));
    if (copy === null) throw new CraError('INTERNAL', `nothing copies ${kind}`);
    return [kind, copy] as const;
  });
  return Object.fromEntries(all) as Record<CopiedKind, KindCopy>;
}

function createPlainCopy(
  database: Connection,
  { table, key, columns, fixed = {} }: PlainTable,
): KindCopy {
  const quoted = (columnsOf: readonly string[]) => columnsOf.map((name) => `"${name}"`).join(', ');
  const names = quoted([...key, ...columns]);
  const marks = (count: number) => Array.from({ length: count }, () => '?').join(', ');
  const order = `ORDER BY ${quoted(key)}`;
  const first = database.prepare<unknown[], CopyRow>(`SELECT ${names} FROM ${table} ${order}`);
  const behind = database.prepare<unknown[], CopyRow>(
    `SELECT ${names} FROM ${table} WHERE (${quoted(key)}) > (${marks(key.length)}) ${order}`,
  );
  const all = [...key, ...columns, ...Object.keys(fixed)];
  const insert = database.prepare(
    `INSERT INTO ${table} (${quoted(all)}) VALUES (${marks(all.length)}) ON CONFLICT DO NOTHING`,
  );
  const integers = new Set(integerColumns(database, table));
  return {
    read: (after) =>
      pageOf(
        after === null ? first.iterate() : behind.iterate(...[after].flat()),
        (row) => row,
        (row) => key.map((name) => row[name] as string | number),
      ),
    write: (row) =>
      insert.run(...all.map((name) => bound(row[name] ?? fixed[name] ?? null, integers.has(name)))),
  };
}

function integerColumns(database: Connection, table: string): string[] {
  const columns = database.pragma(`table_info(${table})`) as { name: string; type: string }[];
  return columns.filter(({ type }) => type === 'INTEGER').map(({ name }) => name);
}

/** Sums of usage, and what each push rests on. Counts are kept by triggers. */
function deriveRest(database: Connection): void {
  database.exec(`
    DELETE FROM usage_hour;
    INSERT INTO usage_hour
      SELECT tenant_id, at_ms / 3600000, provider, model, count(*), sum(input_tokens),
        sum(output_tokens), sum(cache_creation_tokens), sum(cache_read_tokens), sum(cost_nano_usd)
      FROM usage GROUP BY 1, 2, 3, 4;
    DELETE FROM push_rests;`);
  const add = database.prepare('INSERT OR IGNORE INTO push_rests VALUES (?, ?, ?)');
  const pushes = database
    .prepare<[], { json: string }>('SELECT json FROM rfc WHERE push_ref IS NOT NULL ORDER BY seq')
    .all();
  for (const { json } of pushes) {
    const record = parseRecord(json);
    for (const onId of searchedOf(record).restsOn) add.run(record.tenant_id, onId, record.rfc_id);
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
function createTaskCopy(database: Connection): KindCopy {
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
