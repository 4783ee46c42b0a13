import type { Expression, Parameter, Statement, Variable } from '../../il/il.ts';
import { type TreeNode, typed } from '../../parse/tree.ts';
import {
  block,
  call,
  constant,
  declaration,
  load,
  parameterWith,
  put,
  spanOf,
  unary,
  unknown,
  when,
} from '../forms.ts';
import type { Context } from './context.ts';
import { TYPE, typeOf } from './types.ts';

/** Functions whose lambda runs at once and whose value is that of the lambda. */
export function isScope(name: string): boolean {
  return SCOPES.test(name);
}

const SCOPES =
  /^(?:run|runCatching|runBlocking|synchronized|withContext|coroutineScope|supervisorScope|withTimeout|lazy|repeat|measureTimeMillis|measureTime|transaction|newSuspendedTransaction)$/;

/** Functions whose lambda has no receiver of its own. */
const PLAIN =
  /^(?:map|filter|flatMap|associate|group|sort|max|min|sum|any|all|none|find|first|last|single|fold|reduce|joinTo|forEach|on[A-Z]|count|partition|zip|getOrPut|computeIf|ifEmpty|ifBlank|replace|lazy|thread|invoke|use|indexOf|take|drop)/;

/** How a lambda is called that runs where it stands. */
interface Inlining {
  /** What `return@name` leaves. */
  readonly name: string;
  /** What its parameter, or `it`, is. */
  readonly it?: Expression;
  /** What `this` is in it. */
  readonly self?: Expression;
  /** It is called with each element of this. */
  readonly each?: Expression;
  /** What the whole gives: that of the lambda if absent. */
  readonly give?: 'same' | 'text' | 'takeIf' | 'takeUnless';
  /** Arguments that are evaluated before. */
  readonly before?: readonly TreeNode[];
}

interface CallWithLambda {
  readonly lambda: TreeNode | null;
  readonly label: TreeNode | null;
}

/** A call whose lambda runs where it stands: its statements, and what they leave. */
export function inlined(
  context: Context,
  node: TreeNode,
  { lambda, label: written }: CallWithLambda,
  how: Inlining,
): Expression {
  const { it, self, each, give } = how;
  if (lambda === null) return constant(node, null);
  const given = it ?? self ?? each ?? null;
  const kept = given === null ? null : keep(context, given);
  const held = kept?.value ?? null;
  const before: Statement[] = [
    ...(how.before ?? []).map((one) => {
      const value = context.expressionOr(one.children.at(-1), one);
      return { ...spanOf(one), form: 'evaluate', value } as const;
    }),
    ...(kept?.statement === undefined ? [] : [kept.statement]),
  ];
  const isSafe = given !== null && isSafeCall(context, node);
  const whole = context.run(node, (result) => {
    const label = `${how.name} ${node.start}`;
    const name = written === null ? how.name : context.textOf(written).slice(0, -1);
    const owner = self?.form === 'new' && self.type.own !== null ? self.type.own : null;
    const outline = owner === null ? undefined : context.outlines[owner];
    const inner = (): Statement[] =>
      context.inFrame({ name, inlined: { result, label } }, () =>
        context.within(null, () => {
          if (/ransaction$/.test(how.name)) context.hideReceivers();
          const taken =
            held === null || self !== undefined || each !== undefined
              ? []
              : takenAs(context, lambda, held);
          return [
            ...taken,
            ...context.statements(codeOf(lambda), each === undefined ? result : null),
          ];
        }),
      );
    const receiver = held?.form === 'load' ? held.variable : null;
    const ofOwn = () =>
      outline === undefined || receiver === null
        ? inner()
        : context.within({ ...outline, self: receiver }, inner);
    const body =
      self === undefined || receiver === null
        ? each === undefined || held === null
          ? inner()
          : [eachOf(context, lambda, held, label, how.name, result)]
        : context.within(null, () => {
            context.scope.names.set('this', receiver);
            return ofOwn();
          });
    const run = block(node, body, label);
    const after = held === null ? [] : resultOf(node, held, give, result);
    const all = [run, ...after];
    if (!isSafe || held === null || give === 'same') return [...before, ...all];
    const missing = put(load(node, result), constant(node, null));
    const test = {
      ...spanOf(node),
      form: 'binary',
      sign: '!=',
      left: held,
      right: constant(node, null),
    } as const;
    return [...before, when(node, test, all, [missing])];
  });
  return whole;
}

/** A value under a name; a variable has one. */
function keep(context: Context, value: Expression) {
  if (value.form === 'load') return { statement: undefined, value };
  return context.keep(value);
}

/** `x?.let { }` does not run where `x` is missing. */
function isSafeCall(context: Context, node: TreeNode): boolean {
  const target = node.children.find(({ type }) => type === 'navigation_expression');
  const [object, name] = target?.children ?? [];
  if (object === undefined || name === undefined) return false;
  return context.text.slice(object.end, name.start).includes('?.');
}

/** What the whole gives apart from what the lambda gave. */
function resultOf(
  node: TreeNode,
  held: Expression,
  give: Inlining['give'],
  result: Variable,
): Statement[] {
  const place = load(node, result);
  switch (give) {
    case undefined:
      return [];
    case 'same':
      return [put(place, held)];
    case 'text':
      return [put(place, call(node, held, 'toString', []))];
    default: {
      const test = give === 'takeIf' ? place : unary(node, '!', place);
      return [when(node, test, [put(place, held)], [put(place, constant(node, null))])];
    }
  }
}

/** The statements of a lambda. */
function codeOf(lambda: TreeNode): TreeNode[] {
  return lambda.children.filter(({ type }) => type !== 'lambda_parameters');
}

/** The variables before the arrow. */
function parametersIn(lambda: TreeNode): readonly TreeNode[] {
  return typed(lambda, 'lambda_parameters')?.children ?? [];
}

/** Gives the parameter of a lambda, or `it`, its value. */
function takenAs(context: Context, lambda: TreeNode, value: Expression): Statement[] {
  const [first] = parametersIn(lambda);
  if (first === undefined) {
    if (value.form === 'load') {
      context.scope.names.set('it', value.variable);
      return [];
    }
    return [declaration(value, context.declare('it'), value)];
  }
  if (first.type === 'multi_variable_declaration') return takenApart(context, first, value);
  const name = typed(first, 'identifier');
  if (name === null || context.textOf(name) === '_') return [];
  const type = typeOf(context, first.children.find((one) => TYPE.test(one.type)) ?? null);
  return [declaration(name, context.declare(context.nameOf(name)), value, type)];
}

/** `list.forEach { }` as a loop, which `return@forEach` goes on in. */
function eachOf(
  context: Context,
  lambda: TreeNode,
  of: Expression,
  loopLabel: string,
  name: string,
  result: Variable,
): Statement {
  return context.within(null, () => {
    const names = parametersIn(lambda);
    const [first, second] = names;
    const label = `${loopLabel} round`;
    const span = spanOf(lambda);
    const single = first === undefined || first.type === 'multi_variable_declaration';
    const parts = first?.type === 'multi_variable_declaration' ? first.children : [];
    let key: Variable | null = null;
    let variable: Variable;
    const taken: Statement[] = [];
    if (names.length === 2 && second !== undefined && first !== undefined) {
      // `forEachIndexed { index, value -> }`, and `forEach { key, value -> }` of a table.
      key = context.declare(nameIn(context, first));
      variable = context.declare(nameIn(context, second));
    } else if (single && parts.length === 2) {
      key = context.declare(nameIn(context, parts[0] ?? lambda));
      variable = context.declare(nameIn(context, parts[1] ?? lambda));
    } else {
      variable = context.declare(first === undefined ? 'it' : nameIn(context, first));
      if (parts.length > 0 && first !== undefined) {
        taken.push(...takenApart(context, first, load(lambda, variable)));
      }
    }
    const inner = context.inFrame({ name, inlined: { result, label } }, () =>
      context.statements(codeOf(lambda)),
    );
    const body = [block(lambda, [...taken, ...inner], label)];
    return { ...span, form: 'each', variable, key, type: null, of, body, label: null };
  });
}

function nameIn(context: Context, node: TreeNode): string {
  const name = typed(node, 'identifier');
  return name === null ? '' : context.nameOf(name);
}

/** A lambda as a value; `name`: the function that it is given to. */
export function lowerLambda(context: Context, node: TreeNode, name: string): Expression {
  const span = spanOf(node);
  const id = context.addFunction({ ...span, name: '', kind: 'closure', owner: null }, () =>
    context.within(null, () => {
      const before: Statement[] = [];
      const names = parametersIn(node);
      if (!PLAIN.test(name)) context.hideReceivers();
      const parameters = names.map((one): Parameter => {
        const text = one.type === 'variable_declaration' ? nameIn(context, one) : '';
        const type = typeOf(context, one.children.find((inner) => TYPE.test(inner.type)) ?? null);
        const variable = context.declare(text);
        if (one.type === 'multi_variable_declaration') {
          before.push(...takenApart(context, one, load(one, variable)));
        }
        return parameterWith(one, text, variable, { type });
      });
      if (
        names.length === 0 &&
        typed(node, 'lambda_parameters') === null &&
        usesIt(context, node)
      ) {
        parameters.push(parameterWith(node, 'it', context.declare('it')));
      }
      const result = context.temporary();
      const inner = context.inFrame({ name, inlined: null }, () =>
        context.statements(codeOf(node), result),
      );
      return { parameters, body: [...before, ...returning(inner, result)] };
    }),
  );
  return { ...span, form: 'closure', id };
}

/** The statements of a lambda, the last of which gives its value. */
function returning(body: readonly Statement[], result: Variable): readonly Statement[] {
  const last = body.at(-1);
  if (last === undefined) return body;
  const { start, end } = last;
  const value = last.form === 'evaluate' && last.value.form === 'assign' ? last.value : null;
  const isGiven = value?.place.form === 'load' && value.place.variable === result;
  if (isGiven && value !== null) {
    return [...body.slice(0, -1), { start, end, form: 'return', value: value.value }];
  }
  return [...body, { start, end, form: 'return', value: load(last, result) }];
}

function usesIt(context: Context, node: TreeNode): boolean {
  return /\bit\b/.test(context.textOf(node));
}

/** Statements that put the parts of a value into variables: `val (a, b) = pair`. */
export function takenApart(context: Context, places: TreeNode, value: Expression): Statement[] {
  const kept = context.keep(value);
  const given = partsOf(value);
  const all = places.children.flatMap((one, index): Statement[] => {
    const name = typed(one, 'identifier');
    if (name === null || context.textOf(name) === '_') return [];
    // Of an object of another file any part may stand there.
    const item = given?.[index] ?? unknown(one, 'component', [kept.value]);
    return [declaration(name, context.declare(context.nameOf(name)), item)];
  });
  return given === null ? [kept.statement, ...all] : all;
}

/** The parts of a pair that is written out; null: another value. */
function partsOf(value: Expression): readonly Expression[] | null {
  return value.form === 'object' ? value.entries.map((one) => one.value) : null;
}
