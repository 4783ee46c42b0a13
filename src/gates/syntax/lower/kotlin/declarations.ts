import type {
  Annotation,
  Expression,
  Field,
  FunctionDeclaration,
  FunctionId,
  Parameter,
  Statement,
  Type,
} from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { literalsIn, type Outline } from '../classes.ts';
import {
  call,
  classWith,
  evaluate,
  fieldWith,
  load,
  make,
  member,
  parameterWith,
  put,
  spanOf,
} from '../forms.ts';
import { eachNode } from '../lowering.ts';
import { argumentsOf } from './arguments.ts';
import type { Context } from './context.ts';
import { namedType, pathNamed, TYPE, typeOf } from './types.ts';

/** Nodes that declare a class. */
export const CLASS = /^(?:class_declaration|object_declaration|companion_object)$/;
/** A method that makes an object. */
export const CONSTRUCTOR = '<init>';
/** Nodes of a property beside its value. */
const HEAD =
  /^(?:modifiers|type_parameters|variable_declaration|multi_variable_declaration|type_constraints|property_delegate|getter|setter)$|_type$/;

/** The annotations of a declaration: of a node `modifiers` or `parameter_modifiers`. */
export function annotationsOf(context: Context, list: TreeNode | null): Annotation[] {
  const nodes = (list?.children ?? []).filter(({ type }) => type === 'annotation');
  return nodes.flatMap((node) =>
    node.children.flatMap((one): Annotation[] => {
      const made = one.type === 'constructor_invocation';
      const type = made ? (one.children[0] ?? one) : one;
      if (type.type !== 'user_type') return [];
      const whole = context.nameOf(type).replace(/<.*$/s, '');
      const given = made ? typed(one, 'value_arguments') : null;
      return [
        {
          ...spanOf(node),
          name: whole.slice(whole.lastIndexOf('.') + 1),
          path: pathNamed(context, whole),
          text: context.textOf(node),
          arguments: context.expressionsOf(literalsIn(given)),
        },
      ];
    }),
  );
}

function isWritten(context: Context, node: TreeNode, word: string): boolean {
  const modifiers = typed(node, 'modifiers');
  return modifiers?.children.some((one) => context.textOf(one) === word) === true;
}

/** `class A : B by c { }`: the grammar takes the body for a lambda that `c` is called with. */
function delegatedBody(node: TreeNode): TreeNode | null {
  const last = typed(node, 'delegation_specifiers')?.children.at(-1) ?? null;
  const given = typed(typed(last, 'explicit_delegation'), 'call_expression');
  return typed(typed(given, 'annotated_lambda'), 'lambda_literal');
}

/** The members of a class. */
export function membersOf(node: TreeNode): readonly TreeNode[] {
  const body = typed(node, 'class_body') ?? typed(node, 'enum_class_body') ?? delegatedBody(node);
  return (body ?? (node.type === 'source_file' ? node : null))?.children ?? [];
}

/** Members with whether each is static: members of objects are. */
function staticMembers(
  node: TreeNode,
  isStatic: boolean,
): { readonly node: TreeNode; readonly isStatic: boolean }[] {
  return membersOf(node).flatMap((one) =>
    one.type === 'companion_object' ? staticMembers(one, true) : [{ node: one, isStatic }],
  );
}

/** What stands before the name of an extension: the type that it is called on; null: absent. */
function extendedBy(node: TreeNode): TreeNode | null {
  const { children } = node;
  const end = children.findIndex(
    ({ type, field }) => field === 'name' || /variable_declaration$/.test(type),
  );
  return children.slice(0, Math.max(0, end)).find(({ type }) => TYPE.test(type)) ?? null;
}

/** The name of a property; '' of several that are taken apart. */
function propertyName(context: Context, node: TreeNode): string {
  const name = typed(typed(node, 'variable_declaration'), 'identifier');
  return name === null ? '' : context.nameOf(name);
}

/** The parameters of a class. */
function classParameters(node: TreeNode): readonly TreeNode[] {
  return typed(typed(node, 'primary_constructor'), 'class_parameters')?.children ?? [];
}

/** Whether a parameter of a class is a property as well. */
function isProperty(context: Context, node: TreeNode): boolean {
  const name = typed(node, 'identifier');
  const start = typed(node, 'modifiers')?.end ?? node.start;
  return /\bva[lr]\s*$/.test(context.text.slice(start, name?.start ?? node.end));
}

/** Declares a class with the names of its members; what they do comes later. */
export function declareClass(context: Context, node: TreeNode, name: string): Outline {
  const fields = new Map<string, boolean>();
  const methods = new Map<string, boolean>();
  const extended: string[] = [];
  const isObject = node.type !== 'class_declaration' && node.type !== 'object_literal';
  for (const one of classParameters(node)) {
    const own = typed(one, 'identifier');
    if (own !== null && isProperty(context, one)) fields.set(context.nameOf(own), false);
  }
  for (const { node: one, isStatic } of staticMembers(node, isObject)) {
    const own = context.nameOf(part(one, 'name') ?? { start: 0, end: 0 });
    if (one.type === 'function_declaration') {
      methods.set(own, isStatic && methods.get(own) !== false);
      if (extendedBy(one) !== null) extended.push(own);
    }
    if (one.type === 'enum_entry')
      fields.set(context.nameOf(one.children.find(isName) ?? one), true);
    const property = one.type === 'property_declaration' ? propertyName(context, one) : '';
    if (property === '') continue;
    if (extendedBy(one) === null) fields.set(property, isStatic);
    else {
      extended.push(property);
      context.extensionProperties.add(property);
      methods.set(property, isStatic);
    }
  }
  const bases = specifiersOf(node).map(({ type }) => context.nameOf(type).replace(/<.*$/s, ''));
  const outline = context.addOutline({ name, node, fields, methods, bases }, 'this');
  if (isObject) context.objects.add(outline);
  for (const one of extended) context.extensions.set(one, outline);
  return outline;
}

function isName({ type }: TreeNode): boolean {
  return type === 'identifier';
}

interface Specifier {
  readonly type: TreeNode;
  /** What the base is made with; null: it is an interface, or another constructor makes it. */
  readonly given: TreeNode | null;
}

function specifiersOf(node: TreeNode): Specifier[] {
  const list = typed(node, 'delegation_specifiers')?.children ?? [];
  return list.flatMap(({ children }): Specifier[] => {
    const one = children.find(({ type }) => type !== 'annotation');
    if (one === undefined) return [];
    const isInner = one.type === 'constructor_invocation' || one.type === 'explicit_delegation';
    const type = isInner ? one.children[0] : one;
    return type === undefined ? [] : [{ type, given: typed(one, 'value_arguments') }];
  });
}

/** Classes by their names, those within others as well, before anything is lowered. */
export function declareAll(context: Context, nodes: readonly TreeNode[]): void {
  for (const node of nodes) {
    if (!CLASS.test(node.type)) continue;
    const name = part(node, 'name');
    if (node.type !== 'companion_object') {
      declareClass(context, node, name === null ? '' : context.nameOf(name));
    }
    declareAll(context, membersOf(node));
  }
}

/** What a function is, apart from its node. */
interface Head {
  readonly kind: FunctionDeclaration['kind'];
  readonly owner: Outline | null;
  readonly name: string;
  readonly isStatic?: boolean;
  /** Where its modifiers and type are, if not beside its body. */
  readonly declared?: TreeNode;
}

/** Lowers a function, accessor or constructor; gives its number. */
export function lowerFunction(context: Context, node: TreeNode, head: Head): FunctionId {
  const { kind, owner, name, declared = node, isStatic = false } = head;
  const extended = extendedBy(declared);
  const modifiers = typed(declared, 'modifiers');
  const own = {
    ...spanOf(node),
    kind,
    name,
    owner: owner?.id ?? null,
    isStatic,
    isPrivate: isWritten(context, declared, 'private'),
    result: typeOf(context, resultOf(declared)),
    annotations: annotationsOf(context, modifiers),
  };
  return context.addFunction(own, () =>
    context.within(null, () => {
      const type = typeOf(context, extended);
      const receiver =
        extended === null
          ? []
          : [parameterWith(extended, 'this', context.declare('this'), { type })];
      const parameters = [...receiver, ...parametersOf(context, node)];
      const before = kind === 'constructor' ? delegationOf(context, node, owner) : [];
      const body = context.inFrame({ name, inlined: null }, () => bodyOf(context, node));
      return { parameters, body: body === null ? null : [...before, ...body] };
    }),
  );
}

/** The type that stands behind the parameters; null: it is not written. */
function resultOf(node: TreeNode): TreeNode | null {
  const { children } = node;
  const at = children.findIndex(({ type }) => type === 'function_value_parameters');
  const type = children.slice(at + 1).find((one) => TYPE.test(one.type));
  return at < 0
    ? (typed(typed(node, 'variable_declaration'), 'user_type') ?? null)
    : (type ?? null);
}

/** Parameters with the modifiers before and the value behind each. */
function parametersOf(context: Context, node: TreeNode): Parameter[] {
  if (node.type === 'setter') {
    const name = typed(node, 'identifier');
    return name === null ? [] : [plainParameter(context, name)];
  }
  const nodes = typed(node, 'function_value_parameters')?.children ?? [];
  return nodes.flatMap((one, index): Parameter[] => {
    if (one.type !== 'parameter') return [];
    const before = nodes[index - 1];
    const behind = nodes[index + 1];
    const modifiers = before?.type === 'parameter_modifiers' ? before : null;
    const value = behind === undefined || /^parameter/.test(behind.type) ? null : behind;
    return [parameterOf(context, one, modifiers, value)];
  });
}

function plainParameter(context: Context, name: TreeNode): Parameter {
  const text = context.nameOf(name);
  return parameterWith(name, text, context.declare(text));
}

function parameterOf(
  context: Context,
  node: TreeNode,
  modifiers: TreeNode | null,
  value: TreeNode | null,
): Parameter {
  const name = node.children.find(isName) ?? node;
  const text = context.nameOf(name);
  const type = typeOf(context, node.children.find((one) => TYPE.test(one.type)) ?? null);
  const annotations = annotationsOf(context, modifiers);
  const isRest = modifiers !== null && /\bvararg\b/.test(context.textOf(modifiers));
  const initial = value === null ? null : context.expression(value);
  const variable = context.declare(text);
  return parameterWith(name, text, variable, { isRest, type, annotations, initial });
}

/** The body of a function; null: it is declared without one. */
function bodyOf(context: Context, node: TreeNode): Statement[] | null {
  if (node.type === 'secondary_constructor') return context.body(typed(node, 'block'));
  if (node.type === 'anonymous_initializer') return context.body(typed(node, 'block'));
  const code = typed(node, 'function_body')?.children[0];
  if (code === undefined) return null;
  if (code.type === 'block') return context.body(code);
  return [{ ...spanOf(code), form: 'return', value: context.expression(code) }];
}

/** `: this(...)` and `: super(...)`. */
function delegationOf(context: Context, node: TreeNode, owner: Outline | null): Statement[] {
  const written = typed(node, 'constructor_delegation_call');
  if (written === null || owner === null) return [];
  const list = argumentsOf(context, typed(written, 'value_arguments'));
  const isBase = context.textOf(written).startsWith('super');
  const self = load(written, owner.self);
  return [evaluate(written, call(written, self, CONSTRUCTOR, list, { isBase }))];
}

/** Lowers the members of a class. */
export function lowerClass(context: Context, outline: Outline): void {
  const { id, name, node, self } = outline;
  const isObject = context.objects.has(outline);
  context.within(outline, () => {
    const members = staticMembers(node, isObject);
    for (const { node: one } of members) {
      const isKnown = context.outlines.some((other) => other.node === one);
      const own = part(one, 'name');
      if (CLASS.test(one.type) && own !== null && !isKnown) {
        declareClass(context, one, context.nameOf(own));
      }
    }
    const made = primaryConstructor(context, outline, members);
    const properties = members.filter(({ node: one }) => one.type === 'property_declaration');
    const accessors = properties.flatMap((one) => accessorsOf(context, outline, one));
    const functions = members.flatMap(({ node: one, isStatic }) => {
      const own = part(one, 'name');
      if (one.type === 'function_declaration' && own !== null) {
        const head = { kind: 'method', owner: outline, name: context.nameOf(own) } as const;
        return [lowerFunction(context, one, { ...head, isStatic })];
      }
      if (one.type !== 'secondary_constructor') return [];
      const head = { kind: 'constructor', owner: outline, name: CONSTRUCTOR } as const;
      return [lowerFunction(context, one, head)];
    });
    const initializers = members
      .filter(({ node: one, isStatic }) => isStatic && one.type === 'anonymous_initializer')
      .map(({ node: one }) =>
        lowerFunction(context, one, {
          kind: 'initializer',
          owner: outline,
          name: '',
          isStatic: true,
        }),
      );
    const entries = members.filter(({ node: one }) => one.type === 'enum_entry');
    const fields = [
      ...made.fields,
      ...entries.map((one) => entryField(context, outline, one.node)),
    ];
    const read = fields.filter((one) => context.accessors.has(accessorName('get', one.name)));
    const getters = read.map((one) => getterFor(context, outline, one));
    const inner = members.map((one) => one.node);
    for (const one of context.outlines.filter((other) => inner.includes(other.node))) {
      lowerClass(context, one);
    }
    const bases = outline.bases.map((base) => namedType(context, base));
    const annotations = annotationsOf(context, typed(node, 'modifiers'));
    const all = [...made.functions, ...accessors, ...functions, ...getters];
    const inside = { fields, functions: all, initializers, annotations };
    const kind = kindOf(context, node);
    context.classes[id] = classWith(node, { id, name, self, kind, bases, ...inside });
  });
}

/** The name of the method that Java has for a property. */
export function accessorName(before: 'get' | 'set', name: string): string {
  return `${before}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** `getName()` of a property, as Java calls it. */
function getterFor(context: Context, owner: Outline, field: Field): FunctionId {
  const { name, isStatic, type } = field;
  const span = spanOf(field);
  const holder: Expression = isStatic
    ? { ...span, form: 'class', id: owner.id }
    : load(span, owner.self);
  const head = { kind: 'method', owner: owner.id, name: accessorName('get', name) } as const;
  const value = member(span, holder, name);
  return context.addFunction({ ...span, ...head, isStatic, result: type }, () => ({
    parameters: [],
    body: [{ ...span, form: 'return', value }],
  }));
}

function kindOf(context: Context, node: TreeNode): 'class' | 'interface' | 'enum' | 'record' {
  if (isWritten(context, node, 'enum')) return 'enum';
  if (isWritten(context, node, 'data')) return 'record';
  const name = part(node, 'name');
  const head = context.text.slice(node.start, name?.start ?? node.start);
  return /\binterface\s*$/.test(head) ? 'interface' : 'class';
}

interface Member {
  readonly node: TreeNode;
  readonly isStatic: boolean;
}

/** Accessors of a property that run code. */
function accessorsOf(context: Context, owner: Outline, { node, isStatic }: Member): FunctionId[] {
  const name = propertyName(context, node);
  const isExtension = extendedBy(node) !== null;
  return node.children.flatMap((one): FunctionId[] => {
    if (!/^[gs]etter$/.test(one.type) || typed(one, 'function_body') === null) return [];
    const kind = isExtension ? 'method' : (one.type as 'getter' | 'setter');
    const outer = context.backing;
    context.backing = name;
    const id = lowerFunction(context, one, { kind, owner, name, declared: node, isStatic });
    context.backing = outer;
    return [id];
  });
}

/** Whether a property holds no value of its own. */
function isComputed(node: TreeNode): boolean {
  return typed(typed(node, 'getter'), 'function_body') !== null;
}

/** The value of a property: what it begins with, or what it is delegated to; null: absent. */
export function valueIn(node: TreeNode): TreeNode | null {
  const delegate = typed(node, 'property_delegate');
  if (delegate !== null) return delegate.children[0] ?? null;
  const at = node.children.findIndex(({ type }) => /variable_declaration$/.test(type));
  return node.children.slice(at + 1).find(({ type }) => !HEAD.test(type)) ?? null;
}

/** The constructor behind the name of a class, with the fields that it fills. */
function primaryConstructor(
  context: Context,
  outline: Outline,
  members: readonly Member[],
): { readonly fields: readonly Field[]; readonly functions: readonly FunctionId[] } {
  const { node, self } = outline;
  const parameters = classParameters(node);
  const given = specifiersOf(node).filter((one) => one.given !== null);
  const names = new Set(parameters.map((one) => context.nameOf(one.children.find(isName) ?? one)));
  const fields: Field[] = [];
  const blocks = members.filter(
    (one) => !one.isStatic && one.node.type === 'anonymous_initializer',
  );
  const properties = members.filter((one) => one.node.type === 'property_declaration');
  const isLater = ({ node: one, isStatic }: Member) => {
    const value = valueIn(one);
    return !isStatic && value !== null && mentions(context, value, names);
  };
  for (const one of properties) {
    const field = fieldOf(context, one, !isLater(one));
    if (field !== null) fields.push(field);
  }
  const later = members.filter((one) => properties.includes(one) && isLater(one));
  const isPlain = parameters.length === 0 && given.length === 0 && blocks.length === 0;
  if (isPlain) return { fields, functions: [] };
  const head = { kind: 'constructor', owner: outline.id, name: CONSTRUCTOR } as const;
  const annotations = annotationsOf(
    context,
    typed(typed(node, 'primary_constructor'), 'modifiers'),
  );
  const id = context.addFunction({ ...spanOf(node), ...head, annotations }, () =>
    context.within(null, () => {
      const list: Parameter[] = [];
      const body: Statement[] = [];
      for (const one of parameters) {
        const written = typed(one, 'modifiers');
        const value = one.children.filter(
          ({ type }) => type !== 'modifiers' && type !== 'identifier' && !TYPE.test(type),
        );
        // A name as the value stands behind the name of the parameter.
        const named = one.children.filter(isName)[1] ?? null;
        const own = parameterOf(context, one, written, value[0] ?? named);
        list.push(own);
        if (!isProperty(context, one)) continue;
        const { name, type, annotations: noted } = own;
        fields.push(fieldWith(own, name, { type, annotations: noted }));
        body.push(put(member(own, load(own, self), name), load(own, own.variable)));
      }
      for (const { given: base } of given) {
        const values = argumentsOf(context, base);
        const made = call(base ?? node, load(node, self), CONSTRUCTOR, values, { isBase: true });
        body.push(evaluate(node, made));
      }
      for (const { node: one } of members.filter((m) => later.includes(m) || blocks.includes(m))) {
        const value = valueIn(one);
        const name = propertyName(context, one);
        if (one.type === 'anonymous_initializer') body.push(...(bodyOf(context, one) ?? []));
        else if (value !== null && name !== '') {
          const place = member(one, load(one, self), fieldName(one, name));
          body.push(put(place, context.expression(value)));
        }
      }
      return { parameters: list, body };
    }),
  );
  return { fields, functions: [id] };
}

/** Whether one of the names stands within a node, in a text as well. */
function mentions(context: Context, node: TreeNode, names: ReadonlySet<string>): boolean {
  let isFound = false;
  eachNode(node, (one) => {
    if (one.type === 'identifier' && names.has(context.nameOf(one))) isFound = true;
    if (!/string_literal$/.test(one.type) || isFound) return;
    const named = [...context.textOf(one).matchAll(/\$(\w+)/g)];
    isFound = named.some(([, name = '']) => names.has(name));
  });
  return isFound;
}

/** What a property is kept under: apart from the property where a getter gives that. */
function fieldName(node: TreeNode, name: string): string {
  const isAccessed = node.children.some(
    ({ type, children }) => /^[gs]etter$/.test(type) && children.some(isBody),
  );
  return isAccessed ? `field ${name}` : name;
}

function isBody({ type }: TreeNode): boolean {
  return type === 'function_body';
}

/** The field of a property; null: it holds nothing. `isFirst`: its value is known at once. */
function fieldOf(context: Context, { node, isStatic }: Member, isFirst: boolean): Field | null {
  const name = propertyName(context, node);
  const value = valueIn(node);
  if (name === '' || extendedBy(node) !== null) return null;
  if (isComputed(node) && value === null) return null;
  const written = typed(node, 'variable_declaration');
  const type: Type | null = typeOf(
    context,
    written?.children.find((one) => TYPE.test(one.type)) ?? null,
  );
  const initial = value === null || !isFirst ? null : context.expression(value);
  const modifiers = typed(node, 'modifiers');
  const annotations = annotationsOf(context, modifiers);
  const keyword = context.text.slice(modifiers?.end ?? node.start, written?.start ?? node.end);
  const isValue = /\bval\b/.test(keyword);
  const isPrivate = isWritten(context, node, 'private');
  const isKept = isValue || (isPrivate && !context.assigned.has(name));
  const isFixed = initial !== null && isKept;
  const flags = { isStatic, isFixed };
  return fieldWith(written ?? node, fieldName(node, name), {
    type,
    initial,
    annotations,
    ...flags,
  });
}

/** `RED(1)` of an enumeration. */
function entryField(context: Context, owner: Outline, node: TreeNode): Field {
  const outline = typed(node, 'class_body') === null ? owner : declareEntry(context, owner, node);
  if (outline !== owner) lowerClass(context, outline);
  const type = { ...namedType(context, owner.name), own: outline.id };
  const list = argumentsOf(context, typed(node, 'value_arguments'));
  const name = context.nameOf(node.children.find(isName) ?? node);
  const flags = { isStatic: true, isFixed: true, isMember: true };
  return fieldWith(node, name, { type, initial: make(node, type, list, node), ...flags });
}

function declareEntry(context: Context, owner: Outline, node: TreeNode): Outline {
  const outline = declareClass(context, { ...node, type: 'object_literal' }, '');
  const own = { ...outline, bases: [owner.name] };
  context.outlines[outline.id] = own;
  return own;
}
