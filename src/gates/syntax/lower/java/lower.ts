import type { Module } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import { noteAssigned, type UsualPaths } from '../classes.ts';
import { Context } from './context.ts';
import { CLASS, declareClass, lowerClass, membersOf } from './declarations.ts';
import { lowerExpression } from './expressions.ts';
import { lowerStatement } from './statements.ts';
import { readImport } from './types.ts';

class JavaLowering extends Context {
  protected override lowerExpression(node: TreeNode) {
    return lowerExpression(this, node);
  }

  protected override lowerStatement(node: TreeNode, label: string | null) {
    return lowerStatement(this, node, label);
  }
}

/** Nodes that hold members of a class whose head is out of sight. */
const MEMBER = /^(?:method|constructor|field)_declaration$/;

/** Lowers a file of Java or a part of one. The tree nests as deep as its reader allows. */
export function lowerJava(root: TreeNode, text: string, usualPaths: UsualPaths): Module {
  const context = new JavaLowering(text, usualPaths);
  const { children } = root;
  for (const node of children) {
    if (node.type === 'package_declaration') {
      context.isComplete = true;
      const name = node.children.find(({ type }) => /identifier$/.test(type));
      if (name !== undefined) context.packages.add(context.nameOf(name));
    }
    if (node.type === 'import_declaration') readImport(context, node);
  }
  noteAssigned(context, root, /^update_expression$/);
  declareAll(context, children);
  const top = [...context.outlines];
  // In a hunk what would be a field stands as a variable.
  const body = children
    .filter(({ type }) => !MEMBER.test(type) && !CLASS.test(type))
    .flatMap((node) => context.statement(node));
  const rest = children.filter(({ type }) => MEMBER.test(type));
  if (rest.length > 0) {
    const whole = { ...root, field: 'body', children: rest };
    lowerClass(context, declareClass(context, { ...root, children: [whole] }, ''));
  }
  const nested = new Set(top.flatMap(({ node }) => membersOf(node)));
  for (const outline of top) if (!nested.has(outline.node)) lowerClass(context, outline);
  return context.module(body);
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
