import type {
  ClassDeclaration,
  Expression,
  Field,
  FunctionId,
  Statement,
  Type,
} from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import {
  call,
  classWith,
  evaluate,
  fieldWith,
  load,
  member,
  parameterWith,
  put,
  spanOf,
} from '../forms.ts';
import type { Outline } from '../lowering.ts';
import type { Context } from './context.ts';
import {
  annotationOf,
  CONSTRUCTOR,
  decoratorsOf,
  definitionOf,
  lowerFunction,
  metadataOf,
} from './functions.ts';
import { bindNames, outlineClass } from './names.ts';
import { typeOf } from './types.ts';

/** Bases that make a constructor of the fields that are declared. */
const MADE_OF_FIELDS =
  /^(?:dataclass|dataclasses|attrs|define|frozen|mutable|attr|s|total_ordering)$/;
/** The method that such a constructor calls in the end. */
const COMPLETION = '__post_init__';
/** Bases whose objects hold values of the types that are written, or are not made: pydantic. */
const CHECKED_MODEL = /^pydantic(?:\.\w+)*\.BaseModel$/;

/** Lowers a class; gives what its body does beside declarations. */
export function lowerClass(
  context: Context,
  node: TreeNode,
  decorators: readonly TreeNode[],
): Statement[] {
  const outline = outlineClass(context, node, context.textAt(node, 'name'));
  const bases = basesOf(context, node);
  const isEnum = bases.some((base) => /(?:Enum|Choices|Flag)$/.test(base.name));
  const body = part(node, 'body')?.children ?? [];
  const fields: Field[] = [];
  const functions: FunctionId[] = [];
  const rest: Statement[] = [];
  context.within('class', () => {
    bindFields(context, outline, body);
    for (const one of body) {
      const definition = definitionOf(one);
      if (definition?.type === 'function_definition') {
        functions.push(lowerFunction(context, definition, decoratorsOf(one), outline));
        continue;
      }
      if (definition?.type === 'class_definition') {
        const inner = context.textAt(definition, 'name');
        rest.push(...lowerClass(context, definition, decoratorsOf(one)));
        const { id } = outlineClass(context, definition, inner);
        const initial: Expression = { ...spanOf(definition), form: 'class', id };
        fields.push(fieldOf(context, definition, inner, null, initial));
        continue;
      }
      const field = fieldIn(context, one);
      if (field === null) rest.push(...context.statement(one));
      else fields.push({ ...field, isMember: isEnum });
    }
  });
  const annotations = decorators.map((one) => annotationOf(context, one.children[0] ?? one));
  const { id, name, self } = outline;
  const kind = isEnum ? 'enum' : 'class';
  const declared = classWith(node, { id, name, self, kind, bases, fields, functions, annotations });
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
function fieldIn(context: Context, node: TreeNode): Field | null {
  const [assignment] = node.type === 'expression_statement' ? node.children : [];
  const name = part(assignment ?? null, 'left');
  if (assignment?.type !== 'assignment' || name?.type !== 'identifier') return null;
  const given = part(assignment, 'right');
  if (given?.type === 'assignment') return null;
  const initial = given === null ? null : context.expression(given);
  const type = part(assignment, 'type');
  const field = fieldOf(context, name, context.textOf(name), type, initial);
  return { ...field, annotations: metadataOf(context, type, given) };
}

function fieldOf(
  context: Context,
  node: TreeNode,
  name: string,
  type: TreeNode | null,
  initial: Expression | null,
): Field {
  const isFixed = !context.assigned.has(name);
  return fieldWith(node, name, { type: typeOf(context, type), initial, isFixed });
}

/** The constructor that a class has by itself: one parameter for each field with a type. */
function makerOf(context: Context, owner: Outline, declared: ClassDeclaration): FunctionId | null {
  const { fields, functions, bases, annotations } = declared;
  const isOwn = functions.some((id) => context.functions[id]?.name === CONSTRUCTOR);
  const isMade = annotations.some((one) => MADE_OF_FIELDS.test(one.name));
  const hasOwnBase = bases.some(({ own }) => own !== null);
  const given = fields.filter(({ type }) => type !== null && type.name !== 'ClassVar');
  if (isOwn || given.length === 0 || (hasOwnBase && !isMade)) return null;
  const isChecked = bases.some(({ path }) => CHECKED_MODEL.test(path ?? ''));
  const head = { ...spanOf(declared), name: CONSTRUCTOR, kind: 'constructor' } as const;
  return context.addFunction({ ...head, owner: owner.id }, () => {
    context.size = given.length;
    const parameters = given.map((one) =>
      parameterWith(one, one.name, context.temporary(one.name), { initial: one.initial }),
    );
    const body = parameters.map((one) => {
      const place = member(one, load(one, owner.self), one.name);
      const value = load(one, one.variable);
      const type = given.find(({ name }) => name === one.name)?.type ?? null;
      const { start, end } = one;
      const isTyped = isChecked && type !== null;
      return put(place, isTyped ? { start, end, form: 'cast', type, value } : value);
    });
    const isCompleted = functions.some((id) => context.functions[id]?.name === COMPLETION);
    const self = load(declared, owner.self);
    const completed = evaluate(declared, call(declared, self, COMPLETION, []));
    return { parameters, body: isCompleted ? [...body, completed] : body };
  });
}
