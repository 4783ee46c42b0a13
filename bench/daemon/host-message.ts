/** What a daemon host and its parent say to each other. */

/** The timer whose lateness is the lag. */
export const LAG_RESOLUTION_MS = 1;

export type HostQuestion =
  | { kind: 'sample'; id: number }
  | { kind: 'reset-lag' }
  /** In order, as SIGTERM does it. */
  | { kind: 'stop' };

export interface Sample {
  /** How late the timers of the main thread were since the last reset. */
  lagP50Ms: number;
  lagP99Ms: number;
  lagMaxMs: number;
  /** Of the daemon's process, its children not included. */
  rssMb: number;
  childPids: number[];
  threadsReplaced: number;
}

export type HostAnswer =
  | { kind: 'ready'; port: number }
  | ({ kind: 'sample'; id: number } & Sample);
