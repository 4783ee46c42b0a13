import { hash } from 'node:crypto';
import { CraError } from '../../model/errors.ts';
import { type Finding, type GateFinding, isBlocking } from '../../model/finding.ts';
import { findingsOf, type RfcRecord } from '../../model/records.ts';
import { type GateResult, planFindingId } from '../../model/rfc.ts';
import type { PipelineSettings } from '../../model/rules.ts';
import { applyModes } from '../../verdict/suppression.ts';
import { hardLimits, listedWorst, worstFirst } from '../../verdict/verdict.ts';
import { withPlanOfParts } from './components.ts';
import { revisedStatus, withGates } from './revised-record.ts';
import type { ActiveRules } from './rules-cache.ts';

interface GivenPlan {
  plan: Uint8Array;
  /** What it says beyond the findings that are known; throws INVALID_ARGUMENT. */
  inspect(known: readonly GateFinding[]): Promise<GateFinding[]>;
}

/**
 * A record that has a verdict, with what a plan of Terraform for its change says. The plan
 * replaces the one before, but it makes nothing milder: `fail` stays, and findings of earlier plans
 * that block. A passed record may be blocked. The same record (and rev) where the plan is the one
 * that it has already. ABORTED while the gates run, and once somebody has decided: a decision
 * stands for what was seen.
 */
export async function plannedRecord(
  before: RfcRecord,
  { plan, inspect }: GivenPlan,
  rules: ActiveRules,
  now: string,
): Promise<RfcRecord> {
  const sha256 = hash('sha256', plan);
  const { terraform_plan: earlier, gates, hard_limits } = before;
  if (earlier?.sha256 === sha256) return before;
  requireVerdict(before);
  const earlierIds = new Set(earlier?.finding_ids);
  const isEarlier = ({ finding_id }: Finding) => earlierIds.has(finding_id);
  const found = await inspect(findingsOf(before).filter((one) => !isEarlier(one)));
  const judged = applyModes(found, rules.pipeline, before.branch);
  const added = named(before, judged);
  const risk = riskGate(gates.risk, { added, judged, isEarlier }, rules.pipeline);
  const ids = risk.findings.filter((one) => isEarlier(one) || added.includes(one));
  const next: RfcRecord = {
    ...withGates(before, { ...gates, risk }, now),
    hard_limits: [...new Set([...hardLimits(judged, 'pass'), ...hard_limits])],
    terraform_plan: { sha256, at: now, finding_ids: ids.map(({ finding_id }) => finding_id) },
  };
  const overall_status = revisedStatus(before, next, rules.pipeline);
  return withPlanOfParts({ ...next, overall_status }, found, rules);
}

function requireVerdict({ overall_status: status, rev }: RfcRecord): void {
  if (status === 'PASSED' || status === 'BLOCKED') return;
  const why =
    status === 'DRAFT'
      ? 'its gates have not ended yet: send the plan again when it has a verdict'
      : 'a plan does not apply to that: analyze the change again and send the plan for the new RFC';
  throw new CraError('ABORTED', `the RFC is ${status}, and ${why}`, { details: { status, rev } });
}

/** The worst of the findings; one that an earlier plan had too has its id and mark. */
function named(record: RfcRecord, found: readonly GateFinding[]): Finding[] {
  const known = new Map(findingsOf(record).map((one) => [one.finding_id, one]));
  const times = new Map<string, number>();
  return listedWorst(found).map((finding) => {
    const key = `${finding.id} ${finding.fingerprint}`;
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    const digits = hash('sha256', `${key} ${time}`).slice(0, ID_DIGITS);
    const finding_id = planFindingId(record.rfc_id, digits);
    return { ...finding, finding_id, resolved: known.get(finding_id)?.resolved ?? null };
  });
}

const ID_DIGITS = 16;

interface PlanFindings {
  /** The worst, as listed. */
  added: readonly Finding[];
  /** All findings. */
  judged: readonly GateFinding[];
  /** Whether a finding of the record came with an earlier plan. */
  isEarlier(finding: Finding): boolean;
}

function riskGate(
  before: GateResult,
  { added, judged, isEarlier }: PlanFindings,
  settings: PipelineSettings,
): GateResult {
  const again = new Set(added.map(({ finding_id }) => finding_id));
  const kept = before.findings.filter((one) => {
    return !again.has(one.finding_id) && (!isEarlier(one) || isBlocking(one, settings));
  });
  const gone = before.findings.filter((one) => !kept.includes(one));
  const suppressedIn = (some: readonly GateFinding[]) =>
    some.filter(({ suppressed }) => suppressed !== null).length;
  const fails = [...judged, ...added].some((one) => isBlocking(one, settings));
  return {
    ...before,
    status: fails ? 'fail' : before.status,
    findings: worstFirst([...kept, ...added]),
    suppressed_count: before.suppressed_count - suppressedIn(gone) + suppressedIn(judged),
  };
}
