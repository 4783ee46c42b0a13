import { words } from '../../../../rules/catalogue/line.ts';
import type { Type } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import { plainType } from '../forms.ts';
import { type Context, plainName } from './context.ts';

/** Namespaces that projects of the SDK have without naming them. */
const IMPLICIT = words(`
  System System.Collections.Generic System.IO System.Linq System.Net.Http System.Net.Http.Json
  System.Threading System.Threading.Tasks Microsoft.AspNetCore.Builder Microsoft.AspNetCore.Hosting
  Microsoft.AspNetCore.Http Microsoft.AspNetCore.Routing Microsoft.Extensions.Configuration
  Microsoft.Extensions.DependencyInjection Microsoft.Extensions.Hosting
  Microsoft.Extensions.Logging
`);

/** Classes that have a word of the language. */
const KEYWORDS = new Map([
  ['string', 'System.String'],
  ['object', 'System.Object'],
  ['bool', 'System.Boolean'],
  ['byte', 'System.Byte'],
  ['char', 'System.Char'],
  ['decimal', 'System.Decimal'],
  ['double', 'System.Double'],
  ['float', 'System.Single'],
  ['int', 'System.Int32'],
  ['long', 'System.Int64'],
  ['sbyte', 'System.SByte'],
  ['short', 'System.Int16'],
  ['uint', 'System.UInt32'],
  ['ulong', 'System.UInt64'],
  ['ushort', 'System.UInt16'],
]);

/** `using A.B;`, `using static A.B.C;`, `using D = A.B.C;` */
export function readUsing(context: Context, node: TreeNode): void {
  context.isComplete = true;
  const name = part(node, 'name');
  const target = node.children.find((child) => child !== name);
  if (target === undefined) return;
  const path = context.nameOf(target).replace(/^global::|<.*$/gs, '');
  if (name === null) context.stars.push(path);
  else context.imports.set(context.nameOf(name), path);
}

/**
 * The path of a class by its name; null: one of the program's own. Namespaces that another file
 * names for the whole project are out of sight, so that a class whose name no other package has is
 * that one; in a hunk any class of the catalogue may be meant.
 */
export function classNamed(context: Context, name: string): string | null {
  const imported = context.imports.get(name) ?? KEYWORDS.get(name);
  if (imported !== undefined) return imported;
  const known = context.usualPaths(name);
  const inside = (namespaces: (name: string) => boolean) =>
    known.find((path) => namespaces(path.slice(0, path.lastIndexOf('.'))));
  return (
    inside((one) => context.stars.includes(one)) ??
    inside((one) => IMPLICIT.has(one)) ??
    context.paths.get(name) ??
    (context.isComplete ? null : (known[0] ?? null))
  );
}

/** The path of a class by its name, which may begin with its namespace or an outer class. */
export function pathNamed(context: Context, written: string): string | null {
  const name = written.replace(/^global::/, '');
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (context.usualPaths(last).includes(name)) return name;
  const [root = '', ...rest] = name.split('.');
  const path = classNamed(context, root);
  return path === null ? null : [path, ...rest].join('.');
}

/** A type as it is written; null: it is not. */
export function typeOf(context: Context, node: TreeNode | null): Type | null {
  switch (node?.type) {
    case undefined:
    case 'implicit_type':
    case 'function_pointer_type':
      return null;
    case 'array_type': {
      const element = typeOf(context, part(node, 'type'));
      const list = element === null ? [] : [element];
      return { ...plainType(context.nameOf(node)), arguments: list, isList: true };
    }
    case 'nullable_type':
    case 'pointer_type':
    case 'ref_type':
    case 'scoped_type':
      return typeOf(context, part(node, 'type'));
    case 'generic_name': {
      const inner = node.children[1]?.children ?? [];
      const list = inner.flatMap((one) => typeOf(context, one) ?? []);
      return { ...namedType(context, plainName(context, node)), arguments: list };
    }
    case 'tuple_type': {
      const list = node.children.flatMap((one) => typeOf(context, part(one, 'type')) ?? []);
      return { ...plainType('Tuple'), arguments: list };
    }
    default:
      return namedType(context, context.nameOf(node ?? NOWHERE).replace(/<.*$/s, ''));
  }
}

const NOWHERE = { start: 0, end: 0 };

/** A type of that name. */
export function namedType(context: Context, name: string): Type {
  const own = context.outlineNamed(name)?.id ?? null;
  return { ...plainType(name, own === null ? pathNamed(context, name) : null), own };
}
