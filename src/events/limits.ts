const SECOND_MS = 1_000;

/** Events and their deliveries. */
export const EVENTS = {
  SUBSCRIPTIONS_MAX: 20,
  /** Standard Webhooks: a key of 24 to 64 bytes. */
  SECRET_BYTES_MIN: 24,
  /** One delivery, its answer included. */
  DELIVERY_MS: 10 * SECOND_MS,
  /** Of an answer; the rest is not read. */
  ANSWER_BYTES_MAX: 64 * 1024,
  /** Deliveries of one subscription at once, each of another subject. */
  PARALLEL_MAX: 4,
  CLAIM_MAX: 64,
  /** How long a daemon has a subscription for itself; it begins no delivery in the last third. */
  LEASE_MS: 60 * SECOND_MS,
  /** How often an idle subscription is looked at. */
  POLL_INTERVAL_MS: 2 * SECOND_MS,
  /** An event that failed is tried again after 5, 10, 20 ... 3,600 s, for a day. */
  RETRY_MS_MIN: 5 * SECOND_MS,
  RETRY_MS_MAX: 3_600 * SECOND_MS,
  GIVE_UP_MS: 24 * 3_600 * SECOND_MS,
  /** So many failures in a row, and the receiver is left alone for 1, 2, 4 ... 60 s. */
  FAILURES_MAX: 3,
  PAUSE_MS_MIN: 1 * SECOND_MS,
  PAUSE_MS_MAX: 60 * SECOND_MS,
  /** The longest `Retry-After` that is kept. */
  RETRY_AFTER_MS_MAX: 3_600 * SECOND_MS,
  /** Deliveries that are under way get this long at a stop. */
  STOP_MS: 3 * SECOND_MS,
  DEPTH_INTERVAL_MS: 10 * SECOND_MS,
} as const;
