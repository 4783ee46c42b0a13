import { BlockBuilder, unquoted } from './blocks.ts';
import type { Document } from './document.ts';

/** Blanks, a comment, a mark, a text in quotes (perhaps without an end), or a word. */
const TOKEN =
  /\s+|#[^\n]*|[{};]|"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|'(?:[^'\\]|\\[\s\S])*(?:'|\\?$)|(?:\\[\s\S]|\$\{|[^\s;{\\])+|[\s\S]/y;
/** What stands in a block of Lua between its brackets. */
const LUA = /--[^\n]*|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|[{}]/g;

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a file of nginx (nginx.org/en/docs/beginners_guide.html#conf_structure), also a file that
 * is included in another: directives and blocks by their names, arguments with one blank between.
 */
export function readNginx(text: string): Document {
  const builder = new BlockBuilder(text, 'nginx');
  let words: Word[] = [];
  TOKEN.lastIndex = 0;
  while (!builder.isEnded) {
    const start = TOKEN.lastIndex;
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) break;
    const end = start + token.length;
    if (/^(?:\s|#)/.test(token)) continue;
    if (token !== ';' && token !== '{' && token !== '}') {
      words.push({ text: unquoted(token), start, end });
      continue;
    }
    const [first, ...rest] = words;
    words = [];
    if (token === '}') {
      if (first !== undefined) builder.fail(first.start, 'has a directive without an end');
      builder.close(end);
      continue;
    }
    if (first === undefined) {
      builder.fail(start, `has ${token} without a directive`);
      if (token === ';') continue;
    }
    const { text: key, start: keyStart, end: keyEnd } = first ?? { text: '', start, end: start };
    const name = { key, start: keyStart, end: keyEnd };
    const args = rest.map((word) => word.text).join(' ');
    // A directive without arguments is a switch.
    const value = rest.length === 0 ? 'true' : args;
    const from = rest[0]?.start ?? keyEnd;
    const to = rest.at(-1)?.end ?? keyEnd;
    if (token === ';') {
      builder.setting(name, value, from, to);
    } else if (key.endsWith('_by_lua_block')) {
      TOKEN.lastIndex = endOfLua(text, end);
      builder.setting(name, value, from, to);
    } else {
      builder.open(name, args, from, to);
    }
  }
  if (words[0] !== undefined) builder.fail(words[0].start, 'has a directive without an end');
  if (builder.block !== '') builder.fail(text.length, `ends in the block ${builder.block}`);
  return builder.document();
}

function endOfLua(text: string, from: number): number {
  let open = 1;
  LUA.lastIndex = from;
  for (let token = LUA.exec(text); token !== null; token = LUA.exec(text)) {
    if (token[0] === '{') open += 1;
    if (token[0] === '}') open -= 1;
    if (open === 0) return LUA.lastIndex;
  }
  return text.length;
}
