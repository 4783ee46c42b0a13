import { createHash } from 'node:crypto';
import type { SealedDiff } from '../core/seal.ts';
import { CraError } from '../model/errors.ts';
import { USAGE_AMOUNTS } from '../model/usage.ts';
import type { StoreDriver } from './contract/store.ts';
import { STORE } from './limits.ts';

/**
 * All that a store holds, by the service that it belongs to, in the order in which it is copied.
 * What can be computed from the rest (sums of usage, counts, which push depends on which) is not
 * copied: each side makes it again. The keys of the service are not in a store.
 */
export const COPIED = {
  rulebook: ['rules'],
  records: ['rfcs', 'archived', 'deletedStatuses', 'deletedRefusals', 'reports'],
  pushes: ['repositories', 'fallen'],
  trail: ['entries', 'operations', 'accepted'],
  tasks: ['tasks'],
  usage: ['usage'],
  reviews: ['budgets', 'reviewCalls', 'reviewAnswers', 'reviewQueue', 'reviewMemory'],
  sessions: ['sessions'],
  deploys: ['deployReports', 'scoreCurves'],
  events: ['events'],
} as const satisfies Record<keyof StoreDriver, readonly string[]>;

export type CopiedKind = (typeof COPIED)[keyof typeof COPIED][number];

/** Every kind once. */
export const COPIED_KINDS: readonly CopiedKind[] = Object.values(COPIED).flat();

/** The fields of a kind whose rows are plain values. */
export interface PlainKind {
  /** Tells rows apart. */
  key: readonly string[];
  columns: readonly string[];
}

function plain(key: string, columns: string): PlainKind {
  return { key: key.split(' '), columns: columns.split(' ') };
}

const AMOUNTS = USAGE_AMOUNTS.join(' ');

/** Kinds whose rows both stores read and write by this table alone. */
export const PLAIN_KINDS = {
  deletedStatuses: plain(
    'rfc_id',
    'tenant_id repo_key commit_sha vcs_host vcs_due vcs_posted json',
  ),
  deletedRefusals: plain(
    'rfc_id',
    'tenant_id repo_key branch commit_sha push_repo push_ref status json',
  ),
  archived: plain(
    'rfc_id',
    'tenant_id status rev file offset bytes line archived_at delivery body',
  ),
  repositories: plain('tenant_id repo_key', 'name host sha adopted_at heads'),
  fallen: plain('tenant_id id', 'repo_key sha is_rejected at_ms'),
  operations: plain('op_id', 'tenant_id rfc_id request_hash output'),
  accepted: plain('tenant_id repo_key fingerprint rfc_id', 'by reason at rule expires_at'),
  tasks: plain('task_id', 'tenant_id finding_id status json'),
  usage: plain('usage_id', `tenant_id at_ms provider model ${AMOUNTS} context logged_by source`),
  budgets: plain('scope', 'nano_usd'),
  reviewCalls: plain('call_id', 'owner started_ms call'),
  reviewAnswers: plain('key', 'at_ms json'),
  reviewQueue: plain('review_id', 'due_ms tries json'),
  reviewMemory: plain('tenant_id repo_key line_key kind', 'at_ms json'),
  reports: plain('tenant_id repo_key subject tool', 'sha256 at_ms bytes json'),
  rules: plain('number', 'entry text'),
  sessions: plain(
    'session_id',
    'tenant_id principal_id created_at last_seen_at expires_at principal',
  ),
  deployReports: plain('report_id', 'tenant_id place sorted sha result json'),
  scoreCurves: plain('tenant_id version', 'json'),
  events: plain(
    'lane event_id',
    'tenant_id subject place at_ms due_ms failed_ms tries reason json',
  ),
} as const satisfies Partial<Record<CopiedKind, PlainKind>>;

/** Kinds whose rows have an order that counts: their place is part of what is compared. */
const ORDERED: ReadonlySet<CopiedKind> = new Set<CopiedKind>(['rfcs', 'tasks']);

/** One row, with the same fields and values whichever store it comes from. */
export interface CopyRow {
  readonly [field: string]: CopyValue;
}
type CopyValue = string | number | boolean | null | Uint8Array | readonly CopyValue[] | CopyRow;

/** A sealed diff as it is copied. */
export interface CopiedDiff extends SealedDiff {
  /** YYYY-MM-DD: its retention counts from here. */
  day: string;
}

/** The fields of a record that both stores have as they are. */
export const RFC_FIELDS = [
  'rfc_id',
  'tenant_id',
  'repo_key',
  'branch',
  'commit_sha',
  'status',
  'rev',
  'created_at',
  'summary',
  'json',
] as const;

type RfcField = (typeof RFC_FIELDS)[number];

/** Their values. */
export type RfcFields = Record<Exclude<RfcField, 'branch' | 'commit_sha' | 'rev'>, string> &
  Record<'branch' | 'commit_sha', string | null> &
  Record<'rev', number>;

/** A record as it is copied. */
export interface CopiedRfc extends RfcFields {
  push: { repo: string; ref: string; delivery: string | null; body: string | null } | null;
  vcs: { host: string; due: number | null; posted: string | null } | null;
  diff: CopiedDiff | null;
}

/** Fields of a row or document, by their names. */
export function picked(from: object, names: readonly string[]): CopyRow {
  const fields = from as CopyRow;
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}

/** Bounds of one page that a side reads, and of one write. */
export const COPY_PAGE = { ROWS: 500, BYTES: 8 * 1024 * 1024 } as const;

/** Where a read goes on: JSON, of the side that made it. */
export type CopyCursor = string | number | readonly (string | number)[];

/** Rows of one kind; `next` null: there are no more. */
export interface CopyPage {
  rows: CopyRow[];
  next: CopyCursor | null;
}

/** How far a copy has come; kept with the target, which no daemon serves while it is there. */
export interface CopyProgress {
  /** The store that is copied. */
  from: string;
  kind: CopiedKind;
  /** Rows of this kind that are written. */
  rows: number;
  after: CopyCursor | null;
}

/** A store that is open to be copied, or to be copied into; no daemon may run on it. */
export interface CopySide {
  /** What people may see of its address. */
  readonly place: string;
  /** The age in days at which the store deletes a diff by itself; null: only a daemon does so. */
  readonly diffDays: number | null;
  /** Whether it holds no rows at all. */
  isEmpty(): Promise<boolean>;
  /** A page of rows behind `after`, always in the same order. */
  read(kind: CopiedKind, after: CopyCursor | null): Promise<CopyPage>;
  /** Writes rows durably, the first of them as number `from` (0, 1, ...); rows that exist stay. */
  write(kind: CopiedKind, rows: readonly CopyRow[], from: number): Promise<void>;
  /** Readies an empty target, or goes on with one: it deletes no diff by itself from now on. */
  begin(): Promise<void>;
  /** Computes what is not copied. */
  finish(): Promise<void>;
  loadProgress(): Promise<CopyProgress | null>;
  /** Null: the copy is whole. */
  saveProgress(progress: CopyProgress | null): Promise<void>;
  close(): Promise<void>;
}

/** What stands in a store of one kind: how many rows, and one hash over all of them, hex. */
export interface CopyDigest {
  kind: CopiedKind;
  rows: number;
  hash: string;
}

export interface CopyOptions {
  from: CopySide;
  to: CopySide;
  /** Ms since the epoch. */
  now(): number;
  /** Called after each page. */
  onProgress(phase: 'copied' | 'compared', kind: CopiedKind, rows: number): void;
  /** Ends the copy between two pages: the same command goes on. */
  signal: AbortSignal;
}

/**
 * Copies a store into an empty one, or goes on where an earlier copy of the same store ended. Then
 * both are read again and compared, by count and hash of each kind. Throws FAILED_PRECONDITION
 * for a target that holds anything else, DATA_LOSS when the two differ, CANCELLED by the signal.
 */
export async function copyStore({ from, to, ...options }: CopyOptions): Promise<CopyDigest[]> {
  const { signal, onProgress } = options;
  const { diffDays } = from;
  let progress = await beginning(from, to);
  await to.begin();
  for (const kind of COPIED_KINDS.slice(Math.max(0, COPIED_KINDS.indexOf(progress.kind)))) {
    if (progress.kind !== kind) progress = { ...progress, kind, rows: 0, after: null };
    await to.saveProgress(progress);
    for (let more = true; more; ) {
      refuseIfStopped(signal);
      const { rows: read, next } = await from.read(kind, progress.after);
      const rows = lasting(kind, read, { nowMs: options.now(), diffDays });
      if (rows.length > 0) await to.write(kind, rows, progress.rows);
      progress = { ...progress, rows: progress.rows + rows.length, after: next ?? progress.after };
      if (next !== null) await to.saveProgress(progress);
      onProgress('copied', kind, progress.rows);
      more = next !== null;
    }
  }
  await to.finish();
  const digests = await compare(from, to, options);
  await to.saveProgress(null);
  return digests;
}

function refuseIfStopped(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const message = 'the copy was stopped: run the same command again, which goes on';
  throw new CraError('CANCELLED', message);
}

async function beginning(from: CopySide, to: CopySide): Promise<CopyProgress> {
  const known = await to.loadProgress();
  if (known !== null && known.from !== from.place) {
    const message = `${to.place} holds a part of another store, ${known.from}: empty it first`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  if (known !== null) return known;
  if (!(await to.isEmpty())) {
    const message = `${to.place} holds data already: a copy needs an empty store`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  return { from: from.place, kind: COPIED_KINDS[0] as CopiedKind, rows: 0, after: null };
}

async function compare(
  from: CopySide,
  to: CopySide,
  { signal, onProgress, now }: Omit<CopyOptions, 'from' | 'to'>,
): Promise<CopyDigest[]> {
  const digests: CopyDigest[] = [];
  const different: CopiedKind[] = [];
  for (const kind of COPIED_KINDS) {
    refuseIfStopped(signal);
    const at = { nowMs: now(), diffDays: from.diffDays };
    const [there, here] = await Promise.all([digestOf(from, kind, at), digestOf(to, kind, at)]);
    if (there.rows !== here.rows || there.hash !== here.hash) different.push(kind);
    digests.push(here);
    onProgress('compared', kind, here.rows);
  }
  if (different.length === 0) return digests;
  const message =
    `the copy differs from ${from.place} in: ${different.join(', ')}. ` +
    'If a daemon wrote there meanwhile, stop it, empty the target, and copy again';
  throw new CraError('DATA_LOSS', message);
}

const HASH_MODULUS = 1n << 256n;

/** Kinds that are kept for `STORE.RETENTION_DAYS`, from their `at_ms` on. */
const ENDS_WITH_RETENTION: ReadonlySet<CopiedKind> = new Set<CopiedKind>([
  'reviewAnswers',
  'reviewMemory',
  'reports',
  'events',
]);

const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

interface Lasting {
  /** Ms since the epoch. */
  nowMs: number;
  /** The age in days at which the source deletes a diff by itself. */
  diffDays: number | null;
}

/**
 * Rows without what ends soon: MongoDB removes it at any moment, so it would be in one store and
 * not in the other. That is a session in its last minute, an answer in its last day, and a diff in
 * its last day where the source is a MongoDB.
 */
function lasting(kind: CopiedKind, rows: CopyRow[], { nowMs, diffDays }: Lasting): CopyRow[] {
  const oldestOf = (days: number) => nowMs - (days - 1) * DAY_MS;
  if (kind === 'sessions') {
    return rows.filter((row) => Date.parse(String(row['expires_at'])) > nowMs + MINUTE_MS);
  }
  if (ENDS_WITH_RETENTION.has(kind)) {
    return rows.filter((row) => Number(row['at_ms']) > oldestOf(STORE.RETENTION_DAYS));
  }
  if (kind !== 'rfcs' || diffDays === null) return rows;
  return rows.map((row) => {
    const { diff } = row as unknown as CopiedRfc;
    const stays = diff === null || Date.parse(diff.day) > oldestOf(diffDays);
    return stays ? row : { ...row, diff: null };
  });
}

/**
 * Count and hash of all rows of a kind. Sums of SHA-256 hashes modulo 2^256: the order in which a
 * side reads its rows does not count, but for kinds whose order does.
 */
async function digestOf(side: CopySide, kind: CopiedKind, at: Lasting): Promise<CopyDigest> {
  let sum = 0n;
  let rows = 0;
  let after: CopyCursor | null = null;
  do {
    const page: CopyPage = await side.read(kind, after);
    for (const row of lasting(kind, page.rows, at)) {
      const place = ORDERED.has(kind) ? rows : null;
      const text = JSON.stringify([place, comparable(row)]);
      const digest = createHash('sha256').update(text).digest('hex');
      sum = (sum + BigInt(`0x${digest}`)) % HASH_MODULUS;
      rows += 1;
    }
    after = page.next;
  } while (after !== null);
  return { kind, rows, hash: sum.toString(16).padStart(64, '0') };
}

/** Fields in one order, bytes by their hash. */
function comparable(value: CopyValue): unknown {
  if (value instanceof Uint8Array) return createHash('sha256').update(value).digest('hex');
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== 'object') return value;
  return Object.entries(value as CopyRow)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [name, comparable(field)]);
}

/** A store into which a copy has come only in part must not be served. */
export function halfCopied(place: string): CraError {
  const message = `${place} holds a part of a copy: run the same cra store copy again, which goes on`;
  return new CraError('FAILED_PRECONDITION', message);
}
