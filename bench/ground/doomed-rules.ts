import RE2 from 're2';

const RULES = 200;
const TEXT_BYTES = 64 * 1024;
/** Every position keeps 200 others alive, so that RE2's state cache overflows: about 1 MB/s. */
const SLOW_PATTERN = 'a[ab.-]{200}x';
const SLOW_TEXT_BYTES = 128 * 1024;

/** What `matchRules` must count: one token of each rule. */
export const MATCHES_EXPECTED = RULES;

/** Compiles the rules anew, as a new thread does, and runs each on its own; gives the matches. */
export function createMatcher(): () => number {
  const rules = Array.from(
    { length: RULES },
    (_, index) => new RE2(`(?i)\\b(key${index}_(?:[a-z0-9]{8}|[\\w.-]{20,40}))(?:\\s|"|$)`, 'gu'),
  );
  const keywords = new RE2.Set(Array.from({ length: RULES }, (_, index) => `(?i)key${index}_`));
  const text = sampleText();
  return () => (keywords.test(text) ? countMatches(rules, text) : 0);
}

/** Prepares a match that RE2 needs some 100 ms for and that nothing can interrupt. */
export function createSlowMatch(): () => void {
  const text = Buffer.alloc(SLOW_TEXT_BYTES);
  for (let index = 0, state = 1; index < text.length; index++) {
    state = (state * 48_271) % 2_147_483_647;
    text[index] = 'ab.-'.charCodeAt((state >> 8) & 3);
  }
  const rule = new RE2(SLOW_PATTERN);
  return () => rule.test(text);
}

function countMatches(rules: RE2[], text: Buffer): number {
  let matches = 0;
  for (const rule of rules) {
    rule.lastIndex = 0;
    while (rule.exec(text) !== null) matches++;
  }
  return matches;
}

function sampleText(): Buffer {
  const tokens = Array.from({ length: RULES }, (_, index) => `"KEY${index}_abcd1234"`).join('\n');
  const filler = 'const value = lookup(name, 42); // é\n';
  return Buffer.from(tokens + filler.repeat(Math.ceil(TEXT_BYTES / filler.length)));
}
