import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { CraError } from '../model/errors.ts';

/**
 * Sealed diffs: compressed, then AES-256-GCM, in chunks of [12 bytes nonce][16 bytes tag]
 * [ciphertext]. Nonces are random: NIST SP 800-38D 8.3 allows 2^32 chunks under one key.
 */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = NONCE_BYTES + TAG_BYTES;
const KEY_BYTES = 32;

/** First byte of the authenticated data: another layout gets another number. */
const FORMAT = 1;
/** Format, chunk index, chunk count, size of the diff. */
const AAD_HEAD_BYTES = 1 + 4 + 4 + 4;

/**
 * Brotli at its fastest: half the CPU of deflate level 1 for 2-6 % more bytes on source code.
 * The window is wide enough for a diff that repeats itself, and no wider than the text: for 10 KB
 * a window of 2^14 costs 54 us and one of 2^18 68.
 */
const BROTLI_QUALITY = 0;
const BROTLI_WINDOW_BITS_MIN = 10;
const BROTLI_WINDOW_BITS_MAX = 18;

/** A sealed diff is kept in pieces of this size before compression. */
export const SEAL_CHUNK_BYTES = 4 * 1024 * 1024;

/** A sealed diff; every chunk has an ArrayBuffer of its own, which may be transferred. */
export interface SealedDiff {
  chunks: Uint8Array[];
  /** Size of the diff before compression. */
  bytes: number;
}

/**
 * Compresses and encrypts a diff.
 * @param key 32 bytes
 * @param aad what the diff belongs to (its rfc_id): it opens only with the same
 * @param chunkBytes most bytes of diff in one chunk
 */
export function sealDiff(
  diff: Uint8Array,
  key: Uint8Array,
  aad: string,
  chunkBytes: number,
): SealedDiff {
  checkKey(key);
  const chunks: Uint8Array[] = [];
  // An empty diff has one chunk too, so that it is authenticated.
  const count = Math.max(1, Math.ceil(diff.length / chunkBytes));
  for (let index = 0; index < count; index += 1) {
    const plain = diff.subarray(index * chunkBytes, (index + 1) * chunkBytes);
    const context = chunkContext(aad, index, count, diff.length);
    chunks.push(sealChunk(compress(plain), key, context));
  }
  return { chunks, bytes: diff.length };
}

/**
 * The diff that `sealDiff` was given. DATA_LOSS when a byte was changed, a chunk is missing,
 * moved or of another diff, the key is another, or it is larger than `bytesMax`.
 */
export function openDiff(
  sealed: SealedDiff,
  key: Uint8Array,
  aad: string,
  bytesMax: number,
): Uint8Array {
  checkKey(key);
  const { chunks, bytes } = sealed;
  if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > bytesMax) throw damaged(null);
  if (chunks.length === 0) throw damaged(null);
  const diff = new Uint8Array(bytes);
  let length = 0;
  for (const [index, chunk] of chunks.entries()) {
    const context = chunkContext(aad, index, chunks.length, bytes);
    const plain = decompress(openChunk(chunk, key, context), bytes - length);
    diff.set(plain, length);
    length += plain.length;
  }
  if (length !== bytes) throw damaged(null);
  return diff;
}

/** Authenticated data beside the ciphertext: fixed-size numbers first, then the owner. */
function chunkContext(aad: string, index: number, count: number, bytes: number): Uint8Array {
  const context = Buffer.allocUnsafe(AAD_HEAD_BYTES + Buffer.byteLength(aad));
  context.writeUInt8(FORMAT, 0);
  context.writeUInt32LE(index, 1);
  context.writeUInt32LE(count, 5);
  context.writeUInt32LE(bytes, 9);
  context.write(aad, AAD_HEAD_BYTES);
  return context;
}

function sealChunk(plain: Uint8Array, key: Uint8Array, context: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(HEAD_BYTES + plain.length);
  chunk.set(takeNonce());
  const nonce = chunk.subarray(0, NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context);
  // GCM is a stream cipher: update() gives all of the ciphertext, final() only makes the tag.
  chunk.set(cipher.update(plain), HEAD_BYTES);
  cipher.final();
  chunk.set(cipher.getAuthTag(), NONCE_BYTES);
  return chunk;
}

/** Random bytes for the nonces to come, as `randomUUID` of Node has them: a call costs 10 us. */
const nonces = { bytes: Buffer.alloc(NONCE_BYTES * 256), used: NONCE_BYTES * 256 };

/** A nonce that nobody has had. */
function takeNonce(): Uint8Array {
  if (nonces.used === nonces.bytes.length) {
    randomFillSync(nonces.bytes);
    nonces.used = 0;
  }
  nonces.used += NONCE_BYTES;
  return nonces.bytes.subarray(nonces.used - NONCE_BYTES, nonces.used);
}

function openChunk(chunk: Uint8Array, key: Uint8Array, context: Uint8Array): Uint8Array {
  if (chunk.length < HEAD_BYTES) throw damaged(null);
  const decipher = createDecipheriv('aes-256-gcm', key, chunk.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(context).setAuthTag(chunk.subarray(NONCE_BYTES, HEAD_BYTES));
  const plain = decipher.update(chunk.subarray(HEAD_BYTES));
  try {
    decipher.final();
  } catch (thrown) {
    throw damaged(thrown);
  }
  return plain;
}

function compress(plain: Uint8Array): Uint8Array {
  const bits = Math.ceil(Math.log2(plain.length + 1));
  const windowBits = Math.min(Math.max(bits, BROTLI_WINDOW_BITS_MIN), BROTLI_WINDOW_BITS_MAX);
  return brotliCompressSync(plain, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: windowBits,
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    },
  });
}

/** At most `bytesMax` bytes come out, whatever the compressed text promises. */
function decompress(packed: Uint8Array, bytesMax: number): Uint8Array {
  let plain: Uint8Array;
  try {
    plain = brotliDecompressSync(packed, { maxOutputLength: Math.max(1, bytesMax) });
  } catch (thrown) {
    throw damaged(thrown);
  }
  if (plain.length > bytesMax) throw damaged(null);
  return plain;
}

function checkKey(key: Uint8Array): void {
  if (key.length !== KEY_BYTES) {
    throw new CraError('INTERNAL', 'internal error', {
      cause: new RangeError(`a sealing key has ${KEY_BYTES} bytes, not ${key.length}`),
    });
  }
}

function damaged(cause: unknown): CraError {
  return new CraError('DATA_LOSS', 'the stored diff is damaged or sealed with another key', {
    cause,
  });
}
