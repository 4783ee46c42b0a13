import { type Node, UNKNOWN_TEXT } from './document.ts';

/** A template of YAML as a text of the same length that a parser can read. */
interface Template {
  text: string;
  /** Values of a chart (`.Values.a.b`) by the offset of the text that stands for each. */
  values: ReadonlyMap<number, string>;
}

/** Without actions of templates of Go, as Helm has them, and of Jinja: as long as before. */
export function withoutActions(text: string): string {
  if (!/\{[{%]/.test(text)) return text;
  const lines = text.replace(STEP, blank).replace(/^[ \t]*\{\{[^{}]*\}\}[ \t]*$/gm, blank);
  return lines.replace(ACTION, unknown);
}

/**
 * The same of YAML. What an action puts on lines of its own (`nindent 4`) stands where it belongs:
 * it is the value of the key before, or one more key or item that nobody knows.
 */
export function readTemplate(text: string): Template {
  if (!/\{[{%]/.test(text)) return { text, values: new Map() };
  const actions = new Map<number, Action>();
  const scopes: Scope[] = [];
  const marked = text.replace(STEP, blank).replace(ACTION, (action: string, at: number) => {
    actions.set(at, readAction(action, scopes));
    return unknown(action);
  });
  return placed(linesOf(marked, actions));
}

/** The nodes, in which a scalar that is one value of a chart has the name of this value. */
export function withValueNames(roots: readonly Node[], { values }: Template): readonly Node[] {
  if (values.size === 0) return roots;
  const named = (node: Node): Node => {
    if (node.kind === 'list') return { ...node, items: node.items.map(named) };
    if (node.kind === 'map') {
      const entries = node.entries.map((entry) => ({ ...entry, value: named(entry.value) }));
      return { ...node, entries };
    }
    const known = values.get(node.start) ?? values.get(node.start + 1);
    const isOne = node.computed === true && node.value === unknown(node.value);
    return known !== undefined && isOne ? { ...node, value: known } : node;
  };
  return roots.map(named);
}

interface Action {
  /** `.Values.a.b`, if it puts in this value alone. */
  value: string | null;
  /** Columns by which its lines are indented (`nindent`); null: it stays in its line. */
  indent: number | null;
}

/** What `.` is in a block: `''` as at the start, `.Values.a`, or something else (null). */
type Scope = string | null;

const STEP = /\{%[^%{}]*%\}/g;
/** One brace alone may stand in a text. */
const ACTION = /\{\{(?:[^{}]|\{(?!\{)|\}(?!\}))*\}\}/g;
/** A value, with functions that only change how it is written. */
const VALUE =
  /^(?:toYaml )?(\$?\.[\w.]*)(?: \| (?:toYaml|quote|squote|toString|int|n?indent \d+)){0,5}$/;
/** Blocks of a template within each other that are followed; values in deeper ones are unknown. */
const SCOPES_MAX = 100;

function readAction(action: string, scopes: Scope[]): Action {
  const words = action.slice(2, -2).replace(/^-|-$/g, '').replace(/\s+/g, ' ').trim();
  const [first = '', path = ''] = words.split(' ', 2);
  const scope = scopes.length === 0 ? '' : (scopes.at(-1) ?? null);
  if (first === 'if') scopes.push(scope);
  else if (first === 'with') scopes.push(words === `with ${path}` ? valueAt(path, scope) : null);
  else if (/^(?:range|define|block)$/.test(first)) scopes.push(null);
  else if (first === 'else' && scopes.length > 0) scopes[scopes.length - 1] = scopes.at(-2) ?? '';
  else if (first === 'end') scopes.pop();
  const [, columns] = /\bn?indent (\d{1,2})(?! \| trim$)\b/.exec(words) ?? [];
  const [, put] = VALUE.exec(words) ?? [];
  return {
    value: put === undefined || scopes.length > SCOPES_MAX ? null : valueAt(put, scope),
    indent: columns === undefined ? null : Number(columns),
  };
}

/** The name of a value of the chart from its start; null: it is another thing. */
function valueAt(path: string, scope: Scope): string | null {
  if (path.startsWith('$.Values.')) return path.slice(1);
  if (scope === '') return path.startsWith('.Values.') ? path : null;
  if (scope === null || !path.startsWith('.')) return null;
  return path === '.' ? scope : `${scope}${path}`;
}

interface Line {
  text: string;
  /** Offset in the text. */
  start: number;
  actions: readonly (Action & { at: number })[];
  /** The column of its text, or of what its last action puts in. */
  indent: number;
  /** Of a line that only has actions: what the last one of them indents; null: they do steps. */
  block: number | null;
  isAction: boolean;
}

const ONLY_ACTIONS = new RegExp(`^[ \\t\\r${UNKNOWN_TEXT}]*$`);

function linesOf(marked: string, actions: ReadonlyMap<number, Action>): Line[] {
  const all = [...actions];
  let start = 0;
  let count = 0;
  return marked.split('\n').map((text) => {
    const own: (Action & { at: number })[] = [];
    for (; (all[count]?.[0] ?? Number.POSITIVE_INFINITY) < start + text.length; count += 1) {
      const [at, action] = all[count] ?? [0, { value: null, indent: null }];
      own.push({ ...action, at });
    }
    const isAction = own.length > 0 && ONLY_ACTIONS.test(text);
    const block = isAction ? (own.findLast(({ indent }) => indent !== null)?.indent ?? null) : null;
    const line = { text, start, actions: own, indent: block ?? columnOf(text), block, isAction };
    start += text.length + 1;
    return line;
  });
}

/** Lines of a template that hold nothing but actions, put where their text belongs. */
function placed(lines: readonly Line[]): Template {
  const values = new Map<number, string>();
  const next = nextOf(lines);
  /** Lines of YAML above, each deeper than the one before it. */
  const above: string[] = [];
  const texts = lines.map((line, index) => {
    const text = line.isAction
      ? blockOf(line, above, next[index])
      : withoutMerged(line, next[index]);
    const [only, ...more] = line.actions;
    for (const { at, value } of line.isAction ? [] : line.actions) {
      if (value !== null) values.set(at, value);
    }
    if (line.isAction && only?.value != null && more.length === 0) {
      values.set(line.start + columnOf(text), only.value);
    }
    if (text.trim() !== '' && !/^[ \t]*#/.test(text)) {
      while (columnOf(above.at(-1) ?? '') >= columnOf(text) && above.length > 0) above.pop();
      above.push(text);
    }
    return text;
  });
  return { text: texts.join('\n'), values };
}

/** The next line after each that is not empty once the steps of the template are gone. */
function nextOf(lines: readonly Line[]): (Line | undefined)[] {
  let next: Line | undefined;
  return lines
    .toReversed()
    .map((line) => {
      const after = next;
      const isText = line.isAction ? line.block !== null : /^\s*[^\s#]/.test(line.text);
      if (isText) next = line;
      return after;
    })
    .toReversed();
}

/** A line of actions as the value, the key or the item that it puts in. */
function blockOf({ text, block }: Line, above: readonly string[], next: Line | undefined): string {
  if (block === null) return blank(text);
  const parent = above.at(-1) ?? '';
  const column = columnOf(parent);
  if (/[|>][-+\d]{0,2}\s*$/.test(parent)) return filled(text, Math.max(block, column + 1));
  const isItem = next !== undefined && /^\s*-/.test(next.text) && next.indent >= column;
  if (/:\s*$/.test(parent)) {
    if (isItem) return filled(text, next.indent, '- ');
    if (next === undefined || next.indent <= column) {
      return filled(text, Math.max(block, column + 1));
    }
  }
  const sibling = above.findLast((line) => columnOf(line) <= block) ?? '';
  const isInList = columnOf(sibling) === block && /^\s*-/.test(sibling);
  return isInList ? filled(text, block, '- ') : filled(text, block, '', ':');
}

function filled(text: string, indent: number, before = '', after = ''): string {
  const room = text.length - indent - before.length - after.length;
  if (room < 1) return blank(text);
  return `${' '.repeat(indent)}${before}${UNKNOWN_TEXT.repeat(room)}${after}`;
}

/** Where further keys stand below keys that an action puts in, as in `labels: {{ … }}`. */
function withoutMerged({ text, start, actions }: Line, next: Line | undefined): string {
  const last = actions.at(-1);
  if (next === undefined || last?.indent == null) return text;
  const column = columnOf(text.replace(/^(\s*)-( +)/, '$1 $2'));
  const own = text.slice(last.at - start);
  if (!ONLY_ACTIONS.test(own) || next.indent <= column) return text;
  return `${text.slice(0, -own.length)}${blank(own)}`;
}

function columnOf(text: string): number {
  return text.length - text.trimStart().length;
}

function blank(text: string): string {
  return ' '.repeat(text.length);
}

function unknown(text: string): string {
  return UNKNOWN_TEXT.repeat(text.length);
}
