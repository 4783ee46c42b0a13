import { words } from '../../../rules/catalogue/line.ts';
import { child, fixedName, list, type SyntaxNode, text } from './node.ts';
import type { Run } from './run.ts';
import { UNKNOWN, type Value, withOrigin } from './value.ts';

/** Origin of what every program has; `global.require` is whatever loads a module by its name. */
const GLOBAL = 'global.';
/** Global functions that sinks know by their names, so that other names for them are followed. */
const FUNCTIONS = words(`
  eval Function AsyncFunction GeneratorFunction require setTimeout setInterval setImmediate fetch
`);
const GLOBAL_MEMBER = /^(?:window|globalThis|global|self|top|parent|frames)\.(\w+)$/;
/** Other ways to `require`, as they are written or by where they were imported from. */
const LOADER =
  /^(?:(?:module|process\.mainModule|require\.main)\.require|(?:\w+\.)?getBuiltinModule|(?:Module|module|global\.constructor)\._load|new module\.require)$/;
/** What every function inherits from, by the origin of the function. */
const PROTOTYPE = 'global.Function.prototype';
/** Methods of texts and lists: their constructor is `Function`. */
const METHODS = words(`
  map filter find forEach reduce some every sort flat concat slice push pop at fill join includes
  indexOf replace split trim link big bold sub sup toString valueOf call apply bind
`);

/** The value of a global function's name; null for other names. */
export function globalValue(name: string): Value | null {
  return FUNCTIONS.has(name) || name === 'Reflect' ? withOrigin(GLOBAL + name) : null;
}

/** The same for a member path whose first name is not declared: `globalThis.eval`. */
export function globalMember(path: string): Value | null {
  if (LOADER.test(path)) return withOrigin(`${GLOBAL}require`);
  const name = GLOBAL_MEMBER.exec(path)?.[1];
  return name === undefined ? null : globalValue(name);
}

/** Name of the global function that an origin stands for; null for another one. */
export function globalName(origin: string | null): string | null {
  if (origin === null) return null;
  if (LOADER.test(origin)) return 'require';
  const name = origin.startsWith(GLOBAL) ? origin.slice(GLOBAL.length) : '';
  return FUNCTIONS.has(name) ? name : null;
}

/** What a function or its like inherits from. */
export function prototypeValue(): Value {
  return withOrigin(PROTOTYPE);
}

/**
 * `value.constructor`: of a function, of its prototype or of another constructor it is
 * `Function`; of anything else only that it is a constructor is known.
 */
export function constructorOf({ origin, callable }: Value): Value {
  const isFunction = callable !== null || origin === PROTOTYPE || origin === `${GLOBAL}constructor`;
  const isGlobal = globalName(origin) !== null;
  return withOrigin(isFunction || isGlobal ? `${GLOBAL}Function` : `${GLOBAL}constructor`);
}

/** Whether members of that name are methods of texts and lists, and so functions. */
export function isBuiltInMethod(name: string | null): boolean {
  return name !== null && METHODS.has(name);
}

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
