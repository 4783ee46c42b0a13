import type { CallSite } from '../sinks/sink.ts';
import { words } from '../words.ts';
import { isFunction } from './functions.ts';
import { bare, child, fixedName, list, memberPath, type SyntaxNode, text } from './node.ts';
import { memberOf } from './patterns.ts';
import { resultOf } from './results.ts';
import type { Run } from './run.ts';
import { lookUp } from './scope.ts';
import { callOnRole, memberOfSource } from './sources.ts';
import { fromSource, UNKNOWN, type Value, withRole } from './value.ts';

/** Methods that call back with an element of what they are called on. */
const ELEMENT_CALLBACKS = words(`
  map forEach filter flatMap find some every reduce findIndex sort findLast
`);
/** `.on(name, callback)` of a request or socket: these bring data. */
const DATA_EVENTS = words('data message readable field file');

/** A call or `new`: shows it to the sinks and gives what its result is known to be. */
export function evaluateCall(run: Run, node: SyntaxNode): Value {
  const callee = calleeOf(run, node);
  const argumentNodes = list(node, 'arguments').map((argument) => child(argument, 'expression'));
  const args: Value[] = [];
  for (const [index, argument] of argumentNodes.entries()) {
    const value = run.evaluateWith(argument, hints(callee, argument, args, index));
    args.push(value);
  }
  const isNew = node.type === 'NewExpression';
  const site: CallSite = { ...callee, isNew, args };
  run.onCall(site, node, argumentNodes);
  const { receiver, name } = callee;
  if (receiver?.role != null) {
    const special = callOnRole(receiver.role, name, callee.path ?? name, run.lineOf(node));
    if (special !== null) return special;
  }
  return resultOf(site, run.linesOf(node));
}

type Callee = Omit<CallSite, 'args' | 'isNew'> & { path: string | null };

function calleeOf(run: Run, node: SyntaxNode): Callee {
  const outer = child(node, 'callee');
  let callee = bare(outer);
  // `(0, eval)(x)`
  if (callee?.type === 'SequenceExpression')
    callee = bare(list(callee, 'expressions').at(-1) ?? null);
  const plain = { isDeclared: false, receiver: null, receiverPath: null, path: null };
  switch (callee?.type) {
    case 'Import':
      return { ...plain, name: 'import', origin: null };
    case 'Identifier': {
      const name = text(callee, 'value');
      const value = lookUp(run.scope, name);
      const origin = value?.origin ?? null;
      return {
        ...plain,
        name,
        origin,
        isDeclared: value !== undefined && origin === null,
        path: name,
      };
    }
    case 'MemberExpression': {
      const object = child(callee, 'object');
      const receiver = run.evaluate(object);
      const property = child(callee, 'property');
      const name = fixedName(property) ?? '';
      if (name === '') run.evaluate(property);
      const receiverPath = memberPath(object);
      const root = receiverPath?.split('.', 1)[0] ?? '';
      const value = memberOf(receiver, name === '' ? null : name, '', 0);
      const isDeclared = receiver.origin === null && isLocal(run, root);
      const path = memberPath(callee);
      return { name, origin: value.origin, isDeclared, receiver, receiverPath, path };
    }
    default:
      return { ...plain, name: '', origin: run.evaluate(callee).origin };
  }
}

function isLocal(run: Run, name: string): boolean {
  return name !== '' && lookUp(run.scope, name) !== undefined;
}

/** What a callback's parameters are, by the call that it is given to. */
function hints(
  callee: Callee,
  argument: SyntaxNode | null,
  before: readonly Value[],
  index: number,
): readonly Value[] {
  if (argument === null || !isFunction(argument)) return [];
  const { receiver, name } = callee;
  if (receiver === null) return [];
  if (name === 'then' && index === 0) return [receiver];
  const event = before[0]?.constant ?? '';
  if (name === 'addEventListener' && event === 'message') return [withRole('event')];
  if (/^(?:on|once)$/.test(name) && receiver.role === 'request' && DATA_EVENTS.has(event)) {
    return [
      fromSource({ strength: 'strong', text: `${event} of the request`, line: 0, isWhole: false }),
    ];
  }
  if (!ELEMENT_CALLBACKS.has(name)) return [];
  const element = elementOf(receiver);
  return name === 'reduce' ? [UNKNOWN, element] : [element];
}

function elementOf(value: Value): Value {
  if (value.source !== null) return fromSource(memberOfSource(value.source, null));
  return value.isTrusted ? { ...UNKNOWN, isTrusted: true } : UNKNOWN;
}
