import type { Expression, Statement } from '../../il/il.ts';
import { child, field, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import { assign, block, declaration, evaluate, load, member } from '../forms.ts';
import { lowerClass } from './classes.ts';
import type { Context } from './context.ts';
import { exportsOf, moduleNamed, nameOf } from './names.ts';
import { boundNames } from './scopes.ts';

/** `export` in all its forms: what other files may use is put into the object of exports. */
export function lowerExport(context: Context, node: SyntaxNode): Statement[] {
  const span = context.spanOf(node);
  switch (node.type) {
    case 'ExportDeclaration': {
      const declaration = child(node, 'declaration');
      const names = namesOf(declaration);
      const exported = names.map((name) => exportAs(context, name, nameOf(context, name, span)));
      return [...context.statement(declaration), ...exported];
    }
    case 'ExportDefaultDeclaration': {
      const declaration = child(node, 'decl');
      if (declaration?.type === 'TsInterfaceDeclaration') return context.statement(declaration);
      const name = text(child(declaration, 'identifier'), 'value');
      if (declaration === null || name === '') {
        return [
          exportAs(
            context,
            'default',
            context.parts.valueNamed(context, declaration, node, 'default'),
          ),
        ];
      }
      const isClass = declaration.type === 'ClassExpression';
      const statements = isClass ? lowerClass(context, declaration) : [];
      return [...statements, exportAs(context, 'default', nameOf(context, name, span))];
    }
    case 'ExportDefaultExpression': {
      const value = context.parts.valueNamed(context, child(node, 'expression'), node, 'default');
      return [exportAs(context, 'default', value)];
    }
    case 'TsExportAssignment': {
      const value = context.expression(child(node, 'expression'), node);
      return [evaluate(span, assign(span, load(span, exportsOf(context)), value))];
    }
    case 'ExportNamedDeclaration':
      return list(node, 'specifiers').flatMap((one) => specifierOf(context, node, one));
    case 'ExportAllDeclaration':
      context.offer.stars.push(moduleNamed(text(child(node, 'source'), 'value')));
      return [];
    default:
      return [];
  }
}

/** The names that a declaration declares. */
function namesOf(node: SyntaxNode | null): string[] {
  const declarators = list(node, 'declarations');
  if (declarators.length > 0) {
    return declarators.flatMap((one) => [...boundNames(child(one, 'id'))].map(({ name }) => name));
  }
  if (/^Ts(?:Interface|TypeAlias)/.test(node?.type ?? '')) return [];
  const name = text(child(node, 'identifier') ?? child(node, 'id'), 'value');
  return name === '' ? [] : [name];
}

/** `export { a as b }`, `export { a } from 'c'`, `export * as b from 'c'`. */
function specifierOf(context: Context, node: SyntaxNode, one: SyntaxNode | null): Statement[] {
  if (field(node, 'typeOnly') === true || field(one, 'isTypeOnly') === true) return [];
  const span = context.spanOf(one);
  const original = text(
    child(one, 'orig') ?? child(one, 'name') ?? child(one, 'exported'),
    'value',
  );
  const name = text(child(one, 'exported'), 'value') || original;
  const source = child(node, 'source');
  if (source === null) return [exportAs(context, name, nameOf(context, original, span))];
  const module = moduleNamed(text(source, 'value'));
  const path = one?.type === 'ExportSpecifier' ? `${module}.${original}` : module;
  const { start, end } = span;
  return [exportAs(context, name, { start, end, form: 'name', name: original, path })];
}

function exportAs(context: Context, name: string, value: Expression): Statement {
  const place = member(value, load(value, exportsOf(context)), name);
  const isPlain = value.form === 'class' || value.form === 'name' || value.form === 'load';
  context.offer.names.set(name, isPlain ? value : place);
  return evaluate(value, assign(value, place, value));
}

/** `namespace A.B { export const c = 1 }`: an object with what the block exports. */
export function lowerNamespace(context: Context, node: SyntaxNode): Statement[] {
  const span = context.spanOf(node);
  const id = child(node, 'id');
  const body = child(node, 'body');
  if (id?.type !== 'Identifier' || body === null) return [];
  const name = text(id, 'value');
  const { variable } = context.find(name) ?? context.declare(name);
  const { start, end } = span;
  const empty: Expression = { start, end, form: 'object', entries: [] };
  const outer = context.exported;
  const { offer } = context;
  context.exported = variable;
  context.offer = { names: new Map(), stars: [] };
  const inner = context.within(true, () => {
    if (body.type === 'TsModuleBlock') return context.parts.body(context, list(body, 'body'), true);
    const nested = text(child(body, 'id'), 'value');
    const statements = context.parts.body(context, [body], true);
    return [...statements, exportAs(context, nested, nameOf(context, nested, span))];
  });
  context.exported = outer;
  context.offer = offer;
  return [declaration(span, variable, empty), block(span, inner)];
}
