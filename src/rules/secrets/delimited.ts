/** Expression for what stands before a value in code, configuration, shell and markup. */
export const BEFORE = '["\'\\x60=: >]';

/**
 * Keywords for prefixes that are too short or too common to wake a rule by themselves: each with
 * every character of `BEFORE`. The expression of the rule starts with `BEFORE` then.
 */
export function delimited(...prefixes: string[]): string[] {
  return prefixes.flatMap((prefix) => [...'"\'`=: >'].map((before) => before + prefix));
}
