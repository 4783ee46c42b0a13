import type { Static } from 'typebox';
import { COMPONENT_VERDICT, type ComponentVerdict, touchedComponents } from './components.ts';
import { DEPENDENCIES } from './dependencies.ts';
import { eventsOf, type ServiceEvent } from './event.ts';
import { AUTHOR, DISCUSSION, type Discussion, SEVERITIES } from './finding.ts';
import { SUMMARY } from './limits.ts';
import { PRINCIPAL } from './principal.ts';
import { isPullRequestRef, PULL_REQUEST, PUSH } from './push.ts';
import { SKIP_REASONS } from './review.ts';
import {
  commitId,
  DIFF_SOURCES,
  GATES,
  type GateResult,
  type Gates,
  isPassing,
  type RfcStatus,
  SCORE_PARTS,
  STATS,
  STATUS,
} from './rfc.ts';
import { COUNT, exactly, SCORE, TEXT, TEXT_OR_NULL, TIME } from './schema.ts';
import { searchTexts } from './search.ts';
import { trendText } from './trend.ts';

const PLAIN_DECISION = exactly({
  decision_id: TEXT,
  action: { type: 'string', enum: ['override', 'approve', 'reject', 'confirm', 'object'] },
  principal: PRINCIPAL,
  actor: { type: 'string', description: 'As claimed; `principal` is the authenticated caller' },
  reason: TEXT,
  at: TIME,
  // Commit and repository (`owner/repo`) that the decision is pinned to, or null.
  commit_sha: TEXT_OR_NULL,
  repo_full_name: TEXT_OR_NULL,
});

/** An override, approval, rejection or review of an emergency, as the RFC shows it. */
export const DECISION = {
  ...PLAIN_DECISION,
  properties: {
    ...PLAIN_DECISION.properties,
    emergency: { type: 'boolean', enum: [true], description: 'Somebody else has to review it' },
    lifts: {
      type: 'array',
      items: TEXT,
      description: 'RFCs whose rejections of the commit it lifts; absent: all that came before it',
    },
  },
} as const;
export type Decision = Static<typeof DECISION>;

/** The review of an emergency override by another person. */
const EMERGENCY = exactly({
  decision_id: { type: 'string', description: 'The override, in `override_history`' },
  due_at: TIME,
  // `rejected`: revoked without a review.
  review: { type: 'string', enum: ['due', 'confirmed', 'objected', 'rejected'] },
});
export type Emergency = Static<typeof EMERGENCY>;

/** A review of an RFC that had a verdict: asked for, or the retry of a failed review. */
const REVIEW_ENTRY = exactly({
  review_id: TEXT,
  principal: { anyOf: [{ type: 'null' }, PRINCIPAL] },
  reason: { ...TEXT_OR_NULL, description: 'Null, like `principal`: the service tried again' },
  // When it ended.
  at: TIME,
  result: { type: 'string', enum: ['pass', 'fail', 'skipped'] },
  skip_reason: { type: ['string', 'null'], enum: [null, ...SKIP_REASONS] },
  findings_added: COUNT,
  status_before: STATUS,
  status_after: STATUS,
});
export type ReviewEntry = Static<typeof REVIEW_ENTRY>;

/** The newest plan of Terraform that was given for the change after its analysis. */
const GIVEN_PLAN = exactly({
  sha256: { type: 'string', description: 'Of the plan as it was sent, hex' },
  at: TIME,
  finding_ids: {
    type: 'array',
    items: TEXT,
    description: 'In gate `risk`: what it found, and findings of earlier plans that block',
  },
});

/** `terraform-plan`: JSON of `terraform show -json`; `report`: SARIF of other tools. */
export type AttachmentKind = 'terraform-plan' | 'report';

/** Tools whose reports one RFC has. */
export const REPORTING_TOOLS_MAX = 20;

/** The newest report of another tool that was given for the change. */
const GIVEN_REPORT = exactly({
  tool: TEXT,
  sha256: { type: 'string', description: 'Of the report as it was sent, hex' },
  at: TIME,
  results: { ...COUNT, description: 'Of the whole report, also on lines that the change leaves' },
  finding_ids: {
    type: 'array',
    items: TEXT,
    description: 'In gate `risk`: what it found, and findings of earlier reports that block',
  },
});

/** A report without which the change has no verdict. */
const REQUIRED_REPORT = exactly({
  tool: TEXT,
  component: { ...TEXT_OR_NULL, description: 'For whose sake; null: for all changes' },
  due_at: TIME,
  state: {
    type: 'string',
    enum: ['awaited', 'came', 'missing'],
    description: '`missing`: it did not come before the verdict',
  },
});
export type RequiredReport = Static<typeof REQUIRED_REPORT>;

/** Only where a commit status was asked for and cannot be posted; the reason is a sentence. */
export const VCS_STATUS = exactly({ posted: { type: 'boolean', enum: [false] }, reason: TEXT });
export type VcsStatus = Static<typeof VCS_STATUS>;

const OVERRIDE = { anyOf: [{ type: 'null' }, exactly({ actor: TEXT, reason: TEXT })] } as const;

const PLAIN_RFC = exactly({
  rfc_id: TEXT,
  tenant_id: TEXT,
  diff_hash: TEXT,
  repo_name: TEXT,
  branch: TEXT,
  commit_message: TEXT,
  overall_status: STATUS,
  risk_score: SCORE,
  score: SCORE_PARTS,
  created_at: TIME,
  updated_at: TIME,
  gates: GATES,
  // From all findings, listed or not.
  hard_limits: {
    type: 'array',
    items: TEXT,
    description: 'What binds who decides: vuln-* found by any gate, llm when gate 3 failed',
  },
  override: OVERRIDE,
  override_history: { type: 'array', items: DECISION },
  // Of an OVERRIDDEN push that nobody decided about.
  carried_from: {
    type: 'array',
    items: TEXT,
    description: 'RFCs whose decisions cover the same change; often empty',
  },
  stats: STATS,
  rules_revision: TEXT,
  trigger: { type: 'string', enum: ['api', 'webhook'] },
  diff_source: { type: ['string', 'null'], enum: [...DIFF_SOURCES, null] },
  commit_sha: TEXT_OR_NULL,
  repo_full_name: TEXT_OR_NULL,
  ref: TEXT_OR_NULL,
  post_vcs_status: { type: 'boolean' },
  vcs_status: { anyOf: [{ type: 'null' }, VCS_STATUS] },
  submitted_by: PRINCIPAL,
  // Null once it is final. An attempt is written at its start.
  queue: { anyOf: [{ type: 'null' }, exactly({ attempts: COUNT, queued_at: TIME })] },
  // Null: the diff was submitted.
  push: { anyOf: [{ type: 'null' }, PUSH] },
  // Raised by one with every change; what compare-and-set compares.
  rev: COUNT,
});

/**
 * The change record: what is stored, and what `GET rfc/<id>` shows. Every field of PLAIN_RFC is
 * present.
 */
export const RFC = {
  ...PLAIN_RFC,
  properties: {
    ...PLAIN_RFC.properties,
    discussion: DISCUSSION,
    components: {
      type: 'array',
      items: COMPONENT_VERDICT,
      description:
        'Verdicts by component; not listed: nothing of it is open. Absent: no components',
    },
    component_map: { ...TEXT, description: 'Of the components that the RFC was judged by' },
    review_history: {
      type: 'array',
      items: REVIEW_ENTRY,
      description: 'Reviews after the verdict, the oldest first; left out when empty',
    },
    terraform_plan: { ...GIVEN_PLAN, description: 'Absent: no plan came after the analysis' },
    dependencies: { ...DEPENDENCIES, description: 'Absent: the change alters no lockfile' },
    reports: {
      type: 'array',
      items: GIVEN_REPORT,
      maxItems: REPORTING_TOOLS_MAX,
      description: 'The newest report of each tool (SARIF); absent: no tool reported',
    },
    required_reports: {
      type: 'array',
      items: REQUIRED_REPORT,
      description: 'Reports that the rules require of the change; absent: no report',
    },
    emergency: { ...EMERGENCY, description: 'Absent: the override is not an emergency' },
    pull_request: { ...PULL_REQUEST, description: 'Absent: of no pull request that is known' },
    landed_blocked: {
      ...exactly({ at: TIME }),
      description:
        'Since when it is known that a protected branch stands at this commit against the verdict; ' +
        'an override does not remove it',
    },
  },
} as const;
export type RfcRecord = Omit<Static<typeof RFC>, 'gates' | 'components'> & {
  gates: Gates;
  components?: ComponentVerdict[];
};

/** Fields that every new record has values for. */
type NewRecord = Partial<RfcRecord> &
  Pick<
    RfcRecord,
    | 'rfc_id'
    | 'tenant_id'
    | 'repo_name'
    | 'branch'
    | 'created_at'
    | 'gates'
    | 'rules_revision'
    | 'trigger'
    | 'submitted_by'
  >;

const NO_SCORE = { change_risk: 0, findings_risk: 0, factors: [], model: 'none' };

/** A new DRAFT; a field that `known` lacks has the value of "not known yet". */
export function newDraft(known: NewRecord): RfcRecord {
  const { rfc_id, tenant_id, repo_name, branch, created_at, gates, ...others } = known;
  const { rules_revision, trigger, submitted_by, ...optional } = others;
  return {
    rfc_id,
    tenant_id,
    diff_hash: '',
    repo_name,
    branch,
    commit_message: '',
    overall_status: 'DRAFT',
    risk_score: 0,
    score: NO_SCORE,
    created_at,
    updated_at: created_at,
    gates,
    hard_limits: [],
    override: null,
    override_history: [],
    carried_from: [],
    stats: { files: 0, additions: 0, deletions: 0, bytes: 0 },
    rules_revision,
    trigger,
    diff_source: null,
    commit_sha: null,
    repo_full_name: null,
    ref: null,
    post_vcs_status: false,
    vcs_status: null,
    submitted_by,
    queue: { attempts: 0, queued_at: created_at },
    push: null,
    rev: 1,
    ...optional,
  };
}

/** The commit that the decision which let the change pass is pinned to; null: to none. */
export function pinOf(record: RfcRecord): string | null {
  const passed = passingDecision(record);
  return passed?.commit_sha ? commitId(passed.commit_sha) : null;
}

/** The decision that let the change pass, also where a rejection came later, if there was one. */
export function passingDecision({ override_history }: RfcRecord): Decision | undefined {
  return override_history.findLast(isPassing);
}

const ACCEPTED: ReadonlySet<RfcStatus> = new Set(['PASSED', 'OVERRIDDEN', 'APPROVED']);

/**
 * Whether the commit of a push counts as an accepted head by this record. A change that
 * could not be read does not count, even if somebody let it pass: the next push is judged with it.
 * Nor does the head of a fork's pull request, which anybody can make.
 */
export function acceptsHead(record: RfcRecord): boolean {
  return !isPullRequestRef(record.ref ?? '') && acceptsPush(record);
}

/** Whether a push, or the head of a pull request, passed or was let pass. */
export function acceptsPush(record: RfcRecord): boolean {
  const { push, overall_status } = record;
  if (push === null || push.waiting_for !== null || !ACCEPTED.has(overall_status)) return false;
  const pin = pinOf(record);
  return pin === null || pin === record.commit_sha;
}

/**
 * A record whose status refuses what has landed on a protected branch says so from then on; any
 * other is as it was. A verdict that is given again adds nothing.
 */
export function withLanding(record: RfcRecord): RfcRecord {
  const { push, overall_status, landed_blocked, updated_at } = record;
  const isRefused = overall_status === 'BLOCKED' || overall_status === 'REJECTED';
  if (!isRefused || push?.is_protected !== true || landed_blocked !== undefined) return record;
  return { ...record, landed_blocked: { at: updated_at } };
}

/** The RFCs on whose decisions an OVERRIDDEN push depends; absent in records of older versions. */
export function carriedFrom({ carried_from }: Partial<Pick<RfcRecord, 'carried_from'>>): string[] {
  return carried_from ?? [];
}

/**
 * The id of the host to which a record's status is posted, `''` for the default one; null: to none.
 * A decision may name a commit and repository of its own.
 */
export function statusHost(record: RfcRecord): string | null {
  if (record.post_vcs_status) return record.push?.host ?? '';
  // Also after a rejection: what the decision made green must not stay so.
  const passed = passingDecision(record);
  return passed?.commit_sha || passed?.repo_full_name ? '' : null;
}

const NO_DISCUSSION: Discussion = { findings: [], comments: [] };

/**
 * What is kept of a deleted record until its host shows that it is gone: where its status stands,
 * without findings and texts.
 */
export function deletedRecord(record: RfcRecord, at: string): RfcRecord {
  const { risk, ast, llm } = record.gates;
  const components = record.components?.map((one) => ({ ...one, findings: [] }));
  const { terraform_plan: plan, reports, dependencies } = record;
  return {
    ...record,
    commit_message: '',
    gates: {
      risk: { ...risk, findings: [] },
      ast: { ...ast, findings: [] },
      llm: { ...llm, findings: [] },
    },
    override: null,
    override_history: record.override_history.map((one) => ({ ...one, actor: '', reason: '' })),
    ...(record.discussion === undefined ? {} : { discussion: NO_DISCUSSION }),
    ...(components === undefined ? {} : { components }),
    ...(record.review_history === undefined ? {} : { review_history: [] }),
    ...(plan === undefined ? {} : { terraform_plan: { ...plan, finding_ids: [] } }),
    ...(reports === undefined ? {} : { reports: [] }),
    ...(dependencies === undefined ? {} : { dependencies: { ...dependencies, packages: [] } }),
    updated_at: at,
    rev: record.rev + 1,
  };
}

const PLAIN_LISTED = exactly({
  id: { type: 'string', description: 'Rule' },
  severity: { type: 'string', enum: [...SEVERITIES] },
  message: TEXT,
});

const LISTED_FINDING = {
  ...PLAIN_LISTED,
  properties: {
    ...PLAIN_LISTED.properties,
    title: { type: 'string', description: 'As of the finding' },
    suppressed: { type: 'boolean', enum: [true], description: 'Absent: it counts' },
  },
} as const;

const GATE_SUMMARY = exactly({
  status: TEXT,
  findings: {
    type: 'array',
    items: LISTED_FINDING,
    description: 'The worst, at most 20, as far as the line has room',
  },
  findings_total: COUNT,
});
type GateSummary = Static<typeof GATE_SUMMARY>;

const PLAIN_SUMMARY = exactly({
  rfc_id: TEXT,
  repo_name: TEXT,
  branch: TEXT,
  commit_message: TEXT,
  overall_status: STATUS,
  risk_score: SCORE,
  created_at: TIME,
  updated_at: TIME,
  diff_hash: TEXT,
  commit_sha: TEXT_OR_NULL,
  submitted_by: AUTHOR,
  stats: STATS,
  gates: exactly({ risk: GATE_SUMMARY, ast: GATE_SUMMARY, llm: GATE_SUMMARY }),
  override: OVERRIDE,
  rev: COUNT,
});

/** A line of `GET rfcs`: the record without its findings, with their counts. */
export const RFC_SUMMARY = {
  ...PLAIN_SUMMARY,
  properties: {
    ...PLAIN_SUMMARY.properties,
    emergency: EMERGENCY,
    components: {
      type: 'array',
      items: TEXT,
      description: 'The first components that it judged; absent: the rules name no components',
    },
  },
} as const;
export type RfcSummary = Static<typeof RFC_SUMMARY>;

/** The summary of a record, as lists show it: SUMMARY.BYTES_MAX as long as its names allow it. */
export function summarise(record: RfcRecord): RfcSummary {
  const { risk, ast, llm } = record.gates;
  const gate = ({ status, findings }: GateResult): GateSummary => ({
    status,
    findings: [],
    findings_total: findings.length,
  });
  const { override, submitted_by, emergency } = record;
  const components = touchedComponents(record).slice(0, SUMMARY.COMPONENTS_MAX);
  const summary: RfcSummary = {
    rfc_id: record.rfc_id,
    repo_name: record.repo_name,
    branch: record.branch,
    commit_message: record.commit_message.slice(0, SUMMARY.MESSAGE_CHARS_MAX),
    overall_status: record.overall_status,
    risk_score: record.risk_score,
    created_at: record.created_at,
    updated_at: record.updated_at,
    diff_hash: record.diff_hash,
    commit_sha: record.commit_sha,
    submitted_by: { id: submitted_by.id, name: submitted_by.name },
    stats: record.stats,
    gates: { risk: gate(risk), ast: gate(ast), llm: gate(llm) },
    override: override && {
      ...override,
      reason: override.reason.slice(0, SUMMARY.REASON_CHARS_MAX),
    },
    rev: record.rev,
    ...(emergency === undefined ? {} : { emergency }),
    ...(components.length === 0 ? {} : { components }),
  };
  fillFindings(summary, record);
  return summary;
}

/** The worst findings of each gate in turn, until the line has no more room. */
function fillFindings(summary: RfcSummary, { gates }: RfcRecord): void {
  const names = ['risk', 'ast', 'llm'] as const;
  if (names.every((name) => gates[name].findings.length === 0)) return;
  let room = SUMMARY.BYTES_MAX - Buffer.byteLength(JSON.stringify(summary));
  for (let at = 0; at < SUMMARY.FINDINGS_MAX; at += 1) {
    for (const name of names) {
      const finding = gates[name].findings[at];
      if (finding === undefined) continue;
      const { id, severity, message, title, suppressed } = finding;
      const text = message.slice(0, SUMMARY.FINDING_CHARS_MAX);
      const isSuppressed = suppressed === null ? {} : { suppressed: true as const };
      const named = title === undefined ? {} : { title };
      const shown = { id, severity, ...named, message: text, ...isSuppressed };
      room -= Buffer.byteLength(JSON.stringify(shown)) + 1;
      if (room < 0) return;
      summary.gates[name].findings.push(shown);
    }
  }
}

/** Where people read an RFC and decide about it; `baseUrl` without `/api/cra`. */
export function approveUrl(baseUrl: string, rfcId: string): string {
  return `${baseUrl}/cra#approve-${rfcId}`;
}

/** The page of the handbook about the id of a finding; `baseUrl` as above. */
export function helpUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/cra/docs/rules/${encodeURIComponent(id)}.html`;
}

/** A record as JSON, with the fields that the store indexes. */
export interface RecordText {
  rfc_id: string;
  tenant_id: string;
  repo_name: string;
  branch: string;
  commit_sha: string | null;
  repo_full_name: string | null;
  overall_status: RfcStatus;
  rev: number;
  created_at: string;
  /** The RfcRecord. */
  json: string;
  /** Its RfcSummary. */
  summary: string;
  /** Id of the host to which its status is posted, `''` for the default one; null: to none. */
  vcs_host: string | null;
  /** What the trends count of it (`trendText`). */
  trend: string;
  /** Ids of the components that it judged (`touchedComponents`). */
  components: string[];
  /** By what a search finds it (`searchTexts`). */
  texts: string[];
  /** What subscribers receive if its status has become what it is just now (`eventsOf`). */
  events: ServiceEvent[];
}

/** The record of a view that a store gives. */
export function viewedRecord({ json }: { json: Uint8Array }): RfcRecord {
  return JSON.parse(new TextDecoder().decode(json)) as RfcRecord;
}

type Id = Pick<RfcRecord, 'tenant_id' | 'rfc_id'>;

/** Reads a record. Rejects as `getRfc` of the store does. */
export async function readRecord(
  { tenant_id, rfc_id }: Id,
  store: { getRfc(id: Id): Promise<{ json: Uint8Array }> },
): Promise<RfcRecord> {
  return viewedRecord(await store.getRfc({ tenant_id, rfc_id }));
}

/** The texts of a record, made once where it is made. */
export function recordText(record: RfcRecord): RecordText {
  return {
    rfc_id: record.rfc_id,
    tenant_id: record.tenant_id,
    repo_name: record.repo_name,
    branch: record.branch,
    commit_sha: record.commit_sha,
    repo_full_name: record.repo_full_name,
    overall_status: record.overall_status,
    rev: record.rev,
    created_at: record.created_at,
    json: JSON.stringify(record),
    summary: JSON.stringify(summarise(record)),
    vcs_host: statusHost(record),
    trend: trendText(record),
    components: touchedComponents(record),
    texts: searchTexts(record),
    events: eventsOf(record),
  };
}

/**
 * An analysis in an export: the fields of the analyze answer and, where they are known,
 * what was analysed.
 */
export type Outcome = Pick<
  RfcRecord,
  'rfc_id' | 'diff_hash' | 'overall_status' | 'risk_score' | 'gates' | 'stats'
> &
  Partial<Pick<RfcRecord, 'repo_name' | 'branch' | 'commit_sha' | 'rules_revision'>>;

/** The findings of all gates, in their order. */
export function findingsOf({ gates }: Pick<Outcome, 'gates'>) {
  return [gates.risk, gates.ast, gates.llm].flatMap((gate) => gate.findings);
}
