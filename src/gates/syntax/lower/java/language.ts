import { javaTable } from '../../../../rules/catalogue/java.ts';
import type { Table } from '../../../../rules/catalogue/table.ts';
import type { LoweredLanguage } from '../../engine/inspect.ts';
import { type Knowledge, knowledgeOf } from '../../engine/knowledge.ts';
import { framesFor } from './frames.ts';
import { lowerJava } from './lower.ts';

/** Java, with what is known of its packages. */
export const java = javaWith(knowledgeOf(javaTable));

/** Java with the rows of the rules, before the catalogue. */
export function javaWithRows(own: Table): LoweredLanguage {
  return javaWith(knowledgeOf(javaTable, own));
}

/** Java with another catalogue. */
export function javaWith(knowledge: Knowledge): LoweredLanguage {
  return {
    grammar: 'java',
    framesFor,
    knowledge,
    lower: (root, text) => lowerJava(root, text, (name) => knowledge.classes.get(name) ?? []),
  };
}
