import { build, TRUSTED, UNKNOWN, type Value, worse } from '../taint/value.ts';
import { attempt, meet, repeat } from '../tree/conditions.ts';
import { evaluateAlone, noteReturn } from '../tree/follow.ts';
import { at, type OwnClass, type OwnFunction, type Run } from '../tree/run.ts';
import { functionValue, named, type Scope } from '../tree/scope.ts';
import { part, parts, type TreeNode, typed } from '../tree/tree.ts';
import { afterCall } from './calls.ts';
import { readCondition } from './conditions.ts';
import { evaluate } from './expressions.ts';
import { bind, bindElement, handlerOf, parameterValue, pathOf } from './parameters.ts';

/** Executes a statement; true when none after it is reached. */
export function execute(run: Run, node: TreeNode): boolean {
  if (run.following > 0) run.steps += 1;
  switch (node.type) {
    case 'expression_statement':
      for (const child of node.children) executeExpression(run, child);
      return node.children.some((child) => endsProgram(run, child));
    case 'return_statement':
      noteReturn(run, readCondition(run, node.children[0] ?? null));
      return true;
    case 'raise_statement':
      for (const child of node.children) evaluate(run, child);
      return true;
    case 'continue_statement':
    case 'break_statement':
      return true;
    case 'if_statement':
      return executeIf(run, node);
    case 'for_statement':
    case 'while_statement':
      return executeLoop(run, node);
    case 'try_statement':
      return executeTry(run, node);
    case 'with_statement':
      for (const item of typed(node, 'with_clause')?.children ?? []) bindWith(run, item);
      return run.executeBlock(part(node, 'body'));
    case 'match_statement':
      return executeMatch(run, node);
    case 'assert_statement':
      run.scope.guard(readCondition(run, node.children[0] ?? null).whenTrue);
      return false;
    case 'import_statement':
    case 'import_from_statement':
      readImport(run, node);
      return false;
    case 'decorated_definition':
      for (const decorator of decoratorsOf(node)) evaluate(run, decorator);
      define(run, part(node, 'definition'), decoratorsOf(node));
      return false;
    case 'function_definition':
    case 'class_definition':
      define(run, node, []);
      return false;
    case 'block':
      return run.executeBlock(node);
    case 'ERROR':
      executeParts(run, node);
      return false;
    case 'print_statement':
    case 'exec_statement':
    case 'delete_statement':
      for (const child of node.children) evaluate(run, child);
      return false;
    default:
      executeExpression(run, node);
      return false;
  }
}

/** Code within an error: the parts that are whole, in order. */
function executeParts(run: Run, node: TreeNode): void {
  for (const child of node.children) {
    if (child.type === 'parameters') {
      for (const parameter of child.children) {
        const { name, value } = parameterValue(run, parameter, null);
        if (name !== null) run.scope.set(run.textOf(name), value);
      }
    } else execute(run, child);
  }
}

function executeExpression(run: Run, node: TreeNode): void {
  if (node.type === 'assignment') assign(run, node);
  else if (node.type === 'augmented_assignment') augment(run, node);
  else {
    evaluate(run, node);
    const call = node.type === 'await' ? node.children[0] : node;
    if (call?.type === 'call') afterCall(run, call);
  }
}

/** Functions after which nothing runs. */
const ENDS =
  /^(?:(?:flask\.|bottle\.)?abort|sys\.exit|exit|quit|os\._exit|os\.abort|self\.(?:fail|abort|send_error_and_exit)|pytest\.fail)$/;

function endsProgram(run: Run, node: TreeNode): boolean {
  const path = node.type === 'call' ? pathOf(run, part(node, 'function')) : null;
  return path !== null && ENDS.test(path);
}

function assign(run: Run, node: TreeNode): void {
  const right = part(node, 'right');
  const left = part(node, 'left');
  if (right === null) return;
  if (right.type === 'assignment') {
    assign(run, right);
    bind(run, left, evaluate(run, part(right, 'left')));
    return;
  }
  bind(run, left, evaluate(run, right));
}

/** `text += more` */
function augment(run: Run, node: TreeNode): void {
  const left = part(node, 'left');
  const before = evaluate(run, left);
  const added = evaluate(run, part(node, 'right'));
  const isList = before.elements !== null || added.elements !== null;
  const elements = [...(before.elements ?? [before]), ...(added.elements ?? [added])];
  const source = worse(before, added).source ?? before.source;
  const sum: Value = isList
    ? { ...UNKNOWN, elements, source }
    : build([before, added], run.linesOf(node));
  if (left !== null) bind(run, left, left.type === 'identifier' ? named(run, sum, left) : sum);
}

/** The ways through an `if`: what holds after it is what holds at the end of those that go on. */
function executeIf(run: Run, node: TreeNode): boolean {
  const outer = run.scope;
  const ways: Scope[] = [];
  const rest = run.branch(outer, () => undefined);
  run.scope = rest;
  let facts = readCondition(run, part(node, 'condition'));
  run.scope = outer;
  const take = (block: TreeNode | null, told: readonly string[]) => {
    let isOver = false;
    const way = run.branch(rest, () => {
      run.scope.guard(told);
      isOver = run.executeBlock(block);
    });
    if (!isOver) ways.push(way);
  };
  take(part(node, 'consequence'), facts.whenTrue);
  let hasElse = false;
  for (const alternative of parts(node, 'alternative')) {
    rest.guard(facts.whenFalse);
    if (alternative.type === 'elif_clause') {
      run.scope = rest;
      facts = readCondition(run, part(alternative, 'condition'));
      run.scope = outer;
      take(part(alternative, 'consequence'), facts.whenTrue);
    } else {
      hasElse = true;
      take(part(alternative, 'body'), []);
    }
  }
  if (!hasElse) ways.push(run.branch(rest, () => run.scope.guard(facts.whenFalse)));
  return meet(outer, rest, ways);
}

/** A loop may run not at all; what it assigns is seen by its next round. */
function executeLoop(run: Run, node: TreeNode): boolean {
  repeat(run, () => {
    if (node.type === 'for_statement') bindElement(run, node);
    else run.scope.guard(readCondition(run, part(node, 'condition')).whenTrue);
    run.executeBlock(part(node, 'body'));
  });
  const last = part(node, 'alternative');
  if (last !== null) run.executeBlock(part(last, 'body'));
  return false;
}

function executeTry(run: Run, node: TreeNode): boolean {
  const clauses = node.children.filter(({ type }) => /^except_(?:group_)?clause$/.test(type));
  const body = () => {
    const isOver = run.executeBlock(part(node, 'body'));
    const last = typed(node, 'else_clause');
    return (last !== null && run.executeBlock(part(last, 'body'))) || isOver;
  };
  const handlers = clauses.map((clause) => () => {
    let isOver = false;
    for (const child of clause.children) {
      if (child.type === 'block') isOver = run.executeBlock(child);
      else evaluate(run, child);
    }
    return isOver;
  });
  const isEnd = attempt(run, body, handlers);
  const last = typed(node, 'finally_clause');
  return run.executeBlock(last === null ? null : typed(last, 'block')) || isEnd;
}

function bindWith(run: Run, item: TreeNode): void {
  const value = part(item, 'value') ?? item;
  if (value.type !== 'as_pattern') {
    evaluate(run, value);
    return;
  }
  const made = evaluate(run, value.children[0] ?? null);
  bind(run, part(value, 'alias'), made);
}

/** Each case is a way; a case of literals proves that the subject is one of them. */
function executeMatch(run: Run, node: TreeNode): boolean {
  const subject = part(node, 'subject');
  const value = evaluate(run, subject);
  const outer = run.scope;
  const ways = [run.branch(outer, () => undefined)];
  for (const clause of part(node, 'body')?.children ?? []) {
    let isOver = false;
    const way = run.branch(outer, () => {
      const patterns = clause.children.filter(({ type }) => type === 'case_pattern');
      const isLiteral = patterns.every((pattern) =>
        /^(?:["'\d|\s]|["'][^"']*["'])+$/.test(run.textOf(pattern)),
      );
      if (isLiteral && subject?.type === 'identifier') run.scope.set(run.textOf(subject), TRUSTED);
      for (const pattern of patterns) bindPattern(run, pattern, value);
      isOver = run.executeBlock(part(clause, 'consequence'));
    });
    if (!isOver) ways.push(way);
  }
  return meet(
    outer,
    run.branch(outer, () => undefined),
    ways,
  );
}

function bindPattern(run: Run, pattern: TreeNode, value: Value): void {
  const [inner] = pattern.children;
  if (inner?.type === 'dotted_name' && inner.children.length === 1) {
    run.scope.set(run.textOf(inner), value);
    return;
  }
  for (const child of pattern.children)
    bindPattern(run, child, { ...UNKNOWN, source: value.source });
}

function define(run: Run, node: TreeNode | null, decorators: readonly TreeNode[]): void {
  const nameNode = part(node, 'name');
  if (node === null || nameNode === null) return;
  const name = run.textOf(nameNode);
  if (node.type === 'class_definition') {
    defineClass(run, node, name);
    return;
  }
  const handler = handlerOf(run, decorators);
  if (handler !== null) run.handlers.set(node, handler);
  const value = functionValue(run, node, name, run.scope);
  run.scope.set(name, value);
  if (value.callable !== null) {
    const own = value.callable as OwnFunction;
    run.waiting.push(() => evaluateAlone(run, own));
  }
}

function defineClass(run: Run, node: TreeNode, name: string): void {
  const bases = part(node, 'superclasses')?.children ?? [];
  const paths = bases.map((base) => evaluate(run, base).origin).filter((path) => path !== null);
  const isEnum = bases.some((base) => /Enum\b|Choices\b/.test(run.textOf(base)));
  const base = paths[0] ?? null;
  const shape = { methods: new Map(), attributes: new Map(), fields: new Map(), isEnum, base };
  const owner: OwnClass = { name, scope: run.scope, ...shape };
  run.classes.set(name, owner);
  run.scope.set(name, { ...UNKNOWN, made: `class ${name}` });
  const outer = run.scope;
  const body = run.branch(outer, () => {
    for (const child of part(node, 'body')?.children ?? []) readMember(run, owner, child);
  });
  for (const [key, value] of body.own)
    if (value.callable === null) owner.attributes.set(key, value);
}

function readMember(run: Run, owner: OwnClass, node: TreeNode): void {
  const definition = node.type === 'decorated_definition' ? part(node, 'definition') : node;
  const nameNode = part(definition, 'name');
  if (definition?.type === 'function_definition' && nameNode !== null) {
    const decorators = decoratorsOf(node);
    owner.methods.set(run.textOf(nameNode), definition);
    run.owners.set(definition, owner);
    if (decorators.some((one) => decoratorName(run, one) === 'staticmethod'))
      run.statics.add(definition);
    const own = functionValue(run, definition, run.textOf(nameNode), owner.scope)
      .callable as OwnFunction;
    const handler = handlerOf(run, decorators);
    if (handler !== null) run.handlers.set(definition, handler);
    run.waiting.push(() => evaluateAlone(run, own));
    return;
  }
  const [assignment] = node.type === 'expression_statement' ? node.children : [];
  const type = part(assignment ?? null, 'type');
  const field = part(assignment ?? null, 'left');
  if (type !== null && field?.type === 'identifier') owner.fields.set(run.textOf(field), type);
  execute(run, node);
}

/** `import a.b as c`, `from a.b import c as d`, `from a import *`. */
function readImport(run: Run, node: TreeNode): void {
  const module = part(node, 'module_name');
  const prefix = module === null ? '' : `${run.textOf(module)}.`;
  if (module !== null && typed(node, 'wildcard_import') !== null)
    run.stars.push(run.textOf(module));
  for (const imported of parts(node, 'name')) {
    const path = run.textOf(part(imported, 'name') ?? imported);
    const alias = part(imported, 'alias');
    if (alias !== null) run.scope.set(run.textOf(alias), importedAs(prefix + path));
    else if (module !== null) run.scope.set(path, importedAs(prefix + path));
    else {
      const root = path.split('.', 1)[0] ?? path;
      run.scope.set(root, importedAs(root));
    }
  }
}

/** What is imported is known by its path; of the program's own modules nothing else is. */
function importedAs(path: string): Value {
  return path.startsWith('.') ? UNKNOWN : at(path);
}

/** The decorators of a definition. */
function decoratorsOf(node: TreeNode): TreeNode[] {
  return node.children.filter(({ type }) => type === 'decorator');
}

/** The name of a plain decorator: `staticmethod`; '' for others. */
function decoratorName(run: Run, decorator: TreeNode): string {
  const name = typed(decorator, 'identifier');
  return name === null ? '' : run.textOf(name);
}
