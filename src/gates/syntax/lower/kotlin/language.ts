import { kotlinTable } from '../../../../rules/catalogue/kotlin.ts';
import { languageOf } from '../../engine/inspect.ts';
import { framesFor } from './frames.ts';
import { lowerKotlin, repaired } from './lower.ts';

/** Names of methods of Java that Kotlin reads and writes as properties. */
const ACCESSOR = /\b[gs]et[A-Z]\w*/g;
/** A class by its whole name, before its members. */
const CLASS = /^(?:[a-z]\w*\.)+([A-Z]\w*)/;

/** Kotlin, with what is known of its packages. */
export const kotlin = languageOf({
  table: kotlinTable,
  grammar: 'kotlin',
  framesFor,
  repaired,
  lowerWith({ classes, methods, rows }) {
    const lines = kotlinTable.packages.flatMap(({ sources = [], sinks = [], propagators = [] }) =>
      [...sources, ...sinks, ...propagators].map(({ exports }) => exports),
    );
    const properties = kotlinTable.operations.flatMap(({ sort, words: [name, ...own] }) =>
      sort === 'set' && name === 'property' ? own : [],
    );
    const names = [...lines, ...methods.keys(), ...properties].flatMap(
      (line) => line.match(ACCESSOR) ?? [],
    );
    const accessors = new Set(names);
    const named = new Map<string, string>();
    for (const [path = ''] of rows('value')) {
      const [whole, name] = CLASS.exec(path) ?? [];
      if (whole !== undefined && name !== undefined) named.set(name, whole);
    }
    const usual = (name: string) => classes.get(name) ?? [named.get(name) ?? []].flat();
    return (root, text) => lowerKotlin(root, text, usual, accessors);
  },
});
