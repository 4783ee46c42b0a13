import { unlessNotFound } from '../model/errors.ts';
import type { Finding } from '../model/finding.ts';
import { SEARCH, SEEN } from '../model/limits.ts';
import { findingsOf, type RfcRecord, type RfcSummary, viewedRecord } from '../model/records.ts';
import { findingText, wordTexts } from '../model/search.ts';
import type { ListSearch, RecordStore } from '../store/contract/records.ts';
import { worstFirst } from '../verdict/verdict.ts';

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
  /**
   * Findings that count there and that the other one has not: the worst SEARCH.FINDINGS_MAX. None
   * while the other one has no verdict.
   */
  gone: ({ title: string } & Pick<Finding, 'finding_id' | 'id' | 'severity' | 'file' | 'line'>)[];
  gone_total: number;
}

/**
 * Where the findings of an RFC stood before in its repository: by the index of searches, so that
 * findings of records from before it are not known. Of the worst SEARCH.FINDINGS_MAX. `previous`:
 * the judged change of its branch before it; null when the newest SEEN.CHANGES_MAX of the branch
 * have no such change.
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

  async function newestJudged(): Promise<RfcRecord | null> {
    for (const row of await earlier(wordTexts(branch))) {
      if (row.branch !== branch || isOpen(row)) continue;
      const view = await store.getRfc({ tenant_id, rfc_id: row.rfc_id }).catch(unlessNotFound);
      const found = view ? viewedRecord(view) : null;
      if (found !== null && isJudged(found)) return found;
    }
    return null;
  }

  const before = await newestJudged();
  const known = new Set(before === null ? [] : findingsOf(before).map(fingerprintOf));
  const fingerprints = new Set(worstFirst(findingsOf(record).filter(counts)).map(fingerprintOf));
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
  const gone = isJudged(record)
    ? worstFirst(findingsOf(before).filter((one) => counts(one) && !now.has(one.fingerprint)))
    : [];
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

/** Whether gates gave it its verdict: some are refused or rejected before these run. */
function isJudged(record: RfcRecord): boolean {
  return !isOpen(record) && record.gates.risk.duration_ms !== null;
}

function isOpen({ overall_status }: Pick<RfcSummary, 'overall_status'>): boolean {
  return overall_status === 'DRAFT' || overall_status === 'SUPERSEDED';
}

function counts({ suppressed }: Finding): boolean {
  return suppressed === null;
}

function fingerprintOf({ fingerprint }: Finding): string {
  return fingerprint;
}
