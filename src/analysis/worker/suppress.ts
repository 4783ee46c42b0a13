import { createHmac } from 'node:crypto';
import { RISK_GATE } from '../../gates/limits.ts';
import { type GateFinding, isAcceptable, plainFinding, SEVERITIES } from '../../model/finding.ts';
import { FINDINGS_PER_RFC_MAX } from '../../model/limits.ts';
import type { ReviewedFinding } from '../../model/review.ts';
import type { Client } from '../../rpc/service.ts';
import type { Trail } from '../../store/contract/trail.ts';
import {
  acceptedIn,
  applySuppressions,
  type WeakMarker,
  weakMarkers,
} from '../../verdict/suppression.ts';
import { findMarkers, type MarkerProblem, type MarkerSearch } from './markers.ts';
import type { ActiveRules } from './rules-cache.ts';

/** Findings of the gates, and what decides which of them are suppressed. */
export interface SuppressionInput extends Omit<MarkerSearch, 'settings'> {
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
  const judged = applySuppressions(findings, { markers, accepted, trustsNew });
  problems.push(...weakMarkers(judged, markers).map(weakMarker));
  const words = new Set(markers.map(({ by }) => by));
  const marked = judged.filter(({ suppressed }) => suppressed !== null && words.has(suppressed.by));
  const notes = problems.map(invalidMarker);
  if (marked.length > 0) notes.push(markersUsed(marked));
  return [...judged, ...notes.map((note) => withFingerprint(note, fingerprintKey))];
}

/** How a scan thread asks which fingerprints decisions have accepted. */
export type FindAccepted = Client<typeof Trail>['acceptedAmong'];

/**
 * The same findings, of which those whose fingerprint a decision has accepted in the repository
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
  new: 'is new in this change, so it does not lower high findings: it counts once it is merged',
  never: 'names a finding that no marker lowers (private key, live provider key or remote code)',
} as const;

function weakMarker({ marker, reason }: WeakMarker): MarkerProblem {
  const { file, line, by } = marker;
  return { file, line, message: `this ${by} marker ${WEAK[reason]}` };
}

function invalidMarker({ file, line, message }: MarkerProblem): GateFinding {
  return plainFinding({
    id: 'marker-invalid',
    gate: 'risk',
    severity: 'low',
    message,
    file,
    line,
    end_line: line,
    fix: 'Write cra-ignore RULE: reason (or RULE until 2027-03-01: reason) on the line of the finding, or alone on the line before.',
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

function withFingerprint(note: GateFinding, key: Uint8Array): GateFinding {
  const fingerprint = createHmac('sha256', key)
    .update(`${note.id}\0${note.file ?? ''}\0${note.message}`)
    .digest('hex');
  return { ...note, fingerprint };
}
