import { buildAhoCorasick, forEachMatch } from '../core/aho-corasick.ts';
import type { CancelFlag } from '../core/deadline.ts';
import { RISK_GATE } from '../gates/limits.ts';
import type { CompiledRules } from '../gates/patterns/compiled-rules.ts';
import {
  decodeRun,
  encodingOf,
  nextRun,
  type Run,
  type RunSearch,
  uriAround,
} from '../gates/patterns/encoded.ts';
import { joinMasks, type Mask, maskOf } from '../gates/patterns/excerpt.ts';
import { type Located, Work } from '../gates/patterns/match.ts';
import type { AnalyzeRequest } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import type { GateFinding } from '../model/finding.ts';
import { FLOW } from '../model/limits.ts';
import { namedValues, randomValues } from './named-values.ts';
import { applyMasks, createMaskFinder, type FindMasks, WITHHELD } from './secret-search.ts';

/** Finds the service's own secrets in a text. */
export type FindOwn = (bytes: Uint8Array) => readonly { start: number; end: number }[];

/**
 * Texts of people (reasons, names, commands) as they may be stored where nothing can be deleted.
 * What the rules for secrets match and the service's own secrets are hidden: in lines, across
 * lines, where a line break or a joint of literals divides them, and in encoded runs. So are values
 * that the text calls a secret (`namedValues`), and long runs that look random, except ids
 * (`randomValues`); and all of it wherever it stands again in any of the texts. Throws CANCELLED
 * when the flag is raised.
 */
export function redactTexts(
  texts: readonly string[],
  rules: CompiledRules,
  cancel: CancelFlag,
  own: FindOwn,
): string[] {
  const find = withOwn(createMaskFinder(rules, new Work(cancel)), own);
  const found = texts.map((text) => {
    const bytes = Buffer.from(text);
    const looks = [...namedValues(bytes), ...randomValues(bytes)];
    const masks = [
      ...findSecrets(bytes, find),
      ...unseen(own(bytes)),
      ...looks.map(({ start, end }) => maskOf(start, end)),
    ];
    return { text, bytes, masks: joinMasks(masks) };
  });
  const secrets = found.flatMap(({ bytes, masks }) =>
    masks.map(({ start, end }) => bytes.subarray(start, end)),
  );
  if (secrets.length === 0) return [...texts];
  const again = createRepeatFinder(secrets);
  return found.map(({ bytes, masks }) => applyMasks(bytes, [...masks, ...again(bytes)]));
}

/** The search over texts by themselves, such as decoded ones, with the service's own secrets. */
export function withOwn(find: FindMasks, own: FindOwn): FindMasks {
  const both: (...given: Parameters<FindMasks>) => Mask[] = (bytes, counts) => [
    ...find(bytes, counts),
    ...unseen(own(bytes)),
  ];
  return Object.assign(both, { within: find.within });
}

/** Of the service's own secrets nothing is shown. */
function unseen(places: ReturnType<FindOwn>): Mask[] {
  return places.map(({ start, end }) => ({ start, end, visible: 0 }));
}

/**
 * The same for one text of a change request, which may be long and can be deleted: secrets within
 * lines are hidden; divided secrets are not looked for, but for the service's own.
 */
export function redactLines(
  text: string,
  rules: CompiledRules,
  cancel: CancelFlag,
  own: FindOwn,
): string {
  const bytes = Buffer.from(text);
  const find = createMaskFinder(rules, new Work(cancel));
  const masks = joinMasks([...inLines(bytes, find), ...unseen(own(bytes))]);
  return masks.length === 0 ? text : applyMasks(bytes, masks);
}

/** The text without the service's own secrets. */
export function hideOwn(text: string, own: FindOwn): string {
  const bytes = Buffer.from(text);
  const masks = unseen(own(bytes));
  return masks.length === 0 ? text : applyMasks(bytes, masks);
}

/** All secrets of a text: in it as a whole, in lines, over joints of literals, in encoded runs. */
export function findSecrets(bytes: Buffer, find: FindMasks): Mask[] {
  return [...inLines(bytes, find), ...inJoined(bytes, find), ...inRuns(bytes, find)];
}

const LF = 0x0a;

/** In the text as a whole, and in its lines: many rules are written for single ones. */
function inLines(bytes: Buffer, find: FindMasks): Mask[] {
  const findIn = find.within(bytes);
  const masks = findIn({ start: 0, end: bytes.length });
  if (!bytes.includes(LF)) return masks;
  let start = 0;
  while (start < bytes.length) {
    const lineEnd = bytes.indexOf(LF, start);
    const end = lineEnd === -1 ? bytes.length : lineEnd;
    for (const mask of findIn({ start, end })) masks.push(mask);
    start = end + 1;
  }
  return masks;
}

/** What may divide a token: a line break with the blanks around it, or a joint of literals. */
const GAPS = /["'`][ \t]{0,99}[+.]?[ \t]{0,99}["'`]|[ \t]{0,99}\\?\r?\n\s{0,99}/g;

/** So many gaps in a row are taken out at a time, and then all of the text at once. */
const GAPS_AT_ONCE = [1, 2, 3, 4];

/**
 * Secrets that gaps divide: found in the parts on both sides of a few gaps, put together. The
 * parts before and after are left out, as a word that touches a token would hide it.
 */
function inJoined(bytes: Buffer, find: FindMasks): Mask[] {
  const parts = partsOf(bytes);
  if (parts.length === 1) return [];
  const masks: Mask[] = [];
  const joined = joinParts(bytes, parts, '');
  const widths = GAPS_AT_ONCE.filter((width) => width < parts.length - 1);
  const findIn = find.within(joined.bytes);
  for (const width of [...widths, parts.length - 1]) {
    for (let first = 0; first + width < parts.length; first += 1) {
      masks.push(...inWindow(joined, first, first + width, findIn));
    }
  }
  // Words on several lines are a phrase.
  const phrase = joinParts(bytes, parts, ' ');
  return [...masks, ...inWindow(phrase, 0, parts.length - 1, find.within(phrase.bytes))];
}

/** The text between the gaps. */
function partsOf(bytes: Buffer): Run[] {
  const parts: Run[] = [];
  let start = 0;
  for (const gap of bytes.toString('latin1').matchAll(GAPS)) {
    parts.push({ start, end: gap.index });
    start = gap.index + gap[0].length;
  }
  return [...parts, { start, end: bytes.length }];
}

/** Parts of a text, one behind the other. */
interface Joined {
  bytes: Buffer;
  parts: readonly Run[];
  /** Where each part begins in `bytes`. */
  starts: readonly number[];
}

function joinParts(text: Buffer, parts: readonly Run[], joint: string): Joined {
  const between = Buffer.from(joint);
  const texts = parts.flatMap(({ start, end }) => [text.subarray(start, end), between]);
  const starts: number[] = [];
  let at = 0;
  for (const { start, end } of parts) {
    starts.push(at);
    at += end - start + between.length;
  }
  return { bytes: Buffer.concat(texts), parts, starts };
}

/** Matches in the parts from `first` to `last` that lie on both sides of a gap. */
function inWindow(
  { bytes, parts, starts }: Joined,
  first: number,
  last: number,
  findIn: ReturnType<FindMasks['within']>,
): Mask[] {
  /** Where a byte of the joined text stands in the text; that of a joint: at the part's end. */
  const placeOf = (index: number): number => {
    let part = first;
    while (part < last && (starts[part + 1] ?? 0) <= index) part += 1;
    const { start, end } = parts[part] ?? { start: 0, end: 0 };
    return Math.min(start + index - (starts[part] ?? 0), end);
  };
  const hasGap = ({ start, end }: Located) => placeOf(end - 1) - placeOf(start) > end - 1 - start;
  const range = { start: starts[first] ?? 0, end: starts[last + 1] ?? bytes.length };
  return findIn(range, hasGap).map(({ start, end }) => ({
    start: placeOf(start),
    end: placeOf(end - 1) + 1,
    // What is shown of it would hold the gap.
    visible: 0,
  }));
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
export function createRepeatFinder(secrets: readonly Buffer[]): (bytes: Buffer) => Mask[] {
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

/** What names the change: it must stay as it is, so it may hold no secret. */
const NAMES = ['repo_name', 'branch', 'commitSha', 'repoFullName'] as const;

/**
 * The request as it may be kept: secrets in the commit message are hidden. INVALID_ARGUMENT for a
 * name that holds one, as names are shown everywhere and cannot be changed.
 */
export function withoutSecrets(
  request: AnalyzeRequest,
  rules: CompiledRules,
  cancel: CancelFlag,
  own: FindOwn,
): AnalyzeRequest {
  const redact = (text: string) => redactLines(text, rules, cancel, own);
  const names = NAMES.map((field) => request[field] ?? '').join('\n');
  if (redact(names) !== names) refuseName(request, redact);
  const { commit_message } = request;
  const shown = commit_message === '' ? '' : redact(commit_message);
  return shown === commit_message ? request : { ...request, commit_message: shown };
}

function refuseName(request: AnalyzeRequest, redact: (text: string) => string): void {
  for (const field of NAMES) {
    const name = request[field] ?? '';
    if (redact(name) === name) continue;
    throw new CraError('INVALID_ARGUMENT', `${field}: holds what looks like a secret`, {
      details: { field },
    });
  }
}

/** Hides secrets in a text; null: it must not be shown. */
type Redact = (text: string) => string | null;

/**
 * A run without a break at the cut end of a text: it may be a secret that no rule can know any
 * more, as its end is missing.
 */
const CUT_RUN = /[\w+/=.~%-]{40,}…$/;

/**
 * The findings of gate 2 without secrets. They quote lines and names as they are: also names of
 * lines around the added ones, which gate 1 does not search. So the rules for secrets are run on
 * what is quoted; `known` hides what gate 1 has found in the diff.
 */
export function redactFindings(
  findings: readonly GateFinding[],
  rules: CompiledRules,
  work: Work,
  known: Redact,
): GateFinding[] {
  const masksIn = createMaskFinder(rules, work);
  const words = new Map<string, string>();
  // Findings of one line quote the same text.
  let last: { text: string; redacted: string | null } = { text: '', redacted: '' };

  function redact(text: string): string | null {
    const bytes = Buffer.from(text);
    return known(applyMasks(bytes, masksIn(bytes)).replace(CUT_RUN, '…'));
  }

  function excerptOf(text: string): string | null {
    if (text !== last.text) last = { text, redacted: redact(text) };
    const { redacted } = last;
    const { EXCERPT_CHARS_MAX } = RISK_GATE;
    if (redacted === null || redacted.length <= EXCERPT_CHARS_MAX) return redacted;
    return `${redacted.slice(0, EXCERPT_CHARS_MAX - 1).toWellFormed()}…`;
  }

  return findings.map((finding) => ({
    ...finding,
    ...ofFlow(finding),
    message: redact(finding.message) ?? WITHHELD,
    excerpt: finding.excerpt === null ? null : excerptOf(finding.excerpt),
  }));

  /** Title and steps, which quote the change in a few words each. */
  function ofFlow({ title, flow }: GateFinding): Pick<GateFinding, 'title' | 'flow'> {
    return {
      ...(title === undefined ? {} : { title: wordsOf(title, FLOW.TITLE_CHARS_MAX) }),
      ...(flow === undefined
        ? {}
        : {
            flow: flow.map((step) => ({ ...step, what: wordsOf(step.what, FLOW.WHAT_CHARS_MAX) })),
          }),
    };
  }

  /** Steps and titles say the same again and again. */
  function wordsOf(text: string, max: number): string {
    const known = words.get(text) ?? (redact(text) ?? WITHHELD).slice(0, max).toWellFormed();
    words.set(text, known);
    return known;
  }
}
