import type { DeskImplementation } from '../rpc/desk.ts';
import type { RulesBook, Sessions, Tasks, Usage } from '../rpc/desk-contract.ts';
import type { Client } from '../rpc/service.ts';

/**
 * What is at rest beside RFCs and the trail. The promises of `Store` hold here, too: what resolves
 * is durable, and a tenant sees its own alone.
 */
export interface TaskStore extends Client<typeof Tasks> {
  /**
   * Creates a task, or answers the open one (`pending`, `picked`) of the same finding with
   * `created: false`: of racing calls one creates.
   */
  createTask: Client<typeof Tasks>['createTask'];
  /**
   * Sets a task's status, whatever it was; the same again changes nothing. With `resolved_by` the
   * finding in its RFC gets `resolved` (the first one stays), its rev one higher, as one step; the
   * verdict stays. NOT_FOUND for an unknown task; a deleted RFC is no failure.
   */
  updateTask: Client<typeof Tasks>['updateTask'];
  /** Oldest first. */
  listPendingTasks: Client<typeof Tasks>['listPendingTasks'];
}

export interface UsageStore extends Client<typeof Usage> {
  /** The same `usage_id` again is the same record. */
  logUsage: Client<typeof Usage>['logUsage'];
  /** Sums over the records with at_ms >= since_ms: exact to the millisecond, over millions. */
  usageTotal: Client<typeof Usage>['usageTotal'];
  /**
   * The same by day, provider and model, oldest day first, then by name; null when they are more
   * than `limit`.
   */
  usageDays: Client<typeof Usage>['usageDays'];
}

export interface RulesBookStore extends Client<typeof RulesBook> {
  /** The newest revision; its text only when its number is not `known`. */
  newestRules: Client<typeof RulesBook>['newestRules'];
  /** NOT_FOUND for a number that was never given. */
  rulesAt: Client<typeof RulesBook>['rulesAt'];
  /** Newest first. */
  listRules: Client<typeof RulesBook>['listRules'];
  /**
   * Makes a revision the newest and tells the trail, as one step. ABORTED with `{number}` when
   * the newest is not `expected`; UNAVAILABLE when the trail can't be written: nothing changed.
   */
  addRules: Client<typeof RulesBook>['addRules'];
}

/**
 * Browser sessions, shared by all daemons. Which of them has ended is decided by whoever reads;
 * a store only has to forget some time what is past `expires_at`.
 */
export interface SessionStore extends Client<typeof Sessions> {
  /** ALREADY_EXISTS for a known id. */
  createSession: Client<typeof Sessions>['createSession'];
  /** Null for one that is not there. Sees every change that resolved before. */
  findSession: Client<typeof Sessions>['findSession'];
  /** Moves `last_seen_at` forward, never back; nothing happens where there is no session. */
  touchSession: Client<typeof Sessions>['touchSession'];
  /** Nothing happens where there is no session. */
  deleteSession: Client<typeof Sessions>['deleteSession'];
  /** Ends all sessions of a person; answers how many there were. */
  deleteSessionsOf: Client<typeof Sessions>['deleteSessionsOf'];
}

/** All of them, as one client has them. */
export type Desk = TaskStore & UsageStore & RulesBookStore & SessionStore;

/** The methods that the writing side of a driver serves; the rest is the reading side's. */
export type DeskWriteMethod =
  | 'createTask'
  | 'updateTask'
  | 'logUsage'
  | 'addRules'
  | 'createSession'
  | 'touchSession'
  | 'deleteSession'
  | 'deleteSessionsOf';
export type DeskReadMethod = Exclude<keyof Desk, DeskWriteMethod>;

/** The two halves of a driver, as a server runs them. */
export type DeskWriter = Pick<DeskImplementation, DeskWriteMethod>;
export type DeskReader = Pick<DeskImplementation, DeskReadMethod>;
