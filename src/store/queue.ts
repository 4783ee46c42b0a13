import type { Pushes } from '../rpc/queue-contract.ts';
import type { Client, Implementation } from '../rpc/service.ts';

/**
 * Pushes at rest (DESIGN 7). The promises of `Store` hold here, too. A push is an RFC record that
 * has keys of its own (`PushKeys`), searched and leased by them while it is a DRAFT; there is no
 * second list that could tell otherwise. An **accepted head** is the commit of a push whose RFC is
 * PASSED, OVERRIDDEN or APPROVED now, unless its newest decision other than a rejection is pinned
 * to another commit; or the baseline. It is read from the records, so a verdict and the head that
 * it accepts can't be apart, and a rejection or deletion takes it back.
 */
export interface PushStore extends Client<typeof Pushes> {
  /**
   * Writes the DRAFT of a push, durably. The same delivery again, or the same body under another
   * delivery id, writes nothing and answers the RFC of the first; of racing calls one writes.
   */
  acceptPush: Client<typeof Pushes>['acceptPush'];
  /**
   * Claims the newest push of the next ref that has one which nobody holds: it counts the attempt
   * (`queue.attempts`, rev), sets phase `fetching`, and holds it for `lease_ms` on the store's
   * clock. Round robin: repositories in turn after `after`, within one its refs in turn. A ref
   * whose newest push is held is passed over. Racing daemons never claim the same one.
   */
  claimPush: Client<typeof Pushes>['claimPush'];
  /** The same for one push by its id, when another than the newest is to be judged. ABORTED. */
  takePush: Client<typeof Pushes>['takePush'];
  /** Holds DRAFT pushes of this owner for `lease_ms` from now, without a new rev; others stay. */
  renewPushes: Client<typeof Pushes>['renewPushes'];
  /** Frees what a daemon of this name held before it died. */
  freeHeld: Client<typeof Pushes>['freeHeld'];
  /**
   * Replaces a DRAFT by itself with other progress (phase, base, waiting_for), rev one higher, and
   * holds it for `hold_ms`: to renew a lease, or to put it off. ABORTED as `completeDraft`.
   */
  savePush: Client<typeof Pushes>['savePush'];
  /**
   * Makes DRAFT pushes SUPERSEDED, each where its rev is still that; the others stay. Statuses are
   * due only for those of which one was posted before. At most PUSHES.GROUP_MAX.
   */
  supersedePushes: Client<typeof Pushes>['supersedePushes'];
  /** Which of these commits are accepted heads of the repository, in any order. */
  acceptedHeads: Client<typeof Pushes>['acceptedHeads'];
  /** Of each ref the newest accepted head, then the baseline; refs without one are left out. */
  newestAccepted: Client<typeof Pushes>['newestAccepted'];
  /**
   * Keeps the baseline of a repository and tells the trail, as one step; a repository that has one
   * keeps it (`adopted: false`). UNAVAILABLE when the trail can't be written: nothing changed.
   */
  adoptBaseline: Client<typeof Pushes>['adoptBaseline'];
  findBaseline: Client<typeof Pushes>['findBaseline'];
  /** The oldest push of a ref, whatever its status. */
  oldestPush: Client<typeof Pushes>['oldestPush'];
  /**
   * The newest RFC that is not SUPERSEDED, perhaps of one branch or commit, and, when no commit is
   * asked for and the repository has pushes, the newest one of the branch that counts; the default
   * branch is the one that the newest push of the repository names. NOT_FOUND when there is no RFC.
   */
  prodView: Client<typeof Pushes>['prodView'];
  /** The newest push of each ref that is not SUPERSEDED; refs without one are left out. */
  newestPushes: Client<typeof Pushes>['newestPushes'];
  /** The newest push of the repository, whatever its ref and status. NOT_FOUND. */
  newestPush: Client<typeof Pushes>['newestPush'];
  /** Repositories with pushes, in the order of tenant and repo_key. */
  listPushed: Client<typeof Pushes>['listPushed'];
  queueDepth: Client<typeof Pushes>['queueDepth'];
  /**
   * Records whose state the host is to be told, longest due first. A record with a `vcs_host`
   * becomes due whenever it is written with another status, in the same step; supersedePushes
   * says when not.
   */
  dueStatuses: Client<typeof Pushes>['dueStatuses'];
  /** Notes what was posted and when to go on; nothing happens where the record is gone. */
  settleStatus: Client<typeof Pushes>['settleStatus'];
}

/** The methods that the writing side of a driver serves; the rest is the reading side's. */
export type PushWriteMethod =
  | 'acceptPush'
  | 'claimPush'
  | 'takePush'
  | 'renewPushes'
  | 'freeHeld'
  | 'savePush'
  | 'supersedePushes'
  | 'adoptBaseline'
  | 'settleStatus';
export type PushReadMethod = Exclude<keyof PushStore, PushWriteMethod>;

/** The two halves of a driver, as a server runs them. */
export type PushWriter = Pick<Implementation<typeof Pushes>, PushWriteMethod>;
export type PushReader = Pick<Implementation<typeof Pushes>, PushReadMethod>;
