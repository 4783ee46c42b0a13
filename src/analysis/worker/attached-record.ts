import { hash } from 'node:crypto';
import { withComponents } from '../../model/components.ts';
import { CraError, invalidField } from '../../model/errors.ts';
import {
  type Finding,
  type GateFinding,
  isBlocking,
  plainFinding,
  type Severity,
} from '../../model/finding.ts';
import {
  findingsOf,
  REPORTING_TOOLS_MAX,
  type RequiredReport,
  type RfcRecord,
} from '../../model/records.ts';
import { awaitedSentence, awaitsReports, type KeptReport } from '../../model/reports.ts';
import { type GateResult, planFindingId } from '../../model/rfc.ts';
import type { PipelineSettings } from '../../model/rules.ts';
import { applyModes } from '../../verdict/suppression.ts';
import { hardLimits, listedWorst, worstFirst } from '../../verdict/verdict.ts';
import { withFindingsOfParts } from './components.ts';
import { settledRecord } from './record.ts';
import type { InspectedReport } from './report.ts';
import { revisedStatus, withGates } from './revised-record.ts';
import type { ActiveRules } from './rules-cache.ts';

type Inspect<T> = (known: readonly GateFinding[]) => Promise<T>;

/**
 * A record that has a verdict, with what a plan of Terraform for its change says. The same record
 * (and rev) where it has this plan already. ABORTED as `requireVerdict`;
 * INVALID_ARGUMENT of `inspect`.
 */
export async function plannedRecord(
  before: RfcRecord,
  { plan, inspect }: { plan: Uint8Array; inspect: Inspect<GateFinding[]> },
  rules: ActiveRules,
  now: string,
): Promise<RfcRecord> {
  const sha256 = hash('sha256', plan);
  const { terraform_plan: earlier } = before;
  if (earlier?.sha256 === sha256) return before;
  requireVerdict(before);
  const known = new Set(earlier?.finding_ids);
  const found = await inspect(findingsOf(before).filter((one) => !known.has(one.finding_id)));
  const { next, ids } = withFindings(before, { found, earlier: known, rules, now });
  const terraform_plan = { sha256, at: now, finding_ids: ids };
  return withVerdict(before, { ...next, terraform_plan }, found, rules);
}

/**
 * The same with a report of other tools. It replaces the earlier reports of these tools; what one
 * of them says of a line as the gates do is named there.
 */
export async function reportedRecord(
  before: RfcRecord,
  { sha256, inspect }: { sha256: string; inspect: Inspect<InspectedReport> },
  rules: ActiveRules,
  now: string,
): Promise<RfcRecord> {
  const { reports = [] } = before;
  if (!reports.some((one) => one.sha256 === sha256)) requireVerdict(before);
  const ofTools = new Set(reports.flatMap(({ finding_ids }) => finding_ids));
  const {
    tools,
    results,
    findings: found,
    also,
  } = await inspect(findingsOf(before).filter((one) => !ofTools.has(one.finding_id)));
  const replaced = reports.filter(({ tool }) => tools.includes(tool));
  const isKnown =
    replaced.length === tools.length && replaced.every((one) => one.sha256 === sha256);
  if (isKnown) return before;
  requireVerdict(before);
  const others = reports.filter(({ tool }) => !tools.includes(tool));
  if (others.length + tools.length > REPORTING_TOOLS_MAX) {
    throw invalidField('report', `the RFC has reports of more than ${REPORTING_TOOLS_MAX} tools`);
  }
  const earlier = new Set(replaced.flatMap(({ finding_ids }) => finding_ids));
  const named = withNames(before, also);
  const { next, ids } = withFindings(named, { found, earlier, rules, now });
  const toolOf = new Map(next.gates.risk.findings.map((one) => [one.finding_id, one.id]));
  const own = tools.map((tool) => {
    const finding_ids = ids.filter((id) => toolOf.get(id)?.startsWith(`ext-${tool}-`) === true);
    return { tool, sha256, at: now, results: results.get(tool) ?? 0, finding_ids };
  });
  return withVerdict(before, { ...next, reports: [...others, ...own] }, found, rules);
}

interface KeptReports {
  reports: readonly KeptReport[];
  inspect(report: KeptReport, known: readonly GateFinding[]): Promise<InspectedReport>;
}

/**
 * A record with the reports that are kept of it, of the next rev where that changes it. A DRAFT
 * whose gates have run (`awaitsReports`) is final when all that it waits for came, or one is
 * overdue and blocks.
 */
export async function settledByReports(
  before: RfcRecord,
  { reports, inspect }: KeptReports,
  rules: ActiveRules,
  now: string,
): Promise<RfcRecord> {
  let next = before;
  for (const report of reports) {
    const { sha256 } = report;
    const reported = { sha256, inspect: (known: readonly GateFinding[]) => inspect(report, known) };
    next = await reportedRecord(next, reported, rules, now);
  }
  if (!awaitsReports(before)) return next === before ? before : { ...next, rev: before.rev + 1 };
  const came = new Set(reports.map(({ tool }) => tool));
  const required = (before.required_reports ?? []).map((one): RequiredReport => {
    if (came.has(one.tool)) return { ...one, state: 'came' };
    return { ...one, state: Date.parse(one.due_at) <= Date.parse(now) ? 'missing' : 'awaited' };
  });
  const overdue = required.filter(({ state }) => state === 'missing');
  const isDecided = overdue.length > 0 && rules.pipeline.on_missing_report !== 'allow';
  const rev = before.rev + 1;
  if (required.some(({ state }) => state === 'awaited') && !isDecided) {
    const held = { ...next, required_reports: required, updated_at: now, rev };
    const waiting_for = awaitedSentence(held);
    return { ...held, push: held.push && { ...held.push, waiting_for } };
  }
  const { required_reports: _, ...rest } = withMissing(next, overdue, rules, now);
  // Nobody waits for the others any more.
  const ended = required.map(
    (one): RequiredReport => (one.state === 'awaited' ? { ...one, state: 'missing' } : one),
  );
  const known = required.length === 0 ? rest : { ...rest, required_reports: ended };
  return { ...settledRecord(known, rules.pipeline), updated_at: now, rev };
}

/** The record with a finding for each report that did not come; where that holds, it blocks. */
function withMissing(
  record: RfcRecord,
  missing: readonly RequiredReport[],
  given: ActiveRules,
  now: string,
): RfcRecord {
  if (missing.length === 0) return record;
  const isAllowed = given.pipeline.on_missing_report === 'allow';
  const severity = isAllowed ? 'info' : 'high';
  const rules = isAllowed ? given : blockingOn(severity, given);
  const findingOf = ({ tool, component, due_at }: RequiredReport) =>
    plainFinding({
      id: 'report-missing',
      gate: 'risk',
      severity,
      message:
        `the rules require a report of ${tool} about this change` +
        `${component === null ? '' : ` for component ${component}`}; none came until ${due_at}`,
      fix: `Send the report of ${tool} for this commit (cra report --repo --commit), and then the change again.`,
    });
  const found = missing.map(findingOf);
  const added = withFindings(record, { found, earlier: new Set(), rules, now }).next;
  let next = added;
  for (const one of missing) {
    const { components: all = [], component_map: key } = next;
    if (key === undefined) return next;
    const isMeant = ({ id }: { id: string }) => one.component === null || one.component === id;
    const own = { ...next, components: all.filter(isMeant) };
    const judged = withFindingsOfParts(own, [findingOf(one)], rules).components ?? [];
    const byId = new Map(judged.map((each) => [each.id, each]));
    const components = all.map((each) => byId.get(each.id) ?? each);
    next = withComponents(next, { key, components });
  }
  return next;
}

/** The rules, where findings of a severity block all changes and components. */
function blockingOn(
  severity: Severity,
  { pipeline, components, ...rules }: ActiveRules,
): ActiveRules {
  const widened = <T extends { block_severities: readonly Severity[] }>(one: T): T => {
    return { ...one, block_severities: [...one.block_severities, severity] };
  };
  return {
    ...rules,
    pipeline: widened(pipeline),
    components: components.map(({ block_severities: own, ...one }) => {
      return own === undefined ? one : widened({ ...one, block_severities: own });
    }),
  };
}

/** The record whose findings name the tools that say the same. */
function withNames(
  record: RfcRecord,
  also: ReadonlyMap<GateFinding, readonly string[]>,
): RfcRecord {
  if (also.size === 0) return record;
  const named = (gate: GateResult): GateResult => ({
    ...gate,
    findings: gate.findings.map((finding) => {
      const names = also.get(finding)?.filter((name) => !finding.message.includes(name)) ?? [];
      if (names.length === 0) return finding;
      return { ...finding, message: `${finding.message} Also found by ${names.join(', ')}.` };
    }),
  });
  const { risk, ast, llm } = record.gates;
  return { ...record, gates: { risk: named(risk), ast: named(ast), llm } };
}

interface Added {
  found: readonly GateFinding[];
  /** Ids of findings that an earlier attachment of the kind brought. */
  earlier: ReadonlySet<string>;
  rules: ActiveRules;
  now: string;
}

/**
 * The record with what an attachment found, one rev higher, and the ids of what it has of it. It
 * replaces the earlier one and makes nothing milder: `fail` stays, and so do findings that block.
 */
function withFindings(before: RfcRecord, { found, earlier, rules, now }: Added) {
  const { gates, hard_limits } = before;
  const isEarlier = ({ finding_id }: Finding) => earlier.has(finding_id);
  const judged = applyModes(found, rules.pipeline, before.branch);
  const added = named(before, judged);
  const risk = riskGate(gates.risk, { added, judged, isEarlier }, rules.pipeline);
  const ids = risk.findings.filter((one) => isEarlier(one) || added.includes(one));
  const next: RfcRecord = {
    ...withGates(before, { ...gates, risk }, now),
    hard_limits: [...new Set([...hardLimits(judged, 'pass'), ...hard_limits])],
  };
  return { next, ids: ids.map(({ finding_id }) => finding_id) };
}

/** A passed record may be blocked by what was found. */
function withVerdict(
  before: RfcRecord,
  next: RfcRecord,
  found: readonly GateFinding[],
  rules: ActiveRules,
): RfcRecord {
  const overall_status = revisedStatus(before, next, rules.pipeline);
  return withFindingsOfParts({ ...next, overall_status }, found, rules);
}

/** ABORTED while the gates run, and after a decision, which stands for what was seen. */
function requireVerdict(record: RfcRecord): void {
  const { overall_status: status, rev } = record;
  if (status === 'PASSED' || status === 'BLOCKED' || awaitsReports(record)) return;
  const why =
    status === 'DRAFT'
      ? 'its gates have not ended yet: send it again when the RFC has a verdict'
      : 'a plan or report does not apply to that: analyze the change again and send it for the new RFC';
  throw new CraError('ABORTED', `the RFC is ${status}, and ${why}`, { details: { status, rev } });
}

/** The worst of the findings; a finding of an earlier attachment keeps its id and mark. */
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

interface AttachedFindings {
  /** The worst, as listed. */
  added: readonly Finding[];
  /** All findings. */
  judged: readonly GateFinding[];
  /** Whether a finding of the record came with an earlier attachment. */
  isEarlier(finding: Finding): boolean;
}

function riskGate(
  before: GateResult,
  { added, judged, isEarlier }: AttachedFindings,
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
