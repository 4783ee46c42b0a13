import type { Annotation, ClassDeclaration, Expression, Field, Type } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import { classWith, constant, fieldWith, listOf, make, plainType, spanOf } from '../forms.ts';
import type { Context, Outline } from './context.ts';

/** `github.com/labstack/echo/v4` and `gopkg.in/yaml.v3` as the catalogue has them. */
function withoutVersion(path: string): string {
  return path.replace(/[/.]v\d+(?=\/|$)/, '');
}

/** Names that a package of that path may have: its own name is not written. */
export function namesOf(path: string): string[] {
  const last = path.slice(path.lastIndexOf('/') + 1);
  const bare = last.replace(/^go-|^golang-/, '').replace(/[-.]go$/, '');
  const end = bare.slice(bare.lastIndexOf('-') + 1);
  return [...new Set([last, bare, bare.replaceAll('-', ''), bare.replaceAll('-', '_'), end])];
}

/** `import alias "github.com/a/b/v2"`, also within an `import_spec_list`. */
export function readImports(context: Context, node: TreeNode): void {
  if (node.type !== 'import_spec') {
    for (const child of node.children) readImports(context, child);
    return;
  }
  const written = part(node, 'path');
  if (written === null) return;
  const path = withoutVersion(context.textOf(written).slice(1, -1));
  const alias = part(node, 'name');
  if (alias?.type === 'dot') context.stars.push(path);
  else if (alias !== null) context.imports.set(context.textOf(alias), path);
  else {
    for (const usual of namesOf(path)) {
      if (!context.imports.has(usual)) context.imports.set(usual, path);
    }
  }
}

/** The path of the package that a name stands for; null when absent. */
export function packageNamed(context: Context, name: string): string | null {
  const imported = context.imports.get(name);
  if (imported !== undefined) return imported;
  return context.isComplete ? null : context.usualPackage(name);
}

/** A type as it is written: pointers are what they point to, bytes and runes are text. */
export function typeOf(context: Context, node: TreeNode | null): Type | null {
  switch (node?.type) {
    case undefined:
      return null;
    case 'pointer_type':
    case 'parenthesized_type':
    case 'type_elem':
    case 'type_constraint':
    case 'negated_type':
      return typeOf(context, node.children[0] ?? null);
    case 'generic_type': {
      const list = part(node, 'type_arguments')?.children ?? [];
      const type = typeOf(context, part(node, 'type'));
      const inner = list.flatMap((one) => typeOf(context, one) ?? []);
      return type === null ? null : { ...type, arguments: inner };
    }
    case 'qualified_type': {
      const [first, second] = node.children.map((child) => context.textOf(child));
      const root = packageNamed(context, first ?? '');
      const path = root === null ? null : `${root}.${second}`;
      return plainType(`${first}.${second}`, path);
    }
    case 'type_identifier':
    case 'identifier':
      return namedType(context, context.textOf(node));
    case 'slice_type':
    case 'array_type':
    case 'implicit_length_array_type': {
      const element = typeOf(context, part(node, 'element'));
      if (element !== null && /^(?:byte|rune|uint8)$/.test(element.name))
        return plainType('string');
      const list = element === null ? [] : [element];
      return { ...plainType(`${element?.name ?? ''}[]`), arguments: list, isList: true };
    }
    case 'channel_type':
    case 'map_type': {
      const name = node.type === 'map_type' ? 'map' : 'chan';
      const inner = node.children.flatMap((one) => typeOf(context, one) ?? []);
      return { ...plainType(name, `builtin.${name}`), arguments: inner };
    }
    case 'struct_type': {
      const name = `struct at ${node.start}`;
      const outline = context.outlineNamed(name) ?? context.addType(name, node, 'class');
      return { ...plainType(name), own: outline.id };
    }
    case 'interface_type':
      return plainType('any');
    case 'function_type':
      return plainType('func');
    default:
      return null;
  }
}

/** A type of that name; aliases are what they stand for. */
export function namedType(context: Context, name: string, depth = 0): Type {
  const generic = context.generics.get(name);
  if (generic !== undefined) return generic;
  const alias = context.aliases.get(name);
  if (alias !== undefined && depth < 8) {
    const inner = context.textOf(alias);
    const type = /^\w+$/.test(inner) ? namedType(context, inner, depth + 1) : null;
    return type ?? typeOf(context, alias) ?? plainType(name);
  }
  const own = context.outlineNamed(name)?.id ?? null;
  const star = context.stars.length === 1 && !/^[a-z]/.test(name) ? context.stars[0] : undefined;
  const path = own === null && star !== undefined ? `${star}.${name}` : null;
  return { ...plainType(name, path), own };
}

/** The type of the file that a node names; null: another one. */
function outlineOf(context: Context, node: TreeNode | null): Outline | null {
  const own = typeOf(context, node)?.own ?? null;
  return own === null ? null : (context.outlines[own] ?? null);
}

/** Fields that a struct declares; embedded fields are bases. */
function fieldNodes(node: TreeNode): readonly TreeNode[] {
  return typed(node, 'field_declaration_list')?.children ?? [];
}

/** Names of the fields of a struct in order, embedded ones by the names of their types. */
export function fieldNames(context: Context, { node }: Outline): string[] {
  return fieldNodes(node).flatMap((field) => {
    const names = parts(field, 'name').map((name) => context.textOf(name));
    const type = names.length > 0 ? null : typeOf(context, part(field, 'type'));
    return type === null ? names : [type.name.slice(type.name.lastIndexOf('.') + 1)];
  });
}

/** A type of the file with its fields, its methods and what it is made of. */
export function classOf(
  context: Context,
  outline: Outline,
  functions: readonly number[],
): ClassDeclaration {
  const { id, name, node, self, kind } = outline;
  const shape = { id, name, kind, self, functions };
  if (kind === 'named') {
    const base = typeOf(context, node);
    return classWith(node, { ...shape, bases: base === null ? [] : [base] });
  }
  const embedded = fieldNodes(node).filter((field) => part(field, 'name') === null);
  const inner = kind === 'interface' ? node.children : embedded.map((one) => part(one, 'type'));
  const bases = inner.flatMap((one) => {
    const type = one?.type === 'method_elem' ? null : typeOf(context, one);
    return type ?? [];
  });
  const met = kind === 'interface' ? [] : interfacesOf(context, outline);
  const fields = fieldsOf(context, outline);
  return classWith(node, { ...shape, bases: [...bases, ...met], fields });
}

function fieldsOf(context: Context, { node }: Outline): Field[] {
  return fieldNodes(node).flatMap((field) => {
    const type = typeOf(context, part(field, 'type'));
    const tag = part(field, 'tag');
    const annotations = tag === null ? [] : annotationsOf(context, tag);
    const node = part(field, 'type');
    const initial = node?.type === 'qualified_type' ? zeroOf(context, node, type) : null;
    return parts(field, 'name').map((one) =>
      fieldWith(one, context.textOf(one), { type, annotations, initial }),
    );
  });
}

/** Rules of validators in a tag: `binding:"required,oneof=a b"`. */
function annotationsOf(context: Context, tag: TreeNode): Annotation[] {
  const text = context.textOf(tag);
  const rules = [...text.matchAll(/\b(?:binding|validate):"([^"]*)"/g)].flatMap(([, list = '']) =>
    list.split(','),
  );
  return rules.map((rule) => {
    const [name = ''] = rule.split('=', 1);
    return { ...spanOf(tag), name, path: null, text: rule, arguments: [] };
  });
}

/** Interfaces of the file whose methods a type has all of. */
function interfacesOf(context: Context, outline: Outline): Type[] {
  const own = methodNames(context, outline, []);
  return context.outlines.flatMap((other) => {
    if (other.kind !== 'interface') return [];
    const asked = methodNames(context, other, []);
    const isMet = asked.size > 0 && [...asked].every((name) => own.has(name));
    return isMet ? [{ ...plainType(other.name), own: other.id }] : [];
  });
}

/** Methods of a type, with methods that are promoted from embedded types. */
function methodNames(
  context: Context,
  outline: Outline,
  within: readonly Outline[],
): ReadonlySet<string> {
  const names = new Set(outline.methods.keys());
  if (within.includes(outline)) return names;
  const embedded =
    outline.kind === 'interface'
      ? outline.node.children
      : fieldNodes(outline.node).flatMap((field) =>
          part(field, 'name') === null ? (part(field, 'type') ?? []) : [],
        );
  for (const node of embedded) {
    const inner = outlineOf(context, node);
    if (inner === null) continue;
    for (const name of methodNames(context, inner, [...within, outline])) names.add(name);
  }
  return names;
}

/** Elements of an array that are kept apart from its declaration on. */
const ARRAY_LENGTH_MAX = 64;

/** An array of a length that is written, with nothing in it; null: its content is not known. */
function zeroArray(context: Context, node: TreeNode): Expression | null {
  const element = part(node, 'element');
  const length = Number(context.textAt(node, 'length'));
  const zero = zeroOf(context, element, typeOf(context, element));
  if (zero === null || !(length <= ARRAY_LENGTH_MAX)) return null;
  return listOf(
    node,
    Array.from({ length }, () => zero),
  );
}

const NUMBER = /^(?:u?int\d*|uintptr|byte|rune|float\d+|complex\d+)$/;

/** What a variable of that type holds before anything is assigned to it; null: not known. */
export function zeroOf(
  context: Context,
  node: TreeNode | null,
  type: Type | null,
): Expression | null {
  if (node === null || type === null) return null;
  if (node.type === 'pointer_type') return constant(node, null);
  if (node.type === 'array_type') return zeroArray(context, node);
  if (type.own !== null || node.type === 'qualified_type') {
    const outline = type.own === null ? null : context.outlines[type.own];
    if (outline != null && outline.kind !== 'class') return null;
    return make(node, type, [], node);
  }
  if (node.type !== 'type_identifier') return null;
  if (type.name === 'error') return constant(node, null);
  if (NUMBER.test(type.name)) return constant(node, 0);
  if (type.name === 'bool') return constant(node, false);
  return type.name === 'string' ? constant(node, '') : null;
}
