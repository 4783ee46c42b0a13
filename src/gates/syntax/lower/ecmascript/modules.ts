import type { Expression, Span, Statement } from '../../il/il.ts';
import { child, field, list, type SyntaxNode, text } from '../../taint/node.ts';
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
      const isType = declaration?.type === 'TsInterfaceDeclaration';
      if (isType) return context.statement(declaration);
      return [
        exportAs(
          context,
          'default',
          context.parts.valueNamed(context, declaration, node, 'default'),
        ),
      ];
    }
    case 'ExportDefaultExpression': {
      const value = context.parts.valueNamed(context, child(node, 'expression'), node, 'default');
      return [exportAs(context, 'default', value)];
    }
    case 'TsExportAssignment': {
      const place: Expression = { ...span, form: 'load', variable: exportsOf(context) };
      const value = context.expression(child(node, 'expression'), node);
      return [put(span, place, value)];
    }
    case 'ExportNamedDeclaration':
      return list(node, 'specifiers').flatMap((one) => specifierOf(context, node, one));
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
  return [exportAs(context, name, { ...span, form: 'name', name: original, path })];
}

function exportAs(context: Context, name: string, value: Expression): Statement {
  const { start, end } = value;
  const object: Expression = { start, end, form: 'load', variable: exportsOf(context) };
  return put({ start, end }, { start, end, form: 'member', object, name }, value);
}

function put({ start, end }: Span, place: Expression, value: Expression): Statement {
  const assign: Expression = {
    ...{ start, end, form: 'assign', place, sign: null, value, isAfter: false },
  };
  return { start, end, form: 'evaluate', value: assign };
}

/** `namespace A.B { export const c = 1 }`: an object with what the block exports. */
export function lowerNamespace(context: Context, node: SyntaxNode): Statement[] {
  const span = context.spanOf(node);
  const id = child(node, 'id');
  const body = child(node, 'body');
  if (id?.type !== 'Identifier' || body === null) return [];
  const name = text(id, 'value');
  const { variable } = context.find(name) ?? context.declare(name);
  const empty: Expression = { ...span, form: 'object', entries: [] };
  const outer = context.exported;
  context.exported = variable;
  const inner = context.within(true, () => {
    if (body.type === 'TsModuleBlock') return context.parts.body(context, list(body, 'body'), true);
    const nested = text(child(body, 'id'), 'value');
    const statements = context.parts.body(context, [body], true);
    return [...statements, exportAs(context, nested, nameOf(context, nested, span))];
  });
  context.exported = outer;
  return [
    { ...span, form: 'declare', variable, type: null, value: empty, annotations: [] },
    { ...span, form: 'block', body: inner, label: null },
  ];
}
