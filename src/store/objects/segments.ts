import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { StoredTrail } from '../../audit/continuity.ts';
import {
  type AuditEntry,
  type AuditEvent,
  plainEvent,
  type SegmentsState,
} from '../../model/audit.ts';
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
  /** Uncompressed bytes of one segment, when it is read back. */
  BYTES_MAX: 1024 * 1024 * 1024,
} as const;

/** A bucket with object lock; each put makes a version of its own. */
export interface SegmentBucket {
  /** Writes under a COMPLIANCE lock until then; resolves with the id of the version. */
  put(key: string, body: Uint8Array, until: Date): Promise<string>;
  /** The lock that the version has; null: none. */
  lockOf(key: string, versionId: string): Promise<{ mode: string; until: Date } | null>;
  get(key: string, versionId: string): Promise<Uint8Array>;
  /** Rejects when the bucket does not answer. */
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

export interface SealerOptions {
  trail: Pick<StoredTrail, 'chains' | 'entriesFrom' | 'entriesNamed'>;
  bucket: SegmentBucket;
  append(event: AuditEvent): unknown;
  /** The chain of this daemon. */
  chain: string;
  retentionDays: number;
  /** Ms since the epoch. */
  now(): number;
  entriesMax?: number;
}

export interface Sealer {
  readonly state: SegmentsState;
  /** Seals what is due. Never rejects: what failed is in `state`, and is tried again next time. */
  round(): Promise<void>;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);
const DAY_MS = 86_400_000;
/** Entries that alone make no segment due: sealing writes them itself. */
const OWN_KINDS: ReadonlySet<string> = new Set(['segment', 'checkpoint', 'boot']);

/** Creates the sealer of a trail; nothing is read before the first round. */
export function createSealer(options: SealerOptions): Sealer {
  const { trail, bucket, chain: own, now } = options;
  const sealed = new Map<string, number>();
  let [known, pending] = [false, null as SegmentEntry | null];
  let state: SegmentsState = { state: 'up', last_sealed_at: null, behind: 0, problem: null };

  async function learn(): Promise<void> {
    for await (const text of trail.entriesNamed('segment')) {
      const { ts, details } = JSON.parse(text) as AuditEntry;
      const { chain, last } = segmentIn(details);
      sealed.set(chain, Math.max(sealed.get(chain) ?? 0, last));
      if (ts > (state.last_sealed_at ?? '')) state = { ...state, last_sealed_at: ts };
    }
    known = true;
  }

  /** Seals segment after segment of a chain. */
  async function sealChain(chain: string): Promise<void> {
    for (;;) {
      const part = await nextPart(options, chain, (sealed.get(chain) ?? 0) + 1);
      if (part === null) return;
      if (chain !== own) {
        // Another daemon may have sealed it meanwhile.
        const before = sealed.get(chain) ?? 0;
        await learn();
        if ((sealed.get(chain) ?? 0) > before) continue;
      }
      state = { ...state, behind: state.behind + part.texts.length };
      await seal(chain, part.first, part.texts);
      state = { ...state, behind: Math.max(0, state.behind - part.texts.length) };
    }
  }

  async function seal(chain: string, first: number, texts: readonly string[]): Promise<void> {
    const last = first + texts.length - 1;
    const bytes = Buffer.from(linesOf(texts));
    const key = `audit/${chain}/${placeText(first)}-${placeText(last)}.jsonl.gz`;
    if (pending !== null && pending.key === key) return record(pending);
    const until = new Date(now() + options.retentionDays * DAY_MS);
    const versionId = await bucket.put(key, await compress(bytes), until);
    const lock = await bucket.lockOf(key, versionId);
    // A default rule of the bucket alone would let everybody shorten it.
    if (lock?.mode !== 'COMPLIANCE' || lock.until.getTime() < until.getTime() - 1_000) {
      const message =
        'the object storage does not keep the lock of a segment: use a bucket with object lock';
      throw new CraError('FAILED_PRECONDITION', message);
    }
    const details: SegmentEntry = {
      ...{ chain, first, last, key, version_id: versionId },
      sha256: hashOf(bytes),
      locked_until: lock.until.toISOString(),
    };
    await record(details);
  }

  /** What is locked already is not written again while the trail takes no entries. */
  async function record(details: SegmentEntry): Promise<void> {
    pending = details;
    const { chain, first, last, version_id: versionId } = details;
    const op_id = `segment:${chain}:${first}-${last}:${hashOf(versionId).slice(0, 16)}`;
    await options.append(
      plainEvent({ kind: 'segment', op_id, principal: null, details: { ...details } }),
    );
    pending = null;
    sealed.set(chain, last);
    state = { ...state, last_sealed_at: new Date(now()).toISOString() };
  }

  return {
    get state() {
      return state;
    },
    async round() {
      try {
        await bucket.probe();
        if (!known) await learn();
        state = { ...state, behind: 0 };
        for (const chain of await trail.chains()) await sealChain(chain);
        state = { ...state, state: 'up', problem: null };
      } catch (thrown) {
        const { message } = CraError.fromUnknown(thrown);
        state = { ...state, state: 'down', problem: message };
      }
    },
  };
}

/** The entries of a chain from `first` on that are due; null: none are. */
async function nextPart(
  { trail, chain: own, now, entriesMax = SEGMENTS.ENTRIES_MAX }: SealerOptions,
  chain: string,
  first: number,
): Promise<{ first: number; texts: string[] } | null> {
  const texts: string[] = [];
  for await (const text of trail.entriesFrom(chain, first)) {
    texts.push(text);
    if (texts.length === entriesMax) return { first, texts };
  }
  const waitMs = SEGMENTS.AGE_MS + (chain === own ? 0 : SEGMENTS.OTHERS_GRACE_MS);
  const entries = texts.map((text) => JSON.parse(text) as AuditEntry);
  const oldest = entries.find(({ kind }) => !OWN_KINDS.has(kind));
  const isDue = oldest !== undefined && Date.parse(oldest.ts) <= now() - waitMs;
  return isDue ? { first, texts } : null;
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

/** The details of an entry of kind `segment`. */
function segmentIn(details: AuditEntry['details']): SegmentEntry {
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
  let [segments, entries] = [0, 0];
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
  const body = await decompress(await bucket.get(key, version_id), {
    maxOutputLength: SEGMENTS.BYTES_MAX,
  }).catch(() => null);
  if (body === null || hashOf(body) !== sha256) return 'its content was changed';
  const texts: string[] = [];
  for await (const text of trail.entriesFrom(chain, first)) {
    texts.push(text);
    if (texts.length > last - first) break;
  }
  if (linesOf(texts) === body.toString()) return null;
  const sealed = body.toString().split('\n');
  const at = texts.findIndex((text, index) => text !== sealed[index]);
  const seq = at === -1 ? first + texts.length : first + at;
  return `chain ${chain}, entry ${seq} of the trail is not what was sealed`;
}
