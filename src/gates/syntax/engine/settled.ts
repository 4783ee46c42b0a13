import type { SinkKind } from '../../../rules/catalogue/line.ts';
import {
  type Argument,
  childrenOf,
  type Expression,
  type FunctionDeclaration,
  type FunctionId,
  type Statement,
  type Variable,
} from '../il/il.ts';
import type { Value } from '../sinks/value.ts';
import { type Judged, judgedBy, type Looked } from './catalogue-lines.ts';
import type { Call, Run, Settled } from './run.ts';

/** Kinds of sinks that rules of gate 1 know by a line, too, by the weakness that those name. */
const KNOWN_BY_LINES: Readonly<Partial<Record<SinkKind, readonly string[]>>> = {
  shell: ['CWE-78'],
  program: ['CWE-78'],
  code: ['CWE-94', 'CWE-95'],
  template: ['CWE-94'],
  deserialise: ['CWE-502'],
  sql: ['CWE-89'],
  path: ['CWE-22'],
  look: ['CWE-22'],
};

/** Notes whether all is known of what a call gets that gate 1 may report by its line. */
export function settle(
  run: Run,
  call: Call['expression'],
  looked: Looked,
  lines: readonly Judged[],
): void {
  for (const { line } of lines) {
    const cwes = KNOWN_BY_LINES[line.kind];
    if (cwes === undefined) continue;
    const values = judgedBy(line, looked);
    // An input that is not given.
    if (values.length === 0) continue;
    const isKnown = values.every(isWritten);
    for (const cwe of cwes) {
      const key = `${call.start} ${call.at.end} ${cwe}`;
      const settled = run.settled.get(key) ?? { call, cwe, options: new Set(), isKnown: true };
      run.settled.set(key, settled);
      for (const name of line.options?.split(' ') ?? []) settled.options.add(name);
      // What one evaluation does not know is not settled by another.
      settled.isKnown &&= isKnown;
    }
  }
}

/**
 * Whether all of a value is written down. That nobody outside has a hand in it (`isTrusted`) is
 * often known by a name alone, and checks and encoders are as good as what they are made of.
 */
function isWritten({ elements, properties, pieces, constant, callable, role }: Value): boolean {
  if (callable !== null || properties !== null || role === 'decoded') return false;
  if (elements !== null) return elements.length > 0 && elements.every(isWritten);
  if (pieces !== null) {
    return pieces.every((piece) => typeof piece === 'string' || isWritten(piece));
  }
  return constant !== null;
}

/** Known calls of one file that are looked at; gate 1 reports fewer. */
const SETTLED_MAX = 256;

/**
 * Calls that get only what is known, where nothing but the statements of their own function decides
 * that: what fields and variables of the module hold may change anywhere.
 */
export function settledCalls(run: Run): Settled[] {
  if (run.sharesObject) return [];
  const known = [...run.settled.values()].filter(({ isKnown }) => isKnown).slice(0, SETTLED_MAX);
  const bodies = new Map<FunctionId, Body>();
  return known.filter((one) => {
    const { call } = one;
    const around = functionAround(run, call);
    if (around === null) return false;
    const body = bodies.get(around.id) ?? new Body(run, around);
    bodies.set(around.id, body);
    return new Slice(run, body).decides(one);
  });
}

function functionAround({ module }: Run, { start, end }: Call['expression']) {
  let found: FunctionDeclaration | null = null;
  for (const one of module.functions) {
    const isAround = one.body !== null && one.start <= start && end <= one.end;
    if (isAround && (found === null || one.start >= found.start)) found = one;
  }
  return found;
}

type Node = Statement | Expression;

/** What the statements of a function do to its variables. */
class Body {
  /** Its own variables: from the first to the one before the last. */
  readonly variables: FunctionDeclaration['variables'];
  /** Parameters but for the object that a method is called on. */
  readonly given: ReadonlySet<Variable>;
  readonly tries: (Node & { readonly form: 'try' })[] = [];
  /** Nodes in a loop that assign. */
  readonly looped = new Set<Node>();
  /** Variables that functions within it assign to, or call a method of. */
  readonly changedWithin = new Set<Variable>();
  readonly #uses = new Map<Variable, Node[]>();

  constructor({ module }: Run, around: FunctionDeclaration) {
    this.variables = around.variables;
    const { owner, parameters } = around;
    const given = owner === null ? parameters : parameters.slice(1);
    this.given = new Set(given.map(({ variable }) => variable));
    const nodes = allOf(around.body ?? []);
    for (const node of nodes) {
      if (node.form === 'try') this.tries.push(node);
      for (const variable of usedBy(node)) {
        const uses = this.#uses.get(variable);
        if (uses === undefined) this.#uses.set(variable, [node]);
        else uses.push(node);
      }
    }
    for (const node of allOf(outerLoops(nodes))) {
      if (assignedBy(node) !== null) this.looped.add(node);
    }
    const { start, end, id } = around;
    for (const one of module.functions) {
      if (one.id === id || one.start < start || one.end > end) continue;
      for (const variable of allOf(one.body ?? []).flatMap(usedBy)) {
        this.changedWithin.add(variable);
      }
    }
  }

  usesOf(variable: Variable): readonly Node[] {
    return this.#uses.get(variable) ?? [];
  }
}

/** Methods that change a container in ways that the engine follows in part only. */
const CHANGES_MUCH = new Set([
  ...['update', 'putAll', 'extend', 'addAll', 'setdefault', 'sort', 'reverse', '__setitem__'],
  ...['computeIfAbsent', 'compute', 'merge', 'replaceAll', 'removeIf', 'removeAll', 'retainAll'],
]);

/** Variables of one slice that loops may assign to: values go on by one each round. */
const LOOPED_MAX = 2;

/** The statements of one function that decide what a call of it gets. */
class Slice {
  readonly #run: Run;
  readonly #body: Body;
  readonly #variables = new Set<Variable>();
  readonly #waiting: Variable[] = [];

  constructor(run: Run, body: Body) {
    this.#run = run;
    this.#body = body;
  }

  /** Whether only known forms of statements decide the arguments. */
  decides({ call, options }: Settled): boolean {
    const { tries, looped, changedWithin } = this.#body;
    // What an error leaves undone is not followed to each place behind it.
    const isBehind = tries.some(({ start, body }) => {
      const last = body.at(-1);
      const isIn = last !== undefined && call.start < last.end;
      return start < call.start && !isIn;
    });
    if (isBehind) return false;
    const judged = call.arguments.filter(({ name }) => name === null || options.has(name));
    if (!judged.every(({ value }) => this.#isPlain(value))) return false;
    const inLoops = new Set<Variable>();
    for (let one = this.#waiting.pop(); one !== undefined; one = this.#waiting.pop()) {
      if (changedWithin.has(one)) return false;
      for (const node of this.#body.usesOf(one)) {
        if (!this.#isPlainUse(node, one)) return false;
        if (looped.has(node)) inLoops.add(one);
      }
      if (inLoops.size > LOOPED_MAX) return false;
    }
    return true;
  }

  /**
   * What a node does to a variable, of which it is one of the uses: false where it may change it in
   * a way that is not followed.
   */
  #isPlainUse(node: Node, variable: Variable): boolean {
    switch (node.form) {
      case 'declare':
        return node.value === null || this.#isPlain(node.value);
      case 'each':
        return this.#isPlain(node.of);
      case 'assign': {
        const { place, value } = node;
        const isKey = place.form === 'index' && place.key.form === 'constant';
        return (place.form === 'load' || isKey) && this.#isPlain(value);
      }
      case 'call': {
        const isByValue = node.name === 'remove' && !isNumber(node.arguments[0]?.value);
        if (isByValue || CHANGES_MUCH.has(node.name)) return false;
        return node.arguments.every(({ value }) => this.#isPlain(value));
      }
      case 'unary':
        return node.sign !== '&';
      // `add = list.append`
      case 'member':
        return this.#body.given.has(variable);
      // The error of a handler.
      default:
        return false;
    }
  }

  /** Whether an expression is made of what the function itself writes down or calls. */
  #isPlain(whole: Expression): boolean {
    // Chains of `a + b` are as deep as they are long.
    const waiting: Node[] = [whole];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (!this.#isPlainForm(node)) return false;
      waiting.push(...childrenOf(node));
    }
    return true;
  }

  /** The same of an expression apart from those within it; notes a variable that it reads. */
  #isPlainForm(node: Node): boolean {
    switch (node.form) {
      case 'load': {
        const [first, after] = this.#body.variables;
        if (node.variable < first || node.variable >= after) return false;
        if (!this.#variables.has(node.variable)) this.#waiting.push(node.variable);
        this.#variables.add(node.variable);
        return true;
      }
      case 'member':
        // What fields of an object hold is decided elsewhere, but for what a function is given.
        return node.object.form !== 'load' || this.#body.given.has(node.object.variable);
      case 'call': {
        // `dict(other, key=value)`
        const isOfOther = node.name === 'dict' && node.arguments.some(({ name }) => name === null);
        return !this.#run.declares(node.name) && !isOfOther && !isSpreadIn(node.arguments);
      }
      case 'new':
        return node.type.own === null && !isSpreadIn(node.arguments);
      case 'object':
        return node.entries.every(({ key }) => key !== null);
      default:
        return PLAIN_FORMS.has(node.form);
    }
  }
}

/** Expressions that are known where those within them are. */
const PLAIN_FORMS: ReadonlySet<Node['form']> = new Set([
  ...(['constant', 'name', 'text', 'binary', 'logic', 'choose', 'cast'] as const),
  ...(['index', 'slice', 'list', 'result', 'unary'] as const),
]);

const isSpreadIn = (given: readonly Argument[]) => given.some(({ isSpread }) => isSpread);

function allOf(body: readonly Node[]): Node[] {
  const found: Node[] = [];
  const waiting: Node[] = [...body];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    found.push(node);
    waiting.push(...childrenOf(node));
  }
  return found;
}

/** Loops that stand in no other loop. */
function outerLoops(nodes: readonly Node[]): Node[] {
  const loops = nodes.filter(({ form }) => form === 'loop' || form === 'each');
  let end = 0;
  return loops
    .toSorted((one, other) => one.start - other.start || other.end - one.end)
    .filter((loop) => {
      const isOuter = loop.start >= end;
      if (isOuter) end = loop.end;
      return isOuter;
    });
}

/** Variables that a node assigns to, calls a method of, or takes a member or the address of. */
function usedBy(node: Node): Variable[] {
  switch (node.form) {
    case 'try':
      return node.handlers.flatMap(({ variable }) => variable ?? []);
    case 'each':
      return [node.variable, ...(node.key == null ? [] : [node.key])];
    case 'declare':
      return [node.variable];
    case 'assign':
      return rootsOf(node.place);
    case 'call':
      return node.receiver === null ? [] : rootsOf(node.receiver);
    case 'unary':
      return rootsOf(node.operand);
    case 'member':
      return rootsOf(node);
    default:
      return [];
  }
}

function rootsOf(node: Expression): Variable[] {
  const root = rootOf(node);
  return root === null ? [] : [root];
}

function assignedBy(node: Node): Variable | null {
  if (node.form === 'assign') return rootOf(node.place);
  return node.form === 'declare' || node.form === 'each' ? node.variable : null;
}

/** The variable that a place or receiver is of; null: of none. */
function rootOf(node: Expression): Variable | null {
  let inner = node;
  for (;;) {
    if (inner.form === 'load') return inner.variable;
    if (inner.form === 'member' || inner.form === 'index' || inner.form === 'slice')
      inner = inner.object;
    else if (inner.form === 'unary') inner = inner.operand;
    else return null;
  }
}

function isNumber(node: Expression | undefined): boolean {
  return node?.form === 'constant' && typeof node.value === 'number';
}
