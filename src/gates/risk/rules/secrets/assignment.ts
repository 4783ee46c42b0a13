/**
 * A regex for a value without a form of its own (hex, UUID, letters and digits), told by the
 * name it is given to: an identifier that holds one of `names` (the vendor) and then a word for
 * a credential, an operator of code, configuration, shell or a call, and exactly `value`, whose
 * group is the secret. Names ignore case; so does `value`, unless it says `(?-i:...)`.
 *
 * Gaps are bounded and the value is closed on both sides, so longer hashes, paths, references to
 * the environment and prose stay quiet. A rule with it needs the names as its keywords.
 */
export function assignment(names: string, value: string): string {
  return raw`(?i)(?:${names})[\w.-]{0,24}?(?:${CREDENTIAL})[\w.-]{0,16}${GIVEN}(${value})${END}`;
}

/** The same for a name that says all by itself: nothing need follow `names`. */
export function exactAssignment(names: string, value: string): string {
  return raw`(?i)(?:${names})${GIVEN}(${value})${END}`;
}

/** A UUID, in any case where the expression ignores case. */
export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** A UUID for examples, put together at run time. */
export const FAKE_UUID = ['fa4e0dea', 'c1ff', '4bad', '9de7', '2bad3cab9de7'].join('-');

/** What follows a token of letters, digits, "_" and "-" that has its full length. */
export const TOKEN_END = '(?:[^A-Za-z0-9_-]|$)';

const raw = String.raw;

const CREDENTIAL = 'key|token|secret|passw|pwd|pass|pat|auth|cred';

/**
 * From the end of the name to the value: closing quotes and brackets, an operator (a type may
 * stand before it, or "value" as in `{"name": "KEY", "value": "..."}`), an opening quote.
 */
const GIVEN = raw`["'\x60\])\\]{0,4}\s{0,8}(?::?\s{0,4}(?:string|&?(?:'static\s)?str)\s{0,4}=|,?\s{0,4}\\?["']?value\\?["']?\s{0,4}[:=]|:=|=>|==|\|\||\?\?|[:=,(>]|\s)\s{0,8}[@bruf]?\\?["'\x60]?`;

const END = raw`(?:["'\x60\s;,<)\]}&\\]|$)`;
