import {
  type GateFinding,
  isGraveRule,
  isMarkable,
  isSuppressible,
  type Suppression,
  severityRank,
} from '../model/finding.ts';
import type { AcceptedFingerprint, PipelineSettings, WeakMode } from '../model/rules.ts';
import { foldedInto } from './verdict.ts';

/** A comment that takes findings at its place out of the verdict. */
export interface Marker {
  file: string;
  /** 1-based line of the new file on which it stands. */
  line: number;
  /** Whether it is for the next line, too: it has its own line to itself. */
  coversNext: boolean;
  /** The marker's own word: `cra-ignore`, `nosemgrep`. */
  by: string;
  /** Ids of findings; with `*` at the end, all ids that begin like this. */
  rules: readonly string[];
  /** For people: printable, clipped, without secrets. */
  reason: string;
  /** Whether the change itself adds it: it did not stand in the base. */
  isNew: boolean;
}

/** What may suppress the findings of one change. */
export interface Suppressors {
  markers: readonly Marker[];
  /** By fingerprint; acceptances that are valid in the change's repository. */
  accepted: ReadonlyMap<string, AcceptedFingerprint>;
  /** Whether markers that the change adds lower high findings, too. */
  trustsNew: boolean;
}

/** Whether a name, perhaps with `*` at its end, stands for this id of a rule, or branch. */
function stands(name: string, id: string): boolean {
  return name.endsWith('*') ? id.startsWith(name.slice(0, -1)) : id === name;
}

/**
 * The accepted fingerprints that hold in a repository at a time (ms since the epoch); its name
 * counts without regard to case.
 */
export function acceptedIn(
  repoName: string,
  accepted: readonly AcceptedFingerprint[],
  nowMs: number,
): Map<string, AcceptedFingerprint> {
  const repo = repoName.toLowerCase();
  const own = accepted.filter(
    ({ repo: of, expires_at: end }) =>
      (of?.toLowerCase() ?? repo) === repo && (end === undefined || nowMs < Date.parse(end)),
  );
  return new Map(own.map((entry) => [entry.fingerprint, entry]));
}

/**
 * The same findings in the same order; `suppressed` says where an accepted fingerprint or a marker
 * covers a finding. They stay visible and count neither for the verdict nor for the
 * score. A finding without a file is about the diff as a whole ("more matches are not listed"):
 * nothing suppresses it. What is suppressed already stays as it is. Who accepted a finding has
 * accepted what `foldGates` left out in its favour: the same mistake on the same line, not graver.
 */
export function applySuppressions(
  findings: readonly GateFinding[],
  { markers, accepted, trustsNew }: Suppressors,
): GateFinding[] {
  if (markers.length === 0 && accepted.size === 0) return [...findings];
  const byPlace = indexMarkers(markers);
  const shown = accepted.size === 0 ? null : foldedInto(findings);
  const acceptedAs = (finding: GateFinding) => {
    const own = accepted.get(finding.fingerprint);
    const twin = isMarkable(finding) ? shown?.get(finding) : undefined;
    if (own !== undefined || twin === undefined || !isSuppressible(twin.id)) return own;
    return accepted.get(twin.fingerprint);
  };
  return findings.map((finding) => {
    const { id, file, suppressed: before } = finding;
    if (before !== null || file === null || !isSuppressible(id)) return finding;
    const suppressed = byFingerprint(acceptedAs(finding)) ?? byMarker(finding, byPlace, trustsNew);
    return suppressed === null ? finding : { ...finding, suppressed };
  });
}

/** `suppressed.by` of findings whose rule blocks nothing. */
export const BY_MODE: Readonly<Record<WeakMode, string>> = {
  monitor: 'mode monitor',
  warn: 'mode warn',
};

/**
 * The same findings, of which those say so in `suppressed` whose rule blocks nothing on this
 * branch (`pipeline.modes`); a `branch` of null is not known. Never what was not looked at;
 * vulnerabilities and private keys only with `allow_weaker`.
 */
export function applyModes(
  findings: readonly GateFinding[],
  { modes = [], allow_weaker = false }: PipelineSettings,
  branch: string | null,
): GateFinding[] {
  const here = modes.filter(
    ({ branches }) =>
      branches === undefined || (branch !== null && branches.some((name) => stands(name, branch))),
  );
  if (here.length === 0) return [...findings];
  return findings.map((finding) => {
    const { id, suppressed } = finding;
    const mayLower = isGraveRule(id) ? allow_weaker : isSuppressible(id);
    if (suppressed !== null || !mayLower) return finding;
    const mode = here.findLast(({ rules }) => rules.some((name) => stands(name, id)))?.mode;
    if (mode === undefined || mode === 'block') return finding;
    const reason = `the rules set ${id} to ${mode}: it blocks nothing here`;
    return { ...finding, suppressed: { by: BY_MODE[mode], reason } };
  });
}

function byFingerprint(entry: AcceptedFingerprint | undefined): Suppression | null {
  if (entry === undefined) return null;
  return { by: entry.by ?? 'accepted fingerprint', reason: entry.reason };
}

function byMarker(
  finding: GateFinding,
  byPlace: ReadonlyMap<string, readonly Marker[]>,
  trustsNew: boolean,
): Suppression | null {
  const marker = markersFor(finding, byPlace).find((one) => mayLower(one, finding, trustsNew));
  return marker === undefined ? null : { by: marker.by, reason: marker.reason };
}

/** The markers that name a finding at its place. */
function markersFor(
  { id, file, line }: GateFinding,
  byPlace: ReadonlyMap<string, readonly Marker[]>,
): readonly Marker[] {
  if (file === null || line === null) return [];
  const here = byPlace.get(placeKey(file, line)) ?? [];
  return here.filter(({ rules }) => rules.some((name) => stands(name, id)));
}

/** A marker that the change itself brings is the word of its author: it lowers nothing grave. */
function mayLower({ isNew }: Marker, finding: GateFinding, trustsNew: boolean): boolean {
  if (!isMarkable(finding)) return false;
  return !isNew || trustsNew || severityRank(finding.severity) > severityRank('high');
}

/** Markers that name findings which they do not lower, and why. */
export interface WeakMarker {
  marker: Marker;
  /** `new`: it will lower them once it stands in the base; `never`: no marker does. */
  reason: 'new' | 'never';
}

/** Of findings that `applySuppressions` left open, the markers that name them in vain. */
export function weakMarkers(
  open: readonly GateFinding[],
  markers: readonly Marker[],
): WeakMarker[] {
  const byPlace = indexMarkers(markers);
  const weak = new Map<Marker, WeakMarker['reason']>();
  for (const finding of open) {
    if (finding.suppressed !== null || !isSuppressible(finding.id)) continue;
    for (const marker of markersFor(finding, byPlace)) {
      if (weak.get(marker) !== 'never') weak.set(marker, isMarkable(finding) ? 'new' : 'never');
    }
  }
  return [...weak].map(([marker, reason]) => ({ marker, reason }));
}

/** By file and line covered; the marker on the line itself comes before that on the line above. */
function indexMarkers(markers: readonly Marker[]): Map<string, Marker[]> {
  const byPlace = new Map<string, Marker[]>();
  const put = (marker: Marker, line: number) => {
    const key = placeKey(marker.file, line);
    const known = byPlace.get(key);
    if (known === undefined) byPlace.set(key, [marker]);
    else known.push(marker);
  };
  for (const marker of markers) put(marker, marker.line);
  for (const marker of markers) {
    if (marker.coversNext) put(marker, marker.line + 1);
  }
  return byPlace;
}

function placeKey(file: string, line: number): string {
  return `${line} ${file}`;
}
