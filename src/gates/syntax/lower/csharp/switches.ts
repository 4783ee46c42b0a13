import type { Case, Expression, Statement } from '../../il/il.ts';
import { part, type TreeNode, typed } from '../../parse/tree.ts';
import { constant, evaluate, leave, load, logic, put, spanOf, unknown } from '../forms.ts';
import type { Context } from './context.ts';
import { testOf } from './patterns.ts';

/** A switch as a statement. Sections may have several labels, and none goes on in the next one. */
export function switchOf(context: Context, node: TreeNode, label: string | null): Statement {
  const kept = context.keep(context.expressionAt(node, 'value'));
  const sections = part(node, 'body')?.children ?? [];
  const groups: TreeNode[][] = [];
  // A label without statements stands in a section of its own.
  let isOpen = false;
  for (const section of sections) {
    const last = groups.at(-1);
    if (isOpen && last !== undefined) last.push(section);
    else groups.push([section]);
    isOpen = !section.children.some(isStatement);
  }
  const cases = groups.map((group) => sectionOf(context, group, kept.value));
  const subject = kept.value;
  const inner: Statement = { ...spanOf(node), form: 'switch', subject, cases, label };
  return { ...spanOf(node), form: 'block', body: [kept.statement, inner], label: null };
}

function isStatement({ type }: TreeNode): boolean {
  return /_statement$|^block$|^preproc/.test(type);
}

function sectionOf(context: Context, group: readonly TreeNode[], subject: Expression): Case {
  return context.within(null, () => {
    const labels = group.map((section) => section.children.filter((one) => !isStatement(one)));
    const tests = labels.map(([pattern, guard]) => labelOf(context, pattern, guard, subject));
    const isDefault = tests.includes(null);
    const values = isDefault ? null : tests.flatMap((test) => test?.value ?? []);
    const statements = group.flatMap(({ children }) => children.filter(isStatement));
    const before = tests.flatMap((test) => test?.before ?? []);
    const last = leave(group.at(-1) ?? subject, null);
    return { values, body: [...before, ...context.statements(statements), last] };
  });
}

/** What the label of a case asks for. */
interface Label {
  readonly value: Expression;
  /** What gives their values to the variables of the pattern, and what is known behind it. */
  readonly before: readonly Statement[];
}

/** Null: it takes all that no other one does. */
function labelOf(
  context: Context,
  pattern: TreeNode | undefined,
  guard: TreeNode | undefined,
  subject: Expression,
): Label | null {
  if (pattern === undefined) return null;
  const when = guard?.type === 'when_clause' ? guard : null;
  const fixed = pattern.type === 'constant_pattern' ? pattern.children[0] : pattern;
  const isFixed = /literal$|^(?:identifier|member_access_expression)$/.test(fixed?.type ?? '');
  if (isFixed && when === null) return { value: context.expressionOr(fixed, pattern), before: [] };
  const own = testOf(context, pattern, subject);
  const test = when === null ? own : logic(when, 'and', own, context.firstOf(when));
  const value = unknown(pattern, 'pattern', []);
  return { value, before: [{ ...spanOf(pattern), form: 'assert', test }] };
}

/** A switch whose value is that of one of its arms. */
export function chosenOf(context: Context, node: TreeNode): Expression {
  const [first] = node.children;
  const kept = context.keep(context.expressionOr(first, node));
  const result = context.temporary();
  const label = `switch ${node.start}`;
  const arms = node.children.filter(({ type }) => type === 'switch_expression_arm');
  const cases = arms.map(
    (arm): Case =>
      context.within(null, () => {
        const when = typed(arm, 'when_clause') ?? undefined;
        const [pattern, ...others] = arm.children;
        const value = others.findLast((one) => one !== when);
        const isRest = pattern?.type === 'discard' && when === undefined;
        const own = isRest ? null : labelOf(context, pattern, when, kept.value);
        const given = context.expressionOr(value, arm);
        const body = [...(own?.before ?? []), put(load(arm, result), given), leave(arm, label)];
        return { values: own === null ? null : [own.value], body };
      }),
  );
  const subject = kept.value;
  const chosen: Statement = { ...spanOf(node), form: 'switch', subject, cases, label };
  const empty = evaluate(node, constant(node, null));
  return context.run(node, [empty, kept.statement, chosen], result);
}
