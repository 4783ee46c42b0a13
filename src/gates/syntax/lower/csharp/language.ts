import { csharpTable } from '../../../../rules/catalogue/csharp.ts';
import type { Table } from '../../../../rules/catalogue/table.ts';
import type { LoweredLanguage } from '../../engine/inspect.ts';
import { type Knowledge, knowledgeOf } from '../../engine/knowledge.ts';
import { framesFor } from './frames.ts';
import { lowerCsharp } from './lower.ts';

/** C#, with what is known of its packages. */
export const csharp = csharpWith(knowledgeOf(csharpTable));

/** C# with the rows of the rules, before the catalogue. */
export function csharpWithRows(own: Table): LoweredLanguage {
  return csharpWith(knowledgeOf(csharpTable, own));
}

/** C# with another catalogue. */
export function csharpWith(knowledge: Knowledge): LoweredLanguage {
  return {
    grammar: 'c-sharp',
    framesFor,
    knowledge,
    lower(root, text) {
      const { classes, types } = knowledge;
      return lowerCsharp(root, text, (name) => classes.get(name) ?? [], types);
    },
  };
}
