import { CraError } from '../model/errors.ts';
import { type ChainState, follow, newChain, rootOf } from './chain.ts';
import type { Flaw } from './chain-check.ts';
import {
  type Checkpoint,
  type CheckpointSigner,
  createCheckpointVerifier,
  type OpenCheckpoint,
  readUnverified,
} from './checkpoint.ts';
import { isChainName, isCount, isHash, isObject, isTime, readAcceptance } from './entry.ts';
import { AUDIT_READ } from './limits.ts';
import { compareRecords, type StoredRecords } from './records-check.ts';
import { TrailCheck, type Verification } from './trail-check.ts';

/** A trail as `cra audit verify` and `export` read it: a database, or a file made by `export`. */
export interface AuditSource {
  /** Names of all chains, the oldest first. */
  chains(): Promise<string[]>;
  /** The entries of a chain by `seq`, each as the bytes (UTF-8) that were written. */
  entries(chain: string): AsyncIterable<string>;
  close(): Promise<void>;
}

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
async function readBoots(
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

/** The first two entries, and those of acceptances that follow the boot entry. */
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

/**
 * An export of the trail, lines of JSON: a header, the entries of each chain as they were
 * written, and a closing line without which the export is not whole.
 */
export interface ExportHeader {
  /** When it was made, ISO 8601. */
  at: string;
  /** Chains that ended before were left out; null: it holds all. */
  since: string | null;
  /** Names of the chains that were left out. */
  omitted: string[];
}

/** What the closing line says. */
export interface ExportClosing {
  /** In the order in which they stand in the export. */
  chains: ExportedChain[];
}

/** A chain as the closing line sums it up. */
interface ExportedChain {
  chain: string;
  /** At least 1. */
  entries: number;
  /** Hash of the last entry, hex. */
  head: string;
  /** RFC 6962 root over all entries, hex. */
  root: string;
  /** A signed checkpoint over all entries; null: there was no key, or the trail was bad. */
  note: string | null;
}

const FORMAT = 'cra-audit-export/1';
const END = 'cra-audit-export/1 end';

/** The first line, without its line break. */
function headerLine({ at, since, omitted }: ExportHeader): string {
  return JSON.stringify({ format: FORMAT, at, since, omitted });
}

/** The last line, without its line break. */
function closingLine({ chains }: ExportClosing): string {
  return JSON.stringify({ format: END, chains });
}

/** Reads a first line; null: it is not one. */
export function readHeader(line: string): ExportHeader | null {
  const value = parse(line);
  if (value?.['format'] !== FORMAT) return null;
  const { at, since, omitted } = value;
  if (!isTime(at) || !(since === null || isTime(since))) return null;
  if (!Array.isArray(omitted) || !omitted.every(isChainName)) return null;
  return { at, since, omitted };
}

/** Reads a last line; null: it is not one. */
export function readClosing(line: string): ExportClosing | null {
  const value = parse(line);
  if (value?.['format'] !== END || !Array.isArray(value['chains'])) return null;
  const chains = value['chains'];
  return chains.every(isExportedChain) ? { chains } : null;
}

function isExportedChain(value: unknown): value is ExportedChain {
  if (!isObject(value)) return false;
  const { chain, entries, head, root, note } = value;
  const isNote = note === null || typeof note === 'string';
  return (
    isNote && isChainName(chain) && isCount(entries) && entries > 0 && isHash(head) && isHash(root)
  );
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

interface ExportOptions {
  /** Takes the next line, which ends with a line break. */
  write(line: string): Promise<void> | undefined;
  nowMs: number;
  /** Chains whose entries are all older are left out; null: all chains are exported. */
  since: string | null;
  /** Signs what was exported; null: there is no key. */
  signer: CheckpointSigner | null;
  onEntry(): void;
}

/**
 * Writes a whole trail as lines (see `ExportHeader`), and checks it on the way: a bad one is
 * exported all the same, as evidence, but not signed. Errors of the source are thrown.
 */
export async function exportTrail(
  source: AuditSource,
  options: ExportOptions,
): Promise<Verification> {
  const { nowMs, since, signer } = options;
  const { chains, omitted } = await select(source, since);
  const open = signer === null ? null : createCheckpointVerifier(signer.verifierKey);
  const check = new TrailCheck({ open, nowMs, omitted: new Set(omitted) });
  await readBoots(source, chains, check);
  const at = new Date(nowMs).toISOString();
  await options.write(`${headerLine({ at, since, omitted })}\n`);
  const states: ChainState[] = [];
  let flaw: Flaw | null = null;
  for (const chain of chains) {
    flaw ??= check.begin(chain);
    let state = newChain(chain);
    for await (const text of source.entries(chain)) {
      const waiting = options.write(`${text}\n`);
      if (waiting !== undefined) await waiting;
      state = follow(state, text);
      flaw ??= check.read(text);
      options.onEntry();
    }
    flaw ??= check.end();
    if (state.size > 0) states.push(state);
  }
  flaw ??= check.finish();
  const signs = flaw === null ? signer : null;
  await options.write(`${closingLine({ chains: states.map((state) => sumUp(state, signs)) })}\n`);
  return check.result(flaw);
}

function sumUp(state: ChainState, signer: CheckpointSigner | null): ExportedChain {
  const { chain, size, head, frontier } = state;
  const root = rootOf(frontier);
  const note = signer?.sign({ chain, size, root }) ?? null;
  return { chain, entries: size, head, root: root.toString('hex'), note };
}

/** A chain is exported whole or not at all: a part of it could not be verified. */
async function select(
  source: AuditSource,
  since: string | null,
): Promise<{ chains: string[]; omitted: string[] }> {
  const chains: string[] = [];
  const omitted: string[] = [];
  for (const chain of await source.chains()) {
    if (!isChainName(chain)) {
      throw new CraError('DATA_LOSS', `the store holds a chain whose name is not valid: ${chain}`);
    }
    const isIn = since === null || (await reaches(source, chain, since));
    (isIn ? chains : omitted).push(chain);
  }
  return { chains, omitted };
}

/** Whether an entry of the chain is of this time or later; what cannot be read counts as one. */
async function reaches(source: AuditSource, chain: string, since: string): Promise<boolean> {
  for await (const text of source.entries(chain)) {
    const ts = /"ts":"([^"]*)"/.exec(text.slice(-TAIL_CHARS))?.[1];
    if (ts === undefined || ts >= since) return true;
  }
  return false;
}

/** `ts` and `v` end an entry. */
const TAIL_CHARS = 64;
