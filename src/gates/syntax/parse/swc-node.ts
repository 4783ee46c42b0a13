/**
 * A node of the parser's tree, read by name: the tree is JSON from outside, its published types
 * differ from it in places, and whatever is missing must read as absent.
 */
export interface SyntaxNode {
  readonly type?: string;
  readonly span?: { readonly start: number; readonly end: number };
}

/** A child node, or null. */
export function child(node: SyntaxNode | null, key: string): SyntaxNode | null {
  return asNode(field(node, key));
}

/** A list of child nodes; holes are null. Empty when there is no such list. */
export function list(node: SyntaxNode | null, key: string): (SyntaxNode | null)[] {
  const value = field(node, key);
  return Array.isArray(value) ? value.map(asNode) : [];
}

/** A string of the node, or ''. */
export function text(node: SyntaxNode | null, key: string): string {
  const value = field(node, key);
  return typeof value === 'string' ? value : '';
}

/** Any field, as it is. */
export function field(node: SyntaxNode | null, key: string): unknown {
  return node === null ? undefined : (node as Readonly<Record<string, unknown>>)[key];
}

/** All child nodes, in the order of the tree's fields. */
export function* childNodes(node: SyntaxNode): Generator<SyntaxNode> {
  for (const [key, value] of Object.entries(node)) {
    if (key === 'span' || typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) yield value as SyntaxNode;
    else for (const item of value) if (asNode(item) !== null) yield item as SyntaxNode;
  }
}

/** The node without parentheses, casts, `!`, `?.` and the like. */
export function bare(node: SyntaxNode | null): SyntaxNode | null {
  let inner = node;
  for (;;) {
    switch (inner?.type) {
      case 'ParenthesisExpression':
      case 'TsAsExpression':
      case 'TsSatisfiesExpression':
      case 'TsNonNullExpression':
      case 'TsTypeAssertion':
      case 'TsConstAssertion':
      case 'TsInstantiation':
        inner = child(inner, 'expression');
        break;
      case 'OptionalChainingExpression':
        inner = child(inner, 'base');
        break;
      default:
        return inner;
    }
  }
}

/** Name of a property, key or binding when it is fixed: `a.b`, `a['b']`, `{b: 1}`; else null. */
export function fixedName(key: SyntaxNode | null): string | null {
  switch (key?.type) {
    case 'Identifier':
    case 'StringLiteral':
    case 'PrivateName':
      return text(key, 'value');
    case 'NumericLiteral':
      return String(field(key, 'value'));
    case 'Computed': {
      const inner = bare(child(key, 'expression'));
      return inner?.type === 'Identifier' ? null : fixedName(inner);
    }
    default:
      return null;
  }
}

const FUNCTIONS = new Set([
  'FunctionExpression',
  'FunctionDeclaration',
  'ArrowFunctionExpression',
  'MethodProperty',
  'Constructor',
]);

/** Whether a node is a function of any kind. */
export function isFunction(node: SyntaxNode): boolean {
  return FUNCTIONS.has(node.type ?? '');
}

function asNode(value: unknown): SyntaxNode | null {
  return typeof value === 'object' && value !== null ? (value as SyntaxNode) : null;
}
