import type { Statement, Variable } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import { type Outline, TreeLowering } from '../lowering.ts';

/** What a name stands for where it is bound. */
export type Name =
  | { readonly kind: 'variable'; readonly variable: Variable }
  /** `path` null: it comes from another module of the program. */
  | { readonly kind: 'import'; readonly path: string | null }
  | { readonly kind: 'class'; readonly outline: Outline }
  /** Bound in the body of a class, which only that body sees. */
  | { readonly kind: 'field'; readonly owner: Outline };

/** Names that are bound in a module, function, class or comprehension. */
interface Scope {
  readonly kind: 'module' | 'function' | 'class' | 'comprehension';
  readonly outer: Scope | null;
  readonly names: Map<string, Name>;
}

/** One lowering of one tree: what it has declared so far. */
export abstract class Context extends TreeLowering<Scope, Outline> {
  /** The class whose method is being lowered; null: another function. */
  owner: Outline | null = null;
  scope: Scope = { kind: 'module', outer: null, names: new Map() };
  /** Whether a name is that of a package of the catalogue. */
  readonly isPackage: (name: string) => boolean;
  /** Whether the text may declare what `with` does when it is left. */
  readonly hasExits: boolean;

  constructor(text: string, isPackage: (name: string) => boolean) {
    super(text);
    this.isPackage = isPackage;
    this.hasExits = text.includes('__exit__');
  }

  /** The statements of a block or of a clause with one. */
  body(node: TreeNode | null): Statement[] {
    if (node === null) return [];
    const nodes = node.type === 'block' || node.type === 'module' ? node.children : [node];
    return nodes.flatMap((child) => this.statement(child));
  }

  /** Lowers something within a scope of its own. */
  within<T>(kind: Scope['kind'], inner: () => T): T {
    return this.inScope({ kind, outer: this.scope, names: new Map() }, inner);
  }

  /** A variable of that name in the scope that holds now. */
  declare(name: string): Variable {
    const variable = this.temporary(name);
    if (name !== '') this.scope.names.set(name, { kind: 'variable', variable });
    return variable;
  }

  /** What a name stands for; null: nothing in view binds it. */
  find(name: string): Name | null {
    let isInner = true;
    for (let at: Scope | null = this.scope; at !== null; at = at.outer) {
      // Functions within a class do not see the names of its body.
      const known = at.kind === 'class' && !isInner ? undefined : at.names.get(name);
      if (known !== undefined) return known;
      if (at.kind === 'function') isInner = false;
    }
    return null;
  }

  /** The name in the module, or in a function around this one. */
  findOuter(name: string, isGlobal: boolean): Name | null {
    for (let at = this.scope.outer; at !== null; at = at.outer) {
      const known = at.names.get(name);
      if (known !== undefined && (isGlobal ? at.kind === 'module' : at.kind === 'function')) {
        return known;
      }
    }
    return null;
  }

  /** The scope of the module. */
  moduleScope(): Scope {
    let at = this.scope;
    while (at.outer !== null) at = at.outer;
    return at;
  }

  /** Binds a name of the module that no statement binds. */
  declareInModule(name: string): void {
    const scope = this.moduleScope();
    if (!scope.names.has(name)) this.inScope(scope, () => this.declare(name));
  }

  /** Whether the code here runs in a function. */
  isInFunction(): boolean {
    for (let at: Scope | null = this.scope; at !== null; at = at.outer) {
      if (at.kind === 'function') return true;
    }
    return false;
  }

  /** A class that a name or a path of names ends in; null when absent. */
  classNamed(name: string): Outline | null {
    const found = this.find(name);
    if (found?.kind === 'class') return found.outline;
    const last = name.slice(name.lastIndexOf('.') + 1);
    const isPath = last !== name && this.find(name.split('.', 1)[0] ?? '')?.kind === 'class';
    // A class may be named before it is declared, or within another one.
    const isOpen = found === null && !name.includes('.');
    if (!isPath && !isOpen) return null;
    return this.outlines.find((outline) => outline.name === last) ?? null;
  }
}
