import type { Statement, Variable } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import { ClassLowering } from '../classes.ts';

/** One lowering of one tree: what it has declared so far. */
export abstract class Context extends ClassLowering {
  /** Packages of which the text holds files. */
  readonly packages = new Set<string>();
  /** Where the value of a `yield` goes, and the label of the switch that it leaves. */
  yields: { readonly result: Variable; readonly label: string } | null = null;

  /** Of a block: its statements, with names of their own. */
  body(node: TreeNode | null): Statement[] {
    if (node === null) return [];
    const nodes = /^(?:block|constructor_body|class_body|ERROR)$/.test(node.type)
      ? node.children
      : [node];
    return this.within(null, () => nodes.flatMap((child) => this.statement(child)));
  }
}
