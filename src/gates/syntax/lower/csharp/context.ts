import type { Expression, Span, Statement, Type, Variable } from '../../il/il.ts';
import { part, type TreeNode } from '../../parse/tree.ts';
import { ClassLowering, type Outline, type UsualPaths } from '../classes.ts';
import { constant, load, unary } from '../forms.ts';

/** One lowering of one tree: what it has declared so far. */
export abstract class Context extends ClassLowering {
  /** Paths of classes whose names no other package has. */
  readonly paths: ReadonlyMap<string, string>;
  /** Classes with static methods that are called on their first parameter, by the method's name. */
  readonly extensions = new Map<string, Outline>();
  /** Parameters that stand for a place of the caller: `out`, `ref`. */
  readonly places = new Set<Variable>();
  /** The function that is being lowered gives its results one by one. */
  isGenerator = false;

  constructor(text: string, usualPaths: UsualPaths, paths: ReadonlyMap<string, string>) {
    super(text, usualPaths);
    this.paths = paths;
  }

  /** A value under a type that is written: `T x = new(...)` makes a `T`. */
  abstract valueAs(node: TreeNode, type: Type | null): Expression;

  /** Of a block: its statements, with names of their own. */
  body(node: TreeNode | null): Statement[] {
    if (node === null) return [];
    return this.within(null, () => this.statements(node.type === 'block' ? node.children : [node]));
  }

  /** Statements of one block: its functions are seen in all of it. */
  statements(nodes: readonly TreeNode[]): Statement[] {
    const all = nodes.flatMap(flattened);
    for (const node of all) {
      const inner = node.type === 'global_statement' ? node.children[0] : node;
      if (inner?.type === 'local_function_statement') this.declare(this.textAt(inner, 'name'));
    }
    return all.flatMap((node) => this.statement(node));
  }

  /** The value of a variable; where it stands for a place of the caller, the value there. */
  held(span: Span, variable: Variable): Expression {
    const value = load(span, variable);
    return this.places.has(variable) ? unary(span, '*', value) : value;
  }

  /** The statements of a block, which leave a value. */
  run({ start, end }: Span, body: readonly Statement[], result: Variable): Expression {
    return { start, end, form: 'run', body, result };
  }

  /** Gives a variable the value where it is of the type, and tells whether it is. */
  is(span: Span, type: Type | null, value: Expression, bind: Variable | null): Expression {
    return { start: span.start, end: span.end, form: 'is', type, value, bind };
  }

  /** A condition that nothing is known of. */
  maybe(span: Span): Expression {
    return this.is(span, null, constant(span, null), null);
  }
}

/** What stands between `#if` and `#endif` counts as if all of it were there. */
export function flattened(node: TreeNode): TreeNode[] {
  if (!/^preproc_(?:if|elif|else)/.test(node.type)) return [node];
  return node.children.filter(({ field }) => field !== 'condition').flatMap(flattened);
}

/** The last name of what may have types behind it: `Query` of `Query<User>`. */
export function plainName(context: Context, node: TreeNode): string {
  const inner = node.type === 'generic_name' ? (node.children[0] ?? node) : node;
  const name = context.nameOf(inner).replace(/^@/, '');
  return name.slice(name.lastIndexOf('.') + 1);
}

/** The value of a declarator: what stands behind its name. */
export function writtenIn(node: TreeNode): TreeNode | null {
  const { children } = node;
  const name = part(node, 'name') ?? children[0];
  const isPart = /^(?:bracketed_argument_list|tuple_pattern)$/;
  return children.find((one) => one !== name && !isPart.test(one.type)) ?? null;
}
