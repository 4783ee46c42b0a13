import type { CommitStatus, PostStatus } from '../../hosts/commit-status.ts';
import { COMMIT_STATUS } from '../../limits.ts';
import type { DueStatus } from '../../store/contract/pushes.ts';
import type { Problem } from './host-health.ts';
import { statusIntents } from './status-intents.ts';

/** The outcome of a record's statuses, to settle it by; null: it stays due as it is. */
export type Settlement = {
  /** As `settleStatus` takes it. */
  posted: string | null;
  due_ms: number | null;
  counted: 'posted' | 'failed' | 'skipped' | 'put off';
  /** Why it was given up or put off; null: it was not. */
  reason: string | null;
} | null;

export interface PostRecordOptions {
  /** Null: nothing is posted to the host. */
  post: PostStatus | null;
  /** Tenant of the records that are posted to the host. */
  tenantId: string | null;
  baseUrl: string;
  now: number;
  signal: AbortSignal;
  /** Whether one more call may be made now. */
  mayCall(): boolean;
  onPosted(): void;
  onProblem(problem: Problem): void;
}

/** Posts what one record wants to be shown and is not shown yet. */
export async function postRecord(due: DueStatus, options: PostRecordOptions): Promise<Settlement> {
  const { post, tenantId, baseUrl, now } = options;
  const { record } = due;
  if (post === null) return done('skipped', null);
  if (tenantId !== record.tenant_id) return failed('the host belongs to another tenant', null);
  const intents = statusIntents(record, {
    isOutdated: due.is_outdated,
    isDeleted: due.is_deleted,
    baseUrl,
  });
  let posted = readPosted(due.posted);
  const missing = intents.statuses.filter((status) => !isPosted(posted, status));
  const age = retryDelay(now - Date.parse(record.updated_at));
  let refusal = intents.problem;
  let later: string | null = null;
  let isNew = false;
  const text = () => (isNew ? writePosted(posted) : null);
  for (const status of missing) {
    if (!options.mayCall()) return null;
    const result = await post(status, options.signal);
    if (result.outcome === 'posted') {
      posted = withStatus(posted, status);
      isNew = true;
      options.onPosted();
      continue;
    }
    if (options.signal.aborted) return null;
    options.onProblem(result);
    const { outcome, reason } = result;
    if (outcome === 'limited') return null;
    if (outcome === 'refused') refusal = reason;
    else later = reason;
    // To the end of what is due: one record that brings its host down must not hold up others.
    if (outcome === 'down' && age !== null) return putOff(reason, text(), now);
  }
  if (later !== null && age !== null) return putOff(later, text(), now + age);
  if (later !== null || refusal !== null) return failed(later ?? refusal ?? '', text());
  return done(missing.length > 0 ? 'posted' : 'skipped', text());
}

function done(counted: 'posted' | 'skipped', posted: string | null): Settlement {
  return { posted, due_ms: null, counted, reason: null };
}

function failed(reason: string, posted: string | null): Settlement {
  return { posted, due_ms: null, counted: 'failed', reason };
}

function putOff(reason: string, posted: string | null, due_ms: number): Settlement {
  return { posted, due_ms, counted: 'put off', reason };
}

/**
 * How long (ms) until a status that waits since `ageMs` is tried again: 1, 2, 4 ... 60 s for ten
 * minutes, then every ten minutes; null: it is given up after three days. It depends on
 * the age alone, so no attempts have to be counted anywhere.
 */
function retryDelay(ageMs: number): number | null {
  if (ageMs >= COMMIT_STATUS.RETRY_FOR_MS) return null;
  if (ageMs >= COMMIT_STATUS.RETRY_SOON_FOR_MS) return COMMIT_STATUS.RETRY_LATE_MS;
  return Math.min(COMMIT_STATUS.RETRY_MS_MAX, Math.max(COMMIT_STATUS.RETRY_MS_MIN, ageMs));
}

/** The statuses of one record that were posted: the text of each by its place. */
type PostedStatuses = ReadonlyMap<string, string>;

/** Reads a text of `writePosted`; any other text counts as nothing posted. */
function readPosted(text: string | null): PostedStatuses {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return new Map(Object.entries((value ?? {}) as Record<string, string>));
  } catch {
    return new Map();
  }
}

/** As a text that the store keeps beside the record. */
function writePosted(posted: PostedStatuses): string {
  return JSON.stringify(Object.fromEntries(posted));
}

/** The posted statuses and this one. */
function withStatus(posted: PostedStatuses, status: CommitStatus): PostedStatuses {
  return new Map(posted).set(placeOf(status), textOf(status));
}

/** Whether a host shows this status already, as far as we know. */
function isPosted(posted: PostedStatuses, status: CommitStatus): boolean {
  return posted.get(placeOf(status)) === textOf(status);
}

function placeOf({ repo, sha }: CommitStatus): string {
  return `${repo}@${sha}`;
}

function textOf({ state, description }: CommitStatus): string {
  return `${state}: ${description}`;
}
