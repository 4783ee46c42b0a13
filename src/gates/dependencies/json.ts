/**
 * JSON as package managers write it: one member or bracket a line. Unlike a parser it reads what a
 * hunk shows, and tells on which line a value stands.
 */
export interface JsonLine {
  /** Keys around the value, the outermost first; null for a level that a hunk does not show. */
  path: readonly (string | null)[];
  /** Null for an element of a list. */
  key: string | null;
  /** The scalar as text; null where a map or list begins (`opens`) or ends. */
  value: string | null;
  event: 'value' | 'open' | 'close';
  line: number;
}

const STRING = '"((?:[^"\\\\]|\\\\.)*)"';
const MEMBER = new RegExp(
  `^(?:${STRING} ?: ?)?(?:${STRING}|(-?\\d[\\d.eE+-]*|true|false|null|\\[[^\\[\\]{}]*\\]|\\{\\})|([\\[{])),?$`,
);
const CLOSE = /^[\]}],?$/;
/** Characters; no package manager writes a longer line. */
const LINE_CHARS_MAX = 20_000;

/**
 * Calls `visit` with each line of the text. Returns what is wrong with the first line that is
 * anything else, else null.
 */
export function readJsonLines(
  text: string,
  isPart: boolean,
  visit: (line: JsonLine) => void,
): string | null {
  const path: (string | null)[] = [];
  for (const [line, raw] of text.split('\n').entries()) {
    const content = raw.trim();
    if (content === '') continue;
    const tooLong = content.length > LINE_CHARS_MAX;
    if (!tooLong && CLOSE.test(content)) {
      if (path.length === 0 && !isPart) return `line ${line + 1} closes what was not opened`;
      path.pop();
      visit({ path, key: null, value: null, event: 'close', line });
      continue;
    }
    const match = tooLong ? null : MEMBER.exec(content);
    if (match === null) return `line ${line + 1} is not as a package manager writes it`;
    const [, rawKey, string, word, bracket] = match;
    const key = rawKey === undefined ? null : unescaped(rawKey);
    if (bracket !== undefined) {
      visit({ path, key, value: null, event: 'open', line });
      path.push(key);
    } else {
      const value = string === undefined ? (word ?? '') : unescaped(string);
      visit({ path, key, value, event: 'value', line });
    }
  }
  return null;
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/** Members of a map of JSON. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value of JSON has members. */
export function isMap(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text or number as text; null: it is neither. */
export const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/**
 * A whole text of JSON as package managers read it: of two members of one name the last one holds.
 * `problem`: why there are no members.
 */
export function parseMembers(text: string): { members: Members; problem: string | null } {
  try {
    const members: unknown = JSON.parse(text);
    return isMap(members)
      ? { members, problem: null }
      : { members: {}, problem: 'it is not a map' };
  } catch {
    return { members: {}, problem: 'it is not JSON' };
  }
}

/** Line breaks before a place in the text: the index of its line. */
export function linesBefore(text: string, offset: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    lines += 1;
  }
  return lines;
}
