import type { Type } from '../../il/il.ts';
import { child, field, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import { plainType } from '../forms.ts';
import type { Context } from './context.ts';
import { moduleNamed, pathOfBinding } from './names.ts';

/** Types within types, and aliases of aliases. */
const DEPTH_MAX = 8;

/** The type that is written at a name; null when absent. */
export function annotatedType(context: Context, node: SyntaxNode | null): Type | null {
  return typeOf(context, child(child(node, 'typeAnnotation'), 'typeAnnotation'));
}

/** A type as it is written. */
export function typeOf(context: Context, node: SyntaxNode | null, depth = 0): Type | null {
  if (node === null || depth > DEPTH_MAX) return null;
  const inner = (key: string) => typeOf(context, child(node, key), depth + 1);
  switch (node.type) {
    case 'TsKeywordType':
      return plainType(text(node, 'kind'));
    case 'TsTypeReference':
      return referredType(context, node, depth);
    case 'TsExpressionWithTypeArguments':
      return namedType(context, child(node, 'expression'), depth);
    case 'TsArrayType':
      return listOf(inner('elemType'));
    case 'TsTupleType': {
      const types = list(node, 'elemTypes').map((one) =>
        typeOf(context, child(one, 'ty'), depth + 1),
      );
      return listOf(unionOf(types));
    }
    case 'TsUnionType':
      return unionOf(list(node, 'types').map((one) => typeOf(context, one, depth + 1)));
    case 'TsIntersectionType':
      return list(node, 'types')
        .map((one) => typeOf(context, one, depth + 1))
        .reduce((first, next) => first ?? next, null);
    case 'TsLiteralType': {
      const { type } = child(node, 'literal') ?? {};
      return plainType(type === 'TemplateLiteral' ? 'string' : 'literal');
    }
    case 'TsParenthesizedType':
    case 'TsOptionalType':
    case 'TsRestType':
      return inner('typeAnnotation');
    case 'TsTypeOperator':
      return text(node, 'op') === 'keyof' ? null : inner('typeAnnotation');
    case 'TsTypePredicate':
      return plainType('boolean');
    case 'TsImportType': {
      const name = text(child(node, 'qualifier'), 'value');
      const path = `${moduleNamed(text(child(node, 'argument'), 'value'))}.${name}`;
      return { ...plainType(name), path };
    }
    default:
      return null;
  }
}

function listOf(element: Type | null): Type {
  const list = element === null ? [] : [element];
  return { ...plainType(`${element?.name ?? ''}[]`), arguments: list, isList: true };
}

/** One of several types: their own where it is only one, what is missing left out. */
function unionOf(types: readonly (Type | null)[]): Type | null {
  const given = types.filter((one) => one === null || !/^(?:null|undefined|void)$/.test(one.name));
  const [first = null] = given;
  const isSame = given.every((one) => one?.name === first?.name && one?.own === first?.own);
  if (isSame) return first;
  const known = given.flatMap((one) => one ?? []);
  return known.length < given.length ? null : { ...plainType('|'), arguments: known };
}

function referredType(context: Context, node: SyntaxNode, depth: number): Type | null {
  const type = namedType(context, child(node, 'typeName'), depth);
  const given = list(child(node, 'typeParams'), 'params').flatMap(
    (one) => typeOf(context, one, depth + 1) ?? [],
  );
  if (type === null) return null;
  if (/^(?:Readonly)?Array$/.test(type.name) && type.own === null) return listOf(given[0] ?? null);
  return { ...type, arguments: given };
}

/** The type that a name, or a chain of names, stands for. */
export function namedType(context: Context, node: SyntaxNode | null, depth = 0): Type | null {
  const names = namesOf(node);
  const [first, ...rest] = names;
  if (first === undefined) return null;
  const name = names.join('.');
  const declared = rest.length === 0 ? context.findType(first) : null;
  if (declared?.alias != null) return typeOf(context, declared.alias, depth + 1);
  const binding = context.find(first);
  const own = declared?.ownClass ?? (rest.length === 0 ? binding?.ownClass : null) ?? null;
  const base = binding === null ? null : pathOfBinding(context, binding);
  const path = base === null ? null : [base, ...rest].join('.');
  return { ...plainType(name), own, path: own === null ? path : null };
}

/** `a`, `b` and `c` of `a.b.c`, for types and expressions; empty for all else. */
function namesOf(node: SyntaxNode | null): string[] {
  switch (node?.type) {
    case 'Identifier':
      return [text(node, 'value')];
    case 'TsQualifiedName': {
      const left = namesOf(child(node, 'left'));
      return left.length === 0 ? [] : [...left, text(child(node, 'right'), 'value')];
    }
    case 'MemberExpression': {
      const left = namesOf(child(node, 'object'));
      const name = field(child(node, 'property'), 'value');
      return left.length === 0 || typeof name !== 'string' ? [] : [...left, name];
    }
    default:
      return [];
  }
}
