/** Walks along the history of a repository. */
export const HEADS = {
  /** Commits that are looked through for an accepted one; behind them the search is given up. */
  ANCESTRY_MAX: 200_000,
  /** Webhooks that are followed back, each from the commit before it, to where a push began. */
  BEFORES_MAX: 1_000,
  /** The newest decisions of a repository that are compared with a blocked range. */
  CARRY_DECISIONS_MAX: 64,
  /** Pushes on top of a decided push that are compared with it. */
  CARRY_ON_TOP_MAX: 16,
  /** Commits of a first-parent line that are compared one by one. */
  CARRY_STEPS_MAX: 32,
  /** Judged heads behind a push among which a head is sought that accepts a component. */
  COMPONENT_HEADS_MAX: 64,
  /** Ranges of one push that are judged apart, as its components were accepted at other heads. */
  COMPONENT_RANGES_MAX: 16,
} as const;
