/** A linear fit over the size of a diff, in KiB. */
interface Fit {
  base: number;
  perKib: number;
}

/**
 * What `sizeOf` computes with. Measured values come from bench/results/size.md (`npm run bench
 * -- size`) unless another source stands beside; an assumption says so.
 */
export const COEFFICIENTS = {
  /** CPU of a push: daemon, AST children, git. */
  cpuMs: { base: 48, perKib: 22 } satisfies Fit,
  /** Records and their indexes, without diffs: a diff of a push is made from the mirror. */
  storeBytes: { base: 3_700, perKib: 220 } satisfies Fit,
  /** What a push adds to its mirror, which git has not packed yet. */
  mirrorBytes: { base: 2_600, perKib: 301 } satisfies Fit,
  /** Of an RFC in the archive, beside its reference in the store (bench/results/scale.md). */
  archiveBytes: 158,
  /** Sealed bytes of a diff, of its own (bench/results/scale.md). */
  sealed: 0.32,
  /**
   * Resident memory of all processes: 507 to 634 MiB with two threads and one push at a time, 717
   * MB under full load (bench/results/proof-memory.md).
   */
  memoryMib: { base: 240, perThread: 240 },
  /** System prompt, frame, and what line numbers add to the text: the length of renderPrompt. */
  promptBytes: { base: 4_192, perKib: 1_265 } satisfies Fit,
  /** Of code, by the vendors' counts: 3.2 to 3.8 (gates/review/prompt). */
  bytesPerToken: 3.5,
  /** Intent and outcome of a decision about one finding (docs/how-to/mongodb.md, measured). */
  decisionBytes: 1_900,
  /** Assumption: decisions a push, as in docs/how-to/mongodb.md. */
  decisions: 0.02,
  /** A payload, as in bench/results/storm.md. */
  webhookBytes: 32 * 1024,
  /** Assumption: pushes of a developer a day. */
  pushesPerDeveloper: 10,
  /** Assumption: the part of a day's pushes that comes in its busiest hour. */
  peakHour: 0.2,
  /** Assumption: how busy the cores may be in that hour, so that a burst waits little. */
  load: 0.5,
  coresMin: 2,
  /** Assumption: git writes a new pack before it removes the old one. */
  repack: 2,
  /** Below it the alert CraDiskFilling fires (systemd/monitoring/alerts.yml). */
  diskFree: 0.1,
  /** Assumption: an answer with receipts, files and a finding. */
  tokensOut: 400,
  /** Assumption: USD a million tokens. */
  usdIn: 3,
  usdOut: 15,
} as const;
