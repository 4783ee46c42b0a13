/** What the process with the calls beside a storm and its parent say to each other. */

export interface BesidePlan {
  port: number;
  /** Of `rfc/<id>` and `prod-check/<repo>`. */
  rfcIds: readonly string[];
  repos: readonly string[];
  analyzeBodies: readonly string[];
  readsPerSecond: number;
  analyzesPerSecond: number;
}

export interface BesideResult {
  seconds: number;
  reads: { count: number; p50Ms: number; p99Ms: number };
  analyzes: { count: number; p50Ms: number; p99Ms: number };
  statuses: Record<string, number>;
}
