import type { Expression, Span, Statement } from '../../il/il.ts';
import { part, parts, type TreeNode } from '../../parse/tree.ts';
import type { Context } from './context.ts';
import { nameOf } from './expressions.ts';
import { capturesOf } from './names.ts';
import { keep } from './targets.ts';

/** A `match`: conditions in order, each of which leaves the block behind its body. */
export function matchOf(context: Context, node: TreeNode): Statement[] {
  const { start, end } = node;
  const subjects = parts(node, 'subject').map((one) => context.expression(one));
  const [only] = subjects;
  const { statement, value } = keep(
    context,
    subjects.length === 1 && only !== undefined
      ? only
      : { start, end, form: 'list', items: subjects },
  );
  const label = `match ${start}`;
  const clauses = (part(node, 'body')?.children ?? []).filter(({ type }) => type === 'case_clause');
  const body = clauses.map((clause) => caseOf(context, clause, value, label));
  return [statement, { start, end, form: 'block', body, label }];
}

function caseOf(context: Context, clause: TreeNode, subject: Expression, label: string): Statement {
  const { start, end } = clause;
  const patterns = clause.children.filter(({ type }) => type === 'case_pattern');
  const tests = patterns.map((one) => testOf(context, one, subject));
  const bound = patterns.flatMap((one) => bindAll(context, one, subject));
  const guard = part(clause, 'guard');
  const inner: Statement[] = [
    ...context.body(part(clause, 'consequence')),
    { start, end, form: 'break', label },
  ];
  const test = guard === null ? null : context.expressionOr(guard.children[0] ?? null, guard);
  const guarded: Statement[] =
    test === null ? inner : [{ start, end, form: 'if', test, yes: inner, no: [] }];
  const whole = tests.find((one) => one !== null) ?? null;
  const yes = [...bound, ...guarded];
  if (whole === null) return { start, end, form: 'block', body: yes, label: null };
  return { start, end, form: 'if', test: whole, yes, no: [] };
}

/** What a pattern asks of its subject; null: it takes all. */
function testOf(context: Context, node: TreeNode, subject: Expression): Expression | null {
  const { start, end } = node;
  const same = (right: Expression): Expression => {
    return { start, end, form: 'binary', sign: '==', left: subject, right };
  };
  switch (node.type) {
    case 'case_pattern':
    case 'as_pattern': {
      const [inner] = node.children;
      // `_` has no node of its own.
      return inner === undefined ? null : testOf(context, inner, subject);
    }
    case 'string':
    case 'concatenated_string':
    case 'integer':
    case 'float':
    case 'true':
    case 'false':
    case 'none':
      return same(context.expression(node));
    case 'complex_pattern':
      return same({ start, end, form: 'constant', value: context.nameOf(node) });
    case 'dotted_name':
      return node.children.length === 1 ? null : same(context.expression(node));
    case 'union_pattern': {
      const tests = node.children.map((one) => testOf(context, one, subject));
      return tests.reduce<Expression | null>((left, right) => {
        if (left === null || right === null) return left ?? right;
        return { start, end, form: 'logic', sign: 'or', left, right };
      }, tests.shift() ?? null);
    }
    default:
      return isTest(node, subject);
  }
}

/** A pattern of a class, list or table: it may or may not fit. */
function isTest({ start, end }: Span, value: Expression): Expression {
  return { start, end, form: 'is', type: null, value, bind: null };
}

/** Gives the names of a pattern what they take: the subject, or a part of it. */
function bindAll(context: Context, node: TreeNode, subject: Expression): Statement[] {
  const { start, end } = node;
  const part: Expression = { start, end, form: 'unknown', what: 'pattern', children: [subject] };
  const names = [...capturesOf(node)];
  if (node.type === 'as_pattern' && node.children.length > 1) {
    const last = node.children.at(-1);
    if (last?.type === 'identifier') names.push(last);
  }
  const own = names.map((name): Statement => {
    const isWhole = node.type === 'case_pattern' || node.type === 'as_pattern';
    const place = nameOf(context, context.textOf(name), name);
    const value = isWhole ? subject : part;
    const given = { form: 'assign', place, sign: null, value, isAfter: false } as const;
    return { start, end, form: 'evaluate', value: { ...given, start, end } };
  });
  const isPlain = node.type === 'case_pattern' || node.type === 'union_pattern';
  const isSame = isPlain || node.type === 'as_pattern';
  return [
    ...own,
    ...node.children.flatMap((child) => bindAll(context, child, isSame ? subject : part)),
  ];
}
