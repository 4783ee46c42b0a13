import type { Severity } from '../../../../domain/finding.ts';
import type { Allowlist, Pattern } from '../../../../domain/rules.ts';
import { token } from './token.ts';

const raw = String.raw;

/** Last words of names that hold a credential. */
const CREDENTIAL = 'key|token|secret|passw|pwd|pass|pat|auth|cred';

/** A type between the name and the operator, as TypeScript, Python, Go and Rust have it. */
const TYPE = raw`:?\s{0,2}(?:string|str|&(?:'static )?str)\s{0,4}=`;

/** Operators of code, configuration, calls, markup and shells. */
const OPERATOR = raw`${TYPE}|,?\s{0,4}["']?value["']?\s{0,4}[:=]|:=|=>|\|\||\?\?|\?:|or\s|[:=,(>]|\s`;

/** What stands between a name and its value, quotes included. */
const GIVEN = raw`["'\x60\])\\]{0,3}\s{0,4}(?:${OPERATOR})\s{0,4}\\{0,2}["'\x60]?`;

const END = raw`(?:["'\x60\s;,<)\]}&\\]|$)`;

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

/** Expression of a UUID in lower or upper case. */
export const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** A made-up UUID for examples. */
export const FAKE_UUID = ['fa4e0dea', 'dbee', '4f1c', '80ff', 'ee2bad3cab9d'].join('-');

/**
 * A rule for a credential whose form alone says nothing (hex, UUID, letters and digits). It wants
 * an identifier that holds one of `vendors` and then one of `words`, to which exactly such a
 * value is given; so hashes, identifiers, URLs and prose stay quiet. Examples are made of
 * `names`, as environment and as code, and of a made-up `sample`.
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
}): Pattern {
  const { vendors, words = CREDENTIAL, value, sample, names, ...rest } = fields;
  const [environment, code] = names;
  const name = raw`(?i)(?:${vendors.join('|')})[\w.-]{0,24}?(?:${words})[\w-]{0,16}`;
  return token({
    entropy: 3,
    ...rest,
    regex: `${name}${GIVEN}(?-i:(${value}))${END}`,
    keywords: vendors,
    allowlists: [IDENTIFIER, DERIVED, ...(fields.allowlists ?? [])],
    match: [`${environment}=${sample}`, `  ${code}: '${sample}',`],
    noMatch: [
      `${environment}=\${${environment}}`,
      `  ${code}: process.env.${environment},`,
      `${environment}=${sample.replace(/[A-Za-z0-9]/g, '0')}`,
      `const checksum = '${sample}';`,
    ],
  });
}
