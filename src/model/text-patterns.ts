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
