import { pythonTable } from '../../../../rules/catalogue/python.ts';
import type { Table } from '../../../../rules/catalogue/table.ts';
import type { LoweredLanguage } from '../../engine/inspect.ts';
import { type Knowledge, knowledgeOf } from '../../engine/knowledge.ts';
import { framesFor } from './frames.ts';
import { lowerPython } from './lower.ts';

/** Python 3, and 2 as far as the grammar knows it, with what is known of its packages. */
export const python = pythonWith(knowledgeOf(pythonTable));

/** Python with the rows of the rules, before the catalogue. */
export function pythonWithRows(own: Table): LoweredLanguage {
  return pythonWith(knowledgeOf(pythonTable, own));
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
