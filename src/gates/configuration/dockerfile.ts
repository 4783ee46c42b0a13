import type { Document, Entry, MapNode, Node } from './document.ts';
import { TOO_LONG } from './json.ts';
import { DOCUMENTS } from './limits.ts';

const INSTRUCTION = /^[ \t]*([A-Za-z]+)(?=\s)/;
const FLAG = /[ \t]*--([\w-]+)(?:=(\S+))?/y;
const HEREDOC = /<<-?["']?(\w+)["']?/g;
const FROM = /^(\S+)(?:\s+as\s+(\S+))?/i;
/** A directive, also in the form of other languages (moby/buildkit, `parser/directives.go`). */
const DIRECTIVE = /^[ \t]*(?:#|\/\/)[ \t]*([a-zA-Z][a-zA-Z0-9]*)[ \t]*=[ \t]*(\S[^\n]*)/;

/**
 * Reads a Dockerfile (docs.docker.com/reference/dockerfile): a map of its instructions in upper
 * case, in their order; each is a map of its flags (`--platform`) and its `text`, which holds lines
 * that are continued and texts of heredocs. `FROM` has `image` and `as`, too. Before them stand
 * directives, by their names in small letters; below the first other line each is a comment.
 */
export function readDockerfile(text: string): Document {
  const format = 'dockerfile';
  if (Buffer.byteLength(text) > DOCUMENTS.BYTES_MAX)
    return { format, roots: [], problem: TOO_LONG };
  const continued = /^#[ \t]*escape[ \t]*=[ \t]*`/im.test(text.slice(0, 1_000)) ? '`' : '\\';
  const entries: Entry[] = [];
  const reader = new LineReader(text);
  let isHead = true;
  for (let line = reader.next(); line !== null; line = reader.next()) {
    const [, directive, setting = ''] = DIRECTIVE.exec(line.text) ?? [];
    isHead &&= directive !== undefined || (line.start === 0 && line.text.startsWith('#!'));
    if (isHead && directive !== undefined) {
      const keyStart = line.start + line.text.indexOf(directive);
      const keyEnd = keyStart + directive.length;
      const from = line.start + line.text.lastIndexOf(setting);
      const value = instruction('', text, from, from + setting.length);
      entries.push({ key: directive.toLowerCase(), keyStart, keyEnd, value });
      continue;
    }
    const [, name] = INSTRUCTION.exec(line.text) ?? [];
    if (name === undefined) continue;
    const keyStart = line.start + line.text.indexOf(name);
    let end = line.end;
    let last = line.text;
    while (last.trimEnd().endsWith(continued)) {
      const next = reader.next();
      if (next === null) break;
      // Comments and empty lines within an instruction do not end it.
      if (!/^\s*(?:#|$)/.test(next.text)) last = next.text;
      end = next.end;
    }
    const head = text.slice(keyStart + name.length, end);
    if (/^(?:RUN|COPY|ADD)$/i.test(name)) {
      for (const [, word = ''] of head.matchAll(HEREDOC)) end = reader.skipTo(word) ?? end;
    }
    const place = { keyStart, keyEnd: keyStart + name.length };
    const key = name.toUpperCase();
    entries.push({ key, ...place, value: instruction(key, text, place.keyEnd, end) });
  }
  const root: Node = { kind: 'map', start: 0, end: text.length, entries };
  return { format, roots: [root], problem: null };
}

function instruction(key: string, text: string, from: number, end: number): MapNode {
  const entries: Entry[] = [];
  const add = (name: string, value: string, start: number) => {
    const range = { start, end: start + value.length };
    const computed = /\$\{?\w/.test(value) && key === 'FROM';
    const node: Node = computed
      ? { kind: 'scalar', ...range, value, computed }
      : { kind: 'scalar', ...range, value };
    entries.push({ key: name, keyStart: start, keyEnd: start, value: node });
  };
  let at = from;
  FLAG.lastIndex = at;
  for (let flag = FLAG.exec(text); flag !== null; flag = FLAG.exec(text)) {
    if (flag.index + flag[0].length > end) break;
    add(flag[1] ?? '', flag[2] ?? 'true', at + flag[0].length - (flag[2]?.length ?? 0));
    at = FLAG.lastIndex;
  }
  while (at < end && /\s/.test(text[at] ?? '')) at += 1;
  const rest = text.slice(at, end).trimEnd();
  add('text', rest, at);
  const [, image, as] = key === 'FROM' ? (FROM.exec(rest) ?? []) : [];
  if (image !== undefined) add('image', image, at);
  if (as !== undefined) add('as', as, at + rest.indexOf(as, image?.length ?? 0));
  return { kind: 'map', start: from, end: at + rest.length, entries };
}

interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

class LineReader {
  readonly #text: string;
  #at = 0;
  /** Where lines end that are one word, by that word, the last one first. */
  #words: Map<string, number[]> | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Line | null {
    if (this.#at >= this.#text.length) return null;
    const start = this.#at;
    const found = this.#text.indexOf('\n', start);
    const end = found === -1 ? this.#text.length : found;
    this.#at = end + 1;
    return { text: this.#text.slice(start, end), start, end };
  }

  /** Skips the lines up to a line of this word; null, at the end, when absent. */
  skipTo(word: string): number | null {
    this.#words ??= wordLines(this.#text);
    const ends = this.#words.get(word) ?? [];
    while ((ends.at(-1) ?? this.#at) < this.#at) ends.pop();
    const end = ends.pop();
    if (end === undefined) return null;
    this.#at = end + 1;
    return end;
  }
}

function wordLines(text: string): Map<string, number[]> {
  const words = new Map<string, number[]>();
  for (const found of [...text.matchAll(/^[ \t]*(\w+)[ \t\r]*$/gm)].reverse()) {
    const [line, word = ''] = found;
    const ends = words.get(word) ?? [];
    ends.push(found.index + line.length);
    words.set(word, ends);
  }
  return words;
}
