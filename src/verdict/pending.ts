import { type Finding, type GateFinding, plainFinding } from '../model/finding.ts';
import type { GateResult, Gates } from '../model/rfc.ts';
import { nameFindings } from './findings.ts';
import { skippedGate } from './verdict.ts';

/** The gates of a DRAFT before any has run: no reader takes them for a pass. */
export function pendingGates(rfcId: string): Gates {
  const pending = nameFindings(rfcId, [notRunYet('risk'), notRunYet('ast')]);
  return {
    risk: pendingGate(pending, 'risk'),
    ast: pendingGate(pending, 'ast'),
    llm: skippedGate('pending'),
  };
}

function notRunYet(gate: 'risk' | 'ast'): GateFinding {
  const message = 'this gate has not run yet';
  return plainFinding({ id: 'gate-pending', gate, severity: 'info', message });
}

function pendingGate(pending: readonly Finding[], gate: 'risk' | 'ast'): GateResult {
  const findings = pending.filter((finding) => finding.gate === gate);
  return { status: 'fail', findings, skip_reason: null, duration_ms: null };
}
