import { type Entry, entriesOf, type MapNode, type Node } from '../document.ts';
import { nameOf, type Resource } from './resource.ts';

/**
 * The `Pipeline`, each `Stage`, and each call by its name (`sh`, `withCredentials`). A pipeline and
 * a stage have their own parts, and in `all` the calls at any depth.
 */
export function jenkins(root: Node): Resource[] {
  const found: Resource[] = [];
  const counts = new Map<string, number>();
  const visit = (entries: readonly Entry[], prefix: string, around: Node | null): void => {
    for (const { key, keyStart: start, keyEnd: headEnd, value } of entries) {
      if (value.kind !== 'map') continue;
      const { end } = value;
      const stage = key === 'stage' ? `${prefix}${nameOf(value, 'text') ?? ''}/` : null;
      const counted = `${prefix}${key}`;
      const count = (counts.get(counted) ?? 0) + 1;
      counts.set(counted, count);
      const address = stage ?? `${counted}#${count}`;
      const isWhole = stage !== null || key === 'pipeline';
      const type =
        stage !== null ? 'Stage' : key === 'pipeline' ? 'Pipeline' : key.replace(/^@/, '');
      const node = isWhole ? withAll(value) : value;
      found.push({ type, address, node, around, start, headEnd, end });
      visit(value.entries, stage ?? prefix, isWhole ? node : around);
    }
  };
  visit(entriesOf([root]), '', root.kind === 'map' ? withAll(root) : null);
  return found;
}

function withAll(node: MapNode): MapNode {
  const entries: Entry[] = [];
  const collect = (own: readonly Entry[]): void => {
    for (const entry of own) {
      entries.push(entry);
      if (entry.value.kind === 'map') collect(entry.value.entries);
    }
  };
  collect(node.entries);
  const { start, end } = node;
  const all: Entry = { key: 'all', keyStart: start, keyEnd: start, value: { ...node, entries } };
  return { ...node, start, end, entries: [...node.entries, all] };
}
