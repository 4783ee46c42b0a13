import { golangTable } from '../../../../rules/catalogue/golang.ts';
import { languageOf } from '../../engine/inspect.ts';
import { framesFor } from './frames.ts';
import { lowerGolang } from './lower.ts';
import { namesOf } from './types.ts';

/** Go, with what is known of its packages. */
export const golang = languageOf({
  table: golangTable,
  grammar: 'go',
  framesFor,
  repaired,
  lowerWith({ packages }) {
    const usual = usualPackages(packages);
    return (root, text) => lowerGolang(root, text, (name) => usual.get(name) ?? null);
  },
});

/** Packages of the catalogue by their names; of two with one name the first. */
function usualPackages(packages: readonly string[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const path of packages) {
    for (const name of namesOf(path)) if (!named.has(name)) named.set(name, path);
  }
  return named;
}

/**
 * The text with `new(value)` of Go 1.26 as a call of another name: the grammar reads a type there,
 * and loses what stands around a value. The same text where it has none.
 */
function repaired(text: string): string {
  return text.replace(NEW_OF_VALUE, '$1Ew$2');
}

/**
 * Not `new(T)`, where `T` is a name, a list, a table, a pointer, a channel or written out. No two
 * alternatives match the same characters: one more way a sign would double the time.
 */
const NEW_OF_VALUE =
  /(?<![\w.])(n)ew(\s{0,20}\()(?!(?:\*|\[[\w.]*\]|map\[(?:[^[\]]|\[[^[\]]{0,99}\]){0,99}\]|<-chan\b|chan\b(?:<-(?!chan\b))?|\s)*(?:(?:func|struct|interface)\b|\w+(?:\.\w+)?(?:\[[^()]{0,200}\])?\s{0,20},?\s{0,20}\)))/g;
