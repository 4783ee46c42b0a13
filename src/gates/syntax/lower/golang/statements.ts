import type { Case, Expression, Span, Statement, Variable } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import { assigned, type Context, declared, unknown } from './context.ts';
import { specsOf } from './declarations.ts';
import { nextOf } from './expressions.ts';
import { typeOf } from './types.ts';

/** Lowers a statement; `label`: the one that stands before it. */
export function lowerStatement(
  context: Context,
  node: TreeNode,
  label: string | null,
): Statement[] {
  const { start, end } = node;
  const span = { start, end };
  switch (node.type) {
    case 'expression_statement':
      return node.children.map((child) => evaluated(context, child));
    case 'short_var_declaration':
      return assignments(context, node, true);
    case 'assignment_statement':
      return assignments(context, node, false);
    case 'receive_statement':
      return received(context, node);
    case 'inc_statement':
    case 'dec_statement': {
      const [operand] = node.children;
      const one: Expression = { ...span, form: 'constant', value: 1 };
      const sign = node.type === 'inc_statement' ? '+' : '-';
      return operand === undefined ? [] : [changed(context.expression(operand), sign, one)];
    }
    case 'send_statement': {
      const channel = context.expressionAt(node, 'channel');
      return [assigned(nextOf(channel), context.expressionAt(node, 'value'))];
    }
    case 'var_declaration':
    case 'const_declaration':
      return specsOf(context, node).map(({ name, type, value }) => {
        const own = typeOf(context, type);
        return declared(name, context.declare(context.textOf(name)), value, own);
      });
    case 'block':
    case 'statement_list':
    case 'ERROR':
      return [{ ...span, form: 'block', body: context.body(node), label }];
    case 'labeled_statement':
      return labelled(context, node);
    case 'if_statement':
      return [{ ...span, form: 'block', label, body: context.within(() => ifOf(context, node)) }];
    case 'for_statement':
      return context.within(() => loopOf(context, node, label));
    case 'expression_switch_statement':
    case 'type_switch_statement':
    case 'select_statement':
      return [context.within(() => switchOf(context, node, label))];
    case 'return_statement':
      return [{ ...span, form: 'return', value: returned(context, node) }];
    case 'break_statement':
    case 'continue_statement': {
      const [name] = node.children;
      const form = node.type === 'break_statement' ? 'break' : 'continue';
      const plain = form === 'break' ? context.frame.breaks : null;
      return [{ ...span, form, label: name === undefined ? plain : context.textOf(name) }];
    }
    case 'goto_statement': {
      const [name] = node.children;
      return [{ ...span, form: 'break', label: name === undefined ? null : context.textOf(name) }];
    }
    case 'go_statement':
    case 'defer_statement': {
      const calls = node.children.map((child) => evaluated(context, child));
      // What is called by name is given its arguments here; a literal sees names at the end.
      const isLiteral = node.children.some(
        (child) => part(child, 'function')?.type === 'func_literal',
      );
      if (isLiteral || context.text.includes('<-')) context.frame.later.push(...calls);
      return calls;
    }
    case 'type_declaration':
    case 'import_declaration':
    case 'package_clause':
    case 'empty_statement':
    case 'fallthrough_statement':
      return [];
    default:
      return [evaluated(context, node)];
  }
}

function evaluated(context: Context, node: TreeNode): Statement {
  const { start, end } = node;
  return { start, end, form: 'evaluate', value: context.expression(node) };
}

function changed(place: Expression, sign: string, value: Expression): Statement {
  const { start, end } = place;
  const assign = { start, end, form: 'assign', place, sign, value, isAfter: false } as const;
  return { start, end, form: 'evaluate', value: assign };
}

/** A target of an assignment, and how it gets a value. */
interface Target {
  readonly node: TreeNode;
  readonly name: string;
  put(value: Expression): Statement[];
}

/** Targets of `:=` that the scope does not hold yet are declared when they get their value. */
function targetsOf(context: Context, list: TreeNode | null, isNew: boolean): Target[] {
  const nodes = list?.type === 'expression_list' ? list.children : list === null ? [] : [list];
  return nodes.map((node) => {
    const name = node.type === 'identifier' ? context.textOf(node) : '';
    return {
      node,
      name,
      put(value) {
        if (name === '_' || node.type === 'blank_identifier') {
          const { start, end } = value;
          return [{ start, end, form: 'evaluate', value }];
        }
        if (isNew && name !== '' && !context.scope.names.has(name)) {
          return [declared(node, context.declare(name), value)];
        }
        return [assigned(context.expression(node), value)];
      },
    };
  });
}

/** Names that hold whether something went well, and not the data. */
const VERDICT =
  /^(?:ok|found|exists?|has\w*|is[A-Z]\w*|valid|match(?:ed)?|allowed)$|^e$|[eE]rr(?:or)?\d?$|^err\w*$/;

type Tells = 'success' | 'failure' | null;

/** What a result tells by its name and place. */
function tellsOf({ name }: Target, index: number, count: number): Tells {
  if (!VERDICT.test(name)) return null;
  if (count > 1 && index === 0 && !/^(?:ok|match)/.test(name)) return null;
  return /err|^e$/i.test(name) ? 'failure' : 'success';
}

/** `a, b := x, y`, `value, err := f(x)`, `value, ok := table[x]`, `a += b`. */
function assignments(context: Context, node: TreeNode, isNew: boolean): Statement[] {
  const operator = part(node, 'operator');
  const sign = operator === null ? '=' : context.textOf(operator);
  const left = part(node, 'left');
  const right = part(node, 'right');
  const values = right?.type === 'expression_list' ? right.children : right === null ? [] : [right];
  const [only] = values;
  const targets = targetsOf(context, left, isNew);
  const [first] = targets;
  if (only === undefined || first === undefined) return [];
  if (sign !== '=' && !isNew) {
    const own = sign.slice(0, -1);
    return [changed(context.expression(first.node), own, context.expression(only))];
  }
  if (targets.length === 1) return single(context, first, only, isNew);
  if (values.length < targets.length) return several(context, targets, only);
  // All values are evaluated before the first one is assigned: `a, b = b, a`.
  const lowered = values.map((one) => context.expression(one));
  const isSimple = isNew || lowered.every(({ form }) => form === 'constant');
  if (isSimple) return targets.flatMap((one, index) => one.put(lowered[index] ?? missing(node)));
  const held = lowered.map((value) => ({ value, variable: context.declare('') }));
  return [
    ...held.map(({ variable, value }) => declared(value, variable, value)),
    ...targets.flatMap((one, index) => {
      const own = held[index];
      return own === undefined ? [] : one.put(loaded(one.node, own.variable));
    }),
  ];
}

function missing(span: Span): Expression {
  return unknown(span, 'missing', []);
}

function loaded({ start, end }: Span, variable: Variable): Expression {
  return { start, end, form: 'load', variable };
}

function single(context: Context, target: Target, node: TreeNode, isNew: boolean): Statement[] {
  if (isNew && isAlias(context, target.name, node)) return [];
  const value = context.expression(node);
  const tells = node.type === 'call_expression' ? tellsOf(target, 0, 1) : null;
  if (tells === null) return target.put(value);
  const { start, end } = node;
  return target.put({ start, end, form: 'result', of: value, index: 0, count: 1, tells });
}

/** `p := &x`: both names stand for one variable, unless something assigns `p` later. */
function isAlias(context: Context, name: string, node: TreeNode): boolean {
  if (node.type !== 'unary_expression' || context.assigned.has(name)) return false;
  const operand = part(node, 'operand');
  const sign = context.textOf(part(node, 'operator') ?? node);
  if (sign !== '&' || operand?.type !== 'identifier') return false;
  const variable = context.find(context.textOf(operand));
  if (variable === null) return false;
  context.scope.names.set(name, variable);
  return true;
}

/** Several targets of one expression: results of a call, or a value with whether it is there. */
function several(context: Context, targets: readonly Target[], node: TreeNode): Statement[] {
  const { start, end } = node;
  const [first, second] = targets;
  const sign = part(node, 'operator');
  const isReceived = sign !== null && context.textOf(sign) === '<-';
  if (node.type === 'call_expression' || first === undefined || second === undefined) {
    return results(context, targets, node);
  }
  const value = context.expression(node);
  let there: Expression = { start, end, form: 'name', name: 'ok', path: null };
  if (value.form === 'index' && !isReceived) {
    const { object, key } = value;
    there = { start, end, form: 'binary', sign: 'in', left: key, right: object };
  }
  return [...first.put(value), ...second.put(there)];
}

function results(context: Context, targets: readonly Target[], node: TreeNode): Statement[] {
  const { start, end } = node;
  const value = context.expression(node);
  const all = targets.map((one, index) => tellsOf(one, index, targets.length));
  const count = targets.filter(({ name }, index) => name !== '_' && all[index] === null).length;
  const held = context.declare('');
  const of = loaded(node, held);
  const puts = targets.flatMap((one, index) => {
    const tells = all[index] ?? null;
    // Where one says whether it holds, an error says nothing of that.
    const isSilent = tells === 'failure' && all.includes('success');
    const result: Expression = isSilent
      ? { start, end, form: 'name', name: 'error', path: null }
      : { start, end, form: 'result', of, index, count, tells };
    return one.name === '_' ? [] : one.put(result);
  });
  return [declared(node, held, value), ...puts];
}

/** `case value, ok := <-channel:`, or without names. */
function received(context: Context, node: TreeNode): Statement[] {
  const left = part(node, 'left');
  const right = part(node, 'right');
  if (right === null) return [];
  if (left === null) return [evaluated(context, right)];
  const isNew = context.text.slice(left.end, right.start).includes(':=');
  const targets = targetsOf(context, left, isNew);
  const [first] = targets;
  if (targets.length > 1) return several(context, targets, right);
  return first === undefined ? [] : first.put(context.expression(right));
}

function labelled(context: Context, node: TreeNode): Statement[] {
  const { start, end } = node;
  const name = part(node, 'label');
  const label = name === null ? null : context.textOf(name);
  const inner = node.children.filter(({ field }) => field !== 'label');
  const body = inner.flatMap((child) => context.statement(child, label));
  return [{ start, end, form: 'block', label, body }];
}

function ifOf(context: Context, node: TreeNode): Statement[] {
  const { start, end } = node;
  const first = part(node, 'initializer');
  const before = first === null ? [] : context.statement(first);
  const test = context.expressionAt(node, 'condition');
  const yes = context.body(part(node, 'consequence'));
  const other = part(node, 'alternative');
  const no = other?.type === 'if_statement' ? context.statement(other) : context.body(other);
  return [...before, { start, end, form: 'if', test, yes, no }];
}

/** Lowers what a plain `break` leaves by itself, or with the label that is given here. */
function breaking<T>(context: Context, label: string | null, inner: () => T): T {
  const { frame } = context;
  const outer = frame.breaks;
  frame.breaks = label;
  try {
    return inner();
  } finally {
    frame.breaks = outer;
  }
}

function loopOf(context: Context, node: TreeNode, label: string | null): Statement[] {
  const { start, end } = node;
  const range = typed(node, 'range_clause');
  if (range !== null) return rangeOf(context, node, range, label);
  const clause = typed(node, 'for_clause');
  const first = part(clause, 'initializer');
  const before = first === null ? [] : context.statement(first);
  const condition =
    clause === null
      ? node.children.find(({ field }) => field !== 'body')
      : part(clause, 'condition');
  const test = condition == null ? null : context.expression(condition);
  const body = breaking(context, null, () => context.body(part(node, 'body')));
  const update = part(clause, 'update');
  const step = (update === null ? [] : context.statement(update)).flatMap((one) =>
    one.form === 'evaluate' ? [one.value] : [],
  );
  return [...before, { start, end, form: 'loop', test, isTestedLast: false, body, step, label }];
}

/** `for index, element := range list`; with `=` names of outside get the values. */
function rangeOf(
  context: Context,
  node: TreeNode,
  clause: TreeNode,
  label: string | null,
): Statement[] {
  const of = context.expressionAt(clause, 'right');
  const left = part(clause, 'left');
  const right = part(clause, 'right');
  const isNew = context.text.slice(left?.end ?? 0, right?.start ?? 0).includes(':=');
  const nodes = left?.children ?? [];
  const heads: Statement[] = [];
  const variables = nodes.map((one) => {
    if (isNew && one.type === 'identifier') return context.declare(context.textOf(one));
    const variable = context.declare('');
    if (context.textOf(one) !== '_') {
      heads.push(assigned(context.expression(one), loaded(one, variable)));
    }
    return variable;
  });
  const [key = null, element] = variables;
  const { start, end } = nodes[1] ?? nodes[0] ?? node;
  const inner = breaking(context, null, () => context.body(part(node, 'body')));
  const variable = element ?? context.declare('');
  const body = [...heads, ...inner];
  return [{ start, end, form: 'each', variable, key, type: null, of, body, label }];
}

/** A switch over values, or one of ways that are tried in order. */
function switchOf(context: Context, node: TreeNode, label: string | null): Statement {
  const { start, end } = node;
  const first = part(node, 'initializer');
  const before = first === null ? [] : context.statement(first);
  const value = part(node, 'value');
  const clauses = node.children.filter(({ type }) => /_case$/.test(type));
  if (node.type === 'expression_switch_statement' && value !== null) {
    const subject = context.expression(value);
    const cases = breaking(context, null, () => clauses.map((one) => caseOf(context, one)));
    const inner: Statement = { start, end, form: 'switch', subject, cases, label };
    return before.length === 0
      ? inner
      : { start, end, form: 'block', body: [...before, inner], label: null };
  }
  const own = label ?? `switch ${start}`;
  const body = breaking(context, own, () => waysOf(context, node, clauses));
  return { start, end, form: 'block', body: [...before, ...body], label: own };
}

/** Nothing goes on in the next case, unless it says so. */
function caseOf(context: Context, clause: TreeNode): Case {
  const { start, end } = clause;
  const list = part(clause, 'value')?.children ?? [];
  const values = list.map((one) => context.expression(one));
  const inner = typed(clause, 'statement_list');
  const body = context.body(inner);
  const goesOn = inner?.children.at(-1)?.type === 'fallthrough_statement';
  const last: Statement[] = goesOn ? [] : [{ start, end, form: 'break', label: null }];
  const isDefault = clause.type === 'default_case';
  return { values: isDefault ? null : values, body: [...body, ...last] };
}

/** Conditions, types or communications in order; the default comes last. */
function waysOf(context: Context, node: TreeNode, clauses: readonly TreeNode[]): Statement[] {
  const value = part(node, 'value');
  const alias = part(node, 'alias');
  const [name] = alias?.children ?? [];
  const held = value === null ? null : context.declare('');
  const subject = value === null || held === null ? null : context.expression(value);
  const ordered = [
    ...clauses.filter(({ type }) => type !== 'default_case'),
    ...clauses.filter(({ type }) => type === 'default_case'),
  ];
  const ways = ordered.map((clause) =>
    context.within(() => {
      const types = parts(clause, 'type');
      const body: Statement[] = [];
      if (held !== null && name !== undefined) {
        const type = types.length === 1 ? typeOf(context, types[0] ?? null) : null;
        const plain = loaded(name, held);
        const { start, end } = name;
        const own: Expression =
          type === null ? plain : { start, end, form: 'cast', type, value: plain };
        body.push(declared(name, context.declare(context.textOf(name)), own));
      }
      const communication = part(clause, 'communication');
      if (communication !== null) body.push(...context.statement(communication));
      const inner = typed(clause, 'statement_list');
      return { clause, body: [...body, ...(inner === null ? [] : context.statements(inner))] };
    }),
  );
  const chain = ways.reduceRight<Statement[]>((no, { clause, body }) => {
    if (clause.type === 'default_case') return body;
    const { start, end } = clause;
    return [{ start, end, form: 'if', test: testOf(context, clause, held), yes: body, no }];
  }, []);
  if (held === null || subject === null || value === null) return chain;
  return [declared(value, held, subject), ...chain];
}

function testOf(context: Context, clause: TreeNode, held: Variable | null): Expression {
  const { start, end } = clause;
  if (held !== null) {
    const [type] = parts(clause, 'type');
    const value = loaded(clause, held);
    return { start, end, form: 'is', type: typeOf(context, type ?? null), value, bind: null };
  }
  const [first, ...rest] = (part(clause, 'value')?.children ?? []).map((one) =>
    context.expression(one),
  );
  if (first === undefined) return { start, end, form: 'name', name: 'case', path: null };
  return rest.reduce<Expression>(
    (left, right) => ({ start, end, form: 'logic', sign: 'or', left, right }),
    first,
  );
}

/** What it gives back; without values those of the results that have names. */
function returned(context: Context, node: TreeNode): Expression | null {
  const { start, end } = node;
  const { results: variables, givesError, resultCount } = context.frame;
  const nodes = node.children.flatMap((one) =>
    one.type === 'expression_list' ? one.children : [one],
  );
  const items: Expression[] =
    nodes.length === 0
      ? variables.map((variable) => loaded(node, variable))
      : nodes.map((one, index) => {
          const value = context.expression(one);
          const isLast = index === nodes.length - 1 && nodes.length === resultCount;
          if (!givesError || !isLast || value.form !== 'call') return value;
          return { start, end, form: 'result', of: value, index: 0, count: 1, tells: 'failure' };
        });
  const [only] = items;
  return items.length > 1 ? { start, end, form: 'results', items } : (only ?? null);
}
