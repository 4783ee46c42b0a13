import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { CompiledRules } from '../../gates/patterns/compile.ts';
import { type Mask, maskOf, type Shown } from '../../gates/patterns/excerpt.ts';
import { type MatchSink, matchPiece, type Work } from '../../gates/patterns/match.ts';
import type { TreeFiles } from '../../model/change.ts';
import type { GateFinding } from '../../model/finding.ts';
import { OWN_MARKER, type PipelineSettings } from '../../model/rules.ts';
import { createSecretSearch, WITHHELD } from '../../redaction/secret-search.ts';
import type { Marker } from '../../verdict/suppression.ts';
import { MARKERS } from '../limits.ts';
import { BaseMarkers, type MarkerText, readMarker } from './marker-lines.ts';

/** Where to look for markers, and how. */
export interface MarkerSearch {
  bytes: Buffer;
  files: readonly DiffFile[];
  /** Markers are looked for on their lines and on the lines before. */
  findings: readonly GateFinding[];
  /** `own_markers` and `foreign_markers` count. */
  settings: PipelineSettings;
  /** What was read of the base; null: there is no repository at hand. */
  trees: TreeFiles;
  /** The time, ms since the epoch: a marker may have ended. */
  nowMs: number;
  reasons: ReasonReader;
}

/** Something about a marker that its author should know. */
export interface MarkerProblem {
  file: string;
  line: number;
  message: string;
}

export interface FoundMarkers {
  markers: Marker[];
  problems: MarkerProblem[];
}

const FOREIGN_REASON = 'a marker of another tool, which the rules file enables';

/**
 * Reads the markers near findings: added lines, and lines around them that the diff shows, as an
 * older marker goes on to hold for the line that it was written for. Removed lines hold none, and
 * neither do files that the diff shows in several states (`git log -p`): a marker of one may stand
 * on the line of a finding of another. Time is linear in the diff; it is not walked through at all
 * when it holds no marker's word.
 */
export function findMarkers(search: MarkerSearch): FoundMarkers {
  const { bytes, files, findings, settings } = search;
  const { own_markers, foreign_markers: foreign = [] } = settings;
  const found: FoundMarkers = { markers: [], problems: [] };
  if (foreign.length === 0 && (own_markers === 'off' || !bytes.includes(OWN_MARKER))) return found;
  const base = new BaseMarkers(bytes, foreign, search.trees);
  const places = placesOf(findings);
  const inStates = pathsInStates(files);
  for (const file of files) {
    const { path } = file;
    for (const [text, place] of nearFindings(search, file, places.get(path), base)) {
      const { line } = place;
      if (text.by === OWN_MARKER && own_markers === 'off') continue;
      if (inStates.has(path)) {
        found.problems.push({ file: path, line, message: IN_STATES });
        places.delete(path);
        break;
      }
      if (found.markers.length === MARKERS.PER_DIFF_MAX) {
        found.problems.push({ file: path, line, message: TOO_MANY });
        return found;
      }
      take(text, place, search, found);
    }
  }
  return found;
}

const TOO_MANY = `more than ${MARKERS.PER_DIFF_MAX} markers; from here on none is read`;
const IN_STATES =
  'the diff shows this file more than once, so no marker in it counts; submit one diff of all';

/** Of one file: its lines with findings (true), the lines before them (false), the last of all. */
interface Wanted {
  lines: Map<number, boolean>;
  last: number;
}

function placesOf(findings: readonly GateFinding[]): Map<string, Wanted> {
  const places = new Map<string, Wanted>();
  for (const { file, line } of findings) {
    if (file === null || line === null) continue;
    const wanted = places.get(file) ?? { lines: new Map<number, boolean>(), last: 0 };
    wanted.lines.set(line, true);
    if (!wanted.lines.has(line - 1)) wanted.lines.set(line - 1, false);
    wanted.last = Math.max(wanted.last, line);
    places.set(file, wanted);
  }
  return places;
}

/** Paths of which the diff shows lines of the new file more than once. */
function pathsInStates(files: readonly DiffFile[]): Set<string> {
  const once = new Set<string>();
  const again = new Set<string>();
  for (const { path, change, hunks } of files) {
    // A file that becomes a link is deleted and added again.
    if (change === 'deleted' || hunks.length === 0) continue;
    if (once.has(path)) again.add(path);
    once.add(path);
  }
  return again;
}

/** The markers of a part of the diff that may be about findings, and where they stand. */
function* nearFindings(
  { bytes, settings: { foreign_markers: foreign = [] } }: MarkerSearch,
  file: DiffFile,
  wanted: Wanted | undefined,
  base: BaseMarkers,
): Generator<[MarkerText, Place]> {
  if (wanted === undefined) return;
  const { path, hunks } = file;
  const { lines, last } = wanted;
  const cursor = new LineCursor(bytes);
  for (const hunk of hunks) {
    cursor.open(hunk);
    while (cursor.next() && cursor.newLine <= last) {
      const { kind, start, end, newLine: line } = cursor;
      if (kind === LINE.REMOVED || !lines.has(line)) continue;
      if (end - start > MARKERS.LINE_BYTES_MAX) continue;
      const content = bytes.toString('latin1', start, end);
      const text = readMarker(content, foreign);
      if (text === null || (!text.coversNext && !lines.get(line))) continue;
      // A line has one marker, also where hunks overlap.
      lines.delete(line);
      const isNew = kind === LINE.ADDED && !base.has(content, text, file, hunk);
      yield [text, { file: path, line, start, isNew }];
    }
  }
}

interface Place {
  file: string;
  line: number;
  /** Where the line's content begins in the diff. */
  start: number;
  /** As `Marker.isNew`. */
  isNew: boolean;
}

function take(
  text: MarkerText,
  place: Place,
  { reasons, nowMs }: MarkerSearch,
  { markers, problems }: FoundMarkers,
): void {
  const { by, rules, coversNext, until } = text;
  const hasEnded = until !== null && Date.parse(until) <= nowMs;
  const problem = hasEnded ? `ended on ${until}, so it suppresses nothing` : text.problem;
  const { file, line, start, isNew } = place;
  const range = text.reason;
  const reason =
    range === null
      ? FOREIGN_REASON
      : reasons.read({ start: start + range[0], end: start + range[1] });
  const mistake = reason === null ? 'gives no reason, so it suppresses nothing' : problem;
  if (mistake !== null) problems.push({ file, line, message: `this ${by} marker: ${mistake}` });
  // Kept in any case, as it counts for PER_DIFF_MAX.
  const kept = reason === null || hasEnded ? [] : rules;
  markers.push({ file, line, coversNext, by, isNew, rules: kept, reason: reason ?? '' });
}

/** Reads the reasons of markers; `range` is part of one line of the diff. */
export interface ReasonReader {
  /** The reason for people: clipped, printable, secrets masked. Null for an empty one. */
  read(range: { start: number; end: number }): string | null;
}

/** As `Report.rangeRedactor` gives it; null: there are too many secrets. */
type Redact = ((shown: Shown, masks: readonly Mask[]) => string) | null;

/**
 * Creates a reader over a diff that gate 1 has seen. `openRedactor`, called when there is a reason,
 * knows the secrets found in the diff; on top of them the rules for secrets are run on each reason,
 * as gate 1 reads added lines only.
 */
export function createReasonReader(
  bytes: Buffer,
  rules: CompiledRules,
  work: Work,
  openRedactor: () => Redact,
): ReasonReader {
  const search = createSecretSearch(rules);
  let redact: Redact | undefined;
  let budget: number = MARKERS.REDACTION_BYTES_MAX;

  function masksIn(range: { start: number; end: number }): Mask[] {
    const masks: Mask[] = [];
    const sink: MatchSink = {
      take: (_rule, { secretStart, secretEnd }) => masks.push(maskOf(secretStart, secretEnd)),
      giveUp: () => masks.push({ ...range, visible: 0 }),
    };
    const { piece, rules: woken } = search(bytes, range);
    for (const rule of woken) {
      budget -= piece.text.length;
      if (budget >= 0) matchPiece(rule, piece, work, sink);
    }
    return masks;
  }

  return {
    read(range) {
      const trimmed = trimRange(bytes, range);
      const { start: lineStart, end: lineEnd } = trimmed;
      if (!/[\p{L}\p{N}]/u.test(bytes.toString('utf8', lineStart, lineEnd))) return null;
      const masks = masksIn(trimmed);
      if (redact === undefined) redact = openRedactor();
      if (redact === null || budget < 0) return WITHHELD;
      return redact({ lineStart, lineEnd, matchStart: lineStart, matchEnd: lineStart }, masks);
    },
  };
}

/** Less the blanks and the CR around it. */
function trimRange(bytes: Buffer, range: { start: number; end: number }) {
  let { start, end } = range;
  while (start < end && (bytes[start] ?? 0) <= SPACE) start += 1;
  while (end > start && (bytes[end - 1] ?? 0) <= SPACE) end -= 1;
  return { start, end };
}

const SPACE = 0x20;
