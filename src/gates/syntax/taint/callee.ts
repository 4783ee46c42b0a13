import type { CallSite } from '../sinks/sink.ts';
import { globalMember, globalName } from './globals.ts';
import { bare, child, fixedName, list, memberPath, type SyntaxNode, text } from './node.ts';
import { memberOf } from './patterns.ts';
import type { Run } from './run.ts';
import { lookUp, lookUpNarrowed } from './scope.ts';
import { UNKNOWN, type Value, withOrigin } from './value.ts';

/** What is called, before its arguments are known. */
export type Callee = Omit<CallSite, 'args' | 'isNew' | 'safetyOf' | 'argumentName'> & {
  path: string | null;
  /** What stands before the last name, for the calls that go by way of `call` and the like. */
  object: SyntaxNode | null;
};

const PLAIN = {
  isDeclared: false,
  isPatched: false,
  receiver: null,
  receiverPath: null,
  path: null,
  object: null,
};

/** The callee of a call or `new`; evaluates what stands before its last name. */
export function calleeOf(run: Run, node: SyntaxNode): Callee {
  return resolved(run, calleeAt(run, child(node, 'callee')));
}

function calleeAt(run: Run, outer: SyntaxNode | null): Callee {
  let callee = bare(outer);
  // `(0, eval)(x)`
  if (callee?.type === 'SequenceExpression')
    callee = bare(list(callee, 'expressions').at(-1) ?? null);
  switch (callee?.type) {
    case 'Import':
      return { ...PLAIN, name: 'import', origin: null, callable: null };
    case 'Identifier': {
      const name = text(callee, 'value');
      const value = lookUp(run.scope, name);
      const origin = value?.origin ?? null;
      const callable = value?.callable ?? null;
      const isDeclared = value !== undefined && origin === null;
      const isPatched = run.isPatched(name);
      return { ...PLAIN, name, origin, isDeclared, isPatched, path: name, callable };
    }
    case 'MemberExpression':
      return methodOf(run, callee);
    default: {
      const { origin, callable } = run.evaluate(callee);
      return { ...PLAIN, name: '', origin, callable };
    }
  }
}

function methodOf(run: Run, callee: SyntaxNode): Callee {
  const object = child(callee, 'object');
  const receiver = run.evaluate(object);
  const name = keyName(run, child(callee, 'property')) ?? '';
  const receiverPath = memberPath(object);
  const root = receiverPath?.split('.', 1)[0] ?? '';
  const path = receiverPath === null || name === '' ? null : `${receiverPath}.${name}`;
  const assigned = path === null ? undefined : lookUpNarrowed(run.scope, path);
  const value = assigned ?? (name === '' ? anyMember(receiver) : memberOf(receiver, name, '', 0));
  const isDeclared =
    receiver.origin === null && root !== '' && lookUp(run.scope, root) !== undefined;
  const { origin, callable } = value;
  const isPatched = run.isPatched(name);
  return { name, origin, isDeclared, isPatched, receiver, receiverPath, path, callable, object };
}

/** A member whose name is not known: of a module, any of its functions. */
function anyMember(receiver: Value): Value {
  const { origin } = receiver;
  return origin === null ? memberOf(receiver, null, '', 0) : withOrigin(`${origin}.*`);
}

/** Name of a property or key; a computed one is evaluated, and null when it is not known. */
export function keyName(run: Run, key: SyntaxNode | null): string | null {
  const fixed = fixedName(key);
  if (fixed !== null) return fixed;
  return run.evaluate(key?.type === 'Computed' ? child(key, 'expression') : key).constant;
}

/** What is called by way of a value: `exec` of `exec.call(null, x)`. */
export function calleeFrom(run: Run, node: SyntaxNode | null, value: Value): Callee {
  const { origin, callable } = value;
  const path = memberPath(node);
  const names = (path ?? origin ?? '').split('.');
  const name = names.at(-1) ?? '';
  const receiverPath = names.length > 1 ? names.slice(0, -1).join('.') : null;
  const receiver = receiverPath === null ? null : UNKNOWN;
  const isDeclared =
    origin === null && path !== null && lookUp(run.scope, names[0] ?? '') !== undefined;
  const isPatched = run.isPatched(name);
  const callee = { name, origin, isDeclared, isPatched, receiver, receiverPath, path, callable };
  return resolved(run, { ...callee, object: null });
}

/** A global function is called by its own name, whatever name it goes by. */
function resolved(run: Run, callee: Callee): Callee {
  const { origin, path, isDeclared, name } = callee;
  const isFree = origin === null && !isDeclared && path !== null && path !== name;
  const root = path?.split('.', 1)[0] ?? '';
  const member = isFree && lookUp(run.scope, root) === undefined ? globalMember(path) : null;
  const isLoader = name === 'getBuiltinModule' && !isDeclared;
  const global = isLoader ? 'require' : globalName(member?.origin ?? origin);
  if (global === null) return callee;
  return { ...PLAIN, name: global, origin: null, path: callee.path, callable: null };
}
