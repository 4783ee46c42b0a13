import { hash } from 'node:crypto';
import { answerOf } from '../../model/answer.ts';
import type { AnalyzeRequest } from '../../model/change.ts';
import { withComponents } from '../../model/components.ts';
import { type FlowStep, type GateFinding, plainFinding } from '../../model/finding.ts';
import { type Means, nextSteps } from '../../model/next-steps.ts';
import { newDraft, type RfcRecord, recordText, type VcsStatus } from '../../model/records.ts';
import { withCommentsById } from '../../model/reopened-comments.ts';
import { commitId, type DiffStats, type GateResult } from '../../model/rfc.ts';
import type { PipelineSettings } from '../../model/rules.ts';
import { type FindOwn, hideOwn, redactLines } from '../../redaction/redact.ts';
import type { AnalysisContext, AnalysisOutcome, JudgeInput } from '../../rpc/contract.ts';
import {
  assessChange,
  type ChangeRisk,
  curveOf,
  FACTORS_MAX,
  knownRisk,
  scoreChange,
} from '../../verdict/score.ts';
import { readMessage } from '../../verdict/score-model.ts';
import { applyModes } from '../../verdict/suppression.ts';
import {
  failedGate,
  foldGates,
  gateToCome,
  nameFindings,
  overallStatus,
  pendingGates,
  skippedGate,
  verdictOfGates,
} from '../../verdict/verdict.ts';
import { movedTo, withVerdicts } from './components.ts';
import { createGateTools, readChange, runGates, type Scan } from './gates.ts';
import { historyFindings, messageFindings } from './history.ts';
import type { AnalysisServiceOptions } from './options.ts';

/** What a record says of a change besides its request and its findings. */
interface ChangeFacts {
  /** SHA-256 of the diff, hex. */
  diff_hash: string;
  stats: DiffStats;
}

type RecordContext = Omit<AnalysisContext, 'rules' | 'cancel'> & { vcs_problem: string | null };

/** `diff_hash` of a change. */
export function diffHash(diff: Uint8Array): string {
  return hash('sha256', diff);
}

/** The record of a request before any gate has run: a DRAFT that no reader takes for a pass. */
export function draftRecord(
  request: AnalyzeRequest,
  { risk, ...facts }: ChangeFacts & { risk: ChangeRisk },
  context: RecordContext,
): RfcRecord {
  const { parts, risk_score } = scoreChange(risk, []);
  const gates = pendingGates(context.rfc_id);
  return { ...newRecord(request, facts, context), risk_score, score: parts, gates };
}

/** The same for `finalRecord`, which fills in gates and score: until then they say nothing. */
export function newRecord(
  request: AnalyzeRequest,
  { diff_hash, stats }: ChangeFacts,
  context: RecordContext,
): RfcRecord {
  return newDraft({
    rfc_id: context.rfc_id,
    tenant_id: context.principal.tenant_id,
    diff_hash,
    repo_name: request.repo_name,
    branch: request.branch,
    commit_message: request.commit_message,
    created_at: context.created_at,
    gates: NO_GATES,
    stats,
    rules_revision: context.rules_revision,
    trigger: 'api',
    diff_source: request.diffSource ?? null,
    commit_sha: request.commitSha ? commitId(request.commitSha) : null,
    repo_full_name: request.repoFullName ?? null,
    post_vcs_status: request.postVcsStatus ?? false,
    vcs_status: vcsStatus(request, context.vcs_problem),
    submitted_by: context.principal,
    queue: { attempts: 1, queued_at: context.created_at },
  });
}

const NO_GATE = skippedGate('pending');
const NO_GATES = { risk: NO_GATE, ast: NO_GATE, llm: NO_GATE };

/**
 * A DRAFT with the outcome of gates 1 and 2: final, or still a DRAFT where gate 3 is to come
 * (`reviews`: there is a model for it).
 */
export function finalRecord(
  draft: RfcRecord,
  risk: ChangeRisk,
  scan: Scan,
  settings: PipelineSettings,
  { now, reviews = false }: { now: string; reviews?: boolean | undefined },
): RfcRecord {
  const { risk: riskMs = 0, ast: astMs = 0 } = gateTimes(scan.timings);
  const durations = { risk: riskMs, ast: astMs };
  const findings = foldGates(applyModes(scan.findings, settings, draft.branch));
  // The score counts all findings, listed or not.
  const { parts, risk_score } = scoreChange(risk, findings);
  const open = skippedGate('pending');
  const verdict = verdictOfGates(draft.rfc_id, findings, durations, settings, open);
  const { pull_request } = draft;
  const llm = gateToCome(verdict.gates, risk_score, settings, {
    reviews,
    pull_request,
  });
  const gates = { risk: verdict.gates.risk, ast: verdict.gates.ast, llm };
  const { hard_limits } = verdict;
  const { dependencies = null } = scan;
  const known = {
    ...draft,
    risk_score,
    score: parts,
    updated_at: now,
    gates,
    hard_limits,
    ...(dependencies === null ? {} : { dependencies }),
  };
  return llm.skip_reason === 'pending' ? known : settledRecord(known, settings);
}

/** A record whose gates run again: what reports brought is gone with what the gates had found. */
export function withoutReports(record: RfcRecord): RfcRecord {
  const { reports: _, required_reports: __, ...rest } = record;
  return rest;
}

/** Final: its gates decide. */
export function settledRecord(record: RfcRecord, settings: PipelineSettings): RfcRecord {
  const { gates, risk_score, push } = record;
  return {
    ...record,
    overall_status: overallStatus(gates, risk_score, settings),
    queue: null,
    push: push === null ? null : { ...push, phase: null, waiting_for: null },
  };
}

/** A DRAFT whose gates could not be run: BLOCKED, with the finding that says why. */
export function refusedRecord(from: RfcRecord, finding: GateFinding, now: string): RfcRecord {
  const draft = withComponents(from, null);
  const findings = nameFindings(draft.rfc_id, [finding]);
  const { parts, risk_score } = scoreChange(knownRisk(draft.score), [finding]);
  return {
    ...draft,
    overall_status: 'BLOCKED',
    risk_score,
    score: { ...parts, factors: [...parts.factors, ...draft.score.factors].slice(0, FACTORS_MAX) },
    updated_at: now,
    gates: {
      risk: failedGate(findings),
      ast: failedGate([]),
      llm: skippedGate('blocked'),
    },
    queue: null,
    push: draft.push === null ? null : { ...draft.push, phase: null },
  };
}

/**
 * What a job hands back. `diff` is null when it is stored already, or not at all; `ran` are the
 * gates that ran in this job, `own` finds the service's own secrets. `means`: null where nobody
 * gets the answer.
 */
export function outcome(
  record: RfcRecord,
  diff: AnalysisOutcome['diff'],
  ran: GateTimes,
  own: FindOwn,
  means: Means | null = null,
): AnalysisOutcome {
  const shown = withoutOwn(withCommentsById(record), own);
  const gates = GATES.flatMap((gate) => {
    const ms = ran[gate];
    return ms === undefined ? [] : [{ gate, status: record.gates[gate].status, ms }];
  });
  const timings = { gates };
  return { record: recordText(shown), answer: answerText(shown, means), diff, timings };
}

/** Without the service's own secrets in what its findings quote: a change may bring one. */
function withoutOwn(record: RfcRecord, own: FindOwn): RfcRecord {
  const hide = <T extends string | null>(text: T) => (text === null ? text : hideOwn(text, own));
  const shownStep = ({ file, what, ...place }: FlowStep) => ({
    ...place,
    file: hide(file),
    what: hide(what),
  });
  const shown = (gate: GateResult): GateResult => ({
    ...gate,
    findings: gate.findings.map((finding) => {
      const { file, message, excerpt, title, flow } = finding;
      return {
        ...finding,
        ...(title === undefined ? {} : { title: hide(title) }),
        ...(flow === undefined ? {} : { flow: flow.map(shownStep) }),
        file: hide(file),
        message: hide(message),
        excerpt: hide(excerpt),
      };
    }),
  });
  const { risk, ast, llm } = record.gates;
  const { dependencies } = record;
  const gates = { risk: shown(risk), ast: shown(ast), llm: shown(llm) };
  if (dependencies === undefined) return { ...record, gates };
  const packages = dependencies.packages.map((one) => ({
    ...one,
    file: hide(one.file),
    name: hide(one.name),
    from: hide(one.from),
    to: hide(one.to),
  }));
  return { ...record, gates, dependencies: { ...dependencies, packages } };
}

const GATES = ['risk', 'ast', 'llm'] as const;

/** How long (ms) gates took. */
export type GateTimes = Partial<Record<(typeof GATES)[number], number>>;

/** Parsing belongs to gate 1. */
export function gateTimes({ parseMs, riskMs, astMs }: Scan['timings']): GateTimes {
  return { risk: parseMs + riskMs, ast: astMs };
}

/** Of a job in which no gate ran. */
const NO_TIMINGS = { parseMs: 0, riskMs: 0, astMs: 0 };

/** The answer of analyze, as JSON. */
function answerText(record: RfcRecord, means: Means | null): string {
  const next_steps = means === null ? [] : nextSteps(record, means);
  return JSON.stringify(answerOf(next_steps.length === 0 ? record : { ...record, next_steps }));
}

function vcsStatus({ postVcsStatus }: AnalyzeRequest, problem: string | null): VcsStatus | null {
  return postVcsStatus === true && problem !== null ? { posted: false, reason: problem } : null;
}

/**
 * Creates `Analysis.judge`: a push from the diff that git gave to its outcome. Its diff is not
 * kept, as the mirror can make it again.
 */
export function createJudge(
  options: AnalysisServiceOptions & { own: FindOwn },
): (input: JudgeInput) => Promise<AnalysisOutcome> {
  const toolsFor = createGateTools(options);
  const { own } = options;
  return async (input) => {
    const rules = options.rules.get(input.rules_revision, input.rules);
    const { record, diff, notes, cancel } = input;
    const known = {
      ...withoutReports(record),
      diff_hash: diffHash(diff),
      // The host's words, which may hold secrets; the log of the mirror has them in full.
      commit_message: redactLines(input.message, rules.compiled, cancel, own),
      rules_revision: input.rules_revision,
      rev: record.rev + 1,
    };
    const tools = toolsFor(record, rules, input.files, input.decided, input.range);
    const times = () => ({ now: options.now().toISOString(), reviews: input.reviews });
    const past = async (shown: readonly GateFinding[]) => [
      ...(input.history === null ? [] : await historyFindings(input.history, shown, tools, cancel)),
      ...(await messageFindings(input.messages, tools, cancel)),
    ];
    if (diff.length === 0) {
      const findings = [...notes, noChanges(), ...rules.notes, ...(await past([]))];
      const draft = withVerdicts({ ...known, stats: NO_CHANGES }, null, findings, rules);
      const scan = { findings, timings: NO_TIMINGS };
      return outcome(finalRecord(draft, NO_RISK, scan, rules.pipeline, times()), null, {}, own);
    }
    const change = readChange(diff);
    const hints = readMessage(input.message);
    const curve = curveOf(input.curves, record.repo_name);
    const risk = assessChange(change.shape, hints, curve);
    const { findings, timings, dependencies = null } = await runGates(change, tools, cancel);
    const all = [...notes, ...findings, ...(await past(findings))];
    const parted = { ...change, risk, hints, curve };
    const draft = withVerdicts({ ...known, stats: change.stats }, parted, all, rules);
    const scan = { findings: all, timings, dependencies };
    const final = finalRecord(draft, risk, scan, rules.pipeline, times());
    const done = outcome(final, null, gateTimes(timings), own);
    const moves_to = movedTo(record, change.diff, rules);
    return moves_to.length > 0 ? { ...done, moves_to } : done;
  };
}

const NO_CHANGES = { files: 0, additions: 0, deletions: 0, bytes: 0 };
const NO_RISK: ChangeRisk = { chance: 0, factors: [] };

/** The trees are the same, which git proves. */
function noChanges(): GateFinding {
  const message = 'the push changes no file';
  return plainFinding({ id: 'no-changes', gate: 'risk', severity: 'info', message });
}
