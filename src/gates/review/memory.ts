import { createHmac } from 'node:crypto';
import { SEVERITIES } from '../../model/finding.ts';
import {
  isRemembered,
  type ReviewChunk,
  type ReviewLine,
  type ReviewPlan,
  type SkipReason,
} from '../../model/review.ts';
import type { ReviewFinding } from './answer.ts';
import { reviewClass } from './classes.ts';
import { visible } from './prompt.ts';

/**
 * What gate 3 remembers of the texts of a repository, so that nobody gains by asking a model until
 * one answer suits: findings that blocked, and texts to which no model gave a valid answer. All of
 * it is kept by keyed hashes of lines. A line is the same wherever it stands in a file and in a
 * diff; runs of white space, invisible characters, and the numbers of hidden values do not count.
 */

/** Lines with fewer characters, white space left out, count for their own file only. */
const LINE_CHARS_MIN = 8;
/** 64 bits tell the lines of a repository apart. */
const KEY_DIGITS = 16;
/** Begins the keys of lines that count for their own file only. */
const SHORT = 's';
/** A text with fewer lines that count everywhere is the same text in its own file only. */
const LINES_MIN = 4;
/** Lines that are kept of one unread file of a chunk: the lines with the smallest keys. */
const LINES_KEPT_MAX = 16;
/** A line of so many unread texts (of a licence, an import) is not kept for one more. */
const TEXTS_OF_LINE_MAX = 20;
/** Share of the lines of an unread text that makes another one the same: in its own file ... */
const SAME_FILE_SHARE = 1 / 2;
/** ... and elsewhere, where licences, imports and the like may be alike. */
const OTHER_FILE_SHARE = 9 / 10;

/** The key of a changed line; empty: nothing is remembered of it. */
export function lineKey(
  key: Uint8Array,
  { side, text }: Pick<ReviewLine, 'side' | 'text'>,
  path: string,
): string {
  const words = wordsOf(text);
  if (side === 'context' || words === '') return '';
  const isShort = words.replaceAll(' ', '').length < LINE_CHARS_MIN;
  return isShort
    ? SHORT + hashOf(key, `short line\0${side}\0${path}\0${words}`)
    : hashOf(key, `line\0${side}\0${words}`);
}

/** A line without what does not count: white space, invisible characters, numbers of secrets. */
export function wordsOf(text: string): string {
  return visible(text)
    .replaceAll(/<U\+[0-9A-F]{4,6}>/g, '')
    .replaceAll(/\[secret \d+\]/g, '[secret]')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function hashOf(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, KEY_DIGITS);
}

/** One entry of the memory; `kind` tells entries of one `line_key` apart. */
export interface MemoryEntry {
  line_key: string;
  kind: string;
  json: string;
}

/** A text that stays unread until a person asks for another review of it. */
export interface UnreadText {
  /** Name of the entry that makes it so. */
  group: string;
  reason: SkipReason;
  /** Keys of its lines that stand in the change. */
  lines: ReadonlySet<string>;
}

interface KeyedLine extends ReviewLine {
  path: string;
  key: string;
}

/** The lines of a change by what the memory knows them by. */
export interface KeyedPlan {
  /** Keys of lines, and of the texts of files and of the change. */
  keys: readonly string[];
  /** What to remember of a finding that blocked: with its line, else with the text of its file. */
  entryOf(finding: ReviewFinding): MemoryEntry | null;
  /** The findings that `recalled` has for this change. */
  carried(recalled: readonly MemoryEntry[]): ReviewFinding[];
  /**
   * What to remember of a chunk to which no model gave a valid answer; `recalled` tells which of
   * its lines stand in many such texts already.
   */
  unreadEntries(
    chunk: ReviewChunk,
    reason: SkipReason,
    recalled: readonly MemoryEntry[],
  ): MemoryEntry[];
  /** Names of entries that say which of the texts behind `recalled` are unread. */
  groupsOf(recalled: readonly MemoryEntry[]): string[];
  /** The unread texts that are in this change again. `heads`: the entries of `groupsOf`. */
  unread(recalled: readonly MemoryEntry[], heads: readonly MemoryEntry[]): UnreadText[];
  /** Whether a chunk has one of these lines. */
  hasLine(chunk: ReviewChunk, lines: ReadonlySet<string>): boolean;
}

/** Reads a plan by the keys of its lines (`lineKey`, in the order of each chunk). */
export function keyPlan(
  { chunks }: ReviewPlan,
  lineKeys: readonly (readonly string[])[],
  key: Uint8Array,
): KeyedPlan {
  const byChunk = chunks.map(({ hunks }, index) => {
    const lines = hunks.flatMap(({ path, lines: own }) => own.map((line) => ({ path, ...line })));
    return lines.map((line, at): KeyedLine => ({ ...line, key: lineKeys[index]?.[at] ?? '' }));
  });
  const all = byChunk.flat();
  const byPath = groupByPath(all);
  const textKeys = new Map<string | null, string>();
  for (const [path, lines] of byPath) textKeys.set(path, textKey(path, lines));
  const ofFiles = [...textKeys.values()].sort();
  textKeys.set(null, hashOf(key, `text of all files\0${JSON.stringify(ofFiles)}`));
  const linesOf = (chunk: ReviewChunk) => byChunk[chunks.indexOf(chunk)] ?? [];

  /** The key of all changed lines of a file: another line makes another text. */
  function textKey(path: string, lines: readonly KeyedLine[]): string {
    const { keys, isBound } = countedKeys(lines);
    return hashOf(key, `text\0${JSON.stringify([isBound ? path : null, keys])}`);
  }

  const contextKey = (text: string) => hashOf(key, `context\0${wordsOf(text)}`);

  function carriedByText(path: string | null, json: string): ReviewFinding[] {
    const found = readFinding(json);
    if (found === null) return [];
    const { context, ...graded } = found;
    const lines = path === null ? [] : (byPath.get(path) ?? []);
    const line = lines.find((one) => one.side === 'context' && contextKey(one.text) === context);
    const place = line === undefined ? NOWHERE : { ...placeOf(line) };
    return [{ ...graded, path, ...place, why: '', isCarried: true }];
  }

  return {
    keys: [...new Set([...all.map((line) => line.key), ...textKeys.values()])].filter(isKey),
    entryOf({ class: name, severity, path, side, text }) {
      const own = side === null || path === null ? '' : lineKey(key, { side, text }, path);
      const graded = { class: name, severity };
      if (own !== '') return { line_key: own, kind: name, json: JSON.stringify(graded) };
      const line_key = textKeys.get(path);
      if (line_key === undefined) return null;
      const context = side === null ? null : contextKey(text);
      const json = JSON.stringify({ ...graded, context });
      return { line_key, kind: `${name} ${context ?? 'text'}`, json };
    },
    carried(recalled) {
      const byKey = new Map<string, string[]>();
      for (const { line_key, json } of recalled) {
        byKey.set(line_key, [...(byKey.get(line_key) ?? []), json]);
      }
      const ofLines = all.flatMap((line) =>
        (byKey.get(line.key) ?? []).flatMap((json): ReviewFinding[] => {
          const found = readFinding(json);
          if (found === null) return [];
          const { class: name, severity } = found;
          const { path } = line;
          return [{ class: name, severity, path, ...placeOf(line), why: '', isCarried: true }];
        }),
      );
      const ofTexts = [...textKeys].flatMap(([path, text]) =>
        (byKey.get(text) ?? []).flatMap((json) => carriedByText(path, json)),
      );
      return [...ofLines, ...ofTexts];
    },
    unreadEntries(chunk, reason, recalled) {
      const frequent = frequentLines(recalled);
      return [...groupByPath(linesOf(chunk))].flatMap(([path, all]) => {
        const { keys, isBound } = countedKeys(all.filter((line) => !frequent.has(line.key)));
        // Where no line is left, as of a change of blank lines, the text of the file counts.
        const kept = keys.length === 0 ? [textKeys.get(path) ?? ''] : keys.slice(0, LINES_KEPT_MAX);
        const group = hashOf(key, `unread\0${JSON.stringify([path, kept])}`);
        const head: UnreadHead = {
          unread: reason,
          lines: kept.length,
          path: hashOf(key, `path\0${path}`),
          bound: isBound,
        };
        const ofLines = kept.map((line_key) => ({
          line_key,
          kind: `unread ${group}`,
          json: JSON.stringify({ group }),
        }));
        return [{ line_key: group, kind: UNREAD, json: JSON.stringify(head) }, ...ofLines];
      });
    },
    groupsOf: (recalled) => [...linesByGroup(recalled).keys()],
    unread(recalled, heads) {
      const found = linesByGroup(recalled);
      const paths = new Set([...byPath.keys()].map((path) => hashOf(key, `path\0${path}`)));
      return heads.flatMap(({ line_key: group, json }): UnreadText[] => {
        const head = JSON.parse(json) as UnreadHead;
        const lines = found.get(group);
        if (lines === undefined || !isRemembered(head.unread)) return [];
        const isHere = paths.has(head.path);
        if (!isHere && head.bound) return [];
        const share = isHere ? SAME_FILE_SHARE : OTHER_FILE_SHARE;
        return lines.size < head.lines * share ? [] : [{ group, reason: head.unread, lines }];
      });
    },
    hasLine: (chunk, lines) =>
      linesOf(chunk).some((line) => lines.has(line.key)) ||
      chunk.hunks.some(({ path }) => lines.has(textKeys.get(path) ?? '')),
  };
}

/** Kind of the entry that makes a text unread; without it the entries of its lines say nothing. */
export const UNREAD = 'unread';

interface UnreadHead {
  unread: SkipReason;
  /** How many lines are kept of it. */
  lines: number;
  /** Key of its path. */
  path: string;
  /** It is the same text in its own file only. */
  bound: boolean;
}

const NOWHERE = { line: null, side: null, text: '' } as const;

function placeOf({ number, side, text }: ReviewLine) {
  return { line: number, side, text };
}

function isKey(key: string): boolean {
  return key !== '';
}

function groupByPath(lines: readonly KeyedLine[]): Map<string, KeyedLine[]> {
  const byPath = new Map<string, KeyedLine[]>();
  for (const line of lines) {
    const own = byPath.get(line.path);
    if (own === undefined) byPath.set(line.path, [line]);
    else own.push(line);
  }
  return byPath;
}

/** The distinct keys of lines by which a text is known, sorted; `isBound`: in its own file only. */
function countedKeys(lines: readonly KeyedLine[]): { keys: string[]; isBound: boolean } {
  const keys = [...new Set(lines.map(({ key }) => key))].filter(isKey).sort();
  const everywhere = keys.filter((one) => !one.startsWith(SHORT));
  const isBound = everywhere.length < LINES_MIN;
  return { keys: isBound ? keys : everywhere, isBound };
}

/** Of texts that no model has read: the lines that were recalled. */
function linesByGroup(recalled: readonly MemoryEntry[]): Map<string, Set<string>> {
  const byGroup = new Map<string, Set<string>>();
  for (const { line_key, json } of recalled) {
    const { group } = JSON.parse(json) as { group?: unknown };
    if (typeof group !== 'string') continue;
    const lines = byGroup.get(group);
    if (lines === undefined) byGroup.set(group, new Set([line_key]));
    else lines.add(line_key);
  }
  return byGroup;
}

/** Keys of the lines that stand in TEXTS_OF_LINE_MAX unread texts or more. */
function frequentLines(recalled: readonly MemoryEntry[]): Set<string> {
  const counts = new Map<string, number>();
  for (const lines of linesByGroup(recalled).values()) {
    for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return new Set([...counts.keys()].filter((line) => (counts.get(line) ?? 0) >= TEXTS_OF_LINE_MAX));
}

/** A finding as it is remembered; null: the entry is about something else. */
function readFinding(json: string) {
  const { class: name, severity: given, context } = JSON.parse(json) as Record<string, unknown>;
  const severity = SEVERITIES.find((each) => each === given);
  if (typeof name !== 'string' || severity === undefined || reviewClass(name) === undefined) {
    return null;
  }
  return { class: name, severity, context };
}
