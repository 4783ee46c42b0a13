import { AST_GATE } from '../../limits.ts';
import { type Dialect, hasJsx, mayHoldSink } from '../languages.ts';
import { findHazard } from '../parse/hazard.ts';
import {
  createParser,
  type LineMap,
  mapLines,
  type Parser,
  type SyntaxTree,
  type Tree,
} from '../parse/parser.ts';
import { child, childNodes, list, type SyntaxNode, text } from '../parse/swc-node.ts';
import { candidates, commentRest, preamble, templateRest } from './candidates.ts';
import { outline } from './outline.ts';
import { withoutTemplateMarks } from './template-marks.ts';

interface FragmentTrees {
  /** In the order of the text; together they hold every added line that could be parsed. */
  trees: Tree[];
  /** 0-based lines that the diff adds and no tree holds; lines without code are left out. */
  unparsed: number[];
  /** Something was kept from the parser because it would have ended the process. */
  refused: boolean;
  /** Calls of the parser, and calls that gave no tree. */
  calls: number;
  failures: number;
  /** Text that those calls were given, in UTF-16 units. */
  parsedLength: number;
}

/** Parsers to fall back to: Flow types in .js files, elements in .ts files, casts in .tsx files. */
const OTHER_DIALECT: Readonly<Record<Dialect, Dialect>> = { js: 'tsx', ts: 'tsx', tsx: 'ts' };

/** What only the other dialect reads: types in .js files, elements and casts elsewhere. */
const NEEDS_OTHER: Readonly<Record<Dialect, RegExp>> = {
  js: /[:<]|\b(?:type|enum|interface|as)\b/,
  ts: /<\/|\/>/,
  tsx: /</,
};

/** Candidates that may fail one after another without getting further into the text. */
const IDLE_TRIES_MAX = 4;
/** The same for the rest of a hunk: lines around an error seldom need another guess. */
const IDLE_TRIES_OF_PART_MAX = 2;

/**
 * Syntax trees for a fragment: a hunk's new side begins and ends anywhere, so what it needs
 * around it is guessed from its tokens. Where that fails, context lines are cut off at the line
 * of the error, and added lines are parsed apart.
 */
export function readFragment(
  text: string,
  added: readonly (readonly [number, number])[],
  dialect: Dialect,
): FragmentTrees {
  let best = read(text, added, dialect);
  if (best.unparsed.length === 0) return best;
  const unmarked = withoutTemplateMarks(text);
  if (unmarked !== null && findHazard(unmarked.text, hasJsx(dialect)) === null) {
    const lines = linesOf(text, unmarked.doubtful);
    best = betterWithout(best, read(unmarked.text, added, dialect), lines);
    if (best.unparsed.length === 0) return best;
  }
  const other = OTHER_DIALECT[dialect];
  if (!NEEDS_OTHER[dialect].test(text)) return best;
  if (hasJsx(other) && findHazard(text, true) !== null) return best;
  return better(best, read(text, added, other));
}

/**
 * The better of the readings with and without the marks of templates. Where marks may be code,
 * both are kept, and lines with such marks that the first one leaves out stay left out.
 */
function betterWithout(
  first: FragmentTrees,
  second: FragmentTrees,
  doubtful: ReadonlySet<number>,
): FragmentTrees {
  const best = better(first, second);
  if (best.trees !== second.trees || doubtful.size === 0) return best;
  const left = first.unparsed.filter((line) => doubtful.has(line));
  const unparsed = [...new Set([...second.unparsed, ...left])].sort((one, two) => one - two);
  return { ...best, trees: [...second.trees, ...first.trees], unparsed };
}

/** The 0-based lines on which parts of a text stand. */
function linesOf(text: string, parts: readonly (readonly [number, number])[]): Set<number> {
  const { lineAt } = mapLines(text);
  const lines = new Set<number>();
  for (const [start, end] of parts) {
    for (let line = lineAt(start); line <= lineAt(end - 1); line += 1) lines.add(line);
  }
  return lines;
}

/** The reading that leaves fewer lines out, with the cost of both. */
function better(first: FragmentTrees, second: FragmentTrees): FragmentTrees {
  const best = second.unparsed.length < first.unparsed.length ? second : first;
  const calls = first.calls + second.calls;
  const failures = first.failures + second.failures;
  const parsedLength = first.parsedLength + second.parsedLength;
  return { ...best, refused: first.refused, calls, failures, parsedLength };
}

function read(
  text: string,
  added: readonly (readonly [number, number])[],
  dialect: Dialect,
): FragmentTrees {
  const parser = createParser(dialect);
  const reader = new Reader(text, added, dialect, parser);
  reader.read();
  const { trees, unparsed } = reader;
  const { calls, failures, length: parsedLength } = parser;
  const refused = parser.refused || reader.isTooDeep;
  return { trees, unparsed, refused, calls, failures, parsedLength };
}

/** Begins an expression within a template. */
const HOLE = '$'.concat('{');

interface Part {
  start: number;
  end: number;
}

class Reader {
  readonly trees: Tree[] = [];
  readonly unparsed: number[] = [];
  readonly #text: string;
  readonly #dialect: Dialect;
  readonly #parser: Parser;
  readonly #lines: LineMap;
  readonly #isAdded: boolean[];
  /** A part had more to open before it than the parser's stack bears. */
  isTooDeep = false;
  /** Parts to read; the next one is the last. */
  readonly #todo: Part[] = [];

  constructor(
    text: string,
    added: readonly (readonly [number, number])[],
    dialect: Dialect,
    parser: Parser,
  ) {
    this.#text = text;
    this.#dialect = dialect;
    this.#parser = parser;
    this.#lines = mapLines(text);
    this.#isAdded = new Array<boolean>(this.#lines.count).fill(false);
    for (const [first, after] of added) this.#isAdded.fill(true, first, after);
  }

  read(): void {
    this.#todo.push({ start: 0, end: this.#text.length });
    for (let part = this.#todo.pop(); part !== undefined; part = this.#todo.pop()) {
      this.#read(part);
    }
  }

  #read(part: Part): void {
    const lines = this.#lineRange(part);
    const added = this.#addedWithin(lines);
    if (added === null) return;
    const error = this.#parse(part, added[1] < lines[1] ? added[1] : Number.POSITIVE_INFINITY);
    if (error === null) return;
    const mayGoOn = this.#parser.mayParse(part.end - part.start) && !this.isTooDeep;
    if (!mayGoOn) this.#giveUp(lines);
    else this.#cut(part, lines, added, Math.max(lines[0], Math.min(error, lines[1])));
  }

  /** Goes on without the line of the error, or with what stands before and after it apart. */
  #cut(part: Part, lines: [number, number], added: [number, number], error: number): void {
    const { start, end } = part;
    const at = this.#lines.startOf(error);
    const after = this.#lines.startOf(error + 1);
    if (error < added[0]) this.#todo.push({ start: after, end });
    else if (error > lines[0]) this.#todo.push({ start: at, end }, { start, end: at });
    else {
      this.#giveUp([error, error]);
      if (error < lines[1]) this.#todo.push({ start: after, end });
    }
  }

  /** Null when the part is in a tree now, else the line of the error. */
  #parse(whole: Part, lastAdded: number): number | null {
    const text = this.#text;
    const start = whole.start === 0 ? preamble(text) : whole.start;
    const afterComment = start + commentRest(text.slice(start, whole.end));
    const rest = templateRest(text.slice(afterComment, whole.end));
    const afterTemplate = afterComment + rest;
    // What looks like the rest of a comment or template may be code if it holds a sink's words.
    let isCode = false;
    for (const [from, to] of [
      [start, afterComment],
      [afterComment, afterTemplate],
    ] as const) {
      if (!isCode && this.#mayHoldSink(from, to)) {
        isCode = this.#parseAs(whole, from, lastAdded) === null;
      }
    }
    let error: number | null = 0;
    const hasHoles = text.slice(afterComment, afterTemplate).includes(HOLE);
    if (hasHoles) error = this.#parseAs(whole, afterComment, lastAdded, '`');
    if (error !== null) error = this.#parseAs(whole, afterTemplate, lastAdded);
    if (error !== null && this.#isTemplate(whole)) {
      error = this.#parseAs(whole, start, lastAdded, '`') === null ? null : error;
    }
    return isCode ? null : error;
  }

  #isAll({ start, end }: Part): boolean {
    return start === 0 && end === this.#text.length;
  }

  /** All of the hunk may stand within a template: its two ends are out of sight. */
  #isTemplate(whole: Part): boolean {
    return this.#isAll(whole) && !this.#text.includes('`') && this.#text.includes(HOLE);
  }

  #mayHoldSink(start: number, end: number): boolean {
    return start < end && mayHoldSink(Buffer.from(this.#text.slice(start, end)));
  }

  /** `head` is what the text lacks at its start: the backtick of a template. */
  #parseAs(whole: Part, start: number, lastAdded: number, head = ''): number | null {
    const text = head + this.#text.slice(start, whole.end);
    const shape = outline(text, hasJsx(this.#dialect));
    if (shape.lastTokenAt < 0) return null;
    if (shape.segments.length > AST_GATE.BRACKET_DEPTH_MAX) {
      this.isTooDeep = true;
      return this.#lines.count;
    }
    const firstLine = this.#lines.lineAt(start);
    const idleMax = this.#isAll(whole) ? IDLE_TRIES_MAX : IDLE_TRIES_OF_PART_MAX;
    let furthest = -1;
    let idle = 0;
    for (const { prefix, suffix } of candidates(text, shape, this.#dialect)) {
      if (!this.#parser.mayParse(text.length)) break;
      const result = this.#parser.parse(prefix + text + suffix);
      const isTree = result.ok && !this.#swallows(result.module, prefix, head);
      if (isTree) {
        this.trees.push({ module: result.module, prefix: prefix + head, start, end: whole.end });
        return null;
      }
      const line = result.ok ? -1 : result.line;
      idle = line > furthest ? 0 : idle + 1;
      furthest = Math.max(furthest, line);
      // Context after the last added line is not worth another guess.
      if (firstLine + furthest > lastAdded || idle > idleMax) break;
    }
    if (this.#parseBare(whole, text, start)) return null;
    return furthest < 0 ? this.#lines.count : firstLine + furthest;
  }

  /** As it is: a whole file needs nothing around it, whatever its tokens look like. */
  #parseBare(whole: Part, text: string, start: number): boolean {
    if (!this.#isAll(whole) || !this.#parser.mayParse(text.length)) return false;
    const result = this.#parser.parse(text);
    if (!result.ok) return false;
    this.trees.push({ module: result.module, prefix: '', start, end: whole.end });
    return true;
  }

  #swallows(module: SyntaxTree, prefix: string, head: string): boolean {
    // Without a backtick of its own all of the text is one template.
    const isTemplate = head !== '' && !this.#text.includes('`');
    return (isTemplate || isTelling(prefix)) && swallowsCode(module, isTemplate);
  }

  /** First and last line of a part. */
  #lineRange(part: Part): [number, number] {
    const last = Math.max(part.start, part.end - 1);
    return [this.#lines.lineAt(part.start), this.#lines.lineAt(last)];
  }

  #addedWithin(lines: [number, number]): [number, number] | null {
    const first = this.#isAdded.indexOf(true, lines[0]);
    if (first < 0 || first > lines[1]) return null;
    return [first, this.#isAdded.lastIndexOf(true, lines[1])];
  }

  #giveUp(lines: [number, number]): void {
    for (let line = lines[0]; line <= lines[1]; line += 1) {
      const { startOf } = this.#lines;
      const text = this.#text.slice(startOf(line), startOf(line + 1));
      if (this.#isAdded[line] === true && holdsCode(text)) this.unparsed.push(line);
    }
  }
}

/** Whether the text put before a part makes of it something else than statements. */
function isTelling(prefix: string): boolean {
  return /<|class|interface|:\{/.test(prefix);
}

/** Not blank, not a comment, not punctuation alone. */
function holdsCode(line: string): boolean {
  // A comment ends with its line, which these end as well.
  const isComment = /^\s*(?:\/\/|\*|\/\*)/.test(line) && !/[\r\u2028\u2029]./.test(line);
  return /[\w$'"`]/.test(line) && !isComment;
}

/**
 * Whether a tree takes something for no code that may be code: the text of an element, a method's
 * signature. A hunk is parsed within guessed surroundings, and within `<>...</>` every text is
 * fine; a reading that hides a sink's words is not a reading of code that has them. `isTemplate`:
 * so is the text of templates, because a template was guessed.
 */
function swallowsCode(tree: SyntaxNode, isTemplate: boolean): boolean {
  const todo: SyntaxNode[] = [tree];
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (hidesSink(node) || (isTemplate && isSinkTemplate(node))) return true;
    todo.push(...childNodes(node));
  }
  return false;
}

function hidesSink(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'JSXText':
      return isSink(text(node, 'value'));
    case 'TsMethodSignature':
      return isCallLike(node, text(child(node, 'key'), 'value'), child(node, 'typeAnn'));
    case 'ClassMethod': {
      const method = child(node, 'function');
      if (child(method, 'body') !== null) return false;
      return isCallLike(method, text(child(node, 'key'), 'value'), child(method, 'returnType'));
    }
    default:
      return false;
  }
}

function isSinkTemplate(node: SyntaxNode): boolean {
  return node.type === 'TemplateElement' && isSink(text(node, 'raw'));
}

/** `exec(command)` without a type anywhere: a signature would have some. */
function isCallLike(node: SyntaxNode | null, name: string, returnType: SyntaxNode | null): boolean {
  const params = list(node, 'params').map((param) => child(param, 'pat') ?? param);
  const isUntyped = params.every((param) => child(param, 'typeAnnotation') === null);
  return returnType === null && params.length > 0 && isUntyped && isSink(`${name}(x)`);
}

function isSink(code: string): boolean {
  return mayHoldSink(Buffer.from(code));
}
