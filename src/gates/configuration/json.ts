import type { Document, Entry, Node } from './document.ts';
import { DOCUMENTS } from './limits.ts';

/**
 * Reads JSON with comments, trailing commas and a byte order mark, as tools read the files of
 * editors. `isPart`: the text is cut out of a document, so brackets need not match; members
 * at its top belong to one map.
 */
export function readJson(text: string, isPart = false): Document {
  if (Buffer.byteLength(text) > DOCUMENTS.BYTES_MAX) return { ...EMPTY, problem: TOO_LONG };
  const reader = new JsonReader(text, isPart);
  try {
    return {
      format: 'json',
      roots: [isPart ? reader.members() : reader.document()],
      problem: null,
    };
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
    return { ...EMPTY, problem: thrown.message };
  }
}

const EMPTY = { format: 'json', roots: [] } as const;

/** Of both notations. */
export const TOO_LONG = `it is longer than ${DOCUMENTS.BYTES_MAX / 1024} KiB`;

class Unreadable extends Error {}

const BLANK = /(?:[\s\ufeff]+|\/\/[^\n]*)*/y;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"/y;
const WORD = /[\w.+-]+/y;

class JsonReader {
  private at = 0;
  private depth = 0;
  private nodes = 0;
  /** No comment is closed from here on: nothing has to be searched for another end. */
  private isLastCommentOpen = false;
  private readonly text: string;
  private readonly isPart: boolean;

  constructor(text: string, isPart: boolean) {
    this.text = text;
    this.isPart = isPart;
  }

  document(): Node {
    const root = this.value();
    this.skip();
    if (this.at < this.text.length) this.fail();
    return root;
  }

  /** The members of a text that may begin and end anywhere. */
  members(): Node {
    const entries: Entry[] = [];
    for (;;) {
      this.skip();
      if (this.at >= this.text.length) break;
      const before = this.at;
      const key = this.take(STRING);
      this.skip();
      if (key !== null && this.text[this.at] === ':') {
        this.at += 1;
        entries.push({ ...keyOf(key, before), value: this.value() });
      } else if (key === null) {
        this.pass();
      }
    }
    return { kind: 'map', start: 0, end: this.text.length, entries };
  }

  private value(): Node {
    this.skip();
    this.nodes += 1;
    if (this.nodes > DOCUMENTS.NODES_MAX) throw new Unreadable(TOO_MANY);
    const start = this.at;
    const char = this.text[start];
    if (char === '{' || char === '[') {
      this.depth += 1;
      if (this.depth > DOCUMENTS.DEPTH_MAX) throw new Unreadable(TOO_DEEP);
      this.at += 1;
      const node = char === '{' ? this.map(start) : this.list(start);
      this.depth -= 1;
      return node;
    }
    const string = this.take(STRING);
    if (string !== null) {
      return { kind: 'scalar', start, end: this.at, value: unescaped(string) };
    }
    const word = this.take(WORD);
    if (word === null && !this.isPart) this.fail();
    return { kind: 'scalar', start, end: this.at, value: word ?? '' };
  }

  private map(start: number): Node {
    const entries: Entry[] = [];
    while (!this.closes('}')) {
      const keyStart = this.at;
      const key = this.take(STRING);
      if (key === null) {
        if (!this.isPart) this.fail();
        this.pass();
        continue;
      }
      this.skip();
      if (this.text[this.at] === ':') this.at += 1;
      else if (this.isPart) continue;
      else this.fail();
      entries.push({ ...keyOf(key, keyStart), value: this.value() });
      this.comma('}');
    }
    return { kind: 'map', start, end: this.at, entries };
  }

  private list(start: number): Node {
    const items: Node[] = [];
    while (!this.closes(']')) {
      const before = this.at;
      items.push(this.value());
      // What a part leaves open may end with the bracket of another one.
      if (this.at === before) this.pass();
      this.comma(']');
    }
    return { kind: 'list', start, end: this.at, items };
  }

  private closes(bracket: string): boolean {
    this.skip();
    if (this.at >= this.text.length) {
      if (!this.isPart) this.fail();
      return true;
    }
    if (this.text[this.at] !== bracket) return false;
    this.at += 1;
    return true;
  }

  private comma(bracket: string): void {
    this.skip();
    if (this.text[this.at] === ',') this.at += 1;
    else if (this.text[this.at] !== bracket && !this.isPart) this.fail();
  }

  private skip(): void {
    this.take(BLANK);
    while (!this.isLastCommentOpen && this.text.startsWith('/*', this.at)) {
      const end = this.text.indexOf('*/', this.at + 2);
      this.isLastCommentOpen = end === -1;
      if (end !== -1) this.at = end + 2;
      this.take(BLANK);
    }
  }

  private take(token: RegExp): string | null {
    token.lastIndex = this.at;
    const match = token.exec(this.text);
    if (match === null) return null;
    this.at += match[0].length;
    return match[0];
  }

  /** Leaves what a part does not say the meaning of: a string that is not closed, else a sign. */
  private pass(): void {
    const end = this.text[this.at] === '"' ? this.text.indexOf('\n', this.at) : this.at;
    this.at = end === -1 ? this.text.length : end + 1;
  }

  private fail(): never {
    const line = this.text.slice(0, this.at).split('\n').length;
    throw new Unreadable(`line ${line} is not JSON`);
  }
}

/** Of both notations. */
export const TOO_DEEP = `it is nested deeper than ${DOCUMENTS.DEPTH_MAX}`;
/** Of both notations. */
export const TOO_MANY = `it has more than ${DOCUMENTS.NODES_MAX} values`;

function keyOf(string: string, keyStart: number) {
  return { key: unescaped(string), keyStart, keyEnd: keyStart + string.length };
}

/** What a string stands for; one with an escape that JSON does not have stays as it is written. */
function unescaped(string: string): string {
  try {
    return String(JSON.parse(string));
  } catch {
    return string.slice(1, -1);
  }
}
