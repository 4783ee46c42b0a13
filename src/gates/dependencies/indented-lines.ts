import { unquoted } from './locked-package.ts';

/** A line of YAML or of yarn's own notation, as these tools write it: `key: value`, indented. */
export interface IndentedLine {
  /** Blanks before it. */
  indent: number;
  /** Null for an item of a list. */
  key: string | null;
  /** Null: a map or list follows. */
  value: string | null;
  line: number;
}

/** How a text is read. */
export interface Notation {
  /** Keys of yarn 1, several with commas between, are one key, and have no colon. */
  isYarn: boolean;
  /** The text is one side of a hunk, which may begin anywhere. */
  isPart: boolean;
}

/**
 * A key, in quotes or without, and the value behind a colon; yarn 1 writes no colon. Keys of
 * overrides hold blanks: `yaml@>=1.0.0 <1.10.3: 1.10.3`.
 */
const WITH_COLON =
  /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#?:&*!|>%@`{}[\],](?:(?! #).)*?):(?: (.*))?$/;
const WITHOUT_COLON = /^("[^"\\]+"|[a-zA-Z][^\s:,"\\]*) ("(?:[^"\\]|\\.)*"|[a-zA-Z][^\s:,"\\]*)$/;
/** Paths of Windows have backslashes, each of which is written twice. */
const YARN_KEY = String.raw`"(?:[^"\\]|\\\\)+"|[a-zA-Z][^\s:,"\\]*`;
const YARN_KEYS = new RegExp(`^(?:${YARN_KEY})(?:, (?:${YARN_KEY}))*$`);
/** A text in quotes from its begin to its end. */
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')$/;
/** Characters; no package manager writes a longer line. */
const LINE_CHARS_MAX = 20_000;
/** Blanks of one step. */
const STEP = 2;

/**
 * Calls `visit` with each line of the text. Returns what is wrong with the first line that is
 * anything else than these tools write, or that `visit` refuses by `false`, else null: a key that
 * is there twice, blanks in other places, comments behind values and other notations of a map could
 * be read in two ways.
 */
export function readIndentedLines(
  text: string,
  { isYarn, isPart }: Notation,
  visit: (line: IndentedLine) => unknown,
): string | null {
  /** Deeper lines are the text of a scalar; null: they are not. */
  let scalarIndent: number | null = null;
  let longKey: { key: string; indent: number } | null = null;
  let indentMax = isPart ? Number.MAX_SAFE_INTEGER : 0;
  /** Keys of the maps around a line, by their depth. */
  const keys: Set<string>[] = [];
  const lines = text.split('\n');
  for (const [line, raw] of lines.entries()) {
    const content = raw.trim();
    if (content === '') continue;
    const indent = raw.indexOf(content);
    if (content.startsWith('#')) {
      if (scalarIndent !== null && indent <= scalarIndent) scalarIndent = null;
      continue;
    }
    const problem = `line ${line + 1} is not as a package manager writes it`;
    if (content.length > LINE_CHARS_MAX || !isBlank(raw, indent)) return problem;
    if (scalarIndent !== null && indent > scalarIndent) continue;
    scalarIndent = null;
    if (content === '---' && indent === 0) {
      keys.length = 0;
      indentMax = 0;
      continue;
    }
    if (indent > indentMax || indent % STEP !== 0) return problem;
    if (content.startsWith('? ')) {
      const key = content.slice(STEP);
      if (longKey !== null || !isKey(key)) return problem;
      longKey = { key: unquoted(key), indent };
      indentMax = indent;
      continue;
    }
    let from = indent;
    let rest = content;
    // The key may stand above the hunk.
    if (longKey !== null || (isPart && /^:(?: |$)/.test(content))) {
      if (!/^:(?: |$)/.test(content)) return problem;
      if (longKey !== null) {
        const isGoing = indent === longKey.indent && isFirst(keys, longKey.key, indent);
        if (!isGoing || visit({ ...longKey, value: null, line }) === false) return problem;
      }
      longKey = null;
      indentMax = indent + STEP;
      // A map that begins behind the colon goes on below, as deep.
      rest = content.slice(STEP).trim();
      from = indent + STEP;
      if (rest === '') continue;
    } else if (content.startsWith('- ')) {
      // A map within the list is two steps deeper.
      indentMax = indent + STEP * 2;
      if (visit({ indent, key: null, value: unquoted(content.slice(STEP)), line }) === false) {
        return problem;
      }
      // Each map of a list has keys of its own.
      keys.length = Math.min(keys.length, indent / STEP + 1);
      continue;
    }
    const parsed = isYarn ? yarnLine(rest) : yamlLine(rest);
    if (parsed === null) return problem;
    // Entries of one name are compared with each other, whatever their number.
    if (!isFirst(keys, parsed.key, from) && from > 0) return problem;
    // `'>3'` in quotes is a value.
    const isScalar = SCALAR.test(parsed.value ?? '') && !/['"]$/.test(rest);
    if (isScalar) {
      scalarIndent = from;
      parsed.value = parsed.key === PROSE ? parsed.value : foldedText(lines, line, from);
      if (parsed.value === null) return problem;
    }
    indentMax = parsed.value === null ? from + STEP : from;
    if (visit({ indent: from, ...parsed, line }) === false) return problem;
  }
  return longKey === null || isPart ? null : 'its last key has no value';
}

/**
 * The text in the deeper lines below `key: >-`, by which pnpm writes ranges of more than 1,000
 * characters: lines are joined by blanks (yaml.org/spec/1.2.2, 8.1.3). Null: it has another form.
 */
function foldedText(lines: readonly string[], line: number, indent: number): string | null {
  if (lines[line]?.endsWith(': >-') !== true) return null;
  const texts: string[] = [];
  let at = line + 1;
  for (; texts.length < FOLDED_LINES_MAX; at += 1) {
    const raw = lines[at] ?? '';
    const text = raw.trimStart();
    if (text === '' || raw.length - text.length !== indent + STEP) break;
    texts.push(text);
  }
  // A deeper line behind blank ones is of the text as well.
  while (lines[at]?.trim() === '') at += 1;
  const isEnded = (lines[at] ?? '').search(/\S/) <= indent;
  const isPlain = texts.length > 0 && texts.every((text) => text === text.trimEnd());
  return isEnded && isPlain ? texts.join(' ') : null;
}

/** Lines of one folded text. */
const FOLDED_LINES_MAX = 100;
/** How a text of several lines begins. */
const SCALAR = /^[|>]\d?[-+]?$/;
/** The only field that tools write so: what the owner of a package says of it. */
const PROSE = 'deprecated';

function isBlank(raw: string, end: number): boolean {
  for (let at = 0; at < end; at += 1) if (raw[at] !== ' ') return false;
  return true;
}

/** Whether a key is not there yet in its map. */
function isFirst(keys: Set<string>[], key: string, indent: number): boolean {
  const depth = indent / STEP;
  keys.length = Math.min(keys.length, depth + 1);
  const own = keys[depth] ?? new Set();
  keys[depth] = own;
  const isNew = !own.has(key);
  own.add(key);
  return isNew;
}

/** Whether a text is a key, with nothing behind it. */
const isKey = (text: string) => WITH_COLON.exec(`${text}:`)?.[1] === text && !text.includes('\\');

/** The text of a value; null: it could be read as another one. */
function plainValue(value: string, key: string): string | null {
  const [first = ''] = value;
  if (first === '"' || first === "'") {
    if (!QUOTED.test(value)) return null;
    const isEscaped = first === '"' && value.includes('\\') && key !== PROSE;
    return isEscaped ? fromJson(value) : unquoted(value);
  }
  if (first === '{') return flowMembers(value) === null ? null : value;
  if (first === '[') return FLOW_LIST.test(value) ? value : null;
  if (SCALAR.test(value)) return value;
  // An anchor, an alias, a tag, or a comment behind the value.
  return '&*!|>%@`'.includes(first) || value.includes(' #') ? null : value;
}

/** YAML has all escapes of JSON; others are refused. */
function fromJson(text: string): string | null {
  try {
    return String(JSON.parse(text));
  } catch {
    return null;
  }
}

const FLOW_TEXT = String.raw`"[^"\\]*"|'(?:[^']|'')*'|[^\s,{}[\]"'#&*!|>%@\x60:](?:[^\s,{}[\]#:]|[#:](?! )| (?!#))*`;
const FLOW_LIST = new RegExp(`^\\[(?:(?:${FLOW_TEXT})(?:, (?:${FLOW_TEXT}))*)?\\]$`);
const FLOW_MEMBER = new RegExp(
  String.raw`("[^"\\]*"|'[^']*'|[\w./-]+(?: [\w./-]+)*): ("(?:[^"\\]|\\.)*"|${FLOW_TEXT}|\[(?:(?:${FLOW_TEXT})(?:, (?:${FLOW_TEXT}))*)?\])(, |\}$)`,
  'y',
);

/** Names and texts of a map in one line; null: it is not as tools write it, or has a name twice. */
export function flowMembers(value: string): Map<string, string> | null {
  const members = new Map<string, string>();
  if (value === '{}') return members;
  let end = '';
  FLOW_MEMBER.lastIndex = 1;
  while (end !== '}') {
    const match = FLOW_MEMBER.exec(value);
    if (match === null || value[0] !== '{') return null;
    const [, given = '', text = '', after = ''] = match;
    const name = unquoted(given);
    if (members.has(name)) return null;
    const read = text.startsWith('"') ? fromJson(text) : unquoted(text);
    if (read === null) return null;
    members.set(name, read);
    end = after;
  }
  return members;
}

function yamlLine(content: string): { key: string; value: string | null } | null {
  const match = WITH_COLON.exec(content);
  const key = match?.[1];
  // `<<` takes the members of another map.
  if (key === undefined || key === '<<' || /\s$|^---/.test(key)) return null;
  const plain = plainKey(key);
  const given = match?.[2]?.trim() || null;
  if (plain === null) return null;
  if (given === null) return { key: plain, value: null };
  const value = plainValue(given, key);
  return value === null ? null : { key: plain, value };
}

/** Without quotes; of escapes only that of a backslash is read. Null: it has others. */
function plainKey(key: string): string | null {
  if (!key.startsWith('"') || !key.includes('\\')) return unquoted(key);
  const isPath = !key.replaceAll('\\\\', '').includes('\\');
  return isPath ? unquoted(key).replaceAll('\\\\', '\\') : null;
}

function yarnLine(content: string): { key: string; value: string | null } | null {
  if (content.endsWith(':')) {
    const keys = content.slice(0, -1);
    return YARN_KEYS.test(keys) ? { key: keys.replaceAll('\\\\', '\\'), value: null } : null;
  }
  const match = WITHOUT_COLON.exec(content);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const value = match[2].includes('\\') ? fromJson(match[2]) : unquoted(match[2]);
  return value === null ? null : { key: unquoted(match[1]), value };
}
