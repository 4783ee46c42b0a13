import type { LoweredLanguage } from '../engine/inspect.ts';
import type { TreeLanguage } from '../languages.ts';

/**
 * Loads the lowering of a language that tree-sitter parses; a process that reads none of it starts
 * without.
 */
export const TREE_LANGUAGES: Readonly<Record<TreeLanguage, () => Promise<LoweredLanguage>>> = {
  py: async () => (await import('./python/language.ts')).python,
  go: async () => (await import('./golang/language.ts')).golang,
  java: async () => (await import('./java/language.ts')).java,
  cs: async () => (await import('./csharp/language.ts')).csharp,
  kt: async () => (await import('./kotlin/language.ts')).kotlin,
};
