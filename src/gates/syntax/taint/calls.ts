import { words } from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
import type { CallSite } from '../sinks/sink.ts';
import { callbackValues } from './callbacks.ts';
import {
  type Callee,
  callbackCall,
  calleeFrom,
  calleeOf,
  type Indirect,
  indirectCall,
  siteOf,
} from './callee.ts';
import { invoke, returnedBy } from './functions.ts';
import { bare, child, field, isFunction, list, memberPath, type SyntaxNode, text } from './node.ts';
import { dataFrom, isCatalogued, madeBy, propagatorOf } from './packages.ts';
import { moduleCall, resultOf } from './results.ts';
import { assign, narrow, type Run, safetyOf, withGuards } from './run.ts';
import { callOnRole } from './sources.ts';
import {
  build,
  type Callable,
  constant,
  derive,
  RESULT,
  type Role,
  TRUSTED,
  UNKNOWN,
  type Value,
  withRole,
  worse,
} from './value.ts';

/** Marks the first parameter of a promise's function: what it is called with is the result. */
const RESOLVER = 'Promise.resolver';
const RESOLVERS: readonly Value[] = [{ ...UNKNOWN, made: RESOLVER }];
/** Hand their further arguments on to the first. */
const TIMERS = words('setTimeout setInterval setImmediate');
/** Methods that put their arguments into what they are called on. */
const GROWING = words('push unshift add append');

/** A call or `new`: shows it to the sinks and gives what its result is known to be. */
export function evaluateCall(run: Run, node: SyntaxNode): Value {
  const callee = calleeOf(run, node);
  const result = resultOfCall(run, node, callee);
  const path = callee.made ?? callee.origin;
  // What a package of the catalogue makes keeps its name.
  const isOther = result.origin !== null && !result.origin.startsWith('new ');
  if (path === null || callee.callable !== null || isOther) return result;
  return result.callable === null && isCatalogued(path) ? madeBy(result, path) : result;
}

function resultOfCall(run: Run, node: SyntaxNode, callee: Callee): Value {
  const argumentNodes = list(node, 'arguments').map((argument) => child(argument, 'expression'));
  const args: Value[] = [];
  const { scope, resolved } = run;
  const isPromise = callee.name === 'Promise' && callee.receiver === null && !callee.isDeclared;
  if (isPromise) run.resolved = [];
  const safety: CallSite['safetyOf'] = (use, source) => safetyOf(scope, use, source);
  const show = (behind: Indirect | null) => {
    return behind === null ? null : indirectResult(run, behind, node, safety);
  };
  for (const [index, argument] of argumentNodes.entries()) {
    const known = isPromise ? RESOLVERS : callbackValues(callee, argument, args, index);
    const { taker } = run;
    run.taker = bare(argument)?.type === 'ObjectExpression' ? callee : null;
    const value = run.evaluateWith(argument, known, callee.made ?? callee.origin);
    run.taker = taker;
    // A function given by its name is called back as one written there.
    const isNamed = known.length > 0 && value.callable !== null && !isLiteral(argument);
    if (isNamed && value.callable !== null) invoke(run, value.callable, known);
    show(callbackCall(run, argument, value, known));
    args.push(value);
  }
  const [first, , ...later] = args;
  // `setTimeout(eval, 0, x)`
  if (TIMERS.has(callee.name) && first !== undefined)
    show(callbackCall(run, argumentNodes[0] ?? null, first, later));
  if (isPromise) {
    const given = run.resolved.reduce(worse, run.resolved[0] ?? UNKNOWN);
    run.resolved = resolved;
    return given;
  }
  if (callee.made === RESOLVER) run.resolved.push(withGuards(scope, args[0] ?? UNKNOWN));
  const isNew = node.type === 'NewExpression';
  const argumentName = (index: number) =>
    memberPath(argumentNodes[index] ?? null)
      ?.split('.')
      .at(-1) ?? '';
  const site = siteOf(callee, isNew, args, argumentName, safety);
  run.observer.onCall(site, node, argumentNodes);
  const known = show(indirectCall(run, callee, argumentNodes, args));
  if (known !== null) return known;
  const { receiver, name } = callee;
  if (receiver !== null && GROWING.has(name)) grow(run, callee, receiver, args);
  // A response has a `set` as well; what is trusted is a Map or its like.
  if (receiver?.isTrusted === true && name === 'set') grow(run, callee, receiver, args.slice(1));
  if (receiver !== null && receiver.role === null) listen(run, callee, args);
  const data = dataFrom(callee, `${callee.path ?? name}()`, run.lineOf(node));
  if (data !== null) return data;
  if (receiver?.role != null) {
    const special = callOnRole(receiver.role, name, callee.path ?? name, run.lineOf(node));
    if (special !== null) return special;
  }
  const response = responseOf(run, site);
  if (response !== null) return response;
  const own = callee.callable === null || isNew ? null : ownResult(run, callee.callable, args);
  if (own !== null && !isBlank(own)) return own;
  // What a function in view does is what it does, whatever its name promises.
  const result = own === null ? resultOf(site, run.linesOf(node)) : (moduleCall(site) ?? RESULT);
  return result === UNKNOWN ? RESULT : result;
}

/** Shows the call behind another one to the sinks; gives its result where that is known. */
function indirectResult(
  run: Run,
  { callee, args, isNew, isBound }: Indirect,
  node: SyntaxNode,
  safety: CallSite['safetyOf'],
): Value | null {
  const site = siteOf(callee, isNew, args, () => '', safety);
  run.observer.onCall(site, node, []);
  const { callable } = callee;
  if (isBound) return callable === null || args.length > 0 ? null : { ...UNKNOWN, callable };
  const own = callable === null || isNew ? null : ownResult(run, callable, args);
  return own !== null && !isBlank(own) ? own : moduleCall(site);
}

/** `list.push(x)`: the list holds x from now on. */
function grow(run: Run, callee: Callee, receiver: Value, args: readonly Value[]): void {
  const { receiverPath } = callee;
  if (receiverPath === null || receiverPath.includes('.')) return;
  const isFull = (receiver.elements?.length ?? 0) + args.length > TAINT.MEMBERS_MAX;
  const elements = receiver.elements === null || isFull ? null : [...receiver.elements, ...args];
  const all = derive([receiver, ...args]);
  if (all.source === null && elements === null && !isFull) return;
  assign(run.scope, receiverPath, { ...receiver, ...all, elements }, worse);
}

/** Functions that wait for an event of an emitter, and what it is emitted with. */
function listen(run: Run, { name, receiverPath }: Callee, args: readonly Value[]): void {
  const [event, ...data] = args;
  if (receiverPath === null || event?.constant == null) return;
  const key = `${receiverPath} ${event.constant}`;
  if (/^(?:on|once|addListener)$/.test(name)) {
    const callable = data[0]?.callable ?? null;
    if (callable !== null && run.listeners.size < TAINT.MEMBERS_MAX)
      run.listeners.set(key, callable);
  } else if (name === 'emit' && data.some(({ source }) => source !== null)) {
    const callable = run.listeners.get(key);
    if (callable !== undefined) invoke(run, callable, data);
  }
}

/** What a function of the fragment gives back, followed anew when it is given something known. */
function ownResult(run: Run, callable: Callable, args: readonly Value[]): Value | null {
  const isTelling = args.some((value) => value.source !== null || value.role !== null);
  const known = isTelling ? undefined : returnedBy(run, callable);
  return known ?? invoke(run, callable, args);
}

function isBlank({ source, isTrusted, pieces, role, properties, origin, made }: Value): boolean {
  const isUnmade = origin === null && made === null;
  const hasNoText = source === null && pieces === null && !isTrusted;
  return isUnmade && hasNoText && role === null && properties === null;
}

function isLiteral(argument: SyntaxNode | null): boolean {
  const inner = bare(argument);
  return inner === null || isFunction(inner);
}

const RESPONSES = /^(?:\w+\.)?(?:res|resp|response|reply)$/;
/** Methods of a response that give it back. */
const CHAINING = words(`
  status code set header setHeader type contentType cookie clearCookie append vary links location
  attachment headers sendStatus
`);

/**
 * What a method of a response gives back: the response, as a page or as plain data, once its
 * content type is known. The type holds for what the scope does with it afterwards. Null for all
 * else.
 */
function responseOf(run: Run, site: CallSite): Value | null {
  const { receiverPath, receiver, name } = site;
  const isResponse = RESPONSES.test(receiverPath ?? '');
  const role = receiver?.role ?? null;
  if (!isResponse && role !== 'page' && role !== 'plain') return null;
  const type = contentType(site);
  if (type === null && !CHAINING.has(name)) return null;
  const isReply = receiverPath?.endsWith('reply') === true;
  const known = type === null ? role : roleOfContent(type);
  if (known === null) return isReply ? null : withRole('page');
  if (type !== null && receiverPath !== null) narrow(run.scope, receiverPath, withRole(known));
  return withRole(known);
}

function roleOfContent(type: string): Role {
  return /html|xml|svg/i.test(type) ? 'page' : 'plain';
}

/** The content type that a call sets; '' when it is computed, null when it sets none. */
function contentType({ name, args }: CallSite): string | null {
  const [first, second] = args;
  if (name === 'type' || name === 'contentType') return first?.constant ?? '';
  if (
    /^(?:set|header|setHeader)$/.test(name) &&
    first?.constant?.toLowerCase() === 'content-type'
  ) {
    return second?.constant ?? '';
  }
  if (!/^(?:set|writeHead|headers|header)$/.test(name)) return null;
  for (const argument of args) {
    for (const [header, value] of argument.properties ?? []) {
      if (header.toLowerCase() === 'content-type') return value.constant ?? '';
    }
  }
  return null;
}

/** A text with values in it. */
export function template(run: Run, node: SyntaxNode): Value {
  return textOf(
    run,
    node,
    list(node, 'expressions').map((item) => run.evaluate(item)),
  );
}

function textOf(run: Run, node: SyntaxNode, values: readonly Value[]): Value {
  const parts: Value[] = [];
  for (const [index, quasi] of list(node, 'quasis').entries()) {
    const cooked = field(quasi, 'cooked');
    parts.push(constant(typeof cooked === 'string' ? cooked : text(quasi, 'raw')));
    const value = values[index];
    if (value !== undefined) parts.push(value);
  }
  return build(parts, run.linesOf(node));
}

/** A tag makes of the template what it wants; `String.raw` leaves it a text. */
export function tagged(run: Run, node: SyntaxNode): Value {
  const tag = child(node, 'tag');
  const inner = child(node, 'template') ?? node;
  const values = list(inner, 'expressions').map((item) => run.evaluate(item));
  const text = textOf(run, inner, values);
  const value = run.evaluate(tag);
  const { scope } = run;
  run.observer.onTag(
    siteOf(
      calleeFrom(run, tag, value),
      false,
      [text, { ...UNKNOWN, properties: value.properties }],
      () => '',
      (use, source) => safetyOf(scope, use, source),
    ),
    node,
  );
  if (memberPath(tag) === 'String.raw') return text;
  const own = value.callable === null ? null : ownResult(run, value.callable, [TRUSTED, ...values]);
  if (own !== null && !isBlank(own)) return own;
  const handed = value.callable === null ? propagatorOf(calleeFrom(run, tag, value)) : null;
  if (handed !== null) return derive([text, ...values]);
  const path = value.made ?? value.origin;
  return path !== null && isCatalogued(path) ? madeBy(RESULT, path) : RESULT;
}

/** The attributes of an element, one by one: `<a href={x}>`. */
export function attributes(run: Run, node: SyntaxNode): Value {
  const { scope } = run;
  const element = text(child(node, 'name'), 'value');
  for (const attribute of list(node, 'attributes')) {
    if (attribute?.type !== 'JSXAttribute') {
      run.evaluate(child(attribute, 'arguments'));
      continue;
    }
    const given = child(attribute, 'value');
    const isLiteral = given?.type === 'StringLiteral';
    const value = isLiteral
      ? constant(text(given, 'value'))
      : run.evaluate(child(given, 'expression') ?? given);
    run.observer.onProperty(
      {
        name: text(child(attribute, 'name'), 'value'),
        value,
        isLiteral,
        element,
        safetyOf: (use, source) => safetyOf(scope, use, source),
      },
      attribute,
    );
  }
  return UNKNOWN;
}
