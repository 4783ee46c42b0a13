const MEBI = 1024 * 1024;

/** Reports of other tools (SARIF). */
export const REPORTS = {
  /** Of a report as it is sent, and unpacked where it is compressed. */
  BYTES_MAX: 32 * MEBI,
  /** Values of the JSON: maps, lists and members. */
  VALUES_MAX: 5_000_000,
  /** Lists and maps of the JSON within each other. */
  DEPTH_MAX: 1_000,
  /** Results of all runs. */
  RESULTS_MAX: 50_000,
  RUNS_MAX: 100,
  /** Findings that one report brings; that there are more is a finding. */
  FINDINGS_MAX: 1_000,
  /** Names of tools and rules. Characters. */
  NAME_CHARS_MAX: 80,
  /** Messages and help texts. Characters. */
  TEXT_CHARS_MAX: 1_000,
} as const;
