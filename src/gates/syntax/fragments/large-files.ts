import { AST_GATE } from '../../limits.ts';
import type { Language } from '../languages.ts';
import { type Unit, unitsOf } from './units.ts';

/** What a file is reduced to. */
interface Part {
  /** The file with its lines in their places; omitted lines are empty. */
  readonly text: string;
  /** Functions and other declarations that it holds, and how many the file has. */
  readonly kept: number;
  readonly all: number;
}

/** Two versions of one file, and the lines (from 0) that differ. */
interface Versions {
  readonly head: string;
  readonly base: string;
  readonly added: ReadonlySet<number>;
  readonly removed: ReadonlySet<number>;
}

/**
 * Both versions of a file that is too large to be parsed whole, each reduced to what the change
 * touches, what names that, and what it names; null: that is too large as well.
 */
export function reduceBoth(
  { head, base, added, removed }: Versions,
  language: Language,
): { readonly head: Part; readonly base: Part } | null {
  const own = new Selection(head, language);
  const first = own.choose(added, new Set());
  if (first === null) return null;
  const other = new Selection(base, language);
  const second = other.choose(removed, own.names);
  return second === null ? null : { head: first, base: second };
}

/** A unit without inner ones. */
type Leaf = { readonly unit: Unit };

/** Declarations without a body of their own are kept up to this length. */
const SMALL_BYTES_MAX = 300;
/** The share of the bound that they may take. */
const SMALL_SHARE = 0.25;

/** Callers of callers that are kept. */
const CALLERS_DEEP_MAX = 4;

class Selection {
  /** Names that the chosen units may declare. */
  readonly names = new Set<string>();
  readonly #lines: readonly string[];
  readonly #leaves: readonly Leaf[];
  readonly #chosen = new Set<Leaf>();
  readonly #text: string;
  #bytes = 0;
  #room = 0;

  constructor(text: string, language: Language) {
    this.#text = text;
    this.#lines = text.split('\n');
    this.#leaves = leavesOf(unitsOf(text, language));
  }

  /** The lines of what is chosen; null when there is no room for it. */
  choose(changed: ReadonlySet<number>, wanted: ReadonlySet<string>): Part | null {
    const all = this.#leaves;
    const bound = AST_GATE.FRAGMENT_BYTES_MAX;
    if (Buffer.byteLength(this.#text) <= bound) {
      return { text: this.#text, kept: all.length, all: all.length };
    }
    this.#room = bound - this.#lines.length - Buffer.byteLength(this.#frame().join(''));
    const touched = all.filter(({ unit }) => isTouched(unit, changed));
    for (const leaf of touched) if (!this.#take(leaf)) return null;
    const small = all.filter(({ unit }) => unit.bytes <= SMALL_BYTES_MAX && !this.#hasBody(unit));
    for (const leaf of small) {
      if (this.#bytes > this.#room * SMALL_SHARE) break;
      this.#take(leaf);
    }
    const isWanted = ({ names }: Unit) => names.some((name) => wanted.has(name));
    for (const leaf of all) if (isWanted(leaf.unit)) this.#take(leaf);
    this.#follow(touched);
    const text = this.#kept().join('\n');
    return { text, kept: this.#chosen.size, all: all.length };
  }

  /** Adds what names the units, and then what all of these name, the nearest first. */
  #follow(touched: readonly Leaf[]): void {
    const byName = new Map<string, Leaf[]>();
    for (const leaf of this.#leaves) {
      for (const name of leaf.unit.names) byName.set(name, [...(byName.get(name) ?? []), leaf]);
    }
    let own = new Set(touched.flatMap(({ unit }) => unit.names));
    // Variables and fields that they use: what is put into them elsewhere, or read from them.
    for (const word of touched.flatMap((leaf) => this.#wordsOf(leaf))) {
      if (byName.get(word)?.some(({ unit }) => !this.#hasBody(unit))) own.add(word);
    }
    for (let round = 0; round < CALLERS_DEEP_MAX; round += 1) {
      const callers = this.#leaves.filter(
        (leaf) =>
          !this.#chosen.has(leaf) &&
          this.#wordsOf(leaf).some((word) => own.has(word)) &&
          this.#take(leaf),
      );
      own = new Set(callers.flatMap(({ unit }) => unit.names));
    }
    const seen = new Set<string>();
    const waiting = [...touched, ...this.#chosen];
    for (let at = 0; at < waiting.length; at += 1) {
      const leaf = waiting[at];
      if (leaf === undefined) return;
      for (const word of this.#wordsOf(leaf)) {
        if (seen.has(word)) continue;
        seen.add(word);
        for (const other of byName.get(word) ?? []) {
          if (!this.#chosen.has(other) && this.#take(other)) waiting.push(other);
        }
      }
    }
  }

  #take(leaf: Leaf): boolean {
    if (this.#chosen.has(leaf)) return true;
    const { bytes, names } = leaf.unit;
    if (this.#bytes + bytes > this.#room) return false;
    this.#bytes += bytes;
    this.#chosen.add(leaf);
    for (const name of names) this.names.add(name);
    return true;
  }

  #hasBody({ first, after }: Unit): boolean {
    return /[{]|:\s*$|=>/m.test(this.#lines.slice(first, after).join('\n'));
  }

  #wordsOf({ unit }: Leaf): readonly string[] {
    return (
      this.#lines
        .slice(unit.first, unit.after)
        .join('\n')
        .match(/[\w$]+/g) ?? []
    );
  }

  /** Lines that stand in no leaf: heads and ends of what holds them. */
  #frame(): string[] {
    const lines = [...this.#lines];
    for (const { unit } of this.#leaves) lines.fill('', unit.first, unit.after);
    return lines;
  }

  #kept(): string[] {
    const lines = this.#frame();
    for (const { unit } of this.#chosen) {
      for (let at = unit.first; at < unit.after; at += 1) lines[at] = this.#lines[at] ?? '';
    }
    return lines;
  }
}

function leavesOf(units: readonly Unit[]): Leaf[] {
  return units.flatMap((unit) => (unit.inner.length === 0 ? [{ unit }] : leavesOf(unit.inner)));
}

function isTouched({ first, after }: Unit, changed: ReadonlySet<number>): boolean {
  for (let line = first; line < after; line += 1) if (changed.has(line)) return true;
  return false;
}
