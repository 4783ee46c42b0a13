import { lineIndex, lineStarts } from '../../../core/line-offsets.ts';
import type { Fragment, FragmentResult } from '../../../rpc/contract.ts';
import { AST_GATE, TAINT } from '../../limits.ts';
import { type Reporter, ReporterFull } from '../findings.ts';
import type { Danger } from '../sinks/sink.ts';
import { type Callable, UNKNOWN, type Value } from '../taint/value.ts';
import type { Catalogue, Site } from './lines.ts';
import { type Fact, type Facts, Scope } from './scope.ts';
import type { Parsed, TreeNode, TreeParser } from './tree.ts';

/** Calls within calls that are followed: what they cost is bounded by their number alone. */
const DEPTH_MAX = 20;

/** Fields of objects of data that are kept apart: types within types double at each step. */
const FIELDS_MAX = 10_000;

/** Gets to see what data from outside reaches. */
export type Report = (danger: Danger, node: TreeNode, last: TreeNode, name: string) => void;

/** A class, or a type with fields and methods, that the text shows. */
export interface OwnClass {
  readonly name: string;
  readonly methods: Map<string, TreeNode>;
  /** What `self` holds, as methods and the body of the class assign it. */
  readonly attributes: Map<string, Value>;
  /** Types of fields: `name: str`. */
  readonly fields: Map<string, TreeNode>;
  /** Path of the first base of which a path is known: `http.server.BaseHTTPRequestHandler`. */
  readonly base: string | null;
  readonly isEnum: boolean;
  readonly scope: Scope;
}

/** A function of the text. */
export type OwnFunction = Callable<TreeNode, Scope>;

/** How a function is called by a server. */
export interface Handler {
  /** Names in the path of the route, with what may stand there. */
  readonly inPath: ReadonlyMap<string, string>;
  /** Parameters that are not in the path are data as well: FastAPI's. */
  readonly takesAll: boolean;
}

/** A call with its arguments evaluated. */
export interface Call {
  readonly site: Site;
  readonly node: TreeNode;
  readonly callee: Value;
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

/** Whole lines that stand before and behind a hunk while it is parsed. */
export interface Frame {
  readonly before: string;
  readonly after: string;
}

/** What a language has of its own: its syntax, and what its packages are known to do. */
export interface Language {
  /** Of the package `tree-sitter-...` with its grammar. */
  readonly grammar: string;
  readonly catalogue: Catalogue;
  /** Ways to make a hunk parse by itself; the first of those with the fewest errors is taken. */
  framesFor(text: string): readonly Frame[];
  /** Runs the whole text, and queues the bodies of its functions in `waiting`. */
  executeModule(run: Run, root: TreeNode): void;
  evaluate(run: Run, node: TreeNode | null): Value;
  evaluateCall(run: Run, node: TreeNode): Value;
  readCondition(run: Run, node: TreeNode | null): Facts;
  /** Executes a statement; true when none after it is reached. */
  execute(run: Run, node: TreeNode): boolean;
  /** `a.b.c` as it is written; null for anything but a chain of names. */
  pathOf(run: Run, node: TreeNode | null): string | null;
  /** A member of a value, by what is known of its type, a line of the catalogue, or as its part. */
  memberOf(run: Run, base: Value, name: string, receiverPath: string | null, node: TreeNode): Value;
  /** Binds the parameters of a function of which no call is in view. */
  bindParameters(run: Run, node: TreeNode): void;
  /** The same with what a call gives it. */
  bindArguments(run: Run, node: TreeNode, call: Call): void;
  /** Whether a literal counts as false, or as the error that did not happen. */
  isFalse(constant: string): boolean;
  /** Whether a value is an open file or upload, not the name of one. */
  isStream(value: Value): boolean;
  /** Types say what a name stands for, so that a usual name by itself says less. */
  readonly isTyped: boolean;
  /** The node of the last name of what is called. */
  calleeOf(call: TreeNode): TreeNode | null;
}

/** An end of a function that is being followed. */
interface Exit {
  /** What checks before it proved. */
  readonly held: ReadonlySet<Fact>;
  /** The result as a condition; null: it ends without one. */
  readonly result: Facts | null;
}

/** One pass over a tree: where it stands, and what it has seen. */
export class Run {
  scope = new Scope(null);
  readonly classes = new Map<string, OwnClass>();
  /** The class of each method. */
  readonly owners = new Map<TreeNode, OwnClass>();
  /** What functions gave back that were evaluated by themselves. */
  readonly results = new Map<TreeNode, Value>();
  /** Functions whose bodies wait until all names of the module are known. */
  readonly waiting: (() => void)[] = [];
  readonly active = new Set<TreeNode>();
  /** Values that the function gives back which is being evaluated. */
  returns: Value[] = [];
  /** Ends of that function, where what it proves is asked for. */
  exits: Exit[] | null = null;
  /** Its outermost scope. */
  body = this.scope;
  /** What the names of the function held at its end that was evaluated last. */
  left: Scope | null = null;
  /** What calls of functions of the text tell as conditions. */
  readonly proven = new Map<TreeNode, Facts>();
  /** How servers call functions: Python's. */
  readonly handlers = new Map<TreeNode, Handler>();
  /** Methods that get no `self`. */
  readonly statics = new Set<TreeNode>();
  /** What a value of the kind `ok` or `err` tells by whether it is true, or an error. */
  readonly verdicts = new WeakMap<Value, Pick<Facts, 'whenTrue' | 'whenFalse'>>();
  isInLoop = false;
  /** Calls of functions of the text that were followed with data from outside. */
  calls = 0;
  /** Nodes evaluated again within such calls. */
  steps = 0;
  /** Such calls that are being followed. */
  following = 0;
  /** Modules of which all names were imported. */
  readonly stars: string[] = [];
  /** Offset of a function that was not followed, as too many were; null when absent. */
  lostAt: number | null = null;

  #filled = 0;

  readonly text: string;
  readonly lineAt: (offset: number) => number;
  readonly report: Report;
  readonly language: Language;

  constructor(
    text: string,
    lineAt: (offset: number) => number,
    report: Report,
    language: Language,
  ) {
    this.text = text;
    this.lineAt = lineAt;
    this.report = report;
    this.language = language;
  }

  evaluate(node: TreeNode | null): Value {
    return this.language.evaluate(this, node);
  }

  evaluateCall(node: TreeNode): Value {
    return this.language.evaluateCall(this, node);
  }

  readCondition(node: TreeNode | null): Facts {
    return this.language.readCondition(this, node);
  }

  /** Executes statements in order; true when none after them is reached. */
  executeBlock(block: TreeNode | null): boolean {
    let isOver = false;
    for (const node of block?.children ?? []) {
      // What stands behind the end is looked at all the same: a hunk may have lost the branch.
      if (this.language.execute(this, node)) isOver = true;
    }
    return isOver;
  }

  /** What a chain of names holds: what was assigned to it, or a member of what it ends in. */
  memberAt(node: TreeNode, object: TreeNode | null, nameNode: TreeNode | null): Value {
    const base = this.evaluate(object);
    if (nameNode === null) return UNKNOWN;
    const name = this.textOf(nameNode);
    const path = this.language.pathOf(this, object);
    const assigned = path === null ? undefined : this.scope.get(`${path}.${name}`);
    return assigned ?? this.language.memberOf(this, base, name, path, node);
  }

  textOf(node: TreeNode): string {
    return this.text.slice(node.start, node.end);
  }

  lineOf(node: TreeNode): number {
    return this.lineAt(node.start);
  }

  linesOf(node: TreeNode): [number, number] {
    return [this.lineAt(node.start), this.lineAt(Math.max(node.start, node.end - 1))];
  }

  /** Whether one more field of an object of data may be kept apart from the others. */
  mayFill(): boolean {
    this.#filled += 1;
    return this.#filled <= FIELDS_MAX;
  }

  /** Whether a function may be followed once more. */
  mayFollow(): boolean {
    return (
      this.calls < TAINT.CALLS_MAX && this.following < DEPTH_MAX && this.steps < TAINT.STEPS_MAX
    );
  }

  /** Runs `inner` in a scope of its own; gives that. */
  branch(parent: Scope, inner: () => void): Scope {
    const outer = this.scope;
    this.scope = new Scope(parent);
    try {
      inner();
      return this.scope;
    } finally {
      this.scope = outer;
    }
  }
}

/** A value of which only the path is known. */
export function at(origin: string): Value {
  return { ...UNKNOWN, origin };
}

/** Why parts of a fragment were not looked at; each is a finding. */
type OnLost = (line: number, reason: string) => void;

/**
 * Looks at a fragment: findings of data from outside that reaches a sink. `onLost` hears of code
 * that could not be followed, with its line from 0.
 */
export function inspectTree(
  language: Language,
  parser: TreeParser,
  fragment: Fragment,
  reporter: Reporter,
  onLost: OnLost,
): Pick<FragmentResult, 'unparsed' | 'work'> {
  const { text, startLine, added } = fragment;
  const { fitted, isForeign, work } = readText(parser, text, language.framesFor(text));
  const [first] = added;
  if (fitted === null) {
    onLost(first?.[0] ?? 0, 'it nests too deeply to be followed');
    return { unparsed: [], work };
  }
  const { prefix, root } = fitted;
  const whole = prefix + text;
  const starts = lineStarts(whole);
  const headLines = prefix.split('\n').length - 1;
  const indexAt = (offset: number) => lineIndex(starts, offset);
  const lineAt = (offset: number) => startLine + Math.max(0, indexAt(offset) - headLines);
  reporter.locator = {
    lineAt,
    columnAt(offset) {
      const lineStart = starts[indexAt(offset)] ?? 0;
      return Buffer.byteLength(whole.slice(lineStart, offset)) + 1;
    },
    textOf: (start, end) => whole.slice(start, end),
  };
  const run = new Run(
    whole,
    lineAt,
    (danger, node, last, name) => {
      if (node.start < prefix.length) return;
      const end = Math.max(node.end, last.end);
      reporter.report(danger, { span: node }, { span: { start: last.start, end } }, name);
    },
    language,
  );
  try {
    language.executeModule(run, root);
    for (let next = run.waiting.shift(); next !== undefined; next = run.waiting.shift()) next();
  } catch (thrown) {
    if (thrown instanceof ReporterFull) return { unparsed: [], work };
    if (!(thrown instanceof RangeError)) throw thrown;
    onLost(first?.[0] ?? 0, 'it nests too deeply to be followed');
  }
  if (run.lostAt !== null) {
    const reason = 'its functions call each other more often or deeper than is followed';
    onLost(lineAt(run.lostAt) - startLine, reason);
  }
  const unparsed: [number, number][] =
    isForeign && first !== undefined ? [[first[0], first[0] + 1]] : [];
  const taken = Math.min(run.steps, TAINT.STEPS_MAX);
  return { unparsed, work: work + taken * AST_GATE.STEP_WORK };
}

/** A hunk made so that it may be parsed by itself: `prefix` stands before its text. */
interface Fitted {
  readonly prefix: string;
  readonly root: TreeNode;
}

/** What is read of a text. */
export interface Read {
  /** Null: it nests deeper than is followed. */
  readonly fitted: Fitted | null;
  /** The greater part of it is not of the language. */
  readonly isForeign: boolean;
  /** Characters given to the parser. */
  readonly work: number;
}

/** A text of which more than this share is within errors is not a program. */
const FOREIGN_SHARE = 0.5;

/** Reads a file or a hunk with what has to stand before it. Grammars tolerate errors. */
export function readText(parser: TreeParser, text: string, frames: readonly Frame[]): Read {
  let best: (Parsed & { prefix: string }) | null = null;
  let work = 0;
  for (const { before: prefix, after } of frames) {
    const parsed = parser.parse(prefix + text + after);
    work += prefix.length + text.length + after.length;
    if (best === null || parsed.errorChars < best.errorChars) best = { ...parsed, prefix };
    if (best.errorChars === 0 || best.root === null) break;
  }
  if (best === null || best.root === null) return { fitted: null, isForeign: false, work };
  const { prefix, root, errorChars } = best;
  const isForeign = errorChars > FOREIGN_SHARE * (text.length + prefix.length);
  return { fitted: { prefix, root }, isForeign, work };
}
