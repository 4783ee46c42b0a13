import { attempt, meet, repeat, told } from '../tree/conditions.ts';
import type { Run } from '../tree/run.ts';
import { elementOf, named, type Scope } from '../tree/scope.ts';
import { part, parts, type TreeNode, typed } from '../tree/tree.ts';
import { typedAs, typeValue } from './declarations.ts';

/** The ways through an `if`: what holds after it is what holds at the end of those that go on. */
export function executeIf(run: Run, node: TreeNode): boolean {
  const outer = run.scope;
  const ways: Scope[] = [];
  const rest = run.branch(outer, () => undefined);
  run.scope = rest;
  const facts = run.readCondition(part(node, 'condition'));
  run.scope = outer;
  const take = (block: TreeNode | null, known: readonly string[]) => {
    let isOver = false;
    const way = run.branch(rest, () => {
      run.scope.guard(known);
      if (block !== null) isOver = run.language.execute(run, block);
    });
    if (!isOver) ways.push(way);
  };
  take(part(node, 'consequence'), facts.whenTrue);
  take(part(node, 'alternative'), facts.whenFalse);
  return meet(outer, rest, ways);
}

/** Runs the rounds of a loop. */
export function executeLoop(run: Run, node: TreeNode): boolean {
  for (const first of parts(node, 'init')) run.language.execute(run, first);
  const condition = part(node, 'condition');
  const body = part(node, 'body');
  const isFirst = node.type === 'do_statement';
  repeat(run, () => {
    if (node.type === 'enhanced_for_statement') bindElement(run, node);
    else if (!isFirst) run.scope.guard(run.readCondition(condition).whenTrue);
    if (body !== null) run.language.execute(run, body);
    if (isFirst) run.readCondition(condition);
    for (const step of parts(node, 'update')) run.evaluate(step);
  });
  // Behind a loop without `break` its condition is false.
  if (node.type === 'while_statement' && !/\bbreak\b/.test(body === null ? '' : run.textOf(body))) {
    run.scope.guard(run.readCondition(condition).whenFalse);
  }
  return false;
}

function bindElement(run: Run, node: TreeNode): void {
  const name = part(node, 'name');
  const list = run.evaluate(part(node, 'value'));
  if (name === null) return;
  const known = typeValue(run, part(node, 'type'));
  run.scope.set(run.textOf(name), named(run, typedAs(known, elementOf(list)), name));
}

/** Runs `try` with its resources, handlers and end. */
export function executeTry(run: Run, node: TreeNode): boolean {
  const body = () => {
    for (const resource of part(node, 'resources')?.children ?? []) {
      const name = part(resource, 'name');
      if (name === null) {
        for (const child of resource.children) run.evaluate(child);
        continue;
      }
      const value = run.evaluate(part(resource, 'value'));
      const known = typeValue(run, part(resource, 'type'));
      run.scope.set(run.textOf(name), named(run, typedAs(known, value), name));
    }
    return run.executeBlock(part(node, 'body'));
  };
  const clauses = node.children.filter(({ type }) => type === 'catch_clause');
  const handlers = clauses.map((clause) => () => run.executeBlock(part(clause, 'body')));
  const isOver = attempt(run, body, handlers);
  const last = typed(node, 'finally_clause');
  return run.executeBlock(last === null ? null : typed(last, 'block')) || isOver;
}

/**
 * Each case is a way; a case of known values proves that the subject is one of them. `isValue`:
 * what cases give goes to the results, as their `yield` does.
 */
export function executeSwitch(run: Run, node: TreeNode, isValue: boolean): boolean {
  const subject = run.evaluate(part(node, 'condition'));
  const outer = run.scope;
  const ways: Scope[] = [];
  let hasDefault = false;
  let before: Scope | null = null;
  for (const clause of part(node, 'body')?.children ?? []) {
    if (!/^switch_(?:rule|block_statement_group)$/.test(clause.type)) continue;
    const labels = clause.children.filter(({ type }) => type === 'switch_label');
    const bodies = clause.children.filter(({ type }) => type !== 'switch_label');
    const isDefault = labels.some((label) => /\bdefault\b/.test(run.textOf(label)));
    hasDefault ||= isDefault;
    let isOver = false;
    const from: Scope | null = before;
    const way = run.branch(outer, () => {
      if (!isDefault) run.scope.guard(told(subject));
      // Without a `break` before it, the last case goes on in this one.
      if (from !== null) run.scope.join(from, run.scope);
      for (const body of bodies) {
        if (isValue && body.type === 'expression_statement') giveCase(run, clause, body);
        else if (run.language.execute(run, body)) isOver = true;
      }
    });
    const isLeft = endsInBreak(bodies.at(-1));
    const goesOn = clause.type === 'switch_block_statement_group' && !isOver;
    before = goesOn ? way : null;
    if (!isOver || isLeft) ways.push(way);
  }
  if (!hasDefault) ways.push(run.branch(outer, () => undefined));
  return meet(
    outer,
    run.branch(outer, () => undefined),
    ways,
  );
}

/** `case x -> value;` */
function giveCase(run: Run, clause: TreeNode, body: TreeNode): void {
  const value = run.evaluate(body.children[0] ?? null);
  if (clause.type === 'switch_rule') run.returns.push(run.scope.settled(value));
}

function endsInBreak(node: TreeNode | undefined): boolean {
  if (node?.type === 'block') return endsInBreak(node.children.at(-1));
  return node?.type === 'break_statement' || node?.type === 'yield_statement';
}
