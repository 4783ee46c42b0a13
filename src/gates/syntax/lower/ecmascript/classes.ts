import type {
  Annotation,
  ClassId,
  Expression,
  Field,
  FunctionId,
  Statement,
  Type,
  Variable,
} from '../../il/il.ts';
import { bare, child, field, list, type SyntaxNode, text } from '../../parse/swc-node.ts';
import { classWith, constant, declaration, evaluate, fieldWith, plainType } from '../forms.ts';
import { annotationsOf } from './annotations.ts';
import type { Context, Frame } from './context.ts';
import { lowerFunction } from './functions.ts';
import { CONSTRUCTOR, memberName } from './names.ts';
import { declareClass } from './scopes.ts';
import { annotatedType, namedType, typeOf } from './types.ts';

/** A class as a value. */
export function classOf(context: Context, node: SyntaxNode, name: string): Expression {
  const span = context.spanOf(node);
  const { start, end } = span;
  const body = lowerClass(context, node, name);
  const value: Expression = { start, end, form: 'class', id: declareClass(context, node, name) };
  if (body.length === 0) return value;
  const result = context.temporary();
  return { start, end, form: 'run', body: [...body, declaration(span, result, value)], result };
}

/**
 * Lowers a class, enumeration, interface or type of an object; gives what is evaluated where it
 * stands: a base that is an expression, and computed keys.
 */
export function lowerClass(context: Context, node: SyntaxNode, given = ''): Statement[] {
  const name = text(child(node, 'identifier') ?? child(node, 'id'), 'value') || given;
  switch (node.type) {
    case 'TsEnumDeclaration':
      lowerEnum(context, node, name);
      return [];
    case 'TsInterfaceDeclaration':
    case 'TsTypeAliasDeclaration':
      lowerInterface(context, node, name);
      return [];
    default:
      return lowerMembers(context, node, name);
  }
}

/** The number of a class and the variable of its objects. */
function outlineOf(
  context: Context,
  node: SyntaxNode,
  name: string,
): { readonly id: ClassId; readonly self: Variable } {
  const id = declareClass(context, node, name);
  return { id, self: context.classes[id]?.self ?? context.temporary('this') };
}

function lowerMembers(context: Context, node: SyntaxNode, name: string): Statement[] {
  const { id, self } = outlineOf(context, node, name);
  const statements: Statement[] = [];
  const bases = basesOf(context, node, statements);
  const fields: Field[] = [];
  const functions: FunctionId[] = [];
  const initializers: FunctionId[] = [];
  context.within(false, () => {
    const own = text(child(node, 'identifier'), 'value');
    if (node.type === 'ClassExpression' && own !== '') context.declare(own, { ownClass: id });
    for (const member of list(node, 'body')) {
      if (member === null) continue;
      statements.push(...computedKey(context, member));
      const isStatic = field(member, 'isStatic') === true || member.type === 'StaticBlock';
      const owner: Frame['owner'] = { id, self, isStatic };
      const method = member.type === 'Constructor' ? member : child(member, 'function');
      if (member.type === 'StaticBlock') {
        initializers.push(lowerFunction(context, member, { name: '', kind: 'initializer', owner }));
      } else if (method !== null) functions.push(...methodOf(context, member, method, owner));
      else if (/(?:Property|AutoAccessor)$/.test(member.type ?? '')) {
        fields.push(fieldOf(context, member, owner));
      }
      if (member.type === 'Constructor') fields.push(...parameterFields(context, member));
    }
  });
  const annotations = annotationsOf(context, node);
  const members = { fields, functions, initializers };
  const span = context.spanOf(node);
  context.classes[id] = classWith(span, { id, name, self, bases, annotations, ...members });
  const own = functions.flatMap((one) => context.functions[one] ?? []);
  const inner = own.flatMap(({ annotations: all, parameters }) => [
    ...all,
    ...parameters.flatMap((parameter) => parameter.annotations),
  ]);
  const ofFields = fields.flatMap((one) => one.annotations);
  return [...statements, ...decorations([...annotations, ...ofFields, ...inner])];
}

/** What decorators are given is evaluated where the class stands. */
function decorations(annotations: readonly Annotation[]): Statement[] {
  return annotations.flatMap(({ arguments: list }) => list.map((value) => evaluate(value, value)));
}

/** A key that is an expression is evaluated with the class. */
function computedKey(context: Context, member: SyntaxNode): Statement[] {
  const key = child(member, 'key');
  if (key?.type !== 'Computed' || memberName(key) !== null) return [];
  return [evaluate(context.spanOf(key), context.expression(child(key, 'expression'), member))];
}

function methodOf(
  context: Context,
  member: SyntaxNode,
  method: SyntaxNode,
  owner: Frame['owner'],
): FunctionId[] {
  // A signature of an overloaded method does nothing.
  if (child(method, 'body') === null && field(member, 'isAbstract') !== true) return [];
  const key = child(member, 'key');
  const isPrivate = key?.type === 'PrivateName' || text(member, 'accessibility') === 'private';
  const isConstructor = member.type === 'Constructor';
  const name = isConstructor ? CONSTRUCTOR : (memberName(key) ?? '');
  const written = text(member, 'kind');
  const isAccessor = written === 'getter' || written === 'setter';
  const kind = isConstructor ? 'constructor' : isAccessor ? written : 'method';
  return [lowerFunction(context, method, { name, kind, owner, isPrivate })];
}

/** A first value is evaluated with the object as `this`. */
function initialOf(
  context: Context,
  value: SyntaxNode | null,
  name: string,
  owner: Frame['owner'],
): Expression | null {
  if (value === null) return null;
  const { frame } = context;
  context.frame = context.newFrame(owner);
  const initial = context.parts.valueNamed(context, value, value, name);
  context.frame = frame;
  return initial;
}

function fieldOf(context: Context, member: SyntaxNode, owner: Frame['owner']): Field {
  const name = memberName(child(member, 'key')) ?? '';
  const initial = initialOf(context, child(member, 'value'), name, owner);
  return fieldWith(context.spanOf(member), name, {
    type: annotatedType(context, member),
    initial,
    annotations: annotationsOf(context, member),
    isStatic: owner?.isStatic === true,
    isFixed: initial !== null && field(member, 'readonly') === true,
  });
}

/** `constructor(private pool: Pool)` */
function parameterFields(context: Context, member: SyntaxNode): Field[] {
  return list(member, 'params').flatMap((outer): Field[] => {
    if (outer?.type !== 'TsParameterProperty') return [];
    const param = child(outer, 'param');
    const inner = param?.type === 'AssignmentPattern' ? child(param, 'left') : param;
    const type = annotatedType(context, inner);
    const annotations = annotationsOf(context, outer);
    return [fieldWith(context.spanOf(outer), text(inner, 'value'), { type, annotations })];
  });
}

/** Bases by their names; an expression is evaluated where the class stands. */
function basesOf(context: Context, node: SyntaxNode, statements: Statement[]): Type[] {
  const written = bare(child(node, 'superClass'));
  const bases: Type[] = [];
  if (written !== null && !context.isSynthetic(written)) {
    const type = namedType(context, written);
    if (type === null) {
      statements.push(evaluate(context.spanOf(written), context.expression(written, node)));
      bases.push(...mixedInto(context, written));
    } else bases.push(type);
  }
  const interfaces = list(node, 'implements').flatMap((one) => typeOf(context, one) ?? []);
  return [...bases, ...interfaces];
}

/** `extends mixin(A, B)`: classes that are given to a function are bases of what it gives. */
function mixedInto(context: Context, node: SyntaxNode): Type[] {
  const given = list(node, 'arguments').flatMap(
    (one) => namedType(context, child(one, 'expression')) ?? [],
  );
  const own = given.filter((type) => type.own !== null || type.path !== null);
  return own.length > 0 ? own : [plainType(context.textOf(node))];
}

function lowerEnum(context: Context, node: SyntaxNode, name: string): void {
  const { id, self } = outlineOf(context, node, name);
  const owner = { id, self, isStatic: true };
  let next = 0;
  const fields = list(node, 'members').flatMap((member): Field[] => {
    if (member === null) return [];
    const own = text(child(member, 'id'), 'value');
    const given = initialOf(context, child(member, 'init'), own, owner);
    const initial = given ?? constant(context.spanOf(member), next);
    if (initial.form === 'constant' && typeof initial.value === 'number') next = initial.value + 1;
    const flags = { isStatic: true, isFixed: true, isMember: true };
    return [fieldWith(context.spanOf(member), own, { initial, ...flags })];
  });
  replace(context, id, { name, kind: 'enum', fields });
}

function lowerInterface(context: Context, node: SyntaxNode, name: string): void {
  const alias = child(node, 'typeAnnotation');
  if (node.type === 'TsTypeAliasDeclaration' && alias?.type !== 'TsTypeLiteral') return;
  const { id } = outlineOf(context, node, name);
  const members = alias === null ? list(child(node, 'body'), 'body') : list(alias, 'members');
  const fields = members.flatMap((member): Field[] => {
    if (member?.type !== 'TsPropertySignature') return [];
    const own = memberName(child(member, 'key')) ?? '';
    const type = annotatedType(context, member);
    return [fieldWith(context.spanOf(member), own, { type })];
  });
  const bases = list(node, 'extends').flatMap((one) => typeOf(context, one) ?? []);
  // An interface may be declared in several parts.
  const known = context.classes[id];
  replace(context, id, {
    name,
    kind: 'interface',
    bases: [...(known?.bases ?? []), ...bases],
    fields: [...(known?.fields ?? []), ...fields],
  });
}

function replace(
  context: Context,
  id: ClassId,
  changes: Partial<Context['classes'][number]>,
): void {
  const known = context.classes[id];
  if (known !== undefined) context.classes[id] = { ...known, ...changes };
}
