const SECOND_MS = 1000;

/** Pushes: webhooks, their queue, the statuses that are posted. */
export const PUSHES = {
  /**
   * How long a webhook waits for a store that is down or slow, then 503. Gitea and Forgejo wait 5 s
   * for an answer (DELIVER_TIMEOUT), GitHub, GitLab and Bitbucket 10 s; a push is kept even where
   * the host did not wait.
   */
  STORE_WAIT_MS: 4.5 * SECOND_MS,
  STORE_RETRY_MS: 250,
  /** Open pushes of the store; above it webhooks are refused and their repositories swept later. */
  OPEN_MAX: 2_000_000,
  /** Share of that at which the status alarms. */
  OPEN_ALARM: 0.7,
  /** A verdict that is younger is not made again because somebody asks the host for it. */
  RECHECK_AFTER_MS: 60 * SECOND_MS,
  /** Revoked heads, and heads that depend on one, that one step reads. */
  FALLEN_PAGE: 100,
  /** How long a revoked head is kept: verdicts that were under way are written by then. */
  FALLEN_SETTLES_MS: 60 * SECOND_MS,
  DEPTH_INTERVAL_MS: 10 * SECOND_MS,
  /**
   * The lease of a claimed push, which its daemon renews: so long after a kill -9 another one takes
   * over. Four renewals fit into it, so a fail-over of the store or a pause of 30 s ends no lease.
   */
  LEASE_MS: 45 * SECOND_MS,
  RENEW_INTERVAL_MS: 10 * SECOND_MS,
  /** The rest of the lease of a push whose job failed with the store or a thread. */
  FAILED_LEASE_MS: 5 * SECOND_MS,
  /** Pushes judged at the same time, for each scan thread: one is read while one is scanned. */
  RUNNING_PER_THREAD: 2,
  /** The pause after a claim that found no push: each claim walks over the leased pushes. */
  EMPTY_CLAIM_PAUSE_MS: 20,
  /** Claimed pushes: most of them wait for their hosts, of which some are slow. */
  IN_HAND_MAX: 64,
  /** A commit that the host does not show yet is asked for again after so long. */
  RETRY_MS: [1_000, 2_000, 4_000, 15_000],
  /** A head that no webhook has announced is taken up not sooner than this. */
  HEAD_GRACE_MS: 5 * SECOND_MS,
  /** How often an idle daemon looks for pushes that other daemons left. */
  POLL_INTERVAL_MS: 5 * SECOND_MS,
  /** Newest commits of a range whose earlier pushers are looked up, and at once. */
  CONTRIBUTED_COMMITS_MAX: 1_000,
  CONTRIBUTED_AT_ONCE: 20,
  /** E-mail addresses that an RFC keeps of who contributed to its range. */
  CONTRIBUTORS_MAX: 1_000,
  SWEEP_INTERVAL_SECONDS_DEFAULT: 300,
  /** Repositories that one page of a sweep reads, and looks at at the same time. */
  SWEEP_PAGE: 100,
  SWEEP_PARALLEL: 4,
  /** Refs of one repository that a sweep compares. */
  SWEEP_REFS_MAX: 10_000,
  /** Pull requests that are noted once their pushes have verdicts. */
  PULL_NOTES_MAX: 10_000,
  /** Repositories that are swept soon, as their webhooks were refused; the others in turn. */
  REFUSED_REPOS_MAX: 10_000,
} as const;

/** Looks for pull requests of forks whose events were lost. */
export const PULL_SWEEP = {
  CALL_DEADLINE_MS: 20 * SECOND_MS,
  /** Calls of one host at once, and how many more a minute; calls for statuses are beside them. */
  BURST_MAX: 5,
  REFILL_PER_MINUTE: 20,
  /** Else the first round would take up each pull request that was left open years ago. */
  CHANGED_WITHIN_MS: 30 * 24 * 3_600 * SECOND_MS,
  /** Failures in a row that end a round. */
  FAILURES_MAX: 3,
  /** Repositories of a host whose lists are known to be the same by their ETag. */
  ETAGS_MAX: 10_000,
} as const;

/** Checks whether repositories are covered by the gate. */
export const COVERAGE = {
  CALL_DEADLINE_MS: 20 * SECOND_MS,
  /** Calls of one host at once, and how many more a minute: GitHub allows 5,000 an hour. */
  BURST_MAX: 10,
  REFILL_PER_MINUTE: 40,
  /** Repositories of one host. */
  REPOSITORIES_MAX: 10_000,
  /** From the end of a round to the next one: so many times as long as the round took. */
  RESTS_PER_ROUND: 4,
  INTERVAL_MS_MIN: 600 * SECOND_MS,
  INTERVAL_MS_MAX: 6 * 3_600 * SECOND_MS,
  /** After a failure; longer where the host asks for it. */
  RETRY_MS: 60 * SECOND_MS,
  /** A repository of which the host fails so often is not known in this round. */
  TRIES_MAX: 20,
  /** A round is kept so often; what was found since is asked for again after a crash. */
  SAVE_INTERVAL_MS: 10 * SECOND_MS,
} as const;

/** Commit statuses at the Git hosts. */
export const COMMIT_STATUS = {
  /** One call of a host's API, its answer included. */
  POST_DEADLINE_MS: 10 * SECOND_MS,
  /** Statuses of components that one push has at its commit, beside that of the whole. */
  COMPONENTS_MAX: 20,
  /** Calls of one host that are under way at once. */
  PARALLEL_MAX: 4,
  /** Calls of one host at once, and how many more a minute: in no minute more than their sum. */
  BURST_MAX: 30,
  REFILL_PER_MINUTE: 120,
  /** A round begins when it may make so many calls, and reads so many records to choose from. */
  ROUND_CALLS_MIN: 10,
  ROUND_RECORDS_MAX: 20,
  /** Records read longer ago than this are read again before they are posted. */
  ROUND_MS: 2 * SECOND_MS,
  /** A status that is not taken is tried again after as long as it has waited, between these. */
  RETRY_MS_MIN: 1 * SECOND_MS,
  RETRY_MS_MAX: 60 * SECOND_MS,
  /** After that time only now and then, and in the end not at all. */
  RETRY_SOON_FOR_MS: 10 * 60 * SECOND_MS,
  RETRY_LATE_MS: 10 * 60 * SECOND_MS,
  RETRY_FOR_MS: 3 * 24 * 3_600 * SECOND_MS,
  /** A status that somebody else overwrites is set again so often for one RFC. */
  RESETS_MAX: 3,
  /** Statuses of one host that are read a minute, to see whether they were overwritten. */
  READS_PER_MINUTE: 20,
  REPORTS_WAITING_MAX: 1_000,
  /** A report about a status that is being posted is looked at again after so long. */
  REPORT_RETRY_MS: [2 * SECOND_MS, 10 * SECOND_MS, 60 * SECOND_MS],
  /** At a stop: calls under way get this long. */
  STOP_MS: 3 * SECOND_MS,
} as const;
