import { csharpTable } from '../../../../rules/catalogue/csharp.ts';
import { languageOf } from '../../engine/inspect.ts';
import { framesFor } from './frames.ts';
import { lowerCsharp } from './lower.ts';

/** C#, with what is known of its packages. */
export const csharp = languageOf({
  table: csharpTable,
  grammar: 'c-sharp',
  framesFor,
  lowerWith({ classes, types }) {
    return (root, text) => lowerCsharp(root, text, (name) => classes.get(name) ?? [], types);
  },
});
