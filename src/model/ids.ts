import { randomUUID } from 'node:crypto';

const TIME_HEX_DIGITS = 12;
const RANDOM_HEX_DIGITS = 15;

/**
 * A new RFC id: `RFC-` + 12 hex digits of time (ms) + 15 of randomness, upper case. Ids sort by
 * time for people who read logs; nothing relies on it.
 */
export function newRfcId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(TIME_HEX_DIGITS, '0');
  // randomUUID draws its randomness in blocks; the last digits of a v4 UUID are all random.
  const random = randomUUID().replaceAll('-', '').slice(-RANDOM_HEX_DIGITS);
  return `RFC-${time}${random}`.toUpperCase();
}

/**
 * The ids of an RFC's findings, and no other ids, stand between these two in the order of code
 * units: `.` follows `-`.
 */
export function findingIdRange(rfcId: string): { from: string; below: string } {
  const prefix = rfcId.replace(/^RFC-/, 'F-');
  return { from: `${prefix}-`, below: `${prefix}.` };
}

/** The id of the n-th finding (from 1) of an RFC. */
export function findingId(rfcId: string, index: number): string {
  return `${rfcId.replace(/^RFC-/, 'F-')}-${index}`;
}

/**
 * The form in which commits are compared: git writes its ids in lower case and reads them in any.
 * An id of another system stays as it is.
 */
export function commitId(text: string): string {
  return /^[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text;
}
