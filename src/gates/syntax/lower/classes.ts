import type { Expression, Span, Statement, Variable } from '../il/il.ts';
import { part, type TreeNode } from '../parse/tree.ts';
import { block, freeName, load, loop, spanOf } from './forms.ts';
import * as shared from './lowering.ts';

/** What is known of a class before its members are lowered. */
export interface Outline extends shared.Outline {
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

/** What a name stands for. */
type Found =
  | { readonly kind: 'variable'; readonly variable: Variable }
  | { readonly kind: 'field'; readonly owner: Outline; readonly isStatic: boolean };

/** A lowering of a language whose code stands in classes: what it has declared so far. */
export abstract class ClassLowering extends shared.TreeLowering<Scope, Outline> {
  /** Paths of what was imported, by name. */
  readonly imports = new Map<string, string>();
  /** The file shows its package or imports, so that a name that they do not explain is its own. */
  isComplete = false;
  scope: Scope = { outer: null, names: new Map(), owner: null };
  readonly usualPaths: UsualPaths;

  constructor(text: string, usualPaths: UsualPaths) {
    super(text);
    this.usualPaths = usualPaths;
  }

  /** Lowers something within a scope of its own. */
  within<T>(owner: Outline | null, inner: () => T): T {
    return this.inScope({ outer: this.scope, names: new Map(), owner }, inner);
  }

  declare(name: string): Variable {
    const variable = this.temporary(name);
    this.scope.names.set(name, variable);
    return variable;
  }

  /** What a name stands for; null: the file does not declare it. */
  find(name: string): Found | null {
    for (let at: Scope | null = this.scope; at !== null; at = at.outer) {
      const variable = at.names.get(name);
      if (variable !== undefined) return { kind: 'variable', variable };
      const { owner } = at;
      const isStatic = owner === null ? undefined : this.#memberOf(owner, name, 'fields');
      if (owner !== null && isStatic !== undefined) return { kind: 'field', owner, isStatic };
    }
    return null;
  }

  /** The class around this place whose method, or a base's, has that name; null when absent. */
  ownerOfMethod(name: string): { readonly owner: Outline; readonly isStatic: boolean } | null {
    for (const owner of this.owners()) {
      const isStatic = this.#memberOf(owner, name, 'methods');
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

  /** The object of the innermost class, or of the named class: `Outer.this`. */
  self(span: Span, name: string | null = null): Expression {
    for (const owner of this.owners()) {
      if (name === null || owner.name === name) return load(span, owner.self);
    }
    return freeName(span, 'this');
  }

  /** Whether the class here has a base of another file, whose methods are called by their names. */
  hasForeignBase(): boolean {
    const [owner] = this.owners();
    return owner?.bases.some((name) => this.outlineNamed(name) === null) === true;
  }

  /** Statements of a block, or the only one, with names of their own. */
  abstract body(node: TreeNode | null): Statement[];

  /** A statement that languages with classes write alike; null: another one. */
  plainStatement(node: TreeNode, label: string | null): Statement[] | null {
    const span = spanOf(node);
    const [first, second] = node.children;
    const test = () => this.expressionAt(node, 'condition');
    const body = () => this.body(part(node, 'body'));
    switch (node.type) {
      case 'labeled_statement': {
        if (first === undefined || second === undefined) return [];
        const own = this.textOf(first);
        return [block(node, this.lowerStatement(second, own), own)];
      }
      case 'if_statement':
        // What a pattern in the condition names is seen behind the statement as well.
        return this.ifOf(
          node,
          (branch) => this.body(branch),
          (inner) => this.within(null, inner),
        );
      case 'while_statement':
        return [loop(node, test(), body(), { label })];
      case 'do_statement': {
        const inner = body();
        return [loop(node, test(), inner, { label, isTestedLast: true })];
      }
      case 'return_statement':
      case 'throw_statement': {
        const form = node.type === 'return_statement' ? 'return' : 'throw';
        return [{ ...span, form, value: first === undefined ? null : this.expression(first) }];
      }
      default:
        return null;
    }
  }

  /** Whether a member of a class or of its bases is static; undefined: they lack it. */
  #memberOf(owner: Outline, name: string, sort: 'fields' | 'methods'): boolean | undefined {
    const seen = new Set<Outline>();
    const waiting = [owner];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (seen.has(one)) continue;
      seen.add(one);
      const found = one[sort].get(name);
      if (found !== undefined) return found;
      waiting.push(...one.bases.flatMap((base) => this.outlineNamed(base) ?? []));
    }
    return undefined;
  }

  /** A class of the file; null when absent. */
  outlineNamed(name: string): Outline | null {
    const last = name.slice(name.lastIndexOf('.') + 1);
    return this.outlines.find((outline) => outline.name === last && last !== '') ?? null;
  }
}

/** What a member of a class stands at: the class itself, or its object. */
export function holderOf(
  span: Span,
  { owner, isStatic }: { readonly owner: Outline; readonly isStatic: boolean },
): Expression {
  return isStatic ? { ...spanOf(span), form: 'class', id: owner.id } : load(span, owner.self);
}

/** Notes the last names of all that is assigned to; `update`: the nodes of `x++` and `--x`. */
export function noteAssigned(context: ClassLowering, root: TreeNode, update: RegExp): void {
  shared.eachNode(root, (node) => {
    const isUpdate = update.test(node.type);
    if (!isUpdate && node.type !== 'assignment_expression') return;
    const left = isUpdate ? node.children[0] : part(node, 'left');
    const text = left == null ? '' : context.nameOf(left);
    context.assigned.add(text.slice(text.lastIndexOf('.') + 1));
  });
}

/** Texts that are written into an annotation: other values are constants of elsewhere. */
export function literalsIn(node: TreeNode | null): TreeNode[] {
  if (node === null) return [];
  return /string_literal$/.test(node.type) ? [node] : node.children.flatMap(literalsIn);
}
