import { UNKNOWN } from '../taint/value.ts';
import { evaluateAlone, noteReturn } from '../tree/follow.ts';
import type { OwnClass, OwnFunction, Run } from '../tree/run.ts';
import { functionValue, named, type Scope } from '../tree/scope.ts';
import { part, parts, type TreeNode, typed } from '../tree/tree.ts';
import { readCondition, standing } from './conditions.ts';
import {
  declareClass,
  instanceOf,
  METHOD,
  noteComplete,
  readImport,
  typedAs,
  typeValue,
} from './declarations.ts';
import { evaluate } from './expressions.ts';
import { fieldValue, servedField } from './parameters.ts';
import { executeIf, executeLoop, executeSwitch, executeTry } from './ways.ts';

const CLASS = /^(?:class|record|enum|interface|annotation_type)_declaration$/;

/** Runs a file or hunk: classes and methods may be used before they are declared. */
export function executeModule(run: Run, root: TreeNode): void {
  const { children } = root;
  for (const node of children) if (/^(?:package|import)_/.test(node.type)) execute(run, node);
  declareAll(run, children);
  // Members whose class is out of sight.
  if (children.some(({ type }) => type === 'method_declaration')) {
    const rest = children.filter(({ type }) => /^(?:method|field)_declaration$/.test(type));
    const owner = declareClass(
      run,
      { ...root, children: [{ ...root, field: 'body', children: rest }] },
      '',
    );
    runMembers(run, owner, rest, run.scope);
  }
  for (const node of children) {
    if (!/^(?:package|import|method)_/.test(node.type)) execute(run, node);
  }
}

/** Classes by their names, those within others as well, before anything runs. */
function declareAll(run: Run, nodes: readonly TreeNode[]): void {
  for (const node of nodes) {
    if (!CLASS.test(node.type)) continue;
    const name = part(node, 'name');
    if (name === null || run.classes.has(run.textOf(name))) continue;
    declareClass(run, node, run.textOf(name));
    declareAll(run, membersOf(node));
  }
}

function membersOf(node: TreeNode): TreeNode[] {
  const body = part(node, 'body') ?? typed(node, 'class_body');
  return (body?.children ?? []).flatMap((child) =>
    child.type === 'enum_body_declarations' ? child.children : [child],
  );
}

/** Runs the initializers of a class, and has its methods looked at by themselves. */
function executeClass(run: Run, node: TreeNode): void {
  const name = part(node, 'name');
  if (name === null) return;
  const owner = run.classes.get(run.textOf(name)) ?? declareClass(run, node, run.textOf(name));
  runMembers(run, owner, membersOf(node), run.scope);
}

function runMembers(
  run: Run,
  { scope, ...rest }: OwnClass,
  members: readonly TreeNode[],
  outer: Scope,
): void {
  const inner = run.branch(outer, () => undefined);
  const owner: OwnClass = { ...rest, scope: inner };
  run.classes.set(owner.name, owner);
  run.scope = inner;
  inner.set('this', instanceOf(owner));
  for (const [key, method] of owner.methods) {
    run.owners.set(method, owner);
    const called = key.includes(METHOD) ? key : `${key}${METHOD}`;
    if (!key.startsWith('<')) inner.set(called, functionValue(run, method, key, inner));
  }
  declareAll(run, members);
  for (const member of members) if (CLASS.test(member.type)) executeClass(run, member);
  for (const member of members) {
    if (member.type === 'field_declaration') declareFields(run, owner, member);
    else if (member.type === 'static_initializer') run.executeBlock(member);
    else if (member.type === 'block') run.executeBlock(member);
    else if (member.type === 'enum_constant') evaluate(run, part(member, 'arguments'));
    else if (!/_declaration$/.test(member.type)) execute(run, member);
  }
  run.scope = outer;
  for (const method of new Set(owner.methods.values())) {
    const { callable } = functionValue(run, method, '', inner);
    run.waiting.push(() => evaluateAlone(run, callable as OwnFunction));
  }
}

function declareFields(run: Run, owner: OwnClass, node: TreeNode): void {
  for (const one of parts(node, 'declarator')) {
    const name = part(one, 'name');
    if (name === null) continue;
    const given = part(one, 'value');
    const known = fieldValue(run, owner, node, name);
    const value = given === null ? known : evaluate(run, given);
    run.scope.set(run.textOf(name), typedAs(known, value));
  }
}

/** Executes a statement; true when none after it is reached. */
export function execute(run: Run, node: TreeNode): boolean {
  if (run.following > 0) run.steps += 1;
  switch (node.type) {
    case 'expression_statement':
      for (const child of node.children) executeExpression(run, child);
      return node.children.some((child) => /^System\.exit\b/.test(run.textOf(child)));
    case 'local_variable_declaration':
      declareLocals(run, node);
      return false;
    case 'return_statement':
      noteReturn(run, readCondition(run, node.children[0] ?? null));
      return true;
    case 'yield_statement':
      run.returns.push(run.scope.settled(evaluate(run, node.children[0] ?? null)));
      return true;
    case 'throw_statement':
      for (const child of node.children) evaluate(run, child);
      return true;
    case 'continue_statement':
    case 'break_statement':
      return true;
    case 'if_statement':
      return executeIf(run, node);
    case 'for_statement':
    case 'enhanced_for_statement':
    case 'while_statement':
    case 'do_statement':
      return executeLoop(run, node);
    case 'try_statement':
    case 'try_with_resources_statement':
      return executeTry(run, node);
    case 'switch_expression':
      return executeSwitch(run, node, false);
    case 'assert_statement':
      run.scope.guard(readCondition(run, node.children[0] ?? null).whenTrue);
      return false;
    case 'package_declaration':
      noteComplete(run);
      return false;
    case 'import_declaration':
      readImport(run, node);
      return false;
    case 'method_declaration':
    case 'constructor_declaration':
      return false;
    case 'block':
    case 'constructor_body':
    case 'labeled_statement':
      return run.executeBlock(node);
    case 'synchronized_statement':
      return run.executeBlock(part(node, 'body'));
    case 'ERROR':
      run.executeBlock(node);
      return false;
    default:
      if (CLASS.test(node.type)) executeClass(run, node);
      else evaluate(run, node);
      return false;
  }
}

/** A call that stands alone: what it throws for does not come to what follows. */
function executeExpression(run: Run, node: TreeNode): void {
  if (node.type !== 'method_invocation') evaluate(run, node);
  else run.scope.guard(standing(run, node));
}

function declareLocals(run: Run, node: TreeNode): void {
  const known = typeValue(run, part(node, 'type'));
  for (const one of parts(node, 'declarator')) {
    const name = part(one, 'name');
    if (name === null) continue;
    const given = part(one, 'value');
    // In a hunk a field may stand outside of its class.
    const value =
      given === null
        ? (servedField(run, node, name) ?? known ?? UNKNOWN)
        : typedAs(known, evaluate(run, given));
    run.scope.set(run.textOf(name), named(run, value, name));
  }
}
