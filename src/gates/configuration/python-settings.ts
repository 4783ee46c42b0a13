import type { Document, Entry, Node } from './document.ts';
import { TOO_LONG } from './json.ts';
import { DOCUMENTS } from './limits.ts';

/** `NAME = `, `NAME: type = `, `NAME += ` at the start of a line. */
const ASSIGNMENT = /([A-Z][A-Z0-9_]*)[ \t]*(?::[^=\n#]*)?\+?=(?!=)[ \t]*/y;
const BLANK = /(?:[ \t\r\f]|\\\r?\n)+/y;
/** In brackets lines have no end. */
const BLANK_INSIDE = /(?:\s|\\\r?\n|#[^\n]*)+/y;
/** A literal without an end goes to the end of the text, or of the line. */
const STRING =
  /([A-Za-z]{0,2})(?:"""((?:[^\\]|\\[\s\S])*?)(?:"""|$)|'''((?:[^\\]|\\[\s\S])*?)(?:'''|$)|"((?:[^"\\\n]|\\[\s\S])*)"?|'((?:[^'\\\n]|\\[\s\S])*)'?)/y;
const WORD = /-?[\w.]+/y;
const OPENING = '([{';
const CLOSING = ')]}';

/**
 * Reads settings in Python (docs.djangoproject.com/en/stable/topics/settings): a map of the names
 * in capitals that lines without indentation assign. Texts, numbers, names such as `True`, lists
 * and tables of them are values; any other expression is computed. What `if`, functions and classes
 * assign is left out: whether it counts, only a run says.
 */
export function readPythonSettings(text: string): Document {
  const format = 'python';
  if (Buffer.byteLength(text) > DOCUMENTS.BYTES_MAX)
    return { format, roots: [], problem: TOO_LONG };
  const reader = new SettingsReader(text);
  return { format, roots: [reader.module()], problem: null };
}

class SettingsReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  module(): Node {
    const entries: Entry[] = [];
    while (this.#at < this.#text.length) {
      const keyStart = this.#at;
      const [head, key] = this.#take(ASSIGNMENT) ?? [];
      if (head !== undefined && key !== undefined) {
        const value = this.#value(0);
        entries.push({ key, keyStart, keyEnd: keyStart + key.length, value });
      }
      this.#passTo('\n', false);
      this.#at += 1;
    }
    return { kind: 'map', start: 0, end: this.#text.length, entries };
  }

  /** A value with the operators behind it; `depth`: brackets around it. */
  #value(depth: number): Node {
    const start = this.#at;
    const node = depth < DOCUMENTS.DEPTH_MAX ? this.#literal(depth) : null;
    const { length } = this.#text;
    const isInside = depth > 0;
    const before = this.#at;
    this.#blank(isInside);
    const next = this.#text[this.#at] ?? '\n';
    const ends = isInside ? /[,:)\]}\n]/ : /[\n#;]/;
    if (node !== null && ends.test(next)) {
      this.#at = isInside ? this.#at : before;
      return node;
    }
    this.#passTo(isInside ? ',:' : '\n', isInside);
    const end = Math.min(length, this.#at);
    return { kind: 'scalar', start, end, value: this.#text.slice(start, end), computed: true };
  }

  #literal(depth: number): Node | null {
    const start = this.#at;
    const char = this.#text[start] ?? '';
    if (char !== '' && OPENING.includes(char)) return this.#brackets(depth + 1);
    const string = this.#strings(depth > 0);
    if (string !== null) return { kind: 'scalar', start, end: this.#at, ...string };
    const [value] = this.#take(WORD) ?? [];
    if (value === undefined || !/^(?:-?\d[\w.]*|True|False|None)$/.test(value)) return null;
    // No value at all is written as in the other notations.
    return { kind: 'scalar', start, end: this.#at, value: value === 'None' ? 'null' : value };
  }

  /** Texts that stand side by side are one. */
  #strings(isInside: boolean): { value: string; computed?: true } | null {
    let value: string | null = null;
    let isComputed = false;
    for (let end = this.#at; ; end = this.#at) {
      this.#blank(isInside);
      const [whole, prefix = '', ...forms] = this.#take(STRING) ?? [];
      if (whole === undefined) {
        this.#at = end;
        break;
      }
      value = (value ?? '') + (forms.find((form) => form !== undefined) ?? '');
      isComputed ||= /f/i.test(prefix);
    }
    if (value === null) return null;
    return isComputed ? { value, computed: true } : { value };
  }

  /** A list, a tuple, a set or a table; one value in round brackets is that value. */
  #brackets(depth: number): Node {
    const start = this.#at;
    const bracket = this.#text[start];
    this.#at += 1;
    const items: Node[] = [];
    const entries: Entry[] = [];
    let hasComma = false;
    for (;;) {
      this.#blank(true);
      const char = this.#text[this.#at];
      if (char === undefined || CLOSING.includes(char)) break;
      if (char === ',' || char === ':') {
        hasComma = true;
        this.#at += 1;
        continue;
      }
      const before = this.#at;
      const item = this.#value(depth);
      if (this.#text[this.#at] === ':' && bracket === '{') {
        this.#at += 1;
        this.#blank(true);
        const key = item.kind === 'scalar' && item.computed !== true ? item.value : '';
        const value = this.#value(depth);
        entries.push({ key, keyStart: item.start, keyEnd: item.end, value });
      } else {
        items.push(item);
      }
      if (this.#at === before) this.#at += 1;
    }
    this.#at += 1;
    const end = Math.min(this.#at, this.#text.length);
    const [only] = items;
    if (bracket === '(' && items.length === 1 && !hasComma && only !== undefined) return only;
    return bracket === '{' && (entries.length > 0 || items.length === 0)
      ? { kind: 'map', start, end, entries }
      : { kind: 'list', start, end, items };
  }

  /** To a mark that stands in no text and in no bracket; or before the bracket that closes. */
  #passTo(marks: string, isInside: boolean): void {
    let open = 0;
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? '';
      if (open === 0 && marks.includes(char)) return;
      if (CLOSING.includes(char)) {
        if (open === 0 && isInside) return;
        open = Math.max(0, open - 1);
      }
      if (OPENING.includes(char)) open += 1;
      if (char === '"' || char === "'") this.#take(STRING);
      else if (char === '#') this.#take(/[^\n]*/y);
      else this.#at += char === '\\' ? 2 : 1;
    }
  }

  #blank(isInside: boolean): void {
    this.#take(isInside ? BLANK_INSIDE : BLANK);
  }

  #take(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const match = token.exec(this.#text);
    if (match !== null) this.#at += match[0].length;
    return match;
  }
}
