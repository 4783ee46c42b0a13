import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';

/**
 * Signed checkpoints: tree heads (C2SP tlog-checkpoint) as signed notes (C2SP signed-note), the
 * format of Go's checksum database; golang.org/x/mod/sumdb/note opens them.
 *
 *     cra-audit/<chain>              origin
 *     1234                           entries
 *     5Gq...=                        root, base64
 *
 *     — cra-audit iE7f...            signature: key hash (4 bytes) and Ed25519, base64
 */
export interface Checkpoint {
  chain: string;
  /** Entries that the root is over: the first `size` of the chain. */
  size: number;
  root: Buffer;
}

/** Signs checkpoints. */
export interface CheckpointSigner {
  /** Public half, as x/mod's note.NewVerifier takes it: `cra-audit+<hash>+<base64>`. */
  readonly verifierKey: string;
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

/** Creates a signer from an Ed25519 seed of 32 bytes. */
export function createCheckpointSigner(seed: Uint8Array): CheckpointSigner {
  if (seed.length !== SEED_BYTES) throw new RangeError(`a seed has ${SEED_BYTES} bytes`);
  const der = Buffer.concat([PRIVATE_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = spki.subarray(PUBLIC_PREFIX.length);
  const hash = keyHash(publicKey);
  return {
    verifierKey: `${KEY_NAME}+${hash.toString('hex')}+${keyText(publicKey)}`,
    sign(checkpoint) {
      const body = bodyOf(checkpoint);
      const signature = Buffer.concat([hash, sign(null, Buffer.from(body), key)]);
      return `${body}\n— ${KEY_NAME} ${signature.toString('base64')}\n`;
    },
  };
}

/** Opens signed checkpoints. Null: it is none, or this key did not sign it. */
export type OpenCheckpoint = (note: string) => Checkpoint | null;

/** Creates the check for one public key (`verifierKey`). Throws RangeError for what is no key. */
export function createCheckpointVerifier(verifierKey: string): OpenCheckpoint {
  const { hash, key } = readVerifierKey(verifierKey);
  return (note) => {
    const parts = NOTE.exec(note);
    if (parts === null) return null;
    const [, body = '', encoded = ''] = parts;
    const signature = Buffer.from(encoded, 'base64');
    if (!signature.subarray(0, KEY_HASH_BYTES).equals(hash)) return null;
    const isSigned = verify(null, Buffer.from(body), key, signature.subarray(KEY_HASH_BYTES));
    return isSigned ? readBody(body) : null;
  };
}

const NOTE = /^([^\n]+\n\d{1,15}\n[A-Za-z0-9+/]{43}=\n)\n— cra-audit ([A-Za-z0-9+/]{91}=)\n$/;
const VERIFIER_KEY = /^cra-audit\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/;

function bodyOf({ chain, size, root }: Checkpoint): string {
  return `${ORIGIN}${chain}\n${size}\n${root.toString('base64')}\n`;
}

function readBody(body: string): Checkpoint | null {
  const [origin = '', size = '', root = ''] = body.split('\n');
  if (!origin.startsWith(ORIGIN) || String(Number(size)) !== size) return null;
  return {
    chain: origin.slice(ORIGIN.length),
    size: Number(size),
    root: Buffer.from(root, 'base64'),
  };
}

function readVerifierKey(text: string): { hash: Buffer; key: KeyObject } {
  const [, hex = '', encoded = ''] = VERIFIER_KEY.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const publicKey = bytes.subarray(1);
  const hash = Buffer.from(hex, 'hex');
  if (bytes[0] !== ED25519 || publicKey.length !== SEED_BYTES || !keyHash(publicKey).equals(hash)) {
    throw new RangeError('this is no public key of an audit trail (cra-audit+HASH+KEY)');
  }
  const der = Buffer.concat([PUBLIC_PREFIX, publicKey]);
  return { hash, key: createPublicKey({ key: der, format: 'der', type: 'spki' }) };
}

/** First 4 bytes of SHA-256(name || "\n" || 0x01 || public key). */
function keyHash(publicKey: Buffer): Buffer {
  const named = createHash('sha256').update(`${KEY_NAME}\n`).update(Buffer.of(ED25519));
  return named.update(publicKey).digest().subarray(0, KEY_HASH_BYTES);
}

function keyText(publicKey: Buffer): string {
  return Buffer.concat([Buffer.of(ED25519), publicKey]).toString('base64');
}
