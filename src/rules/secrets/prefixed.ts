import type { Severity } from '../../model/finding.ts';
import type { Pattern } from '../../model/rules.ts';
import { TOKEN_END } from './assignment.ts';
import { BEFORE, delimited, START } from './delimited.ts';
import { token } from './token.ts';

const raw = String.raw;

/** Shorter prefixes stand in too many words to wake a rule wherever they are. */
const TELLING_LENGTH = 5;

/**
 * A rule for a token whose prefix tells whose it is. Its examples are made of `name`, a variable
 * that holds it, and of a made-up `sample`.
 */
export function prefixed(fields: {
  id: string;
  what: string;
  /** Literals, of which the token begins with one; the sample begins with the first. */
  prefixes: string[];
  /** Expression of what follows, without groups that keep their text. */
  body: string;
  sample: string;
  name: string;
  source: string;
  severity?: Severity;
  entropy?: number;
}): Pattern {
  const { prefixes, body, sample, name, ...rest } = fields;
  const [first = ''] = prefixes;
  const literals = prefixes.map((prefix) => prefix.replace(/[.*+?^${}()|[\]\\/]/g, raw`\$&`));
  const isTelling = prefixes.every((prefix) => prefix.length >= TELLING_LENGTH);
  const keywords = prefixes.map((prefix) => prefix.toLowerCase());
  return token({
    entropy: 3,
    ...rest,
    regex: raw`${isTelling ? START : BEFORE}((?:${literals.join('|')})(?:${body}))${TOKEN_END}`,
    keywords: isTelling ? keywords : delimited(...keywords),
    match: [`${name}=${sample}`, `  "token": "${sample}",`],
    noMatch: [`${name}=${first}...`, `${name}=${first}${'0'.repeat(sample.length - first.length)}`],
  });
}
