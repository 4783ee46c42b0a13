import type { PostStatus } from '../../hosts/provider.ts';
import { retryDelay } from '../../hosts/retry-time.ts';
import type { DueStatus } from '../../store/contract/pushes.ts';
import type { Problem } from './host-health.ts';
import { isPosted, readPosted, withStatus, writePosted } from './posted-statuses.ts';
import { statusIntents } from './status-intents.ts';

/** What became of a record's statuses: how to settle it; null: it stays due as it is. */
export type Settlement = {
  /** As `settleStatus` takes it. */
  posted: string | null;
  due_ms: number | null;
  counted: 'posted' | 'failed' | 'skipped' | 'put off';
  /** Why it was given up or put off; null: it was not. */
  reason: string | null;
} | null;

export interface PostRecordOptions {
  /** Null: the host is told nothing. */
  post: PostStatus | null;
  /** Whose records the host is told of. */
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
