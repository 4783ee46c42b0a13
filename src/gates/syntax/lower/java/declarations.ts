import type {
  Annotation,
  Field,
  FunctionDeclaration,
  FunctionId,
  Parameter,
  Statement,
} from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import { literalsIn, type Outline } from '../classes.ts';
import {
  argument,
  classWith,
  fieldWith,
  load,
  make,
  member,
  parameterWith,
  put,
  spanOf,
} from '../forms.ts';
import type { Context } from './context.ts';
import { namedType, pathNamed, typeOf } from './types.ts';

/** Nodes that declare a class. */
export const CLASS = /^(?:class|record|enum|interface|annotation_type)_declaration$/;
const METHOD = /^(?:method|constructor|compact_constructor)_declaration$/;
/** A method that makes an object. */
export const CONSTRUCTOR = '<init>';

/** The annotations of a declaration. */
export function annotationsOf(context: Context, node: TreeNode | null): Annotation[] {
  const list = node === null ? null : typed(node, 'modifiers');
  return (list?.children ?? [])
    .filter(({ type }) => /annotation$/.test(type))
    .map((one) => {
      const written = part(one, 'name');
      const whole = written === null ? '' : context.nameOf(written);
      return {
        ...spanOf(one),
        name: whole.slice(whole.lastIndexOf('.') + 1),
        path: pathNamed(context, whole),
        text: context.textOf(one),
        arguments: context.expressionsOf(literalsIn(part(one, 'arguments'))),
      };
    });
}

function isWritten(context: Context, node: TreeNode, word: string): boolean {
  const modifiers = typed(node, 'modifiers');
  const text = modifiers === null ? '' : context.textOf(modifiers);
  return text.split(/\s+/).includes(word);
}

/** The members of a class, those behind the constants of an enumeration as well. */
export function membersOf(node: TreeNode): TreeNode[] {
  const body = part(node, 'body') ?? typed(node, 'class_body');
  return (body?.children ?? []).flatMap((child) =>
    child.type === 'enum_body_declarations' ? child.children : [child],
  );
}

/** Declares a class with the names of its members; what they do comes later. */
export function declareClass(
  context: Context,
  node: TreeNode,
  name: string,
  bases: readonly string[] = basesOf(node).map((one) => context.nameOf(one)),
): Outline {
  const fields = new Map<string, boolean>();
  const methods = new Map<string, boolean>();
  const isInterface = node.type === 'interface_declaration';
  for (const member of membersOf(node)) {
    const isStatic = isWritten(context, member, 'static');
    for (const one of parts(member, 'declarator')) {
      const own = part(one, 'name');
      if (own !== null) fields.set(context.textOf(own), isStatic || isInterface);
    }
    const own = part(member, 'name');
    if (own === null) continue;
    const text = context.textOf(own);
    if (member.type === 'enum_constant') fields.set(text, true);
    if (member.type === 'method_declaration') {
      methods.set(text, isStatic && methods.get(text) !== false);
    }
  }
  if (node.type === 'record_declaration') {
    for (const { name: own } of parameterNodes(node)) {
      fields.set(context.textOf(own), false);
      methods.set(context.textOf(own), false);
    }
  }
  const plain = bases.map((base) => base.replace(/<.*$/s, ''));
  return context.addOutline({ name, node, fields, methods, bases: plain }, 'this');
}

function basesOf(node: TreeNode): TreeNode[] {
  const lists = [
    part(node, 'superclass'),
    part(node, 'interfaces'),
    typed(node, 'extends_interfaces'),
  ];
  return lists.flatMap((list) => {
    const inner = list?.children[0];
    return inner?.type === 'type_list' ? inner.children : (list?.children ?? []);
  });
}

/** A parameter of a method, lambda or record. */
interface ParameterNode {
  readonly node: TreeNode;
  readonly name: TreeNode;
  readonly isRest: boolean;
}

function parameterNodes(node: TreeNode): ParameterNode[] {
  const list = part(node, 'parameters') ?? part(node, 'parameter');
  const nodes = list?.type === 'identifier' ? [list] : (list?.children ?? []);
  return nodes.flatMap((one): ParameterNode[] => {
    const isRest = one.type === 'spread_parameter';
    const owner = isRest ? typed(one, 'variable_declarator') : one;
    const name = one.type === 'identifier' ? one : part(owner, 'name');
    return name === null ? [] : [{ node: one, name, isRest }];
  });
}

function parametersOf(context: Context, node: TreeNode): Parameter[] {
  return parameterNodes(node).map(({ node: one, name, isRest }) => {
    const text = context.textOf(name);
    const written = isRest
      ? (one.children.find(({ type: kind }) => !/modifiers|declarator/.test(kind)) ?? null)
      : part(one, 'type');
    const variable = context.declare(text);
    const type = typeOf(context, written);
    const annotations = annotationsOf(context, one);
    return parameterWith(name, text, variable, { isRest, type, annotations });
  });
}

/** Lowers a method, constructor, lambda or block of a class; gives its number. */
export function lowerFunction(
  context: Context,
  node: TreeNode,
  kind: FunctionDeclaration['kind'],
  owner: Outline | null,
): FunctionId {
  const { yields } = context;
  context.yields = null;
  const name = kind === 'constructor' ? CONSTRUCTOR : '';
  const isInterface = owner?.node.type === 'interface_declaration';
  const head = {
    ...spanOf(node),
    kind,
    name: kind === 'method' ? context.textAt(node, 'name') : name,
    owner: owner?.id ?? null,
    isStatic: isWritten(context, node, 'static') || node.type === 'static_initializer',
    isPrivate: !isInterface && isWritten(context, node, 'private'),
    result: typeOf(context, part(node, 'type')),
    annotations: annotationsOf(context, node),
  };
  const id = context.addFunction(head, () =>
    context.within(null, () => ({
      parameters: parametersOf(context, node),
      body: bodyOf(context, node),
    })),
  );
  context.yields = yields;
  return id;
}

function bodyOf(context: Context, node: TreeNode): readonly Statement[] | null {
  if (node.type === 'block') return context.body(node);
  if (node.type === 'static_initializer') return context.body(typed(node, 'block'));
  const code = part(node, 'body');
  if (code === null) return null;
  if (node.type !== 'lambda_expression' || code.type === 'block') return context.body(code);
  return [{ ...spanOf(code), form: 'return', value: context.expression(code) }];
}

/** Lowers the members of a class. */
export function lowerClass(context: Context, outline: Outline): void {
  const { id, name, node, self } = outline;
  context.within(outline, () => {
    const members = membersOf(node);
    for (const member of members) {
      const own = context.textAt(member, 'name');
      const isKnown = context.outlines.some((one) => one.node === member);
      if (CLASS.test(member.type) && own !== '' && !isKnown) declareClass(context, member, own);
    }
    const fields = members.flatMap((member) => fieldsOf(context, outline, member));
    const functions = members
      .filter(({ type }) => METHOD.test(type) && type !== 'compact_constructor_declaration')
      .map((member) => {
        const kind = member.type === 'method_declaration' ? 'method' : 'constructor';
        return lowerFunction(context, member, kind, outline);
      });
    const initializers = members
      .filter(({ type }) => type === 'block' || type === 'static_initializer')
      .map((member) => lowerFunction(context, member, 'initializer', outline));
    if (node.type === 'record_declaration') {
      fields.push(...recordFields(context, node));
      functions.push(recordConstructor(context, outline));
    }
    for (const inner of context.outlines.filter((one) => members.includes(one.node))) {
      lowerClass(context, inner);
    }
    const bases = outline.bases.map((base) => namedType(context, base));
    const annotations = annotationsOf(context, node);
    const inside = { fields, functions, initializers, annotations };
    const kind = kindOf(node);
    context.classes[id] = classWith(node, { id, name, self, kind, bases, ...inside });
  });
}

function kindOf({ type }: TreeNode): 'class' | 'interface' | 'enum' | 'record' {
  if (type === 'record_declaration') return 'record';
  if (type === 'enum_declaration') return 'enum';
  return /^(?:interface|annotation_type)_/.test(type) ? 'interface' : 'class';
}

function fieldsOf(context: Context, owner: Outline, member: TreeNode): Field[] {
  if (member.type === 'enum_constant') return [memberField(context, owner, member)];
  const isInterface = owner.node.type === 'interface_declaration';
  const isStatic = isInterface || isWritten(context, member, 'static');
  const isFinal = isInterface || isWritten(context, member, 'final');
  const isPrivate = isWritten(context, member, 'private');
  const type = typeOf(context, part(member, 'type'));
  return parts(member, 'declarator').flatMap((one): Field[] => {
    const name = part(one, 'name');
    if (name === null) return [];
    const text = context.textOf(name);
    const initial = context.optionalAt(one, 'value');
    const annotations = annotationsOf(context, member);
    const isKept = isFinal || (isPrivate && !context.assigned.has(text));
    const isFixed = initial !== null && isKept;
    return [fieldWith(name, text, { type, initial, annotations, isStatic, isFixed })];
  });
}

/** `RED(1)` of an enumeration. */
function memberField(context: Context, owner: Outline, node: TreeNode): Field {
  const nodes = part(node, 'arguments')?.children ?? [];
  const body = part(node, 'body');
  const outline = body === null ? owner : declareClass(context, node, '', [owner.name]);
  if (outline !== owner) lowerClass(context, outline);
  const type = { ...namedType(context, owner.name), own: outline.id };
  const list = nodes.map((one) => argument(context.expression(one)));
  const initial = make(node, type, list, node);
  const name = context.textAt(node, 'name');
  const flags = { isStatic: true, isFixed: true, isMember: true };
  return fieldWith(node, name, { type, initial, ...flags });
}

function recordFields(context: Context, node: TreeNode): Field[] {
  return parameterNodes(node).map(({ node: one, name }) => {
    const type = typeOf(context, part(one, 'type'));
    const annotations = annotationsOf(context, one);
    return fieldWith(name, context.textOf(name), { type, annotations });
  });
}

/** The constructor that a record has by itself: its compact one, then the fields. */
function recordConstructor(context: Context, outline: Outline): FunctionId {
  const { node, self } = outline;
  const compact = membersOf(node).find(({ type }) => type === 'compact_constructor_declaration');
  const id = lowerFunction(
    context,
    { ...node, children: node.children.filter(isHead) },
    'constructor',
    outline,
  );
  const made = context.functions[id];
  if (made === undefined) return id;
  const names = new Map(made.parameters.map(({ name, variable }) => [name, variable]));
  const checks = context.within(null, () => {
    for (const [name, variable] of names) context.scope.names.set(name, variable);
    return compact === undefined ? [] : context.body(part(compact, 'body'));
  });
  const body = made.parameters.map((one): Statement => {
    const place = member(one, load(one, self), one.name);
    return put(place, load(one, one.variable));
  });
  context.functions[id] = { ...made, body: [...checks, ...body] };
  return id;
}

function isHead({ field }: TreeNode): boolean {
  return field === 'name' || field === 'parameters';
}
