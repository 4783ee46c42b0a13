import type { Type } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import { plainType } from '../forms.ts';
import { catalogued, pathOfClass, pathOfName, type SeenByAll } from '../jvm-names.ts';
import type { Context } from './context.ts';

/** Classes that every file sees, under the paths of what they are on the JVM. */
const LANG: SeenByAll = new Map([
  ...Object.entries({
    'java.lang': `String StringBuilder StringBuffer System Runtime ProcessBuilder Process Integer
      Math Thread ThreadLocal InheritableThreadLocal Class ClassLoader Object Enum Iterable
      CharSequence Boolean Byte Character Double Float Long Short`,
    'java.util': 'ArrayList HashMap HashSet LinkedHashMap LinkedHashSet Map List Set Collection',
    'kotlin.text': 'Regex RegexOption Charsets',
  }).flatMap(([name, list]) => list.split(/\s+/).map((one) => [one, `${name}.${one}`] as const)),
  ['Int', 'java.lang.Integer'],
  ['Char', 'java.lang.Character'],
  ['Any', 'java.lang.Object'],
  ['UInt', 'java.lang.Integer'],
  ['ULong', 'java.lang.Long'],
  ['MutableMap', 'java.util.Map'],
  ['MutableList', 'java.util.List'],
  ['MutableSet', 'java.util.Set'],
]);
/** Arrays of values that have a type of their own. */
const ARRAY = /^(?:Array|(?:Byte|Int|Long|Char|Short|Float|Double|Boolean)Array)$/;

const IMPORT = /^[ \t]*import[ \t]+([\w.`]+?)(\.\*)?(?:[ \t]+as[ \t]+(\w+))?[ \t]*;?[ \t]*\r?$/gm;

/** `import a.b.C`, `import a.b.*`, `import a.b.C as D`: also of files that stand behind another. */
export function readImports(context: Context): void {
  for (const [, written = '', star, alias] of context.text.matchAll(IMPORT)) {
    context.isComplete = true;
    const path = catalogued(written.replaceAll('`', ''));
    if (star !== undefined) context.stars.push(path);
    else context.imports.set(alias ?? path.slice(path.lastIndexOf('.') + 1), path);
  }
}

/** The path of a class by its name; null: one of the program's own. */
export function classNamed(context: Context, name: string): string | null {
  return pathOfClass(context, name, LANG);
}

/** The path of a class by its name, which may begin with its package or an outer class. */
export function pathNamed(context: Context, name: string): string | null {
  return pathOfName(context, name, LANG);
}

/** Nodes that stand for types. */
export const TYPE = /^(?:user|nullable|non_nullable|function|parenthesized)_type$/;

/** A type as it is written; null: it is not, or a function. */
export function typeOf(context: Context, node: TreeNode | null): Type | null {
  switch (node?.type) {
    case undefined:
    case 'function_type':
      return null;
    case 'nullable_type':
    case 'non_nullable_type':
    case 'parenthesized_type':
    case 'type_projection':
      return typeOf(context, node.children.find(({ type }) => TYPE.test(type)) ?? null);
    case 'user_type': {
      const names = node.children.filter(({ type }) => type === 'identifier');
      const name = names.map((one) => context.nameOf(one)).join('.');
      const given = node.children.find(({ type }) => type === 'type_arguments')?.children ?? [];
      const list = given.flatMap((one) => typeOf(context, one) ?? []);
      const own = namedType(context, name);
      const isList = ARRAY.test(name);
      return { ...own, arguments: list, isList };
    }
    default:
      return null;
  }
}

/** A type of that name. */
export function namedType(context: Context, name: string): Type {
  const own = context.outlineNamed(name)?.id ?? null;
  return { ...plainType(name, own === null ? pathNamed(context, name) : null), own };
}
