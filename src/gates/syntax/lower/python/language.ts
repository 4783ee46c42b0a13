import {
  pythonOperations,
  pythonPackages,
  pythonSanitizers,
} from '../../../../rules/catalogue/python.ts';
import type { Table } from '../../../../rules/catalogue/table.ts';
import type { LoweredLanguage } from '../../engine/inspect.ts';
import { createKnowledge, type Knowledge } from '../../engine/knowledge.ts';
import { framesFor } from './frames.ts';
import { lowerPython } from './lower.ts';

/** Python 3, and 2 as far as the grammar knows it, with what is known of its packages. */
export const python = pythonWith(
  createKnowledge(pythonPackages, pythonSanitizers, pythonOperations),
);

/** Python with rows of the rules before those of the catalogue. */
export function pythonWithRows(own: Table): LoweredLanguage {
  return pythonWith(
    createKnowledge(
      [...own.packages, ...pythonPackages],
      [...own.sanitizers, ...pythonSanitizers],
      [...own.operations, ...pythonOperations],
    ),
  );
}

/** Python with another catalogue. */
export function pythonWith(knowledge: Knowledge): LoweredLanguage {
  return {
    grammar: 'python',
    framesFor,
    knowledge,
    lower: (root, text) => lowerPython(root, text, (name) => knowledge.isPackage(name)),
  };
}
