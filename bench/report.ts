import { describeMachine } from './ground/machine.ts';

export type Cell = string | number;

export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** What a benchmark or a proof found. */
export interface Report {
  title: string;
  /** Corpus, tools and settings, a line each. */
  facts: readonly string[];
  tables: readonly Table[];
  /** What limits the figures, what was not measured. */
  notes: readonly string[];
  /** False when something that must hold did not. */
  holds: boolean;
}

/** The report in Markdown, ready for bench/results/. */
export function toMarkdown(report: Report, command: string): string {
  const facts = [`\`${command}\``, describeMachine(), ...report.facts].map((fact) => `- ${fact}`);
  const parts = [
    `## ${report.title}${report.holds ? '' : ': DOES NOT HOLD'}`,
    facts.join('\n'),
    ...report.tables.map(tableText),
    report.notes.map((note) => `- ${note}`).join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The same as data. */
export function toJson(report: Report, command: string): string {
  return `${JSON.stringify({ command, machine: describeMachine(), ...report }, null, 2)}\n`;
}

function tableText({ columns, rows }: Table): string {
  const line = (cells: readonly Cell[]) => `| ${cells.map(cellText).join(' | ')} |`;
  const rule = `|${' --- |'.repeat(columns.length)}`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}

/** Three digits that count; the rest is noise. */
function cellText(cell: Cell): string {
  if (typeof cell === 'string') return cell.replaceAll('|', '\\|');
  if (!Number.isFinite(cell)) return '-';
  if (Number.isInteger(cell) || Math.abs(cell) >= 100) {
    return Math.round(cell).toLocaleString('en-US');
  }
  return String(Number(cell.toPrecision(3)));
}
