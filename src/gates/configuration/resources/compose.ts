import { entriesOf, type Node, valuesOf } from '../document.ts';
import { type Resource, resourceOf } from './resource.ts';

/** The services of a Compose file. */
export function compose(root: Node): Resource[] {
  return entriesOf(valuesOf(root, 'services')).map((entry) => {
    return resourceOf({ type: 'service', address: entry.key, entry });
  });
}
