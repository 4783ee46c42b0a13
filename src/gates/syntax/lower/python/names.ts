import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import type { Outline } from '../lowering.ts';
import type { Context } from './context.ts';

/** Ways in which a body binds one name. */
interface Bound {
  readonly imports: (string | null)[];
  readonly classes: TreeNode[];
  /** Assignments, definitions, targets of loops and the like. */
  isAssigned: boolean;
}

/** What a body binds, and names of an outer scope. */
interface Bindings {
  readonly bound: Map<string, Bound>;
  readonly outer: Map<string, 'global' | 'nonlocal'>;
}

/** Nodes with names of their own. */
const OWN_SCOPE = /^(?:function_definition|class_definition|lambda)$/;
const COMPREHENSION = /(?:_comprehension|^generator_expression)$/;

/**
 * Binds all names of a body in the scope that holds now, before any of it is lowered: a name that
 * is bound anywhere in a function is the function's own everywhere in it.
 */
export function bindNames(context: Context, nodes: readonly TreeNode[]): void {
  const bindings: Bindings = { bound: new Map(), outer: new Map() };
  const waiting: [node: TreeNode, isInner: boolean][] = nodes.map((node) => [node, false]);
  waiting.reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, isInner] = next;
    read(context, bindings, node, isInner);
    if (OWN_SCOPE.test(node.type)) continue;
    const within = isInner || COMPREHENSION.test(node.type);
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const child = node.children[index];
      if (child !== undefined) waiting.push([child, within]);
    }
  }
  for (const [name, sort] of bindings.outer) {
    bindings.bound.delete(name);
    const found = context.findOuter(name, sort === 'global');
    if (found !== null) context.scope.names.set(name, found);
    else {
      const variable = context.temporary(name);
      const { names } = sort === 'global' ? context.moduleScope() : context.scope;
      names.set(name, { kind: 'variable', variable });
      context.scope.names.set(name, { kind: 'variable', variable });
    }
  }
  for (const [name, bound] of bindings.bound) {
    // A parameter is bound already.
    const known = context.scope.names.get(name);
    if (known !== undefined && known.kind !== 'import') continue;
    bindOne(context, name, bound);
  }
}

function bindOne(context: Context, name: string, { imports, classes, isAssigned }: Bound): void {
  const { names } = context.scope;
  const [node] = classes;
  if (!isAssigned && imports.length === 0 && node !== undefined) {
    const [outline] = classes.map((one) => outlineClass(context, one, name));
    if (outline !== undefined) names.set(name, { kind: 'class', outline });
    return;
  }
  for (const one of classes) outlineClass(context, one, name);
  if (!isAssigned && classes.length === 0) {
    names.set(name, { kind: 'import', path: imports[0] ?? null });
  } else context.declare(name);
}

/** A class by its name, before its body is lowered. */
export function outlineClass(context: Context, node: TreeNode, name: string): Outline {
  const known = context.outlines.find((outline) => outline.node === node);
  return known ?? context.addOutline({ name, node }, 'self');
}

function read(context: Context, bindings: Bindings, node: TreeNode, isInner: boolean): void {
  const { bound, outer } = bindings;
  const of = (name: string): Bound => {
    const known = bound.get(name) ?? { imports: [], classes: [], isAssigned: false };
    bound.set(name, known);
    return known;
  };
  const assign = (target: TreeNode | null) => {
    for (const name of namesIn(target)) of(context.textOf(name)).isAssigned = true;
  };
  switch (node.type) {
    case 'named_expression':
      assign(part(node, 'name'));
      return;
    case 'import_statement':
    case 'import_from_statement':
    case 'future_import_statement':
      for (const { name, path } of importsOf(context, node)) of(name).imports.push(path);
      return;
    default:
      if (isInner) return;
  }
  switch (node.type) {
    case 'assignment':
    case 'augmented_assignment':
    case 'for_statement':
    case 'type_alias_statement':
      assign(part(node, 'left'));
      return;
    case 'function_definition':
      assign(part(node, 'name'));
      return;
    case 'class_definition': {
      const name = part(node, 'name');
      if (name !== null) of(context.textOf(name)).classes.push(node);
      return;
    }
    case 'as_pattern':
      assign(part(node, 'alias'));
      // Behind the last name of a case no field stands.
      if (node.children.length > 1) assign(last(node));
      return;
    case 'except_clause':
      assign(part(node, 'alias'));
      return;
    case 'case_pattern':
    case 'splat_pattern':
    case 'keyword_pattern':
      for (const name of capturesOf(node)) of(context.textOf(name)).isAssigned = true;
      return;
    case 'delete_statement':
      for (const child of node.children) assign(child);
      return;
    case 'parameters':
      // In a part of a file the head of a function may be cut.
      for (const child of node.children) assign(parameterName(child));
      return;
    case 'global_statement':
    case 'nonlocal_statement': {
      const sort = node.type === 'global_statement' ? 'global' : 'nonlocal';
      for (const child of node.children) outer.set(context.textOf(child), sort);
      return;
    }
  }
}

function last(node: TreeNode): TreeNode | null {
  const child = node.children.at(-1) ?? null;
  return child?.type === 'identifier' ? child : null;
}

const TARGETS =
  /^(?:pattern_list|tuple_pattern|list_pattern|list_splat_pattern|list_splat|as_pattern_target|expression_list|tuple|list|parenthesized_expression)$/;

/** Names that a target binds. */
function namesIn(target: TreeNode | null): TreeNode[] {
  if (target === null) return [];
  if (target.type === 'identifier') return [target];
  return TARGETS.test(target.type) ? target.children.flatMap(namesIn) : [];
}

/** Names that the pattern of a case binds; not the names of patterns within it. */
export function capturesOf(node: TreeNode): readonly TreeNode[] {
  if (node.type === 'splat_pattern') return node.children;
  if (node.type === 'keyword_pattern') {
    const value = node.children.at(-1);
    return value?.type === 'dotted_name' && value.children.length === 1 ? value.children : [];
  }
  const [inner] = node.children;
  return inner?.type === 'dotted_name' && inner.children.length === 1 ? inner.children : [];
}

/** The name of a parameter; null when absent. */
export function parameterName(node: TreeNode): TreeNode | null {
  if (node.type === 'identifier') return node;
  const named = part(node, 'name');
  if (named !== null) return parameterName(named);
  const [first] = node.children;
  return first === undefined || first.field === 'type' ? null : parameterName(first);
}

/** A name that an import binds. */
interface Imported {
  readonly name: string;
  /** Null: of the program's own modules nothing is known. */
  readonly path: string | null;
}

/** `import a.b as c`, `from a.b import c as d`, `from . import e`. */
function importsOf(context: Context, node: TreeNode): Imported[] {
  const module = part(node, 'module_name');
  const from = module === null ? '' : context.nameOf(module);
  // `from . import a` is `.a`, `from .a import b` is `.a.b`.
  const base = /^$|\.$/.test(from) ? from : `${from}.`;
  if (typed(node, 'wildcard_import') !== null) context.stars.push(from);
  return parts(node, 'name').map((imported) => {
    const path = context.nameOf(part(imported, 'name') ?? imported);
    const alias = part(imported, 'alias');
    const name = alias === null ? path : context.textOf(alias);
    if (module !== null) return { name, path: base + path };
    if (alias !== null) return { name, path };
    const [root = path] = path.split('.', 1);
    return { name: root, path: root };
  });
}

/** The import that a statement makes of a name that something else binds as well. */
export function importedPaths(context: Context, node: TreeNode): readonly Imported[] {
  const { length } = context.stars;
  const found = importsOf(context, node);
  // The star was noted when names were bound.
  context.stars.length = length;
  return found;
}
