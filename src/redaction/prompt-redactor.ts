import type { CancelFlag } from '../core/deadline.ts';
import type { CompiledRules } from '../gates/patterns/compiled-rules.ts';
import { Work } from '../gates/patterns/match.ts';
import type { ReviewHunk, ReviewLine } from '../model/review.ts';
import { type Hidden, randomRuns } from './named-values.ts';
import { createRepeatFinder, type FindOwn, findSecrets, withOwn } from './redact.ts';
import { createMaskFinder, type FindMasks } from './secret-search.ts';

/** After so many passes a text that still seems to hold a secret is not sent at all. */
const PASSES_MAX = 3;

/** Secrets that are known before the search begins. */
export interface KnownSecrets {
  /** Hidden wherever they stand. */
  values: readonly Buffer[];
  /** Finds the service's own secrets. */
  own: FindOwn;
  /** The numbers that values (Latin-1) have already; it gets the numbers of others. */
  numbers: Map<string, number>;
}

/**
 * Hunks as a model may read them, and people who look at a change: in added, removed and unchanged
 * lines and in paths, what the rules for secrets match (also over several lines and in encoded
 * runs), what else looks random, credentials in URLs and e-mail addresses become `[secret N]`, one
 * number for each value. Lines keep their places. The result is searched again; null: it still
 * seems to hold a secret. Throws CANCELLED when the flag is raised.
 */
export function redactHunks(
  hunks: readonly ReviewHunk[],
  rules: CompiledRules,
  cancel: CancelFlag,
  known: KnownSecrets,
): ReviewHunk[] | null {
  const find = withOwn(createMaskFinder(rules, new Work(cancel)), known.own);
  const { numbers } = known;
  let redacted = [...hunks];
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const found = redacted.map((hunk) => secretsOf(hunk, find));
    const isClean = found.every(({ values }) => values.length === 0);
    if (isClean && pass > 0) return redacted;
    const repeated = [...known.values, ...found.flatMap(({ values }) => values)];
    const again = createRepeatFinder(repeated);
    const hasRepeats = repeated.length > 0;
    redacted = redacted.map((hunk, index) => {
      const hidden = found[index]?.hidden ?? [];
      const lines = hunk.lines.map((line, at) => {
        const own = hidden[at] ?? [];
        // Most lines have nothing to look at.
        if (own.length === 0 && !hasRepeats && !mayLook(line.text)) return line;
        const all = (bytes: Buffer) => [...own, ...again(bytes), ...looksOf(bytes)];
        return { ...line, text: hide(line.text, all, numbers) };
      });
      const inPath = (bytes: Buffer) => [...find(bytes), ...again(bytes), ...looksOf(bytes)];
      return { ...hunk, path: hide(hunk.path, inPath, numbers), lines };
    });
    if (isClean) return redacted;
  }
  const isLeft = redacted.some((hunk) => secretsOf(hunk, find).values.length > 0);
  return isLeft ? null : redacted;
}

interface Found {
  /** By the index of the line. */
  hidden: Hidden[][];
  values: Buffer[];
}

/** What the rules find in both sides of a hunk and in its path. */
function secretsOf(hunk: ReviewHunk, find: FindMasks): Found {
  const hidden: Hidden[][] = hunk.lines.map(() => []);
  const path = Buffer.from(hunk.path);
  const masks = unredacted(path, find(path));
  const values: Buffer[] = masks.map(({ start, end }) => path.subarray(start, end));
  for (const without of ['removed', 'added'] as const) {
    const side = hunk.lines
      .map((line, index) => ({ line, index }))
      .filter(({ line }) => line.side !== without);
    if (without === 'added' && !hunk.lines.some((line) => line.side === 'removed')) continue;
    values.push(...secretsOfSide(side, hidden, find));
  }
  return { hidden, values: values.filter(isLong) };
}

/** Adds the secrets that it finds to `hidden`, and returns their values. */
function secretsOfSide(
  side: readonly { line: ReviewLine; index: number }[],
  hidden: Hidden[][],
  find: FindMasks,
): Buffer[] {
  const bytes = Buffer.from(side.map(({ line }) => line.text).join('\n'));
  const masks = unredacted(bytes, findSecrets(bytes, find));
  let lineStart = 0;
  for (const { line, index } of side) {
    const lineEnd = lineStart + Buffer.byteLength(line.text);
    for (const { start, end } of masks) {
      if (start >= lineEnd || end <= lineStart) continue;
      hidden[index]?.push({
        start: Math.max(start, lineStart) - lineStart,
        end: Math.min(end, lineEnd) - lineStart,
      });
    }
    lineStart = lineEnd + 1;
  }
  // A value of several lines would stand nowhere again as a whole.
  return masks.flatMap(({ start, end }) => linesOf(bytes.subarray(start, end)));
}

function linesOf(value: Buffer): Buffer[] {
  return value
    .toString('latin1')
    .split('\n')
    .map((line) => Buffer.from(line.trim(), 'latin1'));
}

const PLACEHOLDER = /\[secret \d+\]/g;
/** A mask that covers less than this beside placeholders hides nothing. */
const VALUE_CHARS_MIN = 4;

/** Masks that cover more than placeholders; a rule may end at the blank in one. */
function unredacted(bytes: Buffer, masks: readonly Hidden[]): Hidden[] {
  if (masks.length === 0) return [];
  const text = bytes.toString('latin1');
  const rest = text.replaceAll(PLACEHOLDER, (placeholder) => ' '.repeat(placeholder.length));
  return masks.filter(({ start, end }) => isLong(rest.slice(start, end)));
}

function isLong(value: Buffer | string): boolean {
  return value.toString('latin1').replaceAll(/[^A-Za-z0-9]/g, '').length >= VALUE_CHARS_MIN;
}

/** A name and its password, or a token, before the host. */
const URL_CREDENTIAL = /(?<=:\/\/)[^\s/@'"<>]{1,256}(?=@)/g;
const EMAIL = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{2,63}){1,6}/g;
/** What looks like a secret or names a person, whatever the rules say. */
function looksOf(bytes: Buffer): Hidden[] {
  // One character a byte, so that indexes are offsets.
  const text = bytes.toString('latin1');
  const places = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map(({ index, 0: value }) => ({
      start: index,
      end: index + value.length,
    }));
  return [...randomRuns(bytes), ...places(URL_CREDENTIAL), ...places(EMAIL)];
}

const TOKEN_CHARS_MIN = 24;
/** 1 for what TOKEN is made of. */
const IN_TOKEN = new Uint8Array(128);
for (let code = 0; code < IN_TOKEN.length; code += 1) {
  if (/[A-Za-z0-9+/=_-]/.test(String.fromCharCode(code))) IN_TOKEN[code] = 1;
}

/**
 * Whether `looksOf` may find something in a line. A token covers every n-th character, for n its
 * least length, so most characters are not looked at.
 */
function mayLook(text: string): boolean {
  if (text.includes('@')) return true;
  let from = 0;
  for (let probe = TOKEN_CHARS_MIN - 1; probe < text.length; ) {
    let at = probe;
    while (at >= from && IN_TOKEN[text.charCodeAt(at)] === 1) at -= 1;
    if (at < from) return true;
    from = at + 1;
    probe = at + TOKEN_CHARS_MIN;
  }
  return false;
}

/** The text with a placeholder for each hidden part. */
function hide(
  text: string,
  hiddenIn: (bytes: Buffer) => readonly Hidden[],
  numbers: Map<string, number>,
): string {
  const bytes = Buffer.from(text);
  const joined: Hidden[] = [];
  for (const { start, end } of [...hiddenIn(bytes)].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  if (joined.length === 0) return text;
  let shown = '';
  let at = 0;
  for (const { start, end } of joined) {
    const value = bytes.toString('latin1', start, end);
    const number = numbers.get(value) ?? numbers.size + 1;
    numbers.set(value, number);
    shown += `${bytes.toString('utf8', at, start)}[secret ${number}]`;
    at = end;
  }
  return shown + bytes.toString('utf8', at);
}
