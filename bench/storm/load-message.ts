import type { FieldRepo } from './git-field.ts';

/** What the process that posts webhooks and its parent say to each other. */

/** Given once. */
export interface LoadPlan {
  root: string;
  repos: readonly FieldRepo[];
  secret: string;
  seed: number;
}

/** Posts drawn webhooks. */
export interface StormRun {
  kind: 'storm';
  port: number;
  name: string;
  count: number;
  floodedShare: number;
  connections: number;
  /** Webhooks a second; null: as many as are taken. */
  perSecond: number | null;
  /** Whether what got no answer is sent again first, as a host or a person would. */
  resend: boolean;
}

/** Posts one push. */
export interface PushRun {
  kind: 'push';
  port: number;
  name: string;
  repo: number;
  ref: string;
  after: string | null;
  /** With a payload of 25 MB. */
  isLarge: boolean;
}

/** Posts webhooks to something that is no daemon; they are not told in the ledger. */
export interface BareRun {
  kind: 'bare';
  port: number;
  count: number;
  connections: number;
}

export type LoadQuestion = { id: number } & (
  | { kind: 'plan'; plan: LoadPlan }
  | StormRun
  | PushRun
  | BareRun
  | { kind: 'ledger' }
);

/** What became of one webhook. */
export interface Entry {
  delivery: string;
  body: number;
  repo: number;
  ref: string;
  /** 0: no answer came. */
  status: number;
  rfcId: string | null;
  outcome: string | null;
  /** Why it was refused; null: it was taken. */
  error: string | null;
}

export interface LoadOutcome {
  sent: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Number of answers by status; 0: none came. */
  statuses: Record<string, number>;
  cpuSeconds: number;
  rfcId: string | null;
}

export interface LoadAnswer {
  /** 0: the first answer of a storm has come. */
  id: number;
  outcome: LoadOutcome | null;
  ledger: Entry[] | null;
}
