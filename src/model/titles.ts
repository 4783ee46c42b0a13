/**
 * Titles of findings that come of no rule, by their ids: what was not looked at, and notes. Rules
 * and sinks have their own.
 */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['ast-hunks-only', 'File was checked for injection by its changed lines only'],
  ['ast-program-partial', 'Flows into other files were followed in part'],
  ['ast-unparsed', 'Code was not checked for injection'],
  ['baseline-adopted', 'Repository was seen for the first time'],
  ['binary-file', 'Binary file was not looked at'],
  ['commit-rejected', 'Commit was rejected in another RFC'],
  ['config-known', 'Resources that were weak before the change'],
  ['config-unread', 'Configuration file could not be read'],
  ['diff-context-unread', 'Lines around the change were not read'],
  ['diff-too-large', 'Diff is too large'],
  ['diff-unavailable', 'Diff could not be made'],
  ['diff-unreadable', 'Part of the diff could not be read'],
  ['findings-overflow', 'More findings than are listed'],
  ['gate-pending', 'Gate has not run yet'],
  ['generated-mark-added', 'Change marks files as generated'],
  ['history-unscanned', 'Commits of this push were not all searched for secrets'],
  ['llm-held', 'Models gave no valid answer to a part of the change'],
  ['llm-unlocated', 'Answer of the model has entries that are not findings'],
  ['llm-unreviewed', 'Change is larger than one review'],
  ['marker-added', 'Change adds markers that suppress findings'],
  ['marker-invalid', 'Marker suppresses nothing'],
  ['marker-used', 'Markers in the code suppress findings'],
  ['no-changes', 'Change is empty'],
  ['other-host', 'Commit lies on another host'],
  ['outside-diff', 'Content that the diff does not show'],
  ['risk-undecoded', 'Encoded text was not all searched'],
  ['risk-unscanned', 'Part of the diff was not searched'],
  ['rules-empty', 'Rules in force leave out a whole list'],
  ['rules-weaker', 'Rules in force may lower vulnerabilities and private keys'],
  ['scan-crashed', 'Analysis of the change did not end'],
]);

/** The title of a finding that comes of no rule; null: its rule has one. */
export function titleOfId(id: string): string | null {
  return TITLES.get(id) ?? null;
}
