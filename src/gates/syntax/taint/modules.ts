import { child, fixedName, list, type SyntaxNode, text } from './node.ts';
import type { Run } from './run.ts';
import { UNKNOWN, type Value, withOrigin } from './value.ts';

/** `import { a as b } from 'c'` */
export function importDeclaration(run: Run, node: SyntaxNode): Value {
  const module = text(child(node, 'source'), 'value').replace(/^node:/, '');
  if (run.isSynthetic(child(node, 'source') ?? node)) return UNKNOWN;
  for (const specifier of list(node, 'specifiers')) {
    const local = text(child(specifier, 'local'), 'value');
    const isNamed = specifier?.type === 'ImportSpecifier';
    const imported = text(child(specifier, 'imported'), 'value') || local;
    const isWhole = !isNamed || imported === 'default';
    run.scope.values.set(local, withOrigin(isWhole ? module : `${module}.${imported}`));
  }
  return UNKNOWN;
}

/** `import fs = require('fs')` */
export function importEquals(run: Run, node: SyntaxNode): Value {
  const module = text(child(child(node, 'moduleRef'), 'expression'), 'value');
  const name = text(child(node, 'id'), 'value');
  run.scope.values.set(name, module === '' ? UNKNOWN : withOrigin(module.replace(/^node:/, '')));
  return UNKNOWN;
}

/** What is exported: its parameters come from callers elsewhere. */
export function exported(run: Run, node: SyntaxNode | null): Value {
  run.isExporting = true;
  run.evaluate(node);
  run.isExporting = false;
  return UNKNOWN;
}

/** `export { run }`, `module.exports = { run }`, `exports.run = run`. */
export function collectExports(run: Run, statements: readonly (SyntaxNode | null)[]): void {
  for (const statement of statements) {
    for (const specifier of list(statement, 'specifiers')) {
      const original = text(child(specifier, 'orig'), 'value');
      if (original !== '') run.exportedNames.add(original);
    }
    const expression = child(statement, 'expression');
    if (statement?.type === 'ExportDefaultExpression') {
      for (const name of exportedIdentifiers(expression)) run.exportedNames.add(name);
    }
    if (expression?.type !== 'AssignmentExpression') continue;
    const target = child(expression, 'left');
    const object = child(target, 'object');
    const root = text(object, 'value');
    if (
      root !== 'module' &&
      root !== 'exports' &&
      fixedName(child(object, 'property')) !== 'exports'
    )
      continue;
    const right = child(expression, 'right');
    for (const name of exportedIdentifiers(right)) run.exportedNames.add(name);
  }
}

function exportedIdentifiers(node: SyntaxNode | null): string[] {
  if (node?.type === 'Identifier') return [text(node, 'value')];
  if (node?.type !== 'ObjectExpression') return [];
  return list(node, 'properties').flatMap((property) => {
    return exportedIdentifiers(
      property?.type === 'Identifier' ? property : child(property, 'value'),
    );
  });
}
