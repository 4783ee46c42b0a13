import type { Expression, Statement } from '../../il/il.ts';
import { part, parts, type TreeNode } from '../../parse/tree.ts';
import {
  anyOf,
  binary,
  block,
  constant,
  element,
  leave,
  listOf,
  member,
  put,
  spanOf,
  unknown,
  when,
} from '../forms.ts';
import type { Context } from './context.ts';
import { nameOf } from './expressions.ts';
import { capturesOf } from './names.ts';

/** A `match`: conditions in order, each of which leaves the block behind its body. */
export function matchOf(context: Context, node: TreeNode): Statement[] {
  const subjects = context.expressionsOf(parts(node, 'subject'));
  const [only] = subjects;
  const isOne = subjects.length === 1 && only !== undefined;
  const { statement, value } = context.keep(isOne ? only : listOf(node, subjects));
  const label = `match ${node.start}`;
  const clauses = (part(node, 'body')?.children ?? []).filter(({ type }) => type === 'case_clause');
  const body = clauses.map((clause) => caseOf(context, clause, value, label));
  return [statement, block(node, body, label)];
}

function caseOf(context: Context, clause: TreeNode, subject: Expression, label: string): Statement {
  const patterns = clause.children.filter(({ type }) => type === 'case_pattern');
  const tests = patterns.map((one) => testOf(context, one, subject));
  const bound = patterns.flatMap((one) => bindAll(context, one, subject));
  const guard = part(clause, 'guard');
  const inner = [...context.body(part(clause, 'consequence')), leave(clause, label)];
  const guarded = guard === null ? inner : [when(clause, context.firstOf(guard), inner)];
  const whole = tests.find((one) => one !== null) ?? null;
  const yes = [...bound, ...guarded];
  return whole === null ? block(clause, yes) : when(clause, whole, yes);
}

/** What a pattern asks of its subject; null: it takes all. */
function testOf(context: Context, node: TreeNode, subject: Expression): Expression | null {
  const same = (right: Expression) => binary(node, '==', subject, right);
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
      return same(constant(node, context.nameOf(node)));
    case 'dotted_name':
      return node.children.length === 1 ? null : same(context.expression(node));
    case 'union_pattern':
      return anyOf(
        node,
        node.children.flatMap((one) => testOf(context, one, subject) ?? []),
      );
    default:
      // A pattern of a class, list or table: it may or may not fit.
      return { ...spanOf(node), form: 'is', type: null, value: subject, bind: null };
  }
}

/** Gives the names of a pattern what they take: the subject, or a part of it. */
function bindAll(context: Context, node: TreeNode, subject: Expression): Statement[] {
  const inner = unknown(node, 'pattern', [subject]);
  const isOpen = /^(?:case|splat|keyword)_pattern$/.test(node.type);
  const names = isOpen ? [...capturesOf(node)] : [];
  if (node.type === 'as_pattern' && node.children.length > 1) {
    const last = node.children.at(-1);
    if (last?.type === 'identifier') names.push(last);
  }
  const isWhole = node.type === 'case_pattern' || node.type === 'as_pattern';
  const taken = isWhole ? subject : (fieldOf(context, node, subject) ?? inner);
  const own = names.map((name) => put(nameOf(context, context.textOf(name), name), taken));
  const others = node.children.flatMap((child, index) =>
    bindAll(context, child, partOf(context, node, index, subject) ?? inner),
  );
  return [...own, ...others];
}

/** What a pattern within another one is held against; null: any part of the subject. */
function partOf(
  context: Context,
  node: TreeNode,
  index: number,
  subject: Expression,
): Expression | null {
  const { children } = node;
  switch (node.type) {
    case 'case_pattern':
    case 'as_pattern':
    case 'union_pattern':
      return subject;
    case 'list_pattern':
    case 'tuple_pattern': {
      const before = children.findIndex((one) => one.children[0]?.type === 'splat_pattern');
      return before < 0 || index < before ? element(node, subject, constant(node, index)) : null;
    }
    case 'dict_pattern': {
      const key = children[index]?.field === 'value' ? children[index - 1] : undefined;
      return key?.field === 'key' ? element(node, subject, context.expression(key)) : null;
    }
    case 'class_pattern':
      return children[index]?.children[0]?.type === 'keyword_pattern' ? subject : null;
    default:
      return fieldOf(context, node, subject);
  }
}

/** The field that `name=pattern` is about; null: another pattern. */
function fieldOf(context: Context, node: TreeNode, subject: Expression): Expression | null {
  const [name] = node.children;
  if (node.type !== 'keyword_pattern' || name === undefined) return null;
  return member(node, subject, context.textOf(name));
}
