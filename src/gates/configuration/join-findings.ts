import { type GateFinding, severityRank } from '../../model/finding.ts';
import { DOCUMENT_TAG } from '../../rules/risk/paths.ts';
import type { CompiledRules } from '../patterns/compiled-rules.ts';
import { FETCH_RULE, GENERATE_RULE, SELF_RUNNING_RULE } from './command-checks.ts';
import { DocumentRules } from './document-rules.ts';
import type { SettledLines } from './report.ts';

/** Rules on lines that say less than the check of a whole document under the same id. */
const REPLACED: ReadonlySet<string> = new Set([
  'risk-alembic-drop',
  'risk-django-drop',
  'risk-gitlab-script-injection',
  'risk-install-download',
  'risk-install-script',
  'risk-js-migration-drop',
  'risk-liquibase-drop',
  'risk-rails-drop',
  'risk-schema-drop',
  'risk-sql-blocking-index',
  'risk-sql-column-drop',
  'risk-sql-constraints-off',
  'risk-sql-delete-all',
  'risk-sql-not-null',
  'risk-sql-rename',
  'risk-sql-row-security-off',
  'risk-sql-type-change',
  'risk-sql-update-all',
  'risk-workflow-branch-injection',
  'risk-workflow-script-injection',
]);

/** What was read of the documents of a change. */
export interface DocumentsRead {
  /** Paths of files that were read as whole documents, and no part of them was left out. */
  read: ReadonlySet<string>;
  /** By path: lines of which rules on documents say more than rules on lines. */
  settled: ReadonlyMap<string, readonly SettledLines[]>;
}

export const NOTHING_READ: DocumentsRead = { read: new Set(), settled: new Map() };

/**
 * Findings of rules on lines, and of checks of documents under the same ids. Of two on one
 * line the first stays, as severe as the graver, so that who accepted it has accepted it still.
 * What a rule on lines saw in a document that was `read` whole counts if the check saw it, too;
 * a rule that a rules file puts in the place of a built-in one counts by itself.
 */
export function joinFindings(
  ofLines: readonly GateFinding[],
  ofDocuments: readonly GateFinding[],
  { read, settled }: DocumentsRead,
  rules: CompiledRules,
): GateFinding[] {
  if (read.size + settled.size === 0 && ofDocuments.length === 0) return [...ofLines];
  const isReplaced = ({ id, line, file }: GateFinding) =>
    REPLACED.has(id) && line !== null && read.has(file ?? '') && isBuiltIn(rules, id);
  const saysMore = moreSaying(ofDocuments, rules);
  const joined: GateFinding[] = ofLines.filter((one) => {
    const isSaid = saysMore.some(({ ids, finding }) => {
      const isGrave = severityRank(finding.severity) <= severityRank(one.severity);
      return isGrave && ids.has(one.id) && overlap(finding, one);
    });
    if (isSaid || (isSettled(one, settled) && isBuiltIn(rules, one.id))) return false;
    if (!isReplaced(one)) return true;
    return ofDocuments.some((other) => other.id === one.id && overlap(other, one));
  });
  for (const one of ofDocuments) {
    const at = joined.findIndex((other) => other.id === one.id && overlap(other, one));
    const same = joined[at];
    if (same === undefined) joined.push(one);
    else if (severityRank(one.severity) < severityRank(same.severity)) {
      joined[at] = { ...same, severity: one.severity };
    }
  }
  const self = joined.filter(({ id }) => id === SELF_RUNNING_RULE || id === GENERATE_RULE);
  const isGraver = (one: GateFinding) =>
    one.id === FETCH_RULE && self.some((other) => overlap(other, one));
  return joined.filter((one) => !isGraver(one));
}

function isSettled({ id, file, line, end_line }: GateFinding, settled: DocumentsRead['settled']) {
  if (line === null || settled.size === 0) return false;
  return (settled.get(file ?? '') ?? []).some(({ first, last, ids }) => {
    return ids.has(id) && first <= line && (end_line ?? line) <= last;
  });
}

/** Findings of rules on documents, with the ids of rules on lines that say the same. */
function moreSaying(ofDocuments: readonly GateFinding[], rules: CompiledRules) {
  if (ofDocuments.length === 0) return [];
  const own = DocumentRules.of(rules);
  return ofDocuments.flatMap((finding) => {
    const ids = own.replacedBy(finding.id);
    return ids === undefined ? [] : [{ finding, ids }];
  });
}

function isBuiltIn({ byId }: CompiledRules, id: string): boolean {
  return byId.get(id)?.pattern.tags?.includes(DOCUMENT_TAG) ?? false;
}

function overlap(one: GateFinding, other: GateFinding): boolean {
  if (one.file !== other.file || one.line === null || other.line === null) return false;
  const isBefore = (one.end_line ?? one.line) < other.line;
  return !isBefore && (other.end_line ?? other.line) >= one.line;
}
