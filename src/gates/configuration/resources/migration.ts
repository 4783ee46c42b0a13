import { entriesOf, type Node } from '../document.ts';
import { type Resource, resourceOf } from './resource.ts';

/** What a migration does, each by its type, and the `Migration` itself. */
export function migration(root: Node): Resource[] {
  return entriesOf([root]).map((entry) => {
    const { value } = entry;
    const said = value.kind === 'map' ? value.entries.find(({ key }) => key === 'text') : undefined;
    const address = said?.value.kind === 'scalar' ? said.value.value : '';
    return resourceOf({ type: entry.key, address, entry });
  });
}
