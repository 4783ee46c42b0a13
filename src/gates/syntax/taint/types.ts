import { child, list, type SyntaxNode, text } from './node.ts';
import { isCatalogued, madeBy, pathOfType } from './packages.ts';
import type { Run } from './run.ts';
import { lookUp } from './scope.ts';
import type { Value } from './value.ts';

/** Name of a parameter's type: `string`, `Request` of `express.Request`; '' for all else. */
export function typeNameOf(pattern: SyntaxNode | null): string {
  const type = child(child(pattern, 'typeAnnotation'), 'typeAnnotation');
  if (type?.type === 'TsKeywordType') return text(type, 'kind');
  const name = child(type, 'typeName');
  return text(name?.type === 'TsQualifiedName' ? child(name, 'right') : name, 'value');
}

/** The value with what its declared type tells, where a package of the catalogue has the type. */
export function typedValue(run: Run, pattern: SyntaxNode | null, value: Value): Value {
  const type = child(child(pattern, 'typeAnnotation'), 'typeAnnotation');
  const name = child(type, 'typeName');
  if (name === null) return value;
  const isQualified = name.type === 'TsQualifiedName';
  const first = text(isQualified ? child(name, 'left') : name, 'value');
  const declared = lookUp(run.scope, first);
  const origin = declared === undefined ? pathOfType(first) : declared.origin;
  if (origin === null || !isCatalogued(origin)) return value;
  const path = isQualified ? `${origin}.${text(child(name, 'right'), 'value')}` : origin;
  return madeBy(value, path);
}

/** Numbers, booleans and literals hold no text of an outsider's. */
export function isHarmlessType(type: SyntaxNode | null): boolean {
  switch (type?.type) {
    case 'TsKeywordType':
      return /^(?:number|boolean|bigint|null|undefined|never)$/.test(text(type, 'kind'));
    case 'TsLiteralType':
      return child(type, 'literal')?.type !== 'TemplateLiteral';
    case 'TsUnionType':
      return list(type, 'types').every(isHarmlessType);
    case 'TsArrayType':
      return isHarmlessType(child(type, 'elemType'));
    case 'TsParenthesizedType':
      return isHarmlessType(child(type, 'typeAnnotation'));
    default:
      return false;
  }
}
