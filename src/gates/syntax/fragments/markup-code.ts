import { mayHoldSink } from '../languages.ts';

/** What single braces of the markup hold: expressions, or blocks of Angular where these stand. */
export type Braces = 'code' | 'blocks' | 'text';

/** Attributes whose text is code, or an address that may be: HTML's, Vue's, Svelte's, Alpine's. */
const ATTRIBUTE = new RegExp(
  String.raw`(?<=[\s"'}/])` +
    String.raw`(on:?[a-z][\w:|.-]*|@[a-z][\w:.-]*|v-on:[\w:.-]+|v-html|v-bind:[\w.-]+|:[a-z][\w.-]*|` +
    'x-[a-z][\\w:.-]*|href|src|action|formaction|xlink:href|data)' +
    String.raw`\s{0,20}=\s{0,20}` +
    String.raw`("[^"]{0,8000}"|'[^']{0,8000}'|\{[^{}\n]{0,500}(?:\{[^{}\n]{0,500}\}[^{}\n]{0,500}){0,2}\}|[^\s"'>{]{1,2000})`,
  'gi',
);
/** Expressions in templates: `{{ x }}`, `{@html x}`, `{x}`, and Svelte's markup by a template. */
const HOLE = new RegExp(
  String.raw`\{\{([^{}]{1,2000})\}\}|\{([^{}]{1,2000}|` +
    String.raw`@html\s{1,20}\x60(?:[^\x60{}\\]{0,500}\$\{[^\x60{}]{1,500}\}){1,20}[^\x60{}\\]{0,500}\x60\s{0,20})\}`,
  'g',
);
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
export function codeInMarkup(text: string, braces: Braces): string {
  if (!mayHoldSink(Buffer.from(decoded(text)))) return blank(text);
  let code = '';
  let at = 0;
  for (const match of text.matchAll(ATTRIBUTE)) {
    const [whole, name = '', given = ''] = match;
    const statement = statementOf(name, given);
    if (statement === null) continue;
    const before = whole.slice(0, whole.length - given.length);
    code += `${holesIn(text.slice(at, match.index), braces)}${blank(before).slice(1)};${statement};`;
    at = match.index + whole.length;
  }
  return code + holesIn(text.slice(at), braces);
}

/** An attribute as a statement; null where it is not code or reaches no sink. */
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

/**
 * Heads of blocks of Angular, whose braces hold markup, as what follows shows:
 * https://angular.dev/guide/templates/control-flow
 * Only pages hold such: in Astro and MDX an expression may begin with an element.
 */
const BLOCK_HEAD =
  /@(?:(?:if|else\s+if|for|switch|case|defer)\s{0,9}\([^{}]{0,500}\)|else|empty|default|placeholder|loading|error)\s{0,9}\{(?=\s{0,200}(?:<[a-z]|\{\{|@(?:if|for|switch|else|case|default|defer)\b))/gi;

/** Expressions between braces, in text without attributes that are code. */
function holesIn(markup: string, braces: Braces): string {
  const isAngular = braces === 'blocks';
  const text = isAngular ? markup.replace(BLOCK_HEAD, (head) => `${head.slice(0, -1)} `) : markup;
  let code = '';
  let at = 0;
  for (const [start, end] of braces === 'code' ? nestedHoles(text) : []) {
    const inner = text.slice(start + 1, end);
    // Where the braces may be text, or hold more than an expression, those within come first.
    const mayBeText = MAY_BE_TEXT.test(inner.replace('@html', ''));
    if (mayBeText && plainHoles(text.slice(start, end + 1)).trim() !== '') continue;
    const statement = holeStatement(inner);
    if (statement === null) continue;
    code += `${plainHoles(text.slice(at, start))};${statement};`;
    at = end + 1;
  }
  return code + plainHoles(text.slice(at));
}

/** The statements of the holes that have no braces within. */
function plainHoles(text: string): string {
  let code = '';
  let at = 0;
  for (const match of text.matchAll(HOLE)) {
    const [whole, double, single = ''] = match;
    const statement = holeStatement(runnable(double ?? single));
    if (statement === null) continue;
    code += `${blank(text.slice(at, match.index))};${statement};`;
    at = match.index + whole.length;
  }
  return code + blank(text.slice(at));
}

/** Svelte's `{#if x}`, `{:else if x}`, `{#each x as y, index (key)}`, `{@const y = x}`. */
const SVELTE_HEAD = /^[#:@](?:else if|[a-z]+)/;
const OBJECT = /^\s*(?:[\w$]+|'[^']*'|"[^"]*")\s*:/;

function holeStatement(inner: string): string | null {
  // A tag of Django, Jinja, Twig or Liquid: no expression begins so.
  if (inner.startsWith('%')) return null;
  const [head = ''] = SVELTE_HEAD.exec(inner) ?? [];
  const code = inner.slice(head.length);
  if (head === '@html') return sinkIn(`_.raw_html=${code}`);
  return sinkIn(OBJECT.test(inner) ? `({${inner}})` : `(${code})`);
}

/** Signs of strings, comments, regular expressions, escapes of MDX and blocks of Svelte. */
const MAY_BE_TEXT = /['"`/\\#@]/;
const BRACE = /(['"`])[{}]\1|[{}]/g;
/** Where an element or a comment begins or ends: what holds one is read by the holes in it. */
const ELEMENT = /<[a-z/>!]|-->/gi;
const NESTED_HOLE_CHARS_MAX = 8_000;

/**
 * Indexes of outermost braces with others between them and no element: calls with objects, bodies
 * of functions. No expression begins with two more braces. Braces in strings are counted. Linear.
 */
function* nestedHoles(text: string): Iterable<[start: number, end: number]> {
  const pairs: [number, number][] = [];
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(BRACE)) {
    if (brace === '{') open.push(index);
    else if (brace === '}') pairs.push([open.pop() ?? index, index]);
  }
  const elements = Array.from(text.matchAll(ELEMENT), ({ index }) => index).reverse();
  let at = 0;
  for (const [start, end] of pairs.sort(([left], [right]) => left - right)) {
    if (start < at || end - start > NESTED_HOLE_CHARS_MAX) continue;
    while ((elements.at(-1) ?? end) < start) elements.pop();
    if ((elements.at(-1) ?? end) < end || text.startsWith('{{{', start)) continue;
    at = end + 1;
    const inner = text.slice(start + 1, end).replace(/^\{([^{}]*)\}$/, '$1');
    if (inner.includes('{')) yield [start, end];
  }
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
