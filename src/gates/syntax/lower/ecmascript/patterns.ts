import type { Expression, Statement } from '../../il/il.ts';
import { bare, child, fixedName, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import { assign, constant, declaration, evaluate, load, member } from '../forms.ts';
import type { Context } from './context.ts';
import { nameOf } from './names.ts';
import { annotatedType } from './types.ts';

/** Names are declared, or assigned wherever they are. */
type How = 'declare' | 'assign';

/** Members of one another that are read again for each part that is taken. */
const READ_AGAIN_MAX = 3;

/** A value, or another one where it is missing. */
export function isMissing(value: Expression, fallback: Expression): Expression {
  const { start, end } = value;
  return { start, end, form: 'logic', sign: 'coalesce', left: value, right: fallback };
}

/** Statements that give the names of a pattern the parts of a value. */
export function bind(
  context: Context,
  pattern: SyntaxNode | null,
  value: Expression,
  how: How,
): Statement[] {
  const span = context.spanOf(pattern);
  switch (pattern?.type) {
    case 'Identifier':
      return how === 'declare'
        ? [declared(context, pattern, value)]
        : [assigned(context, nameOf(context, text(pattern, 'value'), span), value)];
    case 'AssignmentPattern': {
      const fallback = context.expression(child(pattern, 'right'), pattern);
      return bind(context, child(pattern, 'left'), isMissing(value, fallback), how);
    }
    case 'ObjectPattern':
      return named(context, value, (whole) => bindMembers(context, pattern, whole, how));
    case 'ArrayPattern':
      return named(context, value, (whole) => bindElements(context, pattern, whole, how));
    default: {
      const inner = bare(pattern);
      if (inner !== pattern && inner !== null && /Pattern$|^Identifier$/.test(inner.type ?? '')) {
        return bind(context, inner, value, how);
      }
      return [assigned(context, context.expression(pattern, pattern), value)];
    }
  }
}

function declared(context: Context, node: SyntaxNode, value: Expression): Statement {
  const name = text(node, 'value');
  const { variable } = context.find(name) ?? context.declare(name);
  return declaration(context.spanOf(node), variable, value, annotatedType(context, node));
}

function assigned(context: Context, target: Expression, value: Expression): Statement {
  const place = target.form === 'name' ? globalPlace(context, target) : target;
  return evaluate(target, assign(target, place, value));
}

/** A name that nothing declares is a global from its first assignment on. */
export function globalPlace(
  context: Context,
  place: Expression & { readonly form: 'name' },
): Expression {
  const binding = context.find(place.name) ?? context.findGlobal(place.name, true);
  return binding === null ? place : load(place, binding.variable);
}

/** The value under a name, unless it is one, so that it is not evaluated for each of its parts. */
function named(
  context: Context,
  value: Expression,
  inner: (whole: Expression) => Statement[],
): Statement[] {
  if (isName(value, READ_AGAIN_MAX)) return inner(value);
  const variable = context.temporary();
  return [declaration(value, variable, value), ...inner(load(value, variable))];
}

function isName(value: Expression, steps: number): boolean {
  if (value.form === 'member' && steps > 0) return isName(value.object, steps - 1);
  return value.form === 'load' || value.form === 'name';
}

function bindMembers(
  context: Context,
  pattern: SyntaxNode,
  whole: Expression,
  how: How,
): Statement[] {
  const without: string[] = [];
  return list(pattern, 'properties').flatMap((property) => {
    if (property === null) return [];
    if (property.type === 'RestElement') {
      const { start, end } = context.spanOf(property);
      const rest: Expression = { start, end, form: 'rest', value: whole, from: 0, without };
      return bind(context, child(property, 'argument'), rest, how);
    }
    const key = child(property, 'key');
    const name = fixedName(key);
    if (name !== null) without.push(name);
    const part = partOf(context, whole, key, name);
    if (property.type === 'KeyValuePatternProperty') {
      return bind(context, child(property, 'value'), part, how);
    }
    const fallback = child(property, 'value');
    const isOptional = fallback !== null;
    const value = isOptional ? isMissing(part, context.expression(fallback, property)) : part;
    return bind(context, key, value, how);
  });
}

function partOf(
  context: Context,
  object: Expression,
  key: SyntaxNode | null,
  name: string | null,
): Expression {
  const { start, end } = context.spanOf(key);
  if (name !== null) return member({ start, end }, object, name);
  const computed = context.expression(child(key, 'expression'), key);
  return { start, end, form: 'index', object, key: computed };
}

function bindElements(
  context: Context,
  pattern: SyntaxNode,
  whole: Expression,
  how: How,
): Statement[] {
  return list(pattern, 'elements').flatMap((element, index) => {
    if (element === null) return [];
    const { start, end } = context.spanOf(element);
    if (element.type === 'RestElement') {
      const rest: Expression = { start, end, form: 'rest', value: whole, from: index, without: [] };
      return bind(context, child(element, 'argument'), rest, how);
    }
    const key = constant({ start, end }, index);
    return bind(context, element, { start, end, form: 'index', object: whole, key }, how);
  });
}
