import { words } from '../words.ts';
import {
  assertionGuard,
  callGuard,
  DENY_LIST,
  equalityGuard,
  positionGuard,
  smallValue,
} from './guards.ts';
import { bare, child, field, fixedName, list, memberPath, type SyntaxNode, text } from './node.ts';
import { isAnchored } from './regex.ts';
import type { Run } from './run.ts';
import { checked, partOf, TRUSTED, UNKNOWN, type Value } from './value.ts';

/** What a condition tells of member paths, by how it turned out. */
export interface Findings {
  whenTrue: ReadonlyMap<string, Value>;
  whenFalse: ReadonlyMap<string, Value>;
}

const NOTHING: ReadonlyMap<string, Value> = new Map();
const NONE: Findings = { whenTrue: NOTHING, whenFalse: NOTHING };

/** `list.includes(x)`, `set.has(x)`, `Object.hasOwn(map, x)`. */
const MEMBERSHIP = words('includes has hasOwn hasOwnProperty contains');
const NUMBER_TESTS = words('isInteger isSafeInteger isFinite');
/** Tests of validator.js, joi-like libraries and Node that leave no room for free text. */
const STRICT_TEST =
  /^is(?:IP|IPv[46]|FQDN|UUID|Uuid|Int|Numeric|Alpha|Alphanumeric|MongoId|Hexadecimal|Slug|Port|In|Integer|ValidObjectId)$/;
/** Names that promise a check without showing it. */
const VALIDATOR =
  /valid|allowed|permitted|whitelist|allowlist|safe|^is(?:UUID|Uuid|Int|Numeric|Alpha)/;
const STATEMENT_VALIDATOR = /^(?:assert|validate|verify|ensure|check|require)[A-Z]/;

/** Reads a condition; the condition itself has been evaluated already. */
export function readCondition(run: Run, node: SyntaxNode | null): Findings {
  const test = bare(node);
  switch (test?.type) {
    case 'UnaryExpression':
      return text(test, 'operator') === '!'
        ? flip(readCondition(run, child(test, 'argument')))
        : NONE;
    case 'BinaryExpression':
      return binary(run, test);
    case 'CallExpression':
      return call(run, test);
    case 'MemberExpression':
      return lookUp(run, test);
    default:
      return NONE;
  }
}

/** A call that stands alone and throws when its argument is not what it should be. */
export function readValidator(run: Run, node: SyntaxNode | null): ReadonlyMap<string, Value> {
  const statement = bare(node);
  const inner =
    statement?.type === 'AwaitExpression' ? bare(child(statement, 'argument')) : statement;
  if (inner?.type !== 'CallExpression') return NOTHING;
  const name = calleeName(inner);
  const [first] = list(inner, 'arguments');
  const argument = child(first ?? null, 'expression');
  if (/^(?:assert|invariant|ok)$/.test(name)) return readCondition(run, argument).whenTrue;
  const asserted = assertionGuard(run, inner, name);
  const path = STATEMENT_VALIDATOR.test(name) ? memberPath(argument) : null;
  return path === null ? asserted : asserted.set(path, checked(peek(run, argument)));
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
      return allowed(left);
    case '>=':
    case '>':
      return position(run, left, right);
    case '<':
      return flip(position(run, left, right));
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
function common(
  left: ReadonlyMap<string, Value>,
  right: ReadonlyMap<string, Value>,
): ReadonlyMap<string, Value> {
  return new Map([...left].filter(([path]) => right.has(path)));
}

function equality(run: Run, left: SyntaxNode | null, right: SyntaxNode | null): Findings {
  const index = indexOf(left);
  if (index !== null) return indexEquality(run, index, left, right);
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
    if (peek(run, other).source === null) {
      return {
        whenTrue: new Map([...(guard?.whenTrue ?? []), [path, TRUSTED]]),
        whenFalse: guard?.whenFalse ?? NOTHING,
      };
    }
  }
  return NONE;
}

/** `list.indexOf(x) === -1`, `path.indexOf(root) !== 0` */
function indexEquality(
  run: Run,
  index: string,
  left: SyntaxNode | null,
  right: SyntaxNode | null,
): Findings {
  const call = bare(left);
  if (call === null) return NONE;
  const { absent, first } = positionGuard(run, call);
  if (bare(right)?.type === 'NumericLiteral') return { whenTrue: first, whenFalse: NOTHING };
  return { whenTrue: absent, whenFalse: absent.size > 0 ? NOTHING : new Map([[index, TRUSTED]]) };
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
function position(run: Run, left: SyntaxNode | null, right: SyntaxNode | null): Findings {
  const path = indexOf(left);
  const call = bare(left);
  const bound = bare(right);
  const isNumber = bound?.type === 'NumericLiteral' || bound?.type === 'UnaryExpression';
  if (path === null || call === null || !isNumber) return NONE;
  const { absent } = positionGuard(run, call);
  return absent.size > 0
    ? { whenTrue: NOTHING, whenFalse: absent }
    : { whenTrue: new Map([[path, TRUSTED]]), whenFalse: NOTHING };
}

function indexOf(node: SyntaxNode | null): string | null {
  const inner = bare(node);
  if (inner?.type !== 'CallExpression' || calleeName(inner) !== 'indexOf') return null;
  return memberPath(child(list(inner, 'arguments')[0] ?? null, 'expression')) ?? '';
}

function call(run: Run, node: SyntaxNode): Findings {
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
  const receiver = child(bare(child(node, 'callee')), 'object');
  if (MEMBERSHIP.has(name)) {
    if (peek(run, receiver).source !== null || DENY_LIST.test(memberPath(receiver) ?? ''))
      return NONE;
    return allowed(values.at(-1) ?? null);
  }
  if (NUMBER_TESTS.has(name) || STRICT_TEST.test(name)) return allowed(values[0] ?? null);
  if (name === 'isNaN') return flip(allowed(values[0] ?? null));
  if (name === 'test') return regexTest(run, receiver, values[0] ?? null);
  if (!VALIDATOR.test(name)) return NONE;
  const path = memberPath(values[0] ?? null);
  if (path === null) return NONE;
  return { whenTrue: new Map([[path, checked(peek(run, values[0] ?? null))]]), whenFalse: NOTHING };
}

/** A regex that holds the whole text to a set of characters. */
function regexTest(run: Run, regex: SyntaxNode | null, argument: SyntaxNode | null): Findings {
  const path = memberPath(argument);
  if (path === null) return NONE;
  const pattern = peek(run, regex);
  const isKnown = pattern.role === 'regex' && pattern.constant !== null;
  const value =
    isKnown && isAnchored(pattern.constant ?? '') ? TRUSTED : checked(peek(run, argument));
  if (isKnown && value !== TRUSTED) return NONE;
  return { whenTrue: new Map([[path, value]]), whenFalse: NOTHING };
}

/** `TABLE[x]` is there: x is one of its keys. */
function lookUp(run: Run, node: SyntaxNode): Findings {
  const key = child(node, 'property');
  if (key?.type !== 'Computed' || fixedName(key) !== null) return NONE;
  if (peek(run, child(node, 'object')).source !== null) return NONE;
  return allowed(child(key, 'expression'));
}

function allowed(node: SyntaxNode | null): Findings {
  const path = memberPath(node);
  return path === null ? NONE : { whenTrue: new Map([[path, TRUSTED]]), whenFalse: NOTHING };
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
