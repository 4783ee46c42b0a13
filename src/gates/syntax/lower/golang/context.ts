import type { ClassDeclaration, ClassId, Statement, Type, Variable } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import { block, leave, loop } from '../forms.ts';
import * as shared from '../lowering.ts';

/** What is known of a type of the file before its members are lowered. */
export interface Outline extends shared.Outline {
  /** Of the type itself: `struct { ... }`, `string`. */
  readonly node: TreeNode;
  readonly kind: ClassDeclaration['kind'];
  /** Declarations of its methods; an interface has them without bodies. */
  readonly methods: Map<string, TreeNode>;
}

/** Names that are seen at one place. */
interface Scope {
  readonly outer: Scope | null;
  readonly names: Map<string, Variable>;
}

/** Path of a package by the name that it is usually imported as; null: not known. */
export type UsualPackage = (name: string) => string | null;

/** What a function that is being lowered has of its own. */
export interface Frame {
  /** Calls that run when it ends, or beside it. */
  readonly later: Statement[];
  /** Variables of results that have names. */
  readonly results: readonly Variable[];
  /** Its last result is an error. */
  readonly givesError: boolean;
  readonly resultCount: number;
  /** The label that a plain `break` leaves; null: that of the loop or switch around it. */
  breaks: string | null;
}

/** The package: its functions are static methods, its variables static fields. */
export const PACKAGE: ClassId = 0;

/** One lowering of one tree: what it has declared so far. */
export abstract class Context extends shared.TreeLowering<Scope, Outline> {
  readonly #named = new Map<string, Outline>();
  /** Paths of what was imported, by name. */
  readonly imports = new Map<string, string>();
  /** The file shows its imports, so that a name that they do not explain is its own. */
  isComplete = false;
  /** Names of variables and constants of the package. */
  readonly globals = new Set<string>();
  /** Names of functions of the package. */
  readonly free = new Set<string>();
  /** Names of types that stand for another one. */
  readonly aliases = new Map<string, TreeNode>();
  /** Type parameters in view: the types that their constraints say. */
  generics: ReadonlyMap<string, Type> = new Map();
  /** Labels that a `goto` behind them goes back to. */
  readonly loops = new Set<string>();
  /** The number of the constant in its list. */
  iota = 0;
  frame: Frame = { later: [], results: [], givesError: false, resultCount: 0, breaks: null };
  scope: Scope = { outer: null, names: new Map() };
  readonly usualPackage: UsualPackage;

  constructor(text: string, usualPackage: UsualPackage) {
    super(text);
    this.usualPackage = usualPackage;
  }

  /** Of a block: its statements, with names of their own. */
  body(node: TreeNode | null): Statement[] {
    return node === null ? [] : this.within(() => this.statements(node));
  }

  /**
   * Statements in order. A `goto` to a label behind it leaves all that stands before the label; one
   * to a label before it begins a round of a loop that goes from the label to the end.
   */
  statements(node: TreeNode): Statement[] {
    const nodes = node.children.flatMap((child) =>
      child.type === 'statement_list' ? child.children : [child],
    );
    return this.#inOrder(node, nodes);
  }

  #inOrder(node: TreeNode, nodes: readonly TreeNode[]): Statement[] {
    let all: Statement[] = [];
    for (const [index, child] of nodes.entries()) {
      const name = child.type === 'labeled_statement' ? part(child, 'label') : null;
      const label = name === null ? '' : this.textOf(name);
      if (name === null || !this.text.includes('goto')) {
        all.push(...this.statement(child));
        continue;
      }
      if (all.length > 0) all = [block({ start: node.start, end: name.start }, all, label)];
      const rest = nodes.slice(index + 1);
      if (!this.loops.has(label) && [child, ...rest].some((one) => goesTo(this, one, label))) {
        this.loops.add(label);
        const round = this.#inOrder(node, nodes.slice(index));
        this.loops.delete(label);
        const span = { start: child.start, end: node.end };
        return [...all, loop(span, null, [...round, leave(span, label)], { label })];
      }
      all.push(...this.statement(child));
    }
    return all;
  }

  /** Lowers something within a scope of its own. */
  within<T>(inner: () => T): T {
    return this.inScope({ outer: this.scope, names: new Map() }, inner);
  }

  declare(name: string): Variable {
    const variable = this.temporary(name);
    if (name !== '' && name !== '_') this.scope.names.set(name, variable);
    return variable;
  }

  find(name: string): Variable | null {
    for (let at: Scope | null = this.scope; at !== null; at = at.outer) {
      const variable = at.names.get(name);
      if (variable !== undefined) return variable;
    }
    return null;
  }

  /** A type of the file by its name; null when absent. */
  outlineNamed(name: string): Outline | null {
    return this.#named.get(name) ?? null;
  }

  addType(name: string, node: TreeNode, kind: Outline['kind']): Outline {
    const outline = this.addOutline({ name, node, kind, methods: new Map() }, '');
    if (name !== '' && !this.#named.has(name)) this.#named.set(name, outline);
    return outline;
  }
}

/** Whether a `goto` within a statement names a label. */
function goesTo(context: Context, root: TreeNode, label: string): boolean {
  let isFound = false;
  shared.eachNode(root, (node) => {
    const [name] = node.type === 'goto_statement' ? node.children : [];
    isFound ||= name !== undefined && context.textOf(name) === label;
  });
  return isFound;
}
