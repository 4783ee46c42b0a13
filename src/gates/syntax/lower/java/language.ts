import { javaTable } from '../../../../rules/catalogue/java.ts';
import { languageOf } from '../../engine/inspect.ts';
import { framesFor } from './frames.ts';
import { lowerJava } from './lower.ts';

/** Java, with what is known of its packages. */
export const java = languageOf({
  table: javaTable,
  grammar: 'java',
  framesFor,
  lowerWith({ classes }) {
    return (root, text) => lowerJava(root, text, (name) => classes.get(name) ?? []);
  },
});
