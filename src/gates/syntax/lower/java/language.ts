import { javaOperations, javaPackages, javaSanitizers } from '../../../../rules/catalogue/java.ts';
import type { Table } from '../../../../rules/catalogue/table.ts';
import type { LoweredLanguage } from '../../engine/inspect.ts';
import { createKnowledge, type Knowledge } from '../../engine/knowledge.ts';
import { framesFor } from './frames.ts';
import { lowerJava } from './lower.ts';

/** Java, with what is known of its packages. */
export const java = javaWith(createKnowledge(javaPackages, javaSanitizers, javaOperations));

/** Java with rows of the rules before those of the catalogue. */
export function javaWithRows(own: Table): LoweredLanguage {
  return javaWith(
    createKnowledge(
      [...own.packages, ...javaPackages],
      [...own.sanitizers, ...javaSanitizers],
      [...own.operations, ...javaOperations],
    ),
  );
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
