import { itemsOf, type Node, scalarsOf, valuesAt, valuesOf } from '../document.ts';
import type { Resource } from './resource.ts';

/** Where the objects of Kubernetes have the specification of their pods. */
const POD_SPECS = [
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
] as const;
const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** The object of a manifest, or the objects of a list, with their pods and containers. */
export function kubernetes(root: Node): Resource[] {
  const [kind] = scalarsOf(valuesOf(root, 'kind'));
  const hasVersion = valuesOf(root, 'apiVersion').length > 0;
  if (kind === undefined || !hasVersion) return [];
  if (kind.value.endsWith('List')) {
    const items = itemsOf(valuesOf(root, 'items'));
    if (items.length > 0) return items.flatMap(kubernetes);
  }
  const [name] = scalarsOf(valuesAt(root, 'metadata', 'name'));
  const address = `${kind.value}/${name?.value ?? ''}`;
  const part = (type: string, node: Node, at: string, around: Node | null): Resource => {
    const { start, end } = node;
    return { type, address: at, node, around, start, headEnd: start, end };
  };
  const object: Resource = {
    ...part(kind.value, root, address, null),
    start: kind.start,
    headEnd: kind.end,
  };
  const isPod = kind.value === 'Pod';
  const specs = isPod
    ? valuesOf(root, 'spec')
    : POD_SPECS.flatMap((path) => valuesAt(root, ...path));
  const parts = specs.flatMap((spec) => {
    const containers = CONTAINERS.flatMap((key) => itemsOf(valuesOf(spec, key)));
    return [
      { ...part('PodSpec', spec, address, root), start: kind.start, headEnd: kind.end },
      ...containers.map((node, index) => {
        const [own] = scalarsOf(valuesOf(node, 'name'));
        return part('Container', node, `${address}/${own?.value ?? index}`, spec);
      }),
    ];
  });
  return [object, ...parts];
}
