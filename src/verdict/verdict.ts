import type { Finding, GateName } from '../model/finding.ts';
import { type GateResult, type Gates, nextStatus, type RfcStatus } from '../model/rfc.ts';
import type { PipelineSettings } from '../model/rules.ts';

/** Whether a finding counts against its gate. */
function isBlocking(finding: Finding, settings: PipelineSettings): boolean {
  return finding.suppressed === null && settings.block_severities.includes(finding.severity);
}

/** The result of a gate that ran. */
export function gateResult(
  gate: GateName,
  findings: readonly Finding[],
  durationMs: number,
  settings: PipelineSettings,
): GateResult {
  const own = findings.filter((finding) => finding.gate === gate);
  return {
    status: own.some((finding) => isBlocking(finding, settings)) ? 'fail' : 'pass',
    findings: own,
    skip_reason: null,
    duration_ms: Math.round(durationMs * 100) / 100,
  };
}

/** The result of a gate that did not run, and why. */
export function skippedGate(reason: string): GateResult {
  return { status: 'skipped', findings: [], skip_reason: reason, duration_ms: null };
}

/**
 * The overall status of a DRAFT whose gates have run: BLOCKED when a gate failed or when the
 * score reaches `block_score`, else PASSED.
 */
export function overallStatus(
  gates: Gates,
  riskScore: number,
  settings: PipelineSettings,
): RfcStatus {
  const failed = [gates.risk, gates.ast, gates.llm].some((gate) => gate.status === 'fail');
  const tooRisky = settings.block_score !== null && riskScore >= settings.block_score;
  return nextStatus('DRAFT', failed || tooRisky ? 'block' : 'pass') ?? 'BLOCKED';
}
