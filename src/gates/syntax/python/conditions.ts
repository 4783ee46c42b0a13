import { USES } from '../../../rules/catalogue/line.ts';
import { TRUSTED, UNKNOWN, type Value } from '../taint/value.ts';
import {
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
import { type Facts, factsOn, sourcesIn } from '../tree/scope.ts';
import { part, type TreeNode, typed } from '../tree/tree.ts';
import { evaluate } from './expressions.ts';
import { bindElement } from './parameters.ts';

/** Evaluates a condition and gives what it tells. */
export function readCondition(run: Run, node: TreeNode | null): Facts {
  switch (node?.type) {
    case undefined:
      return nothing();
    case 'parenthesized_expression':
    case 'await':
      return readCondition(run, node.children[0] ?? null);
    case 'not_operator':
      return opposite(readCondition(run, part(node, 'argument')));
    case 'boolean_operator': {
      const operator = part(node, 'operator');
      return readBoth(run, node, operator !== null && run.textOf(operator) === 'and');
    }
    case 'comparison_operator':
      return readComparison(run, node);
    case 'call':
      return readCall(run, node);
    default:
      return nothing(evaluate(run, node));
  }
}

function readComparison(run: Run, node: TreeNode): Facts {
  const operators = node.children.filter(({ field }) => field === 'operators');
  const operands = node.children.filter(({ field }) => field !== 'operators');
  const [first, second] = operands;
  const values = operands.map((operand) => evaluate(run, operand));
  const [left, right] = values;
  const [operator] = operators;
  if (operators.length !== 1 || operator === undefined || left === undefined || right === undefined)
    return nothing();
  const sign = run.textOf(operator).replace(/\s+/g, ' ');
  if (sign === '==' || sign === 'is') return equality(run, left, right, [first, second]);
  if (sign === '!=' || sign === 'is not')
    return opposite(equality(run, left, right, [first, second]));
  if (sign === 'in') return membership(run, left, right, second ?? null);
  if (sign === 'not in') return opposite(membership(run, left, right, second ?? null));
  return nothing();
}

/** A function that gives the directory that paths share. */
const COMMON_PATH = /\bcommon(?:path|prefix)\s*\(/;

/** Compared with what is not from outside; or with what was made of it for a path. */
function equality(
  run: Run,
  left: Value,
  right: Value,
  nodes: readonly (TreeNode | undefined)[],
): Facts {
  const shared = nodes.find((node) => node !== undefined && COMMON_PATH.test(run.textOf(node)));
  if (shared !== undefined) {
    const list = part(shared, 'arguments');
    const [argument] = list?.children ?? [];
    const value = argument === undefined ? UNKNOWN : evaluate(run, argument);
    return ifTrue(factsOn(value, ['path']));
  }
  const isOutside = (value: Value) => sourcesIn(value).length > 0;
  if (isOutside(left) && isOutside(right)) {
    const isName = [left, right].some(({ source }) => source?.safeFor.includes('path') === true);
    return isName ? ifTrue(factsOn(left, ['path']), factsOn(right, ['path'])) : nothing();
  }
  return ifTrue(told(left), told(right));
}

/** `name in ALLOWED`, `'..' in name`, `base in path.parents`. */
function membership(run: Run, left: Value, right: Value, list: TreeNode | null): Facts {
  const leftSources = sourcesIn(left).length;
  if (leftSources === 0 && list?.type === 'attribute' && /\.parents$/.test(run.textOf(list))) {
    return ifTrue(factsOn(right, ['path']));
  }
  if (leftSources > 0) {
    // A text or table of the sender's says nothing.
    return sourcesIn(right).length > 0 ? nothing() : ifTrue(told(left));
  }
  const { constant } = left;
  if (constant === '..' || constant === '/' || constant === '../') {
    return { ...nothing(), whenFalse: factsOn(right, ['path']) };
  }
  return nothing();
}

const KIND_CHECKS = /^(?:isalnum|isdigit|isalpha|isdecimal|isnumeric|isidentifier)$/;
const MATCHES = /^(?:match|fullmatch)$/;

function readCall(run: Run, node: TreeNode): Facts {
  const callee = part(node, 'function');
  const name = callee?.type === 'attribute' ? part(callee, 'attribute') : callee;
  const text = name === null ? '' : run.textOf(name);
  if (text === 'all' || text === 'any') return readEach(run, node, text === 'any');
  const args = (part(node, 'arguments')?.children ?? []).filter(
    ({ type }) => type !== 'keyword_argument',
  );
  const result = run.evaluateCall(node);
  const receiver = callee?.type === 'attribute' ? small(run, part(callee, 'object')) : UNKNOWN;
  const first = small(run, args[0] ?? null);
  if (KIND_CHECKS.test(text)) return ifTrue(factsOn(receiver));
  if (text === 'isinstance') {
    const type = args[1] === undefined ? '' : run.textOf(args[1]);
    return /\bstr\b|\bbytes\b/.test(type) ? nothing() : ifTrue(factsOn(first));
  }
  if (MATCHES.test(text)) {
    const isDirect = receiver.origin === 're';
    const checked = isDirect ? small(run, args[1] ?? null) : first;
    const pattern = isDirect ? first.constant : (receiver.fallback ?? null);
    return ifTrue(factsOn(checked, USES, !isStrict(pattern, text)));
  }
  if (text === 'startswith') return startsWith(receiver, first);
  if (text === 'is_relative_to') return ifTrue(factsOn(receiver, ['path']));
  const proven = run.proven.get(node);
  if (proven !== undefined) return { ...proven, value: result };
  if (result.source === null && claims(text)) {
    const checked = [receiver, ...args.map((argument) => small(run, argument))];
    return ifTrue(...checked.map((value) => factsOn(value, USES, !isHostCheck(text))));
  }
  return nothing(result);
}

/** Of Django: https://docs.djangoproject.com/en/stable/ref/utils/ */
function isHostCheck(name: string): boolean {
  return name === 'url_has_allowed_host_and_scheme';
}

function startsWith(receiver: Value, start: Value): Facts {
  if (sourcesIn(start).length > 0) return nothing();
  const isResolved = receiver.source?.isResolved === true;
  const isOrigin = start.constant === null || ORIGIN.test(start.constant);
  const isRoot = start.constant === '/' || start.constant === '';
  const path = isRoot ? [] : factsOn(receiver, ['path'], !isResolved);
  return ifTrue(path, isOrigin ? factsOn(receiver, PLACES) : []);
}

/** A pattern that lets neither separators nor signs of other languages by. */
function isStrict(pattern: string | null, method: string): boolean {
  if (pattern === null) return false;
  const isEnded = method === 'fullmatch' || /(?:\$|\\Z)$/.test(pattern);
  const isAny = /(?:^|[^\\])\.[*+{]|\[\^|\\[SDW]/.test(pattern);
  const holdsSign = /[/;&|<>"'`]|\\\./.test(pattern.replace(/\(\?:|\\[-$]/g, ''));
  return isEnded && !isAny && !holdsSign;
}

/** `all(c in SAFE for c in name)`, `any(url.startswith(p) for p in HOSTS)`. */
function readEach(run: Run, node: TreeNode, isAny: boolean): Facts {
  const generator =
    typed(node, 'generator_expression') ??
    typed(part(node, 'arguments'), 'list_comprehension') ??
    typed(part(node, 'arguments'), 'generator_expression');
  if (generator === null) {
    return nothing(run.evaluateCall(node));
  }
  let facts: Facts = nothing();
  run.branch(run.scope, () => {
    for (const clause of generator.children) {
      if (clause.type === 'for_in_clause') bindElement(run, clause);
      else if (clause.type === 'if_clause') readCondition(run, clause.children[0] ?? null);
    }
    facts = readCondition(run, part(generator, 'body'));
  });
  return { ...facts, value: TRUSTED, whenFalse: isAny ? facts.whenFalse : [] };
}

/** A name, member or literal once more; larger ones are evaluated once alone. */
export function small(run: Run, node: TreeNode | null): Value {
  const isSmall = node !== null && /^(?:identifier|attribute|string|subscript)$/.test(node.type);
  const isShort = isSmall && node.end - node.start < SMALL_CHARS_MAX;
  const isCall = node?.type === 'call' && node.end - node.start < SMALL_CHARS_MAX;
  return isShort || isCall ? evaluate(run, node) : UNKNOWN;
}

/** Names of functions that promise a check. */
export function claims(name: string): boolean {
  return CLAIM.test(name);
}

const CLAIM =
  /^_*(?:is|has|check|verify|validate|valid|allowed?|permit|safe|ensure|assert|whitelisted|match(?:es)?|url_has)(?:_|$)|_(?:is|valid|allowed|safe|ok|permitted)(?:_|$)|^(?:is|check|validate|verify)[A-Z]/;
