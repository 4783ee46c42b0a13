import { createHmac } from 'node:crypto';

/** More than is shown: the scan thread hides secrets first, and knows none that was cut. */
const EXCERPT_CHARS_MAX = 512;

/** Keyed HMAC of a rule and what it matched, hex; white space does not count. */
export function fingerprint(key: Uint8Array, id: string, text: string): string {
  const normalised = text.replace(/\s+/g, ' ').trim();
  return createHmac('sha256', key).update(`${id}\0${normalised}`).digest('hex');
}

/** A line as shown: without its indent, clipped. */
export function clip(line: string): string {
  const text = line.trim();
  return text.length > EXCERPT_CHARS_MAX ? `${text.slice(0, EXCERPT_CHARS_MAX - 1)}…` : text;
}
