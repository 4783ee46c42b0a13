import { USES } from '../../../rules/catalogue/line.ts';
import { UNKNOWN, type Value } from '../taint/value.ts';
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
import { bare } from './declarations.ts';
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
    case 'call_expression':
      return readCall(run, node);
    case 'index_expression': {
      // A table of what is allowed: `if allowed[name]`.
      const value = evaluate(run, node);
      const facts = entryFacts(run, node);
      return { value, whenTrue: facts, whenFalse: [] };
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
  if (sign !== '==' && sign !== '!=') return compared(run, leftNode, rightNode, sign);
  const facts = equality(run, leftNode, rightNode);
  return sign === '==' ? facts : opposite(facts);
}

/** `strings.Index(name, "..") >= 0`; other orders tell nothing. */
function compared(run: Run, left: TreeNode | null, right: TreeNode | null, sign: string): Facts {
  const number = evaluate(run, right).constant;
  const isFound = (sign === '>=' && number === '0') || (sign === '>' && number === '-1');
  if (isFound && left?.type === 'call_expression') return readCall(run, left);
  evaluate(run, left);
  return nothing();
}

/** Compared with `nil`, with what is not from outside, or with what was made of it for a path. */
function equality(run: Run, leftNode: TreeNode | null, rightNode: TreeNode | null): Facts {
  if (rightNode?.type === 'nil' || leftNode?.type === 'nil') {
    return opposite(readCondition(run, rightNode?.type === 'nil' ? leftNode : rightNode));
  }
  for (const [one, other] of [
    [leftNode, rightNode],
    [rightNode, leftNode],
  ] as const) {
    if (one?.type === 'true') return readCondition(run, other);
    if (one?.type === 'false') return opposite(readCondition(run, other));
  }
  const left = evaluate(run, leftNode);
  const right = evaluate(run, rightNode);
  if (holdsOutside(left) && holdsOutside(right)) {
    const isName = [left, right].some(({ source }) => source?.safeFor.includes('path') === true);
    return isName ? ifTrue(factsOn(left, ['path']), factsOn(right, ['path'])) : nothing();
  }
  return ifTrue(told(left), told(right));
}

/** That a key is one of a table's: what the table holds is the program's. */
function entryFacts(run: Run, node: TreeNode): Fact[] {
  const table = evaluate(run, part(node, 'operand'));
  if (holdsOutside(table)) return [];
  return told(evaluate(run, part(node, 'index')));
}

/** Whether what stands on the right may give an error or a boolean beside its value. */
export function mayTell(node: TreeNode): boolean {
  return /^(?:call|index)_expression$/.test(node.type);
}

/** The value of `ok` or `err`: it tells what was checked by whether it is true, or an error. */
export function verdictOf(run: Run, node: TreeNode, name: string, value: Value): Value {
  const own: Value = { ...UNKNOWN, isResult: true };
  if (node.type === 'index_expression') {
    run.verdicts.set(own, { whenTrue: entryFacts(run, node), whenFalse: [] });
    return own;
  }
  const known = run.proven.get(node);
  const { whenTrue, whenFalse } = known ?? checkOf(run, node, value, /err|^e$/i.test(name));
  run.verdicts.set(own, { whenTrue, whenFalse });
  return own;
}

/** Functions that fail for all but numbers, names of hosts, identifiers and times. */
const CONVERTERS =
  /^(?:strconv\.(?:Atoi|Parse\w+)|time\.Parse\w*|net\.Parse(?:IP|CIDR|MAC)|net\/netip\.Parse\w*|github\.com\/(?:google|gofrs|satori\/go\.)\/?uuid\.(?:Parse|FromString|Validate)|go\.mongodb\.org\/mongo-driver\/bson\/primitive\.ObjectIDFromHex)$/;

/** What a call tells that gives an error, or a boolean, of what it was given. */
function checkOf(run: Run, node: TreeNode, value: Value, isError: boolean): Facts {
  const callee = part(node, 'function');
  const origin = small(run, callee).origin ?? '';
  const args = part(node, 'arguments')?.children ?? [];
  const values = args.map((one) => small(run, one));
  if (CONVERTERS.test(origin)) {
    const facts = values.flatMap((one) => factsOn(one));
    return isError ? ifFalse(facts) : ifTrue(facts);
  }
  if (!isError) return readChecked(run, node, value);
  const name = nameOf(run, callee);
  if (!claims(name)) return nothing();
  return ifFalse(values.flatMap((one) => factsOn(one, USES, true)));
}

function nameOf(run: Run, callee: TreeNode | null): string {
  const node = part(callee, 'field') ?? callee;
  return node === null ? '' : run.textOf(node);
}

function readCall(run: Run, node: TreeNode): Facts {
  const result = run.evaluateCall(node);
  const proven = run.proven.get(node);
  if (proven !== undefined) return { ...proven, value: result };
  const known = run.verdicts.get(result);
  if (known !== undefined) return { ...known, value: result };
  return { ...readChecked(run, node, result), value: result };
}

/** What a boolean, or that there is a result at all, says of the arguments. */
function readChecked(run: Run, node: TreeNode, result: Value): Facts {
  const callee = part(node, 'function');
  const name = nameOf(run, callee);
  const origin = small(run, callee).origin ?? '';
  const args = part(node, 'arguments')?.children ?? [];
  const [first, second] = args.map((one) => small(run, one));
  const operand = part(callee, 'operand');
  if (CONVERTERS.test(origin)) return ifTrue(factsOn(first ?? UNKNOWN));
  switch (origin) {
    case 'strings.HasPrefix':
    case 'bytes.HasPrefix':
      return startsWith(first ?? UNKNOWN, second ?? UNKNOWN);
    case 'strings.HasSuffix':
      return suffix(first ?? UNKNOWN, second ?? UNKNOWN);
    case 'strings.Contains':
    case 'strings.ContainsAny':
    case 'strings.ContainsRune':
    case 'strings.Index':
    case 'strings.IndexAny':
    case 'strings.IndexByte':
      return contains(first ?? UNKNOWN, second?.constant ?? null);
    case 'path/filepath.IsLocal':
    case 'io/fs.ValidPath':
      return ifTrue(factsOn(first ?? UNKNOWN, ['path']));
    case 'strings.EqualFold':
      return equality(run, args[0] ?? null, args[1] ?? null);
    case 'slices.Contains':
    case 'golang.org/x/exp/slices.Contains':
    case 'github.com/samber/lo.Contains':
      return holdsOutside(first ?? UNKNOWN) ? nothing() : ifTrue(told(second ?? UNKNOWN));
    default:
  }
  if (/^Match(?:String)?$/.test(name)) {
    const isDirect = origin.startsWith('regexp.Match');
    const pattern = isDirect ? (first?.constant ?? null) : small(run, operand).fallback;
    const checked = isDirect ? second : first;
    return ifTrue(factsOn(checked ?? UNKNOWN, USES, !isStrict(pattern)));
  }
  if (result.source !== null || !claims(name)) return nothing(result);
  const receiver = small(run, operand);
  return ifTrue(
    ...[receiver, ...args.map((one) => small(run, one))].map((one) => factsOn(one, USES, true)),
  );
}

/** A resolved path under a root; not `..` of a path relative to it; an address of a fixed host. */
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

/** A pattern that lets neither separators nor signs of other languages by. */
function isStrict(pattern: string | null): boolean {
  if (pattern === null) return false;
  const isWhole = /^(?:\^|\\A)/.test(pattern) && /(?:\$|\\z)$/.test(pattern);
  const isAny = /(?:^|[^\\])\.[*+{]|\[\^(?!\])|\\[SDW]|\|\^|\$\|/.test(pattern);
  const holdsSign = /[/;&|<>"'`]|\\\./.test(pattern.replace(/\(\?:|\\[-$]/g, ''));
  return isWhole && !isAny && !holdsSign;
}

/** A name, member, literal or short call once more; larger ones are evaluated once alone. */
function small(run: Run, node: TreeNode | null): Value {
  const inner = bare(node);
  const isSmall =
    inner !== null &&
    /^(?:identifier|selector_expression|index_expression|call_expression|type_conversion_expression|(?:interpreted|raw)_string_literal|rune_literal|binary_expression)$/.test(
      inner.type,
    );
  return isSmall && inner.end - inner.start < SMALL_CHARS_MAX ? evaluate(run, inner) : UNKNOWN;
}

/** Names of functions that promise a check. */
function claims(name: string): boolean {
  return CLAIM.test(name);
}

const CLAIM =
  /^(?:[iI]s|[hH]as|[cC]heck|[vV]erify|[vV]alid(?:ate)?|[aA]llow(?:ed)?|[pP]ermit|[sS]afe|[eE]nsure|[aA]ssert|[mM]atch(?:es)?|[mM]ust[bB]e|[iI]n|[cC]ontains)(?:[A-Z_]|$)|(?:Is|Valid|Allowed|Safe|Permitted)(?:[A-Z]|$)/;
