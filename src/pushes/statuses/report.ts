import type { Annotation, CheckReport, ReportPlace } from '../../hosts/host.ts';
import { codeSpan, cutText } from '../../hosts/markdown.ts';
import { type FindingsSetting, HOSTS } from '../../hosts/settings.ts';
import { isPassing } from '../../model/components.ts';
import { type Finding, lineInResult, type Severity, severityRank } from '../../model/finding.ts';
import type { RfcRecord } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';

/**
 * What a host shows of the findings of a record: findings that count in the verdict, worst first,
 * without excerpts. A draft shows nothing: its findings are not all there yet.
 */
export function reportOf(
  record: RfcRecord,
  { show, leastSeverity, always }: FindingsSetting,
  { annotationsMax, url, rejectedBy = null }: ReportTarget,
): CheckReport {
  const { gates, overall_status, risk_score } = record;
  if (overall_status === 'DRAFT')
    return { summary: 'The analysis has not ended.', annotations: [], isQuiet: true };
  const counted = [gates.risk, gates.ast, gates.llm]
    .flatMap(({ findings }) => findings)
    .filter(({ suppressed }) => suppressed === null)
    .sort((one, other) => severityRank(one.severity) - severityRank(other.severity));
  const shown = counted.filter(
    ({ severity }) => severityRank(severity) <= severityRank(leastSeverity),
  );
  const placed = show === 'lines' ? shown.flatMap(annotationOf) : [];
  const annotations = placed.slice(0, annotationsMax);
  const listed = shown.slice(0, HOSTS.SUMMARY_FINDINGS_MAX);
  const paragraphs = [
    `**${overall_status}**, risk score ${risk_score} of 100. ${NEXT_STEPS[overall_status] ?? ''}`,
    listed.map(lineOf).join('\n'),
    leftOut({ shown, listed, counted, unplaced: placed.length - annotations.length }),
    rejectedBy === null ? '' : `A person rejected the commit in ${rejectedBy}.`,
    `[Open ${record.rfc_id}](${url})`,
  ];
  const isClean = shown.length === 0 && isPassing(overall_status) && rejectedBy === null;
  const isQuiet = always !== true && isClean;
  return { summary: paragraphs.filter(Boolean).join('\n\n'), annotations, isQuiet };
}

interface ReportTarget extends Pick<ReportPlace, 'annotationsMax'> {
  /** Of the RFC. */
  url: string;
  /** The RFC whose rejection of the commit stands; absent or null: nobody rejected it. */
  rejectedBy?: string | null;
}

const NEXT_STEPS: Readonly<Partial<Record<RfcStatus, string>>> = {
  BLOCKED: 'Repair the findings and push again, or ask a person who may override the verdict.',
  REJECTED: 'A person rejected the change: push another one.',
  SUPERSEDED: 'A newer push replaces this one.',
};

const LEVELS: Readonly<Record<Severity, Annotation['level']>> = {
  critical: 'failure',
  high: 'failure',
  medium: 'warning',
  low: 'notice',
  info: 'notice',
};

/** Only lines of the result can be annotated: not the whole change, and no earlier commit. */
function annotationOf(finding: Finding): Annotation[] {
  const { file, end_line, severity, message, fix } = finding;
  const line = lineInResult(finding);
  if (file === null || line === null) return [];
  const text = fix === null ? message : `${message}\n\nFix: ${fix}`;
  return [
    {
      path: file,
      startLine: line,
      endLine: Math.max(line, end_line ?? line),
      level: LEVELS[severity],
      title: cutText(`${severity}: ${titleOf(finding)}`, HOSTS.ANNOTATION_TITLE_CHARS_MAX),
      message: cutText(text, HOSTS.ANNOTATION_MESSAGE_CHARS_MAX),
    },
  ];
}

/** Each is short, or the whole would be longer than hosts take. */
function lineOf(finding: Finding): string {
  const { severity, file, line, commit } = finding;
  const title = codeSpan(cutText(titleOf(finding), HOSTS.ANNOTATION_TITLE_CHARS_MAX));
  if (file === null) return `- **${severity}** ${title}`;
  const path = cutText(file, HOSTS.ANNOTATION_TITLE_CHARS_MAX);
  const place = codeSpan(line === null ? path : `${path}:${line}`);
  const where = commit === undefined ? place : `${place} of commit ${commit.slice(0, 12)}`;
  return `- **${severity}** ${title} in ${where}`;
}

function titleOf({ title, id }: Finding): string {
  return title ?? id;
}

interface Counts {
  counted: readonly Finding[];
  shown: readonly Finding[];
  listed: readonly Finding[];
  /** Findings with a line that are shown at none. */
  unplaced: number;
}

function leftOut({ counted, shown, listed, unplaced }: Counts): string {
  const more = shown.length - listed.length;
  const milder = counted.length - shown.length;
  const sentences = [
    more > 0 ? `${more} more are listed in the RFC.` : '',
    milder > 0 ? `${milder} milder findings are in the RFC alone.` : '',
    unplaced > 0 ? `${unplaced} are not shown at their lines: the worst are.` : '',
  ];
  return sentences.filter(Boolean).join(' ');
}
