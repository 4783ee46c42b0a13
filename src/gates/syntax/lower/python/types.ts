import type { Type } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import { plainType } from '../forms.ts';
import type { Context } from './context.ts';

/** Functions and types that every module has. */
const BUILTINS = new Set(
  `abs all any ascii bin bool bytearray bytes callable chr classmethod compile complex delattr dict
  dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash
  hex id input int isinstance issubclass iter len list locals map max memoryview min next object
  oct open ord pow print property quit range repr reversed round set setattr slice sorted
  staticmethod str sum super tuple type vars zip __import__ unicode raw_input file
  Exception ValueError KeyError TypeError RuntimeError OSError IOError`.split(/\s+/),
);

/**
 * The path of a name that the file does not bind: of the language, of the only module all of whose
 * names are imported, or a package by its own name in a part of a file without its imports.
 */
export function unboundPath(context: Context, name: string): string | null {
  if (BUILTINS.has(name)) return `builtins.${name}`;
  const [star] = context.stars;
  if (star !== undefined) return context.stars.length === 1 ? `${star}.${name}` : null;
  return context.isPackage(name) ? name : null;
}

/** The path of a chain of names; null: a name of the file's own, or not known. */
export function pathNamed(context: Context, name: string): string | null {
  const [root = '', ...rest] = name.split('.');
  const found = context.find(root);
  const path = found === null ? unboundPath(context, root) : null;
  const base = found?.kind === 'import' ? found.path : path;
  return base === null ? null : [base, ...rest].join('.');
}

/** A type as it is written; null: it says nothing of a value. */
export function typeOf(context: Context, node: TreeNode | null): Type | null {
  switch (node?.type) {
    case 'type':
    case 'parenthesized_expression':
    case 'member_type':
      return typeOf(context, node.children.at(-1) ?? null);
    case 'identifier':
    case 'attribute':
      return namedType(context, context.nameOf(node));
    case 'none':
      return namedType(context, 'None');
    case 'string': {
      const name = context.nameOf(node).replace(/^\w*["']+|["']+$/g, '');
      return /^[\w.]+$/.test(name) ? namedType(context, name) : null;
    }
    case 'generic_type': {
      const inner = typed(node, 'type_parameter')?.children ?? [];
      return genericType(context, node.children[0] ?? null, inner);
    }
    case 'subscript':
      return genericType(context, part(node, 'value'), parts(node, 'subscript'));
    case 'union_type':
      return unionOf(node.children.map((child) => typeOf(context, child)));
    case 'binary_operator':
      return unionOf([part(node, 'left'), part(node, 'right')].map((one) => typeOf(context, one)));
    default:
      return null;
  }
}

function genericType(
  context: Context,
  base: TreeNode | null,
  list: readonly TreeNode[],
): Type | null {
  const name = base === null ? '' : context.nameOf(base).replace(/^.*\./, '');
  const nodes = list.flatMap((one) => (one.type === 'tuple' ? one.children : [one]));
  if (name === 'Literal') return namedType(context, name);
  const [first] = nodes;
  if (name === 'Annotated') return typeOf(context, first ?? null);
  const inner = nodes.map((one) => typeOf(context, one));
  if (name === 'Optional' || name === 'Union') return unionOf(inner);
  const type = typeOf(context, base);
  const known = inner.filter((one) => one !== null);
  if (type === null) return null;
  const isList = /^(?:List|list|Set|set|Sequence|Iterable|FrozenSet|frozenset)$/.test(name);
  return { ...type, arguments: known.length === inner.length ? known : [], isList };
}

/** One of several types: without `None` that may be one alone. */
function unionOf(types: readonly (Type | null)[]): Type | null {
  const known = types.filter((type) => type?.name !== 'None');
  const [only] = known;
  if (known.length === 1 && only !== undefined) return only;
  const all = known.filter((type) => type !== null);
  if (all.length !== known.length) return null;
  return { ...plainType('Union'), arguments: all };
}

/** A type of that name. */
function namedType(context: Context, name: string): Type {
  const own = context.classNamed(name)?.id ?? null;
  return { ...plainType(name, own === null ? pathNamed(context, name) : null), own };
}
