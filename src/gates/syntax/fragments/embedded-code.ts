import { mayHoldSink } from '../languages.ts';
import { type Braces, blank, codeInMarkup } from './markup-code.ts';

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
const LOOK_BACK_CHARS = 200;
/** A line of its own that opens or closes the code atop an Astro component. */
const FENCE = /^---[ \t]*\r?$/gm;
/** A block of ESM in MDX begins a paragraph: https://mdxjs.com/docs/what-is-mdx/#esm */
const ESM_PARAGRAPH = /^(?:import|export)\b/;

/** What a part of such a file is: `unknown` before the first sign in a hunk. */
type Kind = 'script' | 'markup' | 'unknown';

interface EmbeddedCode {
  /** The text with spaces for all that is not code, so that lines stay. */
  code: string;
  /** Lines (from 0) that were taken for markup, hold a sink's words, and may be code. */
  doubts: readonly number[];
}

/**
 * The code in a part of such a file: scripts, and what of the markup is run when it holds a sink's
 * words. A `</script` before any `<script` says that the part begins within a script. Otherwise
 * nobody knows but at the start of a file: then lines that are plainly markup are taken for it,
 * and all else for code. Linear.
 */
export function embeddedCode(path: string, text: string, isStart: boolean): EmbeddedCode {
  const reader = new Reader(bracesOf(path));
  if (/\.mdx$/i.test(path)) readProse(reader, text, isStart);
  else if (/\.ejs$/i.test(path)) readTemplate(reader, text, isStart);
  else {
    const start = /\.astro$/i.test(path) ? readFrontmatter(reader, text, isStart) : 0;
    readTags(reader, text.slice(start), isStart || start > 0 ? 'markup' : beginning(text));
  }
  return { code: reader.code, doubts: reader.doubts };
}

function bracesOf(path: string): Braces {
  if (/\.html?$/i.test(path)) return 'blocks';
  return /\.(?:astro|mdx|svelte)$/i.test(path) ? 'code' : 'text';
}

class Reader {
  code = '';
  readonly doubts: number[] = [];
  readonly #braces: Braces;
  #line = 0;

  constructor(braces: Braces) {
    this.#braces = braces;
  }

  take(text: string, kind: Kind): void {
    if (kind === 'script') this.code += text;
    else if (kind === 'markup') this.code += codeInMarkup(text, this.#braces);
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
      if (run.length > 0) read.push(codeInMarkup(run.join('\n'), this.#braces));
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
  const before = text.slice(Math.max(0, at - LOOK_BACK_CHARS), at);
  const line = before.slice(before.lastIndexOf('\n') + 1).trim();
  return line === '' || isMarkupLine(line);
}

/** Code between `---` lines; index behind it, 0 when it is absent. */
function readFrontmatter(reader: Reader, text: string, isStart: boolean): number {
  FENCE.lastIndex = 0;
  const first = FENCE.exec(text);
  const second = first === null ? null : FENCE.exec(text);
  if (first === null) return 0;
  const opens = isStart && text.slice(0, first.index).trim() === '';
  const end = opens ? second : first;
  const codeEnd = end === null ? text.length : end.index;
  const start = opens ? first.index + first[0].length : 0;
  reader.put(blank(text.slice(0, start)) + text.slice(start, codeEnd));
  if (end === null) return text.length;
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
  for (;;) {
    const start = text.indexOf('<%', at);
    const end = start < 0 ? -1 : text.indexOf('%>', start);
    if (end < 0) break;
    kind = readTags(reader, text.slice(at, start), kind);
    at = end + 2;
    reader.put(templateCode(text.slice(start + 2, end), kind));
  }
  readTags(reader, text.slice(at), kind);
}

/** `= x -`, `- x`: an expression; `# x` a comment, `% x` no tag at all, all else a statement. */
function templateCode(inner: string, kind: Kind): string {
  const code = inner.replace(/^[-=_#%]|[-_]$/g, ' ');
  const sign = inner.charAt(0);
  if (sign === '#' || sign === '%') return blank(inner);
  if (sign === '-' || sign === '=') return kind === 'script' ? ` (${code}) ` : `;(${code});`;
  return kind === 'script' ? blank(inner) : ` ${code};`;
}

/** A tag, an attribute of a tag that goes on, or a comment. */
const MARKUP_LINE =
  /^\s*(?:<(?:[a-z][\w:.-]*(?=[\s/>]|$)|\/[a-z][\w:.-]*\s*>|!--|!doctype\b)|(?:on[a-z]+|[@:][a-z][\w:.-]*|v-[\w:.-]+)\s*=\s*(?:"[^"]*"|'[^']*')\s*\/?>?\s*$)/i;
/** What lets code stand within such a line: the end of a comment, a template and its holes. */
const CODE_SIGN = /`|\*\/|\$\{/;
/**
 * `<a href="x"`: two names side by side are not an expression, but for operators that are words and
 * for types. No string, comment or regular expression may begin before.
 */
const TWO_NAMES = new RegExp(
  String.raw`^[^'"\x60/]*<(?!(?:const|in|out|async|keyof|typeof|readonly|unique|infer|asserts|new|` +
    String.raw`abstract|void|await|delete|yield|function|class|import)\b)[a-z][\w:-]*\s+` +
    String.raw`(?!(?:in|of|instanceof|as|satisfies|extends|is)\b)[a-z][\w.-]*` +
    String.raw`(?:\s*=\s*["'\w#/.]|\s+[a-z]|\s*/?>)`,
  'i',
);
/** `<b>text</b>`: an expression would need the end of the regular expression that `</` begins. */
const REGEX_START = /^[^'"`/]*<\/[^/]*(?:\/([a-z]*)|$)/i;
const REGEX_FLAGS = /^[dgimsuvy]*$/;
/** In a script too, what follows is a comment: https://tc39.es/ecma262/#sec-html-like-comments */
const COMMENT = /^\s*<!(?:--|doctype\s+[a-z])/i;
const TEXT_ATTRIBUTE = /^\s*[\w:@.-]+\s*=\s*(?:"[^"]*"|'[^']*')\s*\/?>?\s*$/;
const LINE_CHARS_MAX = 2_000;

/** Whether a line begins as markup does, and shows no code. */
function isMarkupLine(line: string): boolean {
  return line.length <= LINE_CHARS_MAX && MARKUP_LINE.test(line) && !CODE_SIGN.test(line);
}

/** Whether a line of markup may be part of a program as well: `x\n<b> y`. */
function mayBeProgram(line: string): boolean {
  if ([COMMENT, TWO_NAMES, TEXT_ATTRIBUTE].some((pattern) => pattern.test(line))) return false;
  const regex = REGEX_START.exec(line);
  return regex === null || (regex[1] !== undefined && REGEX_FLAGS.test(regex[1]));
}
