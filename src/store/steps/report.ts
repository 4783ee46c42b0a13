import { CraError } from '../../model/errors.ts';
import type { KeptReport, ReportName } from '../../model/reports.ts';
import { REPORT_STORE, STORE } from '../limits.ts';

/** Bytes of a report as they count against the bounds. */
export function reportBytes({ sealed }: KeptReport): number {
  return sealed.chunks.reduce((sum, { length }) => sum + length, 0);
}

/** As both stores write it. */
export function reportText(report: KeptReport): string {
  const { chunks, bytes } = report.sealed;
  const texts = chunks.map((chunk) => Buffer.from(chunk).toString('base64'));
  return JSON.stringify({ ...report, sealed: { bytes, chunks: texts } });
}

/** What `reportText` was given; DATA_LOSS when that can't be. */
export function keptReport(json: string): KeptReport {
  try {
    const { sealed, ...report } = JSON.parse(json) as Omit<KeptReport, 'sealed'> & {
      sealed: { bytes: number; chunks: string[] };
    };
    const chunks = sealed.chunks.map((text) => new Uint8Array(Buffer.from(text, 'base64')));
    return { ...report, sealed: { bytes: sealed.bytes, chunks } };
  } catch (thrown) {
    throw new CraError('DATA_LOSS', 'a stored report is damaged', { cause: thrown });
  }
}

/**
 * RESOURCE_EXHAUSTED where reports have no room beside the known ones of their change; a
 * report replaces that of its tool. `total`: bytes of all reports of the tenant.
 */
export function checkRoom(
  known: readonly ReportName[],
  reports: readonly KeptReport[],
  total: number,
): void {
  const tools = new Set(reports.map(({ tool }) => tool));
  const kept = known.filter(({ tool }) => !tools.has(tool));
  const sum = (some: readonly number[]) => some.reduce((all, bytes) => all + bytes, 0);
  const keptBytes = sum(kept.map(({ bytes }) => bytes));
  const knownBytes = sum(known.map(({ bytes }) => bytes));
  const added = sum(reports.map(reportBytes));
  const { REPORT_BYTES_MAX, SUBJECT_BYTES_MAX, TENANT_BYTES_MAX, TOOLS_MAX } = REPORT_STORE;
  if (kept.length + tools.size > TOOLS_MAX) {
    throw full(`the change has reports of more than ${TOOLS_MAX} tools`);
  }
  if (reports.some((one) => reportBytes(one) > REPORT_BYTES_MAX)) {
    throw full(`the report has more than ${REPORT_BYTES_MAX} bytes when it is compressed`);
  }
  if (keptBytes + added > SUBJECT_BYTES_MAX) {
    throw full(`the reports of the change have more than ${SUBJECT_BYTES_MAX} bytes together`);
  }
  if (total - knownBytes + keptBytes + added > TENANT_BYTES_MAX) {
    const days = STORE.RETENTION_DAYS;
    throw full(
      `the reports of the last ${days} days have ${TENANT_BYTES_MAX} bytes: none is added`,
    );
  }
}

/** The newest RFCs of a commit, of a list with one more than an answer names. */
export function commitRfcs(found: readonly string[]): { rfc_ids: string[]; has_more: boolean } {
  const { RFCS_MAX } = REPORT_STORE;
  return { rfc_ids: found.slice(0, RFCS_MAX), has_more: found.length > RFCS_MAX };
}

function full(why: string): CraError {
  return new CraError('RESOURCE_EXHAUSTED', why);
}
