import {
  type Finding,
  flowBytes,
  type GateFinding,
  isBlocking,
  isVulnerability,
  plainFinding,
  severityRank,
  withoutFlow,
} from '../model/finding.ts';
import { FINDINGS_PER_RFC_MAX, FLOW } from '../model/limits.ts';
import type { PullRequest } from '../model/push.ts';
import { isHeldFor, isReviewNote, type SkipReason } from '../model/review.ts';
import {
  findingId,
  type GateResult,
  type Gates,
  nextStatus,
  type RfcStatus,
} from '../model/rfc.ts';
import { type PipelineSettings, reviewSettings } from '../model/rules.ts';

/** Gates 1 and 2 of a change as its RFC shows them, and the limits that bind who decides. */
interface GatesVerdict {
  gates: Gates;
  /** See `RfcRecord.hard_limits`. */
  hard_limits: string[];
}

/**
 * Judges gates 1 and 2 by everything that was found: the record lists the worst of it only, and
 * neither a status nor a limit may depend on where the list ends. `durations`: wall times, ms.
 */
export function verdictOfGates(
  rfcId: string,
  found: readonly GateFinding[],
  durations: { risk: number; ast: number },
  settings: PipelineSettings,
  llm: GateResult,
): GatesVerdict {
  const listed = nameFindings(rfcId, found);
  const result = (gate: 'risk' | 'ast'): GateResult => {
    const isOwn = (finding: GateFinding) => finding.gate === gate;
    const own = listed.filter(isOwn);
    // The list may have one finding more: it says how many findings are left out.
    const fails = [...found.filter(isOwn), ...own].some((one) => isBlocking(one, settings));
    return {
      status: fails ? 'fail' : 'pass',
      findings: own,
      suppressed_count: found.filter((one) => isOwn(one) && one.suppressed !== null).length,
      skip_reason: null,
      duration_ms: Math.round(durations[gate] * 100) / 100,
    };
  };
  const gates = { risk: result('risk'), ast: result('ast'), llm };
  return { gates, hard_limits: hardLimits(found, llm.status) };
}

/** The vulnerabilities among the findings, in order, and `llm` when gate 3 failed. */
export function hardLimits(found: readonly GateFinding[], llm: GateResult['status']): string[] {
  const open = found.filter(({ suppressed }) => suppressed === null);
  const ids = new Set(open.map(({ id }) => id).filter(isVulnerability));
  return [...[...ids].sort(), ...(llm === 'fail' ? ['llm'] : [])];
}

/** The result of a gate that did not run, and why. */
export function skippedGate(reason: SkipReason): GateResult {
  return {
    status: 'skipped',
    findings: [],
    suppressed_count: 0,
    skip_reason: reason,
    duration_ms: null,
  };
}

/** The result of a gate that gives no pass because it could not run, or has not yet. */
export function failedGate(findings: readonly Finding[]): GateResult {
  return {
    status: 'fail',
    findings: [...findings],
    suppressed_count: 0,
    skip_reason: null,
    duration_ms: null,
  };
}

/** The gates of a DRAFT before any has run: no reader takes them for a pass. */
export function pendingGates(rfcId: string): Gates {
  const message = 'this gate has not run yet';
  const pending = (['risk', 'ast'] as const).map((gate) =>
    plainFinding({ id: 'gate-pending', gate, severity: 'info', message }),
  );
  const named = nameFindings(rfcId, pending);
  const of = (gate: 'risk' | 'ast') => failedGate(named.filter((finding) => finding.gate === gate));
  return { risk: of('risk'), ast: of('ast'), llm: skippedGate('pending') };
}

interface ReviewWish {
  reviews: boolean;
  pull_request?: PullRequest | undefined;
}

/** What gate 3 has to say of a change whose other gates have run. */
export function gateToCome(
  gates: Pick<Gates, 'risk' | 'ast'>,
  riskScore: number,
  settings: PipelineSettings,
  { reviews, pull_request: pull }: ReviewWish,
): GateResult {
  if (!reviews) return skippedGate('no_tier');
  const isForeign = pull?.from_fork === true || pull?.first_time === true;
  const { review_forks, on_blocked } = reviewSettings(settings);
  if (isForeign && review_forks === 'off') return unreviewed('review_forks', settings);
  const llm = skippedGate('pending');
  const isBlocked = overallStatus({ ...gates, llm }, riskScore, settings) === 'BLOCKED';
  return isBlocked && !on_blocked ? skippedGate('blocked') : llm;
}

/** Gate 3 of a change that no model reads: held as after a failed review, if it is enforced. */
function unreviewed(reason: SkipReason, settings: PipelineSettings): GateResult {
  const { mode, on_skipped } = reviewSettings(settings);
  const isHeld = mode === 'enforce' && on_skipped === 'hold' && isHeldFor(reason);
  return { ...skippedGate(reason), ...(isHeld ? { held: true } : {}) };
}

/** Whether gates 1 and 2 of a DRAFT have run, and gate 3 has not. */
export function awaitsReview({ overall_status, gates }: ReviewState): boolean {
  const isPending = overall_status === 'DRAFT' && gates.llm.skip_reason === 'pending';
  return isPending && gates.risk.duration_ms !== null;
}

interface ReviewState {
  overall_status: RfcStatus;
  gates: Gates;
}

/**
 * Judges gate 3 by what a review found. A null `skipReason`: all of the change is proven read. The
 * findings get ids that follow the ids of the other gates.
 */
export function verdictOfReview(
  findings: readonly Finding[],
  skipReason: SkipReason | null,
  settings: PipelineSettings,
  durationMs: number,
): GateResult {
  const { mode, block_severities, on_skipped } = reviewSettings(settings);
  const open = findings.filter(({ suppressed }) => suppressed === null);
  const suppressed_count = findings.length - open.length;
  const result = { findings: [...findings], suppressed_count, duration_ms: durationMs };
  if (mode === 'shadow') return { status: 'skipped', skip_reason: 'shadow', ...result };
  const fails = open.some((one) => !isReviewNote(one) && block_severities.includes(one.severity));
  if (fails) return { status: 'fail', skip_reason: null, ...result };
  if (skipReason === null) return { status: 'pass', skip_reason: null, ...result };
  const isHeld = on_skipped === 'hold' && isHeldFor(skipReason);
  const skipped = { status: 'skipped', skip_reason: skipReason, ...result } as const;
  return isHeld ? { ...skipped, held: true } : skipped;
}

/**
 * The overall status of a DRAFT whose gates have run: BLOCKED when a gate failed, when gate 3 is
 * held, or when the score reaches `block_score`, else PASSED.
 */
export function overallStatus(
  gates: Gates,
  riskScore: number,
  settings: PipelineSettings,
): RfcStatus {
  const failed = [gates.risk, gates.ast, gates.llm].some((gate) => gate.status === 'fail');
  const tooRisky = settings.block_score !== null && riskScore >= settings.block_score;
  const isHeld = gates.llm.held === true;
  return nextStatus('DRAFT', failed || tooRisky || isHeld ? 'block' : 'pass') ?? 'BLOCKED';
}

const OVERFLOW_ID = 'findings-overflow';
const NOTES_MAX = 3;

/** The worst findings (`listedWorst`) with their ids. */
export function nameFindings(rfcId: string, findings: readonly GateFinding[]): Finding[] {
  return listedWorst(findings).map((finding, index) => ({
    ...finding,
    finding_id: findingId(rfcId, index + 1),
    resolved: null,
  }));
}

/**
 * The worst FINDINGS_PER_RFC_MAX findings, suppressed ones last. When some are left out, one more
 * finding counts them. It is high, because a finding that nobody can read cannot pass, unless all
 * that are left out were suppressed.
 */
export function listedWorst(findings: readonly GateFinding[]): readonly GateFinding[] {
  const sorted = worstFirst(findings);
  const left = sorted.length - FINDINGS_PER_RFC_MAX;
  const kept = left > 0 ? sorted.slice(0, FINDINGS_PER_RFC_MAX) : sorted;
  if (left > 0) kept.push(overflow(sorted.slice(FINDINGS_PER_RFC_MAX)));
  return withinRoom(kept);
}

/**
 * The findings with their flows as long as a record has room for these: each step names its file,
 * and a path may have 4 KiB. The message says what it omits.
 */
function withinRoom(findings: readonly GateFinding[]): readonly GateFinding[] {
  let room: number = FLOW.RECORD_BYTES_MAX;
  return findings.map((finding) => {
    if (finding.flow === undefined) return finding;
    room -= flowBytes(finding);
    return room >= 0 ? finding : withoutFlow(finding);
  });
}

/** Findings in the order of lists: suppressed ones last, vuln-* first, then the worst, by place. */
export function worstFirst<F extends GateFinding>(findings: readonly F[]): F[] {
  return [...findings].sort(inListOrder);
}

/**
 * One finding for each secret instead of one for each place: where the same rule found the same
 * value again, the first finding says in its message how often and where. The same of patterns that
 * match texts of which nothing is known, for each file. For findings whose suppression is settled:
 * places that are suppressed and places that are not stay apart, so that a marker at one place
 * hides no other.
 */
export function foldRepeats(findings: readonly GateFinding[]): GateFinding[] {
  const repeats = new Map<string, GateFinding[]>();
  for (const finding of findings) {
    if (!isFolded(finding)) continue;
    const key = valueKey(finding);
    const known = repeats.get(key);
    if (known === undefined) repeats.set(key, []);
    else known.push(finding);
  }
  const folded: GateFinding[] = [];
  for (const finding of findings) {
    const others = isFolded(finding) ? repeats.get(valueKey(finding)) : [];
    if (others === undefined) continue;
    if (others.length === 0) {
      folded.push(finding);
      continue;
    }
    folded.push({ ...finding, message: `${finding.message} ${alsoAt(finding, others)}` });
    repeats.delete(valueKey(finding));
  }
  return folded;
}

/**
 * One finding where gates 1 and 2 say the same of a line: the graver, else that of gate 2, which
 * knows the way from source to sink; of a `vuln-NN` of gate 1 gate 2's answer counts. For findings
 * whose suppression is settled, modes included: what is suppressed hides nothing that is not.
 */
export function foldGates(findings: readonly GateFinding[]): GateFinding[] {
  const folded = foldedInto(findings);
  return findings.filter((finding) => !folded.has(finding));
}

/**
 * For each finding that `foldGates` leaves out, the finding in its place. A secret that blocks
 * stands for itself: another one on its line must not answer for it.
 */
export function foldedInto(findings: readonly GateFinding[]): Map<GateFinding, GateFinding> {
  const keyOf = ({ file, cwe, suppressed }: GateFinding) =>
    JSON.stringify([file, cwe === null ? null : (SAME_CLASS.get(cwe) ?? cwe), suppressed !== null]);
  const inClass = (one: GateFinding) => one.cwe !== null && one.file !== null && one.line !== null;
  const byClass = new Map<string, GateFinding[]>();
  for (const finding of findings) {
    if (finding.gate !== 'ast' || !inClass(finding)) continue;
    byClass.set(keyOf(finding), [...(byClass.get(keyOf(finding)) ?? []), finding]);
  }
  const folded = new Map<GateFinding, GateFinding>();
  for (const finding of findings) {
    if (finding.gate !== 'risk' || !inClass(finding) || isGraveSecret(finding)) continue;
    const line = finding.line ?? 0;
    const twin = byClass.get(keyOf(finding))?.find((one) => {
      return !folded.has(one) && (one.line ?? 0) <= line && line <= (one.end_line ?? 0);
    });
    if (twin === undefined) continue;
    // Of a vulnerability gate 2 knows the way of the data, and so whether there is one.
    const isGraver =
      severityRank(finding.severity) < severityRank(twin.severity) && !isVulnerability(finding.id);
    if (isGraver) folded.set(twin, finding);
    else folded.set(finding, twin);
  }
  return folded;
}

function isGraveSecret({ id, severity }: GateFinding): boolean {
  return id.startsWith('secret-') && severityRank(severity) <= severityRank('high');
}

/** CWE entries of one class of mistake: eval (95), engines of templates (1336) run code as well. */
const SAME_CLASS: ReadonlyMap<string, string> = new Map([
  ['CWE-95', 'CWE-94'],
  ['CWE-1336', 'CWE-94'],
]);

function isFolded(finding: GateFinding): boolean {
  const isSecret = finding.id.startsWith('secret-');
  return finding.file !== null && (isSecret || isOpenPattern(finding));
}

/** A pattern that takes polynomial time, where no data is followed to the text that it matches. */
function isOpenPattern({ id, severity, flow }: GateFinding): boolean {
  return id === 'ast-backtracking' && severity === 'low' && flow === undefined;
}

function valueKey(finding: GateFinding): string {
  const { id, file, fingerprint, suppressed } = finding;
  const value = isOpenPattern(finding) ? file : fingerprint;
  return JSON.stringify([id, value, suppressed?.by, suppressed?.reason]);
}

function alsoAt({ file }: GateFinding, others: readonly GateFinding[]): string {
  const named = others.slice(0, PLACES_NAMED_MAX).map((other) => {
    if (other.file === file && other.line !== null) return `line ${other.line}`;
    const path = printable(other.file ?? '');
    return other.line === null ? path : `${path}:${other.line}`;
  });
  const left = others.length - named.length;
  const places = others.length === 1 ? '1 other place' : `${others.length} other places`;
  return `It is also in ${places}: ${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}.`;
}

const PLACES_NAMED_MAX = 3;
const PATH_CHARS_MAX = 80;

/** The end of a path, without what would rewrite the line in which it is shown. */
function printable(path: string): string {
  const text = path.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, '\ufffd');
  return text.length > PATH_CHARS_MAX ? `…${text.slice(1 - PATH_CHARS_MAX)}` : text;
}

function inListOrder(a: GateFinding, b: GateFinding): number {
  return (
    Number(a.suppressed !== null) - Number(b.suppressed !== null) ||
    Number(isVulnerability(b.id)) - Number(isVulnerability(a.id)) ||
    severityRank(a.severity) - severityRank(b.severity) ||
    compareText(a.file ?? '', b.file ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    compareText(a.id, b.id)
  );
}

/** Code unit order: the same on every machine, whatever its locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function overflow(left: readonly GateFinding[]): GateFinding {
  const isSuppressed = left.every(({ suppressed }) => suppressed !== null);
  const which = isSuppressed ? 'suppressed findings' : 'findings';
  // What the gates left out themselves is counted by none of these.
  const own = left.filter(({ id }) => id === OVERFLOW_ID);
  const notes = own.slice(0, NOTES_MAX).map(({ message }) => message);
  return plainFinding({
    id: OVERFLOW_ID,
    gate: 'risk',
    severity: isSuppressed ? 'info' : 'high',
    message: [
      `${left.length} more ${which} are not listed; the ${FINDINGS_PER_RFC_MAX} worst are`,
      ...new Set(notes),
    ].join('; '),
    fix: 'Fix the listed findings, or split the change, and submit it again.',
  });
}
