import { type DecisionRequested, type Finding, SEVERITIES } from './finding.ts';
import type { Gates, RfcStatus } from './rfc.ts';

/** Events that subscribers may get (docs/how-to/events.md). */
export const EVENT_TYPES = [
  'rfc.blocked',
  'rfc.decided',
  'rfc.emergency',
  'rfc.decision_requested',
  'landed.blocked',
  'coverage.gap',
  'coverage.covered',
  'deploy.started',
  'deploy.succeeded',
  'deploy.failed',
  'deploy.rolled_back',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * A fact that subscribers receive. It names things and counts them: no code, no excerpt, no reason
 * that a person wrote, and no title.
 */
export interface ServiceEvent {
  /**
   * The same whenever the same fact is written again, and of no other fact. Printable ASCII without
   * spaces: it is sent as a header.
   */
  event_id: string;
  type: EventType;
  tenant_id: string;
  /** An RFC, a deploy, a repository of a host: its events arrive in their order. */
  subject: string;
  /** The order among the events of the subject: whole, and growing. */
  place: number;
  /** As RFCs name it; null: the fact is of no repository. */
  repo: string | null;
  /** ISO 8601, UTC. */
  at: string;
  data: Readonly<Record<string, unknown>>;
}

/** The fields of a record in an event. */
interface EventFacts {
  rfc_id: string;
  tenant_id: string;
  repo_name: string;
  branch: string;
  ref: string | null;
  commit_sha: string | null;
  overall_status: RfcStatus;
  risk_score: number;
  rev: number;
  updated_at: string;
  gates: Gates;
  override_history: readonly {
    action: string;
    at: string;
    emergency?: boolean;
    /** Absent where somebody edited the record. */
    principal?: { id: string };
  }[];
  pull_request?: { number: number; url: string | null };
  landed_blocked?: { at: string };
}

/** More than the events of a record at once. */
const EVENTS_PER_REV = 8;

/**
 * The events of a record whose status has become what it is in this very write; to be called for
 * such a record alone. Nobody decided about a verdict that is carried from another RFC.
 */
export function eventsOf(record: EventFacts): ServiceEvent[] {
  const { overall_status, override_history, updated_at, landed_blocked } = record;
  const newest = override_history.at(-1);
  const decision = newest?.at === updated_at ? newest : undefined;
  const types: EventType[] = [];
  if (overall_status === 'BLOCKED') types.push('rfc.blocked');
  if (decision !== undefined && DECIDED.has(overall_status)) types.push('rfc.decided');
  if (decision?.emergency === true) types.push('rfc.emergency');
  if (landed_blocked?.at === updated_at) types.push('landed.blocked');
  if (types.length === 0) return [];
  const { rfc_id, tenant_id, repo_name, rev } = record;
  const data = dataOf(record, decision);
  return types.map((type, index) => ({
    event_id: `${rfc_id}.${rev}.${type}`,
    type,
    tenant_id,
    subject: rfc_id,
    place: rev * EVENTS_PER_REV + index,
    repo: repo_name,
    at: updated_at,
    data,
  }));
}

/** The event of a request to decide; to be called in the write that adds it to the record. */
export function requestEvent(
  record: EventFacts,
  { asked, by, at }: DecisionRequested,
): ServiceEvent {
  const { rfc_id, tenant_id, repo_name, rev } = record;
  const type = 'rfc.decision_requested';
  return {
    event_id: `${rfc_id}.${rev}.${type}`,
    type,
    tenant_id,
    subject: rfc_id,
    place: rev * EVENTS_PER_REV,
    repo: repo_name,
    at,
    data: { ...dataOf(record, undefined), asked, asked_by: by.id },
  };
}

const DECIDED: ReadonlySet<RfcStatus> = new Set(['OVERRIDDEN', 'APPROVED', 'REJECTED']);

function dataOf(
  record: EventFacts,
  decision: EventFacts['override_history'][number] | undefined,
): ServiceEvent['data'] {
  const { rfc_id, overall_status, repo_name, branch, ref, commit_sha, risk_score } = record;
  const { number, url = null } = record.pull_request ?? {};
  return {
    rfc_id,
    status: overall_status,
    repo: repo_name,
    branch,
    ref,
    commit_sha,
    risk_score,
    findings: countBySeverity(record.gates),
    pull_request: number === undefined ? null : { number, url },
    decision:
      decision === undefined
        ? null
        : {
            action: decision.action,
            by: decision.principal?.id ?? null,
            emergency: decision.emergency === true,
          },
  };
}

/** Findings that count in the verdict. */
function countBySeverity({ risk, ast, llm }: Gates): Record<Finding['severity'], number> {
  const counted = [risk, ast, llm]
    .flatMap(({ findings }) => findings)
    .filter(({ suppressed }) => suppressed === null);
  const counts = SEVERITIES.map((severity) => [
    severity,
    counted.filter((finding) => finding.severity === severity).length,
  ]);
  return Object.fromEntries(counts) as Record<Finding['severity'], number>;
}
