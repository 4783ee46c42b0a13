import { build, constant, TRUSTED, UNKNOWN, type Value } from '../taint/value.ts';
import { meet, repeat, told } from '../tree/conditions.ts';
import { evaluateAlone, noteReturn } from '../tree/follow.ts';
import type { OwnFunction, Run } from '../tree/run.ts';
import {
  elementOf,
  type Facts,
  functionValue,
  listValue,
  type Scope,
  subSource,
} from '../tree/scope.ts';
import { part, parts, type TreeNode, typed } from '../tree/tree.ts';
import { mayTell, readCondition, verdictOf } from './conditions.ts';
import {
  bare,
  bind,
  defineStruct,
  noteComplete,
  ownerNamed,
  pathOf,
  readImport,
  typeValue,
} from './declarations.ts';
import { evaluate } from './expressions.ts';

/** Runs a file or hunk: types and functions may be used before they are declared. */
export function executeModule(run: Run, root: TreeNode): void {
  const rest: TreeNode[] = [];
  for (const pass of [isType, isFunction]) {
    for (const node of root.children) if (pass(node)) execute(run, node);
  }
  for (const node of root.children) if (!isType(node) && !isFunction(node)) rest.push(node);
  for (const node of rest) execute(run, node);
}

function isType({ type }: TreeNode): boolean {
  return /^(?:package_clause|import_declaration|type_declaration)$/.test(type);
}

function isFunction({ type }: TreeNode): boolean {
  return type === 'function_declaration' || type === 'method_declaration';
}

/** Executes a statement; true when none after it is reached. */
export function execute(run: Run, node: TreeNode): boolean {
  if (run.following > 0) run.steps += 1;
  switch (node.type) {
    case 'expression_statement':
      for (const child of node.children) evaluate(run, child);
      return node.children.some((child) => endsProgram(run, child));
    case 'short_var_declaration':
      assign(run, part(node, 'left'), part(node, 'right'));
      return false;
    case 'assignment_statement':
      executeAssignment(run, node);
      return false;
    case 'var_declaration':
    case 'const_declaration':
    case 'var_spec_list':
      for (const child of node.children) execute(run, child);
      return false;
    case 'var_spec':
    case 'const_spec':
      executeSpec(run, node);
      return false;
    case 'return_statement':
      executeReturn(run, node);
      return true;
    case 'continue_statement':
    case 'break_statement':
    case 'goto_statement':
      return true;
    case 'if_statement':
      return executeIf(run, node);
    case 'for_statement':
      return executeLoop(run, node);
    case 'expression_switch_statement':
      return executeSwitch(run, node);
    case 'type_switch_statement':
    case 'select_statement':
      return executeCases(run, node);
    case 'block':
    case 'statement_list':
    case 'labeled_statement':
    case 'ERROR':
      return run.executeBlock(node) && node.type !== 'ERROR';
    case 'package_clause':
      noteComplete(run);
      return false;
    case 'import_declaration':
    case 'import_spec_list':
      for (const child of node.children) execute(run, child);
      return false;
    case 'import_spec':
      readImport(run, node);
      return false;
    case 'type_declaration':
      for (const child of node.children) defineType(run, child);
      return false;
    case 'function_declaration':
    case 'method_declaration':
      define(run, node);
      return false;
    case 'receive_statement':
      bind(run, part(node, 'left'), evaluate(run, part(node, 'right')));
      return false;
    default:
      evaluate(run, node);
      return false;
  }
}

/** Functions after which nothing runs. */
const ENDS =
  /^(?:panic|os\.Exit|log\.(?:Fatal|Panic)(?:f|ln)?|runtime\.Goexit|t\.(?:Fatal|Skip)f?)$/;

function endsProgram(run: Run, node: TreeNode): boolean {
  const path = node.type === 'call_expression' ? pathOf(run, part(node, 'function')) : null;
  return path !== null && ENDS.test(path);
}

function defineType(run: Run, spec: TreeNode): void {
  const name = part(spec, 'name');
  const type = part(spec, 'type');
  if (name !== null && type?.type === 'struct_type') defineStruct(run, run.textOf(name), type);
}

function define(run: Run, node: TreeNode): void {
  const nameNode = part(node, 'name');
  if (nameNode === null) return;
  const name = run.textOf(nameNode);
  const receiver = part(node, 'receiver');
  if (receiver !== null) {
    const owner = ownerNamed(run, part(receiver.children[0] ?? null, 'type'));
    owner?.methods.set(name, node);
    if (owner !== null) run.owners.set(node, owner);
  }
  const value = functionValue(run, node, name, run.scope);
  if (receiver === null) run.scope.set(name, value);
  const own = value.callable as OwnFunction;
  run.waiting.push(() => evaluateAlone(run, own));
}

/** Names that hold whether something went well, and not the data. */
const VERDICT =
  /^(?:ok|found|exists?|has\w*|is[A-Z]\w*|valid|match(?:ed)?|allowed)$|^e$|[eE]rr(?:or)?\d?$|^err\w*$/;

/** `a, b := x, y`, `value, err := f(x)`, `value, ok := table[x]`. */
function assign(run: Run, left: TreeNode | null, right: TreeNode | null): void {
  const targets = left?.type === 'expression_list' ? left.children : left === null ? [] : [left];
  const values = right?.type === 'expression_list' ? right.children : right === null ? [] : [right];
  const [only] = values;
  if (values.length === targets.length && targets.length > 1) {
    const all = values.map((one) => evaluate(run, one));
    for (const [index, target] of targets.entries()) bind(run, target, all[index] ?? UNKNOWN);
    return;
  }
  if (only === undefined) return;
  const value = evaluate(run, only);
  const texts = targets.map((target) => run.textOf(target));
  const isVerdict = (index: number, text: string) =>
    mayTell(only) &&
    VERDICT.test(text) &&
    (targets.length === 1 || index > 0 || /^(?:ok|match)/.test(text));
  const several = texts.filter((text, index) => text !== '_' && !isVerdict(index, text)).length > 1;
  for (const [index, target] of targets.entries()) {
    const text = texts[index] ?? '';
    if (isVerdict(index, text)) bind(run, target, verdictOf(run, only, text, value));
    else if (targets.length === 1) bind(run, target, value);
    else if (value.elements !== null) bind(run, target, value.elements[index] ?? UNKNOWN);
    else bind(run, target, several ? resultNamed(value, text) : value);
  }
}

/** One of several results: a check of it tells nothing of the others. */
function resultNamed(value: Value, name: string): Value {
  const { source } = value;
  return source === null ? value : { ...value, source: subSource(source, name) };
}

function executeAssignment(run: Run, node: TreeNode): void {
  const operator = part(node, 'operator');
  const left = part(node, 'left');
  const right = part(node, 'right');
  const sign = operator === null ? '=' : run.textOf(operator);
  if (sign === '=') {
    assign(run, left, right);
    return;
  }
  const before = evaluate(run, left);
  const added = evaluate(run, right);
  const target = left?.children[0] ?? left;
  bind(run, target, sign === '+=' ? build([before, added], run.linesOf(node)) : TRUSTED);
}

function executeSpec(run: Run, node: TreeNode): void {
  const names = parts(node, 'name').filter(({ type }) => type === 'identifier');
  const values = part(node, 'value');
  const type = typeValue(run, part(node, 'type'));
  if (values === null) {
    for (const name of names) run.scope.set(run.textOf(name), type ?? UNKNOWN);
    return;
  }
  const list = values.children;
  if (list.length === names.length) {
    for (const [index, name] of names.entries())
      bind(run, name, evaluate(run, list[index] ?? null));
  } else assignNames(run, names, evaluate(run, values));
}

function assignNames(run: Run, names: readonly TreeNode[], value: Value): void {
  for (const [index, name] of names.entries()) {
    bind(run, name, value.elements === null ? value : (value.elements[index] ?? UNKNOWN));
  }
}

/** What it gives back; the last result says whether it went well. */
function executeReturn(run: Run, node: TreeNode): void {
  const list = node.children[0] ?? null;
  const results = list?.type === 'expression_list' ? list.children : [];
  if (results.length < 2) {
    noteReturn(run, readCondition(run, results[0] ?? list));
    return;
  }
  const values = results.slice(0, -1).map((one) => run.scope.settled(evaluate(run, one)));
  const facts = readCondition(run, results.at(-1) ?? null);
  run.returns.push(listValue([...values, facts.value]));
  run.exits?.push({ held: run.scope.heldUpTo(run.body), result: facts });
}

/** The name of an error that a condition compares with `nil`, and whether it is one if true. */
function errorIn(run: Run, condition: TreeNode | null): { name: string; isError: boolean } | null {
  const node = bare(condition);
  if (node?.type !== 'binary_expression') return null;
  const [left, operator, right] = node.children;
  if (left?.type !== 'identifier' || right?.type !== 'nil' || operator === undefined) return null;
  const name = run.textOf(left);
  return /err/i.test(name) ? { name, isError: run.textOf(operator) === '!=' } : null;
}

/** The ways through an `if`: what holds after it is what holds at the end of those that go on. */
function executeIf(run: Run, node: TreeNode): boolean {
  const outer = run.scope;
  const ways: Scope[] = [];
  const rest = run.branch(outer, () => undefined);
  run.scope = rest;
  const first = part(node, 'initializer');
  if (first !== null) execute(run, first);
  const condition = part(node, 'condition');
  const facts = readCondition(run, condition);
  run.scope = outer;
  const error = errorIn(run, condition);
  const take = (block: TreeNode | null, told: readonly string[], truth: boolean) => {
    let isOver = false;
    const way = run.branch(rest, () => {
      run.scope.guard(told);
      if (error !== null) {
        run.scope.set(error.name, constant(error.isError === truth ? 'error' : 'nil'));
      }
      if (block !== null)
        isOver = block.type === 'block' ? run.executeBlock(block) : execute(run, block);
    });
    if (!isOver) ways.push(way);
  };
  take(part(node, 'consequence'), facts.whenTrue, true);
  take(part(node, 'alternative'), facts.whenFalse, false);
  return meet(outer, rest, ways);
}

/** A loop may run not at all; what it assigns is seen by its next round. */
function executeLoop(run: Run, node: TreeNode): boolean {
  const range = typed(node, 'range_clause');
  const clause = typed(node, 'for_clause');
  const first = part(clause, 'initializer');
  if (first !== null) execute(run, first);
  const condition = clause === null ? plainCondition(node) : part(clause, 'condition');
  return repeat(run, () => {
    if (range !== null) bindRange(run, range);
    if (condition !== null) run.scope.guard(readCondition(run, condition).whenTrue);
    run.executeBlock(part(node, 'body'));
  });
}

function plainCondition(node: TreeNode): TreeNode | null {
  return (
    node.children.find(({ type, field }) => field !== 'body' && !/_clause$/.test(type)) ?? null
  );
}

/** Tables whose keys the sender chooses as well. */
const KEYED = /(?:^|\.)(?:Query\(\)|Form|PostForm|Header|Trailer|Value|QueryParams\(\))$/;

/** `for index, element := range list`, `for key, value := range table`. */
function bindRange(run: Run, clause: TreeNode): void {
  const value = evaluate(run, part(clause, 'right'));
  const [key, element] = part(clause, 'left')?.children ?? [];
  const { source, origin } = value;
  const isKeyed = source !== null && (source.isWhole || KEYED.test(source.text));
  if (key !== undefined) bind(run, key, isKeyed ? { ...UNKNOWN, source } : TRUSTED);
  if (element === undefined) return;
  const one = value.properties === null ? elementOf(value) : valueIn(value);
  bind(run, element, origin === null || source !== null ? one : { ...one, origin });
}

function valueIn({ properties }: Value): Value {
  return elementOf(listValue([...(properties?.values() ?? [])]));
}

/** Each case is a way; a case of known values proves that the subject is one of them. */
function executeSwitch(run: Run, node: TreeNode): boolean {
  const outer = run.scope;
  const rest = run.branch(outer, () => undefined);
  run.scope = rest;
  const first = part(node, 'initializer');
  if (first !== null) execute(run, first);
  const subjectNode = part(node, 'value');
  const subject = subjectNode === null ? null : evaluate(run, subjectNode);
  run.scope = outer;
  const ways: Scope[] = [];
  let hasDefault = false;
  for (const clause of node.children) {
    if (!/_case$/.test(clause.type)) continue;
    hasDefault ||= clause.type === 'default_case';
    const values = part(clause, 'value')?.children ?? [];
    let isOver = false;
    let facts: Facts | null = null;
    if (subject === null && values.length === 1) {
      run.scope = rest;
      facts = readCondition(run, values[0] ?? null);
      run.scope = outer;
    }
    const known = facts;
    const way = run.branch(rest, () => {
      if (known !== null) run.scope.guard(known.whenTrue);
      const isFixed =
        values.length > 0 && values.every((one) => evaluate(run, one).source === null);
      if (subject !== null && isFixed) run.scope.guard(told(subject));
      isOver = executeStatements(run, clause);
    });
    if (!isOver) ways.push(way);
    if (known !== null) rest.guard(known.whenFalse);
  }
  if (!hasDefault) ways.push(run.branch(rest, () => undefined));
  return meet(outer, rest, ways);
}

function executeStatements(run: Run, clause: TreeNode): boolean {
  return run.executeBlock(typed(clause, 'statement_list'));
}

/** `switch v := x.(type)` and `select`: each case is a way. */
function executeCases(run: Run, node: TreeNode): boolean {
  const outer = run.scope;
  const ways: Scope[] = [];
  const value = evaluate(run, part(node, 'value'));
  const alias = part(node, 'alias');
  for (const clause of node.children) {
    if (!/_case$/.test(clause.type)) continue;
    let isOver = false;
    const way = run.branch(outer, () => {
      const type = typeValue(run, part(clause, 'type'));
      if (alias !== null)
        bind(run, alias.children[0] ?? alias, type?.isTrusted === true ? TRUSTED : value);
      const communication = part(clause, 'communication');
      if (communication !== null) execute(run, communication);
      isOver = executeStatements(run, clause);
    });
    if (!isOver) ways.push(way);
  }
  if (node.type === 'type_switch_statement') ways.push(run.branch(outer, () => undefined));
  return meet(
    outer,
    run.branch(outer, () => undefined),
    ways,
  );
}
