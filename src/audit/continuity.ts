import type { AuditEvent } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { leafHash } from './chain.ts';
import { type Checkpoint, type OpenCheckpoint, readUnverified } from './checkpoint.ts';
import {
  Acceptances,
  acceptanceEvents,
  readAcceptance,
  readEntry,
  UNKNOWN_CHAIN,
} from './entry.ts';
import { AUDIT_READ } from './limits.ts';
import { compareEntries, compareRecords, type StoredRecords } from './records-check.ts';
import type { AuditSource, Difference } from './source.ts';
import { reasonOf, type UndocumentedDecision } from './verify.ts';

/** The trail in a store, beside the RFCs whose decisions it documents. */
export interface StoredTrail extends AuditSource {
  /** The newest entry of a chain: its number and hash; null: the store has no such chain. */
  head(chain: string): Promise<{ seq: number; hash: string } | null>;
  /** The entries of a chain from `seq` on. */
  entriesFrom(chain: string, seq: number): AsyncIterable<string>;
  /** Entries of a kind (segments: also entries about one chain): op_ids of this and a colon. */
  entriesNamed(kind: 'accept' | 'segment' | `segment:${string}`): AsyncIterable<string>;
  /**
   * Decisions that RFCs show and the trail has no entry of. `newest`: only the newest decision of
   * each RFC, and only those since `sinceMs` (ms since the epoch; null: all) where comparing all
   * of them would take long.
   */
  undocumented(scope: DecisionScope): AsyncIterable<UndocumentedDecision>;
  /** What the store shows as decided. */
  records: StoredRecords;
}

export type DecisionScope = { kind: 'newest'; sinceMs: number | null } | { kind: 'all' };

/** Entries that the trail should hold, and does not. */
export interface TrailGap {
  /** The chain that lacks entries; UNKNOWN_CHAIN: only decisions lack theirs. */
  chain: string;
  /** The first bad or missing entry; null: it is not known. */
  seq: number | null;
  /** One sentence. */
  reason: string;
}

/** The checkpoint that is kept in the data directory, as written; null: it is absent. */
export interface KeptNote {
  note: string | null;
  open: OpenCheckpoint;
}

/**
 * Compares a trail with the newest checkpoint that was kept beside it, with the entries behind
 * that, and with the RFCs that were decided since; null: it lacks nothing. Entries before the
 * checkpoint are the work of `verifyTrail`.
 */
export async function findGap(trail: StoredTrail, kept: KeptNote): Promise<TrailGap | null> {
  const accepted = await readAcceptances(trail);
  const checkpoint = kept.note === null ? null : readNote(kept.note, kept.open);
  let sinceMs: number | null = null;
  if (checkpoint !== null && kept.note !== null) {
    const found = await followCheckpoint(trail, checkpoint, kept.note, accepted);
    if (found.gap !== null) return found.gap;
    sinceMs = found.writtenMs;
  }
  const [missing] = await missingDecisions(trail, { kind: 'newest', sinceMs }, accepted, 1);
  if (missing === undefined) return null;
  return { chain: UNKNOWN_CHAIN, seq: null, reason: reasonOf(missing) };
}

/**
 * Accepts the gap that `findGap` finds now, with all decisions that lack their entries. Rejects
 * with FAILED_PRECONDITION when it is absent, INVALID_ARGUMENT when it is one of another chain.
 */
export async function acceptGap(
  trail: StoredTrail,
  kept: KeptNote,
  { chain, ...by }: { chain: string; actor: string; reason: string },
  append: (events: readonly AuditEvent[]) => Promise<void>,
): Promise<void> {
  const accepted = await readAcceptances(trail);
  const differences = await openDifferences(trail, accepted);
  const [different] = differences;
  const gap =
    (await findGap(trail, kept)) ??
    (different === undefined
      ? null
      : { chain: UNKNOWN_CHAIN, seq: null, reason: different.reason });
  if (gap === null) {
    throw new CraError('FAILED_PRECONDITION', 'the audit trail has no gap that could be accepted');
  }
  if (gap.chain !== chain) {
    const message = `the trail lacks entries of chain ${gap.chain}: give --chain ${gap.chain}`;
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const missing = await missingDecisions(trail, { kind: 'all' }, accepted, Number.MAX_SAFE_INTEGER);
  const head = chain === UNKNOWN_CHAIN ? null : await trail.head(chain);
  const acceptance = {
    chain,
    entries: head?.seq ?? 0,
    head: head?.hash ?? null,
    decisions: [...missing.map(({ opId }) => opId), ...differences.map(({ key }) => key)],
  };
  await append(acceptanceEvents(acceptance, by));
}

/** What the store shows and the trail does not say, and what nobody has accepted yet. */
async function openDifferences(trail: StoredTrail, accepted: Acceptances): Promise<Difference[]> {
  const differences: Difference[] = [];
  for await (const difference of compareRecords(trail, trail.records)) {
    if (!accepted.hasDecision(difference.key)) differences.push(difference);
  }
  return differences;
}

async function readAcceptances(trail: Pick<StoredTrail, 'entriesNamed'>): Promise<Acceptances> {
  const accepted = new Acceptances();
  for await (const text of trail.entriesNamed('accept')) {
    const acceptance = readAcceptance(text);
    if (acceptance !== null) accepted.add(acceptance);
  }
  return accepted;
}

/** Also with another key's signature: a forged note can only name entries that must be there. */
function readNote(note: string, open: OpenCheckpoint): Checkpoint | null {
  return open(note) ?? readUnverified(note);
}

async function followCheckpoint(
  trail: StoredTrail,
  { chain, size }: Checkpoint,
  note: string,
  accepted: Acceptances,
): Promise<{ gap: TrailGap | null; writtenMs: number | null }> {
  const gap = (seq: number, reason: string) => ({ gap: { chain, seq, reason }, writtenMs: null });
  const head = await trail.head(chain);
  if (accepted.covers(chain, head)) return { gap: null, writtenMs: null };
  const last = head?.seq ?? 0;
  // The note was kept when the entry that holds it, behind the entries it signs, was durable.
  if (last <= size) return gap(last + 1, `it is missing: checkpoint.note names entry ${size + 1}`);
  let seq = size;
  let prev: string | null = null;
  let writtenMs: number | null = null;
  for await (const text of trail.entriesFrom(chain, size)) {
    const { entry } = readEntry(text);
    if (entry?.seq !== seq) return gap(seq, 'it was changed or removed');
    if (prev !== null && entry.prev !== prev)
      return gap(seq, `it does not follow entry ${seq - 1}`);
    if (seq === size + 1) {
      if (entry.details['note'] !== note) return gap(seq, 'it is not what checkpoint.note holds');
      writtenMs = Date.parse(entry.ts);
    }
    prev = leafHash(text).toString('hex');
    seq += 1;
    if (seq - size > AUDIT_READ.FOLLOWED_ENTRIES_MAX) break;
  }
  return { gap: null, writtenMs };
}

async function missingDecisions(
  trail: StoredTrail,
  scope: DecisionScope,
  accepted: Acceptances,
  countMax: number,
): Promise<UndocumentedDecision[]> {
  const missing: UndocumentedDecision[] = [];
  for await (const decision of trail.undocumented(scope)) {
    if (accepted.hasDecision(decision.opId)) continue;
    missing.push(decision);
    if (missing.length === countMax) break;
  }
  return missing;
}

/** Reads the trail through again and again, a part at a time, beside a daemon's work. */
export interface Patrol {
  /** Entries that are not there any more, or were changed; of each chain as it was read last. */
  readonly missing: number;
  /** One sentence about the first of them, or a record that differs; null: all is in order. */
  readonly problem: string | null;
  /** Reads the next part: of one chain, from where the last one ended. */
  step(): Promise<void>;
}

/** What the patrol knows of a chain. */
interface Patrolled {
  /** Of the newest entry that was ever seen. */
  seen: number;
  missing: number;
  first: number;
}

const NO_ENTRY = '0'.repeat(64);

/** Creates a patrol; `entriesMax` are read in one step. It notices what a start compares, too. */
export function createPatrol(
  trail: Pick<StoredTrail, 'chains' | 'head' | 'entriesFrom' | 'entriesNamed'> &
    Partial<Pick<StoredTrail, 'records'>>,
  entriesMax: number,
): Patrol {
  /** What differed in a part of a chain when it was read last: the first difference. */
  const differing = new Map<string, string>();
  const known = new Map<string, Patrolled>();
  let names: string[] = [];
  let place: Patrolled & { chain: string; next: number; prev: string } = startOf('');

  /** Notes the newest entry of every chain, so that a chain that is cut is noticed. */
  async function begin(): Promise<void> {
    names = [...new Set([...(await trail.chains()), ...known.keys()])];
    for (const chain of names) {
      const { seq } = (await trail.head(chain)) ?? { seq: 0 };
      const before = known.get(chain) ?? { seen: 0, missing: 0, first: 0 };
      known.set(chain, { ...before, seen: Math.max(before.seen, seq) });
    }
  }

  async function end({ chain, next, missing, first }: typeof place): Promise<void> {
    const seen = Math.max(known.get(chain)?.seen ?? 0, next - 1);
    const cut = seen - (next - 1);
    const accepted = await readAcceptances(trail);
    const isAccepted = accepted.covers(chain, await trail.head(chain));
    const all = isAccepted ? 0 : missing + cut;
    known.set(chain, { seen, missing: all, first: missing > 0 ? first : next });
  }

  /** Whether the records show what some entries say, which begin at `first` of a chain. */
  async function compare(chain: string, first: number, texts: readonly string[]): Promise<void> {
    if (trail.records === undefined) return;
    const differences = await compareEntries(texts, trail.records);
    const part = `${chain} ${first}`;
    differing.delete(part);
    if (differences.length === 0) return;
    const accepted = await readAcceptances(trail);
    const open = differences.find(({ key }) => !accepted.hasDecision(key));
    // What the store shows may be anything: it stays with the command.
    if (open !== undefined) differing.set(part, open.reason.split(':')[0] ?? '');
  }

  return {
    get missing() {
      return [...known.values()].reduce((sum, { missing }) => sum + missing, 0);
    },
    get problem() {
      for (const [chain, { missing, first }] of known) {
        if (missing > 0) return `entry ${first} of chain ${chain} was changed or removed`;
      }
      for (const where of differing.values()) {
        return `${where}: the records differ from the audit trail; run cra audit verify`;
      }
      return null;
    },
    async step() {
      if (place.chain === '') {
        if (names.length === 0) await begin();
        const chain = names.shift();
        if (chain === undefined) return;
        place = startOf(chain);
      }
      const { chain, next: first } = place;
      const texts: string[] = [];
      for await (const text of trail.entriesFrom(chain, first)) {
        place = follow(place, text);
        texts.push(text);
        if (texts.length === entriesMax) break;
      }
      const isWhole = texts.length < entriesMax;
      if (isWhole) {
        await end(place);
        place = startOf('');
      }
      await compare(chain, first, texts);
    },
  };
}

function startOf(chain: string) {
  return { chain, next: 1, prev: NO_ENTRY, seen: 0, missing: 0, first: 0 };
}

/** The place behind an entry. Changed text shows in the entry behind it, which names its hash. */
function follow<Place extends ReturnType<typeof startOf>>(place: Place, text: string): Place {
  const { seq, prev } = placeIn(text) ?? { seq: place.next, prev: '' };
  const gap = Math.max(0, seq - place.next);
  const isChanged = gap === 0 && (seq !== place.next || prev !== place.prev);
  const missing = place.missing + gap + Number(isChanged);
  const at = isChanged ? Math.max(1, place.next - 1) : place.next;
  const first = place.missing > 0 || missing === 0 ? place.first : at;
  const next = Math.max(place.next, seq) + 1;
  return { ...place, next, prev: leafHash(text).toString('hex'), missing, first };
}

/** Null: it is not the text of an entry. */
function placeIn(text: string): { seq: number; prev: string } | null {
  try {
    const { seq, prev } = JSON.parse(text) as { seq: unknown; prev: unknown };
    return Number.isSafeInteger(seq) ? { seq: Number(seq), prev: String(prev) } : null;
  } catch {
    return null;
  }
}
