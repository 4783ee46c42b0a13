import type { Annotation, CheckReport } from '../../hosts/host.ts';
import { type FindingsSetting, HOSTS } from '../../hosts/settings.ts';
import { type Finding, type Severity, severityRank } from '../../model/finding.ts';
import type { RfcRecord } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';

/**
 * What a host shows of the findings of a record: findings that count in the verdict, worst first,
 * without excerpts. A draft shows nothing: its findings are not all there yet.
 */
export function reportOf(
  record: RfcRecord,
  { show, leastSeverity }: FindingsSetting,
  url: string,
): CheckReport {
  const { gates, overall_status, risk_score } = record;
  if (overall_status === 'DRAFT')
    return { summary: 'The analysis has not ended.', annotations: [] };
  const counted = [gates.risk, gates.ast, gates.llm]
    .flatMap(({ findings }) => findings)
    .filter(({ suppressed }) => suppressed === null)
    .sort((one, other) => severityRank(one.severity) - severityRank(other.severity));
  const shown = counted.filter(
    ({ severity }) => severityRank(severity) <= severityRank(leastSeverity),
  );
  const annotations = show === 'lines' ? shown.flatMap(annotationOf) : [];
  const listed = shown.slice(0, HOSTS.SUMMARY_FINDINGS_MAX);
  const paragraphs = [
    `**${overall_status}**, risk score ${risk_score} of 100. ${NEXT_STEPS[overall_status] ?? ''}`,
    listed.map(lineOf).join('\n'),
    leftOut({ shown, listed, counted, annotations }),
    `[Open ${record.rfc_id}](${url})`,
  ];
  return { summary: paragraphs.filter(Boolean).join('\n\n'), annotations };
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

/** A finding about the whole change has no line, and one of a deleted line none in the new tree. */
function annotationOf(finding: Finding): Annotation[] {
  const { file, line, end_line, severity, message, fix } = finding;
  if (file === null || line === null) return [];
  const text = fix === null ? message : `${message}\n\nFix: ${fix}`;
  return [
    {
      path: file,
      startLine: line,
      endLine: Math.max(line, end_line ?? line),
      level: LEVELS[severity],
      title: cut(`${severity}: ${titleOf(finding)}`, HOSTS.ANNOTATION_TITLE_CHARS_MAX),
      message: cut(text, HOSTS.ANNOTATION_MESSAGE_CHARS_MAX),
    },
  ];
}

function lineOf(finding: Finding): string {
  const { severity, file, line } = finding;
  const place = file === null ? '' : ` in ${code(line === null ? file : `${file}:${line}`)}`;
  return `- **${severity}** ${code(titleOf(finding))}${place}`;
}

function titleOf({ title, id }: Finding): string {
  return title ?? id;
}

interface Counts {
  counted: readonly Finding[];
  shown: readonly Finding[];
  listed: readonly Finding[];
  annotations: readonly Annotation[];
}

function leftOut({ counted, shown, listed, annotations }: Counts): string {
  const more = shown.length - listed.length;
  const milder = counted.length - shown.length;
  const unannotated = Math.max(0, annotations.length - HOSTS.ANNOTATIONS_MAX);
  const sentences = [
    more > 0 ? `${more} more are listed in the RFC.` : '',
    milder > 0 ? `${milder} milder findings are in the RFC alone.` : '',
    unannotated > 0 ? `${unannotated} have no annotation: a check run gets the worst.` : '',
  ];
  return sentences.filter(Boolean).join(' ');
}

/**
 * A text of the change as a code span: hosts make no links, mentions, images or HTML of it.
 * https://spec.commonmark.org/0.31.2/#code-spans
 */
function code(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim() || ' ';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** By code points, so that no character is cut in half. */
function cut(text: string, charsMax: number): string {
  const chars = [...text];
  return chars.length <= charsMax ? text : `${chars.slice(0, charsMax - 1).join('')}…`;
}
