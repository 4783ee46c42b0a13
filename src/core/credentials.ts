import { createHash } from 'node:crypto';

/** A hash in the PHC string format: `$scrypt$ln=17,r=8,p=1$SALT$HASH`, base64 without padding. */
export interface PasswordHash {
  logCost: number;
  blockSize: number;
  parallelism: number;
  salt: Buffer;
  hash: Buffer;
}

/** Cost of scrypt: fewer than 2^15 blocks are too easy to guess, 2^20 take 1 GiB of memory. */
const LOG_COST_MIN = 15;
const LOG_COST_MAX = 20;

const PHC =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43,86})$/;

/** Reads a hash; null when it is not one, too cheap to withstand guessing, or too dear to check. */
export function readPasswordHash(text: string): PasswordHash | null {
  const [, logCost, blockSize, parallelism, salt = '', hash = ''] = PHC.exec(text) ?? [];
  const read = {
    logCost: Number(logCost),
    blockSize: Number(blockSize),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
  const isSound =
    read.logCost >= LOG_COST_MIN &&
    read.logCost <= LOG_COST_MAX &&
    read.blockSize === 8 &&
    read.parallelism >= 1 &&
    read.parallelism <= 4;
  return isSound ? read : null;
}

/** Writes a hash as `readPasswordHash` reads it. */
export function writePasswordHash(known: PasswordHash): string {
  const { logCost, blockSize, parallelism, salt, hash } = known;
  const bare = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$scrypt$ln=${logCost},r=${blockSize},p=${parallelism}$${bare(salt)}$${bare(hash)}`;
}

/** SHA-256 of a secret, lower-case hex: what is kept of a token once the settings are read. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether nobody on the way can read or change what is exchanged: https, or this very machine. */
export function isSafeUrl(url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** Whether a host name, as `URL` writes it, is this very machine. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return LOOPBACK.test(hostname);
}

/** As `URL` writes addresses: four numbers, whatever the form that they were given in. */
const LOOPBACK = /^127(?:\.\d{1,3}){3}$/;
