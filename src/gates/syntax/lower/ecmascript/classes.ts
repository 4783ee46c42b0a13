import type {
  Annotation,
  ClassDeclaration,
  Expression,
  Field,
  FunctionId,
  Statement,
  Type,
} from '../../il/il.ts';
import { bare, child, field, list, type SyntaxNode, text } from '../../taint/node.ts';
import { annotationsOf } from './annotations.ts';
import { type Context, type Frame, plainType } from './context.ts';
import { lowerFunction } from './functions.ts';
import { CONSTRUCTOR, memberName } from './names.ts';
import { declareClass } from './scopes.ts';
import { annotatedType, namedType, typeOf } from './types.ts';

/** A class as a value. */
export function classOf(context: Context, node: SyntaxNode, name: string): Expression {
  const span = context.spanOf(node);
  const id = declareClass(context, node, name);
  const body = lowerClass(context, node, name);
  const value: Expression = { ...span, form: 'class', id };
  if (body.length === 0) return value;
  const result = context.temporary();
  const given = { form: 'declare', variable: result, type: null, value, annotations: [] } as const;
  return { ...span, form: 'run', body: [...body, { ...span, ...given }], result };
}

/**
 * Lowers a class, enumeration, interface or type of an object; gives what is evaluated where it
 * stands: a base that is an expression, and computed keys.
 */
export function lowerClass(context: Context, node: SyntaxNode, given = ''): Statement[] {
  const written = text(child(node, 'identifier') ?? child(node, 'id'), 'value');
  const name = written || given;
  switch (node.type) {
    case 'TsEnumDeclaration':
      return lowerEnum(context, node, name);
    case 'TsInterfaceDeclaration':
    case 'TsTypeAliasDeclaration':
      return lowerInterface(context, node, name);
    default:
      return lowerMembers(context, node, name);
  }
}

function lowerMembers(context: Context, node: SyntaxNode, name: string): Statement[] {
  const id = declareClass(context, node, name);
  const self = context.classes[id]?.self ?? context.temporary('this');
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
      const key = child(member, 'key');
      const isComputed = key?.type === 'Computed' && memberName(key) === null;
      if (isComputed) {
        const value = context.expression(child(key, 'expression'), member);
        statements.push({ ...context.spanOf(key), form: 'evaluate', value });
      }
      const isStatic = field(member, 'isStatic') === true || member.type === 'StaticBlock';
      const owner: Frame['owner'] = { id, self, isStatic };
      const method = functionOf(member);
      if (member.type === 'StaticBlock') {
        initializers.push(lowerFunction(context, member, { name: '', kind: 'initializer', owner }));
      } else if (method !== null) functions.push(methodOf(context, member, method, owner));
      else if (/(?:Property|AutoAccessor)$/.test(member.type ?? '')) {
        fields.push(fieldOf(context, member, owner));
      }
      if (member.type === 'Constructor') fields.push(...parameterFields(context, member));
    }
  });
  const annotations = annotationsOf(context, node);
  context.classes[id] = {
    ...{ ...context.spanOf(node), id, name, kind: 'class', bases, fields, functions },
    ...{ initializers, self, annotations },
  };
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
  return annotations.flatMap(({ arguments: list }) =>
    list.map((value): Statement => {
      return { start: value.start, end: value.end, form: 'evaluate', value };
    }),
  );
}

/** The function of a method or constructor; null: another member. */
function functionOf(member: SyntaxNode): SyntaxNode | null {
  return member.type === 'Constructor' ? member : child(member, 'function');
}

function isPrivate(member: SyntaxNode): boolean {
  return (
    child(member, 'key')?.type === 'PrivateName' || text(member, 'accessibility') === 'private'
  );
}

function methodOf(
  context: Context,
  member: SyntaxNode,
  method: SyntaxNode,
  owner: Frame['owner'],
): FunctionId {
  const isConstructor = member.type === 'Constructor';
  const kinds: Readonly<Record<string, 'getter' | 'setter'>> = {
    getter: 'getter',
    setter: 'setter',
  };
  const kind = isConstructor ? 'constructor' : (kinds[text(member, 'kind')] ?? 'method');
  const name = isConstructor ? CONSTRUCTOR : (memberName(child(member, 'key')) ?? '');
  return lowerFunction(context, method, { name, kind, owner, isPrivate: isPrivate(member) });
}

/** Lowers something that is evaluated with the object as `this`. */
function withOwner<T>(context: Context, owner: Frame['owner'], inner: () => T): T {
  const { frame } = context;
  context.frame = { owner, self: null, given: null };
  try {
    return inner();
  } finally {
    context.frame = frame;
  }
}

function fieldOf(context: Context, member: SyntaxNode, owner: Frame['owner']): Field {
  const name = memberName(child(member, 'key')) ?? '';
  const value = child(member, 'value');
  const isReadonly = field(member, 'readonly') === true;
  return {
    ...{ ...context.spanOf(member), name, isStatic: owner?.isStatic === true, isMember: false },
    type: annotatedType(context, member),
    initial:
      value === null
        ? null
        : withOwner(context, owner, () => context.parts.valueNamed(context, value, member, name)),
    annotations: annotationsOf(context, member),
    isFixed: value !== null && isReadonly,
  };
}

/** `constructor(private pool: Pool)` */
function parameterFields(context: Context, member: SyntaxNode): Field[] {
  return list(member, 'params').flatMap((outer): Field[] => {
    if (outer?.type !== 'TsParameterProperty') return [];
    const param = child(outer, 'param');
    const inner = param?.type === 'AssignmentPattern' ? child(param, 'left') : param;
    return [
      {
        ...{ ...context.spanOf(outer), name: text(inner, 'value'), initial: null },
        type: annotatedType(context, inner),
        annotations: annotationsOf(context, outer),
        ...{ isStatic: false, isFixed: false, isMember: false },
      },
    ];
  });
}

/** Bases by their names; one that is an expression is evaluated where the class stands. */
function basesOf(context: Context, node: SyntaxNode, statements: Statement[]): Type[] {
  const written = bare(child(node, 'superClass'));
  const bases: Type[] = [];
  if (written !== null && !context.isSynthetic(written)) {
    const type = namedType(context, written);
    if (type === null) {
      const value = context.expression(written, node);
      statements.push({ ...context.spanOf(written), form: 'evaluate', value });
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

function lowerEnum(context: Context, node: SyntaxNode, name: string): Statement[] {
  const id = declareClass(context, node, name);
  const self = context.classes[id]?.self ?? context.temporary('this');
  let next = 0;
  const fields = list(node, 'members').flatMap((member): Field[] => {
    if (member === null) return [];
    const span = context.spanOf(member);
    const init = child(member, 'init');
    const initial: Expression =
      init === null
        ? { ...span, form: 'constant', value: next }
        : withOwner(context, { id, self, isStatic: true }, () => context.expression(init, member));
    if (initial.form === 'constant' && typeof initial.value === 'number') next = initial.value + 1;
    const flags = { isStatic: true, isFixed: true, isMember: true };
    const own = text(child(member, 'id'), 'value');
    return [{ ...span, name: own, type: null, initial, annotations: [], ...flags }];
  });
  context.classes[id] = {
    ...{ ...context.spanOf(node), id, name, kind: 'enum', bases: [], fields, self },
    ...{ functions: [], initializers: [], annotations: [] },
  };
  return [];
}

function lowerInterface(context: Context, node: SyntaxNode, name: string): Statement[] {
  const alias = child(node, 'typeAnnotation');
  if (node.type === 'TsTypeAliasDeclaration' && alias?.type !== 'TsTypeLiteral') return [];
  const id = declareClass(context, node, name);
  const known = context.classes[id];
  if (known === undefined) return [];
  const members = alias === null ? list(child(node, 'body'), 'body') : list(alias, 'members');
  const fields = members.flatMap((member): Field[] => {
    if (member?.type !== 'TsPropertySignature') return [];
    return [
      {
        ...{ ...context.spanOf(member), name: memberName(child(member, 'key')) ?? '' },
        ...{ type: annotatedType(context, member), initial: null, annotations: [] },
        ...{ isStatic: false, isFixed: false, isMember: false },
      },
    ];
  });
  const bases = list(node, 'extends').flatMap((one) => typeOf(context, one) ?? []);
  // An interface may be declared in several parts.
  const all: ClassDeclaration = {
    ...{ ...known, name, kind: 'interface' },
    bases: [...known.bases, ...bases],
    fields: [...known.fields, ...fields],
  };
  context.classes[id] = all;
  return [];
}
