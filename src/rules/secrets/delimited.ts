const raw = String.raw;

/**
 * Expression for an escape, as source code, shells and logs write a break or a colour: `\n`,
 * `\x1b`, `\u000a`, `\033`, `%0A`, `=3D` of mails, and the rest of a sequence for terminals
 * (`[32m`, ECMA-48 5.4). Its last character looks like the beginning of a word, and is none.
 */
export const ESCAPE = raw`(?:\\(?:[abefnrtv0]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-3]?[0-7]{1,2})|%(?:u[0-9A-Fa-f]{4}|[0-9A-Fa-f]{2})|=[0-9A-F]{2}|\[[0-9;]{0,12}[A-Za-z])`;

/**
 * Expression for where a token may begin whose prefix could stand within a word: not behind a
 * letter or a digit, unless that ends an escape. A prefix that cannot (`ghp_`, `glpat-`) needs
 * nothing before it.
 */
export const START = raw`(?:\b|_|${ESCAPE})`;

/** Expression for where a token of letters and digits ends, so that it has its full length. */
export const END = raw`(?:\b|_)`;

/** Expression for what stands before a value in code, configuration, shell and markup. */
export const BEFORE = raw`(?:^|["'\x60=: >\t_;,(\[{|<@#*~$&!?^“‘«：、，。（「\x{a0}\x{3000}]|${ESCAPE})`;

/**
 * The last characters of these; the scan begins each line as behind a tab. Of sequences for
 * terminals it is `m`: those for colours.
 */
const BEFORE_ENDS = [
  ...'"\'`=: >\t_;,([{|<@#*~$&!?^“‘«：、，。（「\u00a0\u3000',
  ...[...'abefnrtv0'].map((letter) => `\\${letter}`),
  'm',
];

/**
 * Keywords for prefixes that are too short or too common to wake a rule by themselves: each with
 * what `BEFORE` may end with. The expression of the rule starts with `BEFORE` then.
 */
export function delimited(...prefixes: string[]): string[] {
  return prefixes.flatMap((prefix) => BEFORE_ENDS.map((before) => before + prefix));
}

/** The same for prefixes with which words of prose begin (` path`): not behind a blank. */
export function delimitedInCode(...prefixes: string[]): string[] {
  return delimited(...prefixes).filter((keyword) => !keyword.startsWith(' '));
}
