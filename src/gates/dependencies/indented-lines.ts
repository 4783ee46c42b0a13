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

/**
 * A key, in quotes or without, and the value behind a colon; yarn 1 writes no colon. Keys of
 * overrides hold blanks: `yaml@>=1.0.0 <1.10.3: 1.10.3`.
 */
const WITH_COLON = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#?](?:(?! #).)*?):(?: (.*))?$/;
const WITHOUT_COLON = /^("(?:[^"\\]|\\.)*"|[^\s"'#:][^\s:]*) (.+)$/;
/** Characters; no package manager writes a longer line. */
const LINE_CHARS_MAX = 20_000;

/**
 * Calls `visit` with each line of the text. Returns what is wrong with the first line that is
 * anything else, or that `visit` refuses by `false`, else null. `isYarn`: keys of yarn 1, several
 * with commas between, are one key.
 */
export function readIndentedLines(
  text: string,
  isYarn: boolean,
  visit: (line: IndentedLine) => unknown,
): string | null {
  /** Deeper lines are the text of a scalar; null: they are not. */
  let scalarIndent: number | null = null;
  let longKey: { key: string; indent: number } | null = null;
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    if (content === '' || content.startsWith('#') || content === '---') continue;
    const problem = `line ${line + 1} is not as a package manager writes it`;
    if (content.length > LINE_CHARS_MAX || raw.startsWith('\t')) return problem;
    const indent = raw.length - raw.trimStart().length;
    if (scalarIndent !== null && indent > scalarIndent) continue;
    scalarIndent = null;
    if (content.startsWith('? ')) {
      longKey = { key: unquoted(content.slice(2)), indent };
      continue;
    }
    if (longKey !== null && /^:(?: |$)/.test(content)) {
      visit({ ...longKey, value: content.slice(2).trim() || null, line });
      longKey = null;
      continue;
    }
    if (content.startsWith('- ')) {
      visit({ indent, key: null, value: unquoted(content.slice(2)), line });
      continue;
    }
    const parsed = isYarn ? yarnLine(content) : yamlLine(content);
    if (parsed === null) return problem;
    if (/^[|>][-+]?$/.test(parsed.value ?? '')) scalarIndent = indent;
    if (visit({ indent, ...parsed, line }) === false) return problem;
  }
  return null;
}

/** Neither an anchor, an alias or a tag, nor a map or list that goes on in the next line. */
function isPlain(value: string): boolean {
  const [first = ''] = value;
  // A key or text with an escape could be another one than is read.
  if (first === '{' || first === '[') {
    return value.endsWith(first === '{' ? '}' : ']') && !value.includes('\\');
  }
  return first === '' || !'&*!'.includes(first);
}

function yamlLine(content: string): { key: string; value: string | null } | null {
  const match = WITH_COLON.exec(content);
  const value = match?.[2]?.trim() ?? null;
  const key = match?.[1];
  // `<<` takes the members of another map.
  if (key === undefined || key === '<<' || /^".*\\/.test(key) || !isPlain(value ?? '')) return null;
  return { key: unquoted(key), value: value === null ? null : unquoted(value) };
}

function yarnLine(content: string): { key: string; value: string | null } | null {
  if (content.endsWith(':')) return { key: content.slice(0, -1), value: null };
  const match = WITHOUT_COLON.exec(content);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  return { key: unquoted(match[1]), value: unquoted(match[2].trim()) };
}
