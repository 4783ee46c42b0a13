import { componentPaths } from '../../gates/patterns/component-paths.ts';
import type { Annotation, CheckReport, ReportPlace } from '../../hosts/host.ts';
import { codeSpan, cutText } from '../../hosts/markdown.ts';
import { type FindingsSetting, HOSTS } from '../../hosts/settings.ts';
import { type Component, componentMap, isPassing } from '../../model/components.ts';
import type { DependencyChange } from '../../model/dependencies.ts';
import { type Finding, lineInResult, type Severity, severityRank } from '../../model/finding.ts';
import { helpUrl, type RfcRecord } from '../../model/records.ts';
import { awaitedSentence } from '../../model/reports.ts';
import type { RfcStatus } from '../../model/rfc.ts';

/**
 * What a host shows of the findings of a record: findings that count in the verdict, worst first,
 * without excerpts. A draft shows nothing: its findings are not all there yet.
 */
export function reportOf(
  record: RfcRecord,
  setting: FindingsSetting,
  { annotationsMax, url, baseUrl, rejectedBy = null, components = [], freezes = [] }: ReportTarget,
): CheckReport {
  const { gates, overall_status, risk_score } = record;
  if (overall_status === 'DRAFT') {
    const awaited = awaitedSentence(record);
    const summary =
      awaited === null
        ? 'The analysis has not ended.'
        : `The gates have run. The verdict waits for ${awaited} about this commit (\`cra report --repo --commit\`).`;
    return { summary, annotations: [], isQuiet: true };
  }
  const counted = [gates.risk, gates.ast, gates.llm]
    .flatMap(({ findings }) => findings)
    .filter(({ suppressed }) => suppressed === null)
    .sort((one, other) => severityRank(one.severity) - severityRank(other.severity));
  const isShown = shownFindings(record, setting, components);
  const shown = counted.filter((finding) => isShown(finding, 'summary'));
  const placed = shown.filter((finding) => isShown(finding, 'lines')).flatMap(annotationOf);
  const annotations = placed.slice(0, annotationsMax);
  const listed = shown.slice(0, HOSTS.SUMMARY_FINDINGS_MAX);
  const paragraphs = [
    `**${overall_status}**, risk score ${risk_score} of 100. ${NEXT_STEPS[overall_status] ?? ''}`,
    listed.map((finding) => lineOf(finding, baseUrl)).join('\n'),
    leftOut({ shown, listed, counted, unplaced: placed.length - annotations.length }),
    dependenciesOf(record),
    rejectedBy === null ? '' : `A person rejected the commit in ${rejectedBy}.`,
    freezes.map((freeze) => `- ${codeSpan(cutText(freeze, FREEZE_CHARS_MAX))}`).join('\n'),
    `[Open ${record.rfc_id}](${url})`,
  ];
  const isClean = shown.length === 0 && isPassing(overall_status) && rejectedBy === null;
  const isQuiet = setting.always !== true && isClean;
  return { summary: paragraphs.filter(Boolean).join('\n\n'), annotations, isQuiet };
}

/** Names and reason of a freeze are of any length. */
const FREEZE_CHARS_MAX = 600;

interface ReportTarget extends Pick<ReportPlace, 'annotationsMax'> {
  /** Of the RFC. */
  url: string;
  /** Of the service, whose handbook explains each finding. */
  baseUrl: string;
  /** The RFC whose rejection of the commit stands; absent or null: nobody rejected it. */
  rejectedBy?: string | null;
  /** Of the rules in force. Absent: the settings of the host count. */
  components?: readonly Component[];
  /** Freezes that hold deploys of the repository, in sentences. */
  freezes?: readonly string[];
}

/**
 * Tells whether a finding is shown, or shown at its lines, too. The setting of a component counts
 * for its findings in place of that of the host; of several components the most open setting
 * counts.
 */
function shownFindings(
  record: RfcRecord,
  host: FindingsSetting,
  components: readonly Component[],
): (finding: Finding, where: FindingsSetting['show']) => boolean {
  const usual: Shown = { findings: host.show, findings_severity: host.leastSeverity };
  const map = componentMap({ components }, record.repo_name);
  const listed = new Set(record.components?.map(({ id }) => id));
  const own = map?.components.filter(({ id }) => listed.has(id)) ?? [];
  if (map === null || !own.some((one) => one.findings ?? one.findings_severity)) {
    return (finding, where) => shows(usual, finding, where);
  }
  const paths = componentPaths(map);
  return (finding, where) => {
    const owners = finding.file === null ? listed : paths.ownersOf(finding.file);
    const settings = own.filter(({ id }) => owners.has(id)).map((one) => ({ ...usual, ...one }));
    return (settings.length === 0 ? [usual] : settings).some((one) => shows(one, finding, where));
  };
}

function shows(
  { findings, findings_severity }: Shown,
  { severity }: Finding,
  where: FindingsSetting['show'],
): boolean {
  if (findings !== where && findings !== 'lines') return false;
  return severityRank(severity) <= severityRank(findings_severity);
}

type Shown = Required<Pick<Component, 'findings' | 'findings_severity'>>;

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
function lineOf(finding: Finding, baseUrl: string): string {
  const { severity, file, line, commit } = finding;
  const help = ` ([help](${helpUrl(baseUrl, finding.id)}))`;
  const title = codeSpan(cutText(titleOf(finding), HOSTS.ANNOTATION_TITLE_CHARS_MAX));
  if (file === null) return `- **${severity}** ${title}${help}`;
  const path = cutText(file, HOSTS.ANNOTATION_TITLE_CHARS_MAX);
  const place = codeSpan(line === null ? path : `${path}:${line}`);
  const where = commit === undefined ? place : `${place} of commit ${commit.slice(0, 12)}`;
  return `- **${severity}** ${title} in ${where}${help}`;
}

/** Packages that the change adds, removes or brings in another version; empty: it has none. */
function dependenciesOf({ dependencies }: RfcRecord): string {
  if (!dependencies) return '';
  const { added, transitive = 0, removed, changed, packages } = dependencies;
  const total = added + removed + changed;
  if (total === 0) return '';
  const indirect = transitive > 0 ? ` (${transitive} that no manifest asks for)` : '';
  const listed = packages.slice(0, HOSTS.SUMMARY_PACKAGES_MAX).map(packageLine);
  const more = total - listed.length;
  const rest = more > 0 ? [`- ${more} more are in the RFC.`] : [];
  const counts = `**Dependencies**: ${added} added${indirect}, ${removed} removed, ${changed} changed.`;
  return [counts, '', ...listed, ...rest].join('\n');
}

function packageLine({ name, from, to, direct, required_by }: DependencyChange): string {
  const code = (text: string) => codeSpan(cutText(text, HOSTS.PACKAGE_CHARS_MAX));
  const step =
    from === null
      ? `${code(to ?? '')} is new`
      : to === null
        ? 'removed'
        : `${code(from)} to ${code(to)}`;
  const by = required_by === null ? '' : `, for ${code(required_by)}`;
  return `- ${code(name)} ${step}${direct ? '' : by}`;
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
  const others = counted.length - shown.length;
  const sentences = [
    more > 0 ? `${more} more are listed in the RFC.` : '',
    others > 0 ? `${others} other findings are in the RFC alone.` : '',
    unplaced > 0 ? `${unplaced} are not shown at their lines: the worst are.` : '',
  ];
  return sentences.filter(Boolean).join(' ');
}
