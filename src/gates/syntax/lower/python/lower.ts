import type { ClassDeclaration, Module, Offer } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import { Context, type Outline } from './context.ts';
import { lowerExpression, nameOf } from './expressions.ts';
import { bindNames } from './names.ts';
import { lowerStatement } from './statements.ts';

/** Lowers a file of Python or a part of one. The tree nests as deep as its reader allows. */
export function lowerPython(
  root: TreeNode,
  text: string,
  isPackage: (name: string) => boolean,
): Module {
  const context = new Context(text, isPackage, {
    expression: lowerExpression,
    statement: lowerStatement,
  });
  noteAssigned(context, root);
  bindNames(context, root.children);
  const body = root.children.flatMap((node) => context.statement(node));
  const { variables, functions, unknown } = context;
  const classes = context.outlines.map((outline) => context.classes[outline.id] ?? empty(outline));
  return { variables, functions, classes, body, unknown, offer: offerOf(context) };
}

/** Other files get all names of a module. */
function offerOf(context: Context): Offer {
  const nowhere = { start: 0, end: 0 };
  const names = [...context.moduleScope().names.keys()].map(
    (name) => [name, nameOf(context, name, nowhere)] as const,
  );
  return { names: new Map(names), stars: context.stars, whole: null };
}

/** A class of which nothing but its name was lowered. */
function empty({ id, name, node, self }: Outline): ClassDeclaration {
  const { start, end } = node;
  const nothing = { bases: [], fields: [], functions: [], initializers: [], annotations: [] };
  return { ...nothing, id, name, self, kind: 'class', start, end };
}

/** Notes the names of members that are assigned somewhere, without recursion. */
function noteAssigned(context: Context, root: TreeNode): void {
  const waiting: TreeNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const isTarget = node.field === 'left' || node.type === 'pattern_list';
    if (isTarget) {
      const targets = node.type === 'pattern_list' ? node.children : [node];
      for (const target of targets) {
        const name = target.type === 'attribute' ? part(target, 'attribute') : null;
        if (name !== null) context.assigned.add(context.textOf(name));
      }
    }
    waiting.push(...node.children);
  }
}
