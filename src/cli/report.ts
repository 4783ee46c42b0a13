import type { AnalyzeAnswer } from '../model/answer.ts';
import {
  type Finding,
  type FlowStep,
  headlineOf,
  SEVERITIES,
  type Severity,
} from '../model/finding.ts';
import type { GateResult, RfcStatus, ScoreParts } from '../model/rfc.ts';
import { exitCode } from './answer.ts';
import type { RequestedComponent } from './own-components.ts';
import { CLI, type Colour, type Paint, printable } from './terminal.ts';

/** What the report shows beside the answer itself. */
interface ReportContext {
  score: ScoreParts | null;
  /** Where the RFC is kept; null when it is kept nowhere. */
  server: string | null;
  /** Only its findings are shown; null or absent: all are. */
  component?: RequestedComponent | null;
}

const SEVERITY_COLOUR = {
  critical: 'red',
  high: 'red',
  medium: 'yellow',
  low: 'cyan',
  info: 'dim',
} as const satisfies Record<Severity, Colour>;

/**
 * An answer for people: verdict, score, gates, then the findings by file. Everything that comes
 * from the change or from a server is made printable.
 */
export function formatReport(
  answer: AnalyzeAnswer,
  { score, server, component = null }: ReportContext,
  paint: Paint,
): string {
  const { risk, ast, llm } = answer.gates;
  const all = [risk, ast, llm].flatMap((gate) => gate.findings);
  const findings = all.filter(({ file }) => component?.owns(file) !== false);
  const lines = [
    headline(answer, paint),
    ...(score === null ? [] : [`  why    ${score.factors.map(printable).join('; ')}`]),
    `  gates  ${gateText('risk', risk)}, ${gateText('ast', ast)}, ${gateText('llm', llm)}`,
  ];
  lines.push(...componentLines(answer));
  if (component !== null) {
    lines.push(askedLine(answer, component, all.length - findings.length));
  }
  if (server !== null) lines.push(`  rfc    ${printable(answer.rfc_id)} at ${printable(server)}`);
  if (answer.overall_status === 'DRAFT') {
    lines.push('  The analysis goes on in the service; --wait waits for its end.');
  }
  for (const [file, own] of byFile(findings)) {
    lines.push('', paint('bold', file === null ? '(the change as a whole)' : printable(file)));
    for (const finding of own) lines.push(...findingLines(finding, paint));
  }
  lines.push(...stepLines(answer, paint));
  return `${lines.join('\n')}\n`;
}

function headline(answer: AnalyzeAnswer, paint: Paint): string {
  const { overall_status: status, risk_score: score, stats } = answer;
  const { files, additions, deletions } = stats;
  const size = `${files} ${files === 1 ? 'file' : 'files'}, +${additions} -${deletions}`;
  return `${paint('bold', paint(statusColour(status), status))}  risk ${score}/100  (${size})`;
}

function statusColour(status: RfcStatus): Colour {
  return ({ 0: 'green', 1: 'red', 2: 'yellow' } as const)[exitCode(status)];
}

/** Components that do not pass come first. */
function componentLines({ components = [] }: AnalyzeAnswer): string[] {
  const sorted = [...components].sort((a, b) => exitCode(b.status) - exitCode(a.status));
  const shown = sorted.slice(0, CLI.LISTED_MAX).map(({ id, status }) => `${id} ${status}`);
  const left = sorted.length - shown.length;
  const more = left === 0 ? '' : `, and ${left} more`;
  return shown.length === 0 ? [] : [`  components  ${printable(shown.join(', '))}${more}`];
}

function askedLine(
  { components = [] }: AnalyzeAnswer,
  { id }: RequestedComponent,
  leftOut: number,
): string {
  const own = components.find((one) => one.id === id);
  const what = own?.status ?? 'the change does not touch it';
  const count = `${leftOut} ${leftOut === 1 ? 'finding' : 'findings'} of other components`;
  return `  asked for  ${printable(id)}: ${what}${leftOut === 0 ? '' : ` (${count} not shown)`}`;
}

function gateText(name: string, { status, findings, skip_reason: reason }: GateResult): string {
  const why = reason === null ? '' : ` (${reason})`;
  const { length } = findings;
  const count = length === 0 ? '' : ` (${length} ${length === 1 ? 'finding' : 'findings'})`;
  return printable(`${name} ${status}${why}${count}`);
}

/** Findings by file, files in the order of their worst finding, what has no file first. */
function byFile(findings: readonly Finding[]): [string | null, Finding[]][] {
  const files = new Map<string | null, Finding[]>([[null, []]]);
  for (const finding of [...findings].sort((a, b) => rank(a) - rank(b))) {
    const own = files.get(finding.file);
    if (own === undefined) files.set(finding.file, [finding]);
    else own.push(finding);
  }
  return [...files].filter(([, own]) => own.length > 0);
}

/** A severity that a newer server may know comes last. */
function rank({ severity }: Finding): number {
  const found = SEVERITIES.indexOf(severity);
  return found < 0 ? SEVERITIES.length : found;
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const { severity, suppressed, excerpt, fix, cwe, message, flow = [] } = finding;
  const level = paint(SEVERITY_COLOUR[severity] ?? 'bold', printable(severity).padEnd(8));
  const rule = printable(cwe === null ? finding.id : `${finding.id} (${cwe})`);
  const headline = headlineOf(finding);
  const lines = [`  ${place(finding).padEnd(9)} ${level} ${rule}: ${printable(headline)}`];
  if (message !== headline) lines.push(`${INDENT}${printable(message)}`);
  if (excerpt !== null) lines.push(paint('dim', `${INDENT}| ${printable(excerpt)}`));
  for (const step of flow) lines.push(`${INDENT}${stepLine(step, finding.file)}`);
  if (fix !== null) lines.push(`${INDENT}fix: ${printable(fix)}`);
  if (suppressed !== null) {
    const { by, reason } = suppressed;
    lines.push(`${INDENT}suppressed by ${printable(by)}: ${printable(reason)}`);
  }
  return lines;
}

/** `line 3: request parameter `dir``; with its file where that is another one. */
function stepLine({ file, line, what }: FlowStep, own: string | null): string {
  const place = line === null ? '' : `line ${line}`;
  const where = [file === own ? '' : file, place].filter((part) => part !== '').join(', ');
  return printable(where === '' ? what : `${where}: ${what}`);
}

function stepLines({ next_steps: steps = [] }: AnalyzeAnswer, paint: Paint): string[] {
  if (steps.length === 0) return [];
  const lines = ['', paint('bold', 'What you can do')];
  for (const { text, paste, url } of steps) {
    lines.push(`  - ${printable(text)}`);
    if (paste !== undefined) lines.push(`      ${printable(paste)}`);
    if (url !== undefined) lines.push(`      ${printable(url)}`);
  }
  return lines;
}

const INDENT = ' '.repeat(12);

function place({ line, column }: Finding): string {
  if (line === null) return '-';
  return column === null ? String(line) : `${line}:${column}`;
}
