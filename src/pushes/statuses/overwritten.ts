import { type Clock, createRateLimiter, systemClock } from '../../core/rate-limit.ts';
import type { ReadStatus, ShownStatus } from '../../hosts/host.ts';
import type { VcsHost } from '../../hosts/settings.ts';
import { plainEvent } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import { repositoryKey, type StatusEvent } from '../../model/push.ts';
import type { RfcRecord } from '../../model/records.ts';
import type { PushStore } from '../../store/contract/pushes.ts';
import type { TrailStore } from '../../store/contract/trail.ts';
import { COMMIT_STATUS } from '../limits.ts';
import { placeOf, readPosted, showsPosted, statusIntents, writePosted } from './post-record.ts';

/**
 * Sets statuses again that somebody else overwrote, and records it. A webhook only says where to
 * look: our own statuses come back as webhooks, too, and late ones. What counts is what the host
 * shows now, against what was posted last.
 */
export interface StatusGuard {
  /** A status under our name was set at a commit. */
  look(host: Pick<VcsHost, 'id' | 'tenantId'>, event: StatusEvent): void;
  /** Resolves when all that was reported was looked at. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

export interface StatusGuardOptions {
  pushes: Pick<PushStore, 'pushesOfCommit' | 'postedStatus' | 'settleStatus'>;
  trail: Pick<TrailStore, 'appendEvent'>;
  /** Reads statuses of a host by its id; hosts whose statuses cannot be read are left out. */
  readers: ReadonlyMap<string, ReadStatus>;
  /** A status is due again. */
  onReset(): void;
  onError(error: CraError, host: string): void;
  clock?: Clock;
}

interface Report {
  host: Pick<VcsHost, 'id' | 'tenantId'>;
  event: StatusEvent;
  /** How often it was put off. */
  tries: number;
}

/** Creates it. What is not looked at, as it is too much, goes to `onError`. */
export function createStatusGuard(options: StatusGuardOptions): StatusGuard {
  const { readers, onError, clock = systemClock } = options;
  const stopping = new AbortController();
  /** By host, commit and name: of several in a row the newest is looked at. */
  const waiting = new Map<string, Report>();
  /** Ends the timers of reports that were put off. */
  const putOff = new Set<() => void>();
  const budget = createRateLimiter({ ...BUDGET, keysMax: readers.size + 1, now: clock.now });
  let running: Promise<void> | null = null;

  async function work(): Promise<void> {
    for (let next = first(); next !== null && !stopping.signal.aborted; next = first()) {
      const { host } = next;
      try {
        await compare(next);
      } catch (thrown) {
        if (!stopping.signal.aborted) onError(CraError.fromUnknown(thrown), host.id);
      }
    }
  }

  function first(): Report | null {
    for (const [key, report] of waiting) {
      waiting.delete(key);
      return report;
    }
    return null;
  }

  /** What the host got from us may be noted a moment later than somebody overwrites it. */
  function lookLater({ host, event, tries }: Report): void {
    const delayMs = COMMIT_STATUS.REPORT_RETRY_MS[tries];
    if (delayMs === undefined) return;
    const revoke = clock.after(delayMs, () => {
      putOff.delete(revoke);
      add({ host, event, tries: tries + 1 });
    });
    putOff.add(revoke);
  }

  function add(report: Report): void {
    const { host, event } = report;
    const key = `${host.id} ${event.repoFullName}@${event.sha} ${event.component ?? ''}`;
    if (waiting.size + putOff.size >= COMMIT_STATUS.REPORTS_WAITING_MAX) {
      onError(tooMany(`${COMMIT_STATUS.REPORTS_WAITING_MAX} reports wait`), host.id);
      return;
    }
    waiting.set(key, report);
    running ??= work().finally(() => {
      running = null;
    });
  }

  async function compare(report: Report): Promise<void> {
    const { host, event } = report;
    const read = readers.get(host.id);
    const found = await speakerOf(host, event, options.pushes);
    if (read === undefined || found === null) return;
    if (found === 'due') {
      lookLater(report);
      return;
    }
    const { record, place, text, posted } = found;
    if (showsPosted(event, text)) return;
    const resets = Number(posted.get(RESETS) ?? 0);
    // Another program that sets it each time would go on for ever.
    if (resets >= COMMIT_STATUS.RESETS_MAX)
      throw tooMany(`${record.rfc_id} was set again ${resets} times`);
    if (budget.take(host.id) > 0) throw tooMany(`the host is read ${BUDGET.max} times a minute`);
    const shown = await read(event, stopping.signal);
    if (shown === null || showsPosted(shown, text)) return;
    await options.trail.appendEvent({ event: overwritten(record, event, shown, resets + 1) });
    const next = new Map(posted).set(RESETS, String(resets + 1));
    next.delete(place);
    const { tenant_id, rfc_id, rev } = record;
    const dueMs = clock.now();
    const settled = { tenant_id, rfc_id, rev, posted: writePosted(next), dueMs };
    await options.pushes.settleStatus(settled);
    options.onReset();
  }

  return {
    look: (host, event) => add({ host, event, tries: 0 }),
    async settled() {
      while (running !== null) await running;
    },
    async stop() {
      stopping.abort();
      for (const revoke of putOff) revoke();
      await running;
    },
  };
}

/** Kept beside what was posted: how often statuses of this record were set again. */
const RESETS = 'resets';

const BUDGET = {
  max: COMMIT_STATUS.READS_PER_MINUTE,
  windowMs: 60_000,
};

/** A status that may be overwritten stays as it is: an operator has to know. */
function tooMany(bound: string): CraError {
  return new CraError('RESOURCE_EXHAUSTED', `a status may be overwritten still: ${bound}`);
}

/**
 * The newest push of a commit whose status we posted there; null: it is absent; `due`: another
 * status of it is to be posted, or the host has it already and that is not noted.
 */
async function speakerOf(
  { id, tenantId: tenant_id }: Report['host'],
  { repoFullName, repositoryId, sha, component }: StatusEvent,
  pushes: StatusGuardOptions['pushes'],
) {
  const push = { host: id, repository_id: repositoryId };
  const repo_key = repositoryKey({ repo_name: repoFullName, push });
  const { records } = await pushes.pushesOfCommit({ tenant_id, repo_key, sha });
  const newestFirst = records.sort((one, other) => (one.created_at < other.created_at ? 1 : -1));
  for (const record of newestFirst) {
    const { rfc_id, repo_full_name } = record;
    const { posted: kept, isDue } = await pushes.postedStatus({ tenant_id, rfc_id });
    const posted = readPosted(kept);
    const place = placeOf({ repo: repo_full_name ?? '', sha, ...(component && { component }) });
    const text = posted.get(place);
    // A push may also be due for a comment alone.
    if (isDue && (text === undefined || !isWanted(record, place, text))) return 'due';
    if (text !== undefined) return { record, place, text, posted };
  }
  return null;
}

/** Whether what was posted is what a record wants to be shown there. */
function isWanted(record: RfcRecord, place: string, posted: string): boolean {
  const facts = { isOutdated: false, isDeleted: false, baseUrl: '' };
  const { statuses } = statusIntents(record, facts);
  const wanted = statuses.find((status) => placeOf(status) === place);
  return wanted !== undefined && showsPosted(wanted, posted);
}

function overwritten(record: RfcRecord, event: StatusEvent, shown: ShownStatus, count: number) {
  const { tenant_id, rfc_id, rev, repo_name } = record;
  return plainEvent({
    kind: 'status-overwritten',
    op_id: `status-overwritten ${rfc_id} ${count}`,
    principal: null,
    tenant_id,
    rfc_id,
    rfc_rev: rev,
    repo_name,
    details: {
      commit_sha: event.sha,
      component: event.component,
      // Only the host says who set it.
      set_by: event.sender?.toWellFormed() ?? null,
      state: shown.state,
      count,
      count_max: COMMIT_STATUS.RESETS_MAX,
    },
  });
}
