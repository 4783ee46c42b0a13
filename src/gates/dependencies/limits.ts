const MEBI = 1024 * 1024;

/** Lockfiles of one change. */
export const DEPENDENCIES = {
  /** Files that are compared. */
  FILES_MAX: 100,
  /** Both versions of all of them. */
  CHARS_MAX: 32 * MEBI,
  /** Packages that manifests start to ask for; in more, names are not compared. */
  ASKED_MAX: 1_000,
  /** Lockfiles of tools that are not read, of which each is named. */
  UNREAD_MAX: 20,
  /** Findings of one file; that there are more is a finding. */
  FINDINGS_MAX: 200,
  /** Longer than an excerpt that is shown: it is cut later, when its secrets are hidden. */
  EXCERPT_CHARS_MAX: 512,
} as const;
