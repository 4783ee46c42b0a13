import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { StoredTrail } from '../../audit/continuity.ts';
import { type AuditEntry, type AuditEvent, plainEvent } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';

/** Bounds of sealing. */
export const SEGMENTS = {
  /** A segment is due with so many entries, or when its oldest is this old. */
  ENTRIES_MAX: 10_000,
  AGE_MS: 3_600_000,
  /** How often a daemon looks, and tries again after a failure. */
  ROUND_MS: 15_000,
  /** The chain of another daemon is left to that one for so long beyond AGE_MS. */
  OTHERS_GRACE_MS: 900_000,
  /** How often a daemon looks at the chains of others. */
  OTHERS_ROUND_MS: 300_000,
  /** Uncompressed bytes of one segment, when it is read back. */
  BYTES_MAX: 1024 * 1024 * 1024,
} as const;

/** A bucket with object lock; each put makes a version of its own. */
export interface SegmentBucket {
  /**
   * Writes under a COMPLIANCE lock until then; resolves with the id of the version. `isNew`: only
   * where nothing stands under the key, else it resolves with null and changes nothing.
   */
  put(key: string, body: Uint8Array, until: Date, isNew: boolean): Promise<string | null>;
  /** The newest version under a key; null: the key does not exist. */
  newest(key: string): Promise<string | null>;
  /** The lock that the version has; null when absent. */
  lockOf(key: string, versionId: string): Promise<{ mode: string; until: Date } | null>;
  get(key: string, versionId: string): Promise<Uint8Array>;
  /** Rejects when the bucket does not answer, or keeps no locks. */
  probe(): Promise<void>;
}

/** What the trail says of a sealed segment: `details` of an entry of kind `segment`. */
export interface SegmentEntry {
  /** The entries `first` to `last` of this chain are in it. */
  chain: string;
  first: number;
  last: number;
  key: string;
  version_id: string;
  /** Of the entries as lines, each with its line end, hex. */
  sha256: string;
  /** ISO 8601. */
  locked_until: string;
}

/** Entries of one chain that are due together. */
export interface Part {
  chain: string;
  first: number;
  last: number;
  /** Time of the newest of them, ms since the epoch. */
  newestMs: number;
}

/** A version of a segment that nobody can remove before `until`. */
interface Locked {
  versionId: string;
  until: Date;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const DAY_MS = 86_400_000;
/** What a segment is written with. */
export interface SegmentWriterOptions {
  trail: Pick<StoredTrail, 'entriesFrom'>;
  bucket: SegmentBucket;
  append(event: AuditEvent): unknown;
  retentionDays: number;
  /** Ms since the epoch. */
  now(): number;
}

/**
 * Creates what seals one segment: it is in the bucket, locked, and then in the trail. DATA_LOSS
 * when the trail has not all of its entries any more.
 */
export function createSegmentWriter(options: SegmentWriterOptions): (part: Part) => Promise<void> {
  const { trail, bucket, now } = options;

  async function seal(part: Part): Promise<void> {
    const { chain, first, last, newestMs } = part;
    const texts = await entriesOf(trail, part);
    if (texts.length <= last - first) throw missing(chain, first + texts.length);
    const bytes = Buffer.from(linesOf(texts));
    const sha256 = hashOf(bytes);
    const key = `audit/${chain}/${placeText(first)}-${placeText(last)}.jsonl.gz`;
    const locked = await lock(key, bytes, newestMs);
    const details: SegmentEntry = {
      chain,
      first,
      last,
      key,
      version_id: locked.versionId,
      sha256,
      locked_until: locked.until.toISOString(),
    };
    const op_id = `segment:${chain}:${placeText(first)}-${placeText(last)}`;
    const event = plainEvent({ kind: 'segment', op_id, principal: null, details: { ...details } });
    try {
      await options.append(event);
    } catch (thrown) {
      // Another daemon was faster, with another version.
      if (!(thrown instanceof CraError && thrown.code === 'ALREADY_EXISTS')) throw thrown;
    }
  }

  /** Brings the segment into the bucket, or finds it there: resolves with its version. */
  async function lock(key: string, bytes: Buffer, newestMs: number): Promise<Locked> {
    const body = await compress(bytes);
    const keptMs = options.retentionDays * DAY_MS;
    const until = new Date(now() + keptMs);
    const made = await bucket.put(key, body, until, true);
    // It was locked after its newest entry was written.
    const there = made === null ? await sameUnder(key, bytes, new Date(newestMs + keptMs)) : null;
    if (there !== null) return there;
    const versionId = made ?? (await bucket.put(key, body, until, false));
    const locked = versionId === null ? null : await lockedOf(bucket, key, versionId, until);
    if (locked !== null) return locked;
    const message =
      'the object storage does not keep the lock of a segment: use a bucket with object lock';
    throw new CraError('FAILED_PRECONDITION', message);
  }

  /** What is there may be anybody's: it counts when it holds the same, and is locked. */
  async function sameUnder(key: string, bytes: Buffer, until: Date): Promise<Locked | null> {
    const versionId = await bucket.newest(key);
    if (versionId === null) return null;
    const locked = await lockedOf(bucket, key, versionId, until);
    if (locked === null) return null;
    const held = await contentOf(await bucket.get(key, versionId));
    return held?.equals(bytes) ? locked : null;
  }

  return seal;
}

/** The lock of a version, if nobody can take it off before `until`. */
async function lockedOf(
  bucket: SegmentBucket,
  key: string,
  versionId: string,
  until: Date,
): Promise<Locked | null> {
  const lock = await bucket.lockOf(key, versionId);
  // Stores keep whole seconds.
  const isLong = lock !== null && lock.until.getTime() >= until.getTime() - 1_000;
  return isLong && lock.mode === 'COMPLIANCE' ? { versionId, until: lock.until } : null;
}

/** The entries of a part that the trail has, up to its last one. */
async function entriesOf(
  trail: Pick<StoredTrail, 'entriesFrom'>,
  { chain, first, last }: Pick<Part, 'chain' | 'first' | 'last'>,
): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of trail.entriesFrom(chain, first)) {
    texts.push(text);
    if (texts.length > last - first) break;
  }
  return texts;
}

/** An entry that should be in a segment is not there. */
export function missing(chain: string, seq: number): CraError {
  const message = `entry ${seq} of chain ${chain} is not in the trail and was not sealed: run cra audit verify`;
  return new CraError('DATA_LOSS', message);
}

/** Names sort as numbers do. */
function placeText(seq: number): string {
  return String(seq).padStart(12, '0');
}

function linesOf(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What a segment holds; null: it is not a compressed file of a bearable size. */
function contentOf(segment: Uint8Array): Promise<Buffer | null> {
  return decompress(segment, { maxOutputLength: SEGMENTS.BYTES_MAX }).catch(() => null);
}

/** The details of an entry of kind `segment`. */
export function segmentIn(details: AuditEntry['details']): SegmentEntry {
  return details as unknown as SegmentEntry;
}

export interface SegmentsCheck {
  segments: number;
  /** Entries that a sound segment holds. */
  entries: number;
  /** The first segment that is not what the trail says; null: all are. */
  flaw: string | null;
}

/**
 * Compares every segment that the trail names with the object storage: it is there, under its lock,
 * and holds the entries that the trail has now, byte for byte.
 */
export async function verifySegments(
  trail: Pick<StoredTrail, 'entriesFrom' | 'entriesNamed'>,
  bucket: SegmentBucket,
): Promise<SegmentsCheck> {
  let segments = 0;
  let entries = 0;
  for await (const text of trail.entriesNamed('segment')) {
    const segment = segmentIn((JSON.parse(text) as AuditEntry).details);
    const reason = await flawOf(trail, bucket, segment);
    if (reason !== null) return { segments, entries, flaw: `segment ${segment.key}: ${reason}` };
    segments += 1;
    entries += segment.last - segment.first + 1;
  }
  return { segments, entries, flaw: null };
}

async function flawOf(
  trail: Pick<StoredTrail, 'entriesFrom'>,
  bucket: SegmentBucket,
  { chain, first, last, key, version_id, sha256, locked_until }: SegmentEntry,
): Promise<string | null> {
  const lock = await bucket.lockOf(key, version_id);
  if (lock?.mode !== 'COMPLIANCE') return 'it has no COMPLIANCE lock';
  if (lock.until.getTime() < Date.parse(locked_until)) return 'its lock ends too soon';
  const body = await contentOf(await bucket.get(key, version_id));
  if (body === null || hashOf(body) !== sha256) return 'its content was changed';
  const texts = await entriesOf(trail, { chain, first, last });
  if (linesOf(texts) === body.toString()) return null;
  const sealed = body.toString().split('\n');
  const at = texts.findIndex((text, index) => text !== sealed[index]);
  const seq = at === -1 ? first + texts.length : first + at;
  return `chain ${chain}, entry ${seq} of the trail is not what was sealed`;
}
