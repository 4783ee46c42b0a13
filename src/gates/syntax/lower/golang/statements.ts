import type { Case, Expression, Statement, Variable } from '../../il/il.ts';
import { part, parts, type TreeNode, typed } from '../../parse/tree.ts';
import {
  anyOf,
  binary,
  block,
  cast,
  constant,
  declaration,
  evaluate,
  freeName,
  leave,
  load,
  loop,
  put,
  spanOf,
  unknown,
  when,
} from '../forms.ts';
import type { Context } from './context.ts';
import { specsOf } from './declarations.ts';
import { nextOf } from './expressions.ts';
import { typeOf } from './types.ts';

/** Lowers a statement; `label`: the label before it. */
export function lowerStatement(
  context: Context,
  node: TreeNode,
  label: string | null,
): Statement[] {
  const span = spanOf(node);
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
      const sign = node.type === 'inc_statement' ? '+' : '-';
      return [put(context.firstOf(node), constant(node, 1), sign)];
    }
    case 'send_statement': {
      const channel = context.expressionAt(node, 'channel');
      return [put(nextOf(channel), context.expressionAt(node, 'value'))];
    }
    case 'var_declaration':
    case 'const_declaration':
      return specsOf(context, node).map(({ name, type, value }) => {
        const own = typeOf(context, type);
        return declaration(name, context.declare(context.textOf(name)), value, own);
      });
    case 'block':
    case 'statement_list':
    case 'ERROR':
      return [block(node, context.body(node), label)];
    case 'labeled_statement':
      return labelled(context, node);
    case 'if_statement': {
      const body = (branch: TreeNode | null) => context.body(branch);
      const before = (link: TreeNode) => statementAt(context, link, 'initializer');
      const inner = context.within(() => context.ifOf(node, body, (rest) => rest(), before));
      return label === null ? inner : [block(node, inner, label)];
    }
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
      const label = context.textOf(node.children[0] ?? node);
      return context.loops.has(label)
        ? [{ ...span, form: 'continue', label }]
        : [leave(node, label)];
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
  return evaluate(node, context.expression(node));
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
          return [evaluate(value, value)];
        }
        if (isNew && name !== '' && !context.scope.names.has(name)) {
          return [declaration(node, context.declare(name), value)];
        }
        return [put(context.expression(node), value)];
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
  if (/err|^e$/i.test(name)) return count > 1 && index === 0 ? null : 'failure';
  // One result alone may be the data: `match := pattern.FindStringSubmatch(text)`.
  return count === 1 || (index === 0 && !/^(?:ok|match)/.test(name)) ? null : 'success';
}

/** `a, b := x, y`, `value, err := f(x)`, `value, ok := table[x]`, `a += b`. */
function assignments(context: Context, node: TreeNode, isNew: boolean): Statement[] {
  const sign = context.textAt(node, 'operator') || '=';
  const left = part(node, 'left');
  const right = part(node, 'right');
  const values = right?.type === 'expression_list' ? right.children : right === null ? [] : [right];
  const [only] = values;
  const targets = targetsOf(context, left, isNew);
  const [first] = targets;
  if (only === undefined || first === undefined) return [];
  if (sign !== '=' && !isNew) {
    const place = context.expression(first.node);
    return [put(place, context.expression(only), sign.slice(0, -1))];
  }
  if (targets.length === 1) return single(context, first, only, isNew);
  if (values.length < targets.length) return several(context, targets, only);
  // All values are evaluated before the first one is assigned: `a, b = b, a`.
  const lowered = context.expressionsOf(values);
  const isSimple = isNew || lowered.every(({ form }) => form === 'constant');
  const kept = isSimple ? [] : lowered.map((value) => context.keep(value));
  const given = isSimple ? lowered : kept.map(({ value }) => value);
  const missing = unknown(node, 'missing', []);
  return [
    ...kept.map(({ statement }) => statement),
    ...targets.flatMap((one, index) => one.put(given[index] ?? missing)),
  ];
}

function single(context: Context, target: Target, node: TreeNode, isNew: boolean): Statement[] {
  if (isNew && isAlias(context, target.name, node)) return [];
  const value = context.expression(node);
  const tells = node.type === 'call_expression' ? tellsOf(target, 0, 1) : null;
  if (tells === null) return target.put(value);
  return target.put({ ...spanOf(node), form: 'result', of: value, index: 0, count: 1, tells });
}

/** `p := &x`: both names stand for one variable, unless something assigns `p` later. */
function isAlias(context: Context, name: string, node: TreeNode): boolean {
  if (node.type !== 'unary_expression' || context.assigned.has(name)) return false;
  const operand = part(node, 'operand');
  if (context.textAt(node, 'operator') !== '&' || operand?.type !== 'identifier') return false;
  const variable = context.find(context.textOf(operand));
  if (variable === null) return false;
  context.scope.names.set(name, variable);
  return true;
}

/** Several targets of one expression: results of a call, or a value with whether it is there. */
function several(context: Context, targets: readonly Target[], node: TreeNode): Statement[] {
  const [first, second] = targets;
  const isReceived = context.textAt(node, 'operator') === '<-';
  if (node.type === 'call_expression' || first === undefined || second === undefined) {
    return results(context, targets, node);
  }
  const value = context.expression(node);
  const isLookup = value.form === 'index' && !isReceived;
  const there = isLookup ? binary(node, 'in', value.key, value.object) : freeName(node, 'ok');
  return [...first.put(value), ...second.put(there)];
}

function results(context: Context, targets: readonly Target[], node: TreeNode): Statement[] {
  const value = context.expression(node);
  const all = targets.map((one, index) => tellsOf(one, index, targets.length));
  const count = targets.filter(({ name }, index) => name !== '_' && all[index] === null).length;
  const held = context.declare('');
  const of = load(node, held);
  const puts = targets.flatMap((one, index) => {
    const tells = all[index] ?? null;
    // Where one says whether it holds, an error says nothing of that.
    const isSilent = tells === 'failure' && all.includes('success');
    const result: Expression = isSilent
      ? freeName(node, 'error')
      : { ...spanOf(node), form: 'result', of, index, count, tells };
    return one.name === '_' ? [] : one.put(result);
  });
  return [declaration(node, held, value), ...puts];
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
  const label = context.textAt(node, 'label') || null;
  const inner = node.children.filter(({ field }) => field !== 'label');
  const body = inner.flatMap((child) => context.statement(child, label));
  return [block(node, body, label)];
}

/** The statement under a name of its parent; none when it is absent. */
function statementAt(context: Context, node: TreeNode | null, field: string): Statement[] {
  const inner = part(node, field);
  return inner === null ? [] : context.statement(inner);
}

/** Lowers what a plain `break` leaves by itself, or with the label that is given here. */
function breaking<T>(context: Context, label: string | null, inner: () => T): T {
  const { frame } = context;
  const outer = frame.breaks;
  frame.breaks = label;
  const result = inner();
  frame.breaks = outer;
  return result;
}

function loopOf(context: Context, node: TreeNode, label: string | null): Statement[] {
  const range = typed(node, 'range_clause');
  if (range !== null) return rangeOf(context, node, range, label);
  const clause = typed(node, 'for_clause');
  const before = statementAt(context, clause, 'initializer');
  const condition =
    clause === null
      ? node.children.find(({ field }) => field !== 'body')
      : part(clause, 'condition');
  const test = condition == null ? null : context.expression(condition);
  const body = breaking(context, null, () => context.body(part(node, 'body')));
  const step = statementAt(context, clause, 'update').flatMap((one) =>
    one.form === 'evaluate' ? [one.value] : [],
  );
  return [...before, loop(node, test, body, { step, label })];
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
      heads.push(put(context.expression(one), load(one, variable)));
    }
    return variable;
  });
  const [key = null, element] = variables;
  const span = spanOf(nodes[1] ?? nodes[0] ?? node);
  const inner = breaking(context, null, () => context.body(part(node, 'body')));
  const variable = element ?? context.declare('');
  const body = [...heads, ...inner];
  return [{ ...span, form: 'each', variable, key, type: null, of, body, label }];
}

/** A switch over values, or one of ways that are tried in order. */
function switchOf(context: Context, node: TreeNode, label: string | null): Statement {
  const before = statementAt(context, node, 'initializer');
  const value = part(node, 'value');
  const clauses = node.children.filter(({ type }) => /_case$/.test(type));
  if (node.type === 'expression_switch_statement' && value !== null) {
    const subject = context.expression(value);
    const cases = breaking(context, null, () => clauses.map((one) => caseOf(context, one)));
    const inner: Statement = { ...spanOf(node), form: 'switch', subject, cases, label };
    return before.length === 0 ? inner : block(node, [...before, inner]);
  }
  const own = label ?? `switch ${node.start}`;
  const body = breaking(context, own, () => waysOf(context, node, clauses));
  return block(node, [...before, ...body], own);
}

/** Nothing goes on in the next case, unless it says so. */
function caseOf(context: Context, clause: TreeNode): Case {
  const values = context.expressionsOf(part(clause, 'value')?.children ?? []);
  const inner = typed(clause, 'statement_list');
  const body = context.body(inner);
  const goesOn = inner?.children.at(-1)?.type === 'fallthrough_statement';
  const last = goesOn ? [] : [leave(clause, null)];
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
        const own = cast(name, type, load(name, held));
        body.push(declaration(name, context.declare(context.textOf(name)), own));
      }
      body.push(...statementAt(context, clause, 'communication'));
      const inner = typed(clause, 'statement_list');
      return { clause, body: [...body, ...(inner === null ? [] : context.statements(inner))] };
    }),
  );
  const chain = ways.reduceRight<Statement[]>((no, { clause, body }) => {
    if (clause.type === 'default_case') return body;
    return [when(clause, testOf(context, clause, held), body, no)];
  }, []);
  if (held === null || subject === null || value === null) return chain;
  return [declaration(value, held, subject), ...chain];
}

function testOf(context: Context, clause: TreeNode, held: Variable | null): Expression {
  if (held !== null) {
    const type = typeOf(context, part(clause, 'type'));
    return { ...spanOf(clause), form: 'is', type, value: load(clause, held), bind: null };
  }
  const tests = context.expressionsOf(part(clause, 'value')?.children ?? []);
  return anyOf(clause, tests) ?? freeName(clause, 'case');
}

/** What it gives back; without values the values of results that have names. */
function returned(context: Context, node: TreeNode): Expression | null {
  const span = spanOf(node);
  const { results: variables, givesError, resultCount } = context.frame;
  const nodes = node.children.flatMap((one) =>
    one.type === 'expression_list' ? one.children : [one],
  );
  const items: Expression[] =
    nodes.length === 0
      ? variables.map((variable) => load(node, variable))
      : nodes.map((one, index) => {
          const value = context.expression(one);
          const isLast = index === nodes.length - 1 && nodes.length === resultCount;
          if (!givesError || !isLast || value.form !== 'call') return value;
          return { ...span, form: 'result', of: value, index: 0, count: 1, tells: 'failure' };
        });
  const [only] = items;
  return items.length > 1 ? { ...span, form: 'results', items } : (only ?? null);
}
