import { golangTable } from '../../../../rules/catalogue/golang.ts';
import type { Table } from '../../../../rules/catalogue/table.ts';
import type { LoweredLanguage } from '../../engine/inspect.ts';
import { type Knowledge, knowledgeOf } from '../../engine/knowledge.ts';
import { framesFor } from './frames.ts';
import { lowerGolang } from './lower.ts';
import { namesOf } from './types.ts';

/** Go, with what is known of its packages. */
export const golang = golangWith(knowledgeOf(golangTable));

/** Go with the rows of the rules, before the catalogue. */
export function golangWithRows(own: Table): LoweredLanguage {
  return golangWith(knowledgeOf(golangTable, own));
}

/** Go with another catalogue. */
export function golangWith(knowledge: Knowledge): LoweredLanguage {
  const usual = usualPackages(knowledge);
  return {
    grammar: 'go',
    framesFor,
    knowledge,
    lower: (root, text) => lowerGolang(root, text, (name) => usual.get(name) ?? null),
  };
}

/** Packages of the catalogue by their names; of two with one name the first. */
function usualPackages({ packages }: Knowledge): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  for (const path of packages) {
    for (const name of namesOf(path)) if (!named.has(name)) named.set(name, path);
  }
  return named;
}
