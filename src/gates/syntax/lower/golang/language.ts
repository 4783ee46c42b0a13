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
