import { USES, words } from '../../../rules/catalogue/line.ts';
import { charactersOf, wholePattern } from './constants.ts';
import {
  assertionGuard,
  callGuard,
  claims,
  equalityGuard,
  facts,
  isFixed,
  literalKeys,
  membershipFacts,
  NONE,
  NOTHING,
  positionGuard,
  provenBy,
  sourcesIn,
} from './guards.ts';
import {
  bare,
  child,
  field,
  fixedName,
  list,
  memberPath,
  rootOf,
  type SyntaxNode,
  text,
} from './node.ts';
import { type Facts, type Findings, lookUp, type Run, smallValue } from './run.ts';
import { madeSafe, partOf, TRUSTED, UNKNOWN, type Value } from './value.ts';

/** Methods of the language that tell whether a list or an object holds something. */
const MEMBERSHIP = words('includes has hasOwn hasOwnProperty contains');
/** Ways to write Node's `assert`, which throws when its argument is false. */
const ASSERT = /^assert(?:\.(?:ok|strict|strict\.ok))?$/;
const ASSERTING_PACKAGES = /^(?:assert(?:\/strict)?(?:\.(?:ok|strict))?|invariant|tiny-invariant)$/;

/** Reads a condition; the condition itself has been evaluated already. */
export function readCondition(run: Run, node: SyntaxNode | null): Findings {
  const test = bare(node);
  switch (test?.type) {
    case 'UnaryExpression':
      return text(test, 'operator') === '!'
        ? flip(readCondition(run, child(test, 'argument')))
        : NONE;
    case 'AwaitExpression': {
      const awaited = bare(child(test, 'argument'));
      return awaited?.type === 'CallExpression' ? call(run, awaited, true) : NONE;
    }
    case 'BinaryExpression':
      return binary(run, test);
    case 'CallExpression':
      return call(run, test, false);
    case 'MemberExpression':
      return lookUpIn(run, test);
    default:
      return NONE;
  }
}

/** A call that stands alone and throws when its argument is not what it should be. */
export function readValidator(run: Run, node: SyntaxNode | null): Facts {
  const statement = bare(node);
  const inner =
    statement?.type === 'AwaitExpression' ? bare(child(statement, 'argument')) : statement;
  if (inner?.type !== 'CallExpression' || isConsole(inner)) return NOTHING;
  const argument = child(list(inner, 'arguments')[0] ?? null, 'expression');
  return isAssert(run, inner)
    ? readCondition(run, argument).whenTrue
    : assertionGuard(run, inner, calleeName(inner), statement !== inner);
}

function isConsole(node: SyntaxNode): boolean {
  return memberPath(child(node, 'callee'))?.startsWith('console.') === true;
}

/** Node's `assert`, or a package that does the same; `console.assert` and others go on. */
function isAssert(run: Run, node: SyntaxNode): boolean {
  const callee = child(node, 'callee');
  const path = memberPath(callee) ?? '';
  const root = rootOf(path);
  const declared = lookUp(run.scope, root);
  if (declared === undefined) return ASSERT.test(path);
  const { origin } = declared;
  return origin !== null && ASSERTING_PACKAGES.test(`${origin}${path.slice(root.length)}`);
}

function flip(findings: Findings): Findings {
  return { whenTrue: findings.whenFalse, whenFalse: findings.whenTrue };
}

function binary(run: Run, node: SyntaxNode): Findings {
  const operator = text(node, 'operator');
  const left = child(node, 'left');
  const right = child(node, 'right');
  switch (operator) {
    case '&&':
    case '||':
      return joined(operator, readCondition(run, left), readCondition(run, right));
    case '==':
    case '===':
      return equality(run, left, right);
    case '!=':
    case '!==':
      return flip(equality(run, left, right));
    case 'in':
      return membership(run, right, left);
    case '>=':
    case '>':
      return position(run, operator, left, right);
    case '<':
      return flip(position(run, '>=', left, right));
    default:
      return NONE;
  }
}

function joined(operator: '&&' | '||', left: Findings, right: Findings): Findings {
  if (operator === '||') {
    const neither = new Map([...left.whenFalse, ...right.whenFalse]);
    return { whenTrue: common(left.whenTrue, right.whenTrue), whenFalse: neither };
  }
  const both = new Map([...left.whenTrue, ...right.whenTrue]);
  return { whenTrue: both, whenFalse: common(left.whenFalse, right.whenFalse) };
}

/** What holds either way. */
function common(left: Facts, right: Facts): Facts {
  return new Map([...left].filter(([path]) => right.has(path)));
}

function equality(run: Run, left: SyntaxNode | null, right: SyntaxNode | null): Findings {
  if (isIndexOf(left)) return indexEquality(run, left, right);
  const type = typeTest(run, left, right);
  if (type !== null) return type;
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const path = memberPath(one);
    const guard = equalityGuard(run, one, other);
    if (path === null) {
      if (guard !== null) return guard;
      continue;
    }
    if (peek(run, one).source === null && peek(run, other).source !== null) continue;
    if (isFixed(run, other)) {
      return {
        whenTrue: new Map([...(guard?.whenTrue ?? []), [path, TRUSTED]]),
        whenFalse: guard?.whenFalse ?? NOTHING,
      };
    }
    if (sourcesIn(run, other).length === 0) {
      return { whenTrue: claims(run, one, USES), whenFalse: guard?.whenFalse ?? NOTHING };
    }
  }
  return NONE;
}

/** `list.indexOf(x) === -1`, `path.indexOf(root) !== 0` */
function indexEquality(run: Run, left: SyntaxNode | null, right: SyntaxNode | null): Findings {
  const call = bare(left);
  if (call === null) return NONE;
  const { absent, first } = positionGuard(run, call);
  if (peek(run, right).constant === '0') return { whenTrue: first, whenFalse: NOTHING };
  if (negative(right) !== '-1') return NONE;
  return absent.size > 0
    ? { whenTrue: absent, whenFalse: NOTHING }
    : { whenTrue: NOTHING, whenFalse: inList(run, call).whenTrue };
}

/** `typeof x === 'number'` makes it harmless; `'string'` at least no object. */
function typeTest(run: Run, left: SyntaxNode | null, right: SyntaxNode | null): Findings | null {
  const operand = bare(left);
  if (operand?.type !== 'UnaryExpression' || text(operand, 'operator') !== 'typeof') return null;
  const argument = child(operand, 'argument');
  const path = memberPath(argument);
  if (path === null) return NONE;
  const type = text(bare(right), 'value');
  if (type === 'number' || type === 'boolean' || type === 'bigint') {
    return { whenTrue: new Map([[path, TRUSTED]]), whenFalse: NOTHING };
  }
  if (type !== 'string') return NONE;
  const value = peek(run, argument);
  const asText = { ...value, source: partOf(value.source) };
  return { whenTrue: new Map([[path, asText]]), whenFalse: NOTHING };
}

/** `list.indexOf(x) >= 0`, `> -1`. */
function position(
  run: Run,
  operator: '>=' | '>',
  left: SyntaxNode | null,
  right: SyntaxNode | null,
): Findings {
  const call = bare(left);
  const bound = peek(run, right).constant ?? negative(right);
  const isBound = operator === '>' ? /^-1$|^\d+$/.test(bound) : /^\d+$/.test(bound);
  if (!isIndexOf(left) || call === null || !isBound) return NONE;
  const { absent } = positionGuard(run, call);
  return absent.size > 0 ? { whenTrue: NOTHING, whenFalse: absent } : inList(run, call);
}

/** `-1` */
function negative(node: SyntaxNode | null): string {
  const inner = bare(node);
  const isMinus = inner?.type === 'UnaryExpression' && text(inner, 'operator') === '-';
  return isMinus ? `-${String(field(bare(child(inner, 'argument')), 'value'))}` : '';
}

function isIndexOf(node: SyntaxNode | null): boolean {
  const inner = bare(node);
  return inner?.type === 'CallExpression' && calleeName(inner) === 'indexOf';
}

function inList(run: Run, call: SyntaxNode): Findings {
  const receiver = child(bare(child(call, 'callee')), 'object');
  return membership(run, receiver, child(list(call, 'arguments')[0] ?? null, 'expression'));
}

function call(run: Run, node: SyntaxNode, isAwaited: boolean): Findings {
  const proven = provenBy(run, node, isAwaited);
  if (proven !== null) return proven;
  const name = calleeName(node);
  const guard = callGuard(run, node, name);
  const found = valueCall(run, node, name);
  return {
    whenTrue: new Map([...guard.whenTrue, ...found.whenTrue]),
    whenFalse: new Map([...guard.whenFalse, ...found.whenFalse]),
  };
}

function valueCall(run: Run, node: SyntaxNode, name: string): Findings {
  const values = list(node, 'arguments').map((argument) => child(argument, 'expression'));
  const [first = null] = values;
  const callee = bare(child(node, 'callee'));
  const receiver = child(callee, 'object');
  if (callee?.type !== 'MemberExpression' || run.isPatched(name)) return NONE;
  // `Object.hasOwn(table, x)`, `Object.prototype.hasOwnProperty.call(table, x)`
  if (name === 'call' && memberPath(callee)?.endsWith('hasOwnProperty.call') === true)
    return membership(run, first, values[1] ?? null);
  if (name === 'hasOwn') return membership(run, first, values[1] ?? null);
  if (MEMBERSHIP.has(name)) return membership(run, receiver, first);
  if (name === 'test') return regexTest(run, receiver, first);
  return name === 'match' ? regexTest(run, first, receiver) : NONE;
}

/** A list or table of literals in view holds the item; any other one only says so. */
function membership(run: Run, holder: SyntaxNode | null, item: SyntaxNode | null): Findings {
  // The sender's own list proves nothing, and a text holds all of its parts.
  const { source, constant } = peek(run, holder);
  if (source !== null || constant !== null) return NONE;
  const keys = literalKeys(run, holder);
  if (keys === null) {
    return { whenTrue: claims(run, item, USES), whenFalse: claims(run, item, ['key']) };
  }
  return membershipFacts(run, item, keys);
}

/** A regex that holds the whole text to a set of characters. */
function regexTest(run: Run, regex: SyntaxNode | null, argument: SyntaxNode | null): Findings {
  const value = peek(run, regex);
  if (value.role !== 'regex') {
    return value.source === null && value.constant === null
      ? { whenTrue: claims(run, argument, USES), whenFalse: NOTHING }
      : NONE;
  }
  const pattern = wholePattern(value);
  const uses = pattern === null ? null : charactersOf(pattern);
  if (uses === null) return NONE;
  const path = memberPath(argument);
  const found = new Map(facts(run, argument, uses));
  if (path !== null) {
    const isAll = uses.length === USES.length;
    found.set(path, isAll ? TRUSTED : withUses(peek(run, argument), uses));
  }
  return { whenTrue: found, whenFalse: NOTHING };
}

function withUses(value: Value, uses: Value['safeFor']): Value {
  return value.source === null ? { ...value, safeFor: uses } : madeSafe(value, uses);
}

/** `TABLE[x]` is there: x is one of its keys. */
function lookUpIn(run: Run, node: SyntaxNode): Findings {
  const key = child(node, 'property');
  if (key?.type !== 'Computed' || fixedName(key) !== null) return NONE;
  return membership(run, child(node, 'object'), child(key, 'expression'));
}

/** A small expression's value; anything larger is taken for unknown. */
function peek(run: Run, node: SyntaxNode | null): Value {
  return smallValue(run, node) ?? UNKNOWN;
}

/** Last name of a call's callee, or ''. */
function calleeName(node: SyntaxNode): string {
  const callee = bare(child(node, 'callee'));
  if (callee?.type === 'MemberExpression') return fixedName(child(callee, 'property')) ?? '';
  const name = field(callee, 'value');
  return callee?.type === 'Identifier' && typeof name === 'string' ? name : '';
}
