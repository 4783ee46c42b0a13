import { entriesOf, type Node, valuesOf } from '../document.ts';
import { type Resource, resourceOf } from './resource.ts';

/** The services and the named volumes of a Compose file. */
export function compose(root: Node): Resource[] {
  const declared = (key: string, type: string) => {
    return entriesOf(valuesOf(root, key)).map((entry) => {
      return resourceOf({ type, address: entry.key, entry });
    });
  };
  return [...declared('services', 'service'), ...declared('volumes', 'volume')];
}
