import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readVerifierKey, signingKey } from '../audit/checkpoint.ts';
import { CraError } from '../model/errors.ts';
import type { ArchivedReference, ArchivePlace, RfcId, RfcView } from './contract/records.ts';
import { archivedElsewhere } from './errors.ts';
import { ARCHIVE } from './limits.ts';
import { makeDirectory, syncDirectory, syncFile } from './sqlite/database.ts';
import { parseRecord } from './stored-record.ts';

/**
 * Archived RFCs: one file a month of creation, of one daemon, in `archive/` of its data directory.
 *
 *     archive/<daemon>/2026-01.jsonl.gz     | gzip member | gzip member | ...
 *     archive/<daemon>/2026-01.signatures   | a line of JSON for each member
 *     archive/<daemon>/pending.json         the member that is being added
 *
 * A member holds some RFCs, each a line of JSON, byte for byte as the store had it; members one
 * after the other are one gzip file, which `zcat` reads. A signature is over the place, size and
 * SHA-256 of its member and over the line before it, by the key that signs checkpoints of the
 * trail: nobody else can change, add or exchange a member, or take one out of the middle.
 *
 * Adds members to the files of one daemon; nobody else may write there.
 */
export interface ArchiveFiles {
  /**
   * Ends what a crash left: a member that the store refers to stays, another one is cut off.
   * Call it before `append`.
   */
  recover(isReferred: (place: Omit<ArchivePlace, 'bytes'>) => Promise<boolean>): Promise<void>;
  /** Adds a member to a month (YYYY-MM), durably; `settle` or `undo` has to follow. */
  append(month: string, lines: readonly string[]): ArchivePlace;
  /** The store refers to the member now. */
  settle(): void;
  /** Cuts it off again. */
  undo(): void;
}

interface Pending {
  file: string;
  offset: number;
  /** Size of the file of signatures before the member. */
  signatures: number;
}

/** A signed member. */
interface Signed extends ArchivePlace {
  records: number;
  sha256: string;
  /** SHA-256 of the line before it, hex; empty: there is no such line. */
  previous: string;
  signature: string;
}

const PENDING = 'pending.json';
/** How the names of files of members end. */
export const MEMBERS = '.jsonl.gz';
const SIGNATURES = '.signatures';

export interface ArchiveFilesOptions {
  /** `archive/` of a data directory. */
  root: string;
  /** Name of the daemon. */
  owner: string;
  /** Ed25519 seed of the key that signs, 32 bytes. */
  seed: Uint8Array;
}

/** Opens the files of a daemon for adding to them. */
export function createArchiveFiles({ root, owner, seed }: ArchiveFilesOptions): ArchiveFiles {
  const directory = join(root, owner);
  const pendingPath = join(directory, PENDING);
  const key = signingKey(seed);
  /** Hash of the last line of signatures, by file. */
  const last = new Map<string, string>();

  function previousOf(path: string): string {
    const known = last.get(path);
    if (known !== undefined) return known;
    const line = existsSync(path) ? linesOf(readFileSync(path, 'utf8')).at(-1) : undefined;
    return line === undefined ? '' : sha256(line);
  }

  function settle(): void {
    rmSync(pendingPath, { force: true });
    syncDirectory(directory);
  }

  function cutOff({ file, offset, signatures }: Pending): void {
    cut(join(root, file), offset);
    const path = signaturesOf(join(root, file));
    cut(path, signatures);
    last.delete(path);
    settle();
  }

  function undo(): void {
    const pending = readPending(pendingPath);
    if (pending !== null) cutOff(pending);
  }

  return {
    async recover(isReferred) {
      const pending = readPending(pendingPath);
      if (pending === null) return;
      if (await isReferred(pending)) settle();
      else cutOff(pending);
    },

    append(month, lines) {
      makeDirectory(directory);
      const file = `${owner}/${month}${MEMBERS}`;
      const path = join(root, file);
      const signaturesPath = signaturesOf(path);
      const offset = sizeOf(path);
      const pending: Pending = { file, offset, signatures: sizeOf(signaturesPath) };
      replaceFile(pendingPath, JSON.stringify(pending));
      const member = gzipSync(`${lines.join('\n')}\n`);
      try {
        addTo(path, member);
        const place = { file, offset, bytes: member.length };
        const body = {
          ...place,
          records: lines.length,
          sha256: sha256(member),
          previous: previousOf(signaturesPath),
        };
        const signature = sign(null, Buffer.from(signedText(body)), key).toString('base64');
        const line = JSON.stringify({ ...body, signature } satisfies Signed);
        addTo(signaturesPath, `${line}\n`);
        syncDirectory(directory);
        last.set(signaturesPath, sha256(line));
        return place;
      } catch (thrown) {
        undo();
        throw thrown;
      }
    },

    settle,
    undo,
  };
}

/** Copies a file with its signatures, up to a place between two members; null: all of it. */
export function copyArchiveFile(copied: {
  from: string;
  to: string;
  file: string;
  end: number | null;
}): void {
  const source = join(copied.from, copied.file);
  const target = join(copied.to, copied.file);
  const end = copied.end ?? sizeOf(source);
  copyFileSync(source, target, constants.COPYFILE_FICLONE);
  cut(target, end);
  const signed = existsSync(signaturesOf(source))
    ? linesOf(readFileSync(signaturesOf(source), 'utf8'))
    : [];
  const kept = signed.filter((line) => (readSigned(line)?.offset ?? 0) < end);
  writeFileSync(signaturesOf(target), kept.map((line) => `${line}\n`).join(''), { mode: 0o600 });
}

/** What a signature is over. */
function signedText(body: Omit<Signed, 'signature'>): string {
  const { file, offset, bytes, records, sha256: hash, previous } = body;
  return `cra-archive\n${basename(file)}\n${offset}\n${bytes}\n${records}\n${hash}\n${previous}\n`;
}

function signaturesOf(path: string): string {
  return path.slice(0, -MEMBERS.length) + SIGNATURES;
}

function readPending(path: string): Pending | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Pending) : null;
}

function replaceFile(path: string, text: string): void {
  const next = `${path}.new`;
  writeFileSync(next, text, { mode: 0o600 });
  syncFile(next);
  renameSync(next, path);
  syncDirectory(dirname(path));
}

function addTo(path: string, data: string | Uint8Array): void {
  appendFileSync(path, data, { mode: 0o600 });
  syncFile(path);
}

function cut(path: string, size: number): void {
  if (sizeOf(path) <= size) return;
  if (size === 0) {
    rmSync(path);
    return;
  }
  truncateSync(path, size);
  syncFile(path);
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/**
 * An archived RFC, as the store showed it. NOT_FOUND with the place when its file is not in this
 * archive, DATA_LOSS for a member that cannot be read.
 */
export function readArchived(root: string, id: RfcId, reference: ArchivedReference): RfcView {
  const { status: overall_status, rev, line, file, ...place } = reference;
  const path = join(root, file);
  if (!existsSync(path)) throw archivedElsewhere(file);
  const json = linesIn(readMember(path, place))?.[line];
  // Of a file that was exchanged for another one, the line may be that of another RFC.
  if (json !== undefined && isOf(json, id)) {
    return { overall_status, rev, json: new TextEncoder().encode(json) };
  }
  throw new CraError('DATA_LOSS', 'an archived RFC cannot be read: run cra store archive --verify');
}

function isOf(json: string, { tenant_id, rfc_id }: RfcId): boolean {
  const record = parseRecord(json);
  return record.rfc_id === rfc_id && record.tenant_id === tenant_id;
}

function readMember(path: string, { offset, bytes }: Omit<ArchivePlace, 'file'>): Buffer {
  const member = Buffer.alloc(bytes);
  const descriptor = openSync(path, 'r');
  try {
    const got = readSync(descriptor, member, 0, bytes, offset);
    return member.subarray(0, got);
  } finally {
    closeSync(descriptor);
  }
}

/** The lines of a member; null: it is damaged. */
function linesIn(member: Buffer): string[] | null {
  try {
    const plain = gunzipSync(member, { maxOutputLength: ARCHIVE.MEMBER_READ_BYTES_MAX });
    return linesOf(plain.toString());
  } catch {
    return null;
  }
}

/** What `verifyArchive` found of one file. */
export interface ArchiveCheck {
  file: string;
  records: number;
  bytes: number;
  /** The first flaw; null when absent. */
  flaw: string | null;
}

/**
 * Checks the files of an archive by the public key (`cra-audit+...`): every member is signed, in
 * its place, and whole. `ends`: how many bytes of each file the store refers to; without it a
 * member that is missing at the end of a file, and a month that is missing, do not show.
 */
export function* verifyArchive(
  root: string,
  verifierKey: string,
  ends: ReadonlyMap<string, number> = new Map(),
): Generator<ArchiveCheck> {
  const { key } = readVerifierKey(verifierKey);
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : [];
  const isOwn = (name: string) => name.endsWith(MEMBERS) || name.endsWith(SIGNATURES);
  const known = [...names.filter(isOwn), ...ends.keys()];
  const months = known.map((name) => name.replace(/\.(?:jsonl\.gz|signatures)$/, ''));
  for (const month of [...new Set(months)].sort()) {
    const file = `${month}${MEMBERS}`;
    const check = checkFile(root, file, key);
    const end = ends.get(file) ?? 0;
    const isShort = check.flaw === null && check.bytes < end;
    yield isShort ? { ...check, flaw: `the store refers to ${end} bytes of it` } : check;
  }
}

function checkFile(root: string, file: string, key: KeyObject): ArchiveCheck {
  const path = join(root, file);
  const found: ArchiveCheck = { file, records: 0, bytes: 0, flaw: null };
  const wrong = (flaw: string): ArchiveCheck => ({ ...found, flaw });
  if (!existsSync(path)) return wrong('the file is missing');
  if (!existsSync(signaturesOf(path))) return wrong('the file has no signatures');
  let previous = '';
  for (const line of linesOf(readFileSync(signaturesOf(path), 'utf8'))) {
    const signed = readSigned(line);
    const where = `the member at byte ${found.bytes}`;
    if (signed === null) return wrong(`the signature of ${where} cannot be read`);
    const text = Buffer.from(signedText({ ...signed, file }));
    if (!verify(null, text, key, Buffer.from(signed.signature, 'base64'))) {
      return wrong(`${where} is not signed by this key`);
    }
    if (signed.previous !== previous || signed.offset !== found.bytes) {
      return wrong(`${where} does not follow the member before it`);
    }
    const member = readMember(path, signed);
    if (sha256(member) !== signed.sha256) return wrong(`${where} is not as it was signed`);
    if (linesIn(member)?.length !== signed.records) return wrong(`${where} cannot be read`);
    previous = sha256(line);
    found.bytes += signed.bytes;
    found.records += signed.records;
  }
  const rest = sizeOf(path) - found.bytes;
  return rest === 0 ? found : wrong(`${rest} bytes at its end are not signed`);
}

function readSigned(line: string): Signed | null {
  try {
    const signed = JSON.parse(line) as Signed;
    const sizes = [signed.offset, signed.bytes, signed.records];
    const isWhole = sizes.every((size) => Number.isSafeInteger(size) && size >= 0);
    const isShort = signed.bytes <= ARCHIVE.MEMBER_READ_BYTES_MAX;
    return isWhole && isShort && typeof signed.signature === 'string' ? signed : null;
  } catch {
    return null;
  }
}
