const KIB = 1024;
const MIB = 1024 * 1024;
const SECOND_MS = 1000;

/** The HTTP server. */
export const HTTP = {
  /** Bodies that are arriving or waiting, all together: what admission charges. */
  BODY_BUDGET_BYTES: 512 * MIB,
  /**
   * The same of bodies whose sender has proved nothing yet: a budget of their own. uWebSockets.js
   * may hand over a whole body of a fast connection before a pause holds: six of the largest.
   */
  UNPROVEN_BUDGET_BYTES: 256 * MIB,
  /** An unproven body above this goes on to disk; all of them together take so much of it. */
  UNPROVEN_IN_MEMORY_BYTES_MAX: 256 * KIB,
  SPOOL_BUDGET_BYTES: 4096 * MIB,
  /** Bytes of one spooled body that wait for the disk; above it the connection is paused. */
  SPOOL_WAITING_BYTES_MAX: 512 * KIB,
  /** Bodies of one address that go to disk at once; the others wait, unread. */
  SPOOLING_PER_ADDRESS_MAX: 6,
  /** Spooled bodies that are in memory at once, as their senders have proved who they are. */
  SPOOLED_IN_MEMORY_MAX: 3,
  /** Unproven bytes of one address: thirty of GitHub's largest payloads (25 MB). */
  UNPROVEN_BYTES_PER_ADDRESS_MAX: 768 * MIB,
  /**
   * Unproven bodies of one address. A byte holds a whole chunk of memory: without it, one address
   * could spend the budget of all by 1,536 connections with a byte each.
   */
  UNPROVEN_BODIES_PER_ADDRESS_MAX: 64,
  /** A valid signature lifts both for its address. */
  PROVEN_ADDRESS_MS: 3_600 * SECOND_MS,
  PROVEN_ADDRESSES_MAX: 10_000,
  /** Chunks of bodies that are kept for the next ones. */
  IDLE_CHUNK_BYTES_MAX: 32 * MIB,
  /** Request line and headers together; more is 431. */
  HEADER_BYTES_MAX: 32 * KIB,
  /** What uWebSockets.js itself accepts; above ours, so that the refusal is in the envelope. */
  HEADER_BYTES_HARD_MAX: 64 * KIB,
  /**
   * uWebSockets.js closes connections below 16 KB/s without a word; ours is stricter, so that the
   * client gets an answer. A body must bring this much every BODY_RATE_WINDOW_MS, else 408.
   */
  BODY_RATE_BYTES_MIN: 96 * KIB,
  BODY_RATE_WINDOW_MS: 5 * SECOND_MS,
  BODY_DEADLINE_MS: 60 * SECOND_MS,
  BODY_CHECK_INTERVAL_MS: 1 * SECOND_MS,
  /** Requests that are there in full and being answered; more is 503. */
  IN_FLIGHT_MAX: 4096,
  /** Places of their own for health and dispatcher/status, and as many for decisions. */
  RESERVED_IN_FLIGHT_MAX: 512,
  /** Replies above this are written in steps as the client reads. */
  REPLY_STEP_BYTES: 64 * KIB,
  /** Longest `?wait=` of GET rfc/<id>. */
  WAIT_SECONDS_MAX: 60,
  /** At a stop: bodies that still arrive get this long, requests in all that long. */
  DRAIN_UPLOADS_MS: 5 * SECOND_MS,
  DRAIN_MS: 20 * SECOND_MS,
  RETRY_AFTER_SECONDS: 2,
} as const;
