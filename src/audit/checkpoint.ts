import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import type { AuditEntry, AuditPlace } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { isChainName, isCount, isHash, isObject } from './entry.ts';
import { AUDIT_READ } from './limits.ts';

/**
 * Signed checkpoints: tree heads (C2SP tlog-checkpoint) as signed notes (C2SP signed-note), the
 * format of Go's checksum database; golang.org/x/mod/sumdb/note opens them.
 *
 *     cra-audit/<chain>              origin
 *     1234                           entries
 *     5Gq...=                        root, base64
 *
 *     — cra-audit iE7f...            signature: key hash (4 bytes) and Ed25519, base64
 *
 * More signatures may follow: other logs that keep checkpoints add their own.
 */
export interface Checkpoint {
  chain: string;
  /** Entries that the root is over: the first `size` of the chain; at least 1. */
  size: number;
  root: Buffer;
}

/** Signs checkpoints. */
export interface CheckpointSigner {
  /** Public half, as x/mod's note.NewVerifier takes it: `cra-audit+<hash>+<base64>`. */
  readonly verifierKey: string;
  /** Throws RangeError for a checkpoint that would not open. */
  sign(checkpoint: Checkpoint): string;
}

const ORIGIN = 'cra-audit/';
const KEY_NAME = 'cra-audit';
const ED25519 = 1;
const SEED_BYTES = 32;
const KEY_HASH_BYTES = 4;

/** PKCS #8 and SPKI of an Ed25519 key, up to the 32 bytes of the key itself (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** The private key of an Ed25519 seed of 32 bytes. */
export function signingKey(seed: Uint8Array): KeyObject {
  if (seed.length !== SEED_BYTES) throw new RangeError(`a seed has ${SEED_BYTES} bytes`);
  const der = Buffer.concat([PRIVATE_PREFIX, seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

/** Creates a signer from an Ed25519 seed of 32 bytes. */
export function createCheckpointSigner(seed: Uint8Array): CheckpointSigner {
  const key = signingKey(seed);
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = spki.subarray(PUBLIC_PREFIX.length);
  const keyId = keyHash(publicKey);
  return {
    verifierKey: `${KEY_NAME}+${keyId.toString('hex')}+${keyText(publicKey)}`,
    sign(checkpoint) {
      const body = bodyOf(checkpoint);
      if (readBody(body) === null) throw new RangeError('the text is not a checkpoint of a chain');
      const signature = Buffer.concat([keyId, sign(null, Buffer.from(body), key)]);
      return `${body}\n— ${KEY_NAME} ${signature.toString('base64')}\n`;
    },
  };
}

/** Opens signed checkpoints. Null: not a checkpoint, or not signed by this key. */
export type OpenCheckpoint = (note: string) => Checkpoint | null;

/** Creates the check for one public key (`verifierKey`). Throws RangeError for another text. */
export function createCheckpointVerifier(verifierKey: string): OpenCheckpoint {
  const { keyId, key } = readVerifierKey(verifierKey);
  return (note) => {
    const parts = splitNote(note);
    if (parts === null) return null;
    const body = Buffer.from(parts.body);
    const isSigned = parts.signatures.some(
      (signature) =>
        signature.subarray(0, KEY_HASH_BYTES).equals(keyId) &&
        verify(null, body, key, signature.subarray(KEY_HASH_BYTES)),
    );
    return isSigned ? readBody(parts.body) : null;
  };
}

/** Reads a note without checking its signature. Null: it is not a checkpoint. */
export function readUnverified(note: string): Checkpoint | null {
  const parts = splitNote(note);
  return parts === null || parts.signatures.length === 0 ? null : readBody(parts.body);
}

const NOTE_CHARS_MAX = 16 * 1024;
const SIGNATURE_LINE = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/;
const BODY = /^([^\n]+)\n([1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n$/;
const VERIFIER_KEY = /^cra-audit\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/;

/** A note: the signed text, an empty line, signatures. Signatures of other names are left out. */
function splitNote(note: string): { body: string; signatures: Buffer[] } | null {
  const end = note.lastIndexOf('\n\n');
  if (note.length > NOTE_CHARS_MAX || end < 0 || !note.endsWith('\n')) return null;
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures: Buffer[] = [];
  for (const line of lines) {
    const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
    if (name === undefined || encoded === undefined) return null;
    const bytes = Buffer.from(encoded, 'base64');
    if (bytes.toString('base64') !== encoded) return null;
    if (name === KEY_NAME) signatures.push(bytes);
  }
  return { body: note.slice(0, end + 1), signatures };
}

function bodyOf({ chain, size, root }: Checkpoint): string {
  return `${ORIGIN}${chain}\n${size}\n${root.toString('base64')}\n`;
}

function readBody(body: string): Checkpoint | null {
  const [, origin = '', size = '', root = ''] = BODY.exec(body) ?? [];
  const chain = origin.slice(ORIGIN.length);
  if (!origin.startsWith(ORIGIN) || !isChainName(chain)) return null;
  if (!Number.isSafeInteger(Number(size))) return null;
  return { chain, size: Number(size), root: Buffer.from(root, 'base64') };
}

/** Reads a public key (`verifierKey`). Throws RangeError for another text. */
export function readVerifierKey(text: string): { keyId: Buffer; key: KeyObject } {
  const [, hex = '', encoded = ''] = VERIFIER_KEY.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const publicKey = bytes.subarray(1);
  const keyId = Buffer.from(hex, 'hex');
  if (
    bytes[0] !== ED25519 ||
    publicKey.length !== SEED_BYTES ||
    !keyHash(publicKey).equals(keyId)
  ) {
    throw new RangeError('this is not a public key of an audit trail (cra-audit+HASH+KEY)');
  }
  const der = Buffer.concat([PUBLIC_PREFIX, publicKey]);
  return { keyId, key: createPublicKey({ key: der, format: 'der', type: 'spki' }) };
}

/** First 4 bytes of SHA-256(name || "\n" || 0x01 || public key). */
function keyHash(publicKey: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(`${KEY_NAME}\n`), Buffer.of(ED25519), publicKey]);
  return Buffer.from(hash('sha256', named, 'hex'), 'hex').subarray(0, KEY_HASH_BYTES);
}

function keyText(publicKey: Buffer): string {
  return Buffer.concat([Buffer.of(ED25519), publicKey]).toString('base64');
}

/** The newest entry of a chain, as the first entry of another chain names it. */
export interface NamedHead extends AuditPlace {
  hash: string;
}

/** A statement from outside of a chain about its first `seq` entries. */
export interface ExternalCheckpoint extends AuditPlace {
  /** Hash of entry `seq`, hex, or null. */
  head: string | null;
  /** Root over the entries 1 to `seq`, or null. */
  root: Buffer | null;
  /** Whether the chain ends with `seq`. */
  isEnd: boolean;
  /** Whether a signature covers it. */
  isSigned: boolean;
  /** Who says so, as it stands in a sentence: "the boot entry of chain ...". */
  by: string;
}

/** External checkpoints of the chains of a trail, by place. */
export interface ExternalCheckpoints {
  add(external: ExternalCheckpoint): void;
  /** Checkpoints at this place. */
  at(chain: string, seq: number): readonly ExternalCheckpoint[];
  /** The one of the first place behind `seq` entries; null: it is absent. */
  beyond(chain: string, seq: number): ExternalCheckpoint | null;
  chains(): Iterable<string>;
}

/** Creates an empty collection. `add` throws RESOURCE_EXHAUSTED at AUDIT_READ.NAMED_HEADS_MAX. */
export function createExternalCheckpoints(): ExternalCheckpoints {
  const places = new Map<string, Map<number, ExternalCheckpoint[]>>();
  let count = 0;
  return {
    add(external) {
      count += 1;
      if (count > AUDIT_READ.NAMED_HEADS_MAX) {
        const message = `the trail names more than ${AUDIT_READ.NAMED_HEADS_MAX} heads of chains`;
        throw new CraError('RESOURCE_EXHAUSTED', message);
      }
      const { chain, seq } = external;
      const bySeq = places.get(chain) ?? new Map<number, ExternalCheckpoint[]>();
      const here = bySeq.get(seq) ?? [];
      here.push(external);
      places.set(chain, bySeq.set(seq, here));
    },
    at: (chain, seq) => places.get(chain)?.get(seq) ?? [],
    beyond(chain, seq) {
      let first: ExternalCheckpoint | null = null;
      for (const [at, [external]] of places.get(chain) ?? []) {
        if (at > seq && external && (first === null || at < first.seq)) first = external;
      }
      return first;
    },
    chains: () => places.keys(),
  };
}

/** The heads that a boot entry names; null: `details.heads` is not what it must be. */
export function namedHeads({ chain: own, details }: AuditEntry): NamedHead[] | null {
  const heads = details['heads'];
  if (!Array.isArray(heads)) return null;
  const named: NamedHead[] = [];
  for (const head of heads) {
    if (!isObject(head)) return null;
    const { chain, seq, hash } = head;
    if (!isChainName(chain) || chain === own) return null;
    if (!isCount(seq) || seq === 0 || !isHash(hash)) return null;
    named.push({ chain, seq, hash });
  }
  return named;
}
