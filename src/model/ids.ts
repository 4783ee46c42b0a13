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

/** Patterns of JSON Schemas for texts; expressions are of ECMAScript with the flag `u`. */

/** No NUL, where names end in file systems, git and databases, and no half of a character. */
export const WHOLE = '^[^\\u0000\\p{Cs}]*$';

/** The same, and something that can be seen. */
export const WORDS = '^[^\\u0000\\p{Cs}]*[^\\s\\p{Cc}\\p{Cf}\\p{Cs}][^\\u0000\\p{Cs}]*$';

/** A whole id of a commit, SHA-1 or SHA-256; git reads it in any case. */
export const COMMIT_ID = '^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$';

/**
 * `owner/repo`, or with more groups, as git and the hosts take it; nothing else reaches a command
 * or URL. Parts may begin with a dot (`acme/.github`), but not with a hyphen; none is `.`, holds
 * `..` or ends with `.git`, as one repository would have two names then.
 */
export const FULL_NAME =
  '^(?!.*\\.\\.)(?!.*\\.[gG][iI][tT](?:/|$))(?!.*(?:^|/)\\.(?:/|$))' +
  '[\\w.][\\w.-]*(?:/[\\w.][\\w.-]*)+$';

/** The problem of a text that does not match, for its author. */
export const PATTERN_PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  [COMMIT_ID, 'must be the whole id of a commit: 40 or 64 hexadecimal digits'],
  [FULL_NAME, 'must be the full name of a repository, like owner/repo, without .git'],
  [WHOLE, 'must hold neither NUL nor a lone surrogate'],
  [WORDS, 'must hold something other than blanks, and neither NUL nor a lone surrogate'],
]);
