import { type AhoCorasick, buildAhoCorasick, hasMatch } from '../../core/aho-corasick.ts';
import type { Allowlist } from '../../model/rules.ts';
import type { ByteRegex } from './regex.ts';

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
