import { USES } from '../../../rules/catalogue/line.ts';
import { TRUSTED, UNKNOWN, type Value } from '../taint/value.ts';
import {
  ifFalse,
  ifTrue,
  nothing,
  ORIGIN,
  opposite,
  PLACES,
  readBoth,
  SMALL_CHARS_MAX,
  told,
} from '../tree/conditions.ts';
import type { Run } from '../tree/run.ts';
import { type Fact, type Facts, factsOf, factsOn, holdsOutside } from '../tree/scope.ts';
import { part, type TreeNode } from '../tree/tree.ts';
import { bare, classNamed } from './declarations.ts';
import { evaluate } from './expressions.ts';

/** Evaluates a condition and gives what it tells. */
export function readCondition(run: Run, node: TreeNode | null): Facts {
  switch (node?.type) {
    case undefined:
      return nothing();
    case 'parenthesized_expression':
      return readCondition(run, node.children[0] ?? null);
    case 'unary_expression': {
      const operator = part(node, 'operator');
      if (operator === null || run.textOf(operator) !== '!') return nothing(evaluate(run, node));
      return opposite(readCondition(run, part(node, 'operand')));
    }
    case 'binary_expression':
      return readBinary(run, node);
    case 'method_invocation':
      return readCall(run, node);
    case 'instanceof_expression': {
      const name = part(node, 'name');
      const value = evaluate(run, part(node, 'left'));
      if (name !== null) run.scope.set(run.textOf(name), value);
      return nothing();
    }
    default: {
      const value = evaluate(run, node);
      return { ...nothing(value), ...run.verdicts.get(value) };
    }
  }
}

function readBinary(run: Run, node: TreeNode): Facts {
  const operator = part(node, 'operator');
  const sign = operator === null ? '' : run.textOf(operator);
  if (sign === '&&' || sign === '||') return readBoth(run, node, sign === '&&');
  const leftNode = part(node, 'left');
  const rightNode = part(node, 'right');
  if (sign === '+') return nothing(evaluate(run, node));
  if (sign === '==' || sign === '!=') {
    const facts = equality(run, leftNode, rightNode);
    return sign === '==' ? facts : opposite(facts);
  }
  return compared(run, leftNode, rightNode, sign);
}

/** `name.indexOf("..") >= 0`; other orders tell nothing. */
function compared(run: Run, left: TreeNode | null, right: TreeNode | null, sign: string): Facts {
  const number = evaluate(run, right).constant;
  const isFound = (sign === '>=' && number === '0') || (sign === '>' && number === '-1');
  const isMissing = sign === '<' && number === '0';
  if ((isFound || isMissing) && left?.type === 'method_invocation') {
    const facts = readCall(run, left);
    return isFound ? facts : opposite(facts);
  }
  evaluate(run, left);
  return nothing();
}

/** Compared with `null`, `true`, -1, or what is not from outside. */
function equality(run: Run, leftNode: TreeNode | null, rightNode: TreeNode | null): Facts {
  for (const [one, other] of [
    [leftNode, rightNode],
    [rightNode, leftNode],
  ] as const) {
    const text = one === null ? '' : run.textOf(one);
    if (text === 'true') return readCondition(run, other);
    if (text === 'null' || text === 'false') return opposite(readCondition(run, other));
    if (text === '-1' && other?.type === 'method_invocation') return opposite(readCall(run, other));
  }
  return same(evaluate(run, leftNode), evaluate(run, rightNode));
}

/** Two values are the same: what is from outside is one of the program's. */
function same(left: Value, right: Value): Facts {
  if (holdsOutside(left) && holdsOutside(right)) {
    const isName = [left, right].some(({ source }) => source?.safeFor.includes('path') === true);
    return isName ? ifTrue(factsOn(left, ['path']), factsOn(right, ['path'])) : nothing();
  }
  return ifTrue(told(left), told(right));
}

function readCall(run: Run, node: TreeNode): Facts {
  const result = run.evaluateCall(node);
  const proven = run.proven.get(node);
  if (proven !== undefined) return { ...proven, value: result };
  const known = run.verdicts.get(result);
  if (known !== undefined) return { ...known, value: result };
  return { ...readChecked(run, node), value: result };
}

/** Functions of texts that are nothing but letters and digits. */
const PLAIN =
  /^(?:is(?:Numeric|Digits|Alpha|Alphanumeric|Parsable|Creatable|Number)|isValidInet\w*Address)$/;
/** Looks for a text anywhere in a text. */
const SEARCH = /^(?:contains(?:Any|Ignore\w*)?|indexOf)$/;

/** What a boolean, or that there is a result at all, says of what was asked. */
function readChecked(run: Run, node: TreeNode): Facts {
  const nameNode = part(node, 'name');
  const name = nameNode === null ? '' : run.textOf(nameNode);
  const object = part(node, 'object');
  const receiver = small(run, object);
  const nodes = part(node, 'arguments')?.children ?? [];
  const [first = UNKNOWN, second = UNKNOWN] = nodes.map((one) => small(run, one));
  const isStatic = isClassName(run, object);
  const [subject, given] = isStatic ? [first, second] : [receiver, first];
  if (PLAIN.test(name)) return ifTrue(factsOn(first));
  switch (name) {
    case 'equals':
    case 'equalsIgnoreCase':
    case 'contentEquals':
    case 'deepEquals':
      return same(subject, given);
    case 'startsWith':
      return startsWith(subject, given);
    case 'endsWith':
      return suffix(subject, given);
    case 'containsKey':
    case 'containsValue':
      return holdsOutside(receiver) ? nothing() : ifTrue(told(first));
    case 'matches':
      return matched(run, node, receiver, [first, second], isStatic);
    case 'find':
    case 'lookingAt':
      return matchedBy(receiver, true);
    case 'test':
      // `PATTERN.asPredicate().test(name)` and the like.
      return ifTrue(factsOn(first, USES, true));
    case 'isAbsolute':
      return nothing();
    case 'anyMatch':
      return anyMatch(run, node, receiver);
    case 'noneMatch':
      return opposite(anyMatch(run, node, receiver));
    default:
  }
  if (SEARCH.test(name)) {
    // Of a text: what it must not hold. Of a list: what is allowed.
    if (holdsOutside(subject)) return contains(subject, given.constant);
    return ifTrue(told(given));
  }
  if (!claims(name)) return nothing();
  const all = [receiver, ...nodes.map((one) => small(run, one))];
  return ifTrue(...all.map((one) => factsOn(one, USES, true)));
}

/** `StringUtils` of `StringUtils.equals(a, b)`, and no constant. */
function isClassName(run: Run, node: TreeNode | null): boolean {
  const name = node === null ? '' : run.textOf(node);
  return /^[A-Z]\w*[a-z]\w*$/.test(name) && !holdsValue(run.scope.get(name));
}

function holdsValue(value: Value | undefined): boolean {
  return value !== undefined && value.origin === null;
}

/** `text.matches("...")`, `Pattern.matches("...", text)`, `PATTERN.matcher(text).matches()`. */
function matched(
  run: Run,
  node: TreeNode,
  receiver: Value,
  [first, second]: readonly [Value, Value],
  isStatic: boolean,
): Facts {
  const object = part(node, 'object');
  if (isStatic && object !== null && classNamed(run, run.textOf(object)) !== null) {
    return ifTrue(factsOn(second, USES, !isStrict(first.constant)));
  }
  const inner = bare(object);
  const isMatcher = inner?.type === 'method_invocation' && /\bmatcher\s*\(/.test(run.textOf(inner));
  if (isMatcher || receiver.fallback !== null) return matchedBy(receiver, false);
  return ifTrue(factsOn(receiver, USES, !isStrict(first.constant)));
}

/** `isPartial`: the pattern may match anywhere, so it has to say where. */
function matchedBy(matcher: Value, isPartial: boolean): Facts {
  const pattern = matcher.fallback;
  const isAnchored = !isPartial || /^(?:\^|\\A).*(?:\$|\\z)$/s.test(pattern ?? '');
  return ifTrue(factsOn(matcher, USES, !(isAnchored && isStrict(pattern))));
}

/** `ALLOWED.stream().anyMatch(name::equals)`, `HOSTS.stream().anyMatch(h -> h.equals(host))`. */
function anyMatch(run: Run, node: TreeNode, list: Value): Facts {
  const [fn] = part(node, 'arguments')?.children ?? [];
  if (fn === undefined || holdsOutside(list)) return nothing();
  if (fn.type === 'method_reference') {
    const [object, name] = fn.children;
    const isEqual = name !== undefined && /^equals(?:IgnoreCase)?$/.test(run.textOf(name));
    return isEqual ? ifTrue(told(small(run, object ?? null))) : nothing();
  }
  const body = part(fn, 'body');
  if (fn.type !== 'lambda_expression' || body === null || body.type === 'block') return nothing();
  let facts: Facts = nothing();
  run.branch(run.scope, () => {
    const parameter = part(fn, 'parameters');
    if (parameter !== null) run.scope.set(run.textOf(parameter), TRUSTED);
    facts = readCondition(run, body);
  });
  return { ...facts, value: TRUSTED, whenFalse: [] };
}

/** Methods that throw for all but numbers, identifiers and times. */
const CONVERTERS =
  /^(?:Integer\.(?:parseInt|valueOf)|Long\.(?:parseLong|valueOf)|UUID\.fromString|(?:LocalDate|LocalDateTime|Instant)\.parse|Double\.parseDouble)$/;
/** Methods that throw where a condition is false. */
const ASSERTIONS =
  /^(?:(?:Assert|Validate)\.isTrue|Preconditions\.check(?:Argument|State)|check(?:Argument|State)|Assert\.state)$/;

/** Evaluates a call that stands alone: what it throws for does not come to what follows. */
export function standing(run: Run, node: TreeNode): Fact[] {
  const nameNode = part(node, 'name');
  const object = part(node, 'object');
  const name = nameNode === null ? '' : run.textOf(nameNode);
  const path = object === null ? name : `${run.textOf(object)}.${name}`;
  const nodes = part(node, 'arguments')?.children ?? [];
  if (ASSERTIONS.test(path)) return [...readCondition(run, nodes[0] ?? null).whenTrue];
  evaluate(run, node);
  const values = nodes.map((one) => small(run, one));
  if (CONVERTERS.test(path) || (name === 'valueOf' && object !== null)) {
    return values.flatMap((one) => factsOn(one));
  }
  if (run.proven.has(node)) return [];
  return claims(name) ? values.flatMap((one) => factsOn(one, USES, true)) : [];
}

/** A resolved path under a root; an address of a fixed host. */
function startsWith(value: Value, start: Value): Facts {
  if (holdsOutside(start)) return nothing();
  const isResolved = value.source?.isResolved === true;
  const [piece] = start.pieces ?? [];
  const begin = start.constant ?? (typeof piece === 'string' ? piece : null);
  if (begin !== null && /^\.\.[/\\]?$/.test(begin)) {
    return ifFalse(factsOn(value, ['path'], !isResolved));
  }
  const isOrigin = begin === null || ORIGIN.test(begin);
  const isRoot = start.constant === '/' || start.constant === '';
  const path = isRoot ? [] : factsOn(value, ['path'], !isResolved);
  return ifTrue(path, isOrigin ? factsOn(value, PLACES) : []);
}

/** `.example.com` behind a host's name. */
function suffix(value: Value, end: Value): Facts {
  const { source } = value;
  const isHost = source?.hostOf != null && (end.constant === null || end.constant.startsWith('.'));
  return isHost && !holdsOutside(end) ? ifTrue(factsOf(source.hostOf ?? '', PLACES)) : nothing();
}

function contains(value: Value, what: string | null): Facts {
  const isStep = what !== null && /^(?:\.\.[/\\]*|[/\\]+|\.\.?[/\\]+)$/.test(what);
  return isStep ? ifFalse(factsOn(value, ['path'])) : nothing();
}

/** A pattern, of a whole text, that lets neither separators nor signs of other languages by. */
function isStrict(pattern: string | null): boolean {
  if (pattern === null) return false;
  const isAny = /(?:^|[^\\])\.[*+{]|\[\^(?!\])|\\[SDW]|\|\^|\$\|/.test(pattern);
  const holdsSign = /[/;&|<>"'`]|\\\./.test(pattern.replace(/\(\?:|\\[-$]/g, ''));
  return !isAny && !holdsSign;
}

/** A name, member, literal or short call once more; larger ones are evaluated once alone. */
function small(run: Run, node: TreeNode | null): Value {
  const inner = bare(node);
  const isSmall =
    inner !== null &&
    /^(?:identifier|this|field_access|array_access|method_invocation|string_literal|character_literal|binary_expression|object_creation_expression)$/.test(
      inner.type,
    );
  return isSmall && inner.end - inner.start < SMALL_CHARS_MAX ? evaluate(run, inner) : UNKNOWN;
}

/** Names of functions that promise a check. */
function claims(name: string): boolean {
  return CLAIM.test(name);
}

const CLAIM =
  /^(?:is|has|check|verify|valid(?:ate)?|allow(?:ed)?|permit|safe|ensure|assert|match(?:es)?|mustBe|in|contains)(?:[A-Z_]|$)|(?:Is|Valid|Allowed|Safe|Permitted|Whitelisted)(?:[A-Z]|$)/;
