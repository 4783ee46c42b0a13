import { classOf, escapeOf } from './pattern.ts';

/**
 * How long a matcher that tries one way after the other may take for a text of n characters that
 * does not match: `exponential`, or `polynomial` (n squared and more).
 */
export type Backtracking = 'exponential' | 'polynomial';

/** Characters of a pattern that is looked at; tables of characters have more, and no loops. */
const PATTERN_CHARACTERS_MAX = 2_000;
/** Places of a pattern at which a character stands, copies of repeated parts included. */
const PLACES_MAX = 200;
/** Parts, ways between places, and pairs and triples of places that one pattern may have. */
const STEPS_MAX = 15_000;
/** Patterns whose answer is kept; then all are forgotten. */
const KEPT_MAX = 1_024;
/** Brackets within each other. */
const DEPTH_MAX = 40;

/** Characters as bits: ASCII, all others as one, an assertion, the end of the text. */
type Characters = Uint32Array;
const WORDS = 5;
const OTHERS = 128;
const ASSERTION = 129;
const END = 130;
/** Stands for a text that begins before the pattern does. */
const BEFORE = 0;

/** A part of a pattern as places: where it may begin and end, and whether it may be empty. */
interface Part {
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly isEmpty: boolean;
}
const NOTHING: Part = { first: [], last: [], isEmpty: true };

const kept = new Map<string, Backtracking | null>();

/**
 * How a pattern of ECMAScript, Python, Java or C# backtracks; null: it takes linear time, is longer
 * or nests deeper or needs more steps than the bounds above, or refers back.
 */
export function backtrackingOf(pattern: string, flags = ''): Backtracking | null {
  if (pattern.length > PATTERN_CHARACTERS_MAX || !/[*+}]/.test(pattern)) return null;
  const key = `${flags}/${pattern}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= KEPT_MAX) kept.clear();
  const found = lookAt(pattern, flags);
  kept.set(key, found);
  return found;
}

function lookAt(pattern: string, flags: string): Backtracking | null {
  try {
    return new Automaton(pattern, flags).backtracking();
  } catch (thrown) {
    if (thrown instanceof TooMuch) return null;
    throw thrown;
  }
}

/** The pattern is beyond a bound, or no regular one. */
class TooMuch extends Error {}

/** A pattern as an automaton whose states are the places of its characters (Glushkov 1961). */
class Automaton {
  readonly #characters: Characters[] = [];
  /** Places that may follow a place. */
  readonly #follow: Set<number>[] = [];
  /** Pairs of places between which there is more than one way: `(a+)+`. */
  readonly #twice = new Set<number>();
  readonly #last: ReadonlySet<number>;
  readonly #flags: string;
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #steps = 0;

  constructor(pattern: string, flags: string) {
    this.#text = pattern;
    this.#flags = flags;
    const everything = new Uint32Array(WORDS);
    for (let one = 0; one <= OTHERS; one += 1) add(everything, one);
    const before = this.#place(everything);
    const whole = this.#alternatives();
    if (this.#at < pattern.length) throw new TooMuch();
    // A match may begin anywhere, unless the flag says where.
    if (!flags.includes('y')) this.#join([before], [before]);
    this.#join([before], whole.first);
    this.#last = new Set(whole.last);
  }

  backtracking(): Backtracking | null {
    const loops = this.#loops();
    if (this.#isExponential(loops)) return 'exponential';
    return this.#isPolynomial(loops) ? 'polynomial' : null;
  }

  /** Whether a text leads from a place back to it in two ways, after which the match may fail. */
  #isExponential(loops: readonly ReadonlySet<number>[]): boolean {
    for (const group of loops) {
      if (!this.#mayFail(group)) continue;
      for (const from of group) {
        for (const to of this.#follow[from] ?? []) {
          if (group.has(to) && this.#twice.has(pairOf(from, to))) return true;
        }
      }
      if (group.size > 1 && this.#hasTwoWays(group)) return true;
    }
    return false;
  }

  /** Whether a text may stay in a loop, go from it to another one, or stay in that one. */
  #isPolynomial(loops: readonly ReadonlySet<number>[]): boolean {
    for (const second of loops) {
      if (second.has(BEFORE) || !this.#mayFail(second)) continue;
      for (const first of loops) {
        if (first !== second && this.#goesBetween(first, second)) return true;
      }
    }
    return false;
  }

  /** A loop at whose places the whole pattern matches leaves nothing to try. */
  #mayFail(group: ReadonlySet<number>): boolean {
    for (const place of group) if (!this.#last.has(place)) return true;
    return false;
  }

  /** Pairs of places of one loop that the same text reaches, from a place beside itself. */
  #hasTwoWays(group: ReadonlySet<number>): boolean {
    for (const start of group) {
      const ahead = this.#pairs([[start, start]], group, this.#follow);
      const home = pairOf(start, start);
      for (const pair of ahead) {
        const left = Math.floor(pair / PLACES_MAX);
        const right = pair % PLACES_MAX;
        if (left === right) continue;
        if (this.#pairs([[left, right]], group, this.#follow).has(home)) return true;
      }
    }
    return false;
  }

  #pairs(
    from: readonly (readonly [number, number])[],
    within: ReadonlySet<number>,
    follow: readonly ReadonlySet<number>[],
  ): ReadonlySet<number> {
    const found = new Set<number>();
    const open = [...from];
    for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
      for (const left of follow[pair[0]] ?? []) {
        if (!within.has(left)) continue;
        for (const right of follow[pair[1]] ?? []) {
          this.#count();
          if (!within.has(right) || !this.#meet(left, right)) continue;
          const key = pairOf(left, right);
          if (found.has(key)) continue;
          found.add(key);
          open.push([left, right]);
        }
      }
    }
    return found;
  }

  /** A text that stays in the first loop, leads to the second, and stays in that. */
  #goesBetween(first: ReadonlySet<number>, second: ReadonlySet<number>): boolean {
    const between = this.#between(first, second);
    if (between === null) return false;
    for (const from of first) {
      for (const to of second) {
        if (this.#meetsThrice(from, to, first, between, second)) return true;
      }
    }
    return false;
  }

  #meetsThrice(
    from: number,
    to: number,
    first: ReadonlySet<number>,
    between: ReadonlySet<number>,
    second: ReadonlySet<number>,
  ): boolean {
    const found = new Set<number>();
    const open: [number, number, number][] = [[from, from, to]];
    for (let three = open.pop(); three !== undefined; three = open.pop()) {
      const [a, b, c] = three;
      for (const nextA of this.#follow[a] ?? []) {
        if (!first.has(nextA)) continue;
        for (const nextC of this.#follow[c] ?? []) {
          if (!second.has(nextC) || !this.#meet(nextA, nextC)) continue;
          for (const nextB of this.#follow[b] ?? []) {
            this.#count();
            if (!between.has(nextB) || !this.#meet(nextA, nextC, nextB)) continue;
            if (nextA === from && nextB === to && nextC === to) return true;
            const key = (nextA * PLACES_MAX + nextB) * PLACES_MAX + nextC;
            if (found.has(key)) continue;
            found.add(key);
            open.push([nextA, nextB, nextC]);
          }
        }
      }
    }
    return false;
  }

  /** Places on a way from one loop to another, both included; null: no way leads there. */
  #between(first: ReadonlySet<number>, second: ReadonlySet<number>): ReadonlySet<number> | null {
    const ahead = this.#reach(first, this.#follow);
    if (![...second].some((place) => ahead.has(place))) return null;
    const back = this.#reach(second, this.#backwards());
    return new Set([...ahead].filter((place) => back.has(place)));
  }

  #reach(from: ReadonlySet<number>, follow: readonly ReadonlySet<number>[]): Set<number> {
    const found = new Set(from);
    for (const place of found) {
      for (const next of follow[place] ?? []) {
        this.#count();
        found.add(next);
      }
    }
    return found;
  }

  #backwards(): readonly ReadonlySet<number>[] {
    const back = this.#follow.map(() => new Set<number>());
    for (const [place, all] of this.#follow.entries()) {
      for (const next of all) {
        this.#count();
        back[next]?.add(place);
      }
    }
    return back;
  }

  /** Places that lead back to themselves, in groups that lead to each other. */
  #loops(): Set<number>[] {
    const back = this.#backwards();
    const seen = new Set<number>();
    const loops: Set<number>[] = [];
    for (const place of this.#follow.keys()) {
      if (seen.has(place)) continue;
      const ahead = this.#reach(new Set([place]), this.#follow);
      const group = new Set<number>();
      for (const one of this.#reach(new Set([place]), back)) if (ahead.has(one)) group.add(one);
      for (const one of group) seen.add(one);
      if (group.size > 1 || this.#follow[place]?.has(place) === true) loops.push(group);
    }
    return loops;
  }

  #meet(...places: readonly number[]): boolean {
    for (let word = 0; word < WORDS; word += 1) {
      let common = -1;
      for (const place of places) common &= this.#characters[place]?.[word] ?? 0;
      if (common !== 0) return true;
    }
    return false;
  }

  #count(): void {
    this.#steps += 1;
    if (this.#steps > STEPS_MAX) throw new TooMuch();
  }

  #place(characters: Characters): number {
    if (this.#characters.length >= PLACES_MAX) throw new TooMuch();
    this.#follow.push(new Set());
    return this.#characters.push(characters) - 1;
  }

  #join(from: readonly number[], to: readonly number[]): void {
    for (const one of from) {
      const follow = this.#follow[one];
      for (const next of to) {
        if (follow?.has(next)) this.#twice.add(pairOf(one, next));
        else follow?.add(next);
      }
    }
  }

  #alternatives(): Part {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw new TooMuch();
    let all = this.#sequence();
    while (this.#text[this.#at] === '|') {
      this.#at += 1;
      const next = this.#sequence();
      all = {
        first: [...all.first, ...next.first],
        last: [...all.last, ...next.last],
        isEmpty: all.isEmpty || next.isEmpty,
      };
    }
    this.#depth -= 1;
    return all;
  }

  #sequence(): Part {
    let all = NOTHING;
    while (this.#at < this.#text.length && !/[|)]/.test(this.#text.charAt(this.#at))) {
      all = this.#behind(all, this.#repeated());
    }
    return all;
  }

  #behind(left: Part, right: Part): Part {
    this.#join(left.last, right.first);
    return {
      first: left.isEmpty ? [...left.first, ...right.first] : left.first,
      last: right.isEmpty ? [...left.last, ...right.last] : right.last,
      isEmpty: left.isEmpty && right.isEmpty,
    };
  }

  /** An atom and how often it stands there. */
  #repeated(): Part {
    const start = this.#at;
    const once = this.#atom();
    const end = this.#at;
    const times = /^(?:[*+?]|\{(\d{0,6})(,?)(\d{0,6})\})/.exec(this.#text.slice(end, end + 16));
    if (times === null || (times[0].startsWith('{') && times[1] === '')) return once;
    const [sign, least = '', comma = '', most = ''] = times;
    this.#at = end + sign.length;
    const isPossessive = this.#text[this.#at] === '+';
    if (isPossessive) throw new TooMuch();
    if (this.#text[this.#at] === '?') this.#at += 1;
    const after = this.#at;
    const isEndless = /^[*+]$/.test(sign) || (comma === ',' && most === '');
    if (isEndless) {
      this.#join(once.last, once.first);
      const mayBeMissing = sign === '*' || least === '0';
      return { ...once, isEmpty: once.isEmpty || mayBeMissing };
    }
    if (sign === '?') return { ...once, isEmpty: true };
    const highest = comma === '' ? Number(least) : Number(most);
    if (highest === 0) return NOTHING;
    const one = { ...once, isEmpty: once.isEmpty || least === '0' };
    if (highest === 1) return one;
    // Two copies show what many would.
    this.#at = start;
    const again = this.#atom();
    this.#at = after;
    return this.#behind(one, { ...again, isEmpty: again.isEmpty || Number(least) < 2 });
  }

  #atom(): Part {
    // A repeated part is read twice, so parts within each other are read often.
    this.#count();
    const rest = this.#text.slice(this.#at, this.#at + 2);
    if (rest.startsWith('(')) return this.#group();
    if (rest.startsWith('[')) return this.#class();
    this.#at += 1;
    if (rest.startsWith('\\')) return this.#escape();
    if (rest.startsWith('^')) return this.#one(ASSERTION);
    if (rest.startsWith('$')) return this.#one(END);
    if (/^[*+?]/.test(rest)) throw new TooMuch();
    return rest.startsWith('.') ? this.#any(this.#dot(), false, true) : this.#any([rest.charAt(0)]);
  }

  #group(): Part {
    const head =
      /^\((?:\?(?:[:=!]|<[=!]|P?<\w{1,80}>|[a-z-]{1,10}[:)]))?/.exec(
        this.#text.slice(this.#at, this.#at + 90),
      )?.[0] ?? '(';
    if (head === '(' && this.#text[this.#at + 1] === '?') throw new TooMuch();
    this.#at += head.length;
    if (head.endsWith(')')) return NOTHING;
    const inner = this.#alternatives();
    if (this.#text[this.#at] !== ')') throw new TooMuch();
    this.#at += 1;
    // What is asserted is a text of its own, within which nothing is tried again later.
    return /[=!]$/.test(head) ? this.#one(ASSERTION) : inner;
  }

  #class(): Part {
    const found = /^\[(\^?)((?:\\[\s\S]|[^\]\\])*)\]/.exec(this.#text.slice(this.#at));
    if (found === null) throw new TooMuch();
    const [all, not, inner = ''] = found;
    this.#at += all.length;
    const listed = classOf(inner);
    const others = /\\[SDWpP]|\\u|[^\0-\x7f]/.test(inner);
    return this.#any(listed, not === '^', others);
  }

  #escape(): Part {
    const letter = this.#text.charAt(this.#at);
    this.#at += 1;
    if (/[1-9k]/.test(letter)) throw new TooMuch();
    if (/[bBGAzZ]/.test(letter)) return this.#one(/[zZ]/.test(letter) ? END : ASSERTION);
    if (/[xupP]/.test(letter)) {
      const code = /^(?:\{[^}]{1,40}\}|[\da-fA-F]{2,4})/.exec(
        this.#text.slice(this.#at, this.#at + 42),
      );
      this.#at += code?.[0].length ?? 0;
      const point = Number.parseInt(code?.[0].replace(/[{}]/g, '') ?? '', 16);
      const isCode = /[xu]/.test(letter) && point < OTHERS;
      return isCode ? this.#any([String.fromCharCode(point)]) : this.#one(OTHERS);
    }
    return this.#any(escapeOf(letter), false, /[SDW]/.test(letter));
  }

  #dot(): string[] {
    const all = Array.from({ length: OTHERS }, (_, code) => String.fromCharCode(code));
    return this.#flags.includes('s') ? all : all.filter((one) => one !== '\n' && one !== '\r');
  }

  #one(bit: number): Part {
    const characters = new Uint32Array(WORDS);
    add(characters, bit);
    const place = this.#place(characters);
    return { first: [place], last: [place], isEmpty: false };
  }

  #any(named: Iterable<string>, isOther = false, others = false): Part {
    const characters = new Uint32Array(WORDS);
    for (const one of named) {
      const code = one.charCodeAt(0);
      add(characters, Math.min(code, OTHERS));
      if (!this.#flags.includes('i') || code >= OTHERS) continue;
      add(characters, Math.min(one.toLowerCase().charCodeAt(0), OTHERS));
      add(characters, Math.min(one.toUpperCase().charCodeAt(0), OTHERS));
    }
    if (others) add(characters, OTHERS);
    if (isOther) {
      for (let word = 0; word < 4; word += 1) characters[word] = ~(characters[word] ?? 0);
      characters[4] = others ? 0 : 1;
    }
    const place = this.#place(characters);
    return { first: [place], last: [place], isEmpty: false };
  }
}

function add(characters: Characters, bit: number): void {
  characters[bit >> 5] = (characters[bit >> 5] ?? 0) | (1 << (bit & 31));
}

function pairOf(left: number, right: number): number {
  return left * PLACES_MAX + right;
}
