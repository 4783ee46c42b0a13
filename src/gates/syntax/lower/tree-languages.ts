import type { Table } from '../../../rules/catalogue/table.ts';
import type { LoweredLanguage } from '../engine/inspect.ts';
import type { TreeLanguage } from '../languages.ts';

interface Loaded {
  language: LoweredLanguage;
  /** The same with rows of the rules. */
  withRows(own: Table): LoweredLanguage;
}

/**
 * Loads the lowering of a language that tree-sitter parses; a process that reads none of it starts
 * without.
 */
export const TREE_LANGUAGES: Readonly<Record<TreeLanguage, () => Promise<Loaded>>> = {
  async py() {
    const { python, pythonWithRows } = await import('./python/language.ts');
    return { language: python, withRows: pythonWithRows };
  },
  async go() {
    const { golang, golangWithRows } = await import('./golang/language.ts');
    return { language: golang, withRows: golangWithRows };
  },
  async java() {
    const { java, javaWithRows } = await import('./java/language.ts');
    return { language: java, withRows: javaWithRows };
  },
  async cs() {
    const { csharp, csharpWithRows } = await import('./csharp/language.ts');
    return { language: csharp, withRows: csharpWithRows };
  },
};
