import { words } from '../../../rules/catalogue/line.ts';
import { TAINT } from '../../limits.ts';
import { bind, isConstantName, memberOf } from './bindings.ts';
import { optionValues } from './callbacks.ts';
import { keyName } from './callee.ts';
import { attributes, evaluateCall, tagged, template } from './calls.ts';
import { readCondition } from './checks.ts';
import { functionValue, invoke, returnedBy } from './functions.ts';
import {
  bare,
  child,
  field,
  fixedName,
  isFunction,
  list,
  memberPath,
  rootOf,
  type SyntaxNode,
  text,
} from './node.ts';
import {
  type Findings,
  lookUp,
  lookUpNarrowed,
  narrow,
  type Run,
  safetyOf,
  smallValue,
  withGuards,
  within,
} from './run.ts';
import {
  freeSource,
  globalMember,
  globalValue,
  isBuiltInMethod,
  prototypeValue,
  roleOf,
} from './sources.ts';
import {
  build,
  constant,
  derive,
  TRUSTED,
  UNKNOWN,
  type Value,
  withOrigin,
  withRole,
  worse,
} from './value.ts';

type Handler = (run: Run, node: SyntaxNode) => Value;

/** Operands of one operator that are looked at; further ones count as unknown text. */
const OPERANDS_MAX = 512;
/** Free names that hold nothing of an outsider's. */
const NOTHING: Value = { ...TRUSTED, role: 'nothing' };
const LOCAL_NAMES = words('__dirname __filename NaN Infinity');

/** Free names that are handed on to `promisify` and the like where their import is out of sight. */
const PROGRAM_NAMES = words('exec execSync execFile execFileSync spawn spawnSync');

/** Expressions by node type; statements and all else are in statements.ts. */
export const EXPRESSIONS: ReadonlyMap<string, Handler> = new Map(
  Object.entries<Handler>({
    Identifier: identifier,
    StringLiteral: (_run, node) => constant(text(node, 'value')),
    NumericLiteral: (_run, node) => constant(String(field(node, 'value'))),
    BooleanLiteral: (_run, node) => constant(String(field(node, 'value'))),
    NullLiteral: () => NOTHING,
    BigIntLiteral: () => TRUSTED,
    RegExpLiteral: (_run, node) => ({
      ...withRole('regex'),
      constant: text(node, 'pattern'),
      properties: new Map([['flags', constant(text(node, 'flags'))]]),
      isTrusted: true,
    }),
    JSXOpeningElement: attributes,
    TemplateLiteral: template,
    TaggedTemplateExpression: tagged,
    BinaryExpression: binary,
    UnaryExpression: quiet,
    UpdateExpression: quiet,
    AssignmentExpression: assignment,
    ConditionalExpression: conditional,
    MemberExpression: member,
    CallExpression: evaluateCall,
    NewExpression: evaluateCall,
    SequenceExpression: (run, node) =>
      list(node, 'expressions').reduce<Value>((_value, item) => run.evaluate(item), UNKNOWN),
    ArrayExpression: array,
    ObjectExpression: object,
    AwaitExpression: (run, node) => run.evaluate(child(node, 'argument')),
    YieldExpression: (run, node) => {
      // Who loops over the generator gets it.
      const value = run.evaluate(child(node, 'argument'));
      if (value.source !== null) run.returns.push(withGuards(run.scope, value));
      return UNKNOWN;
    },
    ThisExpression: () => withRole('this'),
    MetaProperty: () => TRUSTED,
    FunctionExpression: (run, node) =>
      functionValue(run, node, text(child(node, 'identifier'), 'value')),
    ArrowFunctionExpression: (run, node) => functionValue(run, node, ''),
  }),
);

function identifier(run: Run, node: SyntaxNode): Value {
  const name = text(node, 'value');
  const narrowed = lookUpNarrowed(run.scope, name);
  if (narrowed !== undefined) return narrowed;
  const value = lookUp(run.scope, name);
  if (value !== undefined) return value;
  if (name === 'undefined') return NOTHING;
  if (LOCAL_NAMES.has(name) || isConstantName(name)) return TRUSTED;
  const role = roleOf(name);
  if (role !== null) return withRole(role);
  if (PROGRAM_NAMES.has(name)) return withOrigin(`child_process.${name}`);
  return globalValue(name) ?? freeSource(name, run.lineOf(node)) ?? UNKNOWN;
}

function binary(run: Run, node: SyntaxNode): Value {
  const operator = text(node, 'operator');
  if (operator === '+') return build(operands(run, node), run.linesOf(node));
  if (operator === '&&' || operator === '||' || operator === '??')
    return logical(run, node, operator);
  // Chains of any operator lean to the left: no recursion for each of them.
  let left: SyntaxNode | null = node;
  let role: Value['role'] = null;
  while (left?.type === 'BinaryExpression') {
    role = run.evaluate(child(left, 'right')).role ?? role;
    left = bare(child(left, 'left'));
  }
  role = run.evaluate(left).role ?? role;
  return role === 'random' ? { ...TRUSTED, role } : TRUSTED;
}

/** The operands of `a + b + c`, in order. */
function operands(run: Run, node: SyntaxNode): Value[] {
  const nodes = leaning(node, '+');
  return nodes.map((item) => run.evaluate(item)).slice(0, OPERANDS_MAX);
}

/** Operands of a chain of one operator that leans to the left, in order. */
function leaning(node: SyntaxNode, operator: string): (SyntaxNode | null)[] {
  const nodes: (SyntaxNode | null)[] = [];
  let left: SyntaxNode | null = node;
  while (left?.type === 'BinaryExpression' && text(left, 'operator') === operator) {
    nodes.push(child(left, 'right'));
    left = bare(child(left, 'left'));
  }
  nodes.push(left);
  return nodes.reverse();
}

/** Each operand is evaluated knowing how those before it turned out. */
function logical(run: Run, node: SyntaxNode, operator: '&&' | '||' | '??'): Value {
  return within(run, true, (scope) => {
    let result: Value | null = null;
    for (const item of leaning(node, operator)) {
      const value = run.evaluate(item);
      result = result === null || operator === '&&' ? value : either(result, value);
      if (operator === '??') continue;
      const found: Findings = readCondition(run, item);
      const known = operator === '&&' ? found.whenTrue : found.whenFalse;
      for (const [path, narrowed] of known) narrow(scope, path, narrowed);
    }
    return result ?? UNKNOWN;
  });
}

/** `left || right`: the literal on the right is what holds when nothing is configured. */
function either(left: Value, right: Value): Value {
  const value = worse(left, right);
  const isFallback = right.constant !== null && left.constant === null;
  return isFallback ? { ...value, fallback: right.constant } : value;
}

/** `!x`, `-x`, `typeof x`, `x++`: a number, a boolean or nothing. */
function quiet(run: Run, node: SyntaxNode): Value {
  const value = run.evaluate(child(node, 'argument'));
  const isNumber = text(node, 'operator') === '-' && /^\d+$/.test(value.constant ?? '');
  return isNumber ? constant(`-${value.constant}`) : TRUSTED;
}

function assignment(run: Run, node: SyntaxNode): Value {
  const left = child(node, 'left');
  const operator = text(node, 'operator');
  const outer = run.isExporting;
  const path = memberPath(left) ?? '';
  run.isExporting = isExport(run, path);
  const isMessage = /^(?:(?:window|self|globalThis)\.)?onmessage$/.test(path);
  const right = run.evaluateWith(child(node, 'right'), isMessage ? [withRole('event')] : []);
  run.isExporting = outer;
  const value = assigned(run, operator, left, right, node);
  if (bare(left)?.type === 'MemberExpression') showAssignment(run, node, right);
  bind(run, left, value, 'assign');
  return value;
}

/** What others get from the module: its exports, and methods of exported classes. */
function isExport(run: Run, path: string): boolean {
  if (/^(?:module\.exports|exports)(?:\.|$)/.test(path)) return true;
  const [root = '', next] = path.split('.');
  return run.exportedNames.has(root) || (next === 'prototype' && run.exportedNames.size > 0);
}

function showAssignment(run: Run, node: SyntaxNode, value: Value): void {
  const { scope } = run;
  const left = bare(child(node, 'left'));
  const object = child(left, 'object');
  const property = child(left, 'property');
  // What is assigned to as a whole has not been evaluated yet.
  const isPlain = text(node, 'operator') === '=';
  run.observer.onAssign(
    {
      name: (isPlain ? keyName(run, property) : fixedName(property)) ?? '',
      object: smallValue(run, object) ?? UNKNOWN,
      objectPath: memberPath(object),
      keys: [key(run, child(bare(object), 'property')), key(run, property)],
      value,
      safetyOf: (use, source) => safetyOf(scope, use, source),
    },
    node,
  );
}

/** The value of a computed key; null for a fixed one. */
function key(run: Run, property: SyntaxNode | null): Value | null {
  if (property?.type !== 'Computed' || fixedName(property) !== null) return null;
  return smallValue(run, child(property, 'expression')) ?? UNKNOWN;
}

function assigned(
  run: Run,
  operator: string,
  left: SyntaxNode | null,
  right: Value,
  node: SyntaxNode,
): Value {
  if (operator === '=') return right;
  const before = run.evaluate(left);
  if (operator === '+=') return build([before, right], run.linesOf(node));
  return /^(?:\|\||&&|\?\?)=$/.test(operator) ? worse(before, right) : TRUSTED;
}

function conditional(run: Run, node: SyntaxNode): Value {
  const test = child(node, 'test');
  run.evaluate(test);
  const found = readCondition(run, test);
  const branch = (key: string, known: ReadonlyMap<string, Value>) =>
    within(run, true, (scope) => {
      for (const [path, value] of known) narrow(scope, path, value);
      return run.evaluate(child(node, key));
    });
  return worse(branch('consequent', found.whenTrue), branch('alternate', found.whenFalse));
}

function member(run: Run, node: SyntaxNode): Value {
  const path = memberPath(node);
  if (path !== null) {
    const narrowed = lookUpNarrowed(run.scope, path);
    if (narrowed !== undefined) return narrowed;
  }
  const object = run.evaluate(child(node, 'object'));
  const name = keyName(run, child(node, 'property'));
  if (name === null && isRandomKey(run, child(node, 'property')))
    return { ...TRUSTED, role: 'random' };
  const written = path ?? foldedPath(node, name);
  const root = rootOf(written);
  const isFree = object.origin === null && lookUp(run.scope, root) === undefined;
  const global = isFree ? globalMember(written) : null;
  if (global !== null) return global;
  const value = memberOf(object, name, path ?? '', run.lineOf(node));
  if (isMarkupOfPage(name, value)) return { ...value, safeFor: [...value.safeFor, 'html'] };
  // `[].map.constructor` is `Function`.
  return isLiteralMethod(object, name) ? prototypeValue() : value;
}

/** What the browser writes for elements that are in a page already. */
function isMarkupOfPage(name: string | null, { source, origin, properties }: Value): boolean {
  const isMarkup = name === 'innerHTML' || name === 'outerHTML';
  return isMarkup && source === null && origin === null && properties === null;
}

/** `letters[Math.floor(Math.random() * letters.length)]` can be guessed as the number can. */
function isRandomKey(run: Run, property: SyntaxNode | null): boolean {
  const expression = bare(child(property, 'expression'));
  if (expression === null) return false;
  if (expression.type === 'Identifier') return run.evaluate(expression).role === 'random';
  return /\bMath\.random\b/.test(run.textOf(expression));
}

function foldedPath(node: SyntaxNode, name: string | null): string {
  const before = name === null ? null : memberPath(child(node, 'object'));
  return before === null ? '' : `${before}.${name}`;
}

function isLiteralMethod({ elements, constant }: Value, name: string | null): boolean {
  return (elements !== null || constant !== null) && isBuiltInMethod(name);
}

function array(run: Run, node: SyntaxNode): Value {
  const elements: Value[] = [];
  for (const element of list(node, 'elements')) {
    const value = run.evaluate(child(element, 'expression'));
    if (field(element, 'spread') != null && value.elements !== null)
      elements.push(...value.elements);
    else elements.push(value);
    // The rest is one value more, as bad as the worst of it.
    if (elements.length > TAINT.MEMBERS_MAX)
      elements.push(elements.splice(TAINT.MEMBERS_MAX - 1).reduce(worse));
  }
  return { ...derive(elements), elements };
}

function object(run: Run, node: SyntaxNode): Value {
  const properties = new Map<string, Value>();
  const isExporting = run.isExporting;
  let rest: Value = TRUSTED;
  for (const property of list(node, 'properties')) {
    run.isExporting = isExporting;
    if (property?.type === 'SpreadElement') {
      const spread = run.evaluate(child(property, 'arguments'));
      for (const [name, value] of spread.properties ?? []) {
        if (properties.size < TAINT.MEMBERS_MAX) properties.set(name, value);
        else rest = worse(rest, value);
      }
      // `{...req.body}` is as much the sender's as the body.
      rest = worse(rest, spread.properties === null ? spread : TRUSTED);
      continue;
    }
    const [name, value] = propertyOf(run, property);
    if (name === null) continue;
    if (properties.size < TAINT.MEMBERS_MAX) properties.set(name, value);
    else rest = worse(rest, value);
    if (property !== null) showProperty(run, name, value, property);
  }
  run.isExporting = isExporting;
  const known = derive([...properties.values()]);
  const source = rest.source ?? known.source;
  return { ...UNKNOWN, source, properties, isTrusted: known.isTrusted && rest.isTrusted };
}

function showProperty(run: Run, name: string, value: Value, node: SyntaxNode): void {
  const { scope } = run;
  const isLiteral = bare(child(node, 'value'))?.type?.endsWith('Literal') === true;
  run.observer.onProperty(
    {
      name,
      value,
      isLiteral,
      element: null,
      safetyOf: (use, source) => safetyOf(scope, use, source),
    },
    node,
  );
}

function propertyOf(run: Run, property: SyntaxNode | null): [string | null, Value] {
  if (property?.type === 'Identifier') return [text(property, 'value'), run.evaluate(property)];
  const key = child(property, 'key');
  const name = keyName(run, key);
  const accessor = child(property, 'function');
  if (accessor !== null) {
    const { callable } = functionValue(run, accessor, name ?? '');
    const isRead = property?.type === 'GetterProperty' && callable !== null;
    return [name, isRead ? (returnedBy(run, callable) ?? UNKNOWN) : UNKNOWN];
  }
  const value = child(property, 'value');
  const method = property?.type === 'MethodProperty' ? property : bare(value);
  if (method !== null && isFunction(method)) {
    const { callable } = functionValue(
      run,
      method,
      name ?? '',
      optionValues(name ?? '', run.taker),
    );
    return [name, { ...UNKNOWN, callable }];
  }
  if (property?.type === 'KeyValueProperty') {
    const given = run.evaluate(value);
    const known = given.callable === null ? [] : optionValues(name ?? '', run.taker);
    if (given.callable !== null && known.length > 0) invoke(run, given.callable, known);
    return [name, given];
  }
  run.evaluate(child(property, 'body') ?? value);
  return [name, UNKNOWN];
}
