import type { Type } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { plainType } from '../forms.ts';
import { catalogued, pathOfClass, pathOfName, type SeenByAll } from '../jvm-names.ts';
import type { Context } from './context.ts';

/** Classes that every file sees. */
const LANG: SeenByAll = new Map(
  [
    'String StringBuilder StringBuffer System Runtime ProcessBuilder Process Integer Long Short',
    'Byte Double Float Boolean Character Math Thread ThreadLocal InheritableThreadLocal Class',
    'ClassLoader Object Enum Iterable CharSequence',
  ].flatMap((line) => line.split(' ').map((name) => [name, `java.lang.${name}`] as const)),
);

/** `import a.b.C;`, `import a.b.*;`, `import static a.b.C.d;` */
export function readImport(context: Context, node: TreeNode): void {
  context.isComplete = true;
  const [name] = node.children;
  if (name === undefined) return;
  const path = catalogued(context.nameOf(name));
  if (typed(node, 'asterisk') !== null) context.stars.push(path);
  else context.imports.set(path.slice(path.lastIndexOf('.') + 1), path);
}

/** The path of a class by its name; null: one of the program's own. */
export function classNamed(context: Context, name: string): string | null {
  return pathOfClass(context, name, LANG);
}

/** The path of a class by its name, which may begin with its package or an outer class. */
export function pathNamed(context: Context, name: string): string | null {
  return pathOfName(context, name, LANG);
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
