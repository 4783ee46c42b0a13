import type {
  ClassDeclaration,
  ClassId,
  Expression,
  FunctionDeclaration,
  Span,
  Statement,
  Variable,
} from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';

/** What is known of a class before its members are lowered. */
export interface Outline {
  readonly id: ClassId;
  readonly name: string;
  readonly node: TreeNode;
  readonly self: Variable;
  /** Names of fields, and whether each is static. */
  readonly fields: ReadonlyMap<string, boolean>;
  /** Names of methods, and whether all of that name are static. */
  readonly methods: ReadonlyMap<string, boolean>;
  /** Names of bases as they are written. */
  readonly bases: readonly string[];
}

/** Names that are seen at one place. */
interface Scope {
  readonly outer: Scope | null;
  readonly names: Map<string, Variable>;
  /** Of a class: its members are seen; null: a block. */
  readonly owner: Outline | null;
}

/** Paths under which the catalogue has a class, by its name alone. */
export type UsualPaths = (name: string) => readonly string[];

/** How the parts of a lowering call each other. */
export interface Parts {
  expression(context: Context, node: TreeNode): Expression;
  statement(context: Context, node: TreeNode): Statement[];
  /** A class that stands in a method or in an expression. */
  innerClass(context: Context, outline: Outline): void;
}

/** What a name stands for. */
type Found =
  | { readonly kind: 'variable'; readonly variable: Variable }
  | { readonly kind: 'field'; readonly owner: Outline; readonly isStatic: boolean };

/** One lowering of one tree: what it has declared so far. */
export class Context {
  readonly variables: string[] = [];
  readonly functions: FunctionDeclaration[] = [];
  readonly classes: ClassDeclaration[] = [];
  readonly outlines: Outline[] = [];
  readonly unknown = new Map<string, number>();
  /** Paths of what was imported, by name. */
  readonly imports = new Map<string, string>();
  /** Packages and classes of which all names were imported. */
  readonly stars: string[] = [];
  /** The file shows its package or imports, so that a name that they do not explain is its own. */
  isComplete = false;
  /** Last names that are assigned somewhere in the file. */
  readonly assigned = new Set<string>();
  /** Expressions and statements of the function that is being lowered. */
  size = 0;
  /** Where the value of a `yield` goes, and the label of the switch that it leaves. */
  yields: { readonly result: Variable; readonly label: string } | null = null;
  scope: Scope = { outer: null, names: new Map(), owner: null };

  readonly text: string;
  readonly usualPaths: UsualPaths;
  readonly parts: Parts;

  constructor(text: string, usualPaths: UsualPaths, parts: Parts) {
    this.text = text;
    this.usualPaths = usualPaths;
    this.parts = parts;
  }

  textOf(node: Span): string {
    return this.text.slice(node.start, node.end);
  }

  /** Without white space: `a . b` is `a.b`. */
  nameOf(node: Span): string {
    return this.textOf(node).replace(/\s+/g, '');
  }

  expression(node: TreeNode): Expression {
    this.size += 1;
    return this.parts.expression(this, node);
  }

  /** Of a block: its statements, with names of their own. */
  body(node: TreeNode | null): Statement[] {
    if (node === null) return [];
    const nodes = /^(?:block|constructor_body|class_body|ERROR)$/.test(node.type)
      ? node.children
      : [node];
    return this.within(null, () => nodes.flatMap((child) => this.statement(child)));
  }

  statement(node: TreeNode): Statement[] {
    this.size += 1;
    return this.parts.statement(this, node);
  }

  /** Lowers something within a scope of its own. */
  within<T>(owner: Outline | null, inner: () => T): T {
    const outer = this.scope;
    this.scope = { outer, names: new Map(), owner };
    try {
      return inner();
    } finally {
      this.scope = outer;
    }
  }

  declare(name: string): Variable {
    const variable = this.variables.push(name) - 1;
    this.scope.names.set(name, variable);
    return variable;
  }

  /** The names that a pattern gives to parts of a value. */
  declareNames(node: TreeNode): void {
    for (const child of node.children) {
      const isName = child.type === 'identifier' && node.type !== 'record_pattern';
      if (isName) this.declare(this.nameOf(child));
      else this.declareNames(child);
    }
  }

  /** What a name stands for; null: the file does not declare it. */
  find(name: string): Found | null {
    for (let at: Scope | null = this.scope; at !== null; at = at.outer) {
      const variable = at.names.get(name);
      if (variable !== undefined) return { kind: 'variable', variable };
      const isStatic = at.owner === null ? undefined : this.fieldOf(at.owner, name);
      if (at.owner !== null && isStatic !== undefined) {
        return { kind: 'field', owner: at.owner, isStatic };
      }
    }
    return null;
  }

  /** The class around this place whose method, or a base's, has that name; null when absent. */
  ownerOfMethod(name: string): { readonly owner: Outline; readonly isStatic: boolean } | null {
    for (const owner of this.owners()) {
      const isStatic = this.#memberOf(owner, name, ({ methods }) => methods);
      if (isStatic !== undefined) return { owner, isStatic };
    }
    return null;
  }

  /** The classes around this place, the innermost first. */
  *owners(): Generator<Outline> {
    for (let at: Scope | null = this.scope; at !== null; at = at.outer) {
      if (at.owner !== null) yield at.owner;
    }
  }

  /** Whether a field of a class or of its bases is static; undefined: neither has it. */
  fieldOf(owner: Outline, name: string): boolean | undefined {
    return this.#memberOf(owner, name, ({ fields }) => fields);
  }

  #memberOf(
    owner: Outline,
    name: string,
    sort: (outline: Outline) => ReadonlyMap<string, boolean>,
  ): boolean | undefined {
    const seen = new Set<Outline>();
    const waiting = [owner];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (seen.has(one)) continue;
      seen.add(one);
      const found = sort(one).get(name);
      if (found !== undefined) return found;
      for (const base of one.bases) {
        const outline = this.outlineNamed(base);
        if (outline !== null) waiting.push(outline);
      }
    }
    return undefined;
  }

  /** A class of the file; null when absent. */
  outlineNamed(name: string): Outline | null {
    const last = name.slice(name.lastIndexOf('.') + 1);
    return this.outlines.find((outline) => outline.name === last && last !== '') ?? null;
  }

  /** Counts what is not understood. */
  lose(what: string): void {
    this.unknown.set(what, (this.unknown.get(what) ?? 0) + 1);
  }
}
