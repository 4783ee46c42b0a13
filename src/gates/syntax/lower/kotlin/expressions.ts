import type { Expression, Span } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { holderOf } from '../classes.ts';
import {
  argument,
  assign,
  binary,
  call,
  cast,
  constant,
  declaration,
  element,
  freeName,
  listOf,
  load,
  logic,
  make,
  member,
  spanOf,
  unary,
  unknown,
  when,
} from '../forms.ts';
import { numberIn, unescaped } from '../lowering.ts';
import {
  callOf,
  extensionCall,
  isClassPath,
  isReference,
  memberOfReceiver,
  pairOf,
} from './calls.ts';
import type { Context } from './context.ts';
import {
  accessorName,
  CONSTRUCTOR,
  declareAll,
  declareClass,
  lowerClass,
  lowerFunction,
  membersOf,
} from './declarations.ts';
import { lowerLambda } from './lambdas.ts';
import { branchesOf } from './statements.ts';
import { classNamed, namedType, pathNamed, typeOf } from './types.ts';
import { within } from './whens.ts';

/** Lowers an expression. */
export function lowerExpression(context: Context, written: TreeNode): Expression {
  const node = POSTFIX.test(written.type) ? signFirst(written) : written;
  const span = spanOf(node);
  const { children } = node;
  const inner = (name: string) => context.expressionAt(node, name);
  switch (node.type) {
    case 'identifier':
      return nameOf(context, node);
    case 'this_expression':
    case 'super_expression':
      return selfOf(context, node);
    case 'string_literal':
    case 'multiline_string_literal':
      return textOf(context, node);
    case 'character_literal':
      return constant(node, unescaped(context.textOf(node).slice(1, -1)));
    case 'number_literal':
    case 'float_literal':
      return numberIn(context.textOf(node).replace(/(?<!0x[\da-f_]*)f$|[ul]+$/i, ''), node);
    case 'navigation_expression':
      return memberOf(context, node);
    case 'callable_reference':
      return referenceOf(context, node);
    case 'index_expression': {
      const [object, ...keys] = children;
      const [key, ...more] = keys;
      const base = context.expressionOr(object, node);
      const first = context.expressionOr(key, node);
      return element(
        node,
        base,
        more.length === 0 ? first : listOf(node, [first, ...context.expressionsOf(more)]),
      );
    }
    case 'call_expression':
      return callOf(context, node);
    case 'collection_literal':
      return listOf(node, context.expressionsOf(children));
    case 'lambda_literal':
      return lowerLambda(context, node, '');
    case 'anonymous_function': {
      const head = { kind: 'closure', owner: null, name: '' } as const;
      return { ...span, form: 'closure', id: lowerFunction(context, node, head) };
    }
    case 'object_literal':
      return objectOf(context, node);
    case 'binary_expression':
      return context.chain(node, (link, left) => {
        const sign = context.textAt(link, 'operator');
        if (sign === '?:') return elvisOf(context, link, left);
        const right = context.expressionAt(link, 'right');
        if (sign === '&&' || sign === '||') {
          return logic(link, sign === '&&' ? 'and' : 'or', left, right);
        }
        return binary(link, SAME_SIGNS.get(sign) ?? sign, left, right);
      });
    case 'in_expression': {
      const left = part(node, 'left');
      const right = part(node, 'right');
      const value = context.expressionOr(left, node);
      const test = within(context, node, value, right ?? undefined);
      return isNegated(context, node) ? unary(node, '!', test) : test;
    }
    case 'is_expression': {
      const type = typeOf(context, part(node, 'right'));
      const test: Expression = { ...span, form: 'is', type, value: inner('left'), bind: null };
      return isNegated(context, node) ? unary(node, '!', test) : test;
    }
    case 'as_expression':
      return cast(node, typeOf(context, part(node, 'right')), inner('left'));
    case 'unary_expression': {
      const sign = context.textAt(node, 'operator');
      const operand = inner('argument');
      if (sign === '!!' || sign === '+') return operand;
      if (sign !== '++' && sign !== '--') return unary(node, sign, operand);
      const isAfter = (part(node, 'operator')?.start ?? 0) > (part(node, 'argument')?.start ?? 0);
      return assign(node, operand, constant(node, 1), sign.charAt(0), isAfter);
    }
    case 'infix_expression':
      return infixOf(context, node);
    case 'range_expression':
      return unknown(node, 'range', context.expressionsOf(children));
    case 'spread_expression':
      return { ...span, form: 'spread', value: context.firstOf(node) };
    case 'if_expression': {
      const { yes, no } = branchesOf(context, node);
      if (yes === null || no === null || !isPlain(yes) || !isPlain(no)) {
        return context.run(node, (result) => context.into(node, result));
      }
      const test = inner('condition');
      return {
        ...span,
        form: 'choose',
        test,
        yes: context.expression(yes),
        no: context.expression(no),
      };
    }
    case 'when_expression':
    case 'try_expression':
    case 'block':
      return context.run(node, (result) => context.into(node, result));
    case 'return_expression':
    case 'throw_expression':
    case 'assignment':
    case 'property_declaration':
    case 'function_declaration':
    case 'for_statement':
    case 'while_statement':
    case 'do_while_statement':
      return context.run(node, () => context.statement(node));
    case 'labeled_expression': {
      const [label, value] = children;
      if (label !== undefined && /^(?:break|continue)@$/.test(context.textOf(label))) {
        return context.run(node, () => context.statement(node));
      }
      if (value?.type === 'lambda_literal' && label !== undefined) {
        return lowerLambda(context, value, context.textOf(label).slice(0, -1));
      }
      return context.expressionOr(value, node);
    }
    case 'annotated_expression':
      return context.expressionOr(
        children.find(({ type }) => type !== 'annotation'),
        node,
      );
    case 'parenthesized_expression':
    case 'interpolation':
    case 'value_argument':
      return context.expressionOr(children.at(-1), node);
    default:
      context.lose(node.type);
      return unknown(node, node.type, context.expressionsOf(children));
  }
}

const POSTFIX = /^(?:call|navigation|index)_expression$/;

/** `!x.y()`: in the grammar the sign is of `x` alone. */
function signFirst(node: TreeNode): TreeNode {
  const links: TreeNode[] = [];
  let at: TreeNode | undefined = node;
  for (; at !== undefined && POSTFIX.test(at.type); [at] = at.children) links.push(at);
  const sign = part(at ?? null, 'operator');
  const argument = part(at ?? null, 'argument');
  if (at?.type !== 'unary_expression' || sign === null || argument === null) return node;
  if (sign.start > argument.start) return node;
  let whole = argument;
  for (const link of links.reverse()) {
    const children = [{ ...whole, field: null }, ...link.children.slice(1)];
    whole = { ...link, start: whole.start, children };
  }
  return {
    ...at,
    field: node.field,
    end: node.end,
    children: [sign, { ...whole, field: 'argument' }],
  };
}

/** `left ?: right`, where the right side may leave what it stands in. */
function elvisOf(context: Context, link: TreeNode, left: Expression): Expression {
  const right = part(link, 'right');
  if (right === null || !mayLeave(context, right)) {
    return logic(link, 'coalesce', left, context.expressionOr(right, link));
  }
  return context.run(link, (result) => {
    const value = load(link, result);
    const isMissing = binary(link, '==', value, constant(link, null));
    return [declaration(link, result, left), when(link, isMissing, context.into(right, result))];
  });
}

/** Whether an expression may leave the function or loop that it stands in. */
function mayLeave(context: Context, node: TreeNode): boolean {
  if (/^(?:return|throw|if|when|try)_expression$/.test(node.type)) return true;
  return /^(?:(?:break|continue)\b|(?:run\s*\{|error\s*\(|exitProcess\s*\(|TODO\s*\())/.test(
    context.textOf(node),
  );
}

/** Signs that Kotlin alone has. */
const SAME_SIGNS = new Map([
  ['===', '=='],
  ['!==', '!='],
]);

/** Whether a branch is an expression without statements. */
function isPlain({ type }: TreeNode): boolean {
  return !/^(?:block|assignment|if_expression|when_expression|try_expression|return_expression|throw_expression)$/.test(
    type,
  );
}

function isNegated(context: Context, node: TreeNode): boolean {
  const left = part(node, 'left');
  const right = part(node, 'right');
  return context.text.slice(left?.end ?? node.start, right?.start ?? node.end).includes('!');
}

/** `this`, or that of a function, lambda or class: `this@Outer`. */
function selfOf(context: Context, node: TreeNode): Expression {
  const name = typed(node, 'identifier');
  const named = name === null ? null : context.nameOf(name);
  const isClass = named !== null && [...context.owners()].some((one) => one.name === named);
  return context.self(node, isClass ? named : null);
}

/** A variable, a property, a class, or a name of something else. */
function nameOf(context: Context, node: TreeNode): Expression {
  const name = context.nameOf(node);
  if (name === 'true' || name === 'false') return constant(node, name === 'true');
  if (name === 'null') return constant(node, null);
  if (name === 'break' || name === 'continue') {
    return context.run(node, () => context.statement(node));
  }
  const found = context.find(name);
  if (found?.kind === 'variable') return load(node, found.variable);
  if (name === 'field' && context.backing !== null) {
    const [owner] = context.owners();
    const isStatic = owner !== undefined && context.objects.has(owner);
    const holder =
      owner === undefined ? freeName(node, 'this') : holderOf(node, { owner, isStatic });
    return member(node, holder, `field ${context.backing}`);
  }
  if (found !== null) return member(node, holderOf(node, found), name);
  const own = context.outlineNamed(name);
  if (own !== null) return { ...spanOf(node), form: 'class', id: own.id };
  const imported = context.imports.get(name) ?? null;
  if (/^[A-Z]/.test(name)) return freeName(node, name, classNamed(context, name));
  const receiver = imported === null ? memberOfReceiver(context, node, name) : null;
  if (receiver?.form === 'member') return readOf(context, node, receiver.object, name, node);
  // `com.acme.Thing` begins with the name of a package.
  const root = /^(?:java|javax|jakarta|kotlin|kotlinx|org|com|io|net)$/.test(name) ? name : null;
  return freeName(node, name, imported ?? root);
}

/** A property of an object; of what Java declares, its getter. */
function readOf(
  context: Context,
  span: Span,
  object: Expression,
  name: string,
  at: Span,
): Expression {
  const extension = context.extensionProperties.has(name)
    ? context.extensions.get(name)
    : undefined;
  if (extension !== undefined) return extensionCall(context, span, extension, name, object, []);
  const getter = accessorName('get', name);
  const isPlace = object.form === 'class' || (object.form === 'name' && object.path !== null);
  if (isPlace || !/^[a-z]/.test(name) || !context.accessors.has(getter))
    return member(span, object, name);
  return call(span, object, getter, [], { at });
}

function memberOf(context: Context, node: TreeNode): Expression {
  const [object, at] = node.children;
  if (object === undefined || at === undefined) {
    return unknown(node, 'member', context.expressionsOf(node.children));
  }
  if (isReference(context, node)) return referenceOf(context, node);
  const name = context.nameOf(at);
  const path = context.nameOf(node);
  // A class by its whole name.
  if (/^[a-z]\w*(?:\.[a-z]\w*)+\.[A-Z]\w*$/.test(path) && isClassPath(context, node)) {
    const own = context.outlineNamed(path);
    if (own !== null) return { ...spanOf(node), form: 'class', id: own.id };
    return freeName(node, path, pathNamed(context, path));
  }
  const outer = object.type === 'identifier' ? context.outlineNamed(context.nameOf(object)) : null;
  const nested = outer === null ? null : context.outlineNamed(name);
  const isNested = nested !== null && outer !== null && membersOf(outer.node).includes(nested.node);
  if (isNested) return { ...spanOf(node), form: 'class', id: nested.id };
  const value = context.expression(object);
  if (name === 'Companion') return value;
  const isSelf = object.type === 'this_expression' || object.type === 'super_expression';
  return isSelf ? member(node, value, name) : readOf(context, node, value, name, at);
}

/** `Foo::bar`, `this::clean`, `::Foo`, `Foo::class`. */
function referenceOf(context: Context, node: TreeNode): Expression {
  const written = context.nameOf(node);
  const name = written.slice(written.lastIndexOf('::') + 2);
  const holder = written.slice(0, written.lastIndexOf('::'));
  if (name === 'class') return constant(node, written);
  const [first] = node.children;
  const span = spanOf(node);
  if (holder !== '' && first !== undefined) {
    const isName = first.type === 'user_type' || first.type === 'identifier';
    const object = isName ? nameOf(context, first) : context.expressionOr(first, node);
    const outline = context.extensions.get(name);
    if (outline !== undefined) {
      const own: Expression = { ...span, form: 'class', id: outline.id };
      return { ...span, form: 'reference', object: own, name };
    }
    return { ...span, form: 'reference', object, name };
  }
  const found = context.find(name);
  if (found?.kind === 'variable') return load(node, found.variable);
  const own = context.outlineNamed(name);
  if (own !== null) {
    const object: Expression = { ...span, form: 'class', id: own.id };
    return { ...span, form: 'reference', object, name: CONSTRUCTOR };
  }
  const method = context.ownerOfMethod(name);
  if (method !== null) return { ...span, form: 'reference', object: holderOf(node, method), name };
  const path = /^[A-Z]/.test(name)
    ? classNamed(context, name)
    : (context.imports.get(name) ?? null);
  const object = freeName(node, name, path);
  return /^[A-Z]/.test(name) ? { ...span, form: 'reference', object, name: CONSTRUCTOR } : object;
}

/** `object : Base(x) { ... }`. */
function objectOf(context: Context, node: TreeNode): Expression {
  const outline = declareClass(context, node, '');
  declareAll(context, typed(node, 'class_body')?.children ?? []);
  lowerClass(context, outline);
  const [base] = outline.bases;
  const type = namedType(context, base ?? '');
  return make(node, { ...type, own: outline.id, path: null }, [], node);
}

/** Infix functions that are operators of numbers. */
const OPERATORS = new Map([
  ['shl', '<<'],
  ['shr', '>>'],
  ['ushr', '>>>'],
  ['and', '&'],
  ['or', '|'],
  ['xor', '^'],
]);

function infixOf(context: Context, node: TreeNode): Expression {
  const [left, word, right] = node.children;
  if (left === undefined || word === undefined || right === undefined) {
    return unknown(node, 'infix', context.expressionsOf(node.children));
  }
  const name = context.nameOf(word);
  const first = context.expression(left);
  const second = context.expression(right);
  if (name === 'to') return pairOf(node, [first, second]);
  const outline = context.extensions.get(name);
  if (outline !== undefined) {
    return extensionCall(context, node, outline, name, first, [argument(second)]);
  }
  const sign = OPERATORS.get(name);
  if (sign !== undefined) return binary(node, sign, first, second);
  if (/^(?:until|downTo|step)$/.test(name)) return unknown(node, 'range', [first, second]);
  return call(node, first, name, [argument(second)], { at: word });
}

/** A text with what it is put together of: `"a $x ${y.z}"`. */
function textOf(context: Context, node: TreeNode): Expression {
  const text = context.textOf(node);
  const isLong = node.type === 'multiline_string_literal';
  const quotes = isLong ? 3 : 1;
  const list: Expression[] = [];
  const add = (start: number, end: number) => {
    for (const one of plainParts(context, { start, end }, isLong)) list.push(one);
  };
  let at = node.start + quotes;
  for (const hole of node.children.filter(({ type }) => type === 'interpolation')) {
    add(at, hole.start);
    list.push(context.expression(hole));
    at = hole.end;
  }
  add(at, Math.max(at, node.end - (text.length >= 2 * quotes ? quotes : 0)));
  const [only] = list;
  if (list.length === 0) return constant(node, '');
  if (list.length === 1 && only?.form === 'constant') return { ...only, ...spanOf(node) };
  return { ...spanOf(node), form: 'text', parts: list };
}

/** Text between holes: the grammar leaves names behind `$` in it. */
function plainParts(context: Context, { start, end }: Span, isLong: boolean): Expression[] {
  const text = context.text.slice(start, end);
  const list: Expression[] = [];
  const name = isLong ? /\$([A-Za-z_]\w*|`[^`\n]+`)/g : /\\.|\$([A-Za-z_]\w*|`[^`\n]+`)/gs;
  let from = 0;
  const add = (to: number) => {
    if (to <= from) return;
    const written = text.slice(from, to);
    const value = isLong ? written : unescaped(written.replaceAll('\\$', '$'));
    list.push(constant({ start: start + from, end: start + to }, value));
  };
  for (const { 0: whole, 1: own, index } of text.matchAll(name)) {
    if (own === undefined) continue;
    add(index);
    const span = { start: start + index + 1, end: start + index + whole.length };
    context.size += 1;
    const held = { ...span, type: 'identifier', field: null, children: [] };
    list.push(own === 'this' ? context.self(held) : nameOf(context, held));
    from = index + whole.length;
  }
  add(text.length);
  return list;
}
