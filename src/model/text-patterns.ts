/** Patterns of JSON Schemas for texts; expressions are of ECMAScript with the flag `u`. */

/** No NUL, where names end in file systems, git and databases, and no half of a character. */
export const WHOLE = '^[^\\u0000\\p{Cs}]*$';

/** The same, and something that can be seen. */
export const WORDS = '^[^\\u0000\\p{Cs}]*[^\\s\\p{Cc}\\p{Cf}\\p{Cs}][^\\u0000\\p{Cs}]*$';

/** The problem of a text that does not match, for its author. */
export const PATTERN_PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  [WHOLE, 'must hold neither NUL nor a lone surrogate'],
  [WORDS, 'must hold something other than blanks, and neither NUL nor a lone surrogate'],
]);
