/**
 * A document of configuration as data, whatever notation it is written in. Offsets count UTF-16
 * units of the text that was read.
 */
export type Node = MapNode | ListNode | ScalarNode;

interface Range {
  start: number;
  end: number;
  /**
   * It is written elsewhere, and has the place where it is used. The user of a module or template
   * may give another value than a default.
   */
  borrowed?: 'value' | 'default';
}

export interface MapNode extends Range {
  kind: 'map';
  /** In the order of the text, with the entries of a merge key; a key may be there twice. */
  entries: readonly Entry[];
}

export interface Entry {
  key: string;
  keyStart: number;
  keyEnd: number;
  value: Node;
}

export interface ListNode extends Range {
  kind: 'list';
  items: readonly Node[];
}

export interface ScalarNode extends Range {
  kind: 'scalar';
  /** Without quotes and escapes; numbers and the like as they are written. */
  value: string;
  /** It is an expression: nobody knows its value before it is used. */
  computed?: true;
  /** It may not be there: an expression around it, or a template, may put it in. */
  possible?: true;
}

/** Stands for text that a template puts in: a scalar that holds it is computed. */
export const UNKNOWN_TEXT = '\ue000';

export interface Document {
  format:
    | 'yaml'
    | 'json'
    | 'hcl'
    | 'dockerfile'
    | 'jenkinsfile'
    | 'sql'
    | 'nginx'
    | 'apache'
    | 'lines'
    | 'python';
  /** One for each document in the text. */
  roots: readonly Node[];
  /** Why the text, or a part of it, could not be read; null: all of it is in `roots`. */
  problem: string | null;
}

/** Values of a key, without regard to case if `anyCase`; there may be several. */
export function valuesOf(node: Node | null, key: string, anyCase = false): Node[] {
  const values: Node[] = [];
  if (node?.kind !== 'map') return values;
  // Most maps have no such key, and each is asked for many.
  for (const entry of node.entries) {
    if (entry.key === key || (anyCase && entry.key.toLowerCase() === key)) values.push(entry.value);
  }
  return values;
}

/** Values at the end of a path of keys. */
export function valuesAt(node: Node | null, ...path: string[]): Node[] {
  let nodes = node === null ? [] : [node];
  for (const key of path) nodes = nodes.flatMap((one) => valuesOf(one, key));
  return nodes;
}

/** Entries of maps among the nodes. */
export function entriesOf(nodes: readonly Node[]): Entry[] {
  return nodes.flatMap((node) => (node.kind === 'map' ? node.entries : []));
}

/** The nodes, with the items of lists in place of the lists. */
export function itemsOf(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node) => (node.kind === 'list' ? node.items : [node]));
}

/** Scalars, also in lists, however deep. */
export function scalarsOf(nodes: readonly Node[]): ScalarNode[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'list') return scalarsOf(node.items);
    return node.kind === 'scalar' ? [node] : [];
  });
}

/** Calls `visit` with each map, list and scalar, parents first. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  if (node.kind === 'map') for (const { value } of node.entries) walk(value, visit);
  if (node.kind === 'list') for (const item of node.items) walk(item, visit);
}
