import { type AhoCorasick, buildAhoCorasick, hasMatch } from '../../core/aho-corasick.ts';
import type { Allowlist } from '../../model/rules.ts';
import { type ByteRegex, compileRegex } from './regex.ts';

/** An allowlist ready to be asked. A kind of entry that it doesn't have is null. */
export interface CompiledAllowlist {
  readonly needsAll: boolean;
  readonly paths: ByteRegex | null;
  readonly regexes: ByteRegex | null;
  readonly regexTarget: 'secret' | 'match' | 'line';
  readonly stopwords: AhoCorasick | null;
}

/** What a rule matched: the texts that an allowlist may look at, as UTF-8 bytes. */
export interface Candidate {
  readonly secret: Buffer;
  readonly match: Buffer;
  readonly line: Buffer;
}

/** Compiles an allowlist. Throws SyntaxError for a bad expression and for an empty list. */
export function compileAllowlist(list: Allowlist): CompiledAllowlist {
  const compiled: CompiledAllowlist = {
    needsAll: list.condition === 'AND',
    paths: compileAll(list.paths),
    regexes: compileAll(list.regexes),
    regexTarget: list.regexTarget ?? 'secret',
    stopwords: compileWords(list.stopwords),
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
    verdicts.push(hasMatch(list.stopwords, candidate.secret, 0, candidate.secret.length));
  }
  return list.needsAll ? verdicts.every(Boolean) : verdicts.some(Boolean);
}

/** One expression for all: a look at the text instead of one for each. */
function compileAll(sources: readonly string[] | undefined): ByteRegex | null {
  if (sources === undefined || sources.length === 0) return null;
  // Alone first, so that a parenthesis too many is an error and joins nothing.
  for (const source of sources) compileRegex(source);
  return compileRegex(sources.map((source) => `(?:${source})`).join('|'));
}

function compileWords(words: readonly string[] | undefined): AhoCorasick | null {
  if (words === undefined || words.length === 0) return null;
  if (words.includes('')) throw new SyntaxError('an empty stopword allows everything');
  return buildAhoCorasick(
    words.map((word) => Buffer.from(word)),
    { caseSensitive: false },
  );
}
