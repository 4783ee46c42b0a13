/** What data can be misused for; an encoder or a check makes it safe for some of these only. */
export const USES = ['html', 'path', 'url', 'redirect', 'regex', 'key', 'sql', 'command'] as const;
export type Use = (typeof USES)[number];

/**
 * Exports of a package and what they do to data: a fact of the package's documentation. One line
 * may name several exports that its documentation treats alike.
 */
export interface CatalogueLine {
  /** npm package or Node module (without `node:`); `global` for what every program has. */
  readonly package: string;
  /** Names of exports, separated by spaces; `default` for the package itself. */
  readonly exports: string;
  /** Names that the package is imported as, for hunks whose import is out of sight. */
  readonly aliases?: string;
  /** Versions that it holds for, as a semver range; all of them where it is missing. */
  readonly versions?: string;
  /** The documentation that says so. */
  readonly link: string;
}

/** A function whose result is safe for some uses, whatever text it is given. */
export interface SanitizerLine extends CatalogueLine {
  readonly safeFor: readonly Use[];
}

/** A function that looks at its first argument and gives a boolean. */
export interface CheckLine extends CatalogueLine {
  /** What the argument is safe for where the result is true, and where it is false. */
  readonly whenTrue?: readonly Use[];
  readonly whenFalse?: readonly Use[];
}

/** A function that starts a shell or a program. */
export interface CommandLine extends CatalogueLine {
  /**
   * `shell`: the first argument is the text of a command. `program`: it is a program, and the
   * second holds its arguments. `list`: one list holds both. `tag`: a template tag that starts
   * what the template's text names.
   */
  readonly takes: 'shell' | 'program' | 'list' | 'tag';
}

/** A method that gives messages of other parties to a function of the program. */
export interface ConsumerLine extends CatalogueLine {
  /** Last names of what the method is called on; any where it is missing. */
  readonly receivers?: string;
  /** The event that the function is registered for: the method's first argument. */
  readonly event?: string;
  /** The option under which the function stands; else it is an argument of its own. */
  readonly option?: string;
  /** The function's parameter that holds the message, from 0. */
  readonly parameter: number;
}

/** A set of words, written with white space between them. */
export function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
