import type { Expression } from '../il/il.ts';
import { readText } from './container.ts';
import { equalityDynamic, membership as keyedMembership, typeTest } from './facts.ts';
import {
  characterTest,
  compared,
  equality,
  membership,
  opposite,
  telling,
  verdictOf,
} from './guard.ts';
import { POINTED } from './member.ts';
import type { Run } from './run.ts';
import { commonFacts } from './state.ts';
import { folded, formatOf } from './text.ts';
import {
  build,
  changed,
  constantOf,
  derive,
  type Fact,
  isRandom,
  join,
  joinAll,
  onlyConstant,
  originsIn,
  RANDOM,
  type Shape,
  TRUSTED,
  truthOf,
  UNKNOWN,
  type Verdict,
} from './value.ts';

type Of<F extends Expression['form']> = Expression & { readonly form: F };

/** A number, a boolean or nothing; `keys` gives the keys of an object, `&` what stands there. */
export function unaryValue(run: Run, { sign, operand }: Of<'unary'>): Shape {
  const value = run.evaluate(operand);
  switch (sign) {
    case '&':
      return value;
    case '*':
      return pointedAt(run, value);
    case '!': {
      const truth = truthIn(run, value);
      const known = truth === null ? TRUSTED : constantOf(!truth);
      return value.verdict === null ? known : telling(opposite(value.verdict), known);
    }
    case 'keys':
      return namesOf(run, value);
    case 'void':
      return constantOf(null);
    default:
      return folded([value], ([one]) => signed(sign, one)) ?? TRUSTED;
  }
}

/** What a pointer leads to: what a box holds, or the object that the pointer stands for. */
function pointedAt(run: Run, pointer: Shape): Shape {
  const cells = run.objectsOf(pointer).flatMap(([, { cells: all }]) => all.get(POINTED) ?? []);
  return cells.length === 0 ? pointer : joinAll(cells);
}

function signed(sign: string, value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined;
  return sign === '-' ? -value : sign === '+' ? value : sign === '~' ? ~value : undefined;
}

/** Whether a value counts as true; null: it may or may not. */
export function truthIn(run: Run, shape: Shape): boolean | null {
  const { constants } = shape;
  if (constants === null || !run.knowledge.traits.has('truth')) return truthOf(shape);
  if (constants.every((one) => Boolean(one))) return true;
  return constants.every((one) => !one) ? false : null;
}

/** What a loop over keys gives. */
function namesOf(run: Run, value: Shape): Shape {
  if (value.origins.length > 0) return changed(UNKNOWN, { origins: value.origins });
  const names = run
    .objectsOf(value)
    .flatMap(([, { cells, kind }]) => (kind === 'list' ? [] : [...cells.keys()]));
  return names.length === 0 ? UNKNOWN : run.list(names.map(constantOf));
}

/** A comparison or arithmetic; of a test of a type what it says about the value. */
export function binaryValue(run: Run, expression: Of<'binary'>): Shape {
  const { sign, left, right } = expression;
  if (!EQUALITY.test(sign)) return chainValue(run, expression, joinedBinary);
  const tested =
    typeTest(run, left, right) ?? typeTest(run, right, left) ?? characterTest(run, left, right);
  if (tested !== null) return telling(sign.startsWith('!') ? opposite(tested) : tested);
  return joinedBinary(run, expression, run.evaluate(left));
}

const EQUALITY = /^[=!]==?$/;

/** `left` is what the left part of the operator is. */
type Join<F extends 'binary' | 'logic'> = (run: Run, link: Of<F>, left: Shape) => Shape;

/**
 * A chain of operators `a + b + c`, each the left part of the next: without recursion, as its depth
 * is its length.
 */
function chainValue<F extends 'binary' | 'logic'>(run: Run, last: Of<F>, join: Join<F>): Shape {
  const links = [last];
  let { left } = last;
  for (; left.form === last.form && !EQUALITY.test(left.sign); { left } = left) {
    run.count();
    links.push(left as Of<F>);
  }
  return links.reduceRight((value, link) => join(run, link, value), run.evaluate(left));
}

function joinedBinary(run: Run, { sign, right, start, end }: Of<'binary'>, left: Shape): Shape {
  return combined(run, sign, left, run.evaluate(right), [start, end]);
}

/** What an operator makes of two values. */
export function combined(
  run: Run,
  sign: string,
  left: Shape,
  right: Shape,
  span: readonly [number, number],
): Shape {
  switch (sign) {
    case '==':
    case '===':
      return same(run, left, right);
    case '!=':
    case '!==': {
      const equal = same(run, left, right);
      const truth = truthOf(equal);
      return truth === null ? telling(opposite(verdictOf(equal))) : constantOf(!truth);
    }
    case 'in':
      return run.knowledge.traits.has('keys')
        ? telling(keyedMembership(run, right, left))
        : membership(run, left, right);
    case '<':
    case '>':
    case '<=':
    case '>=':
      return compared(left, right, sign);
    case '+':
      return sumOf(run, left, right, span);
    default: {
      if (isRandom(left) || isRandom(right)) return RANDOM;
      const isWhole = run.knowledge.traits.has('whole-division');
      return (
        folded([left, right], ([one, other]) => arithmetic(sign, one, other, isWhole)) ??
        overloaded(run, sign, left, right, span)
      );
    }
  }
}

function same(run: Run, left: Shape, right: Shape): Shape {
  return run.knowledge.traits.has('keys')
    ? equalityDynamic(run, left, right)
    : equality(run, left, right);
}

/** Numbers are added, lists and texts put together; what can be guessed stays so within others. */
function sumOf(run: Run, left: Shape, right: Shape, span: readonly [number, number]): Shape {
  const sum = folded([left, right], ([one, other]) =>
    typeof one === 'number' && typeof other === 'number' ? one + other : undefined,
  );
  if (sum !== null) return sum;
  const list = run.knowledge.traits.has('list-sum') ? concatenated(run, left, right) : null;
  if (list !== null) return list;
  const text = build(
    [readText(run, left), readText(run, right)].map((one) => run.flat(one)),
    span,
  );
  return isRandom(left) || isRandom(right) ? changed(text, { role: 'random' }) : text;
}

/** `isWhole`: a whole number divided by another one gives a whole number. */
function arithmetic(
  sign: string,
  left: unknown,
  right: unknown,
  isWhole: boolean,
): number | boolean | undefined {
  if (typeof left === 'boolean' && typeof right === 'boolean') {
    if (sign === '&') return left && right;
    return sign === '|' ? left || right : sign === '^' ? left !== right : undefined;
  }
  if (typeof left !== 'number' || typeof right !== 'number') return undefined;
  const areWhole = Number.isInteger(left) && Number.isInteger(right);
  switch (sign) {
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0
        ? undefined
        : isWhole && areWhole
          ? Math.trunc(left / right)
          : left / right;
    case '%':
      return right === 0 ? undefined : left % right;
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '//':
      return right === 0 ? undefined : Math.floor(left / right);
    case '**':
      return left ** right;
    case '<<':
      return left << right;
    case '>>':
      return left >> right;
    default:
      return undefined;
  }
}

/** `a and b`: true means both; false tells only what each of them does. The reverse for "or". */
export function logicValue(run: Run, expression: Of<'logic'>): Shape {
  return chainValue(run, expression, joinedLogic);
}

function joinedLogic(run: Run, link: Of<'logic'>, left: Shape): Shape {
  const { sign, left: first, right: second } = link;
  if (sign === 'coalesce') return coalesced(run, left, second);
  const isAnd = sign === 'and';
  const known = verdictOf(left);
  // A literal is there for what it may be changed to.
  const truth = first.form === 'constant' ? null : truthIn(run, left);
  if (truth !== null && truth !== isAnd) return left;
  const evaluateSecond = () => {
    // What stands on the right is evaluated only where the left side let it.
    run.state.guard(isAnd ? known.whenTrue : known.whenFalse);
    return run.state.settled(run.evaluate(second));
  };
  const { result: right, state } = run.branch(run.state, evaluateSecond);
  run.state.merge(truth === null ? [state, run.state.fork()] : [state]);
  const told = verdictOf(right);
  const [inTrue, inFalse] = isAnd ? [all, both] : [both, all];
  const verdict: Verdict = {
    whenTrue: inTrue(known.whenTrue, told.whenTrue),
    whenFalse: inFalse(known.whenFalse, told.whenFalse),
  };
  const other = truthOf(right);
  if (truth !== null || (other !== null && other !== isAnd)) return telling(verdict, right);
  // Data is never what makes a condition false: of "and" the right side is left.
  const value = isAnd ? withoutTold(right) : withFallback(withoutTold(left), withoutTold(right));
  return telling(verdict, value);
}

function all(left: readonly Fact[], right: readonly Fact[]): readonly Fact[] {
  return right.length === 0 ? left : left.length === 0 ? right : [...left, ...right];
}

function both(left: readonly Fact[], right: readonly Fact[]): readonly Fact[] {
  return commonFacts([left, right]);
}

/** The value apart from what it tells as a condition, and not known to be true or false. */
function withoutTold(shape: Shape): Shape {
  const isCondition = shape.constants?.some((one) => typeof one === 'boolean') === true;
  if (shape.verdict === null && !isCondition) return shape;
  return changed(shape, { constants: isCondition ? null : shape.constants, verdict: null });
}

/** The right value where the left one is missing. */
function coalesced(run: Run, left: Shape, second: Expression): Shape {
  if (onlyConstant(left) === null) return run.evaluate(second);
  if (left.constants !== null && !left.constants.includes(null)) return left;
  const { result, state } = run.branch(run.state, () => run.state.settled(run.evaluate(second)));
  run.state.merge([state, run.state.fork()]);
  return withFallback(left, result);
}

/** The literal on the right is what holds when nothing is configured. */
function withFallback(left: Shape, right: Shape): Shape {
  const value = join(left, right);
  const only = onlyConstant(right);
  const isFallback = typeof only === 'string' && left.constants === null;
  return isFallback ? changed(value, { fallback: only }) : value;
}

/** Either of two values, each under what the condition tells. */
export function chosenValue(run: Run, { test, yes, no }: Of<'choose'>): Shape {
  const condition = run.evaluate(test);
  const truth = truthOf(condition);
  if (truth !== null) return run.evaluate(truth ? yes : no);
  const known = verdictOf(condition);
  const under = (facts: readonly Fact[], expression: Expression) =>
    run.branch(run.state, () => {
      run.state.guard(facts);
      return run.state.settled(run.evaluate(expression));
    });
  const first = under(known.whenTrue, yes);
  const second = under(known.whenFalse, no);
  run.state.merge([first.state, second.state]);
  return join(first.result, second.result);
}

/** Two lists as one; null: neither of them is one. */
function concatenated(run: Run, left: Shape, right: Shape): Shape | null {
  const isList = (shape: Shape) => run.objectsOf(shape).some(([, { kind }]) => kind === 'list');
  if (!isList(left) && !isList(right)) return null;
  const first = run.elementsOf(left);
  const second = run.elementsOf(right);
  if (first !== null && second !== null) return run.list([...first, ...second]);
  const rest = run.elementOf(right);
  return first === null
    ? run.openList([], join(run.elementOf(left), rest))
    : run.openList(first, rest);
}

/** What an operator makes of values other than numbers, where the language has it. */
function overloaded(
  run: Run,
  sign: string,
  left: Shape,
  right: Shape,
  [start, end]: readonly [number, number],
): Shape {
  const [, what] = run.knowledge.rows('operator').find(([own]) => own === sign) ?? [];
  if (what === undefined) return TRUSTED;
  if (what === 'format') {
    // Numbers alone have a rest.
    const isText = left.pieces !== null || left.constants?.some((one) => typeof one === 'string');
    if (isText === true || !left.isTrusted) return formatOf(run, left, right, { start, end });
    return TRUSTED;
  }
  const inputs = [left, right].map((one) => run.flat(one));
  if (what === 'data') {
    const list = sign === '*' ? repeated(run, left, right) : null;
    return list ?? mergedTables(run, left, right) ?? derive(inputs);
  }
  // Text has no such operator: one of the two is an object of that class.
  const isObject = inputs.some(
    ({ path, origins, isTrusted }) =>
      run.knowledge.is('file', path ?? '') || origins.length > 0 || !isTrusted,
  );
  return isObject ? changed(derive(inputs), { path: `${what}()` }) : TRUSTED;
}

/**
 * `['?'] * count`: the elements of the list, so often. Null: neither is a list, or the other may be
 * an array, with data of its own.
 */
function repeated(run: Run, left: Shape, right: Shape): Shape | null {
  const isList = (one: Shape) => run.objectsOf(one).some(([, { kind }]) => kind === 'list');
  const [list, count] = isList(left) ? [left, right] : [right, left];
  const isCount = count.objects.length === 0 && originsIn(run.flat(count)).length === 0;
  return isList(list) && isCount ? run.openList([], run.elementOf(list)) : null;
}

/** A table with the keys of both; null: one of them is something else. */
function mergedTables(run: Run, left: Shape, right: Shape): Shape | null {
  const tables = [...run.objectsOf(left), ...run.objectsOf(right)];
  if (tables.length < 2 || tables.some(([, { kind }]) => kind !== 'table')) return null;
  const cells = new Map<string, Shape>();
  let rest: Shape | null = null;
  for (const [, object] of tables) {
    for (const [key, value] of object.cells) cells.set(key, value);
    if (object.rest !== null) rest = rest === null ? object.rest : join(rest, object.rest);
  }
  return run.table(cells, rest);
}
