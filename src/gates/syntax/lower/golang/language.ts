import {
  golangOperations,
  golangPackages,
  golangSanitizers,
} from '../../../../rules/catalogue/golang.ts';
import type { Table } from '../../../../rules/catalogue/table.ts';
import type { LoweredLanguage } from '../../engine/inspect.ts';
import { createKnowledge, type Knowledge } from '../../engine/knowledge.ts';
import { framesFor } from './frames.ts';
import { lowerGolang } from './lower.ts';
import { namesOf } from './types.ts';

/** Go, with what is known of its packages. */
export const golang = golangWith(
  createKnowledge(golangPackages, golangSanitizers, golangOperations),
);

/** Go with rows of the rules before those of the catalogue. */
export function golangWithRows(own: Table): LoweredLanguage {
  return golangWith(
    createKnowledge(
      [...own.packages, ...golangPackages],
      [...own.sanitizers, ...golangSanitizers],
      [...own.operations, ...golangOperations],
    ),
  );
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
