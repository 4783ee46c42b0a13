import type {
  ClassDeclaration,
  ClassId,
  Expression,
  FunctionDeclaration,
  FunctionId,
  Module,
  Span,
  Statement,
  Variable,
} from '../il/il.ts';
import { part, type TreeNode } from '../parse/tree.ts';
import { block, classWith, constant, declaration, load, unknown, when } from './forms.ts';

/** How a function is declared, apart from what its body says. */
type Head = Span &
  Pick<FunctionDeclaration, 'name' | 'kind' | 'owner'> &
  Partial<FunctionDeclaration>;

/** What the parameters and the body of a function say. */
type Inside = Pick<FunctionDeclaration, 'parameters' | 'body'> & Partial<FunctionDeclaration>;

/** One lowering of one text: what it has declared so far. `Scope`: the names seen at one place. */
export abstract class Lowering<Scope> {
  readonly variables: string[] = [];
  readonly functions: FunctionDeclaration[] = [];
  readonly classes: ClassDeclaration[] = [];
  readonly unknown = new Map<string, number>();
  /** Names that are assigned somewhere in the text. */
  readonly assigned = new Set<string>();
  /** Expressions and statements of the function that is being lowered. */
  size = 0;
  abstract scope: Scope;

  /** Lowers something within another scope. */
  inScope<T>(scope: Scope, inner: () => T): T {
    const outer = this.scope;
    this.scope = scope;
    const result = inner();
    this.scope = outer;
    return result;
  }

  /** A variable for a value that has no name, or that nothing refers to. */
  temporary(name = ''): Variable {
    return this.variables.push(name) - 1;
  }

  /** Puts a value into a variable without a name. */
  keep(value: Expression): { readonly statement: Statement; readonly value: Expression } {
    const variable = this.temporary();
    return { statement: declaration(value, variable, value), value: load(value, variable) };
  }

  /** Adds a function; those within it get their numbers after its own. */
  addFunction({ start, end, ...head }: Head, inner: (id: FunctionId) => Inside): FunctionId {
    const { size } = this;
    const id = this.functions.length;
    // An object that begins with a spread would get a shape of its own in the engine.
    const flags = { isStatic: false, isPrivate: false, annotations: [], result: null };
    const empty = { parameters: [], body: null, size: 0, variables: [0, 0] } as const;
    this.functions.push({ id, start, end, ...flags, ...empty, ...head });
    const first = this.variables.length;
    this.size = 0;
    const inside = inner(id);
    const own = { size: this.size, variables: [first, this.variables.length] } as const;
    this.functions[id] = { id, start, end, ...flags, ...empty, ...head, ...inside, ...own };
    this.size += size;
    return id;
  }

  /** Counts what is not understood. */
  lose(what: string): void {
    this.unknown.set(what, (this.unknown.get(what) ?? 0) + 1);
  }
}

/** What is known of a class before its members are lowered. */
export interface Outline {
  readonly id: ClassId;
  readonly name: string;
  readonly node: TreeNode;
  /** What its methods call the object that they are called on. */
  readonly self: Variable;
}

/** A lowering of a tree of tree-sitter. */
export abstract class TreeLowering<Scope, Own extends Outline> extends Lowering<Scope> {
  readonly outlines: Own[] = [];
  /** Packages and classes of which all names were imported. */
  readonly stars: string[] = [];
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  protected abstract lowerExpression(node: TreeNode): Expression;
  /** `label`: the label before it. */
  protected abstract lowerStatement(node: TreeNode, label: string | null): Statement[];

  textOf(node: Span): string {
    return this.text.slice(node.start, node.end);
  }

  /** Without white space: `a . b` is `a.b`. */
  nameOf(node: Span): string {
    return this.textOf(node).replace(/\s+/g, '');
  }

  /** The text of the part under that name; '' when absent. */
  textAt(node: TreeNode | null, field: string): string {
    const inner = part(node, field);
    return inner === null ? '' : this.textOf(inner);
  }

  expression(node: TreeNode): Expression {
    this.size += 1;
    return this.lowerExpression(node);
  }

  /** The expression of a node; of a missing one an unknown value. */
  expressionOr(node: TreeNode | null | undefined, owner: Span): Expression {
    return node == null ? unknown(owner, 'missing', []) : this.expression(node);
  }

  /** The expression under a name of its parent. */
  expressionAt(node: TreeNode, field: string): Expression {
    return this.expressionOr(part(node, field), node);
  }

  /** The expression under a name of its parent; null when absent. */
  optionalAt(node: TreeNode, field: string): Expression | null {
    const inner = part(node, field);
    return inner === null ? null : this.expression(inner);
  }

  /** The only expression within a node. */
  firstOf(node: TreeNode): Expression {
    return this.expressionOr(node.children[0], node);
  }

  expressionsOf(nodes: readonly TreeNode[]): Expression[] {
    return nodes.map((node) => this.expression(node));
  }

  /**
   * A chain of operators `a + b + c`, each within the left part of the next, from its innermost one
   * outwards: without recursion, as its depth is its length. `join` gets what the left part is.
   */
  chain(node: TreeNode, join: (link: TreeNode, left: Expression) => Expression): Expression {
    const links = [node];
    let left = part(node, 'left');
    for (; left?.type === node.type; left = part(left, 'left')) links.push(left);
    this.size += links.length - 1;
    const first = this.expressionOr(left, node);
    return links.reduceRight((value, link) => join(link, value), first);
  }

  /**
   * `if` with each `if` in the `else` before it: without recursion, as their depth is their length.
   * `body` lowers a branch, `within` all behind the first branch.
   */
  ifOf(
    node: TreeNode,
    body: (branch: TreeNode | null) => Statement[],
    within: (inner: () => Statement[]) => Statement[],
    before: (link: TreeNode) => Statement[] = () => [],
  ): Statement[] {
    const links: ((no: Statement[]) => Statement[])[] = [];
    const addLink = (link: TreeNode) => {
      const first = before(link);
      const test = this.expressionAt(link, 'condition');
      const yes = body(part(link, 'consequence'));
      links.push((no) => {
        const own = when(link, test, yes, no);
        return first.length === 0 ? [own] : [block(link, [...first, own])];
      });
    };
    addLink(node);
    const no = within(() => {
      let other = part(node, 'alternative');
      for (; other?.type === node.type; other = part(other, 'alternative')) {
        this.size += 1;
        addLink(other);
      }
      return body(other);
    });
    return links.reduceRight((rest, link) => link(rest), no);
  }

  statement(node: TreeNode, label: string | null = null): Statement[] {
    this.size += 1;
    return this.lowerStatement(node, label);
  }

  /** A class by its name, with the variable of its object, before its members are lowered. */
  addOutline(outline: Omit<Own, 'id' | 'self'>, self: string): Own {
    const added = { ...outline, id: this.outlines.length, self: this.temporary(self) } as Own;
    this.outlines.push(added);
    return added;
  }

  /** What was lowered, with classes of which nothing but their names was. */
  module(body: readonly Statement[]): Module {
    const { variables, functions, unknown: lost } = this;
    const classes = this.outlines.map(
      ({ id, name, self, node }) => this.classes[id] ?? classWith(node, { id, name, self }),
    );
    return { variables, functions, classes, unknown: lost, body };
  }
}

/** Escapes stay as they are written, but for what paths, queries and patterns need. */
export function unescaped(text: string): string {
  return text.replace(/\\\\/g, '\\').replace(/\\(?=["'])/g, '');
}

/** The number that is written; its text where its notation is not known. */
export function numberIn(written: string, span: Span): Expression {
  const digits = written.replaceAll('_', '');
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  const number = Number(octal);
  return constant(span, Number.isNaN(number) ? written : number);
}

/** Goes through a tree in the order of its text, without recursion. */
export function eachNode(root: TreeNode, visit: (node: TreeNode) => void): void {
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    visit(node);
    const { children } = node;
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child !== undefined) waiting.push(child);
    }
  }
}
