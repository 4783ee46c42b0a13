import { words } from '../../../../rules/catalogue/line.ts';
import type { Type } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { plainType } from '../forms.ts';
import type { Context } from './context.ts';

/** Packages that moved from `javax` to `jakarta` without a change. */
const MOVED = /^javax\.(?=(?:servlet|ws\.rs|persistence|websocket|jms|mail|faces|el|inject)\b)/;

/** Classes that every file sees. */
const LANG = words(`
  String StringBuilder StringBuffer System Runtime ProcessBuilder Process Integer Long Short Byte
  Double Float Boolean Character Math Thread ThreadLocal InheritableThreadLocal Class ClassLoader
  Object Enum Iterable CharSequence
`);

/** The path under which the catalogue has a class. */
function catalogued(path: string): string {
  return path.replace(MOVED, 'jakarta.');
}

/** `import a.b.C;`, `import a.b.*;`, `import static a.b.C.d;` */
export function readImport(context: Context, node: TreeNode): void {
  context.isComplete = true;
  const [name] = node.children;
  if (name === undefined) return;
  const path = catalogued(context.nameOf(name));
  if (typed(node, 'asterisk') !== null) context.stars.push(path);
  else context.imports.set(path.slice(path.lastIndexOf('.') + 1), path);
}

/**
 * The path of a class by its name; null: one of the program's own. In a hunk whose imports are out
 * of sight, classes of the catalogue go by their names.
 */
export function classNamed(context: Context, name: string): string | null {
  const imported = context.imports.get(name);
  if (imported !== undefined) return imported;
  if (LANG.has(name)) return `java.lang.${name}`;
  const known = context.usualPaths(name);
  const starred = known.find((path) =>
    context.stars.includes(path.slice(0, path.lastIndexOf('.'))),
  );
  return starred ?? (context.isComplete ? null : (known[0] ?? null));
}

/** The path of a class by its name, which may begin with its package or an outer class. */
export function pathNamed(context: Context, name: string): string | null {
  const [root = '', ...rest] = name.split('.');
  if (/^[a-z]/.test(root)) return rest.length === 0 ? null : catalogued(name);
  const [inner, ...deeper] = rest;
  const isInner = inner !== undefined && !context.isComplete;
  const [within] = isInner ? context.usualPaths(`${root}.${inner}`) : [];
  if (within !== undefined) return [within, ...deeper].join('.');
  const path = classNamed(context, root);
  return path === null ? null : [path, ...rest].join('.');
}

/** A type as it is written. */
export function typeOf(context: Context, node: TreeNode | null): Type | null {
  if (node === null) return null;
  switch (node.type) {
    case 'annotated_type':
      return typeOf(context, node.children.at(-1) ?? null);
    case 'array_type': {
      const element = typeOf(context, part(node, 'element'));
      const name = context.nameOf(node);
      const list = element === null ? [] : [element];
      return { ...plainType(name), arguments: list, isList: true };
    }
    case 'generic_type': {
      const [base, list] = node.children;
      const type = typeOf(context, base ?? null);
      const inner = (list?.children ?? []).flatMap((one) => typeOf(context, one) ?? []);
      return type === null ? null : { ...type, arguments: inner };
    }
    case 'wildcard':
      return typeOf(context, node.children.at(-1) ?? null);
    case 'catch_type':
      return typeOf(context, node.children[0] ?? null);
    default:
      return namedType(context, context.nameOf(node).replace(/<.*$|@\w+(?:\.\w+)*/gs, ''));
  }
}

/** A type of that name. */
export function namedType(context: Context, name: string): Type {
  const own = context.outlineNamed(name)?.id ?? null;
  return { ...plainType(name, own === null ? pathNamed(context, name) : null), own };
}
