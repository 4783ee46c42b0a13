import type { Type } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import { plainType } from '../forms.ts';
import type { Context } from './context.ts';

/** Packages that moved from `javax` to `jakarta` without a change. */
const MOVED = /^javax\.(?=(?:servlet|ws\.rs|persistence|websocket|jms|mail|faces|el|inject)\b)/;

/** Classes that every file sees, under the paths of what they are on the JVM. */
const LANG = new Map(
  Object.entries({
    'java.lang': `String StringBuilder StringBuffer System Runtime ProcessBuilder Process Integer
      Math Thread ThreadLocal InheritableThreadLocal Class ClassLoader Object Enum Iterable
      CharSequence Boolean Byte Character Double Float Long Short`,
    'java.util': 'ArrayList HashMap HashSet LinkedHashMap LinkedHashSet',
    'kotlin.text': 'Regex RegexOption Charsets',
  }).flatMap(([name, list]) => list.split(/\s+/).map((one) => [one, `${name}.${one}`] as const)),
);
/** Types of Kotlin that are others on the JVM. */
const RENAMED = new Map([
  ['Int', 'java.lang.Integer'],
  ['Char', 'java.lang.Character'],
  ['Any', 'java.lang.Object'],
  ['UInt', 'java.lang.Integer'],
  ['ULong', 'java.lang.Long'],
  ['MutableMap', 'java.util.Map'],
  ['Map', 'java.util.Map'],
  ['List', 'java.util.List'],
  ['MutableList', 'java.util.List'],
  ['Set', 'java.util.Set'],
  ['MutableSet', 'java.util.Set'],
  ['Collection', 'java.util.Collection'],
]);
/** Arrays of values that have a type of their own. */
const ARRAY = /^(?:Array|(?:Byte|Int|Long|Char|Short|Float|Double|Boolean)Array)$/;

/** The path under which the catalogue has a class. */
function catalogued(path: string): string {
  return path.replace(MOVED, 'jakarta.');
}

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

/**
 * The path of a class by its name; null: one of the program's own. In a hunk whose imports are out
 * of sight, classes of the catalogue go by their names.
 */
export function classNamed(context: Context, name: string): string | null {
  const imported = context.imports.get(name) ?? LANG.get(name) ?? RENAMED.get(name);
  if (imported !== undefined) return imported;
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
  const [within] = context.isComplete ? [] : context.usualPaths(`${root}.${rest[0]}`);
  if (within !== undefined) return [within, ...rest.slice(1)].join('.');
  const path = classNamed(context, root);
  return path === null ? null : [path, ...rest].join('.');
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
