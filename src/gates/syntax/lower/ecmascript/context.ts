import { AST_GATE } from '../../../limits.ts';
import type { ClassId, Expression, FunctionId, Span, Statement, Variable } from '../../il/il.ts';
import type { SyntaxTree } from '../../parse/parser.ts';
import { childNodes, type SyntaxNode } from '../../parse/swc-node.ts';
import { unknown } from '../forms.ts';
import { Lowering } from '../lowering.ts';

/** One tree of a file, or of a part of one. */
export interface Piece {
  readonly tree: SyntaxTree;
  /** What was parsed: text that was put before the part, and the part. */
  readonly text: string;
  /** Length of what was put before it. */
  readonly prefixLength: number;
  /** Where it begins in the text to which spans of the module refer. */
  readonly start: number;
}

/** What a name stands for. */
export interface Binding {
  readonly variable: Variable;
  /** The scope that declares it. */
  readonly scope: Scope;
  /** Where its value comes from, if nothing assigns it later; null: it has no path. */
  readonly source: Source | null;
  /** The class that it names; null: it may be anything else. */
  readonly ownClass: ClassId | null;
  /** Its path from a package; undefined: nobody asked yet. */
  path: string | null | undefined;
}

/** A path, or an expression that may have one, and the members that are taken from it. */
export interface Source {
  readonly from: SyntaxNode | string;
  readonly keys: readonly string[];
}

/** Names that are seen at one place. */
export interface Scope {
  readonly outer: Scope | null;
  readonly names: Map<string, Binding>;
  /** Interfaces, aliases and enumerations. */
  readonly types: Map<string, TypeBinding>;
  /** It holds the names that `var` declares. */
  readonly isFunction: boolean;
}

/** A name of a type: a class of the module, or another type. */
export interface TypeBinding {
  readonly ownClass: ClassId | null;
  readonly alias: SyntaxNode | null;
}

/** The function that is being lowered, as far as `this` and `arguments` are concerned. */
export interface Frame {
  /** The class whose member it is: `this` is its object, or itself; null: it is `self`. */
  readonly owner: {
    readonly id: ClassId;
    readonly self: Variable;
    readonly isStatic: boolean;
  } | null;
  /** The variables of `this` and `arguments`, and whether the function uses them. */
  readonly self: Variable;
  readonly given: Variable;
  usesSelf: boolean;
  usesGiven: boolean;
}

/** How the parts of a lowering call each other. */
export interface Parts {
  expression(context: Context, node: SyntaxNode): Expression;
  statement(context: Context, node: SyntaxNode): Statement[];
  /** Statements of one scope, its functions first. */
  body(
    context: Context,
    statements: readonly (SyntaxNode | null)[],
    isFunctionBody: boolean,
  ): Statement[];
  /** A function that goes by a name; gives its number. */
  closure(context: Context, node: SyntaxNode, name: string): FunctionId;
  /** A value that gets a name where it is made. */
  valueNamed(
    context: Context,
    node: SyntaxNode | null,
    owner: SyntaxNode | null,
    name: string,
  ): Expression;
}

/** One lowering of the trees of a file: what it has declared so far. */
export class Context extends Lowering<Scope> {
  /** Names that are declared somewhere. */
  readonly declared = new Set<string>();
  /** Variables of names that are assigned and may be declared nowhere. */
  readonly globals = new Map<string, Variable>();
  /** Holds what other files may use; null: nothing was asked of it. */
  exported: Variable | null = null;
  /** The same by names, and modules all of whose names are handed on. */
  offer: { readonly names: Map<string, Expression>; readonly stars: string[] } = {
    names: new Map(),
    stars: [],
  };
  /** Offset of the first node that nests too deep to be lowered; null: all is lowered. */
  cut: number | null = null;
  /** Levels around what is being lowered, as LEVELS_MAX counts. */
  #depth = 0;
  frame: Frame | null = null;
  scope: Scope = newScope(null, true);
  readonly root: Scope = this.scope;
  readonly parts: Parts;
  #piece: Piece | null = null;
  #offsets: Offsets = { bytes: 0, indexes: null };
  /** Offsets of all pieces: each is opened more than once. */
  readonly #known = new Map<Piece, Offsets>();

  constructor(parts: Parts) {
    super();
    this.parts = parts;
  }

  /** Begins with another tree. */
  open(piece: Piece): void {
    this.#piece = piece;
    this.#offsets = this.#known.get(piece) ?? offsetsIn(piece.text);
    this.#known.set(piece, this.#offsets);
  }

  expression(node: SyntaxNode | null, owner: SyntaxNode | null): Expression {
    this.size += 1;
    if (node === null) return unknown(this.spanOf(owner), 'missing', []);
    if (this.#isTooDeep(node)) return unknown(this.spanOf(node), 'too deep', []);
    this.#depth += 1;
    const expression = this.parts.expression(this, node);
    this.#depth -= 1;
    return expression;
  }

  statement(node: SyntaxNode | null): Statement[] {
    if (node === null || this.#isTooDeep(node)) return [];
    this.size += 1;
    this.#depth += 2;
    const statements = this.parts.statement(this, node);
    this.#depth -= 2;
    return statements;
  }

  #isTooDeep(node: SyntaxNode): boolean {
    const isTooDeep = this.#depth >= AST_GATE.LEVELS_MAX;
    if (isTooDeep) this.cut ??= this.spanOf(node).start;
    return isTooDeep;
  }

  /** Where a node stands in the module's text. Nodes without a place have that of their parts. */
  spanOf(node: SyntaxNode | null): Span {
    const { span } = node ?? {};
    if (span !== undefined) {
      const start = this.#indexAt(span.start);
      return { start, end: Math.max(start, this.#indexAt(span.end)) };
    }
    const inner = node === null ? [] : [...childNodes(node)].map((child) => this.spanOf(child));
    const known = inner.filter(({ end }) => end > 0);
    const start = Math.min(...known.map((one) => one.start));
    return known.length === 0
      ? { start: 0, end: 0 }
      : { start, end: Math.max(...known.map((one) => one.end)) };
  }

  /** Whether a node begins in what was put before the part. */
  isSynthetic(node: SyntaxNode | null): boolean {
    const piece = this.#piece;
    if (node?.span === undefined || piece === null) return false;
    return node.span.start - piece.tree.span.start < piece.prefixLength;
  }

  #indexAt(offset: number): number {
    const piece = this.#piece;
    if (piece === null) return 0;
    const { bytes, indexes } = this.#offsets;
    const byte = Math.max(0, Math.min(offset - piece.tree.span.start, bytes));
    return piece.start + (indexes === null ? byte : (indexes[byte] ?? 0));
  }

  /** Text of a node, without white space at its ends. */
  textOf(node: SyntaxNode | null): string {
    const piece = this.#piece;
    if (node === null || piece === null) return '';
    const { start, end } = this.spanOf(node);
    return piece.text.slice(start - piece.start, end - piece.start);
  }

  /** Lowers something within a scope of its own. */
  within<T>(isFunction: boolean, inner: () => T): T {
    return this.inScope(newScope(this.scope, isFunction), inner);
  }

  /** A frame for a function or a first value; its variables are the next ones. */
  newFrame(owner: Frame['owner']): Frame {
    const self = this.temporary('this');
    const given = this.temporary('arguments');
    return { owner, self, given, usesSelf: false, usesGiven: false };
  }

  /** Declares a name in a scope; the same name once more is the same variable. */
  declare(
    name: string,
    { source = null, ownClass = null }: Partial<Pick<Binding, 'source' | 'ownClass'>> = {},
    scope: Scope = this.scope,
  ): Binding {
    const known = scope.names.get(name);
    if (known !== undefined) return known;
    const variable = this.temporary(name);
    const isFixed = !this.assigned.has(name);
    const binding: Binding = {
      variable,
      scope,
      source: isFixed ? source : null,
      ownClass: isFixed ? ownClass : null,
      path: undefined,
    };
    scope.names.set(name, binding);
    return binding;
  }

  /** What a name stands for; null: the file does not declare it. */
  find(name: string, from: Scope = this.scope): Binding | null {
    for (let at: Scope | null = from; at !== null; at = at.outer) {
      const binding = at.names.get(name);
      if (binding !== undefined) return binding;
    }
    return null;
  }

  /** The same for a name that is assigned although nothing declares it: it is a global then. */
  findGlobal(name: string, isAssigned: boolean): Binding | null {
    const variable = this.globals.get(name);
    if (variable === undefined || (!isAssigned && this.declared.has(name))) return null;
    const binding = { variable, scope: this.root, source: null, ownClass: null, path: null };
    this.root.names.set(name, binding);
    return binding;
  }

  findType(name: string): TypeBinding | null {
    for (let at: Scope | null = this.scope; at !== null; at = at.outer) {
      const binding = at.types.get(name);
      if (binding !== undefined) return binding;
    }
    return null;
  }

  /** The nearest scope that holds what `var` declares. */
  functionScope(): Scope {
    let at = this.scope;
    while (!at.isFunction && at.outer !== null) at = at.outer;
    return at;
  }
}

function newScope(outer: Scope | null, isFunction: boolean): Scope {
  return { outer, names: new Map(), types: new Map(), isFunction };
}

/** Length of a text in bytes, and the UTF-16 index of each byte; null: they are the same. */
interface Offsets {
  readonly bytes: number;
  readonly indexes: Uint32Array | null;
}

function offsetsIn(text: string): Offsets {
  const bytes = Buffer.byteLength(text);
  if (bytes === text.length) return { bytes, indexes: null };
  const indexes = new Uint32Array(bytes + 1);
  let byte = 0;
  let index = 0;
  for (const character of text) {
    const size = sizeOf(character.codePointAt(0) ?? 0);
    indexes.fill(index, byte, byte + size);
    byte += size;
    index += character.length;
  }
  indexes[bytes] = index;
  return { bytes, indexes };
}

/** Bytes of a character in UTF-8. */
function sizeOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
