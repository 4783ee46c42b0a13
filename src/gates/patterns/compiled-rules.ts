import { FLOW } from '../../model/limits.ts';
import type { KeywordIndex, OwnTable, Pattern, PatternTarget } from '../../model/rules.ts';
import type { Matches } from './component-paths.ts';
import type { SkipSearch } from './keyword-search.ts';
import type { ByteRegex, CompiledAllowlist } from './regex.ts';
import type { Grade } from './severities.ts';

/** The class of a rule: what its findings say. */
export type RuleKind = 'secret' | 'risk' | 'vuln';

/** A pattern ready to run. */
export interface CompiledRule {
  /** Position in `CompiledRules.rules`. */
  readonly index: number;
  readonly kind: RuleKind;
  readonly pattern: Pattern;
  /** Id that findings carry. */
  readonly reportId: string;
  readonly target: PatternTarget;
  /** Null for a rule on the path alone. */
  readonly regex: ByteRegex | null;
  /**
   * For a `line` rule without keywords: matches joined lines if `regex` matches one of them (and
   * perhaps if not), so that most hunks cost one run instead of one a line. Null: not possible.
   */
  readonly prefilter: ByteRegex | null;
  /**
   * For a secret without keywords: matches a text if `regex` matches any part of it that is cut out
   * of it, wherever its ends are (and perhaps if not). Null: not possible.
   */
  readonly anywhere: ByteRegex | null;
  readonly path: ByteRegex | null;
  /** What a line of the new side of the same hunk must match; null: nothing. */
  readonly requires: ByteRegex | null;
  readonly keywords: readonly string[];
  /** The rule's own and, for secrets, the allowlists of the rule set. */
  readonly allowlists: readonly CompiledAllowlist[];
}

/** Rules that look at one short text each. */
export interface RuleGroup {
  readonly rules: readonly CompiledRule[];
  readonly keywords: KeywordIndex;
  /** The rules that need no keyword. */
  readonly always: readonly CompiledRule[];
}

/** A rule set ready to scan with. It belongs to one thread: RE2 objects cannot be shared. */
export interface CompiledRules {
  readonly rules: readonly CompiledRule[];
  /** The same by the ids of their patterns: a change asks for a few of thousands. */
  readonly byId: ReadonlyMap<string, CompiledRule>;
  /**
   * Keywords of `line` and `hunk` rules, JOINTS and INVISIBLE: these two wake rules that there are
   * not, of index `rules.length` and the next.
   */
  readonly textKeywords: KeywordIndex;
  /** Keywords of `hunk` rules, to be looked for where nothing was added. */
  readonly contextKeywords: SkipSearch;
  /** Rules on headers, and rules on the path alone, whose keywords stand in the path. */
  readonly headerRules: RuleGroup;
  readonly pathRules: RuleGroup;
  /** Rules without keywords, to be run on every hunk. */
  readonly alwaysRules: readonly CompiledRule[];
  /** Matches every path that one of `alwaysRules` accepts; null when one accepts all. */
  readonly alwaysPath: ByteRegex | null;
  /** Matches paths of files that a generator writes; null: the rules name none. */
  readonly generatedPaths: ByteRegex | null;
  /** `ID CWE` of rules about calls that gate 2 follows, too. */
  readonly callRules: ReadonlySet<string>;
  /** Whether the rules allow programs at a path. */
  readonly allowsProgram: Matches;
  /** Rows of the rules for the catalogue of gate 2. */
  readonly catalogue: readonly OwnTable[];
  /** Gives findings the severities of the rules. */
  readonly grade: Grade;
}

/** The description of a rule is the title of its findings; a rule of an owner may have none. */
export function titleOfRule({ description = '' }: Pattern): { title?: string } {
  const title = description.slice(0, FLOW.TITLE_CHARS_MAX).toWellFormed();
  return title === '' ? {} : { title };
}
