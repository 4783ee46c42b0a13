import type { Expression, Span, Variable } from '../../il/il.ts';
import { bare, child, fixedName, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import { constant, load } from '../forms.ts';
import type { Binding, Context, Scope } from './context.ts';

/** The method that makes an object. */
export const CONSTRUCTOR = '<init>';
/** Names from one to the next that are followed to a package. */
const STEPS_MAX = 16;

/** `node:fs` is `fs`, and so are packages that hold the same functions. */
export function moduleNamed(name: string): string {
  return /^(?:graceful|original)-fs$/.test(name) ? 'fs' : name.replace(/^node:/, '');
}

/** The path of what a name was imported as, or of a member of it; null: it has none. */
export function pathOfBinding(context: Context, binding: Binding, steps = 0): string | null {
  if (binding.path !== undefined) return binding.path;
  const { source, scope } = binding;
  // What leads to itself has no path.
  binding.path = null;
  if (source === null || steps > STEPS_MAX) return null;
  const { from, keys } = source;
  const base = typeof from === 'string' ? from : pathOf(context, from, scope, steps + 1);
  binding.path =
    base === null ? null : [base, ...keys.filter((key) => key !== 'default')].join('.');
  return binding.path;
}

/** The path of an expression from a package: `cp.exec`, `require('fs').promises`. */
export function pathOf(
  context: Context,
  node: SyntaxNode | null,
  scope: Scope = context.scope,
  steps = 0,
): string | null {
  const inner = bare(node);
  if (steps > STEPS_MAX) return null;
  switch (inner?.type) {
    case 'Identifier': {
      const binding = context.find(text(inner, 'value'), scope);
      return binding === null ? null : pathOfBinding(context, binding, steps);
    }
    case 'MemberExpression': {
      const name = fixedName(child(inner, 'property'));
      const object =
        name === null ? null : pathOf(context, child(inner, 'object'), scope, steps + 1);
      if (object === null) return null;
      return name === 'default' ? object : `${object}.${name}`;
    }
    case 'TsQualifiedName': {
      const object = pathOf(context, child(inner, 'left'), scope, steps + 1);
      return object === null ? null : `${object}.${text(child(inner, 'right'), 'value')}`;
    }
    case 'AwaitExpression':
      return pathOf(context, child(inner, 'argument'), scope, steps + 1);
    case 'CallExpression':
      return loadedBy(context, inner, scope);
    default:
      return null;
  }
}

/** The package that `require('a')` or `import('a')` loads; null: another call. */
function loadedBy(context: Context, node: SyntaxNode, scope: Scope): string | null {
  const callee = bare(child(node, 'callee'));
  const isRequire = callee?.type === 'Identifier' && isLoader(context, callee, scope);
  if (!isRequire && callee?.type !== 'Import') return null;
  const [argument = null] = list(node, 'arguments');
  const value = literalText(child(argument, 'expression'));
  return value === null ? null : moduleNamed(value);
}

/** Whether a name is `require`, or what `createRequire` made. */
function isLoader(context: Context, callee: SyntaxNode, scope: Scope): boolean {
  const name = text(callee, 'value');
  const binding = context.find(name, scope);
  if (binding === null) return name === 'require';
  const from = binding.source?.from ?? null;
  const maker = from === null || typeof from === 'string' ? null : child(bare(from), 'callee');
  return maker !== null && pathOf(context, maker, binding.scope) === 'module.createRequire';
}

/** The text of a literal that holds nothing else; null: another expression. */
function literalText(node: SyntaxNode | null): string | null {
  const inner = bare(node);
  if (inner?.type === 'StringLiteral') return text(inner, 'value');
  const [quasi, ...more] = list(inner, 'quasis');
  if (inner?.type !== 'TemplateLiteral' || quasi === undefined || more.length > 0) return null;
  return text(quasi, 'cooked');
}

/** What a name stands for where it is read. */
export function nameOf(context: Context, name: string, span: Span): Expression {
  const { start, end } = span;
  const binding = context.find(name) ?? context.findGlobal(name, false);
  if (binding === null) return freeName(context, name, span);
  if (binding.ownClass !== null) return { start, end, form: 'class', id: binding.ownClass };
  const path = pathOfBinding(context, binding);
  return path === null ? load(span, binding.variable) : { start, end, form: 'name', name, path };
}

/** A name that the file does not declare. */
function freeName(context: Context, name: string, span: Span): Expression {
  const { frame } = context;
  if (name === 'undefined') return constant(span, null);
  if (name === 'exports') return load(span, exportsOf(context));
  if (name === 'arguments' && frame !== null) {
    frame.usesGiven = true;
    return load(span, frame.given);
  }
  const { start, end } = span;
  return { start, end, form: 'name', name, path: null };
}

/** The variable that holds what other files may use. */
export function exportsOf(context: Context): Variable {
  if (context.exported === null) throw new TypeError('it is made before anything is lowered');
  return context.exported;
}

/** What a method is called on, or the class that a static one stands in. */
export function selfOf(context: Context, span: Span): Expression {
  const { frame } = context;
  const { start, end } = span;
  if (frame === null) return { start, end, form: 'name', name: 'this', path: null };
  if (frame.owner !== null) {
    const { id, self, isStatic } = frame.owner;
    return isStatic ? { start, end, form: 'class', id } : load(span, self);
  }
  frame.usesSelf = true;
  return load(span, frame.self);
}

/** The name of a member: `#b` of a private one; null: it is computed, or a number. */
export function memberName(property: SyntaxNode | null): string | null {
  const name = fixedName(property);
  if (property?.type === 'PrivateName') return `#${name ?? ''}`;
  const isIndex = property?.type === 'Computed' && /^\d+$/.test(name ?? '');
  return isIndex ? null : name;
}
