import { type Clock, systemClock } from '../../core/rate-limit.ts';
import type { VcsHost, VcsSettings } from '../../hosts/settings.ts';
import { openStatusApi } from '../../hosts/status-api.ts';
import type { PushStore } from '../../store/contract/pushes.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { COMMIT_STATUS } from '../limits.ts';
import { type LaneState, startStatusLane } from './status-lane.ts';

/** Tells the hosts how RFCs stand. What is due is in the store: nothing is lost here. */
export interface Outbox {
  /** Something may be due: a push was accepted, a verdict or a decision was made. */
  wake(): void;
  /** For the status report: sums since the start, and each host. */
  state(): OutboxState;
  /** Ends the calls under way in order; what is not posted by then stays due. */
  stop(): Promise<void>;
}

export interface OutboxState {
  posted: number;
  failed: number;
  /** Known to wait; `queueDepth` counts all. */
  waiting: number;
  hosts: LaneState[];
}

export interface OutboxOptions {
  settings: VcsSettings;
  store: Pick<PushStore, 'dueStatuses' | 'settleStatus'>;
  /** Where people reach the service, without `/api/cra`. */
  baseUrl(): string;
  log: Logger;
  clock?: Clock;
  /** Of one call. */
  deadlineMs?: number;
}

/** Starts to post statuses, host by host, so that one that is down holds up no other. */
export function startOutbox(options: OutboxOptions): Outbox {
  const { settings, store, baseUrl, log } = options;
  const clock = options.clock ?? systemClock;
  const deadlineMs = options.deadlineMs ?? COMMIT_STATUS.POST_DEADLINE_MS;
  const common = { store, baseUrl, clock, log };
  const lanes = settings.hosts.map((host) =>
    startStatusLane({
      ...common,
      id: host.id,
      names: namesOf(host, settings),
      tenantId: host.tenantId,
      post: openStatusApi(host, { deadlineMs, now: clock.now }),
    }),
  );
  if (settings.defaultHost === null) {
    // Records that name no host shall not stay due for ever.
    lanes.push(startStatusLane({ ...common, id: '', names: [''], tenantId: null, post: null }));
  }

  return {
    wake() {
      for (const lane of lanes) lane.wake();
    },
    state() {
      const hosts = lanes.map((lane) => lane.state());
      const sum = (field: 'posted' | 'failed' | 'waiting') =>
        hosts.reduce((total, host) => total + host[field], 0);
      return { posted: sum('posted'), failed: sum('failed'), waiting: sum('waiting'), hosts };
    },
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}

/** Records that name no host belong to the default one. */
function namesOf({ id }: VcsHost, { defaultHost }: VcsSettings): string[] {
  return id === defaultHost ? [id, ''] : [id];
}
