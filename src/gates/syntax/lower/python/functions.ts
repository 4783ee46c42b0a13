import type {
  Annotation,
  Expression,
  FunctionDeclaration,
  FunctionId,
  Parameter,
} from '../../il/il.ts';
import { part, parts, type TreeNode } from '../../parse/tree.ts';
import { load, logic, parameterWith, spanOf, unary } from '../forms.ts';
import type { Outline } from '../lowering.ts';
import type { Context } from './context.ts';
import { bindNames, parameterName } from './names.ts';
import { bindTarget, declareNames } from './targets.ts';
import { pathNamed, typeOf } from './types.ts';

/** A function that makes an object. */
export const CONSTRUCTOR = '<init>';

/** Lowers a `def`; `owner`: it is a method of that class. */
export function lowerFunction(
  context: Context,
  node: TreeNode,
  decorators: readonly TreeNode[],
  owner: Outline | null,
): FunctionId {
  const written = context.textAt(node, 'name');
  const annotations = decorators.map((one) => annotationOf(context, one.children[0] ?? one));
  const isStatic = annotations.some((one) => /^(?:static|class)method$/.test(one.name));
  const isInit = owner !== null && written === '__init__';
  const body = part(node, 'body');
  const head = {
    ...spanOf(node),
    name: isInit ? CONSTRUCTOR : written,
    owner: owner?.id ?? null,
    annotations,
    kind: kindOf(context, owner, isInit, annotations),
    isStatic: isStatic || written === '__new__',
    isGenerator: yields(body),
  };
  const outer = context.owner;
  if (owner !== null) context.owner = owner;
  const id = context.addFunction(head, () =>
    context.within('function', () => {
      const list = part(node, 'parameters')?.children ?? [];
      const given =
        owner === null
          ? withoutTask(context, list, annotations)
          : withoutSelf(context, list, owner, annotations);
      const parameters = parametersOf(context, given);
      bindNames(context, body?.children ?? []);
      return { parameters, body: context.body(body) };
    }),
  );
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

const INNER = new Set(['function_definition', 'class_definition', 'lambda']);

/** Whether it gives values one after the other; functions within it left out. */
function yields(body: TreeNode | null): boolean {
  const waiting = [...(body?.children ?? [])];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'yield') return true;
    if (!INNER.has(node.type)) waiting.push(...node.children);
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

/** A task of Celery that is bound gets itself first, which no caller gives. */
function withoutTask(
  context: Context,
  list: readonly TreeNode[],
  annotations: readonly Annotation[],
): readonly TreeNode[] {
  if (!annotations.some(({ text }) => /\bbind\s*=\s*True\b/.test(text))) return list;
  const [task, ...rest] = list;
  const name = task === undefined ? null : parameterName(task);
  if (name !== null) context.declare(context.textOf(name));
  return rest;
}

function parametersOf(context: Context, list: readonly TreeNode[]): Parameter[] {
  return list.flatMap((node) => {
    const name = parameterName(node);
    if (name === null) return [];
    const written = part(node, 'type');
    const kind = node.type === 'typed_parameter' ? node.children[0]?.type : node.type;
    const initial = context.optionalAt(node, 'value');
    const text = context.textOf(name);
    return parameterWith(name, text, context.declare(text), {
      initial,
      type: typeOf(context, written),
      annotations: metadataOf(context, written, part(node, 'value')),
      isRest: kind === 'list_splat_pattern',
      isTable: kind === 'dictionary_splat_pattern',
    });
  });
}

/** What stands beside a type, or as the default: `Annotated[str, Query()]`, `x = Depends(f)`. */
export function metadataOf(
  context: Context,
  type: TreeNode | null,
  given: TreeNode | null,
): Annotation[] {
  const beside = type === null ? [] : annotatedWith(context, type);
  const calls = [...beside, ...(given === null ? [] : [given])];
  return calls
    .filter((one) => one.type === 'call')
    .flatMap((one) => {
      const all = part(one, 'arguments')?.children ?? [];
      const plain = all.filter(({ type }) => type !== 'keyword_argument');
      const own = { ...annotationOf(context, one), arguments: context.expressionsOf(plain) };
      const patterns = all.filter((item) => PATTERN.test(context.textOf(item)));
      return [own, ...patterns.map((item) => patternOf(context, item, own))];
    });
}

/** `pattern=r'^[a-z]+$'` of pydantic. */
const PATTERN = /^(?:pattern|regex)\s{0,9}=/;

/** An annotation of its own for the pattern that a value has. */
function patternOf(context: Context, node: TreeNode, beside: Annotation): Annotation {
  const value = context.expressionAt(node, 'value');
  return { ...beside, name: 'pattern', path: null, arguments: [value] };
}

function annotatedWith(context: Context, node: TreeNode): TreeNode[] {
  const text = context.textOf(node);
  if (!/^(?:\w+\.)*(?:Annotated|constr)\b/.test(text)) return [];
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
  const callee = node.type === 'call' ? part(node, 'function') : node;
  const written = callee === null ? '' : context.nameOf(callee);
  const list = node.type === 'call' ? (part(node, 'arguments')?.children ?? []) : [];
  const texts = list.filter(({ type }) => /^(?:string|concatenated_string)$/.test(type));
  return {
    ...spanOf(node),
    name: written.slice(written.lastIndexOf('.') + 1),
    path: pathNamed(context, written),
    callee: context.expressionOr(callee, node),
    text: context.textOf(node),
    arguments: context.expressionsOf(texts),
  };
}

const CLOSURE = { name: '', kind: 'closure', owner: null } as const;

/** `lambda x: body` */
export function lowerLambda(context: Context, node: TreeNode): FunctionId {
  return context.addFunction({ ...spanOf(node), ...CLOSURE }, () =>
    context.within('function', () => {
      const parameters = parametersOf(context, part(node, 'parameters')?.children ?? []);
      const value = context.expressionAt(node, 'body');
      return { parameters, body: [{ ...spanOf(value), form: 'return', value }] };
    }),
  );
}

/** The test of `all(test for x in list if when)` as a function of `x`. */
export function lowerTest(
  context: Context,
  node: TreeNode,
  clause: TreeNode,
  isAll: boolean,
): FunctionId {
  return context.addFunction({ ...spanOf(node), ...CLOSURE }, () =>
    context.within('function', () => {
      const target = part(clause, 'left');
      const variable = context.declare('');
      declareNames(context, target);
      const place = context.expressionOr(target, clause);
      const bound = bindTarget(context, place, load(target ?? clause, variable));
      let value = context.expressionAt(node, 'body');
      for (const one of node.children.filter(({ type }) => type === 'if_clause')) {
        const test = context.firstOf(one);
        const left: Expression = isAll ? unary(one, '!', test) : test;
        value = logic(one, isAll ? 'or' : 'and', left, value);
      }
      return {
        parameters: [parameterWith(target ?? clause, '', variable)],
        body: [...bound, { ...spanOf(node), form: 'return', value }],
      };
    }),
  );
}

/** The decorators of a definition. */
export function decoratorsOf(node: TreeNode): TreeNode[] {
  return node.children.filter(({ type }) => type === 'decorator');
}

/** The definition itself, without its decorators. */
export function definitionOf(node: TreeNode): TreeNode | null {
  return node.type === 'decorated_definition' ? (parts(node, 'definition')[0] ?? null) : node;
}
