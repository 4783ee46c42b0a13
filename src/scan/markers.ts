import type { DiffFile } from '../diff/diff.ts';
import { LINE, LineCursor } from '../diff/lines.ts';
import type { GateFinding } from '../domain/finding.ts';
import { type ForeignMarker, OWN_MARKER } from '../domain/rules.ts';
import { MARKERS } from '../limits.ts';
import type { Marker } from '../verdict/suppression.ts';
import { type MarkerText, readMarker } from './marker-syntax.ts';
import type { ReasonReader } from './reason.ts';

/** Where to look for markers, and how. */
export interface MarkerSearch {
  bytes: Buffer;
  files: readonly DiffFile[];
  /** Markers are looked for on their lines and on the lines before. */
  findings: readonly GateFinding[];
  foreign: readonly ForeignMarker[];
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
 * older marker goes on to hold for the line that it was written for. Removed lines hold none.
 * Time is linear in the diff; it is not walked through at all when it holds no marker's word.
 */
export function findMarkers(search: MarkerSearch): FoundMarkers {
  const { bytes, files, findings, foreign, reasons } = search;
  const found: FoundMarkers = { markers: [], problems: [] };
  if (foreign.length === 0 && !bytes.includes(OWN_MARKER)) return found;
  const places = placesOf(findings);
  const cursor = new LineCursor(bytes);
  for (const { path, hunks } of files) {
    const wanted = places.get(path);
    if (wanted === undefined) continue;
    let last = 0;
    for (const line of wanted.keys()) last = Math.max(last, line);
    for (const hunk of hunks) {
      cursor.open(hunk);
      while (cursor.next() && cursor.newLine <= last) {
        const { kind, start, end, newLine: line } = cursor;
        if (kind === LINE.REMOVED || !wanted.has(line)) continue;
        if (end - start > MARKERS.LINE_BYTES_MAX) continue;
        const text = readMarker(bytes.toString('latin1', start, end), foreign);
        if (text === null || (!text.coversNext && !wanted.get(line))) continue;
        if (found.markers.length === MARKERS.PER_DIFF_MAX) {
          found.problems.push({ file: path, line, message: TOO_MANY });
          return found;
        }
        // A line has one marker, also where a diff names its file again and again.
        wanted.delete(line);
        take(text, { file: path, line, start, end }, reasons, found);
      }
    }
  }
  return found;
}

const TOO_MANY = `more than ${MARKERS.PER_DIFF_MAX} markers; from here on none is read`;

/** By file: the lines of findings (true) and the lines before them (false). */
function placesOf(findings: readonly GateFinding[]): Map<string, Map<number, boolean>> {
  const places = new Map<string, Map<number, boolean>>();
  for (const { file, line } of findings) {
    if (file === null || line === null) continue;
    const lines = places.get(file) ?? new Map<number, boolean>();
    lines.set(line, true);
    if (!lines.has(line - 1)) lines.set(line - 1, false);
    places.set(file, lines);
  }
  return places;
}

interface Place {
  file: string;
  line: number;
  /** The line's content in the diff. */
  start: number;
  end: number;
}

function take(
  text: MarkerText,
  place: Place,
  reasons: ReasonReader,
  { markers, problems }: FoundMarkers,
): void {
  const { by, rules, coversNext, problem } = text;
  const { file, line, start } = place;
  const range = text.reason;
  const reason =
    range === null
      ? FOREIGN_REASON
      : reasons.read({ start: start + range[0], end: start + range[1] });
  const told = reason === null ? 'gives no reason, so it suppresses nothing' : problem;
  if (told !== null) problems.push({ file, line, message: `this ${by} marker: ${told}` });
  // Kept in any case, as it counts for PER_DIFF_MAX.
  const kept = reason === null ? [] : rules;
  markers.push({ file, line, coversNext, by, rules: kept, reason: reason ?? '' });
}
