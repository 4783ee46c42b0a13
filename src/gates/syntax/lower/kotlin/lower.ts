import type { Module, Statement, Variable } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import type { UsualPaths } from '../classes.ts';
import { eachNode } from '../lowering.ts';
import { Context } from './context.ts';
import { declareAll, declareClass, lowerClass, membersOf } from './declarations.ts';
import { lowerExpression } from './expressions.ts';
import { intoResult, lowerStatement } from './statements.ts';
import { readImports } from './types.ts';

class KotlinLowering extends Context {
  protected override lowerExpression(node: TreeNode) {
    return lowerExpression(this, node);
  }

  protected override lowerStatement(node: TreeNode, label: string | null) {
    return lowerStatement(this, node, label);
  }

  override into(node: TreeNode, result: Variable | null): Statement[] {
    return intoResult(this, node, result);
  }
}

/** Nodes that declare something for the whole file. */
const DECLARATION = /^(?:class|object|function|property)_declaration$/;
/** Nodes that declare nothing that runs. */
const HEAD = /^(?:package_header|import|file_annotation|shebang|type_alias)$/;
/** Members of a class whose head is out of sight. */
const MEMBER = /^(?:companion_object|anonymous_initializer|secondary_constructor)$/;

/** Lowers a file of Kotlin or a part of one. The tree nests as deep as its reader allows. */
export function lowerKotlin(
  root: TreeNode,
  text: string,
  usualPaths: UsualPaths,
  accessors: ReadonlySet<string>,
): Module {
  const context = new KotlinLowering(text, usualPaths, accessors);
  readImports(context);
  if (/^\s*package\s+\w/m.test(text)) context.isComplete = true;
  noteAssigned(context, root);
  const nodes = root.children.filter(({ type }) => !HEAD.test(type));
  const isOfFile = ({ type }: TreeNode) => DECLARATION.test(type) || MEMBER.test(type);
  const plain = nodes.filter((node) => !isOfFile(node));
  // In a script and in a hunk what would be a property stands as a variable.
  const isScript = plain.length > 0;
  const isMember = (node: TreeNode) =>
    isOfFile(node) && !(isScript && node.type === 'property_declaration');
  const hasMembers = nodes.some(({ type }) => MEMBER.test(type));
  const whole: TreeNode = {
    ...root,
    type: hasMembers ? 'object_literal' : 'source_file',
    children: hasMembers
      ? [{ ...root, type: 'class_body', children: nodes.filter(isMember) }]
      : nodes.filter(isMember),
  };
  const file = declareClass(context, whole, '');
  context.file = file;
  declareAll(context, nodes);
  // What a script or hunk declares is seen in its functions as well.
  const body = context.within(file, () => {
    const statements = nodes
      .filter((node) => !isMember(node))
      .flatMap((node) => context.statement(node));
    const top = [...context.outlines];
    lowerClass(context, file);
    const nested = new Set(top.flatMap(({ node }) => innerOf(node)));
    for (const one of top) {
      const isDone = context.classes[one.id] !== undefined;
      if (one !== file && !nested.has(one.node) && !isDone) lowerClass(context, one);
    }
    return statements;
  });
  return context.module(body);
}

/** Classes within a class, or within its companion. */
function innerOf(node: TreeNode): TreeNode[] {
  return membersOf(node).flatMap((one) => (one.type === 'companion_object' ? innerOf(one) : [one]));
}

/** Notes the last names of all that is assigned to. */
function noteAssigned(context: Context, root: TreeNode): void {
  eachNode(root, (node) => {
    const isUpdate =
      node.type === 'unary_expression' && /\+\+|--/.test(context.textAt(node, 'operator'));
    if (!isUpdate && node.type !== 'assignment') return;
    const place = part(node, isUpdate ? 'argument' : 'left');
    const text = place === null ? '' : context.nameOf(place);
    context.assigned.add(text.slice(text.lastIndexOf('.') + 1));
  });
}

const LATER_HEAD = /^[ \t]*(?:package|import)[ \t]+[\w.`*]+(?:[ \t]+as[ \t]+\w+)?[ \t]*;?[ \t]*$/gm;
/** A name that the grammar takes for the word before the bounds of types. */
const WHERE = /\bwhere(?=[ \t]*(?:[?!.,)=\]]|:[ \t]*\w))/g;

/**
 * A text without the heads of files that stand behind another: the grammar knows them at the
 * beginning alone, and imports are read from the text. Names are read from the text as well.
 */
export function repaired(text: string): string {
  return text.replace(LATER_HEAD, (line) => ' '.repeat(line.length)).replaceAll(WHERE, 'wherE');
}
