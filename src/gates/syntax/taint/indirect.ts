import { words } from '../words.ts';
import { type Callee, calleeFrom } from './callee.ts';
import { bare, child, fixedName, memberPath, type SyntaxNode } from './node.ts';
import type { Run } from './run.ts';
import { memberOfSource } from './sources.ts';
import { fromSource, UNKNOWN, type Value } from './value.ts';

/** A call that is made by way of another one. */
export interface Indirect {
  callee: Callee;
  args: readonly Value[];
  isNew: boolean;
  /** It is only prepared: `bind`. */
  isBound: boolean;
}

const METHODS = words('call apply bind');
const PROTOTYPE = 'Function.prototype';

/**
 * The call behind `f.call(that, x)`, `f.apply(that, [x])`, `f.bind(that, x)`,
 * `Reflect.apply(f, that, [x])`, `Reflect.construct(F, [x])` and
 * `Function.prototype.call.call(f, that, x)`; null for any other call.
 */
export function indirectCall(
  run: Run,
  callee: Callee,
  argumentNodes: readonly (SyntaxNode | null)[],
  args: readonly Value[],
): Indirect | null {
  const { name, receiver, receiverPath, object } = callee;
  const reflectedName = /^global\.Reflect\.(\w+)$/.exec(callee.origin ?? '')?.[1];
  if (reflectedName !== undefined) return reflected(run, reflectedName, argumentNodes, args);
  if (receiverPath === 'Reflect') return reflected(run, name, argumentNodes, args);
  if (!METHODS.has(name) || receiver === null) return null;
  const inner = bare(object);
  const method = inner?.type === 'MemberExpression' ? fixedName(child(inner, 'property')) : null;
  const isGeneric = method !== null && METHODS.has(method);
  if (isGeneric && memberPath(child(inner, 'object')) === PROTOTYPE) {
    const target = calleeFrom(run, argumentNodes[0] ?? null, args[0] ?? UNKNOWN);
    const given = name === 'apply' ? elementsOf(args[1]) : args.slice(1);
    return made(target, method, given);
  }
  return made(calleeFrom(run, object, receiver), name, args);
}

/** `given` begins with what is to be `this`. */
function made(callee: Callee, method: string, given: readonly Value[]): Indirect | null {
  // `exec` of a regular expression, whose import is out of sight.
  if (given[0]?.role === 'regex') return null;
  const args = method === 'apply' ? elementsOf(given[1]) : given.slice(1);
  return { callee, args, isNew: false, isBound: method === 'bind' };
}

/** The call that somebody else makes of a function that is given by its name; null if none is. */
export function callbackCall(
  run: Run,
  argument: SyntaxNode | null,
  value: Value,
  given: readonly Value[],
): Indirect | null {
  if (value.origin === null || value.callable !== null || given.length === 0) return null;
  return { callee: calleeFrom(run, argument, value), args: given, isNew: false, isBound: false };
}

function reflected(
  run: Run,
  name: string,
  nodes: readonly (SyntaxNode | null)[],
  args: readonly Value[],
): Indirect | null {
  const isNew = name === 'construct';
  if (!isNew && name !== 'apply') return null;
  const [first, second, third] = args;
  if (!isNew && second?.role === 'regex') return null;
  const callee = calleeFrom(run, nodes[0] ?? null, first ?? UNKNOWN);
  return { callee, args: elementsOf(isNew ? second : third), isNew, isBound: false };
}

/** What a list holds; one element of it when it came as a whole. */
function elementsOf(value: Value | undefined): readonly Value[] {
  if (value === undefined) return [];
  if (value.elements !== null) return value.elements;
  return value.source === null ? [] : [fromSource(memberOfSource(value.source, '0'))];
}
