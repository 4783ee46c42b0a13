import type { Expression, FunctionId, Parameter, Statement, Type } from '../../il/il.ts';
import { part, parts, type TreeNode } from '../../parse/tree.ts';
import { declaration, parameterWith, plainType, spanOf } from '../forms.ts';
import { eachNode } from '../lowering.ts';
import { type Context, type Frame, type Outline, PACKAGE } from './context.ts';
import { typeOf, zeroOf } from './types.ts';

/** Declares types by their names, those within functions as well, before anything is lowered. */
export function declareTypes(context: Context, root: TreeNode): void {
  eachNode(root, (node) => {
    if (node.type !== 'type_spec' && node.type !== 'type_alias') return;
    const name = context.textAt(node, 'name');
    const type = part(node, 'type');
    if (name === '' || type === null) return;
    if (node.type === 'type_alias') context.aliases.set(name, type);
    else if (context.outlineNamed(name) === null) context.addType(name, type, kindOf(type));
  });
}

function kindOf({ type }: TreeNode): Outline['kind'] {
  if (type === 'interface_type') return 'interface';
  return type === 'struct_type' ? 'class' : 'named';
}

/** Notes functions, methods and variables of the package, before anything is lowered. */
export function declareMembers(context: Context, root: TreeNode): void {
  for (const node of root.children) {
    const name = context.textAt(node, 'name');
    if (name === '') continue;
    if (node.type === 'function_declaration') {
      context.free.add(name);
      context.outlines[PACKAGE]?.methods.set(name, node);
    } else if (node.type === 'method_declaration') {
      ownerOf(context, node).methods.set(name, node);
    }
  }
  for (const { node, methods, kind } of context.outlines) {
    if (kind !== 'interface') continue;
    for (const element of node.children) {
      const name = element.type === 'method_elem' ? part(element, 'name') : null;
      if (name !== null) methods.set(context.textOf(name), element);
    }
  }
}

/** The type that a method belongs to: it may be declared in another file of the package. */
function ownerOf(context: Context, node: TreeNode): Outline {
  const type = part(part(node, 'receiver')?.children[0] ?? null, 'type');
  const own = type === null ? null : typeOf(context, type)?.own;
  const known = own == null ? undefined : context.outlines[own];
  if (known !== undefined) return known;
  const name = type === null ? '' : context.textOf(type).replace(/^[(*\s]+|\[.*$/gs, '');
  return context.addType(name, { ...node, type: 'struct_type', children: [] }, 'class');
}

interface ParameterNode {
  readonly name: TreeNode | null;
  readonly type: TreeNode | null;
  readonly isRest: boolean;
}

/** Each name of a list of parameters or results; several may share a type. */
function parameterNodes(list: TreeNode | null): ParameterNode[] {
  return (list?.children ?? []).flatMap((declaration) => {
    const type = part(declaration, 'type');
    const isRest = declaration.type === 'variadic_parameter_declaration';
    const names = parts(declaration, 'name').filter((one) => one.type === 'identifier');
    const all: (TreeNode | null)[] = names.length === 0 ? [null] : names;
    return all.map((name) => ({ name, type, isRest }));
  });
}

function parametersOf(context: Context, node: TreeNode): Parameter[] {
  const list = part(node, 'parameters');
  return parameterNodes(list).map(({ name: written, type, isRest }) => {
    const name = written === null ? '' : context.textOf(written);
    const variable = context.declare(name);
    const own = typeOf(context, type);
    return parameterWith(written ?? type ?? node, name, variable, { type: own, isRest });
  });
}

/** Lowers a function, a method with its receiver, a method of an interface, or a literal. */
export function lowerFunction(context: Context, node: TreeNode, owner: Outline | null): FunctionId {
  const { frame, generics, iota } = context;
  context.generics = new Map([...generics, ...genericsOf(context, node)]);
  const head = {
    ...spanOf(node),
    name: context.textAt(node, 'name'),
    kind: node.type === 'func_literal' ? 'closure' : 'method',
    result: resultType(context, node),
    owner: owner?.id ?? null,
    isStatic: owner?.id === PACKAGE,
  } as const;
  const id = context.addFunction(head, () =>
    context.within(() => {
      bindReceiver(context, node, owner);
      const parameters = parametersOf(context, node);
      const code = part(node, 'body');
      if (code === null) return { parameters, body: null };
      const heads = resultVariables(context, part(node, 'result'));
      context.frame = { ...heads.frame, later: [], breaks: null };
      const body = [...heads.body, ...context.body(code)];
      // What is put off until the end, and what runs beside the function, sees all that it does.
      return { parameters, body: [...body, ...context.frame.later] };
    }),
  );
  context.frame = frame;
  context.generics = generics;
  context.iota = iota;
  return id;
}

/** Type parameters, of a function or of the type that a method belongs to. */
function genericsOf(context: Context, node: TreeNode): (readonly [string, Type])[] {
  const list = part(node, 'type_parameters')?.children ?? [];
  const own = list.flatMap((one) => {
    const type = constraintOf(context, part(one, 'type'));
    return parts(one, 'name').map((name) => [context.textOf(name), type] as const);
  });
  const receiver = part(node, 'receiver');
  const text =
    receiver === null ? '' : (/\[([\w\s,]*)\]/.exec(context.textOf(receiver))?.[1] ?? '');
  const names = text.split(/[\s,]+/).filter(Boolean);
  return [...own, ...names.map((name) => [name, plainType('any')] as const)];
}

const NUMBERS = /^(?:interface\b|[\s~|{}]|(?:u?int\d*|float\d+)\b)+$/;

/** What values of a type parameter are: numbers, if its constraint names nothing else. */
function constraintOf(context: Context, node: TreeNode | null): Type {
  const text = node === null ? '' : context.textOf(node);
  const own = context.outlineNamed(text)?.node;
  const written = own === undefined ? text : context.textOf(own);
  return plainType(NUMBERS.test(written) && /\d|int/.test(written) ? 'int' : 'any');
}

function bindReceiver(context: Context, node: TreeNode, owner: Outline | null): void {
  const name = part(part(node, 'receiver')?.children[0] ?? null, 'name');
  if (name === null || owner === null) return;
  const text = context.textOf(name);
  context.scope.names.set(text, owner.self);
  context.variables[owner.self] ||= text;
}

/** Results that have names are variables of the function. */
function resultVariables(
  context: Context,
  result: TreeNode | null,
): { readonly frame: Omit<Frame, 'later' | 'breaks'>; readonly body: Statement[] } {
  const list = result?.type === 'parameter_list' ? parameterNodes(result) : [];
  const isList = result?.type === 'parameter_list';
  const last = isList ? list.at(-1)?.type : result;
  const resultCount = isList ? list.length : 1;
  const givesError = last != null && context.textOf(last) === 'error';
  const body: Statement[] = [];
  const results = list.flatMap(({ name, type }) => {
    if (name === null) return [];
    const own = typeOf(context, type);
    const variable = context.declare(context.textOf(name));
    body.push(declaration(name, variable, zeroOf(context, type, own), own));
    return [variable];
  });
  return { frame: { results, givesError, resultCount }, body };
}

/** The type of the only or first result. */
function resultType(context: Context, node: TreeNode): Type | null {
  const result = part(node, 'result');
  const type = result?.type === 'parameter_list' ? parameterNodes(result)[0]?.type : result;
  return typeOf(context, type ?? null);
}

/** Variables or constants, of a function or of the package. */
export interface Spec {
  readonly name: TreeNode;
  readonly type: TreeNode | null;
  readonly value: Expression | null;
}

/** Names with their types and values; a list of constants repeats the expression before. */
export function specsOf(context: Context, node: TreeNode): Spec[] {
  const nodes = node.children.flatMap((child) =>
    child.type === 'var_spec_list' ? child.children : [child],
  );
  let before: readonly TreeNode[] = [];
  return nodes.flatMap((spec, index) => {
    const names = parts(spec, 'name').filter(({ type }) => type === 'identifier');
    const type = part(spec, 'type');
    const given = part(spec, 'value')?.children;
    if (spec.type === 'const_spec') before = given ?? before;
    const values = spec.type === 'const_spec' ? before : (given ?? []);
    context.iota = index;
    const [only] = values;
    if (only !== undefined && values.length === 1 && names.length > 1) {
      const of = context.expression(only);
      return names.map((name, place): Spec => {
        const own = { of, index: place, count: names.length, tells: null };
        return { name, type, value: { ...spanOf(name), form: 'result', ...own } };
      });
    }
    return names.map((name, place): Spec => {
      const value = values[place];
      const own = value === undefined ? zeroOf(context, type, typeOf(context, type)) : null;
      return { name, type, value: value === undefined ? own : context.expression(value) };
    });
  });
}
