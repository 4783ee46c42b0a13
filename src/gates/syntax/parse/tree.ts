import type { Language, Node } from 'web-tree-sitter';

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
  /** Null: it nests deeper than is followed. */
  readonly root: TreeNode | null;
  /** Characters within what the grammar does not know. */
  readonly errorChars: number;
}

/** Reads a file of a package that parsing needs, such as `tree-sitter-go/tree-sitter-go.wasm`. */
export type ReadPackaged = (name: string) => Promise<Uint8Array>;

/** Nodes within nodes; deeper code is written to break readers. */
const DEPTH_MAX = 300;

/** Once for all languages: a second runtime would take the memory from under the first. */
let starting: Promise<void> | null = null;

/**
 * Loads the grammar of a language by its name in the package: some 20 ms of CPU, so only once a
 * text is of that language.
 */
export async function loadParser(language: string, read: ReadPackaged): Promise<TreeParser> {
  const { Language, Parser } = await import('web-tree-sitter');
  starting ??= read('web-tree-sitter/web-tree-sitter.wasm').then((wasmBinary) =>
    Parser.init({ wasmBinary }),
  );
  await starting;
  const parser = new Parser();
  const packageName = `tree-sitter-${language}`;
  const file = `tree-sitter-${language.replaceAll('-', '_')}.wasm`;
  const grammar = await Language.load(await read(`${packageName}/${file}`));
  parser.setLanguage(grammar);
  const kinds = kindsOf(grammar);
  return {
    parse(text) {
      const tree = parser.parse(text);
      if (tree === null) return { root: null, errorChars: text.length };
      try {
        return copyOf(tree.rootNode, kinds);
      } finally {
        tree.delete();
      }
    },
  };
}

/** A node whose children are being read. */
interface Open {
  readonly node: TreeNode;
  readonly children: TreeNode[];
}

/** What is done with nodes of one type. */
interface Kind {
  readonly type: string;
  /** `operator`: it is kept where its parent has it as one. */
  readonly kept: 'always' | 'operator' | 'never';
  readonly mayHaveChildren: boolean;
}

const ERROR: Kind = { type: 'ERROR', kept: 'always', mayHaveChildren: true };
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
    const isComment = type.endsWith('comment');
    const named = isComment ? 'never' : 'always';
    const sign = PUNCTUATION.test(type) ? 'never' : 'operator';
    const unnamed = VALUE.test(type) ? 'always' : sign;
    return { type, kept: isNamed ? named : unnamed, mayHaveChildren: !TOKEN.test(type) };
  });
}

/** Copies the tree out of the memory of the parser, without recursion. */
function copyOf(rootNode: Node, kinds: readonly Kind[]): Parsed {
  const cursor = rootNode.walk();
  const stack: Open[] = [];
  let errorChars = 0;
  let top: TreeNode | null = null;
  let isDeep = false;
  for (;;) {
    const { type, kept, mayHaveChildren } = kinds[cursor.nodeTypeId] ?? ERROR;
    const field = kept === 'never' ? null : cursor.currentFieldName;
    const isWanted = kept === 'operator' ? field?.startsWith('operator') : kept === 'always';
    let goDown = false;
    if (isWanted === true) {
      const children: TreeNode[] = [];
      const { startIndex: start, endIndex: end } = cursor;
      const node = { type, field, start, end, children };
      if (type === 'ERROR') errorChars += end - start;
      stack.at(-1)?.children.push(node);
      top ??= node;
      goDown = mayHaveChildren && cursor.gotoFirstChild();
      if (goDown) stack.push({ node, children });
    }
    if (goDown && stack.length > DEPTH_MAX) {
      isDeep = true;
      break;
    }
    if (goDown) continue;
    let isDone = false;
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) {
        isDone = true;
        break;
      }
      stack.pop();
    }
    if (isDone) break;
  }
  cursor.delete();
  return { root: isDeep ? null : top, errorChars };
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
