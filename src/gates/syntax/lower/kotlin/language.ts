import { kotlinTable } from '../../../../rules/catalogue/kotlin.ts';
import { languageOf } from '../../engine/inspect.ts';
import { framesFor } from './frames.ts';
import { lowerKotlin, withoutLaterHeads } from './lower.ts';

/** Names of methods of Java that Kotlin reads and writes as properties. */
const ACCESSOR = /\b[gs]et[A-Z]\w*/g;

/** Kotlin, with what is known of its packages. */
export const kotlin = languageOf({
  table: kotlinTable,
  grammar: 'kotlin',
  framesFor,
  repaired: withoutLaterHeads,
  lowerWith({ classes, methods }) {
    const lines = kotlinTable.packages.flatMap(({ sources = [], sinks = [], propagators = [] }) => [
      ...[...sources, ...sinks, ...propagators].map(({ exports }) => exports),
    ]);
    const names = [...lines, ...methods.keys()].flatMap((line) => line.match(ACCESSOR) ?? []);
    const accessors = new Set(names);
    return (root, text) => lowerKotlin(root, text, (name) => classes.get(name) ?? [], accessors);
  },
});
