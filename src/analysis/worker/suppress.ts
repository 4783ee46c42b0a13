import { createHmac } from 'node:crypto';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import { RISK_GATE } from '../../gates/limits.ts';
import type { CompiledRules } from '../../gates/patterns/compiled-rules.ts';
import { type Mask, maskOf, type Shown } from '../../gates/patterns/excerpt.ts';
import { type MatchSink, matchPiece, type Work } from '../../gates/patterns/match.ts';
import type { DecidedFiles, TreeFiles } from '../../model/change.ts';
import { type GateFinding, isAcceptable, plainFinding, SEVERITIES } from '../../model/finding.ts';
import { FINDINGS_PER_RFC_MAX } from '../../model/limits.ts';
import type { ReviewedFinding } from '../../model/review.ts';
import { OWN_MARKER, type PipelineSettings } from '../../model/rules.ts';
import { createSecretSearch, WITHHELD } from '../../redaction/secret-search.ts';
import type { Client } from '../../rpc/service.ts';
import type { Trail } from '../../store/contract/trail.ts';
import {
  acceptedIn,
  applySuppressions,
  type Marker,
  type WeakMarker,
  weakMarkers,
} from '../../verdict/suppression.ts';
import { MARKERS } from '../limits.ts';
import {
  BaseMarkers,
  bareLine,
  type MarkerMistake,
  type MarkerText,
  readMarker,
} from './marker-lines.ts';
import type { ActiveRules } from './rules-cache.ts';

/** Findings of the gates, and what decides which of them are suppressed. */
interface SuppressionInput extends Omit<MarkerSearch, 'settings'> {
  rules: ActiveRules;
  repoName: string;
  fingerprintKey: Uint8Array;
}

/** The store has left out what has ended, by its own clock. */
const ANY_TIME = Number.NEGATIVE_INFINITY;

/**
 * The findings, of which some are suppressed now, and findings about the suppression itself: one
 * that counts what markers have suppressed, and one for each marker that does not do what its
 * author wants. The active rules decide, whatever rules or settings the diff itself holds.
 */
export function suppressFindings(input: SuppressionInput): GateFinding[] {
  const { findings, rules, repoName, fingerprintKey } = input;
  if (findings.length === 0) return [];
  const settings = rules.pipeline;
  const { markers, problems } = findMarkers({ ...input, settings });
  const accepted = acceptedIn(repoName, rules.accepted, input.nowMs);
  const trustsNew = settings.own_markers === 'on';
  const checked = applySuppressions(findings, { markers, accepted, trustsNew });
  problems.push(...weakMarkers(checked, markers).map(weakMarker));
  const words = new Set(markers.map(({ by }) => by));
  const marked = checked.filter(({ suppressed: by }) => by !== null && words.has(by.by));
  const notes = problems.map(invalidMarker);
  if (marked.length > 0) notes.push(markersUsed(marked));
  return [...checked, ...notes.map((note) => withFingerprint(note, fingerprintKey))];
}

/** How a scan thread asks which fingerprints decisions have accepted. */
export type FindAccepted = Client<typeof Trail>['acceptedAmong'];

/**
 * The same findings; findings whose fingerprint a decision has accepted in the repository
 * say so. The store is asked only when there is something that could be suppressed; without an
 * answer nothing is.
 */
export async function suppressAccepted(
  findings: GateFinding[],
  repo: { tenant_id: string; repo_name: string },
  findAccepted: FindAccepted | null,
): Promise<GateFinding[]> {
  if (findAccepted === null) return findings;
  const open = findings.filter(isAcceptable);
  if (open.length === 0) return findings;
  const distinct = new Set(open.map(({ fingerprint }) => fingerprint));
  const fingerprints = [...distinct].slice(0, FINDINGS_PER_RFC_MAX);
  const { accepted } = await findAccepted({ ...repo, fingerprints }).catch(() => NONE);
  if (accepted.length === 0) return findings;
  const shown = accepted.map((entry) => ({ ...entry, reason: oneLine(entry.reason) }));
  return applySuppressions(findings, {
    markers: [],
    accepted: acceptedIn(repo.repo_name, shown, ANY_TIME),
    trustsNew: false,
  });
}

/**
 * Findings of gate 3, of which those say so whose fingerprint a decision has accepted. No marker
 * suppresses them: an author must not be able to switch a review off.
 */
export async function suppressReviewed(
  findings: readonly ReviewedFinding[],
  { tenant_id, repo_name }: { tenant_id: string; repo_name: string },
  findAccepted: FindAccepted | null,
): Promise<ReviewedFinding[]> {
  const open = findings.filter(isAcceptable);
  if (findAccepted === null || open.length === 0) return [...findings];
  const distinct = new Set(open.map(({ fingerprint }) => fingerprint));
  const fingerprints = [...distinct].slice(0, FINDINGS_PER_RFC_MAX);
  const found = await findAccepted({ tenant_id, repo_name, fingerprints }).catch(() => NONE);
  const accepted = acceptedIn(repo_name, found.accepted, ANY_TIME);
  return findings.map((one) => {
    const entry = isAcceptable(one) ? accepted.get(one.fingerprint) : undefined;
    if (entry === undefined) return one;
    const by = entry.by ?? 'accepted fingerprint';
    return { ...one, suppressed: { by, reason: oneLine(entry.reason) } };
  });
}

const NONE = { accepted: [] };

/** Hundreds of findings may repeat it; the decision itself has it in full. */
function oneLine(reason: string): string {
  const line = reason.replace(/\s+/g, ' ').trim();
  const { EXCERPT_CHARS_MAX } = RISK_GATE;
  if (line.length <= EXCERPT_CHARS_MAX) return line;
  return `${line.slice(0, EXCERPT_CHARS_MAX - 1).toWellFormed()}…`;
}

const WEAK = {
  new: {
    text: 'is new in this change, or nobody decided about the RFC that brought it, so it does not lower high findings yet',
    fix: 'Leave it as it is, and commit it by itself first: it counts once it stands in the base and, of a push, somebody has approved or overridden the RFC that brought it.',
  },
  never: {
    text: 'names a finding that no marker lowers (private key, live provider key or remote code)',
    fix: 'Take the marker out and mend the finding, or have a person look at it and override.',
  },
} as const;

function weakMarker({ marker, reason }: WeakMarker): MarkerProblem {
  const { file, line, by } = marker;
  const { text, fix } = WEAK[reason];
  return { file, line, message: `this ${by} marker ${text}`, fix };
}

function invalidMarker({ file, line, message, fix }: MarkerProblem): GateFinding {
  return plainFinding({
    id: 'marker-invalid',
    gate: 'risk',
    severity: 'low',
    message,
    file,
    line,
    end_line: line,
    fix,
  });
}

/** Reviewers have to know that comments suppress some of the findings. */
function markersUsed(marked: readonly GateFinding[]): GateFinding {
  const worst = SEVERITIES.find((each) => marked.some(({ severity }) => severity === each));
  const rules = [...new Set(marked.map(({ id }) => id))].sort();
  const shown = rules.slice(0, RULES_SHOWN_MAX).join(', ');
  const more = rules.length > RULES_SHOWN_MAX ? ', ...' : '';
  const [count, are] =
    marked.length === 1 ? ['1 finding', 'is'] : [`${marked.length} findings`, 'are'];
  return plainFinding({
    id: 'marker-used',
    gate: 'risk',
    severity: 'info',
    message: `${count} (worst: ${worst}) ${are} suppressed by comments in the code: ${shown}${more}`,
  });
}

const RULES_SHOWN_MAX = 5;

/** Such a finding has no match to make one of. */
export function withFingerprint(note: GateFinding, key: Uint8Array): GateFinding {
  const fingerprint = createHmac('sha256', key)
    .update(`${note.id}\0${note.file ?? ''}\0${note.message}`)
    .digest('hex');
  return { ...note, fingerprint };
}

/** Where to look for markers, and how. */
interface MarkerSearch {
  bytes: Buffer;
  files: readonly DiffFile[];
  /** Markers are looked for on their lines and on the lines before. */
  findings: readonly GateFinding[];
  /** `own_markers` and `foreign_markers` count. */
  settings: PipelineSettings;
  /** Files of the base; null without a repository at hand. */
  trees: TreeFiles;
  /** Lines with markers that other commits of the same push bring: they are as new as it is. */
  brought?: ReadonlySet<string> | undefined;
  /**
   * Changes that people decided about, and the adopted state: a marker of the base that none of
   * them brought is as new as the change. Null or absent: nothing is known of it, and the base is
   * trusted.
   */
  decided?: readonly DecidedFiles[] | null | undefined;
  /** The time, ms since the epoch: a marker may have ended. */
  nowMs: number;
  reasons: ReasonReader;
}

/** Something about a marker that its author should know. */
interface MarkerProblem {
  file: string;
  line: number;
  message: string;
  fix: string;
}

interface FoundMarkers {
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
  const base = new BaseMarkers(bytes, foreign, search.trees, search.decided ?? null);
  const places = placesOf(findings);
  const inStates = pathsInStates(files);
  for (const file of files) {
    const { path } = file;
    for (const [text, place] of nearFindings(search, file, places.get(path), base)) {
      const { line } = place;
      if (text.by === OWN_MARKER && own_markers === 'off') continue;
      if (inStates.has(path)) {
        found.problems.push({ file: path, line, ...IN_STATES });
        places.delete(path);
        break;
      }
      if (found.markers.length === MARKERS.PER_DIFF_MAX) {
        found.problems.push({ file: path, line, ...TOO_MANY });
        return found;
      }
      take(text, place, search, found);
    }
  }
  return found;
}

const TOO_MANY = {
  message: `more than ${MARKERS.PER_DIFF_MAX} markers; from here on none is read`,
  fix: 'Split the change, or take out markers that cover nothing.',
};
const IN_STATES = {
  message: 'the diff shows this file more than once, so no marker in it counts',
  fix: 'Submit one diff of the whole change instead of a series of patches.',
};

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
  { bytes, settings: { foreign_markers: foreign = [] }, brought }: MarkerSearch,
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
      const isAdded = kind === LINE.ADDED && !base.has(content, text, file, hunk);
      const isBrought = isAdded || brought?.has(bareLine(content)) === true;
      const isNew = isBrought || !base.isDecided(content, text, file);
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
  const problem = hasEnded ? endedOn(until) : text.problem;
  const { file, line, start, isNew } = place;
  const range = text.reason;
  const reason =
    range === null
      ? FOREIGN_REASON
      : reasons.read({ start: start + range[0], end: start + range[1] });
  const mistake = reason === null ? NO_REASON : problem;
  if (mistake !== null) {
    problems.push({ file, line, message: `this ${by} marker: ${mistake.text}`, fix: mistake.fix });
  }
  // Kept in any case, as it counts for PER_DIFF_MAX.
  const kept = reason === null || hasEnded ? [] : rules;
  markers.push({ file, line, coversNext, by, isNew, rules: kept, reason: reason ?? '' });
}

const NO_REASON: MarkerMistake = {
  text: 'gives no reason, so it suppresses nothing',
  fix: `Write why behind the colon: ${OWN_MARKER} RULE: reason.`,
};

function endedOn(until: string): MarkerMistake {
  const text = `ended on ${until}, so it suppresses nothing`;
  return {
    text,
    fix: 'Mend what it covers and take it out; a marker with a later day is a new one.',
  };
}

/** Reads the reasons of markers; `range` is part of one line of the diff. */
interface ReasonReader {
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
