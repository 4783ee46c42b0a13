import { KNOWN_INSTALL_SCRIPTS } from '../../rules/packages/install-scripts.ts';
import { NPM_PACKAGES } from '../../rules/packages/npm.ts';
import { PYPI_PACKAGES } from '../../rules/packages/pypi.ts';
import type { Ecosystem } from './lockfiles.ts';

/** The most used packages, whose names are worth imitating; the rest of a list is only known. */
const IMITATED = 1_000;
/** One letter more or less makes another word of a shorter name. Characters. */
const NAME_CHARS_MIN = 5;
/** Longer names are not compared. Characters. */
const NAME_CHARS_MAX = 60;

interface KnownNames {
  known: ReadonlySet<string>;
  /** Names of imitated packages by themselves without one of their characters. */
  byDeletion: ReadonlyMap<string, readonly string[]>;
  /** And by their letters and digits alone. */
  byLetters: ReadonlyMap<string, string>;
}

const LISTS: Partial<Record<Ecosystem, string>> = { npm: NPM_PACKAGES, pypi: PYPI_PACKAGES };

/** What is known of packages by their names alone. */
export interface KnownPackages {
  /** Whether a package is among the much used ones. */
  isUsed(name: string, ecosystem: Ecosystem): boolean;
  /** Whether a package is known to run a script when it is installed. */
  runsScript(name: string, ecosystem: Ecosystem): boolean;
  /**
   * The much used package whose name differs from this one by one letter, by two that changed
   * places, or by its signs; null when no package is, or this one is well known itself. A scope has
   * one owner, so a name of the same scope imitates nothing.
   */
  resembled(name: string, ecosystem: Ecosystem): string | null;
}

/** Creates it; the lists are read when a name is asked for. */
export function createKnownPackages(): KnownPackages {
  const indexes = new Map<Ecosystem, KnownNames>();
  let withScripts: ReadonlySet<string> | null = null;
  const indexFor = (ecosystem: Ecosystem): KnownNames | null => {
    const list = LISTS[ecosystem];
    if (list === undefined) return null;
    const index = indexes.get(ecosystem) ?? indexOf(namesIn(list));
    indexes.set(ecosystem, index);
    return index;
  };
  return {
    isUsed: (name, ecosystem) => indexFor(ecosystem)?.known.has(name) === true,

    runsScript(name, ecosystem) {
      withScripts ??= new Set(namesIn(KNOWN_INSTALL_SCRIPTS));
      return ecosystem === 'npm' && withScripts.has(name);
    },

    resembled(name, ecosystem) {
      const index = indexFor(ecosystem);
      if (index === null || name.length > NAME_CHARS_MAX || index.known.has(name)) return null;
      const isOther = (other: string) =>
        scopeOf(other) === null || scopeOf(other) !== scopeOf(name);
      const spelt = index.byLetters.get(lettersOf(name));
      if (spelt !== undefined && isOther(spelt)) return spelt;
      if (name.length < NAME_CHARS_MIN) return null;
      for (const shorter of [name, ...deletions(name)]) {
        const like = index.byDeletion.get(shorter)?.find((one) => {
          return isOther(one) && isOneEdit(one, name);
        });
        if (like !== undefined) return like;
      }
      return null;
    },
  };
}

function indexOf(names: readonly string[]): KnownNames {
  const byDeletion = new Map<string, string[]>();
  const byLetters = new Map<string, string>();
  for (const name of names.slice(0, IMITATED)) {
    if (name.length < NAME_CHARS_MIN) continue;
    if (!byLetters.has(lettersOf(name))) byLetters.set(lettersOf(name), name);
    for (const shorter of [name, ...deletions(name)]) {
      const list = byDeletion.get(shorter);
      if (list === undefined) byDeletion.set(shorter, [name]);
      else list.push(name);
    }
  }
  return { known: new Set(names), byDeletion, byLetters };
}

function namesIn(list: string): string[] {
  return list.split(/\s+/).filter((name) => name !== '');
}

function scopeOf(name: string): string | null {
  return name.startsWith('@') ? name.slice(0, name.indexOf('/')) : null;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9@/]/g, '');
}

function deletions(name: string): string[] {
  return Array.from(name, (_, at) => name.slice(0, at) + name.slice(at + 1));
}

/** Whether one character was added, left out or replaced, or two neighbours changed places. */
function isOneEdit(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const rest = one.slice(start);
  const otherRest = other.slice(start);
  if (rest === '' && otherRest === '') return false;
  const isSwapped = rest[0] === otherRest[1] && rest[1] === otherRest[0];
  return (
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    rest.slice(1) === otherRest.slice(1) ||
    (isSwapped && rest.slice(2) === otherRest.slice(2))
  );
}
