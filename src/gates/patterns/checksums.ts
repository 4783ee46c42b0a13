import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Tokens and keys whose last characters are a checksum of the rest, by the ids of their rules. The
 * finding says whether it fits, which nobody can see; its severity is the same either way, as a
 * changed token may be a slip in a real one.
 */
const CHECKSUMS: Readonly<Record<string, (token: string) => boolean | null>> = {
  'secret-github-token': ofGithub,
  'secret-github-oauth-token': ofGithub,
  'secret-github-app-token': ofGithub,
  'secret-github-refresh-token': ofGithub,
  'secret-npm-token': ofGithub,
  'secret-grafana-service-account-token': ofGrafana,
  'secret-age-private-key': ofBech32,
  'secret-nostr-private-key': ofBech32,
  'secret-sui-private-key': ofBech32,
  'secret-nats-seed': ofBase32Key,
  'secret-stellar-seed': ofBase32Key,
  'secret-bitcoin-wif-key': ofBase58Check,
  'secret-extended-private-key': ofBase58Check,
};

/** A sentence on the checksum of a token; null: its vendor documents none for this form. */
export function checksumNote(ruleId: string, secret: Buffer): string | null {
  const check = ruleId.startsWith('secret-gitlab-') ? ofGitlab : CHECKSUMS[ruleId];
  const fits = check?.(secret.toString('latin1')) ?? null;
  if (fits === null) return null;
  return fits
    ? 'Its checksum fits: the vendor made it.'
    : 'Its checksum does not fit: it was made up, cut or changed.';
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Six digits of base 62 behind thirty characters, without the prefix
 * (github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats); npm
 * has the same.
 */
function ofGithub(token: string): boolean | null {
  const [, body = '', checksum] = /^[a-z]{3}_(\w{30})(\w{6})$/.exec(token) ?? [];
  if (checksum === undefined) return null;
  let rest = crc32(body);
  let digits = '';
  for (let place = 0; place < checksum.length; place += 1) {
    digits = `${BASE62[rest % BASE62.length]}${digits}`;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits === checksum;
}

/** Four bytes in hexadecimal digits, the lowest first (grafana/grafana, satokengen). */
function ofGrafana(token: string): boolean | null {
  const [, body = '', checksum] = /^(\w+)_([\da-fA-F]{8})$/.exec(token) ?? [];
  if (checksum === undefined) return null;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(crc32(body));
  return bytes.toString('hex') === checksum.toLowerCase();
}

/** Seven digits of base 36 (docs.gitlab.com, routable tokens); older tokens have none. */
function ofGitlab(token: string): boolean | null {
  const [, body = '', checksum] = /^(.+\.[a-z\d]{2})([a-z\d]{7})$/.exec(token) ?? [];
  return checksum === undefined ? null : crc32(body).toString(36).padStart(7, '0') === checksum;
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const BECH32_GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Six characters of Bech32 (BIP 173), over the name before the last 1 as well. */
function ofBech32(key: string): boolean | null {
  const [, name, data = ''] = /^(.+)1([^1]{6,})$/.exec(key.toLowerCase()) ?? [];
  if (name === undefined) return null;
  const letters = [...name].map((letter) => letter.charCodeAt(0));
  const values = [
    ...letters.map((code) => code >> 5),
    0,
    ...letters.map((code) => code & 31),
    ...[...data].map((digit) => BECH32.indexOf(digit)),
  ];
  let checksum = 1;
  for (const value of values) {
    const top = checksum >> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    BECH32_GENERATORS.forEach((generator, bit) => {
      if ((top >> bit) & 1) checksum ^= generator;
    });
  }
  return checksum === 1;
}

/**
 * Two bytes of CRC16 (XMODEM), the lowest first, in base 32: keys of NATS
 * (docs.nats.io, NKeys) and of Stellar (SEP 23).
 */
function ofBase32Key(key: string): boolean | null {
  if (!/^S[A-Z2-7]{55,57}$/.test(key)) return null;
  const digits = numberOf(key, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
  const bytes = bytesOf(digits >> BigInt((key.length * 5) % 8));
  const end = bytes.length - 2;
  let checksum = 0;
  for (const byte of bytes.subarray(0, end)) {
    checksum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      checksum = (checksum << 1) ^ (checksum & 0x8000 ? 0x11021 : 0);
    }
  }
  return checksum === bytes.readUInt16LE(end);
}

/** Four bytes of SHA-256, taken twice, in base 58 (en.bitcoin.it/wiki/Base58Check_encoding). */
function ofBase58Check(key: string): boolean | null {
  if (!/^[5KLxyz][1-9A-HJ-NP-Za-km-z]{50,111}$/.test(key)) return null;
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const bytes = bytesOf(numberOf(key, alphabet));
  const end = bytes.length - 4;
  return sha256(sha256(bytes.subarray(0, end)))
    .subarray(0, 4)
    .equals(bytes.subarray(end));
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function numberOf(digits: string, alphabet: string): bigint {
  const base = BigInt(alphabet.length);
  return [...digits].reduce((sum, digit) => sum * base + BigInt(alphabet.indexOf(digit)), 0n);
}

function bytesOf(number: bigint): Buffer {
  const digits = number.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
}
