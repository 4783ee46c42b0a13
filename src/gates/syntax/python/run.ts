import { TAINT } from '../../limits.ts';
import type { Danger } from '../sinks/sink.ts';
import type { Callable, Value } from '../taint/value.ts';
import { UNKNOWN } from '../taint/value.ts';
import type { Site } from './lines.ts';
import { type Fact, type Facts, Scope } from './scope.ts';
import type { PyNode } from './tree.ts';

/** Calls within calls that are followed: what they cost is bounded by their number alone. */
const DEPTH_MAX = 20;

/** Gets to see what data from outside reaches. */
export type Report = (danger: Danger, node: PyNode, last: PyNode, name: string) => void;

/** A class that the text shows. */
export interface PyClass {
  readonly name: string;
  readonly methods: Map<string, PyNode>;
  /** What `self` holds, as methods and the body of the class assign it. */
  readonly attributes: Map<string, Value>;
  /** Types of fields: `name: str`. */
  readonly fields: Map<string, PyNode>;
  /** Path of the first base of which a path is known: `http.server.BaseHTTPRequestHandler`. */
  readonly base: string | null;
  readonly isEnum: boolean;
  readonly scope: Scope;
}

/** A function of the text. */
export type PyFunction = Callable<PyNode, Scope>;

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
  readonly node: PyNode;
  readonly callee: Value;
  readonly args: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

/** Parts of the evaluation that reach each other by way of the pass. */
interface Steps {
  evaluate(run: Run, node: PyNode | null): Value;
  evaluateCall(run: Run, node: PyNode): Value;
  readCondition(run: Run, node: PyNode | null): Facts;
  /** True when nothing after it is reached. */
  executeBlock(run: Run, block: PyNode | null): boolean;
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
  readonly classes = new Map<string, PyClass>();
  /** The class of each method. */
  readonly owners = new Map<PyNode, PyClass>();
  /** What functions gave back that were evaluated by themselves. */
  readonly results = new Map<PyNode, Value>();
  /** Functions whose bodies wait until all names of the module are known. */
  readonly waiting: (() => void)[] = [];
  readonly active = new Set<PyNode>();
  /** Values that the function gives back which is being evaluated. */
  returns: Value[] = [];
  /** Ends of that function, where what it proves is asked for. */
  exits: Exit[] | null = null;
  /** Its outermost scope. */
  body = this.scope;
  /** What calls of functions of the text tell as conditions. */
  readonly proven = new Map<PyNode, Facts>();
  /** How servers call functions, and methods that get no `self`. */
  readonly handlers = new Map<PyNode, Handler>();
  readonly statics = new Set<PyNode>();
  isInLoop = false;
  /** Calls of functions of the text that were followed with data from outside. */
  calls = 0;
  /** Nodes evaluated again within such calls. */
  steps = 0;
  /** Such calls that are being followed. */
  following = 0;
  /** Modules of which all names were imported. */
  readonly stars: string[] = [];
  /** Offset of a function that was not followed, as too many were; null: none. */
  lostAt: number | null = null;

  readonly text: string;
  readonly lineAt: (offset: number) => number;
  readonly report: Report;
  readonly #steps: Steps;

  constructor(text: string, lineAt: (offset: number) => number, report: Report, steps: Steps) {
    this.text = text;
    this.lineAt = lineAt;
    this.report = report;
    this.#steps = steps;
  }

  evaluate(node: PyNode | null): Value {
    return this.#steps.evaluate(this, node);
  }

  evaluateCall(node: PyNode): Value {
    return this.#steps.evaluateCall(this, node);
  }

  readCondition(node: PyNode | null): Facts {
    return this.#steps.readCondition(this, node);
  }

  executeBlock(block: PyNode | null): boolean {
    return this.#steps.executeBlock(this, block);
  }

  textOf(node: PyNode): string {
    return this.text.slice(node.start, node.end);
  }

  lineOf(node: PyNode): number {
    return this.lineAt(node.start);
  }

  linesOf(node: PyNode): [number, number] {
    return [this.lineAt(node.start), this.lineAt(Math.max(node.start, node.end - 1))];
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
