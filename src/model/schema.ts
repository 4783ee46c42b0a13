/** Parts of the JSON Schemas that entities and routes are declared with; types come from them. */

export const TEXT = { type: 'string' } as const;
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
export const COUNT = { type: 'integer', minimum: 0 } as const;
export const SCORE = { type: 'integer', minimum: 0, maximum: 100 } as const;
export const TIME = { type: 'string', description: 'ISO 8601, UTC' } as const;

/** An object with exactly these fields, all of them required. */
export function exactly<const P extends Record<string, object>>(properties: P): Exactly<P> {
  return {
    type: 'object',
    required: Object.keys(properties) as Names<keyof P>,
    properties,
    additionalProperties: false,
  };
}

type Exactly<P> = {
  readonly type: 'object';
  readonly required: Names<keyof P>;
  readonly properties: P;
  readonly additionalProperties: false;
};

/** `Static` takes as required what it finds in a tuple, so the names have to be one. */
type Names<Name> = [Name] extends [never] ? [] : [...Names<Exclude<Name, Last<Name>>>, Last<Name>];

/** One member of a union: the result of the last overload, as the compiler infers it. */
type Last<Union> = (Union extends unknown ? (each: () => Union) => void : never) extends (
  each: infer Overloads,
) => void
  ? Overloads extends () => infer Member
    ? Member
    : never
  : never;

/** Patterns of JSON Schemas for texts; expressions are of ECMAScript with the flag `u`. */

/** No NUL, where names end in file systems, git and databases, and no half of a character. */
export const WHOLE = '^[^\\u0000\\p{Cs}]*$';

/**
 * A letter or a digit, of any script. The fillers of Hangul (U+3164 and others) are letters to
 * Unicode, too, but shown as nothing: like everything of that kind they are "default ignorable".
 */
const READABLE = '(?!\\p{DI})[\\p{L}\\p{N}]';

/** The same, and a letter or a digit: blanks, fillers and dots alone are refused. */
export const WORDS = `^(?=[^\\u0000\\p{Cs}]*$)[^]*?${READABLE}`;

/**
 * What is shown as nothing, so that two names would look alike: "default ignorable", but for the
 * joiners that scripts and emoji need, and the selectors of emoji.
 */
const INVISIBLE =
  '\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u206f\\u3164\\ufeff\\uffa0' +
  '\\ufff0-\\ufff8\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}';

/**
 * A name that is shown beside others: a letter or a digit, no control character, line break or
 * lone surrogate, none that turns the direction of the text around it (Unicode, Bidi_Control), and
 * none that nobody sees.
 */
export const NAME =
  `^(?=[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_C}${INVISIBLE}]*$)` + `[^]*?${READABLE}`;

/**
 * The name of a repository as callers choose it. Spellings that a host takes for the same
 * repository are refused: blanks or a slash at an end, `//`, `.git`, characters that nobody sees
 * (Unicode, Default_Ignorable). A rejection of `acme/shop` must not miss a change of `acme/shop/`.
 */
export const REPOSITORY_NAME = `^(?![\\s/])(?!.*(?:[\\s/]|\\.[gG][iI][tT])$)(?!.*//)(?!.*\\p{DI})${NAME.slice(1)}`;

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

/** A day (UTC), as `2027-03-01`. */
export const DAY = { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' } as const;

/** The end of an acceptance: a day, whose beginning in UTC it is, or a time in UTC. */
export const END = '^\\d{4}-\\d\\d-\\d\\d(?:T\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,3})?Z)?$';

/** The same as the store keeps it, ISO 8601 with milliseconds; null: there is no such time. */
export function endTime(text: string): string | null {
  if (!new RegExp(END).test(text)) return null;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return null;
  const end = new Date(ms).toISOString();
  // Date.parse takes 30 February for a day in March.
  return end.slice(0, DAY_CHARS) === text.slice(0, DAY_CHARS) ? end : null;
}

const DAY_CHARS = 'YYYY-MM-DD'.length;

/** The problem of a text that does not match, for its author. */
export const PATTERN_PROBLEMS: ReadonlyMap<unknown, string> = new Map([
  [COMMIT_ID, 'must be the whole id of a commit: 40 or 64 hexadecimal digits'],
  [FULL_NAME, 'must be the full name of a repository, like owner/repo, without .git'],
  [
    REPOSITORY_NAME,
    'must name a repository, like owner/repo: with a letter or a digit, without .git, // or a ' +
      'blank or slash at an end, and without control characters and characters that nobody sees',
  ],
  [END, 'must be a day (2027-03-01) or a time in UTC (2027-03-01T12:00:00Z)'],
  [WHOLE, 'must hold neither NUL nor a lone surrogate'],
  [WORDS, 'must hold a letter or a digit, and neither NUL nor a lone surrogate'],
  [
    NAME,
    'must hold a letter or a digit, and no control character, lone surrogate or character that ' +
      'turns the direction of text or is invisible',
  ],
]);

/** The same type with lists that nobody changes. */
export type ReadonlyLists<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyLists<Item>[]
  : T extends object
    ? { [Name in keyof T]: ReadonlyLists<T[Name]> }
    : T;
