import type { Expression, Span, Statement, Variable } from '../../il/il.ts';
import type { TreeNode } from '../../parse/tree.ts';
import { ClassLowering, type Outline, type UsualPaths } from '../classes.ts';
import { load, put } from '../forms.ts';

/** A lambda or function around a place, which `return@name` leaves. */
interface Frame {
  readonly name: string;
  /** Where its value goes, and the label behind it; null: it is a function of its own. */
  readonly inlined: { readonly result: Variable; readonly label: string } | null;
}

/** Stands among the names of a lambda whose receiver is not known. */
const HIDDEN = ' hidden';

/** One lowering of one tree: what it has declared so far. */
export abstract class Context extends ClassLowering {
  /** Methods of Java that the catalogue has and that are read or written as properties. */
  readonly accessors: ReadonlySet<string>;
  /** Classes with functions that are called on their first parameter, by the function's name. */
  readonly extensions = new Map<string, Outline>();
  /** Names of properties among the extensions. */
  readonly extensionProperties = new Set<string>();
  /** What the file declares outside of all classes. */
  file: Outline | null = null;
  /** Classes all of whose members are static. */
  readonly objects = new Set<Outline>();
  /** The property whose accessor is being lowered: `field` is its value. */
  backing: string | null = null;
  /** The innermost comes last. */
  readonly frames: Frame[] = [];

  constructor(text: string, usualPaths: UsualPaths, accessors: ReadonlySet<string>) {
    super(text, usualPaths);
    this.accessors = accessors;
  }

  /** Statements of a node whose value goes into `result`; null: nothing takes it. */
  abstract into(node: TreeNode, result: Variable | null): Statement[];

  /** Of a block: its statements, with names of their own. */
  body(node: TreeNode | null): Statement[] {
    if (node === null) return [];
    return this.within(null, () => this.statements(node.type === 'block' ? node.children : [node]));
  }

  /** Statements of one block: its functions are seen in all of it. */
  statements(nodes: readonly TreeNode[], result: Variable | null = null): Statement[] {
    for (const node of nodes) {
      if (node.type === 'function_declaration') this.declare(this.textAt(node, 'name'));
    }
    const last = result === null ? null : nodes.at(-1);
    return nodes.flatMap((node) =>
      node === last ? this.into(node, result) : this.statement(node),
    );
  }

  /** An expression whose value statements leave. */
  run({ start, end }: Span, fill: (result: Variable) => Statement[]): Expression {
    const result = this.temporary();
    return { start, end, form: 'run', body: fill(result), result };
  }

  /** A value that goes into a variable; null: nothing takes it. */
  give(value: Expression, result: Variable | null): Statement {
    if (result !== null) return put(load(value, result), value);
    return { start: value.start, end: value.end, form: 'evaluate', value };
  }

  /** Names are looked up no further out in a lambda whose receiver is not known. */
  hideReceivers(): void {
    this.scope.names.set(HIDDEN, -1);
  }

  /** Whether a lambda around has a receiver that is not known. */
  isHidden(): boolean {
    for (let at: typeof this.scope | null = this.scope; at !== null; at = at.outer) {
      if (at.names.has('this') || at.owner !== null) return false;
      if (at.names.has(HIDDEN)) return true;
    }
    return false;
  }

  /** The receiver of the function or lambda around, on which names alone are called. */
  implicit(span: Span): Expression | null {
    return this.isHidden() ? null : this.receiver(span);
  }

  /** What `this` is in a function or lambda with a receiver; null: the object of a class. */
  receiver(span: Span): Expression | null {
    for (let at: typeof this.scope | null = this.scope; at !== null; at = at.outer) {
      const own = at.names.get('this');
      if (own !== undefined) return load(span, own);
      if (at.owner !== null) return null;
    }
    return null;
  }

  override self(span: Span, name: string | null = null): Expression {
    const receiver = name === null ? this.receiver(span) : null;
    return receiver ?? super.self(span, name);
  }

  /** Lowers something within a lambda or function. */
  inFrame<T>(frame: Frame, inner: () => T): T {
    this.frames.push(frame);
    const result = inner();
    this.frames.pop();
    return result;
  }

  /** A name without the quotes that make a word of the language one. */
  override nameOf(node: Span): string {
    return super.nameOf(node).replaceAll('`', '');
  }
}
