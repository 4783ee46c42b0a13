import { mayHoldSink } from './hints.ts';
import { blank, codeInMarkup, isMarkupLine, mayBeProgram } from './markup.ts';

/** Files of markup with JavaScript or TypeScript in parts of them. */
const EMBEDDING = /\.(?:vue|svelte|x?html?|astro|mdx|ejs)$/i;
const TAG = /<\/?script\b/gi;
/**
 * Scripts that no browser runs: https://html.spec.whatwg.org/#attr-script-type. The first `type`
 * counts, and not what stands in other names and values; any odd tag begins a script.
 */
const DATA_TYPE = new RegExp(
  String.raw`^<script(?:\s+(?!type[\s=])[\w:.@-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+))?)*` +
    String.raw`\s+type\s*=\s*(["']?)\s*` +
    String.raw`(?:application/(?:[\w.-]+\+)?json|importmap|speculationrules|` +
    String.raw`text/(?:x-)?(?:[\w-]*template|html|handlebars|markdown))\s*\1(?=[\s/>])`,
  'i',
);
const TAG_CHARS_MAX = 1000;
/** A line of its own that opens or closes the code atop an Astro component. */
const FENCE = /^---[ \t]*\r?$/gm;
/** A block of ESM in MDX begins a paragraph: https://mdxjs.com/docs/what-is-mdx/#esm */
const ESM_PARAGRAPH = /^(?:import|export)\b/;

/** `<%= x -%>`; after `-` and `=` comes an expression, after `#` a comment, else a statement. */
const EJS_TAG = /<%(?!%)([-=_#]?)((?:[^%]|%(?!>)){0,8000}?)[-_]?%>/g;

/** What a part of such a file is: `unknown` before the first sign in a hunk. */
type Kind = 'script' | 'markup' | 'unknown';

export interface EmbeddedCode {
  /** The text with spaces for all that is no code, so that lines stay. */
  code: string;
  /** Lines (from 0) that were taken for markup, hold a sink's words, and may be code. */
  doubts: readonly number[];
}

/** Whether files of that name hold scripts among other things. */
export function embedsScript(path: string): boolean {
  return EMBEDDING.test(path);
}

/**
 * The code in a part of such a file: scripts, and what of the markup is run when it holds a sink's
 * words. A `</script` before any `<script` says that the part begins within a script. Otherwise
 * nobody knows but at the start of a file: then lines that are plainly markup are taken for it,
 * and all else for code. Linear.
 */
export function embeddedCode(path: string, text: string, isStart: boolean): EmbeddedCode {
  const reader = new Reader();
  if (/\.mdx$/i.test(path)) readProse(reader, text, isStart);
  else if (/\.ejs$/i.test(path)) readTemplate(reader, text, isStart);
  else {
    const start = /\.astro$/i.test(path) ? readFrontmatter(reader, text, isStart) : 0;
    readTags(reader, text.slice(start), isStart || start > 0 ? 'markup' : beginning(text));
  }
  return { code: reader.code, doubts: reader.doubts };
}

class Reader {
  code = '';
  readonly doubts: number[] = [];
  #line = 0;

  take(text: string, kind: Kind): void {
    if (kind === 'script') this.code += text;
    else if (kind === 'markup') this.code += codeInMarkup(text);
    else this.#takeUnknown(text);
    this.#line += text.split('\n').length - 1;
  }

  /** Text as it is to stand in the code, of the same length as in the file. */
  put(text: string): void {
    this.take(text, 'script');
  }

  #takeUnknown(text: string): void {
    if (!mayHoldSink(Buffer.from(text))) {
      this.code += blank(text);
      return;
    }
    const lines = text.split('\n');
    const doubtful: number[] = [];
    let run: string[] = [];
    const read: string[] = [];
    const flush = () => {
      if (run.length > 0) read.push(codeInMarkup(run.join('\n')));
      run = [];
    };
    for (const [index, line] of lines.entries()) {
      if (isMarkupLine(line)) {
        run.push(line);
        if (mayBeProgram(line)) doubtful.push(index);
        continue;
      }
      flush();
      read.push(line);
    }
    flush();
    this.code += read.join('\n');
    const together = doubtful.map((index) => lines[index]).join('\n');
    if (!mayHoldSink(Buffer.from(together))) return;
    for (const index of doubtful) this.doubts.push(this.#line + index);
  }
}

/** Reads on in text of that kind; gives the kind of what follows. */
function readTags(reader: Reader, text: string, before: Kind): Kind {
  let kind = before;
  let at = 0;
  for (;;) {
    const start = nextTag(text, at, kind);
    reader.take(text.slice(at, start), kind);
    if (start === text.length) return kind;
    const close = text.indexOf('>', start);
    at = close < 0 ? text.length : close + 1;
    // Two scripts on a line are two programs.
    const isEnd = text.startsWith('</', start);
    reader.put((isEnd ? ';' : ' ') + blank(text.slice(start + 1, at)));
    if (isEnd) kind = 'markup';
    else if (!DATA_TYPE.test(text.slice(start, Math.min(at, start + TAG_CHARS_MAX)))) {
      kind = 'script';
    }
  }
}

function beginning(text: string): Kind {
  TAG.lastIndex = 0;
  return TAG.exec(text)?.[0].startsWith('</') === true ? 'script' : 'unknown';
}

/**
 * Where the next tag begins that means something: only `</script` ends a script, even within a
 * string (https://html.spec.whatwg.org/#script-data-state). Where nobody knows whether the text
 * is a script, `<script` behind code is text of that code.
 */
function nextTag(text: string, from: number, kind: Kind): number {
  TAG.lastIndex = from;
  for (let tag = TAG.exec(text); tag !== null; tag = TAG.exec(text)) {
    const isEnd = tag[0].startsWith('</');
    if (kind === 'script' ? isEnd : kind === 'unknown' || !isEnd) {
      if (isEnd || kind !== 'unknown' || isMarkupBefore(text, tag.index)) return tag.index;
    }
  }
  return text.length;
}

/** Whether nothing but markup stands on the line before a tag. */
function isMarkupBefore(text: string, at: number): boolean {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const before = text.slice(Math.max(start, at - TAG_CHARS_MAX), at).trim();
  return before === '' || isMarkupLine(before);
}

/** Code between `---` lines; index behind it, 0 when there is none. */
function readFrontmatter(reader: Reader, text: string, isStart: boolean): number {
  const fences = [...text.matchAll(FENCE)].slice(0, 2);
  const [first, second] = fences;
  if (first === undefined) return 0;
  const opens = isStart && text.slice(0, first.index).trim() === '';
  const end = opens ? second : first;
  const codeEnd = end?.index ?? text.length;
  const start = opens ? first.index + first[0].length : 0;
  reader.put(blank(text.slice(0, start)) + text.slice(start, codeEnd));
  if (end === undefined) return text.length;
  reader.put(blank(end[0]));
  return end.index + end[0].length;
}

/** Paragraphs of MDX: ESM, code that is shown, and all else with elements and `{expressions}`. */
function readProse(reader: Reader, text: string, isStart: boolean): void {
  let isShown = false;
  for (const [index, paragraph] of text.split(/(?<=\n[ \t]*\r?\n)/).entries()) {
    const fences = paragraph.match(/^\s{0,3}(?:```|~~~)/gm)?.length ?? 0;
    if (isShown || fences > 0) reader.put(blank(paragraph));
    else if (ESM_PARAGRAPH.test(paragraph)) reader.put(paragraph);
    else reader.take(paragraph, index === 0 && !isStart ? 'unknown' : 'markup');
    if (fences % 2 === 1) isShown = !isShown;
  }
}

/** EJS: code between tags, which is in markup, or in a script, or in a tag of the markup. */
function readTemplate(reader: Reader, text: string, isStart: boolean): void {
  let kind: Kind = isStart ? 'markup' : beginning(text);
  let at = 0;
  for (const match of text.matchAll(EJS_TAG)) {
    const [whole, sign, inner = ''] = match;
    kind = readTags(reader, text.slice(at, match.index), kind);
    if (sign === '#') reader.put(blank(whole));
    else if (sign === '' || sign === '_')
      reader.put(kind === 'script' ? blank(whole) : `   ${inner};`);
    else reader.put(kind === 'script' ? ` (${inner}) ` : `;(${inner});`);
    at = match.index + whole.length;
  }
  readTags(reader, text.slice(at), kind);
}
