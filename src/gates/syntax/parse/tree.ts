import type { Language, Tree } from 'web-tree-sitter';
import { AST_GATE } from '../../limits.ts';

/** A node of the tree. Offsets are indexes of the text that was parsed. */
export interface TreeNode {
  readonly type: string;
  /** The name under which its parent has it; null when absent. */
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  /** All but comments and punctuation. */
  readonly children: readonly TreeNode[];
}

/** A parser of one language. */
export interface TreeParser {
  parse(text: string): Parsed;
}

export interface Parsed {
  /** Null: the parser gave nothing. */
  readonly root: TreeNode | null;
  /** Offset of the first node that nests too deep to be kept; null: all are kept. */
  readonly cut: number | null;
  /** Characters within what the grammar does not know. */
  readonly errorChars: number;
  /** There is such a place, which may be empty. */
  readonly hasErrors: boolean;
}

/** Why a finding says that parts of a text were left out. */
export const TOO_DEEP = `it nests deeper than ${AST_GATE.LEVELS_MAX} levels`;

/** Reads a file of a package that parsing needs, such as `tree-sitter-go/tree-sitter-go.wasm`. */
export type ReadPackaged = (name: string) => Promise<Uint8Array>;

/**
 * Functions of the runtime of tree-sitter, which it puts into the object that it is started with.
 * Each takes the address of the tree and finds the cursor in a place of the runtime's memory, where
 * `root` leaves the root node and `open` a cursor on that. The cursor of the package copies itself
 * there and back around each call, which takes longer than the parse.
 */
interface Runtime {
  readonly wasmBinary: Uint8Array;
  _ts_tree_root_node_wasm?: RuntimeCall;
  _ts_tree_cursor_new_wasm?: RuntimeCall;
  _ts_tree_cursor_delete_wasm?: RuntimeCall;
  _ts_tree_cursor_goto_first_child_wasm?: RuntimeCall;
  _ts_tree_cursor_goto_next_sibling_wasm?: RuntimeCall;
  _ts_tree_cursor_goto_parent_wasm?: RuntimeCall;
  _ts_tree_cursor_current_node_type_id_wasm?: RuntimeCall;
  _ts_tree_cursor_current_field_id_wasm?: RuntimeCall;
  _ts_tree_cursor_start_index_wasm?: RuntimeCall;
  _ts_tree_cursor_end_index_wasm?: RuntimeCall;
}
type RuntimeCall = (tree: number) => number;

/** Once for all languages: a second runtime would take the memory from under the first. */
let starting: Promise<Cursor> | null = null;

async function start(read: ReadPackaged): Promise<Cursor> {
  const { Parser } = await import('web-tree-sitter');
  const runtime: Runtime = { wasmBinary: await read('web-tree-sitter/web-tree-sitter.wasm') };
  await Parser.init(runtime);
  return {
    root: called(runtime._ts_tree_root_node_wasm),
    open: called(runtime._ts_tree_cursor_new_wasm),
    close: called(runtime._ts_tree_cursor_delete_wasm),
    down: called(runtime._ts_tree_cursor_goto_first_child_wasm),
    next: called(runtime._ts_tree_cursor_goto_next_sibling_wasm),
    up: called(runtime._ts_tree_cursor_goto_parent_wasm),
    type: called(runtime._ts_tree_cursor_current_node_type_id_wasm),
    field: called(runtime._ts_tree_cursor_current_field_id_wasm),
    start: called(runtime._ts_tree_cursor_start_index_wasm),
    end: called(runtime._ts_tree_cursor_end_index_wasm),
  };
}

function called(call: RuntimeCall | undefined): RuntimeCall {
  if (call === undefined) throw new TypeError('the runtime of tree-sitter has other functions');
  return call;
}

/** What is called of the runtime to go through a tree; steps give 1 where they lead somewhere. */
type Cursor = Readonly<
  Record<
    'root' | 'open' | 'close' | 'down' | 'next' | 'up' | 'type' | 'field' | 'start' | 'end',
    RuntimeCall
  >
>;

/** Scopes of packages of grammars, by the language. */
const SCOPES = new Map([['kotlin', '@tree-sitter-grammars/']]);

/**
 * Loads the grammar of a language by its name in the package: some 20 ms of CPU, so only once a
 * text is of that language. A text with errors is parsed once more as it is `repaired`, and taken
 * so where that has fewer.
 */
export async function loadParser(
  language: string,
  read: ReadPackaged,
  repaired: (text: string) => string = (text) => text,
): Promise<TreeParser> {
  const { Language, Parser } = await import('web-tree-sitter');
  starting ??= start(read);
  const cursor = await starting;
  const parser = new Parser();
  const packageName = `${SCOPES.get(language) ?? ''}tree-sitter-${language}`;
  const file = `tree-sitter-${language.replaceAll('-', '_')}.wasm`;
  const grammar = await Language.load(await read(`${packageName}/${file}`));
  parser.setLanguage(grammar);
  const kinds = kindsOf(grammar);
  const parse = (text: string): Parsed => {
    const tree = parser.parse(text);
    if (tree === null) {
      return { root: null, cut: null, errorChars: text.length, hasErrors: true };
    }
    try {
      return copyOf(addressOf(tree), cursor, kinds, grammar.fields);
    } finally {
      tree.delete();
    }
  };
  return {
    parse(text) {
      const asWritten = parse(text);
      const other = asWritten.hasErrors ? repaired(text) : text;
      if (other === text) return asWritten;
      const asRepaired = parse(other);
      return asRepaired.errorChars < asWritten.errorChars ? asRepaired : asWritten;
    },
  };
}

/** Where a tree stands in the memory of the runtime: the package keeps that under an index. */
function addressOf(tree: Tree): number {
  const address: unknown = Reflect.get(tree, 0);
  if (typeof address !== 'number') throw new TypeError('trees of tree-sitter have no address');
  return address;
}

/** What is done with nodes of one type. */
interface Kind {
  readonly type: string;
  /** `operator`: it is kept where its parent has it as one. */
  readonly kept: 'always' | 'operator' | 'never';
  /** How deep what stands in it is, as LEVELS_MAX counts. */
  readonly levels: 1 | 2;
  readonly mayHaveChildren: boolean;
}

const ERROR: Kind = { type: 'ERROR', kept: 'always', levels: 1, mayHaveChildren: true };
/** Signs that cannot be an operator in any language. */
const PUNCTUATION = /^[()[\]{},;"'`\s]*$/;
/** Words that stand for a value, although the grammar of C# does not name them. */
const VALUE = /^(?:this|base)$/;
/** Types of tokens, of which there are many. */
const TOKEN = /^(?:(?:field|type|package)_)?identifier$/;

/** What is done by the number of a type: a question to the parser for each node costs more. */
function kindsOf(grammar: Language): readonly Kind[] {
  return grammar.types.map((type, id): Kind => {
    const isNamed = grammar.nodeTypeIsNamed(id);
    // Python's grammar has a node for a backslash before the end of a line.
    const isLayout = type.endsWith('comment') || type === 'line_continuation';
    const named = isLayout ? 'never' : 'always';
    const sign = PUNCTUATION.test(type) ? 'never' : 'operator';
    const unnamed = VALUE.test(type) ? 'always' : sign;
    const levels = type.endsWith('_statement') ? 2 : 1;
    return { type, kept: isNamed ? named : unnamed, levels, mayHaveChildren: !TOKEN.test(type) };
  });
}

/**
 * Copies the tree out of the memory of the parser, without recursion. What nests too deep is left
 * out. The links of a chain are in one depth.
 */
function copyOf(
  tree: number,
  cursor: Cursor,
  kinds: readonly Kind[],
  fields: readonly (string | null)[],
): Parsed {
  const { down, next, up } = cursor;
  cursor.root(tree);
  cursor.open(tree);
  const top: TreeNode[] = [];
  /** Children of the nodes around the present one; `children`: of the innermost. */
  const outer: TreeNode[][] = [];
  let children = top;
  /** Types of the nodes around the present one, and how deep each of them is. */
  const types: string[] = [];
  const depths: number[] = [];
  let cut: number | null = null;
  let errorChars = 0;
  let hasErrors = false;
  let isDone = false;
  while (!isDone) {
    const { type, kept, levels, mayHaveChildren } = kinds[cursor.type(tree)] ?? ERROR;
    const field = kept === 'never' ? null : (fields[cursor.field(tree)] ?? null);
    const isWanted = kept === 'operator' ? field?.startsWith('operator') : kept === 'always';
    if (isWanted === true) {
      const start = cursor.start(tree);
      const end = cursor.end(tree);
      if (type === 'ERROR') {
        errorChars += end - start;
        hasErrors = true;
      }
      const isLink = mayLink(field) && type === types[types.length - 1];
      const depth = (depths[depths.length - 1] ?? 0) + (isLink ? 0 : levels);
      const isTooDeep = depth > AST_GATE.LEVELS_MAX || outer.length >= AST_GATE.RUN_TOKENS_MAX;
      let isInner = mayHaveChildren && down(tree) === 1;
      const isCut = isInner && isTooDeep;
      if (isCut) {
        cut ??= start;
        isInner = up(tree) !== 1;
      }
      const own: TreeNode[] = isInner ? [] : NO_CHILDREN;
      // Without its children a node of its type would be odd.
      children.push({ type: isCut ? ERROR.type : type, field, start, end, children: own });
      if (isInner) {
        outer.push(children);
        types.push(type);
        depths.push(depth);
        children = own;
        continue;
      }
    }
    while (!isDone && next(tree) !== 1) {
      isDone = up(tree) !== 1;
      children = outer.pop() ?? top;
      types.pop();
      depths.pop();
    }
  }
  cursor.close(tree);
  return { root: top[0] ?? null, cut, errorChars, hasErrors };
}

const NO_CHILDREN: TreeNode[] = [];

/** Whether a node of the same type as its parent may be a link: `a + b + c`, `else if`. */
function mayLink(field: string | null): boolean {
  return field === 'left' || field === 'alternative';
}

/** The child under that name; null when absent. */
export function part(node: TreeNode | null, field: string): TreeNode | null {
  return node?.children.find((child) => child.field === field) ?? null;
}

/** All children under that name. */
export function parts(node: TreeNode | null, field: string): TreeNode[] {
  return node?.children.filter((child) => child.field === field) ?? [];
}

/** The child of that type; null when absent. */
export function typed(node: TreeNode | null, type: string): TreeNode | null {
  return node?.children.find((child) => child.type === type) ?? null;
}
