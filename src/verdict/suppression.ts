import { type GateFinding, isSuppressible, type Suppression } from '../model/finding.ts';
import type { AcceptedFingerprint } from '../model/rules.ts';

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
}

/** What may suppress the findings of one change. */
export interface Suppressors {
  markers: readonly Marker[];
  /** By fingerprint; those that hold in the change's repository. */
  accepted: ReadonlyMap<string, AcceptedFingerprint>;
}

/** Whether a rule as markers name it, perhaps with `*` at its end, stands for this id. */
function namesRule(name: string, id: string): boolean {
  return name.endsWith('*') ? id.startsWith(name.slice(0, -1)) : id === name;
}

/** The accepted fingerprints that hold in a repository; its name counts without regard to case. */
export function acceptedIn(
  repoName: string,
  accepted: readonly AcceptedFingerprint[],
): Map<string, AcceptedFingerprint> {
  const repo = repoName.toLowerCase();
  const own = accepted.filter((entry) => (entry.repo?.toLowerCase() ?? repo) === repo);
  return new Map(own.map((entry) => [entry.fingerprint, entry]));
}

/**
 * The same findings in the same order, of which those that an accepted fingerprint or a marker
 * covers say so in `suppressed`. They stay visible and count neither for the verdict nor for the
 * score. A finding without a file is about the diff as a whole ("more matches are not listed"):
 * nothing suppresses it. What is suppressed already stays as it is.
 */
export function applySuppressions(
  findings: readonly GateFinding[],
  { markers, accepted }: Suppressors,
): GateFinding[] {
  if (markers.length === 0 && accepted.size === 0) return [...findings];
  const byPlace = indexMarkers(markers);
  return findings.map((finding) => {
    const { id, file, suppressed: before } = finding;
    if (before !== null || file === null || !isSuppressible(id)) return finding;
    const suppressed =
      byFingerprint(accepted.get(finding.fingerprint)) ?? byMarker(finding, byPlace);
    return suppressed === null ? finding : { ...finding, suppressed };
  });
}

function byFingerprint(entry: AcceptedFingerprint | undefined): Suppression | null {
  if (entry === undefined) return null;
  return { by: entry.by ?? 'accepted fingerprint', reason: entry.reason };
}

function byMarker(
  { id, file, line }: GateFinding,
  byPlace: ReadonlyMap<string, readonly Marker[]>,
): Suppression | null {
  if (file === null || line === null) return null;
  const marker = byPlace
    .get(placeKey(file, line))
    ?.find(({ rules }) => rules.some((name) => namesRule(name, id)));
  return marker === undefined ? null : { by: marker.by, reason: marker.reason };
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
