import type { Document, Entry, MapNode, Node, ScalarNode } from './document.ts';
import { readJson, TOO_DEEP, TOO_LONG, TOO_MANY } from './json.ts';
import { DOCUMENTS } from './limits.ts';

/**
 * Reads HCL, the language of Terraform (github.com/hashicorp/hcl, hclsyntax/spec.md), in time
 * linear in the text. A block is a map within maps of its labels, as in the JSON form of the same
 * language: `resource "a" "b" {}` reads as `{resource: {a: {b: {}}}}`. Expressions are not
 * evaluated: all but literals, lists and objects are scalars that are `computed`.
 */
export function readHcl(text: string): Document {
  if (Buffer.byteLength(text) > DOCUMENTS.BYTES_MAX) return unread(TOO_LONG);
  try {
    return { format: 'hcl', roots: [new HclReader(text).file()], problem: null };
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return unread(thrown.message);
  }
}

function unread(problem: string): Document {
  return { format: 'hcl', roots: [], problem };
}

class Unreadable extends Error {}

const BLANK = /(?:\s|#[^\n]*|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|\/\*[\s\S]*$)+/y;
/** The same within a line: what follows it ends an expression. */
const SPACE = /(?:[^\S\n]|\/\*[^*\n]*(?:\*(?!\/)[^*\n]*)*\*\/)+/y;
const NAME = /[\p{L}_][\p{L}\p{N}_-]*/uy;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const HEREDOC = /<<(-?)([\p{L}_][\p{L}\p{N}_-]*)\r?\n/uy;
/** A name at the beginning of an element of an object, or of an attribute. */
const CALL = /([a-z_]\w*)\s*\(/y;

class HclReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #nodes = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, ' ');
  }

  file(): MapNode {
    const entries = this.#body();
    if (this.#at < this.#text.length) this.#fail();
    return { kind: 'map', start: 0, end: this.#text.length, entries };
  }

  /** Attributes and blocks, up to a closing brace or the end. */
  #body(): Entry[] {
    const entries: Entry[] = [];
    for (;;) {
      this.#skip();
      const next = this.#text[this.#at];
      if (next === undefined || next === '}') return entries;
      if (next === ',' || next === ';') this.#at += 1;
      else entries.push(this.#statement());
    }
  }

  #statement(): Entry {
    const keyStart = this.#at;
    const key = this.#take(NAME) ?? this.#quoted();
    if (key === null) this.#fail();
    const keyEnd = this.#at;
    this.#skip();
    if (this.#text[this.#at] === '=' && this.#text[this.#at + 1] !== '=') {
      this.#at += 1;
      return { key, keyStart, keyEnd, value: this.#expression('\n}') };
    }
    const labels: string[] = [];
    while (this.#text[this.#at] !== '{') {
      const label = this.#take(NAME) ?? this.#quoted();
      if (label === null) this.#fail();
      labels.push(label);
      this.#skip();
    }
    this.#open();
    const headerEnd = this.#at;
    const entries = this.#body();
    this.#close('}');
    const node: Node = { kind: 'map', start: keyStart, end: this.#at, entries };
    return this.#block(key, labels, node, { keyStart, keyEnd: headerEnd });
  }

  /** `dynamic "x" { content {} }` stands for blocks `x`, each with that content. */
  #block(
    type: string,
    labels: readonly string[],
    node: MapNode,
    place: { keyStart: number; keyEnd: number },
  ): Entry {
    const [label] = labels;
    if (type === 'dynamic' && label !== undefined) {
      const content = node.entries.find(({ key }) => key === 'content')?.value ?? node;
      return { key: label, ...place, value: content };
    }
    let value: Node = node;
    for (const name of labels.toReversed()) {
      value = { kind: 'map', start: node.start, end: node.end, entries: [entry(name, value)] };
    }
    return { key: type, ...place, value };
    function entry(key: string, inner: Node): Entry {
      return { key, ...place, value: inner };
    }
  }

  /** Up to one of the signs that end it here, on the level of its beginning. */
  #expression(ends: string): Node {
    this.#grow();
    if (ends.includes('\n')) this.#take(SPACE);
    else this.#skip();
    const start = this.#at;
    const simple = this.#simple();
    const after = this.#at;
    if (ends.includes('\n')) this.#take(SPACE);
    else this.#skip();
    if (simple !== null && this.#isEnd(ends)) {
      this.#at = after;
      return simple;
    }
    this.#at = start;
    return this.#computed(start, ends);
  }

  /** A literal, a list, an object, or text in quotes; null: another expression. */
  #simple(): Node | null {
    const start = this.#at;
    const sign = this.#text[start];
    if (sign === '"') {
      const value = this.#quoted() ?? '';
      return this.#scalar(start, value, /[$%]\{/.test(value));
    }
    if (sign === '[') return this.#list();
    if (sign === '{') return this.#object();
    if (sign === '<') return this.#heredoc();
    const number = this.#take(NUMBER);
    if (number !== null) return this.#scalar(start, number);
    const call = this.#match(CALL);
    if (call?.[1] === 'jsonencode' || call?.[1] === 'toset' || call?.[1] === 'tolist') {
      this.#at += call[0].length - 1;
      this.#open();
      const value = this.#expression(')');
      this.#skip();
      if (this.#text[this.#at] !== ')') return null;
      this.#close(')');
      return value;
    }
    const name = this.#take(NAME);
    const isLiteral = name === 'true' || name === 'false' || name === 'null';
    return isLiteral ? this.#scalar(start, name) : null;
  }

  #list(): Node | null {
    const start = this.#at;
    this.#open();
    const items: Node[] = [];
    this.#skip();
    if (this.#isWord('for')) return this.#leave(start);
    while (this.#text[this.#at] !== ']') {
      items.push(this.#expression(',]'));
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (this.#text[this.#at] !== ']') this.#fail();
      this.#skip();
    }
    this.#close(']');
    return { kind: 'list', start, end: this.#at, items };
  }

  #object(): Node | null {
    const start = this.#at;
    this.#open();
    const entries: Entry[] = [];
    this.#skip();
    if (this.#isWord('for')) return this.#leave(start);
    while (this.#text[this.#at] !== '}') {
      const keyStart = this.#at;
      const key = this.#key();
      const keyEnd = this.#at;
      this.#skip();
      if (this.#text[this.#at] !== '=' && this.#text[this.#at] !== ':') this.#fail();
      this.#at += 1;
      entries.push({ key, keyStart, keyEnd, value: this.#expression(',\n}') });
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at += 1;
      this.#skip();
    }
    this.#close('}');
    return { kind: 'map', start, end: this.#at, entries };
  }

  /** A name, a text, or an expression in parentheses. */
  #key(): string {
    const start = this.#at;
    const name = this.#take(NAME) ?? this.#take(NUMBER) ?? this.#quoted();
    if (name !== null && !/[.[]/.test(this.#text[this.#at] ?? '')) return name;
    this.#at = start;
    const { value } = this.#computed(start, '=:');
    return value;
  }

  #heredoc(): Node | null {
    const begin = this.#match(HEREDOC);
    if (begin === null) return null;
    const start = this.#at;
    const [opening, , name = ''] = begin;
    const from = start + opening.length;
    const closing = new RegExp(`^[ \\t]*${name}[ \\t]*\\r?$`, 'gm');
    closing.lastIndex = from;
    const end = closing.exec(this.#text);
    if (end === null) this.#fail();
    this.#at = end.index + end[0].length;
    const value = this.#text.slice(from, end.index);
    if (/^\s*[[{]/.test(value)) {
      const { roots, problem } = readJson(value);
      const [root] = roots;
      if (problem === null && root !== undefined) return shifted(root, from);
    }
    return this.#scalar(start, value, /[$%]\{/.test(value));
  }

  /** Any expression, as it is written. */
  #computed(start: number, ends: string): ScalarNode {
    const depth = this.#depth;
    for (;;) {
      const sign = this.#text[this.#at];
      if (sign === undefined) {
        if (!ends.includes('\n')) this.#fail();
        break;
      }
      if (this.#depth === depth && this.#isEnd(ends) && !this.#goesOn(start)) break;
      if (sign === '"') this.#quoted();
      else if (sign === '<' && this.#match(HEREDOC) !== null) this.#heredoc();
      else if (sign === '(' || sign === '[' || sign === '{') this.#open();
      else if (sign === ')' || sign === ']' || sign === '}') {
        if (this.#depth === depth) this.#fail();
        this.#close(sign);
      } else if (this.#take(BLANK) === null) this.#at += 1;
    }
    return this.#scalar(start, this.#text.slice(start, this.#at).trim(), true);
  }

  /** Whether an expression goes on behind the end of a line: an operator is open. */
  #goesOn(start: number): boolean {
    if (this.#text[this.#at] !== '\n') return false;
    let at = this.#at - 1;
    while (at > start && /[^\S\n]/.test(this.#text[at] ?? '')) at -= 1;
    return /[?:+*/%&|!<>-]/.test(this.#text[at] ?? '');
  }

  /** Text in quotes, without them; null when another sign comes. */
  #quoted(): string | null {
    if (this.#text[this.#at] !== '"') return null;
    const start = this.#at + 1;
    // Texts and the expressions in them, the innermost last: `"${file("${path.module}/x")}"`.
    const open: ('text' | 'expression')[] = ['text'];
    for (let at = start; at < this.#text.length; at += 1) {
      const sign = this.#text[at] ?? '';
      const inText = open.at(-1) === 'text';
      if (inText && sign === '\n') break;
      if (inText && sign === '\\') at += 1;
      else if (sign === '"' && inText) {
        open.pop();
        if (open.length > 0) continue;
        this.#at = at + 1;
        return unescaped(this.#text.slice(start, at));
      } else if (sign === '"') open.push('text');
      else if (inText && /[$%]/.test(sign) && this.#text[at + 1] === '{') {
        // `$${` stands for a plain `${`.
        if (this.#text[at - 1] !== sign) open.push('expression');
        at += 1;
      } else if (!inText && sign === '{') open.push('expression');
      else if (!inText && sign === '}') open.pop();
      if (open.length > DOCUMENTS.DEPTH_MAX) throw new Unreadable(TOO_DEEP);
    }
    this.#fail();
  }

  /** A list or object that is computed from others: read again as an expression. */
  #leave(start: number): null {
    this.#depth -= 1;
    this.#at = start;
    return null;
  }

  #isEnd(ends: string): boolean {
    const sign = this.#text[this.#at];
    if (sign === undefined) return ends.includes('\n');
    if (sign === '\r' && ends.includes('\n')) return this.#text[this.#at + 1] === '\n';
    const isComment = sign === '#' || this.#text.startsWith('//', this.#at);
    return ends.includes(sign) || (isComment && ends.includes('\n'));
  }

  #isWord(word: string): boolean {
    const { [word.length]: after } = this.#text.slice(this.#at, this.#at + word.length + 1);
    return this.#text.startsWith(word, this.#at) && !/[\w-]/.test(after ?? '');
  }

  #open(): void {
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > DOCUMENTS.DEPTH_MAX) throw new Unreadable(TOO_DEEP);
  }

  #close(sign: string): void {
    if (this.#text[this.#at] !== sign) this.#fail();
    this.#at += 1;
    this.#depth -= 1;
  }

  #scalar(start: number, value: string, computed = false): ScalarNode {
    const node = { kind: 'scalar', start, end: this.#at, value } as const;
    return computed ? { ...node, computed: true } : node;
  }

  #skip(): void {
    this.#take(BLANK);
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    return expression.exec(this.#text);
  }

  #take(expression: RegExp): string | null {
    const [found] = this.#match(expression) ?? [];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #grow(): void {
    this.#nodes += 1;
    if (this.#nodes > DOCUMENTS.NODES_MAX) throw new Unreadable(TOO_MANY);
  }

  #fail(): never {
    const line = this.#text.slice(0, this.#at).split('\n').length;
    throw new Unreadable(`line ${line} is not HCL`);
  }
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\([nrt"\\])/g, (_, sign: string) => ESCAPES[sign] ?? sign);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function shifted(node: Node, by: number): Node {
  const start = node.start + by;
  const end = node.end + by;
  if (node.kind === 'scalar') return { ...node, start, end };
  if (node.kind === 'list') {
    return { ...node, start, end, items: node.items.map((item) => shifted(item, by)) };
  }
  const entries = node.entries.map((entry) => ({
    ...entry,
    keyStart: entry.keyStart + by,
    keyEnd: entry.keyEnd + by,
    value: shifted(entry.value, by),
  }));
  return { ...node, start, end, entries };
}
