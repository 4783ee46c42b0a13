import {
  type Entry,
  type MapNode,
  type Node,
  type ScalarNode,
  scalarsOf,
  valuesOf,
} from '../document.ts';

/** A thing that a document declares, as rules name it. */
export interface Resource {
  /** `aws_s3_bucket`, `AWS::S3::Bucket`, `Deployment`, `RUN`: see the handbook. */
  readonly type: string;
  /** The same in another version of the document. */
  readonly address: string;
  /** Where paths of rules begin. */
  readonly node: Node;
  /** What `^` in a path stands for: what the resource is a part of. */
  readonly around: Node | null;
  /** Where its declaration begins, and the end of the line that says so. */
  readonly start: number;
  readonly headEnd: number;
  readonly end: number;
  /** Its settings have nothing to do with each other: a change of one touches no other. */
  readonly isLoose?: true;
}

/** What an expression stands for; itself when nobody knows. */
export type Resolve = (node: Node) => Node;

interface Declaration {
  readonly type: string;
  readonly address: string;
  readonly entry: Entry;
}

/** The resource that an entry of a map declares: its paths begin at the value. */
export function resourceOf({ type, address, entry }: Declaration): Resource {
  const { keyStart, keyEnd, value } = entry;
  return {
    type,
    address,
    node: value,
    around: null,
    start: keyStart,
    headEnd: keyEnd,
    end: Math.max(keyEnd, value.end),
  };
}

/** A map of these entries in the place of a node. */
export function mapOf({ start, end }: Node, entries: readonly Entry[]): MapNode {
  return { kind: 'map', start, end, entries };
}

/** The text of the first of these keys that a map has. */
export function nameOf(node: Node, ...keys: readonly string[]): string | undefined {
  return scalarsOf(keys.flatMap((key) => valuesOf(node, key)))[0]?.value;
}

/** Marks scalars with `${{ ... }}` in them, whose value nobody knows before a run. */
export function withExpressions(node: Node): Node {
  if (node.kind !== 'scalar' || !node.value.includes('${{')) return node;
  return { ...node, computed: true };
}

/** Whether a scalar says that there is no value. */
export function isNull({ value, computed }: ScalarNode): boolean {
  return computed !== true && /^(?:null|~|)$/i.test(value);
}

/** A value that stands elsewhere: what is wrong with it is wrong where it is used. */
export function placedAt(known: Node, use: Node, borrowed: NonNullable<Node['borrowed']>): Node {
  const { start, end } = use;
  return known === use ? known : { ...known, start, end, borrowed };
}

/** Whether a default gives nothing: the user of a module or chart gives the value. */
export function isEmpty(node: Node): boolean {
  if (node.kind === 'scalar') return isNull(node);
  return node.kind === 'list' ? node.items.length === 0 : node.entries.length === 0;
}

/** Nodes within another one, which stand where it is used. */
export function within({ start, end, borrowed }: Node, inner: readonly Node[]): readonly Node[] {
  return borrowed === undefined ? inner : inner.map((one) => ({ ...one, start, end, borrowed }));
}
