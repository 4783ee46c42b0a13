import { type AhoCorasick, buildAhoCorasick, forEachOutput } from '../../core/aho-corasick.ts';

/** The keywords of many rules in one automaton, and which rules each of its outputs wakes. */
export interface KeywordIndex {
  readonly automaton: AhoCorasick;
  /** Rules woken by output `o`: `ruleIds` from `ruleStart[o]` up to `ruleStart[o + 1]`. */
  readonly ruleStart: Int32Array;
  readonly ruleIds: Int32Array;
}

/** What of a rule matters here. */
export interface KeywordUser {
  readonly index: number;
  readonly keywords: readonly string[];
}

/** Builds the index; upper and lower case of ASCII letters are the same. */
export function buildKeywordIndex(users: readonly KeywordUser[]): KeywordIndex {
  const usersOf = new Map<string, number[]>();
  for (const { index, keywords } of users) {
    for (const keyword of new Set(keywords.map(foldAscii))) {
      usersOf.set(keyword, [...(usersOf.get(keyword) ?? []), index]);
    }
  }
  const lists = [...usersOf.values()];
  const keywords = [...usersOf.keys()].map((keyword) => Buffer.from(keyword));
  const automaton = buildAhoCorasick(keywords, { caseSensitive: false });
  const { outputStart, outputIds } = automaton;
  const ruleStart = new Int32Array(outputStart.length);
  const ruleIds: number[] = [];
  for (let output = 0; output + 1 < outputStart.length; output += 1) {
    const ids = outputIds.subarray(outputStart[output], outputStart[output + 1]);
    const rules = new Set([...ids].flatMap((id) => lists[id] ?? []));
    for (const rule of rules) ruleIds.push(rule);
    ruleStart[output + 1] = ruleIds.length;
  }
  return { automaton, ruleStart, ruleIds: Int32Array.from(ruleIds) };
}

/** As the automaton folds: other letters have other bytes in upper case, so they stay. */
function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Calls `woken` with rule and end offset of each keyword in the range. */
export function forEachRuleHit(
  index: KeywordIndex,
  bytes: Uint8Array,
  range: { start: number; end: number },
  woken: (rule: number, end: number) => void,
): void {
  forEachOutput(index.automaton, bytes, range, (output, end) => {
    const last = index.ruleStart[output + 1] ?? 0;
    for (let at = index.ruleStart[output] ?? 0; at < last; at += 1) {
      woken(index.ruleIds[at] ?? 0, end);
    }
  });
}
