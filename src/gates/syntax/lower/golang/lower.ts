import type { Expression, Field, Module, Offer } from '../../il/il.ts';
import { part, parts, type TreeNode } from '../../parse/tree.ts';
import { fieldWith } from '../forms.ts';
import { eachNode } from '../lowering.ts';
import { Context, PACKAGE, type UsualPackage } from './context.ts';
import { declareMembers, declareTypes, lowerFunction, specsOf } from './declarations.ts';
import { lowerExpression } from './expressions.ts';
import { lowerStatement } from './statements.ts';
import { classOf, readImports, typeOf } from './types.ts';

class GolangLowering extends Context {
  protected override lowerExpression(node: TreeNode) {
    return lowerExpression(this, node);
  }

  protected override lowerStatement(node: TreeNode, label: string | null) {
    return lowerStatement(this, node, label);
  }
}

/** Lowers a file of Go or a part of one. The tree nests as deep as its reader allows. */
export function lowerGolang(root: TreeNode, text: string, usualPackage: UsualPackage): Module {
  const context = new GolangLowering(text, usualPackage);
  context.addType('', { ...root, type: 'struct_type', children: [] }, 'class');
  for (const node of root.children) {
    if (node.type === 'package_clause') context.isComplete = true;
    if (node.type === 'import_declaration') readImports(context, node);
  }
  declareTypes(context, root);
  declareMembers(context, root);
  noteAssigned(context, root);
  const nodes = root.children.filter(({ type }) => /^(?:var|const)_declaration$/.test(type));
  for (const node of nodes) noteGlobals(context, node);
  const globals = nodes.flatMap((node) => fieldsOf(context, node));
  const functions = lowerFunctions(context);
  const body = root.children
    .filter((node) => !nodes.includes(node) && !isDeclaration(node))
    .flatMap((node) => context.statement(node));
  const last = [...context.frame.later];
  // Types of literals are added while types are lowered.
  for (const outline of context.outlines) {
    const own = classOf(context, outline, functions.get(outline.id) ?? []);
    const isPackage = outline.id === PACKAGE;
    context.classes.push(isPackage ? { ...own, bases: [], fields: globals } : own);
  }
  return { ...context.module([...body, ...last]), offer: offerOf(context) };
}

/** Other packages get types, functions and variables, where the name has a capital. */
function offerOf(context: Context): Offer {
  const nowhere = { start: 0, end: 0 };
  const whole: Expression = { ...nowhere, form: 'class', id: PACKAGE };
  const names = new Map<string, Expression>();
  for (const name of [...context.free, ...context.globals]) {
    names.set(name, { ...nowhere, form: 'member', object: whole, name });
  }
  for (const { id, name } of context.outlines) {
    if (/^[A-Z]/.test(name)) names.set(name, { ...nowhere, form: 'class', id });
  }
  return { names, stars: [], whole };
}

function isDeclaration({ type }: TreeNode): boolean {
  return /^(?:function|method|type|import)_declaration$|^package_clause$/.test(type);
}

/** Lowers functions and methods; gives their numbers by the types that they belong to. */
function lowerFunctions(context: Context): ReadonlyMap<number, number[]> {
  const numbers = new Map<number, number[]>();
  // Literals of functions may add types without names, which have no methods.
  for (const outline of [...context.outlines]) {
    const own = [...outline.methods.values()].map((node) => lowerFunction(context, node, outline));
    numbers.set(outline.id, own);
  }
  return numbers;
}

function noteGlobals(context: Context, node: TreeNode): void {
  for (const child of node.children) {
    if (child.type === 'var_spec_list') noteGlobals(context, child);
    for (const name of parts(child, 'name')) {
      if (name.type === 'identifier') context.globals.add(context.textOf(name));
    }
  }
}

/** Variables and constants of the package. */
function fieldsOf(context: Context, node: TreeNode): Field[] {
  const isConstant = node.type === 'const_declaration';
  return specsOf(context, node).map(({ name: written, type, value }) => {
    const name = context.textOf(written);
    const isFixed = value !== null && (isConstant || !context.assigned.has(name));
    const own = typeOf(context, type);
    return fieldWith(written, name, { type: own, initial: value, isStatic: true, isFixed });
  });
}

/** Notes names that are assigned to, and names whose address is taken. */
function noteAssigned(context: Context, root: TreeNode): void {
  eachNode(root, (node) => {
    const isChange = /^(?:assignment|inc|dec)_statement$/.test(node.type);
    const targets = isChange ? (part(node, 'left') ?? node).children : [];
    const operand = node.type === 'unary_expression' ? part(node, 'operand') : null;
    const isAddress = operand !== null && context.textOf(node).startsWith('&');
    for (const one of isAddress ? [operand] : targets) context.assigned.add(context.textOf(one));
  });
}
