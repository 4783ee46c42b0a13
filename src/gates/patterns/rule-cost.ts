import type { Pattern } from '../../model/rules.ts';
import type { CompiledRule } from './compile.ts';
import { type ByteRegex, compileRegex } from './regex.ts';

/** A rule that takes more CPU time than so many reference rules is not run for everybody. */
const COST_RATIO_MAX = 20;
/** Bytes of each hostile text: enough to fill the cache of RE2's automaton several times. */
const TEXT_BYTES = 8 * 1024;
/** Random bytes between what a rule nearly matches. */
const SLICE_BYTES = 64;
/** Matches that a text is searched for. */
const MATCHES_MAX = 32;
/** The fewest bytes read by a scan that says anything of the cost of a byte. */
const READ_BYTES_MIN = TEXT_BYTES / 2;
/** No other work of the process adds so much twice: there is no need to measure again. */
const CERTAIN_RATIO = 10 * COST_RATIO_MAX;
/** Times a suspect is measured again; the least counts, as other work of the process disturbs. */
const REPEATS = 5;

/** An expression as most rules have it: a name, an operator and a value, of bounded lengths. */
const REFERENCE = {
  regex: String.raw`(?i)(?:password|secret|token)[\w.-]{0,24}["']?\s{0,8}[:=]\s{0,8}["']?([\w./+-]{64,200})(?:["'\s]|$)`,
  keywords: ['password', 'secret', 'token'],
  examples: { match: [`password: "${'a1'.repeat(20)}"`], noMatch: [] },
};

/**
 * Sentences on the rules that take more than COST_RATIO_MAX times the CPU time of a reference rule
 * on hostile texts. Expressions are linear in the text, but large repetitions may cost thousands
 * of times as much for each byte. Both are measured in this process, one after the other, so that
 * the load and the speed of the machine do not matter. Rules in `known` are passed over.
 */
export function findSlowRules(
  rules: readonly CompiledRule[],
  known: readonly Pattern[],
  cpuTime: CpuTime,
): string[] {
  const trusted = new Set(known.map(({ regex }) => regex));
  const common = compileRegex(REFERENCE.regex);
  const costs = hostileTexts(REFERENCE).map((text) => {
    return costOf(common, text, Number.POSITIVE_INFINITY, cpuTime);
  });
  const reference = Math.max(...costs);
  return rules.flatMap(({ pattern, regex }) => {
    if (regex === null || trusted.has(pattern.regex)) return [];
    const ratio = ratioOf({ pattern, regex }, reference, cpuTime);
    if (ratio <= COST_RATIO_MAX) return [];
    const times = `${Math.round(ratio)} times the CPU time of a common rule`;
    return [
      `rule ${pattern.id}: the regex takes ${times} on hostile text (at most ${COST_RATIO_MAX}): ` +
        'make its repetitions smaller or fewer',
    ];
  });
}

/** CPU time that this process has used so far, microseconds. */
export type CpuTime = () => number;

interface Subject {
  pattern: Pick<Pattern, 'keywords' | 'examples'>;
  regex: ByteRegex;
}

/** Of the texts until one shows that the rule is too slow: such a rule takes long to measure. */
function ratioOf(own: Subject, reference: number, cpuTime: CpuTime): number {
  let worst = 0;
  for (const text of hostileTexts(own.pattern)) {
    worst = Math.max(worst, costOf(own.regex, text, reference, cpuTime) / reference);
    if (worst > COST_RATIO_MAX) break;
  }
  return worst;
}

/**
 * CPU time of a scan, microseconds a byte: the least of REPEATS, of two where `common` (the cost
 * of the reference rule) leaves no doubt; 0 when a scan reads so little that the calls cost most.
 */
function costOf(regex: ByteRegex, text: Buffer, common: number, cpuTime: CpuTime): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < REPEATS; turn += 1) {
    const before = cpuTime();
    const read = scan(regex, text);
    if (read < READ_BYTES_MIN) return 0;
    // The clock has steps of a microsecond: no scan is free.
    least = Math.min(least, Math.max(cpuTime() - before, 1) / read);
    if (turn > 0 && least > CERTAIN_RATIO * common) break;
  }
  return least;
}

/** Looks for match after match, as a scan of a diff does; returns how many bytes were read. */
function scan(regex: ByteRegex, text: Buffer): number {
  let from = 0;
  for (let count = 0; count < MATCHES_MAX && from < text.length; count += 1) {
    const match = regex.search(text, from);
    if (match === null) return text.length;
    from = Math.max(match.end, match.start + 1);
  }
  return from;
}

/** One letter, random words and tokens, and these between what the rule nearly matches. */
function hostileTexts({ keywords = [], examples }: Subject['pattern']): Buffer[] {
  const random = pseudoRandom();
  const words = Array.from({ length: TEXT_BYTES }, () => String.fromCharCode(32 + (random() % 95)));
  const tokens = words.map((letter) => (/\w/.test(letter) ? letter : 'a')).join('');
  const near = examples.match.map((text) => text.slice(0, -1));
  const parts = [...keywords, ...examples.match.map((text) => text.replace(/\W+/g, ' '))];
  const between = (fills: readonly string[]) =>
    Array.from({ length: TEXT_BYTES / SLICE_BYTES }, (_, index) => {
      const fill = fills[index % fills.length] ?? '';
      return `${fill}${tokens.slice(index * SLICE_BYTES, (index + 1) * SLICE_BYTES)}`;
    }).join('');
  const texts = ['a'.repeat(TEXT_BYTES), words.join(''), tokens, between(near), between(parts)];
  return texts.map((text) => Buffer.from(text).subarray(0, TEXT_BYTES));
}

/** The same numbers each time: D. H. Lehmer's generator with the constants of "MINSTD". */
function pseudoRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
}
