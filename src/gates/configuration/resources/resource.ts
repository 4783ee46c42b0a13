import type { Entry, Node, ScalarNode } from '../document.ts';

/** A thing that a document declares, as rules name it. */
export interface Resource {
  /** `aws_s3_bucket`, `AWS::S3::Bucket`, `Deployment`, `RUN`; see docs/rules.md. */
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
  /** Its settings have nothing to do with each other: one that changes touches no other. */
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

/** Whether a scalar says that there is no value. */
export function isNull({ value, computed }: ScalarNode): boolean {
  return computed !== true && /^(?:null|~|)$/i.test(value);
}

/** A value that stands elsewhere: what is wrong with it is wrong where it is used. */
export function placedAt(known: Node, { start, end }: Node): Node {
  return known.start === start ? known : { ...known, start, end };
}
