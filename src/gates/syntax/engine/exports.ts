import type { Expression, FunctionId, Module, Statement } from '../il/il.ts';
import { childrenOf } from '../il/il.ts';

/** `returned`: only by what an exported function gives back. */
export type HowExported = 'itself' | 'returned';

/**
 * Functions that other files can call: what is put into the object of exports, methods of classes
 * that are, and of their prototypes, and what such functions give back.
 */
export function exportedFunctions(module: Module): ReadonlyMap<FunctionId, HowExported> {
  const { exported } = module;
  const held = new Map<number, Expression[]>();
  const waiting: (Statement | Expression)[] = [
    ...module.body,
    ...module.functions.flatMap(({ body }) => body ?? []),
  ];
  const values: Expression[] = [];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.form === 'declare' && node.value !== null) add(held, node.variable, node.value);
    else if (node.form === 'function') {
      const { start, end, id } = node;
      add(held, node.variable, { start, end, form: 'closure', id });
    } else if (node.form === 'assign') {
      const root = rootOf(node.place);
      if (root?.form === 'load' && root.variable === exported) values.push(node.value);
      else if (isOfPrototype(node.place)) values.push(node.value);
      else if (node.place.form === 'load') add(held, node.place.variable, node.value);
    }
    waiting.push(...childrenOf(node));
  }
  const isAny = values.length > 0;
  const seen = new Set<Expression>();
  const returned: Expression[] = [];
  let how: HowExported = 'itself';
  const found = new Map<FunctionId, HowExported>();
  const expose = (id: FunctionId) => {
    if (!found.has(id)) found.set(id, how);
  };
  for (;;) {
    const value = values.pop();
    if (value === undefined) {
      if (returned.length === 0) break;
      how = 'returned';
      values.push(...returned.splice(0));
      continue;
    }
    if (seen.has(value)) continue;
    seen.add(value);
    switch (value.form) {
      case 'closure':
        expose(value.id);
        returned.push(...returnedBy(module, value.id));
        break;
      case 'class':
        for (const one of functionsOf(module, value.id)) expose(one);
        break;
      case 'load':
        values.push(...(held.get(value.variable) ?? []));
        break;
      case 'object':
        values.push(...value.entries.map((entry) => entry.value));
        break;
      case 'list':
        values.push(...value.items);
        break;
      case 'assign':
        values.push(value.value);
        break;
      case 'cast':
      case 'await':
        values.push(value.value);
        break;
      case 'logic':
        values.push(value.left, value.right);
        break;
      case 'run': {
        const last = value.body.at(-1);
        if (last?.form === 'declare' && last.value !== null) values.push(last.value);
        break;
      }
      case 'call':
      case 'apply':
      case 'new':
        // `export default wrap(async (req) => ...)`: what is wrapped is called from elsewhere. A
        // call that is given back, `return list.map(each)`, calls it itself.
        if (how === 'returned') break;
        values.push(
          ...value.arguments.flatMap(({ value: given }) => (given.form === 'closure' ? given : [])),
        );
        break;
      default:
    }
  }
  return isAny ? found : new Map();
}

/** What a function gives back, where that is written at its end or in branches of it. */
function returnedBy({ functions }: Module, id: FunctionId): Expression[] {
  const found: Expression[] = [];
  const waiting: (Statement | Expression)[] = [...(functions[id]?.body ?? [])];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.form === 'return') {
      if (node.value !== null) found.push(node.value);
    } else waiting.push(...childrenOf(node));
  }
  return found;
}

function add(held: Map<number, Expression[]>, variable: number, value: Expression): void {
  const values = held.get(variable);
  if (values === undefined) held.set(variable, [value]);
  else values.push(value);
}

function rootOf(place: Expression): Expression | null {
  let at: Expression = place;
  while (at.form === 'member' || at.form === 'index') at = at.object;
  return at;
}

function isOfPrototype(place: Expression): boolean {
  for (let at: Expression = place; at.form === 'member' || at.form === 'index'; at = at.object) {
    if (at.object.form === 'member' && at.object.name === 'prototype') return true;
  }
  return false;
}

/** Methods of a class that are not private, and functions in its fields. */
function functionsOf({ classes, functions }: Module, id: number): FunctionId[] {
  const { functions: methods = [], fields = [] } = classes[id] ?? {};
  const open = methods.filter((one) => functions[one]?.isPrivate === false);
  const held = fields.flatMap(({ initial }) => (initial?.form === 'closure' ? initial.id : []));
  return [...open, ...held];
}
