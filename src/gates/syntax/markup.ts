import { mayHoldSink } from './hints.ts';

/** Attributes whose text is code, or an address that may be: HTML's, Vue's, Svelte's, Alpine's. */
const ATTRIBUTE = new RegExp(
  String.raw`(?<=[\s"'}/])` +
    String.raw`(on:?[a-z][\w:|.-]*|@[a-z][\w:.-]*|v-on:[\w:.-]+|v-html|v-bind:[\w.-]+|:[a-z][\w.-]*|` +
    'x-[a-z][\\w:.-]*|href|src|action|formaction|xlink:href|data)' +
    String.raw`\s{0,20}=\s{0,20}` +
    String.raw`("[^"]{0,8000}"|'[^']{0,8000}'|\{[^{}\n]{0,500}(?:\{[^{}\n]{0,500}\}[^{}\n]{0,500}){0,2}\}|[^\s"'>{]{1,2000})`,
  'gi',
);
/** Expressions in templates: `{{ x }}`, `{@html x}`, `{x}`. */
const HOLE = /\{\{([^{}]{1,2000})\}\}|\{(@html\s)?([^{}]{1,2000})\}/g;
const ADDRESS = /^(?:href|src|action|formaction|xlink:href|data)$/i;
const BINDING = /^(?::|v-bind:)/;
/** Browsers skip blanks before a scheme, and tabs and line ends within. */
const SCRIPT_URL = /^[\s\0-\x20]{0,100}j\s*a\s*v\s*a\s*s\s*c\s*r\s*i\s*p\s*t\s*:/i;
const ENTITY =
  /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(quot|apos|amp|lt|gt|colon|tab|newline|lpar|rpar|period));?/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  apos: "'",
  amp: '&',
  lt: '<',
  gt: '>',
  colon: ':',
  tab: ' ',
  newline: ' ',
  lpar: '(',
  rpar: ')',
  period: '.',
};
const CODE_POINT_MAX = 0x10_ff_ff;

/** The text with a space for every character but line ends. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

/**
 * What of markup is run, where it holds a sink's words: handlers, bound attributes, `javascript:`
 * addresses, expressions. Each becomes a statement on its line; all else becomes spaces. Linear.
 */
export function codeInMarkup(text: string): string {
  if (!mayHoldSink(Buffer.from(decoded(text)))) return blank(text);
  let code = '';
  let at = 0;
  for (const match of text.matchAll(ATTRIBUTE)) {
    const [whole, name = '', given = ''] = match;
    const statement = statementOf(name, given);
    if (statement === null) continue;
    const before = whole.slice(0, whole.length - given.length);
    code += `${holesIn(text.slice(at, match.index))}${blank(before).slice(1)};${statement};`;
    at = match.index + whole.length;
  }
  return code + holesIn(text.slice(at));
}

/** An attribute as a statement; null for one that is no code or reaches no sink. */
function statementOf(name: string, given: string): string | null {
  const inner = decoded(/^["'{]/.test(given) ? given.slice(1, -1) : given);
  if (ADDRESS.test(name)) {
    const scheme = SCRIPT_URL.exec(inner)?.[0];
    return scheme === undefined ? null : sinkIn(runnable(inner.slice(scheme.length)), scheme);
  }
  if (name === 'v-html') return sinkIn(`_.raw_html=${inner}`);
  if (!BINDING.test(name)) return sinkIn(given.startsWith('{') ? `(${inner})` : runnable(inner));
  const [member = ''] = name.replace(BINDING, '').split('.');
  return sinkIn(`_.${member.replace(/\W/g, '_')}=${inner}`);
}

/** The code behind the line ends of what stood before it, if it may hold a sink. */
function sinkIn(code: string, before = ''): string | null {
  const lines = before.replace(/[^\n]/g, '');
  return mayHoldSink(Buffer.from(code)) ? lines + code : null;
}

/** A handler is the body of a function; here it stands alone. */
function runnable(body: string): string {
  return body.replace(/\breturn\b(?=\s*(?:[;}]|$))/g, 'void 0').replace(/\breturn\b/g, 'void');
}

/** Expressions between braces, in text without attributes that are code. */
function holesIn(text: string): string {
  let code = '';
  let at = 0;
  for (const match of text.matchAll(HOLE)) {
    const [whole, double, html, single = ''] = match;
    const inner = double ?? single;
    const statement = sinkIn(html === undefined ? `(${inner})` : `_.raw_html=${inner}`);
    if (statement === null) continue;
    code += `${blank(text.slice(at, match.index))};${statement};`;
    at = match.index + whole.length;
  }
  return code + blank(text.slice(at));
}

/** Text of an attribute without character references. */
function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    // A line end would move all lines behind it.
    return point === 10 || point > CODE_POINT_MAX ? ' ' : String.fromCodePoint(point);
  });
}

/** A tag, an attribute of a tag that goes on, or a comment. */
const MARKUP_LINE =
  /^\s*(?:<(?:[a-z][\w:.-]*(?=[\s/>]|$)|\/[a-z][\w:.-]*\s*>|!--|!doctype\b)|(?:on[a-z]+|[@:][a-z][\w:.-]*|v-[\w:.-]+)\s*=\s*(?:"[^"]*"|'[^']*')\s*\/?>?\s*$)/i;
/** What lets code stand within such a line: the end of a comment, a template and its holes. */
const CODE_SIGN = /`|\*\/|\$\{/;
/**
 * `<a href="x"`: two names side by side are no expression, but for operators that are words and
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
export function isMarkupLine(line: string): boolean {
  return line.length <= LINE_CHARS_MAX && MARKUP_LINE.test(line) && !CODE_SIGN.test(line);
}

/** Whether a line of markup may be part of a program as well: `x\n<b> y`. */
export function mayBeProgram(line: string): boolean {
  if ([COMMENT, TWO_NAMES, TEXT_ATTRIBUTE].some((pattern) => pattern.test(line))) return false;
  const regex = REGEX_START.exec(line);
  return regex === null || (regex[1] !== undefined && REGEX_FLAGS.test(regex[1]));
}
