import type { Argument, Entry, Expression, Span } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import { holderOf, type Outline } from '../classes.ts';
import {
  apply,
  argument,
  call,
  cast,
  constant,
  listOf,
  load,
  make,
  member,
  spanOf,
} from '../forms.ts';
import { argumentsOf, type CallParts, callParts } from './arguments.ts';
import type { Context } from './context.ts';
import { CONSTRUCTOR } from './declarations.ts';
import { inlined, isScope, lowerLambda } from './lambdas.ts';
import { namedType, typeOf } from './types.ts';

/** Functions of Kotlin that every file sees; others are called on the receiver around. */
const GLOBAL =
  /^(?:print(?:ln)?|readln(?:OrNull)?|readLine|(?:empty|mutable|array|hash|linked|sorted|linkedHash|build|sequence|\w+Array)?(?:[lL]ist|[sS]et|[mM]ap|[aA]rray|[sS]equence)(?:Of(?:NotNull|Nulls)?)?|require(?:NotNull)?|check(?:NotNull)?|error|TODO|lazy\w*|runCatching|runBlocking|launch|async|delay|coroutineScope|withContext|measure\w+|repeat|synchronized|maxOf|minOf|exitProcess|assert\w*|buildString|thread|flow\w*|emptyFlow)$/;
const LIST =
  /^(?:mutable|array|hash|linked|sorted|linkedHash)?(?:[lL]ist|[sS]et|[aA]rray|[sS]equence)Of(?:NotNull)?$|^[a-z]+ArrayOf$|^empty(?:List|Set|Array|Sequence)$|^flowOf$/;
const MAP = /^(?:mutable|hash|linked|sorted|linkedHash|empty)?[mM]ap(?:Of)?$|^emptyMap$/;
/** Calls that give their argument back. */
const SAME = /^(?:requireNotNull|checkNotNull)$/;

/** Lowers a call. */
export function callOf(context: Context, node: TreeNode): Expression {
  const own = callParts(node);
  const { target, list } = own;
  if (target.type === 'identifier') return namedCall(context, node, own);
  const [object, at] = target.children;
  const isMember = target.type === 'navigation_expression' && !isReference(context, target);
  if (isMember && object !== undefined && at !== undefined) {
    return methodCall(context, node, own, object, at);
  }
  if (target.type === 'super_expression' || target.type === 'this_expression') {
    const isBase = target.type === 'super_expression';
    const all = argumentsOf(context, list);
    return call(node, context.self(node), CONSTRUCTOR, all, { isBase, at: target });
  }
  return apply(node, context.expression(target), '', all(context, own), target);
}

/** `Foo::bar`: a function as a value. */
export function isReference(context: Context, node: TreeNode): boolean {
  const [object, at] = node.children;
  return context.text.slice(object?.end ?? node.start, at?.start ?? node.end).includes('::');
}

/** The arguments of a call, the lambda behind it as the last one. */
function all(context: Context, { target, list, lambda }: CallParts): Argument[] {
  const given = argumentsOf(context, list);
  if (lambda === null) return given;
  const at = target.type === 'navigation_expression' ? target.children[1] : target;
  const name = at === undefined ? '' : context.nameOf(at);
  return [...given, argument(lowerLambda(context, lambda, name))];
}

function namedCall(context: Context, node: TreeNode, own: CallParts): Expression {
  const { target: at } = own;
  const name = context.nameOf(at);
  const found = context.find(name);
  const method = context.ownerOfMethod(name);
  if (found?.kind === 'variable' || (found !== null && method === null)) {
    return apply(node, context.expression(at), name, all(context, own), at);
  }
  if (method === null) {
    const outline = context.outlineNamed(name);
    if (outline !== null) return madeOf(context, node, name, own);
    const special = knownCall(context, node, name, own);
    if (special !== null) return special;
  }
  const imported = context.imports.get(name) ?? null;
  if (method === null && /^[A-Z]/.test(name)) return madeOf(context, node, name, own);
  const receiver = context.implicit(node);
  const given = all(context, own);
  if (method !== null) {
    const isExtension = context.extensions.get(name) === method.owner && receiver !== null;
    const list = isExtension ? [argument(receiver), ...given] : given;
    return call(node, holderOf(node, method), name, list, { at });
  }
  if (imported === null && receiver !== null && !GLOBAL.test(name)) {
    return call(node, receiver, name, given, { at });
  }
  if (imported === null && !context.isHidden() && context.hasForeignBase() && !GLOBAL.test(name)) {
    return call(node, context.self(node), name, given, { at });
  }
  // What a lambda is called on that Exposed runs.
  const isExposed = context.frames.some((one) => /ransaction$/.test(one.name));
  const known = name === 'exec' && isExposed ? 'org.jetbrains.exposed.sql.Transaction.exec' : null;
  return call(node, null, name, given, { path: imported ?? known ?? `.${name}`, at });
}

/** An object that a call of a class makes. */
function madeOf(context: Context, node: TreeNode, name: string, own: CallParts): Expression {
  const inner = (own.types?.children ?? []).flatMap((one) => typeOf(context, one) ?? []);
  const type = { ...namedType(context, name), arguments: inner };
  if (name === 'Pair' || name === 'Triple') return pairOf(node, valuesOf(context, own));
  return make(node, type, all(context, own), own.target);
}

function valuesOf(context: Context, { list }: CallParts): Expression[] {
  return argumentsOf(context, list).map(({ value }) => value);
}

const PLACES = ['first', 'second', 'third'];

/** A pair, or three values, with the names of its parts. */
export function pairOf(span: Span, values: readonly Expression[]): Expression {
  const entries = values.map((value, index): Entry => {
    const key = constant(value, PLACES[index] ?? String(index));
    return { ...spanOf(value), key, value, accessor: null };
  });
  return { ...spanOf(span), form: 'object', entries };
}

const REGEX = 'kotlin.text.Regex';

/** What functions do that every file sees; null: it is another one. */
function knownCall(
  context: Context,
  node: TreeNode,
  name: string,
  own: CallParts,
): Expression | null {
  const { list, lambda } = own;
  const imported = context.imports.get(name);
  if (imported !== undefined && !/^(?:kotlin|org\.jetbrains)/.test(imported)) return null;
  const nodes = list?.children ?? [];
  if (LIST.test(name) && lambda === null) {
    const items = argumentsOf(context, list).map(({ value, isSpread }): Expression => {
      return isSpread ? { ...spanOf(value), form: 'spread', value } : value;
    });
    return listOf(node, items);
  }
  if (MAP.test(name) && lambda === null) {
    const pairs = nodes.map(pairIn);
    if (pairs.some((one) => one === null) || nodes.some((one) => !isTo(context, one))) return null;
    const entries = pairs.flatMap((one): Entry[] => {
      const [key, , value] = one ?? [];
      if (key === undefined || value === undefined) return [];
      const lowered = context.expression(key);
      return [{ ...spanOf(key), key: lowered, value: context.expression(value), accessor: null }];
    });
    return { ...spanOf(node), form: 'object', entries };
  }
  if (name === 'Regex' && lambda === null) {
    return call(node, null, name, argumentsOf(context, list), { path: REGEX, at: own.target });
  }
  if (SAME.test(name)) return context.expressionOr(nodes[0]?.children.at(-1), node);
  if (lambda === null) return null;
  if (name === 'with' && nodes.length === 1) {
    const value = context.expressionOr(nodes[0]?.children.at(-1), node);
    return inlined(context, node, own, { name, self: value });
  }
  if (name === 'run' && context.implicit(node) !== null) {
    return inlined(context, node, own, { name });
  }
  if (name === 'buildString') {
    const builder = namedType(context, 'StringBuilder');
    const self = make(node, builder, argumentsOf(context, list), own.target);
    return inlined(context, node, own, { name, self, give: 'text' });
  }
  return isScope(name) ? inlined(context, node, own, { name, before: nodes }) : null;
}

/** `key to value` in an argument; null: something else. */
function pairIn({ children }: TreeNode): readonly TreeNode[] | null {
  const [one] = children;
  const isPair = children.length === 1 && one?.type === 'infix_expression';
  return isPair ? one.children : null;
}

function isTo(context: Context, node: TreeNode): boolean {
  const word = node.children[0]?.children[1];
  return word !== undefined && context.textOf(word) === 'to';
}

/** Whether names lead to a class: `java.io.File`, `Request.Builder`. */
export function isClassPath(context: Context, node: TreeNode): boolean {
  const path = context.nameOf(node);
  if (!/^(?:[a-z]\w*\.)*[A-Z]\w*(?:\.[A-Z]\w*)*$/.test(path)) return false;
  const [root = ''] = path.split('.', 1);
  return context.find(root) === null;
}

function methodCall(
  context: Context,
  node: TreeNode,
  own: CallParts,
  object: TreeNode,
  at: TreeNode,
): Expression {
  const name = context.nameOf(at);
  // A class with its package, or within another class.
  if (/^[A-Z][a-z]/.test(name) && isClassPath(context, own.target)) {
    const path = context.nameOf(own.target);
    return madeOf(context, node, path, own);
  }
  if (name === 'toRegex') {
    const given = [argument(context.expression(object)), ...all(context, own)];
    return call(node, null, 'Regex', given, { path: REGEX, at });
  }
  const isBase = object.type === 'super_expression';
  const outline = context.extensions.get(name);
  const isOwn = [...context.outlines].some((one) => one !== outline && one.methods.has(name));
  if (!isOwn && outline === undefined) {
    const scoped = scopedCall(context, node, own, object, name);
    if (scoped !== null) return scoped;
  }
  const receiver = context.expression(object);
  const given = all(context, own);
  if (outline !== undefined && receiver.form !== 'class') {
    const extended = extensionCall(context, node, outline, name, receiver, given);
    if (!isOwn) return extended;
    // A method of that name comes first where the object has it.
    const plain = call(node, receiver, name, given, { at });
    const test: Expression = {
      ...spanOf(node),
      form: 'is',
      type: null,
      value: receiver,
      bind: null,
    };
    return { ...spanOf(node), form: 'choose', test, yes: extended, no: plain };
  }
  const value = call(node, receiver, name, given, { isBase, at });
  const [type = null] = (own.types?.children ?? []).map((one) => typeOf(context, one));
  const isTyped = type !== null && /^(?:receive|body|bodyTo\w+|getBean|readValue)$/.test(name);
  return isTyped ? cast(node, type, value) : value;
}

/** A call of an extension that the file declares. */
export function extensionCall(
  context: Context,
  span: Span,
  outline: Outline,
  name: string,
  receiver: Expression,
  given: readonly Argument[],
): Expression {
  const isStatic = outline.methods.get(name) === true;
  const owners = [...context.owners()];
  const owner = owners.find((one) => one.id === outline.id) ?? outline;
  const holder = holderOf(span, { owner, isStatic: isStatic || !owners.includes(owner) });
  return call(span, holder, name, [argument(receiver), ...given]);
}

/** `x.let { }` and others, whose lambda runs at once; null: another method. */
function scopedCall(
  context: Context,
  node: TreeNode,
  own: CallParts,
  object: TreeNode,
  name: string,
): Expression | null {
  if (own.lambda === null || own.list !== null) return null;
  switch (name) {
    case 'let':
    case 'use':
      return inlined(context, node, own, { name, it: context.expression(object) });
    case 'also':
      return inlined(context, node, own, { name, it: context.expression(object), give: 'same' });
    case 'takeIf':
    case 'takeUnless':
      return inlined(context, node, own, { name, it: context.expression(object), give: name });
    case 'run':
      return inlined(context, node, own, { name, self: context.expression(object) });
    case 'apply':
      return inlined(context, node, own, { name, self: context.expression(object), give: 'same' });
    case 'forEach':
    case 'onEach':
    case 'forEachIndexed':
      return inlined(context, node, own, { name, each: context.expression(object), give: 'same' });
    default:
      return null;
  }
}

/** A member of `this` as it is called by its name alone. */
export function memberOfReceiver(context: Context, span: Span, name: string): Expression | null {
  const receiver = context.implicit(span);
  if (receiver === null || receiver.form !== 'load') return null;
  return member(span, load(span, receiver.variable), name);
}
