import { severityRank } from '../model/finding.ts';
import { SEARCH, SEEN } from '../model/limits.ts';
import type { RfcRecord, RfcSummary } from '../model/records.ts';
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

/**
 * Where the findings of an RFC stood before in its repository: by the index of searches, so that
 * findings of records from before it are not known. Of the worst SEARCH.FINDINGS_MAX.
 */
export async function seenBefore(
  store: Pick<RecordStore, 'listRfcs'>,
  record: RfcRecord,
): Promise<SeenBefore[]> {
  const { tenant_id, rfc_id, repo_name: repo, branch, created_at, gates } = record;
  const open = [...gates.risk.findings, ...gates.ast.findings, ...gates.llm.findings]
    .filter(({ suppressed }) => suppressed === null)
    .sort((one, other) => severityRank(one.severity) - severityRank(other.severity));
  const fingerprints = [...new Set(open.map(({ fingerprint }) => fingerprint))];
  if (fingerprints.length === 0) return [];

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
  const [previous = null] = ofBranch;
  return await Promise.all(
    fingerprints.slice(0, SEARCH.FINDINGS_MAX).map(async (fingerprint) => {
      const rows = await earlier([findingText(fingerprint)]);
      const more = rows.length >= SEEN.CHANGES_MAX - 1;
      const isThere = rows.some((row) => row.rfc_id === previous?.rfc_id);
      return {
        fingerprint,
        is_new: previous === null || (more && !isThere) ? null : !isThere,
        before: rows.map(({ rfc_id, overall_status, created_at, override }) => ({
          rfc_id,
          overall_status,
          created_at,
          override,
        })),
        more,
      };
    }),
  );
}
