import { unlessNotFound } from '../model/errors.ts';
import { type Finding, severityRank } from '../model/finding.ts';
import { SEARCH, SEEN } from '../model/limits.ts';
import { type RfcRecord, type RfcSummary, viewedRecord } from '../model/records.ts';
import { findingText, wordTexts } from '../model/search.ts';
import type { ListSearch, RecordStore } from '../store/contract/records.ts';

/** What the repository knows of a finding from its other changes. */
export interface SeenBefore {
  fingerprint: string;
  /** Whether the change before it of the branch has it not; null: that is not known. */
  is_new: boolean | null;
  /** Earlier changes of the repository that hold it, the newest first. */
  before: Pick<RfcSummary, 'rfc_id' | 'overall_status' | 'created_at' | 'override'>[];
  /** Whether there are more than these. */
  more: boolean;
}

/** The change of a branch before another one, and what it had that is gone. */
export interface Previous
  extends Pick<RfcSummary, 'rfc_id' | 'overall_status' | 'created_at' | 'commit_sha'> {
  /** Findings that count there and that the other one has not: the worst SEARCH.FINDINGS_MAX. */
  gone: ({ title: string } & Pick<Finding, 'finding_id' | 'id' | 'severity' | 'file' | 'line'>)[];
  gone_total: number;
}

/**
 * Where the findings of an RFC stood before in its repository: by the index of searches, so that
 * findings of records from before it are not known. Of the worst SEARCH.FINDINGS_MAX. `previous`:
 * the change of its branch before it; null when no such change is known.
 */
export async function seenBefore(
  store: Pick<RecordStore, 'listRfcs' | 'getRfc'>,
  record: RfcRecord,
): Promise<{ findings: SeenBefore[]; previous: Previous | null }> {
  const { tenant_id, rfc_id, repo_name: repo, branch, created_at } = record;

  async function earlier(texts: string[]): Promise<RfcSummary[]> {
    const search: ListSearch = {
      texts,
      until: created_at,
      since: null,
      examined: SEARCH.EXAMINED_MAX,
    };
    const asked = { tenant_id, status: null, repo, search, limit: SEEN.CHANGES_MAX, cursor: null };
    const { json } = await store.listRfcs(asked);
    return (JSON.parse(json) as RfcSummary[])
      .filter((row) => row.rfc_id !== rfc_id)
      .sort((one, other) => (one.created_at < other.created_at ? 1 : -1));
  }

  const ofBranch = (await earlier(wordTexts(branch))).filter((row) => row.branch === branch);
  const [newest] = ofBranch;
  const view =
    newest && (await store.getRfc({ tenant_id, rfc_id: newest.rfc_id }).catch(unlessNotFound));
  const before = view ? viewedRecord(view) : null;
  const known = new Set(before === null ? [] : findingsOf(before).map(fingerprintOf));
  const fingerprints = new Set(
    findingsOf(record).filter(isOpen).sort(worstFirst).map(fingerprintOf),
  );
  const findings = await Promise.all(
    [...fingerprints].slice(0, SEARCH.FINDINGS_MAX).map(async (fingerprint) => {
      const rows = await earlier([findingText(fingerprint)]);
      return {
        fingerprint,
        is_new: before === null ? null : !known.has(fingerprint),
        before: rows.map(({ rfc_id, overall_status, created_at, override }) => ({
          rfc_id,
          overall_status,
          created_at,
          override,
        })),
        more: rows.length >= SEEN.CHANGES_MAX - 1,
      };
    }),
  );
  return { findings, previous: before && previousOf(before, record) };
}

function previousOf(before: RfcRecord, record: RfcRecord): Previous {
  const { rfc_id, overall_status, created_at, commit_sha } = before;
  const now = new Set(findingsOf(record).map(fingerprintOf));
  const gone = findingsOf(before)
    .filter((finding) => isOpen(finding) && !now.has(finding.fingerprint))
    .sort(worstFirst);
  return {
    rfc_id,
    overall_status,
    created_at,
    commit_sha,
    gone: gone
      .slice(0, SEARCH.FINDINGS_MAX)
      .map(({ finding_id, id, message, title = message, severity, file, line }) => ({
        finding_id,
        id,
        title,
        severity,
        file,
        line,
      })),
    gone_total: gone.length,
  };
}

function findingsOf({ gates: { risk, ast, llm } }: RfcRecord): Finding[] {
  return [...risk.findings, ...ast.findings, ...llm.findings];
}

function isOpen({ suppressed }: Finding): boolean {
  return suppressed === null;
}

function fingerprintOf({ fingerprint }: Finding): string {
  return fingerprint;
}

function worstFirst(one: Finding, other: Finding): number {
  return severityRank(one.severity) - severityRank(other.severity);
}
