import type {
  ClassDeclaration,
  ClassId,
  Expression,
  FunctionDeclaration,
  Span,
  Statement,
  Type,
  Variable,
} from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';

/** What is known of a type of the file before its members are lowered. */
export interface Outline {
  readonly id: ClassId;
  readonly name: string;
  /** Of the type itself: `struct { ... }`, `string`. */
  readonly node: TreeNode;
  /** What its methods call their receiver. */
  readonly self: Variable;
  readonly kind: ClassDeclaration['kind'];
  /** Declarations of its methods; those of an interface without bodies. */
  readonly methods: Map<string, TreeNode>;
}

/** Names that are seen at one place. */
export type Scope = { readonly outer: Scope | null; readonly names: Map<string, Variable> };

/** Path of a package by the name that it is usually imported as; null: not known. */
export type UsualPackage = (name: string) => string | null;

/** How the parts of a lowering call each other. */
export interface Parts {
  expression(context: Context, node: TreeNode): Expression;
  statement(context: Context, node: TreeNode, label: string | null): Statement[];
}

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
export class Context {
  readonly variables: string[] = [];
  readonly functions: FunctionDeclaration[] = [];
  readonly outlines: Outline[] = [];
  readonly #named = new Map<string, Outline>();
  readonly unknown = new Map<string, number>();
  /** Paths of what was imported, by name. */
  readonly imports = new Map<string, string>();
  /** Packages of which all names were imported. */
  readonly stars: string[] = [];
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
  /** Names that are assigned after their declaration somewhere in the file. */
  readonly assigned = new Set<string>();
  /** Expressions and statements of the function that is being lowered. */
  size = 0;
  /** The number of the constant in its list. */
  iota = 0;
  frame: Frame = { later: [], results: [], givesError: false, resultCount: 0, breaks: null };
  scope: Scope = { outer: null, names: new Map() };

  readonly text: string;
  readonly usualPackage: UsualPackage;
  readonly parts: Parts;

  constructor(text: string, usualPackage: UsualPackage, parts: Parts) {
    this.text = text;
    this.usualPackage = usualPackage;
    this.parts = parts;
  }

  textOf(node: Span): string {
    return this.text.slice(node.start, node.end);
  }

  expression(node: TreeNode): Expression {
    this.size += 1;
    return this.parts.expression(this, node);
  }

  /** The expression under a name of its parent. */
  expressionAt(node: TreeNode, field: string): Expression {
    const inner = part(node, field);
    return inner === null ? unknown(node, 'missing', []) : this.expression(inner);
  }

  statement(node: TreeNode, label: string | null = null): Statement[] {
    this.size += 1;
    return this.parts.statement(this, node, label);
  }

  /** Of a block: its statements, with names of their own. */
  body(node: TreeNode | null): Statement[] {
    return node === null ? [] : this.within(() => this.statements(node));
  }

  /** Statements in order. A `goto` to a label behind it leaves all that stands before the label. */
  statements(node: TreeNode): Statement[] {
    const nodes = node.children.flatMap((child) =>
      child.type === 'statement_list' ? child.children : [child],
    );
    let all: Statement[] = [];
    for (const child of nodes) {
      const name = child.type === 'labeled_statement' ? part(child, 'label') : null;
      if (name !== null && all.length > 0 && this.text.includes('goto')) {
        const { start } = node;
        all = [{ start, end: name.start, form: 'block', label: this.textOf(name), body: all }];
      }
      all.push(...this.statement(child));
    }
    return all;
  }

  /** Lowers something within a scope of its own. */
  within<T>(inner: () => T): T {
    const outer = this.scope;
    this.scope = { outer, names: new Map() };
    try {
      return inner();
    } finally {
      this.scope = outer;
    }
  }

  declare(name: string): Variable {
    const variable = this.variables.push(name) - 1;
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

  addOutline(name: string, node: TreeNode, kind: Outline['kind']): Outline {
    const self = this.variables.push('') - 1;
    const { length: id } = this.outlines;
    const outline: Outline = { id, name, node, self, kind, methods: new Map() };
    this.outlines.push(outline);
    if (name !== '' && !this.#named.has(name)) this.#named.set(name, outline);
    return outline;
  }

  /** Counts what is not understood. */
  lose(what: string): void {
    this.unknown.set(what, (this.unknown.get(what) ?? 0) + 1);
  }
}

/** What is not understood, with what stands in it. */
export function unknown(
  { start, end }: Span,
  what: string,
  children: readonly Expression[],
): Expression {
  return { start, end, form: 'unknown', what, children };
}

/** A type that is known by its name alone. */
export function plainType(name: string, path: string | null = null): Type {
  return { name, own: null, path, arguments: [], isList: false };
}

/** `place = value`. */
export function assigned(place: Expression, value: Expression): Statement {
  const { start, end } = place;
  const assign = { start, end, form: 'assign', place, sign: null, value, isAfter: false } as const;
  return { start, end, form: 'evaluate', value: assign };
}

/** A variable with its first value. */
export function declared(
  { start, end }: Span,
  variable: Variable,
  value: Expression | null,
  type: Type | null = null,
): Statement {
  return { start, end, form: 'declare', variable, type, value, annotations: [] };
}
