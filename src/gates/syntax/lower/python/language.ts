import { pythonTable } from '../../../../rules/catalogue/python.ts';
import { languageOf } from '../../engine/inspect.ts';
import { framesFor } from './frames.ts';
import { lowerPython } from './lower.ts';

/** Python 3, and 2 as far as the grammar knows it, with what is known of its packages. */
export const python = languageOf({
  table: pythonTable,
  grammar: 'python',
  framesFor,
  lowerWith({ isPackage }) {
    return (root, text) => lowerPython(root, text, isPackage);
  },
});
