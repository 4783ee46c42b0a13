import type {
  Annotation,
  Expression,
  Field,
  FunctionDeclaration,
  FunctionId,
  Parameter,
  Statement,
} from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { literalsIn, type Outline } from '../classes.ts';
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
import { argumentsIn } from './arguments.ts';
import { type Context, flattened, writtenIn } from './context.ts';
import { namedType, pathNamed, typeOf } from './types.ts';

/** Nodes that declare a class. */
export const CLASS = /^(?:class|struct|record|interface|enum)_declaration$/;
/** A method that makes an object. */
const CONSTRUCTOR = '<init>';

/** Names of members that have none of their own. */
const UNNAMED: Readonly<Record<string, string>> = {
  constructor_declaration: CONSTRUCTOR,
  destructor_declaration: 'Finalize',
  operator_declaration: 'op',
  conversion_operator_declaration: 'op',
  indexer_declaration: 'get_Item',
};

/** The attributes of a declaration. */
function annotationsOf(context: Context, node: TreeNode): Annotation[] {
  const lists = node.children.filter(({ type }) => type === 'attribute_list');
  const attributes = lists.flatMap(({ children }) => children);
  return attributes
    .filter(({ type }) => type === 'attribute')
    .map((one) => {
      const whole = context.textAt(one, 'name').replace(/Attribute$|<.*$/gs, '');
      return {
        ...spanOf(one),
        name: whole.slice(whole.lastIndexOf('.') + 1),
        path: pathNamed(context, whole),
        text: context.textOf(one),
        arguments: context.expressionsOf(literalsIn(typed(one, 'attribute_argument_list'))),
      };
    });
}

function isWritten(context: Context, node: TreeNode, ...names: readonly string[]): boolean {
  return node.children.some(
    (one) => one.type === 'modifier' && names.includes(context.textOf(one)),
  );
}

/** The members of a class. */
export function membersOf(node: TreeNode): TreeNode[] {
  return (part(node, 'body')?.children ?? []).flatMap(flattened);
}

/** Declares a class with the names of its members; what they do comes later. */
export function declareClass(context: Context, node: TreeNode, name: string): Outline {
  const fields = new Map<string, boolean>();
  const methods = new Map<string, boolean>();
  for (const { name: own } of parameterNodes(typed(node, 'parameter_list'))) {
    fields.set(context.textOf(own), false);
  }
  const extended: string[] = [];
  for (const one of membersOf(node)) {
    const isStatic = isWritten(context, one, 'static', 'const');
    const own = context.textAt(one, 'name');
    if (one.type === 'method_declaration') {
      methods.set(own, isStatic && methods.get(own) !== false);
      const [first] = parameterNodes(part(one, 'parameters'));
      if (first !== undefined && isWritten(context, first.node, 'this')) extended.push(own);
    } else if (one.type === 'enum_member_declaration') fields.set(own, true);
    else if (one.type === 'property_declaration') fields.set(own, isStatic);
    for (const declared of typed(one, 'variable_declaration')?.children ?? []) {
      const field = context.textAt(declared, 'name');
      if (field !== '') fields.set(field, isStatic);
    }
  }
  const bases = (typed(node, 'base_list')?.children ?? [])
    .filter(({ type }) => type !== 'argument_list')
    .map((one) => context.nameOf(part(one, 'type') ?? one).replace(/<.*$/s, ''));
  const outline = context.addOutline({ name, node, fields, methods, bases }, 'this');
  for (const own of extended) context.extensions.set(own, outline);
  return outline;
}

/** A parameter of a method, lambda or class. */
interface ParameterNode {
  readonly node: TreeNode;
  readonly name: TreeNode;
  readonly type: TreeNode | null;
  readonly isRest: boolean;
}

function parameterNodes(list: TreeNode | null): ParameterNode[] {
  if (list === null) return [];
  if (list.type === 'implicit_parameter' || list.type === 'identifier') {
    return [{ node: list, name: list, type: null, isRest: false }];
  }
  const plain = list.children.flatMap(flattened).flatMap((node): ParameterNode[] => {
    const name = node.type === 'parameter' ? part(node, 'name') : null;
    return name === null ? [] : [{ node, name, type: part(node, 'type'), isRest: false }];
  });
  // `params string[] names` stands in the list itself.
  const name = part(list, 'name');
  const last = { node: list, type: part(list, 'type'), isRest: true };
  return name === null ? plain : [...plain, { ...last, name }];
}

function parametersOf(context: Context, list: TreeNode | null): Parameter[] {
  return parameterNodes(list).map(({ node, name, type: written, isRest }) => {
    const text = context.textOf(name);
    const type = typeOf(context, written);
    const annotations = isRest ? [] : annotationsOf(context, node);
    const given = isRest ? null : writtenIn({ ...node, children: node.children.filter(isValue) });
    const initial = given === null ? null : context.expression(given);
    const variable = context.declare(text);
    if (!isRest && isWritten(context, node, 'out', 'ref')) context.places.add(variable);
    return parameterWith(name, text, variable, { isRest, type, annotations, initial });
  });
}

function isValue({ type, field }: TreeNode): boolean {
  return field !== 'type' && type !== 'attribute_list' && type !== 'modifier';
}

/** What a function is, apart from its node. */
interface Head {
  readonly kind: FunctionDeclaration['kind'];
  readonly owner: Outline | null;
  readonly name: string;
  /** Where its parameters, modifiers and type are, if not beside its body. */
  readonly declared?: TreeNode;
  /** It is called with what is assigned. */
  readonly isSet?: boolean;
}

/** Lowers a method, constructor, accessor or lambda; gives its number. */
export function lowerFunction(context: Context, node: TreeNode, head: Head): FunctionId {
  const { kind, owner, name, declared = node, isSet = false } = head;
  const { isGenerator } = context;
  context.isGenerator = false;
  const isInterface = owner?.node.type === 'interface_declaration';
  // Classes of other files that are derived from it do not stand for callers with data.
  const isOpen = isInterface || isWritten(context, declared, 'public', 'internal');
  const own = {
    ...spanOf(node),
    kind,
    name,
    owner: owner?.id ?? null,
    isStatic: isWritten(context, declared, 'static'),
    isPrivate: owner !== null && !isOpen,
    result: typeOf(context, part(declared, 'returns') ?? part(declared, 'type')),
    annotations: annotationsOf(context, declared),
  };
  const id = context.addFunction(own, () =>
    context.within(null, () => {
      const parameters = parametersOf(context, parameterList(declared));
      if (isSet) {
        const type = own.result;
        parameters.push(parameterWith(node, 'value', context.declare('value'), { type }));
      }
      const before = constructorCalls(context, node, owner);
      const body = bodyOf(context, node);
      const all = body === null ? null : [...before, ...body];
      return { parameters, body: all, isGenerator: context.isGenerator };
    }),
  );
  context.isGenerator = isGenerator;
  return id;
}

function parameterList(node: TreeNode): TreeNode | null {
  return part(node, 'parameters') ?? typed(node, 'parameter_list');
}

function bodyOf(context: Context, node: TreeNode): readonly Statement[] | null {
  const code = part(node, 'body') ?? typed(node, 'block') ?? part(node, 'value');
  if (code === null) return null;
  if (code.type === 'block') return context.body(code);
  const value = code.type === 'arrow_expression_clause' ? (code.children[0] ?? code) : code;
  return [{ ...spanOf(value), form: 'return', value: context.expression(value) }];
}

/** `: this(...)` and `: base(...)`. */
function constructorCalls(context: Context, node: TreeNode, owner: Outline | null): Statement[] {
  const written = typed(node, 'constructor_initializer');
  if (written === null || owner === null) return [];
  const list = argumentsIn(context, typed(written, 'argument_list'));
  const isBase = typed(written, 'base') !== null;
  return [baseCall(written, owner, list, isBase)];
}

function baseCall(
  node: TreeNode,
  owner: Outline,
  list: ReturnType<typeof argumentsIn>,
  isBase: boolean,
): Statement {
  return evaluate(node, call(node, load(node, owner.self), CONSTRUCTOR, list, { isBase }));
}

/** Lowers the members of a class. */
export function lowerClass(context: Context, outline: Outline): void {
  const { id, name, node, self } = outline;
  context.within(outline, () => {
    const members = membersOf(node);
    const fields = members.flatMap((one) => fieldsOf(context, outline, one));
    const functions = members.flatMap((one) => functionsOf(context, outline, one));
    const own = typed(node, 'parameter_list');
    if (own !== null) {
      fields.push(...parameterFields(context, own));
      functions.push(ownConstructor(context, outline));
    }
    for (const inner of context.outlines.filter((one) => members.includes(one.node))) {
      lowerClass(context, inner);
    }
    const bases = outline.bases.map((base) => namedType(context, base));
    const annotations = annotationsOf(context, node);
    const inside = { fields, functions, annotations };
    const kind = kindOf(node);
    context.classes[id] = classWith(node, { id, name, self, kind, bases, ...inside });
  });
}

function kindOf({ type }: TreeNode): 'class' | 'interface' | 'enum' | 'record' {
  if (type === 'record_declaration') return 'record';
  if (type === 'enum_declaration') return 'enum';
  return type === 'interface_declaration' ? 'interface' : 'class';
}

function functionsOf(context: Context, owner: Outline, node: TreeNode): FunctionId[] {
  const name = UNNAMED[node.type] ?? context.textAt(node, 'name');
  switch (node.type) {
    case 'method_declaration':
    case 'operator_declaration':
    case 'conversion_operator_declaration':
    case 'destructor_declaration':
    case 'local_function_statement':
      return [lowerFunction(context, node, { kind: 'method', owner, name })];
    case 'constructor_declaration':
      return [lowerFunction(context, node, { kind: 'constructor', owner, name })];
    case 'property_declaration':
    case 'event_declaration':
    case 'indexer_declaration': {
      const isProperty = node.type === 'property_declaration';
      const value = part(node, 'value');
      const kind = isProperty ? 'getter' : 'method';
      if (value?.type === 'arrow_expression_clause') {
        return [lowerFunction(context, node, { kind, owner, name })];
      }
      return accessorsOf(node).map((one) => {
        const isSet = !/\bget\b/.test(accessorText(context, one));
        const own = isSet && isProperty ? 'setter' : kind;
        return lowerFunction(context, one, { kind: own, owner, name, declared: node, isSet });
      });
    }
    default:
      return [];
  }
}

/** Accessors that run code. */
function accessorsOf(node: TreeNode): TreeNode[] {
  const list = part(node, 'accessors')?.children ?? [];
  return list.flatMap(flattened).filter((one) => part(one, 'body') !== null);
}

/** What stands before the code of an accessor. */
function accessorText(context: Context, node: TreeNode): string {
  const code = part(node, 'body');
  return context.text.slice(node.start, code?.start ?? node.end);
}

function fieldsOf(context: Context, owner: Outline, node: TreeNode): Field[] {
  const annotations = annotationsOf(context, node);
  const isStatic = isWritten(context, node, 'static', 'const');
  if (node.type === 'enum_member_declaration') {
    const type = { ...namedType(context, owner.name), own: owner.id };
    const flags = { isStatic: true, isFixed: true, isMember: true };
    return [fieldWith(node, context.textAt(node, 'name'), { type, ...flags })];
  }
  const isOpen = isWritten(context, node, 'public', 'internal', 'protected');
  const isKept = (name: string) =>
    isWritten(context, node, 'readonly', 'const') || (!isOpen && !context.assigned.has(name));
  if (node.type === 'property_declaration') {
    const value = part(node, 'value');
    if (value?.type === 'arrow_expression_clause' || accessorsOf(node).length > 0) return [];
    const name = context.textAt(node, 'name');
    const type = typeOf(context, part(node, 'type'));
    const initial = value === null ? null : context.valueAs(value, type);
    const accessors = part(node, 'accessors');
    const isRead = accessors !== null && !/\b(?:set|init)\b/.test(context.textOf(accessors));
    const isFixed = initial !== null && (isRead || isKept(name));
    return [fieldWith(node, name, { type, initial, annotations, isStatic, isFixed })];
  }
  const declaration = typed(node, 'variable_declaration');
  const type = typeOf(context, part(declaration, 'type'));
  return (declaration?.children ?? []).flatMap((one): Field[] => {
    const name = one.type === 'variable_declarator' ? part(one, 'name') : null;
    if (name === null) return [];
    const text = context.textOf(name);
    const value = writtenIn(one);
    const initial: Expression | null = value === null ? null : context.valueAs(value, type);
    const isFixed = initial !== null && isKept(text);
    return [fieldWith(name, text, { type, initial, annotations, isStatic, isFixed })];
  });
}

/** What stands behind the name of a class is kept in its objects. */
function parameterFields(context: Context, list: TreeNode): Field[] {
  return parameterNodes(list).map(({ node, name, type: written, isRest }) => {
    const type = typeOf(context, written);
    const annotations = isRest ? [] : annotationsOf(context, node);
    return fieldWith(name, context.textOf(name), { type, annotations });
  });
}

/** The constructor that stands behind the name of a class. */
function ownConstructor(context: Context, outline: Outline): FunctionId {
  const { node, self } = outline;
  const children = node.children.filter(({ type }) => type === 'parameter_list');
  const head = { kind: 'constructor', owner: outline, name: CONSTRUCTOR } as const;
  const id = lowerFunction(context, { ...node, children }, head);
  const made = context.functions[id];
  if (made === undefined) return id;
  const base = typed(node, 'base_list');
  const given =
    typed(base, 'argument_list') ??
    typed(typed(base, 'primary_constructor_base_type'), 'argument_list');
  const before = context.within(null, () => {
    for (const { name, variable } of made.parameters) context.scope.names.set(name, variable);
    if (given === null) return [];
    return [baseCall(given, outline, argumentsIn(context, given), true)];
  });
  const fill = made.parameters.map((one): Statement => {
    return put(member(one, load(one, self), one.name), load(one, one.variable));
  });
  context.functions[id] = { ...made, isPrivate: false, body: [...fill, ...before] };
  return id;
}
