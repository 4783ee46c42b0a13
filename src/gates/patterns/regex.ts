import RE2 from 're2';
import { type AhoCorasick, buildAhoCorasick, hasMatch } from '../../core/aho-corasick.ts';
import { asBuffer } from '../../diff/bytes.ts';
import type { Allowlist } from '../../model/rules.ts';

/** Byte range within the text that was searched. */
export type Span = readonly [start: number, end: number];

/** A compiled RE2 expression. Texts are bytes, offsets count bytes, time is linear in the text. */
export interface ByteRegex {
  test(text: Uint8Array): boolean;
  /**
   * First match at or after `from`; bytes before `from` are context for `^` and `\b`. Index 0 is
   * the match, the others are its groups; null for a group that took no part.
   */
  search(text: Uint8Array, from: number): Match | null;
}

export interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (Span | null)[];
}

/**
 * Compiles RE2 syntax (https://github.com/google/re2/wiki/Syntax), which is what Go and so
 * gitleaks use. Throws SyntaxError with RE2's reason. Bytes that are not UTF-8 match nothing
 * but the text around them is still searched.
 */
export function compileRegex(source: string): ByteRegex {
  const regex = new LazyRegex(source);
  regex.compile();
  return regex;
}

/**
 * The same for an expression that is known to compile: it is compiled when it is first used, as
 * most expressions of a rule set never see a text in the life of a short process.
 */
export function compileRegexOnUse(source: string): ByteRegex {
  return new LazyRegex(source);
}

class LazyRegex implements ByteRegex {
  private readonly source: string;
  private compiled: RE2 | null = null;

  constructor(source: string) {
    this.source = source;
  }

  compile(): RE2 {
    refuseRewritten(this.source);
    try {
      // u: npm re2 is UTF-8 only. g: honours lastIndex. d: offsets of groups.
      this.compiled = new RE2(this.source, 'gud');
    } catch (thrown) {
      throw withAdvice(thrown as Error);
    }
    return this.compiled;
  }

  test(text: Uint8Array): boolean {
    const regex = this.compiled ?? this.compile();
    regex.lastIndex = 0;
    return regex.test(Buffer.isBuffer(text) ? text : asBuffer(text));
  }

  search(text: Uint8Array, from: number): Match | null {
    const regex = this.compiled ?? this.compile();
    regex.lastIndex = from;
    const found = regex.exec(Buffer.isBuffer(text) ? text : asBuffer(text));
    const spans = found?.indices;
    const whole = spans?.[0];
    if (spans === undefined || whole === undefined) return null;
    const taken: (Span | null)[] = [];
    for (let group = 1; group < spans.length; group += 1) taken.push(spans[group] ?? null);
    return { start: whole[0], end: whole[1], groups: taken };
  }
}

/**
 * npm re2 rewrites expressions to suit JavaScript: it puts `\/` for `/` and `(?P<` for `(?<`
 * wherever they stand, also where they are literals (lib/pattern.cc of re2 1.24.0). There the
 * rule would silently mean something else.
 */
function refuseRewritten(source: string): void {
  if (/(?<!\\)(?:\\\\)*\\Q/.test(source)) {
    throw new SyntaxError('\\Q...\\E is not supported; escape the characters one by one');
  }
  const [lookBehind] = /(?<!\\)(?:\\\\)*\(\?<[=!]/.exec(source) ?? [];
  if (lookBehind !== undefined) {
    throw withAdvice(new SyntaxError(`invalid perl operator: ${lookBehind.slice(-4)}`));
  }
  if (/(?<!\\)(?:\\\\)*\(\?<(?![A-Za-z_]\w*>)/.test(source)) {
    throw new SyntaxError('"(?<" that opens no named group; write "<" as "\\x3c"');
  }
}

const LOOK =
  'match that text as well, and put what you mean in a group (secretGroup names it); ' +
  'exceptions belong in allowlists';

/**
 * What other kinds of expressions have and RE2 does not, as its message names it, and how to write
 * it instead. RE2 gives them up for a time that is linear in the text.
 */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/operator: \(\?<[=!]/, `RE2 has no look-behind: ${LOOK}`],
  [/operator: \(\?[=!]/, `RE2 has no look-ahead: ${LOOK}`],
  [
    /operator: \(\?P$|sequence: \\[1-9gk]/,
    `RE2 has no backreference: write each case out, as in "[^"]*"|'[^']*'`,
  ],
  [/operator: \(\?>/, 'RE2 has no atomic group, and needs none: write (?:'],
  [
    /repetition operator: [*+?]\+/,
    'RE2 has no possessive repetition, and needs none: leave the + out',
  ],
  [/operator: \(\?\(/, 'RE2 has no conditions: write each case out, between |'],
  [/operator: \(\?#/, 'RE2 has no comments: use the description of the rule'],
  [/sequence: \\Z/, 'write \\z for the end of the text'],
  [/sequence: \\K/, 'put what you mean in a group (secretGroup names it)'],
  [/sequence: \\R/, 'write \\r?\\n'],
  [/sequence: \\h/, 'write [ \\t]'],
  [/sequence: \\e/, 'write \\x1b'],
  [
    /repetition size/,
    'RE2 repeats up to 1000 times: write * or + where the number does not matter',
  ],
];

/** RE2's reason, and how to write it instead where that is known. */
function withAdvice(error: Error): SyntaxError {
  const [, advice] = ADVICE.find(([form]) => form.test(error.message)) ?? [];
  const message = advice === undefined ? error.message : `${error.message} (${advice})`;
  return new SyntaxError(message, { cause: error });
}

/**
 * Number of capturing groups of an expression that compiles: with an alternative that always
 * matches, every group shows up, as taking no part.
 */
export function countGroups(source: string): number {
  const found = new RE2(`(?:${source})|`, 'u').exec('');
  return found === null ? 0 : found.length - 1;
}

/** Makes an expression ready to run: at once, or when it is first used. */
export type CompileRegex = (source: string) => ByteRegex;

/** An allowlist ready to be asked. A kind of entry that it doesn't have is null. */
export interface CompiledAllowlist {
  readonly needsAll: boolean;
  readonly paths: ByteRegex | null;
  readonly regexes: ByteRegex | null;
  readonly regexTarget: 'secret' | 'match' | 'line';
  readonly stopwords: StopWords | null;
}

/** What a rule matched: the texts that an allowlist may look at, as UTF-8 bytes. */
export interface Candidate {
  readonly secret: Buffer;
  readonly match: Buffer;
  readonly line: Buffer;
}

/** Compiles an allowlist. Throws SyntaxError for a bad expression and for an empty list. */
export function compileAllowlist(list: Allowlist, compile: CompileRegex): CompiledAllowlist {
  const { stopwords = [] } = list;
  if (stopwords.includes('')) throw new SyntaxError('an empty stopword allows everything');
  const compiled: CompiledAllowlist = {
    needsAll: list.condition === 'AND',
    paths: compileAll(list.paths, compile),
    regexes: compileAll(list.regexes, compile),
    regexTarget: list.regexTarget ?? 'secret',
    stopwords: stopwords.length === 0 ? null : new StopWords(stopwords),
  };
  if (compiled.paths === null && compiled.regexes === null && compiled.stopwords === null) {
    throw new SyntaxError('an allowlist needs paths, regexes or stopwords');
  }
  return compiled;
}

/** Whether the path alone decides that everything in the file is allowed. */
export function allowsPath(list: CompiledAllowlist, path: Buffer): boolean {
  const alone = list.regexes === null && list.stopwords === null;
  return (alone || !list.needsAll) && list.paths?.test(path) === true;
}

/** Whether the list allows the candidate (gitleaks config/config.go, "MatchCondition"). */
export function allows(list: CompiledAllowlist, candidate: Candidate, path: Buffer): boolean {
  const verdicts: boolean[] = [];
  if (list.paths !== null) verdicts.push(list.paths.test(path));
  if (list.regexes !== null) {
    verdicts.push(list.regexes.test(candidate[list.regexTarget]));
  }
  if (list.stopwords !== null) {
    verdicts.push(list.stopwords.isIn(candidate.secret));
  }
  return list.needsAll ? verdicts.every(Boolean) : verdicts.some(Boolean);
}

/** One expression for all: a look at the text instead of one for each. */
function compileAll(
  sources: readonly string[] | undefined,
  compile: CompileRegex,
): ByteRegex | null {
  if (sources === undefined || sources.length === 0) return null;
  // Alone first, so that a parenthesis too many is an error and joins nothing.
  for (const source of sources) compile(source);
  return compile(sources.map((source) => `(?:${source})`).join('|'));
}

/** Words that no secret holds; their automaton is built when a secret is first looked at. */
class StopWords {
  private readonly words: readonly string[];
  private automaton: AhoCorasick | null = null;

  constructor(words: readonly string[]) {
    this.words = words;
  }

  /** Whether the secret holds one of the words, in letters of either case. */
  isIn(secret: Buffer): boolean {
    this.automaton ??= buildAhoCorasick(
      this.words.map((word) => Buffer.from(word)),
      { caseSensitive: false },
    );
    return hasMatch(this.automaton, secret, 0, secret.length);
  }
}
