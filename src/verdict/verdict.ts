import { type Finding, type GateFinding, isVulnerability, plainFinding } from '../model/finding.ts';
import { isHeldFor, isReviewNote, type SkipReason } from '../model/review.ts';
import { type GateResult, type Gates, nextStatus, type RfcStatus } from '../model/rfc.ts';
import { type PipelineSettings, reviewSettings } from '../model/rules.ts';
import { nameFindings } from './findings.ts';

/** Gates 1 and 2 of a change as its RFC shows them, and the limits that bind who decides. */
export interface JudgedGates {
  gates: Gates;
  /** See `RfcRecord.hard_limits`. */
  hard_limits: string[];
}

/**
 * Judges gates 1 and 2 by everything that was found: the record lists the worst of it only, and
 * neither a status nor a limit may depend on where the list ends. `durations`: wall times, ms.
 */
export function judgeGates(
  rfcId: string,
  found: readonly GateFinding[],
  durations: { risk: number; ast: number },
  settings: PipelineSettings,
  llm: GateResult,
): JudgedGates {
  const listed = nameFindings(rfcId, found);
  const result = (gate: 'risk' | 'ast'): GateResult => {
    const isOwn = (finding: GateFinding) => finding.gate === gate;
    const own = listed.filter(isOwn);
    // The list has one finding more than what was found: the one that says how many it leaves out.
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
function hardLimits(found: readonly GateFinding[], llm: GateResult['status']): string[] {
  const ids = new Set(found.map(({ id }) => id).filter(isVulnerability));
  return [...[...ids].sort(), ...(llm === 'fail' ? ['llm'] : [])];
}

/** Whether a finding counts against its gate. */
function isBlocking(finding: GateFinding, settings: PipelineSettings): boolean {
  return finding.suppressed === null && settings.block_severities.includes(finding.severity);
}

/** The result of a gate that did not run, and why. */
export function skippedGate(reason: SkipReason): GateResult {
  return {
    ...{ status: 'skipped', findings: [], suppressed_count: 0 },
    ...{ skip_reason: reason, duration_ms: null },
  };
}

/** The result of a gate that gives no pass because it could not run, or has not yet. */
export function failedGate(findings: readonly Finding[]): GateResult {
  return {
    ...{ status: 'fail', findings: [...findings], suppressed_count: 0 },
    ...{ skip_reason: null, duration_ms: null },
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

/** What gate 3 has to say of a change whose other gates have run. */
export function gateToCome(
  gates: Pick<Gates, 'risk' | 'ast'>,
  riskScore: number,
  settings: PipelineSettings,
  reviews: boolean,
): GateResult {
  if (!reviews) return skippedGate('no_tier');
  const llm = skippedGate('pending');
  const isBlocked = overallStatus({ ...gates, llm }, riskScore, settings) === 'BLOCKED';
  return isBlocked && !reviewSettings(settings).on_blocked ? skippedGate('blocked') : llm;
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
 * findings get ids that follow those of the other gates.
 */
export function judgeReview(
  findings: readonly Finding[],
  skipReason: SkipReason | null,
  settings: PipelineSettings,
  durationMs: number,
): GateResult {
  const { mode, block_severities, on_skipped } = reviewSettings(settings);
  const result = { findings: [...findings], suppressed_count: 0, duration_ms: durationMs };
  if (mode === 'shadow') return { status: 'skipped', skip_reason: 'shadow', ...result };
  const fails = findings.some(
    (one) => !isReviewNote(one) && block_severities.includes(one.severity),
  );
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
