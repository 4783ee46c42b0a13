import { CraError } from './errors.ts';
import { isVulnerability } from './finding.ts';
import type { Principal } from './principal.ts';
import type { RfcRecord } from './records.ts';
import { commitId } from './rfc.ts';

/**
 * What an override with the token of agents (CRA_AGENT_OVERRIDE_TOKEN) may do. The service holds
 * it, whatever the tool server of the agent allows: one override of one BLOCKED RFC at a time,
 * below a score and a number a day. All else is up to a person.
 */

/** The ceilings, as the settings of the daemon say. */
export interface AgentCeilings {
  /** Highest risk score, 0 to 100, that is overridden. */
  max_score: number;
  /** Overrides within AGENTS.DAY_MS, of all agents and daemons of the store together. */
  max_overrides_per_day: number;
}

/** The fields of a decision that are checked against the ceilings of agents. */
interface AgentRequest {
  principal: Principal;
  /** Ceilings of a caller with the token of agents. */
  agent?: AgentCeilings;
}

/** The same with the decision itself. */
interface AgentDecision extends AgentRequest {
  action: string;
  accept_findings: boolean | readonly string[];
  /** Of an emergency override. */
  review_due_at?: string;
  /** Commit and repository that the decision is pinned to; null when absent. */
  commit_sha: string | null;
  repo_full_name: string | null;
}

/** Why a request is refused, for programs. */
type AgentLimit =
  | 'action'
  | 'accept_findings'
  | 'emergency'
  | 'pin'
  | 'hard-limit'
  | 'gate-3'
  | 'rejected-commit'
  | 'score'
  | 'overrides-per-day';

/** Whether a caller is an agent with a token of its own. */
export function isAgent(caller: Pick<Principal, 'credential'> | null): boolean {
  return caller?.credential === 'agent-token';
}

/** What a refusal to an agent tells programs, by the names of `cra.override` (specification). */
export const ASK_A_PERSON = { code: 'agent-limit', requiresDashboardApproval: true } as const;

/** PERMISSION_DENIED, `details.code` is `agent-limit`; the caller adds `approveUrl`. */
function refusal(limit: AgentLimit, problem: string): CraError {
  const message = `CRA_AGENT_OVERRIDE_TOKEN: ${problem}; a person has to decide at the dashboard`;
  return new CraError('PERMISSION_DENIED', message, { details: { ...ASK_A_PERSON, limit } });
}

/** The refusal of one more override when `most` of the last 24 hours were made. */
export function agentDayUsedUp(most: number): CraError {
  const made = `agents may make ${most} overrides in 24 hours (SERVICE_AGENT_MAX_OVERRIDES_PER_DAY)`;
  return refusal('overrides-per-day', made);
}

/** How many overrides agents may make in 24 hours; null: no such limit. */
export function agentDayMax({ principal, agent }: AgentRequest): number | null {
  return isAgent(principal) ? (agent ?? NOTHING).max_overrides_per_day : null;
}

/** Without ceilings, an agent may do nothing. */
const NOTHING: AgentCeilings = { max_score: -1, max_overrides_per_day: 0 };

/**
 * Throws PERMISSION_DENIED for a request of an agent that is more than an override below the
 * ceilings; the number of a day is counted by the store. `rejected`: RFCs whose rejections the
 * override would lift.
 */
export function requireAgentMay(
  record: RfcRecord,
  request: AgentDecision,
  rejected: readonly RfcRecord[],
): void {
  if (!isAgent(request.principal)) return;
  requirePlainOverride(record, request);
  const [limit] = limitsOf(record);
  if (limit !== undefined) throw refusal('hard-limit', `no agent overrides ${limit}`);
  const { status, held } = record.gates.llm;
  if ((status !== 'pass' && status !== 'skipped') || held === true) {
    throw refusal('gate-3', 'gate 3 neither passed nor was left out');
  }
  const [lifted] = rejected;
  if (lifted !== undefined) {
    throw refusal('rejected-commit', `the commit was rejected (${lifted.rfc_id})`);
  }
  const { max_score } = request.agent ?? NOTHING;
  if (record.risk_score <= max_score) return;
  const score = `the risk score ${record.risk_score} is above ${max_score}`;
  throw refusal('score', `${score} (SERVICE_AGENT_MAX_SCORE)`);
}

function requirePlainOverride(record: RfcRecord, request: AgentDecision): void {
  if (request.action !== 'override') {
    throw refusal('action', `it is for single overrides, and not for "${request.action}"`);
  }
  if (request.accept_findings !== false) {
    throw refusal('accept_findings', 'an agent accepts no findings for later changes');
  }
  if (request.review_due_at !== undefined) {
    throw refusal('emergency', 'an agent declares no emergency');
  }
  const { commit_sha: commit, repo_full_name: repository } = request;
  const isOwnCommit = commit === null || isSame(commit, record.commit_sha, commitId);
  const isOwnRepository =
    repository === null || isSame(repository, record.repo_full_name, (name) => name.toLowerCase());
  if (isOwnCommit && isOwnRepository) return;
  throw refusal('pin', 'an agent names no commit or repository but that of the RFC');
}

function isSame(one: string, other: string | null, plain: (text: string) => string): boolean {
  return other !== null && plain(one) === plain(other);
}

/** What no agent overrides. Records of older versions name no limits: their findings do. */
function limitsOf({ hard_limits, gates }: RfcRecord): string[] {
  const named: readonly string[] | undefined = hard_limits;
  const { risk, ast, llm } = gates;
  const found = [...risk.findings, ...ast.findings, ...llm.findings]
    .filter(({ id, suppressed }) => suppressed === null && isVulnerability(id))
    .map(({ id }) => id);
  return [...(named ?? []), ...found];
}
