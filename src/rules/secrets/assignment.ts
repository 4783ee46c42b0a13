import type { Severity } from '../../model/finding.ts';
import type { Allowlist, Pattern } from '../../model/rules.ts';
import { token } from './token.ts';

const raw = String.raw;

/** Last words of names that hold a credential. */
const CREDENTIAL = 'key|token|secret|passw|pwd|pass|pat|auth|cred';

/** A type between the name and the operator, as TypeScript, Python, Go and Rust have it. */
const TYPE = raw`:?\s{0,4}(?:string|&?(?:'static\s)?str)\s{0,4}=`;

/** Operators of code, configuration, calls, markup, shells; `{"name": "KEY", "value": "..."}`. */
const OPERATOR = raw`${TYPE}|,?\s{0,4}\\?["']?value\\?["']?\s{0,4}[:=]|::?=|=>|==|[.?+]=|\|\||\?\?|\?:|or\s|[:=,(>]|\s`;

/** Quotes as HTML writes them. */
const ENTITY = '&(?:quot|apos|#0?3[49]|#x2[27]);';

/** From the end of the name to the value: closing quotes and brackets, operator, opening quote. */
const GIVEN = raw`(?:["'\x60\])\\]|${ENTITY}){0,4}\s{0,8}(?:${OPERATOR})\s{0,8}(?:\[\s{0,4})?[@bruf]?(?:\\{0,3}["'\x60]|${ENTITY})?`;

const END = raw`(?:["'\x60\s;,<)\]}&\\]|$)`;

/** What follows a token of letters, digits, "_" and "-" that has its full length: `_old` may. */
export const TOKEN_END = '(?:[^A-Za-z0-9]|$)';

/** Expression of a UUID in lower or upper case. */
export const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** A made-up UUID for examples, put together at run time. */
export const FAKE_UUID = ['fa4e0dea', 'c1ff', '4bad', '9de7', '2bad3cab9de7'].join('-');

/**
 * A regex for a value without a form of its own (hex, UUID, letters and digits), recognized by the
 * name it is given to: an identifier that holds one of `names` (the vendor) and then one of
 * `words` for a credential, an operator of code, configuration, shell or a call, and exactly
 * `value`, whose group is the secret. Names ignore case; so does `value`, unless it says
 * `(?-i:...)`.
 *
 * Gaps are bounded and the value is closed on both sides, so longer hashes, paths, references to
 * the environment and prose stay quiet. A rule with it needs the names as its keywords.
 */
export function assignment(names: string, value: string, words = CREDENTIAL): string {
  return raw`(?i)(?:${names})[\w.-]{0,24}?(?:${words})[\w.-]{0,16}${GIVEN}(${value})${END}`;
}

/** The same for a name that says all by itself: nothing need follow `names`. */
export function exactAssignment(names: string, value: string): string {
  return raw`(?i)(?:${names})${GIVEN}(${value})${END}`;
}

/** Values that are code: random tokens of these lengths hold a digit. */
const IDENTIFIER: Allowlist = { description: 'identifiers', regexes: [raw`^[A-Za-z_.-]+$`] };

/** Names of what is made from a credential and may be shown. */
const DERIVED: Allowlist = {
  description: 'hashes of a credential, and addresses',
  regexTarget: 'match',
  regexes: [
    raw`(?i)(?:hash|sha_?\d*|digest|checksum|fingerprint|address)["'\x60\])]{0,3}\s{0,4}[:=,(>]`,
  ],
};

/**
 * A rule with such a regex whose value respects case. Its examples are made of `names`, as
 * environment and as code, and of a made-up `sample`.
 */
export function named(fields: {
  id: string;
  what: string;
  /** Literals in any case, also the keywords of the rule. */
  vendors: string[];
  /** Expression, in any case; by default key, token, secret and the like. */
  words?: string;
  /** Expression without groups; case matters. */
  value: string;
  sample: string;
  names: readonly [environment: string, code: string];
  source: string;
  severity?: Severity;
  entropy?: number;
  allowlists?: Allowlist[];
  /** Further examples. */
  noMatch?: readonly string[];
}): Pattern {
  const { vendors, words, value, sample, names, noMatch = [], ...rest } = fields;
  const [environment, code] = names;
  return token({
    entropy: 3,
    ...rest,
    regex: assignment(vendors.join('|'), `(?-i:${value})`, words),
    keywords: vendors,
    allowlists: [IDENTIFIER, DERIVED, ...(fields.allowlists ?? [])],
    match: [`${environment}=${sample}`, `  ${code}: '${sample}',`],
    noMatch: [
      `${environment}=\${${environment}}`,
      `  ${code}: process.env.${environment},`,
      `${environment}=${sample.replace(/[A-Za-z0-9]/g, '0')}`,
      `const checksum = '${sample}';`,
      ...noMatch,
    ],
  });
}
