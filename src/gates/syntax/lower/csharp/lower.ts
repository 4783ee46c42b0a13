import type { Expression, Module, Type } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import { noteAssigned, type UsualPaths } from '../classes.ts';
import { Context, flattened } from './context.ts';
import { CLASS, declareClass, lowerClass, membersOf } from './declarations.ts';
import { lowerExpression, newOf } from './expressions.ts';
import { lowerStatement } from './statements.ts';
import { readUsing } from './types.ts';

class CsharpLowering extends Context {
  protected override lowerExpression(node: TreeNode) {
    return lowerExpression(this, node);
  }

  protected override lowerStatement(node: TreeNode, label: string | null) {
    return lowerStatement(this, node, label);
  }

  override valueAs(node: TreeNode, type: Type | null): Expression {
    const isImplicit = node.type === 'implicit_object_creation_expression' && type !== null;
    return isImplicit ? newOf(this, node, type, node) : this.expression(node);
  }
}

/** Nodes that hold members of a class whose head is out of sight. */
const MEMBER =
  /^(?:method|constructor|property|field|indexer|event|operator|conversion_operator|destructor)_/;

/** Lowers a file of C# or a part of one. The tree nests as deep as its reader allows. */
export function lowerCsharp(
  root: TreeNode,
  text: string,
  usualPaths: UsualPaths,
  paths: ReadonlyMap<string, string>,
): Module {
  const context = new CsharpLowering(text, usualPaths, paths);
  const nodes = root.children.flatMap(unfolded);
  for (const node of nodes) {
    if (node.type === 'using_directive') readUsing(context, node);
  }
  noteAssigned(context, root, /^p(?:re|ost)fix_unary_expression$/);
  declareAll(context, nodes);
  const top = [...context.outlines];
  const isMember = (node: TreeNode) => MEMBER.test(node.type) || isMethod(context, node);
  const plain = nodes.filter((node) => !isMember(node) && !CLASS.test(node.type));
  const body = context.statements(plain);
  const rest = nodes
    .filter(isMember)
    .map((node) => (node.type === 'global_statement' ? (node.children[0] ?? node) : node));
  if (rest.length > 0) {
    const whole = { ...root, field: 'body', children: rest };
    lowerClass(context, declareClass(context, { ...root, children: [whole] }, ''));
  }
  const nested = new Set(top.flatMap(({ node }) => membersOf(node)));
  for (const outline of top) if (!nested.has(outline.node)) lowerClass(context, outline);
  return context.module(body);
}

/** What stands in namespaces and between `#if` and `#endif`. */
function unfolded(node: TreeNode): TreeNode[] {
  if (/^(?:file_scoped_)?namespace_declaration$/.test(node.type)) {
    const inner =
      part(node, 'body')?.children ?? node.children.filter(({ field }) => field !== 'name');
    return inner.flatMap(unfolded);
  }
  const all = flattened(node);
  return all.length === 1 && all[0] === node ? all : all.flatMap(unfolded);
}

/** A method of a class that is out of sight: a program has functions without such words. */
function isMethod(context: Context, node: TreeNode): boolean {
  const inner = node.type === 'global_statement' ? node.children[0] : undefined;
  if (inner?.type !== 'local_function_statement') return false;
  return inner.children.some(
    (one) =>
      one.type === 'attribute_list' ||
      (one.type === 'modifier' && /^(?:p|internal|override|virtual)/.test(context.textOf(one))),
  );
}

/** Classes by their names, those within others as well, before anything is lowered. */
function declareAll(context: Context, nodes: readonly TreeNode[]): void {
  for (const node of nodes) {
    const name = context.textAt(node, 'name');
    if (!CLASS.test(node.type) || name === '') continue;
    declareClass(context, node, name);
    declareAll(context, membersOf(node));
  }
}
