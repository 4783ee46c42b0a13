/** The ways in which a thread of the scan pool can end before its time. */
export const KINDS = [
  'throw',
  'exit',
  'out-of-memory',
  'terminate-loop',
  'terminate-match',
  'terminate-own-child',
  'terminate-kept-child',
] as const;

export type Kind = (typeof KINDS)[number];

/** What a thread is told when it starts. */
export interface DoomedInput {
  kind: Kind | 'witness';
  /** Socket on which the thread waits for a child that the keeper process forks; else null. */
  socketPath: string | null;
  /** Whether a child of the thread's own spins instead of waiting for messages. */
  childSpins: boolean;
}

/** Thread to ground process: it has used RE2 and is about to end. */
export interface DoomedReport {
  matches: number;
  childPid: number | null;
}

/** What the replacements of one kind did to their process. */
export interface KindResult {
  kind: Kind;
  count: number;
  /** From the new thread's start until it has compiled and used its rules, ms. */
  readyMs: { median: number; max: number };
  /** From the cause of death until the thread's `exit` event, ms. */
  deathMs: { median: number; max: number };
  /** Resident set of the process after 10 %, 50 % and 100 % of the replacements, MiB. */
  rssMiB: [number, number, number];
  /** Matches that the thread which lives through all of it got wrong. */
  witnessErrors: number;
  children: { forked: number; running: number; defunct: number };
}
