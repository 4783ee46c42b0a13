import { nameOf, patternOf } from './bindings.ts';
import {
  bare,
  child,
  childNodes,
  fixedName,
  isFunction,
  list,
  memberPath,
  rootOf,
  type SyntaxNode,
  text,
} from './node.ts';
import type { Flaw, Run } from './run.ts';

/** Text that every such function has: a computed member is assigned, in a loop or callback. */
const LIKELY = /\][ \t]*(?:=(?!=|>)|\|\|=|\?\?=)|\bassign\s{0,9}\([^,)]{1,80},\s{0,9}\{\s{0,9}\[/;
const LOOP = /\b(?:for|while|forEach|reduce|each|every|map)\b/;
/** A call with what a key leads to: `set(object[key], rest, value)`. */
const CALL_OF_MEMBER = /\(\s{0,9}[\w$.]{1,80}\[[^\]\n]{1,80}\]\s{0,9},/;
/** Code that names these has considered them. */
const GUARD = new RegExp(
  String.raw`__proto__|['"\x60]constructor['"\x60]|\bObject\.create\(null\)|` +
    String.raw`\bnew Map\b|\b\w*(?:[pP]roto(?!col|type\.)|[sS]anitiz\w*[kK]ey|[uU]nsafe|[fF]orbidden|[dD]angerous|` +
    String.raw`[bB]locked|[dD]isallowed|[rR]eserved|[sS]afe[kK]ey|[iI]sSafe)\w*`,
);

/** Keys are cut out of a text: `name.split('.')`, `name.split(/[.[\]]/)`. */
const KEY_PATH =
  /\.\s{0,9}split\s{0,9}\(\s{0,9}(?:['"`](?:\.|\[|\]\[)['"`]|\/[^/\n]{0,80}(?:\\\.|\\\[|\[[.\]])[^/\n]{0,80}\/)/;

/** What is known of a function's shape. */
interface Shape {
  /** Names that hold a key of some object, in turn. */
  keys: Set<string>;
  /** `target[key] = value` */
  writes: { target: string; key: string; value: SyntaxNode | null; node: SyntaxNode }[];
  /**
   * Computed members given to a call of the function itself; `isAlone`: with no other object that
   * could be merged into it.
   */
  recursions: { target: string; key: string; isAlone?: boolean }[];
  /** `at = at[key]` */
  descents: Set<string>;
  /** Names given to a call of the function itself. */
  passed: Set<string>;
  /** `const inner = at[key]` */
  aliases: Map<string, { target: string; key: string }>;
  /** Targets of `hasOwnProperty`. */
  owned: Set<string>;
}

/**
 * Finds the assignment by which a function lets the keys of data reach a prototype: a recursive
 * merge of one object into another, or a setter that walks down a path of keys, when neither
 * refuses `__proto__`. Null for all other functions.
 */
export function pollution(run: Run, node: SyntaxNode, name: string): Flaw | null {
  const written = run.textOf(node);
  if (!LIKELY.test(written) || GUARD.test(written)) return null;
  if (!LOOP.test(written) && !CALL_OF_MEMBER.test(written)) return null;
  const shape: Shape = {
    keys: new Set(),
    writes: [],
    recursions: [],
    descents: new Set(),
    passed: new Set(),
    aliases: new Map(),
    owned: new Set(),
  };
  if (!walk(run, node, name, shape)) return null;
  for (const passed of shape.passed) {
    const member = shape.aliases.get(passed);
    if (member !== undefined) shape.recursions.push(member);
  }
  const params = new Set(list(node, 'params').map((param) => nameOf(patternOf(param))));
  const given = mergeIn(shape) ?? setterIn(shape, params);
  if (given !== null) return { node: given, isRead: false };
  const read = KEY_PATH.test(written) ? walkIn(shape) : null;
  return read === null ? null : { node: read, isRead: true };
}

function mergeIn(shape: Shape): SyntaxNode | null {
  for (const { target, key, node } of shape.writes) {
    if (!shape.keys.has(key) || shape.owned.has(target)) continue;
    const descends = shape.recursions.some(
      (call) => call.target === target && call.key === key && call.isAlone !== true,
    );
    if (descends) return node;
  }
  return null;
}

function setterIn(shape: Shape, params: ReadonlySet<string>): SyntaxNode | null {
  for (const { target, value, node } of shape.writes) {
    const isGiven = givenIn(value, params);
    const descends =
      shape.descents.has(target) ||
      shape.recursions.some((call) => call.target === target && call.isAlone !== true);
    if (isGiven && descends && !shape.owned.has(target)) return node;
  }
  return null;
}

/** A reader of `a.b.c=1` or `a[b][c]=1`, which writes wherever the keys of its text lead. */
function walkIn({ writes, descents, owned }: Shape): SyntaxNode | null {
  return writes.find(({ target }) => descents.has(target) && !owned.has(target))?.node ?? null;
}

/** Whether a value may be a parameter, or a member of one that a key leads to. */
function givenIn(value: SyntaxNode | null, params: ReadonlySet<string>): boolean {
  const inner = bare(value);
  switch (inner?.type) {
    case 'Identifier':
      return params.has(text(inner, 'value'));
    case 'ConditionalExpression':
      return (
        givenIn(child(inner, 'consequent'), params) || givenIn(child(inner, 'alternate'), params)
      );
    case 'MemberExpression':
      return params.has(rootOf(computed(inner)?.target ?? ''));
    default:
      return false;
  }
}

/** False when the function is too large to be walked. */
function walk(run: Run, root: SyntaxNode, name: string, shape: Shape): boolean {
  const todo: SyntaxNode[] = [root];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (!run.mayWalk()) return false;
    read(node, name, shape);
    for (const inner of childNodes(node)) todo.push(inner);
  }
  return true;
}

function read(node: SyntaxNode, name: string, shape: Shape): void {
  switch (node.type) {
    case 'ForInStatement':
    case 'ForOfStatement':
      if (node.type === 'ForInStatement' || isKeyList(child(node, 'right'))) {
        readKey(child(node, 'left'), shape);
      }
      break;
    case 'VariableDeclarator':
      readDescent(child(node, 'id'), bare(child(node, 'init')), shape);
      readAlias(child(node, 'id'), bare(child(node, 'init')), shape);
      break;
    case 'AssignmentExpression':
      readAssignment(node, shape);
      break;
    case 'CallExpression':
      readCall(node, name, shape);
      break;
  }
}

function readKey(left: SyntaxNode | null, shape: Shape): void {
  const [declarator] = list(left, 'declarations');
  const pattern = declarator === undefined ? left : child(declarator, 'id');
  const first = pattern?.type === 'ArrayPattern' ? list(pattern, 'elements')[0] : pattern;
  if (first?.type === 'Identifier') shape.keys.add(text(first, 'value'));
}

/** `Object.keys(x)`, `Object.entries(x)`, `Reflect.ownKeys(x)`. */
function isKeyList(node: SyntaxNode | null): boolean {
  const callee = memberPath(child(bare(node), 'callee')) ?? '';
  return /(?:^|\.)(?:keys|entries|ownKeys|getOwnPropertyNames)$/.test(callee);
}

function readAlias(left: SyntaxNode | null, right: SyntaxNode | null, shape: Shape): void {
  const member = computed(withoutDefault(right));
  if (member !== null && left?.type === 'Identifier')
    shape.aliases.set(text(left, 'value'), member);
}

function readAssignment(node: SyntaxNode, shape: Shape): void {
  const left = bare(child(node, 'left'));
  const right = bare(child(node, 'right'));
  const member = computed(left);
  if (member !== null) shape.writes.push({ ...member, value: right, node });
  else readDescent(left, right, shape);
}

/** `at = at[key]`, `at = at[key] = {}`, `at = at[key] || (at[key] = {})`, `at = next[key]`. */
function readDescent(left: SyntaxNode | null, right: SyntaxNode | null, shape: Shape): void {
  if (left?.type !== 'Identifier') return;
  // `keys.reduce((at, key) => (at[key] ??= {}), object)`
  const callee = bare(child(right, 'callee'));
  if (fixedName(child(callee, 'property')) === 'reduce') shape.descents.add(text(left, 'value'));
  const name = text(left, 'value');
  if (computed(withoutDefault(right))?.target === name) shape.descents.add(name);
}

/** `a[k]` of `a[k] || {}`, `a[k] = a[k] || {}`, `isObject(a[k]) ? a[k] : {}`. */
function withoutDefault(node: SyntaxNode | null): SyntaxNode | null {
  let inner = node;
  for (;;) {
    if (inner?.type === 'ConditionalExpression') inner = bare(child(inner, 'consequent'));
    else if (inner?.type === 'BinaryExpression' || inner?.type === 'AssignmentExpression')
      inner = bare(child(inner, 'left'));
    else return inner;
  }
}

function readCall(node: SyntaxNode, name: string, shape: Shape): void {
  const callee = bare(child(node, 'callee'));
  const args = list(node, 'arguments').map((argument) => bare(child(argument, 'expression')));
  const called =
    callee?.type === 'MemberExpression'
      ? (fixedName(child(callee, 'property')) ?? '')
      : text(callee, 'value');
  const receiver = child(callee, 'object');
  if (/^hasOwn(?:Property)?$/.test(called) || memberPath(callee)?.endsWith('hasOwnProperty.call')) {
    const [first] = args;
    const owner = args.length > 1 ? memberPath(first ?? null) : memberPath(receiver);
    if (owner !== null) shape.owned.add(owner);
  }
  if (/^(?:forEach|each|map|every|some|reduce)$/.test(called)) readCallback(receiver, args, shape);
  if (called === 'assign') readAssign(args, node, shape);
  if (name === '' || called !== name) return;
  const isAlone = args.filter((node) => !FIXED.test(node?.type ?? '')).length === 1;
  for (const argument of args) {
    const inner = withoutDefault(argument);
    if (inner?.type === 'Identifier') shape.passed.add(text(inner, 'value'));
    const member = computed(inner);
    if (member !== null) shape.recursions.push({ ...member, isAlone });
  }
}

const FIXED = /^(?:Boolean|Numeric|Null|String)Literal$/;

/** `Object.assign(target, { [key]: value })` */
function readAssign(
  [first = null, ...rest]: readonly (SyntaxNode | null)[],
  node: SyntaxNode,
  shape: Shape,
): void {
  const target = memberPath(first);
  if (target === null) return;
  for (const property of rest.flatMap((given) => list(given, 'properties'))) {
    const key = child(property, 'key');
    if (key?.type !== 'Computed') continue;
    const value = bare(child(property, 'value'));
    shape.writes.push({ target, key: text(bare(child(key, 'expression')), 'value'), value, node });
  }
}

function readCallback(
  receiver: SyntaxNode | null,
  args: readonly (SyntaxNode | null)[],
  shape: Shape,
): void {
  const callback = args.find((argument) => argument !== null && isFunction(argument));
  const [first] = list(callback ?? null, 'params').map(patternOf);
  if (isKeyList(receiver)) readKey(first ?? null, shape);
  // `keys.reduce((at, key) => (at[key] = at[key] || {}), object)`
  const result = computed(withoutDefault(bare(child(callback ?? null, 'body'))));
  if (result !== null && result.target === nameOf(first ?? null)) shape.descents.add(result.target);
}

/** `target[key]` with names for both; null for all else. */
function computed(node: SyntaxNode | null): { target: string; key: string } | null {
  if (node?.type !== 'MemberExpression') return null;
  const property = child(node, 'property');
  if (property?.type !== 'Computed' || fixedName(property) !== null) return null;
  const target = memberPath(child(node, 'object'));
  const key = bare(child(property, 'expression'));
  if (target === null || key === null) return null;
  return { target, key: text(key, 'value') };
}
