import { buildAhoCorasick, forEachMatch } from '../core/aho-corasick.ts';
import type { CancelFlag } from '../core/cancel-flag.ts';
import type { CompiledRules } from '../gates/risk/compile.ts';
import {
  decodeRun,
  encodingOf,
  nextRun,
  type RunSearch,
  uriAround,
} from '../gates/risk/encoded-runs.ts';
import { joinMasks, type Mask, maskOf } from '../gates/risk/mask.ts';
import type { Located } from '../gates/risk/match.ts';
import { Work } from '../gates/risk/work.ts';
import { RISK_GATE } from '../limits.ts';
import { applyMasks, createMaskFinder, type FindMasks } from './secret-masks.ts';

/**
 * Texts of people (reasons, commands) as they may be stored where nothing can be deleted: what the
 * rules for secrets match is hidden, in lines, across lines, where a line break or a joint of
 * literals divides it, and in encoded runs; and wherever it stands again in any of the texts.
 * Throws CANCELLED when the flag is raised.
 */
export function redactTexts(
  texts: readonly string[],
  rules: CompiledRules,
  cancel: CancelFlag,
): string[] {
  const find = createMaskFinder(rules, new Work(cancel));
  const found = texts.map((text) => {
    const bytes = Buffer.from(text);
    return { text, bytes, masks: joinMasks(allMasks(bytes, find)) };
  });
  const secrets = found.flatMap(({ bytes, masks }) =>
    masks.map(({ start, end }) => bytes.subarray(start, end)),
  );
  if (secrets.length === 0) return [...texts];
  const again = createRepeatFinder(secrets);
  return found.map(({ bytes, masks }) => applyMasks(bytes, [...masks, ...again(bytes)]));
}

function allMasks(bytes: Buffer, find: FindMasks): Mask[] {
  return [...find(bytes), ...inLines(bytes, find), ...inJoined(bytes, find), ...inRuns(bytes, find)];
}

const LF = 0x0a;

/** Many rules are written for single lines. */
function inLines(bytes: Buffer, find: FindMasks): Mask[] {
  const masks: Mask[] = [];
  if (!bytes.includes(LF)) return masks;
  let start = 0;
  while (start < bytes.length) {
    const lineEnd = bytes.indexOf(LF, start);
    const end = lineEnd === -1 ? bytes.length : lineEnd;
    for (const mask of find(bytes.subarray(start, end))) {
      masks.push({ ...mask, start: mask.start + start, end: mask.end + start });
    }
    start = end + 1;
  }
  return masks;
}

/** What may divide a token: a line break with the blanks around it, or a joint of literals. */
const GAPS = /["'`][ \t]{0,99}[+.]?[ \t]{0,99}["'`]|[ \t]{0,99}\\?\r?\n\s{0,99}/g;

/** Secrets that a gap divides: found in the text without its gaps. */
function inJoined(bytes: Buffer, find: FindMasks): Mask[] {
  const gaps = [...bytes.toString('latin1').matchAll(GAPS)].map((gap) => ({
    start: gap.index,
    end: gap.index + gap[0].length,
  }));
  if (gaps.length === 0) return [];
  const { joined, places } = without(bytes, gaps);
  const at = (index: number) => places[index] ?? bytes.length;
  const hasGap = ({ start, end }: Located) => at(end - 1) - at(start) > end - 1 - start;
  return find(joined, hasGap).map((mask) => ({
    start: at(mask.start),
    end: at(mask.end - 1) + 1,
    // What is shown of it would hold the gap.
    visible: 0,
  }));
}

/** The bytes outside of the gaps, and for each of them where it stood. */
function without(bytes: Buffer, gaps: readonly { start: number; end: number }[]) {
  const joined = Buffer.alloc(bytes.length + 1, LF);
  const places = new Uint32Array(bytes.length);
  let length = 0;
  let at = 0;
  for (const gap of [...gaps, { start: bytes.length, end: bytes.length }]) {
    for (; at < gap.start; at += 1) {
      joined[length] = bytes[at] ?? 0;
      places[length] = at;
      length += 1;
    }
    at = gap.end;
  }
  return { joined: joined.subarray(0, length), places: places.subarray(0, length) };
}

/** Encoded runs that hold a secret, as a whole. */
function inRuns(text: Buffer, find: FindMasks, depth = 1): Mask[] {
  const masks: Mask[] = [];
  const search: RunSearch = { from: 0, limit: text.length, start: 0, end: 0 };
  while (nextRun(text, search)) {
    const encoding = encodingOf(text, search);
    if (encoding === null) continue;
    const { start, end } =
      encoding === 'percent-encoding' ? uriAround(text, search, 0, text.length) : search;
    search.from = Math.max(search.from, end);
    const target = Buffer.alloc(end - start + 1, LF);
    const decoded = target.subarray(0, decodeRun(text, { start, end }, encoding, target));
    const isDeepest = depth === RISK_GATE.ENCODED_DEPTH_MAX;
    const holds = find(decoded).length + (isDeepest ? 0 : inRuns(decoded, find, depth + 1).length);
    if (holds > 0) masks.push({ start, end, visible: 0 });
  }
  return masks;
}

/** Shorter values are part of too many words. */
const VALUE_BYTES_MIN = 8;

/** Masks over known secrets wherever they stand, also where no rule says so. */
function createRepeatFinder(secrets: readonly Buffer[]): (bytes: Buffer) => Mask[] {
  const distinct = new Map(secrets.map((secret) => [secret.toString('latin1'), secret]));
  const values = [...distinct.values()].filter(({ length }) => length >= VALUE_BYTES_MIN);
  if (values.length === 0) return () => [];
  const automaton = buildAhoCorasick(values, { caseSensitive: true });
  return (bytes) => {
    const masks: Mask[] = [];
    forEachMatch(automaton, bytes, { start: 0, end: bytes.length }, (id, at) => {
      masks.push(maskOf(at - (values[id]?.length ?? 0), at));
    });
    return masks;
  };
}
