import type {
  ClassDeclaration,
  Expression,
  Field,
  FunctionDeclaration,
  FunctionId,
  Statement,
  Type,
} from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import type { Context, Outline } from './context.ts';
import {
  annotationOf,
  CONSTRUCTOR,
  decoratorsOf,
  definitionOf,
  lowerFunction,
} from './functions.ts';
import { bindNames, outlineClass } from './names.ts';
import { typeOf } from './types.ts';

/** Bases that make a constructor of the fields that are declared. */
const MADE_OF_FIELDS =
  /^(?:dataclass|dataclasses|attrs|define|frozen|mutable|attr|s|total_ordering)$/;

/** Lowers a class; gives what its body does beside declarations. */
export function lowerClass(
  context: Context,
  node: TreeNode,
  decorators: readonly TreeNode[],
): Statement[] {
  const name = part(node, 'name');
  const outline = outlineClass(context, node, name === null ? '' : context.textOf(name));
  const bases = basesOf(context, node);
  const isEnum = bases.some((base) => /(?:Enum|Choices|Flag)$/.test(base.name));
  const body = part(node, 'body')?.children ?? [];
  const fields: Field[] = [];
  const functions: FunctionId[] = [];
  const rest: Statement[] = [];
  context.within('class', () => {
    bindFields(context, outline, body);
    for (const member of body) {
      const definition = definitionOf(member);
      if (definition?.type === 'function_definition') {
        functions.push(lowerFunction(context, definition, decoratorsOf(member), outline));
        continue;
      }
      if (definition?.type === 'class_definition') {
        const inner = part(definition, 'name');
        const text = inner === null ? '' : context.textOf(inner);
        rest.push(...lowerClass(context, definition, decoratorsOf(member)));
        const { id } = outlineClass(context, definition, text);
        const { start, end } = definition;
        fields.push(fieldOf(context, definition, text, null, { start, end, form: 'class', id }));
        continue;
      }
      const field = fieldIn(context, member);
      if (field === null) rest.push(...context.statement(member));
      else fields.push(field);
    }
  });
  const annotations = decorators.map((one) => annotationOf(context, one.children[0] ?? one));
  const { id, self } = outline;
  const { start, end } = node;
  const declared: ClassDeclaration = {
    id,
    name: outline.name,
    self,
    start,
    end,
    bases,
    fields,
    functions,
    annotations,
    kind: isEnum ? 'enum' : 'class',
    initializers: [],
  };
  const maker = isEnum ? null : makerOf(context, outline, declared);
  context.classes[id] =
    maker === null ? declared : { ...declared, functions: [...functions, maker] };
  return rest;
}

/** Names of the body are members of the class; no function within it sees them by their names. */
function bindFields(context: Context, owner: Outline, body: readonly TreeNode[]): void {
  bindNames(context, body);
  const { names } = context.scope;
  for (const [name, known] of names) {
    if (known.kind === 'variable') names.set(name, { kind: 'field', owner });
  }
}

function basesOf(context: Context, node: TreeNode): Type[] {
  const list = part(node, 'superclasses')?.children ?? [];
  return list.flatMap((one) => {
    const written = one.type === 'call' ? part(one, 'function') : one;
    return one.type === 'keyword_argument' ? [] : (typeOf(context, written) ?? []);
  });
}

/** `name = value`, `name: type`; null: another statement. */
function fieldIn(context: Context, member: TreeNode): Field | null {
  const [assignment] = member.type === 'expression_statement' ? member.children : [];
  const name = part(assignment ?? null, 'left');
  if (assignment?.type !== 'assignment' || name?.type !== 'identifier') return null;
  const given = part(assignment, 'right');
  if (given?.type === 'assignment') return null;
  const initial = given === null ? null : context.expression(given);
  return fieldOf(context, name, context.textOf(name), part(assignment, 'type'), initial);
}

function fieldOf(
  context: Context,
  { start, end }: TreeNode,
  name: string,
  type: TreeNode | null,
  initial: Expression | null,
): Field {
  return {
    start,
    end,
    name,
    type: typeOf(context, type),
    initial,
    annotations: [],
    isStatic: false,
    isFixed: !context.assigned.has(name),
    isMember: false,
  };
}

/** The constructor that a class has by itself: one parameter for each field with a type. */
function makerOf(context: Context, owner: Outline, declared: ClassDeclaration): FunctionId | null {
  const { fields, functions, bases, annotations } = declared;
  const isOwn = functions.some((id) => context.functions[id]?.name === CONSTRUCTOR);
  const isMade = annotations.some((one) => MADE_OF_FIELDS.test(one.name));
  const hasOwnBase = bases.some(({ own }) => own !== null);
  const given = fields.filter(({ type }) => type !== null && type.name !== 'ClassVar');
  if (isOwn || given.length === 0 || (hasOwnBase && !isMade)) return null;
  const from = context.variables.length;
  const parameters = given.map(({ start, end, name, initial }) => {
    const variable = context.variables.push(name) - 1;
    const flags = { type: null, annotations: [], isRest: false, initial };
    return { start, end, name, variable, ...flags };
  });
  const body = parameters.map(({ start, end, name, variable }): Statement => {
    const object: Expression = { start, end, form: 'load', variable: owner.self };
    const place: Expression = { start, end, form: 'member', object, name };
    const value: Expression = { start, end, form: 'load', variable };
    const given = { form: 'assign', place, sign: null, value, isAfter: false } as const;
    return { start, end, form: 'evaluate', value: { ...given, start, end } };
  });
  const { start, end } = declared;
  const id = context.functions.length;
  const made: FunctionDeclaration = {
    id,
    start,
    end,
    name: CONSTRUCTOR,
    kind: 'constructor',
    parameters,
    body,
    result: null,
    owner: owner.id,
    isStatic: false,
    isPrivate: false,
    annotations: [],
    size: parameters.length,
    variables: [from, context.variables.length],
  };
  context.functions.push(made);
  return id;
}
