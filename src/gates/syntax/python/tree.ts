import type { Node } from 'web-tree-sitter';

/** A node of the tree. Offsets are indexes of the text that was parsed. */
export interface PyNode {
  readonly type: string;
  /** The name under which its parent has it; null: none. */
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  /** All but comments and punctuation. */
  readonly children: readonly PyNode[];
}

/** A parser of Python. */
export interface PythonParser {
  parse(text: string): Parsed;
}

interface Parsed {
  /** Null: it nests deeper than is followed. */
  readonly root: PyNode | null;
  /** Characters within what the grammar does not know. */
  readonly errorChars: number;
}

/** The WebAssembly modules that parsing needs, as bytes. */
export interface Grammar {
  readonly runtime: Uint8Array;
  readonly python: Uint8Array;
}

/** Nodes within nodes; deeper code is written to break readers. */
const DEPTH_MAX = 300;

/** Loads the grammar: some 20 ms of CPU, so only once a text is Python. */
export async function loadPython({ runtime, python }: Grammar): Promise<PythonParser> {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init({ wasmBinary: runtime });
  const parser = new Parser();
  parser.setLanguage(await Language.load(python));
  return {
    parse(text) {
      const tree = parser.parse(text);
      if (tree === null) return { root: null, errorChars: text.length };
      try {
        return copyOf(tree.rootNode);
      } finally {
        tree.delete();
      }
    },
  };
}

/** A node whose children are being read. */
interface Open {
  readonly node: PyNode;
  readonly children: PyNode[];
}

/** Tokens without a name that say what an expression does. */
const OPERATOR =
  /^(?:[-+*/%@|&]|\/\/|\*\*|==|!=|<>|<=?|>=?|[+*/%|]=|in|not in|is|is not|not|and|or)$/;

/** Copies the tree out of the memory of the parser, without recursion. */
function copyOf(rootNode: Node): Parsed {
  const cursor = rootNode.walk();
  const stack: Open[] = [];
  let errorChars = 0;
  let top: PyNode | null = null;
  let isDeep = false;
  for (;;) {
    const type = cursor.nodeType;
    const isWanted = cursor.nodeIsNamed
      ? type !== 'comment'
      : OPERATOR.test(type) && cursor.currentFieldName?.startsWith('operator') === true;
    let goDown = false;
    if (isWanted) {
      const children: PyNode[] = [];
      const { startIndex: start, endIndex: end, currentFieldName: field } = cursor;
      const node = { type, field, start, end, children };
      if (type === 'ERROR') errorChars += end - start;
      stack.at(-1)?.children.push(node);
      top ??= node;
      goDown = cursor.gotoFirstChild();
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

/** The child under that name; null: none. */
export function part(node: PyNode | null, field: string): PyNode | null {
  return node?.children.find((child) => child.field === field) ?? null;
}

/** All children under that name. */
export function parts(node: PyNode | null, field: string): PyNode[] {
  return node?.children.filter((child) => child.field === field) ?? [];
}

/** The child of that type; null: none. */
export function typed(node: PyNode | null, type: string): PyNode | null {
  return node?.children.find((child) => child.type === type) ?? null;
}

/** A hunk made so that it may be parsed by itself: `prefix` stands before its text. */
export interface Fitted {
  readonly prefix: string;
  readonly root: PyNode;
}

/** What is read of a text. */
export interface Read {
  /** Null: it nests deeper than is followed. */
  readonly fitted: Fitted | null;
  /** The greater part of it is not Python. */
  readonly isForeign: boolean;
  /** Characters given to the parser. */
  readonly work: number;
}

/** A text of which more than this share is within errors is not a program. */
const FOREIGN_SHARE = 0.5;

/**
 * Reads a file or a hunk. The grammar tolerates errors; still, a hunk gets the heads of the blocks
 * that it stands in, and the beginning of a text in quotes that it begins within.
 */
export function readPython(parser: PythonParser, text: string): Read {
  const heads = headsFor(text);
  let best: (Parsed & { prefix: string }) | null = null;
  let work = 0;
  for (const prefix of [heads, ...quotesFor(text).map((quotes) => `${quotes}\n`)]) {
    const parsed = parser.parse(prefix + text);
    work += prefix.length + text.length;
    if (best === null || parsed.errorChars < best.errorChars) best = { ...parsed, prefix };
    if (best.errorChars === 0 || best.root === null) break;
  }
  if (best === null || best.root === null) return { fitted: null, isForeign: false, work };
  const { prefix, root, errorChars } = best;
  const isForeign = errorChars > FOREIGN_SHARE * (text.length + prefix.length);
  return { fitted: { prefix, root }, isForeign, work };
}

/** Levels of indentation that are looked at; real code has less than ten. */
const LEVELS_MAX = 40;
const LINE_START = /^([ \t]*)(?:(else|elif|except|finally|case)\b|[^\s#])/gm;

/**
 * Heads of blocks for a hunk that begins within some: one for each indentation to which it goes
 * back, so that an `else` or `except` there has what it belongs to. Ends with a line end.
 */
function headsFor(text: string): string {
  const outer: string[] = [];
  let first: { indent: string; word: string | undefined } | null = null;
  let least = 0;
  for (const [, indent = '', word] of text.matchAll(LINE_START)) {
    if (first === null) first = { indent, word };
    else if (indent.length < least) outer.unshift(indent + headOf(word));
    else continue;
    least = indent.length;
    if (least === 0 || outer.length >= LEVELS_MAX) break;
  }
  if (first === null) return '';
  const { indent, word } = first;
  if (indent !== '' && /^\s|^$/.test(outer[0] ?? '')) outer.unshift('if 1:');
  if (word !== undefined) outer.push(indent + headOf(word), `${indent} pass`);
  return outer.map((line) => `${line}\n`).join('');
}

function headOf(word: string | undefined): string {
  if (word === 'except' || word === 'finally') return 'try:';
  return word === 'case' ? 'match _:' : 'if 1:';
}

/** The quotes that a hunk may begin within: those that stand in it an odd number of times. */
function quotesFor(text: string): string[] {
  return ['"""', "'''"].filter((quotes) => text.split(quotes).length % 2 === 0);
}
