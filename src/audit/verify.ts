import { CraError } from '../model/errors.ts';
import type { Flaw } from './chain-check.ts';
import { type Checkpoint, type OpenCheckpoint, readUnverified } from './checkpoint.ts';
import { readAcceptance } from './entry.ts';
import type { ExportClosing, ExportedChain } from './export-format.ts';
import { AUDIT_READ } from './limits.ts';
import { compareRecords, type StoredRecords } from './records-check.ts';
import type { AuditSource } from './source.ts';
import { TrailCheck, type Verification } from './trail-check.ts';

/** A decision that an RFC shows, and the trail has no entry of. */
export interface UndocumentedDecision {
  rfcId: string;
  opId: string;
}

export interface VerifyOptions {
  /** Null: without a key signatures are not checked. */
  open: OpenCheckpoint | null;
  /** When the trail was read, ms since the epoch. */
  nowMs: number;
  /** Checkpoints that were kept outside of the trail: where, and what they say. */
  kept: readonly { from: string; checkpoint: Checkpoint }[];
  /** Of an export: what it says about itself; null: the source is a database. */
  claims: ExportClaims | null;
  /** Decisions that lack their entry; left out: there are no RFCs to compare with. */
  undocumented?: AsyncIterable<UndocumentedDecision>;
  /** What the store shows as decided, to be compared with the trail; left out: as above. */
  records?: StoredRecords;
  onEntry?(): void;
}

/** The first and the last line of an export. */
export interface ExportClaims {
  omitted: readonly string[];
  /** Null: it has no closing line. */
  closing: ExportClosing | null;
}

/**
 * Reads a whole trail, entry by entry, up to the first flaw. What the source cannot read
 * (DATA_LOSS) is a flaw; other errors of the source are thrown.
 */
export async function verifyTrail(
  source: AuditSource,
  options: VerifyOptions,
): Promise<Verification> {
  const { open, nowMs, kept, claims, undocumented, records } = options;
  const check = new TrailCheck({ open, nowMs, omitted: new Set(claims?.omitted) });
  if (open === null) check.warn('signatures were not checked: give the public key (--key)');
  for (const { from, checkpoint } of kept) check.keep(checkpoint, `the checkpoint in ${from}`);
  const flawOfClosing = claims === null ? null : readClaims(check, claims, open);
  const chains = await source.chains();
  await readBoots(source, chains, check);
  for (const chain of chains) {
    const flaw = check.begin(chain) ?? (await readChain(source, chain, check, options));
    if (flaw !== null) return check.result(flaw);
  }
  const flaw = flawOfClosing ?? check.finish() ?? unclosed(claims, chains, check);
  if (flaw !== null) return check.result(flaw);
  for await (const decision of undocumented ?? []) {
    check.differ({ reason: reasonOf(decision), key: decision.opId });
  }
  if (records !== undefined) {
    for await (const difference of compareRecords(source, records)) check.differ(difference);
  }
  return check.result(null);
}

/** One sentence about a decision without its entry. */
export function reasonOf({ rfcId, opId }: UndocumentedDecision): string {
  return `the trail has no entry of decision ${opId}, which ${rfcId} shows`;
}

/** Gives the check what an export says about itself; a note that is wrong is a flaw. */
function readClaims(
  check: TrailCheck,
  { omitted, closing }: ExportClaims,
  open: OpenCheckpoint | null,
): Flaw | null {
  if (omitted.length > 0) check.warn(`${omitted.length} chains are left out of this export`);
  if (closing === null) return null;
  let flaw: Flaw | null = null;
  let unsigned = 0;
  for (const exported of closing.chains) {
    const { chain, entries: seq, head, note } = exported;
    const root = Buffer.from(exported.root, 'hex');
    const by = 'the closing line';
    check.addExternal({ chain, seq, head, root, isEnd: true, isSigned: false, by });
    if (note === null) unsigned += 1;
    else flaw ??= readNote(check, exported, note, open);
  }
  if (unsigned > 0) check.warn(`the closing line is not signed for ${unsigned} chains`);
  return flaw;
}

/** The note covers all entries of the chain, so that none can be added either. */
function readNote(
  check: TrailCheck,
  { chain }: ExportedChain,
  note: string,
  open: OpenCheckpoint | null,
): Flaw | null {
  const checkpoint = open === null ? readUnverified(note) : open(note);
  if (checkpoint?.chain !== chain) {
    const reason = 'the note in the closing line was not signed with this key, or was changed';
    return { chain, seq: null, reason };
  }
  const { size: seq, root } = checkpoint;
  const by = 'the note in the closing line';
  check.addExternal({ chain, seq, head: null, root, isEnd: true, isSigned: open !== null, by });
  return null;
}

function unclosed(
  claims: ExportClaims | null,
  chains: readonly string[],
  check: TrailCheck,
): Flaw | null {
  if (claims === null || claims.closing !== null) return null;
  const reason = 'the export ends without its closing line: it is not whole';
  return chains.length > 0 ? check.unreadable(reason) : { chain: null, seq: null, reason };
}

/**
 * Gives the check what the boot entries of all chains say about the others, and acceptances. Throws
 * RESOURCE_EXHAUSTED for more than AUDIT_READ.CHAINS_MAX chains.
 */
export async function readBoots(
  source: AuditSource,
  chains: readonly string[],
  check: TrailCheck,
): Promise<void> {
  if (chains.length > AUDIT_READ.CHAINS_MAX) {
    const message = `the trail has more than ${AUDIT_READ.CHAINS_MAX} chains`;
    throw new CraError('RESOURCE_EXHAUSTED', message);
  }
  for (const chain of chains) {
    const [first, ...rest] = await firstEntries(source.entries(chain));
    if (first === undefined) continue;
    check.readBoot(chain, first, rest[0] ?? null);
    for (const text of rest) {
      const acceptance = readAcceptance(text);
      if (acceptance !== null) check.accept(acceptance, chain);
    }
  }
}

/** The first two entries, and entries of acceptances that follow the boot entry. */
async function firstEntries(entries: AsyncIterable<string>): Promise<string[]> {
  const texts: string[] = [];
  try {
    for await (const text of entries) {
      texts.push(text);
      if (texts.length > 1 && readAcceptance(text) === null) break;
    }
  } catch (thrown) {
    // Reported, with its place, when the chain is read.
    if (!isDamage(thrown)) throw thrown;
  }
  return texts;
}

async function readChain(
  source: AuditSource,
  chain: string,
  check: TrailCheck,
  { onEntry }: VerifyOptions,
): Promise<Flaw | null> {
  try {
    for await (const text of source.entries(chain)) {
      const flaw = check.read(text);
      if (flaw !== null) return flaw;
      onEntry?.();
    }
  } catch (thrown) {
    if (isDamage(thrown)) return check.unreadable(thrown.message);
    throw thrown;
  }
  return check.end();
}

function isDamage(thrown: unknown): thrown is CraError {
  return thrown instanceof CraError && thrown.code === 'DATA_LOSS';
}
