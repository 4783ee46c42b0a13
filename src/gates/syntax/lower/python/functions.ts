import type {
  Annotation,
  Expression,
  FunctionDeclaration,
  FunctionId,
  Parameter,
  Span,
  Statement,
} from '../../il/il.ts';
import { part, parts, type TreeNode } from '../../parse/tree.ts';
import type { Context, Outline } from './context.ts';
import { bindNames, parameterName } from './names.ts';
import { bindTarget, declareNames } from './targets.ts';
import { pathNamed, typeOf } from './types.ts';

/** A function that makes an object. */
export const CONSTRUCTOR = '<init>';

/** How a function is declared, apart from its parameters and body. */
interface Head {
  readonly name: string;
  readonly kind: FunctionDeclaration['kind'];
  readonly owner: Outline | null;
  readonly isStatic: boolean;
  readonly annotations: readonly Annotation[];
  readonly isGenerator: boolean;
}

const CLOSURE: Head = {
  name: '',
  kind: 'closure',
  owner: null,
  isStatic: false,
  annotations: [],
  isGenerator: false,
};

/** The parameters of a function and its body, lowered in a scope of its own. */
interface Lowered {
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
}

function lower(
  context: Context,
  { start, end }: Span,
  head: Head,
  inner: () => Lowered,
): FunctionId {
  const { size } = context;
  context.size = 0;
  const { owner, ...rest } = head;
  const made = { ...rest, start, end, result: null, owner: owner?.id ?? null, isPrivate: false };
  const empty = { parameters: [], body: null, size: 0, variables: [0, 0] } as const;
  const id = context.functions.push({ ...made, ...empty, id: -1 }) - 1;
  const from = context.variables.length;
  const lowered = context.within('function', inner);
  const variables = [from, context.variables.length] as const;
  context.functions[id] = { ...made, ...lowered, id, size: context.size, variables };
  context.size += size;
  return id;
}

/** Lowers a `def`; `owner`: it is a method of that class. */
export function lowerFunction(
  context: Context,
  node: TreeNode,
  decorators: readonly TreeNode[],
  owner: Outline | null,
): FunctionId {
  const name = part(node, 'name');
  const written = name === null ? '' : context.textOf(name);
  const annotations = decorators.map((one) => annotationOf(context, one.children[0] ?? one));
  const isStatic = annotations.some((one) => /^(?:static|class)method$/.test(one.name));
  const isInit = owner !== null && written === '__init__';
  const head: Head = {
    name: isInit ? CONSTRUCTOR : written,
    owner,
    annotations,
    kind: kindOf(context, owner, isInit, annotations),
    isStatic: isStatic || written === '__new__',
    isGenerator: yields(part(node, 'body')),
  };
  const outer = context.owner;
  if (owner !== null) context.owner = owner;
  const id = lower(context, node, head, () => {
    const list = part(node, 'parameters')?.children ?? [];
    const given = owner === null ? list : withoutSelf(context, list, owner, annotations);
    const parameters = parametersOf(context, given);
    const body = part(node, 'body');
    bindNames(context, body?.children ?? []);
    return { parameters, body: context.body(body) };
  });
  context.owner = outer;
  return id;
}

function kindOf(
  context: Context,
  owner: Outline | null,
  isInit: boolean,
  annotations: readonly Annotation[],
): FunctionDeclaration['kind'] {
  if (owner === null) return context.isInFunction() ? 'closure' : 'method';
  if (isInit) return 'constructor';
  const isGetter = annotations.some((one) => /^(?:cached_)?property$/.test(one.name));
  if (isGetter) return 'getter';
  return annotations.some((one) => one.name === 'setter') ? 'setter' : 'method';
}

/** Whether it gives values one after the other; functions within it left out. */
function yields(body: TreeNode | null): boolean {
  const waiting = [...(body?.children ?? [])];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'yield') return true;
    if (!/^(?:function_definition|class_definition|lambda)$/.test(node.type)) {
      waiting.push(...node.children);
    }
  }
  return false;
}

/** The first parameter of a method is the object or its class; a static one has neither. */
function withoutSelf(
  context: Context,
  list: readonly TreeNode[],
  owner: Outline,
  annotations: readonly Annotation[],
): readonly TreeNode[] {
  if (annotations.some(({ name }) => name === 'staticmethod')) return list;
  const [self, ...rest] = list;
  const name = self === undefined ? null : parameterName(self);
  if (name === null) return list;
  const isClass = annotations.some((one) => one.name === 'classmethod');
  const written = context.textOf(name);
  const { names } = context.scope;
  if (isClass || written === 'cls') names.set(written, { kind: 'class', outline: owner });
  else names.set(written, { kind: 'variable', variable: owner.self });
  return rest;
}

function parametersOf(context: Context, list: readonly TreeNode[]): Parameter[] {
  return list.flatMap((node): Parameter[] => {
    const name = parameterName(node);
    if (name === null) return [];
    const written = part(node, 'type');
    const given = part(node, 'value');
    const kind = node.type === 'typed_parameter' ? node.children[0]?.type : node.type;
    const initial = given === null ? null : context.expression(given);
    const text = context.textOf(name);
    return [
      {
        start: name.start,
        end: name.end,
        name: text,
        initial,
        variable: context.declare(text),
        type: typeOf(context, written),
        annotations: metadataOf(context, written, given),
        isRest: kind === 'list_splat_pattern',
        isTable: kind === 'dictionary_splat_pattern',
      },
    ];
  });
}

/** What stands beside a type, or as the default: `Annotated[str, Query()]`, `x = Depends(f)`. */
function metadataOf(context: Context, type: TreeNode | null, given: TreeNode | null): Annotation[] {
  const beside = type === null ? [] : annotatedWith(context, type);
  const calls = [...beside, ...(given === null ? [] : [given])];
  return calls.filter((one) => one.type === 'call').map((one) => annotationOf(context, one));
}

function annotatedWith(context: Context, node: TreeNode): TreeNode[] {
  const text = context.textOf(node);
  if (!/^(?:\w+\.)*Annotated\b/.test(text)) return [];
  const found: TreeNode[] = [];
  const waiting = [node];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at.type === 'call') found.push(at);
    else waiting.push(...at.children);
  }
  return found;
}

/** A decorator, or what stands beside a type. */
export function annotationOf(context: Context, node: TreeNode): Annotation {
  const { start, end } = node;
  const callee = node.type === 'call' ? part(node, 'function') : node;
  const written = callee === null ? '' : context.nameOf(callee);
  const list = node.type === 'call' ? (part(node, 'arguments')?.children ?? []) : [];
  return {
    start,
    end,
    name: written.slice(written.lastIndexOf('.') + 1),
    path: pathNamed(context, written),
    callee: context.expressionOr(callee, node),
    text: context.textOf(node),
    arguments: list
      .filter(({ type }) => /^(?:string|concatenated_string)$/.test(type))
      .map((one) => context.expression(one)),
  };
}

/** `lambda x: body` */
export function lowerLambda(context: Context, node: TreeNode): FunctionId {
  return lower(context, node, CLOSURE, () => {
    const parameters = parametersOf(context, part(node, 'parameters')?.children ?? []);
    const body = part(node, 'body');
    const { start, end } = body ?? node;
    return {
      parameters,
      body: [{ start, end, form: 'return', value: context.expressionOr(body, node) }],
    };
  });
}

/** The test of `all(test for x in list if when)` as a function of `x`. */
export function lowerTest(
  context: Context,
  node: TreeNode,
  clause: TreeNode,
  isAll: boolean,
): FunctionId {
  return lower(context, node, CLOSURE, () => {
    const target = part(clause, 'left');
    const { start, end } = target ?? clause;
    const variable = context.declare('');
    declareNames(context, target);
    const place = context.expressionOr(target, clause);
    const bound = bindTarget(context, place, { start, end, form: 'load', variable });
    let value = context.expressionOr(part(node, 'body'), node);
    for (const one of node.children.filter(({ type }) => type === 'if_clause')) {
      const test = context.expressionOr(one.children[0] ?? null, one);
      const left: Expression = isAll
        ? { ...at(one), form: 'unary', sign: '!', operand: test }
        : test;
      value = { ...at(one), form: 'logic', sign: isAll ? 'or' : 'and', left, right: value };
    }
    const flags = { type: null, annotations: [], isRest: false };
    return {
      parameters: [{ start, end, variable, name: '', ...flags }],
      body: [...bound, { ...at(node), form: 'return', value }],
    };
  });
}

function at({ start, end }: Span): Span {
  return { start, end };
}

/** The decorators of a definition. */
export function decoratorsOf(node: TreeNode): TreeNode[] {
  return node.children.filter(({ type }) => type === 'decorator');
}

/** The definition itself, without its decorators. */
export function definitionOf(node: TreeNode): TreeNode | null {
  return node.type === 'decorated_definition' ? (parts(node, 'definition')[0] ?? null) : node;
}
