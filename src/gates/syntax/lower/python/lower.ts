import type { Module, Offer } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import { eachNode } from '../lowering.ts';
import { Context } from './context.ts';
import { lowerExpression, nameOf } from './expressions.ts';
import { bindNames } from './names.ts';
import { lowerStatement } from './statements.ts';

class PythonLowering extends Context {
  protected override lowerExpression(node: TreeNode) {
    return lowerExpression(this, node);
  }

  protected override lowerStatement(node: TreeNode) {
    return lowerStatement(this, node);
  }
}

/** Lowers a file of Python or a part of one. The tree nests as deep as its reader allows. */
export function lowerPython(
  root: TreeNode,
  text: string,
  isPackage: (name: string) => boolean,
): Module {
  const context = new PythonLowering(text, isPackage);
  noteAssigned(context, root);
  bindNames(context, root.children);
  const body = root.children.flatMap((node) => context.statement(node));
  return { ...context.module(body), offer: offerOf(context) };
}

/** Other files get all names of a module. */
function offerOf(context: Context): Offer {
  const nowhere = { start: 0, end: 0 };
  const names = [...context.moduleScope().names.keys()].map(
    (name) => [name, nameOf(context, name, nowhere)] as const,
  );
  return { names: new Map(names), stars: context.stars, whole: null };
}

/** Notes the names of members that are assigned somewhere. */
function noteAssigned(context: Context, root: TreeNode): void {
  eachNode(root, (node) => {
    const isList = node.type === 'pattern_list';
    if (node.field !== 'left' && !isList) return;
    for (const target of isList ? node.children : [node]) {
      if (target.type === 'attribute') context.assigned.add(context.textAt(target, 'attribute'));
    }
  });
}
