import { touchedComponents } from './components.ts';
import { OUTCOMES } from './deploy.ts';
import type { RfcRecord } from './records.ts';
import type { RfcStatus } from './rfc.ts';
import { type Search, searchTexts } from './search.ts';

/** How long diffs stay and when RFCs go to the archive (SERVICE_RETENTION_CONFIG); plain data. */
export interface Retention {
  /** Sealed diffs are deleted when they are older than so many full days. */
  readonly diffDays: number;
  /** Of several that fit an RFC the first counts. */
  readonly rules: readonly RetentionRule[];
  readonly holds: readonly LegalHold[];
}

/** What decides about an RFC. */
export type ArchiveRules = Omit<Retention, 'diffDays'>;

export interface RetentionRule {
  readonly tenantId: string;
  readonly filter: Search;
  /** Age since the last change, in days. */
  readonly days: number;
}

/** RFCs that stay in the store, whatever the rules say. */
export interface LegalHold {
  /** What the operator calls it. */
  readonly name: string;
  readonly tenantId: string;
  readonly filter: Search;
  /** Created at or after, and at or before, ISO 8601 UTC; null: at any time. */
  readonly since: string | null;
  readonly until: string | null;
}

/** Statuses of RFCs that may go; all others hold a change back or stand for a decision. */
export const LEAVING_STATUSES = ['PASSED', 'SUPERSEDED'] as const satisfies readonly RfcStatus[];

/**
 * The least age of a rule: outcomes of deploys look for RFCs for so long. Diffs, reports and
 * answers are gone before.
 */
export const RETENTION_DAYS_MIN = OUTCOMES.DAYS_MAX + 1;

const DAY_MS = 24 * 3_600_000;

/** What becomes of an RFC. */
export type Fate = 'leaves' | 'held' | 'stays';

/**
 * What the settings make of an RFC at a time. It stays whatever they say while it is not final, and
 * when a decision, an emergency, a component's refusal or a landing against the verdict is in it.
 * Which RFCs are heads is known to the store alone.
 */
export function fateOf(record: RfcRecord, { rules, holds }: ArchiveRules, nowMs: number): Fate {
  const rule = rules.find(
    ({ tenantId, filter }) => tenantId === record.tenant_id && isFound(record, filter),
  );
  if (rule === undefined || !isSettled(record)) return 'stays';
  const changed = Math.max(Date.parse(record.created_at), Date.parse(record.updated_at));
  if (!(changed < nowMs - rule.days * DAY_MS)) return 'stays';
  return holds.some((hold) => isHeldBy(record, hold)) ? 'held' : 'leaves';
}

function isSettled(record: RfcRecord): boolean {
  const { overall_status: status, override_history, emergency, landed_blocked } = record;
  return (
    LEAVING_STATUSES.some((one) => one === status) &&
    override_history.length === 0 &&
    emergency === undefined &&
    landed_blocked === undefined &&
    (record.components ?? []).every((one) => one.status === status || one.status === 'PASSED')
  );
}

function isHeldBy(record: RfcRecord, { tenantId, filter, since, until }: LegalHold): boolean {
  const { tenant_id, created_at } = record;
  if (tenantId !== tenant_id) return false;
  if (since !== null && created_at < since) return false;
  return (until === null || created_at <= until) && isFound(record, filter);
}

/** Whether a search finds the record, but for the time. */
function isFound(record: RfcRecord, filter: Search): boolean {
  const { status, repo, component, texts, without } = filter;
  if (status !== null && status !== record.overall_status) return false;
  if (repo !== null && repo.toLowerCase() !== record.repo_name.toLowerCase()) return false;
  if (component !== null && !touchedComponents(record).includes(component)) return false;
  const own = new Set(searchTexts(record));
  return texts.every((text) => own.has(text)) && !without.some((text) => own.has(text));
}
