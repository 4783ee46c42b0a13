import { createHmac } from 'node:crypto';
import { type CancelFlag, isRaised } from '../../core/deadline.ts';
import { lineIndex } from '../../core/line-offsets.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import { REPORTS } from '../../gates/external/limits.ts';
import { type ReportedResult, readSarif } from '../../gates/external/sarif.ts';
import { Work } from '../../gates/patterns/match.ts';
import { CraError } from '../../model/errors.ts';
import { type GateFinding, plainFinding, severityRank } from '../../model/finding.ts';
import { redactFindings } from '../../redaction/redact.ts';
import { acceptedIn, applySuppressions } from '../../verdict/suppression.ts';
import type { Change, GateTools } from './gates.ts';
import { suppressAccepted } from './suppress.ts';

/** What a report of other tools says of a change. */
export interface InspectedReport {
  tools: readonly string[];
  /** How many results it has, by tool. */
  results: ReadonlyMap<string, number>;
  /** Without secrets, the worst first. */
  findings: readonly GateFinding[];
  /** Findings of the change that a tool has as well, with its name and its rule. */
  also: ReadonlyMap<GateFinding, readonly string[]>;
}

/**
 * The results of a SARIF report that stand on lines which the change adds. A result that a finding
 * of the change says already, as grave and of the same weakness, is left out. Throws
 * INVALID_ARGUMENT for anything else than a SARIF report.
 */
export async function inspectReport(
  report: Uint8Array,
  { bytes, diff }: Pick<Change, 'bytes' | 'diff'>,
  known: readonly GateFinding[],
  tools: GateTools,
  cancel: CancelFlag,
): Promise<InspectedReport> {
  const { rules, fingerprintKey, repoName, nowMs, tenantId, findAccepted } = tools;
  const { compiled } = rules;
  const { tools: names, results } = readSarif(report, rules.pipeline.reports);
  const places = new ChangedLines(bytes, diff.files);
  const found: GateFinding[] = [];
  const count = new Map<string, number>();
  const also = new Map<GateFinding, string[]>();
  const saying = byPlace(known);
  const seen = new Set<string>();
  for (const result of results) {
    if (isRaised(cancel)) throw new CraError('CANCELLED', 'the analysis was cancelled');
    count.set(result.tool, (count.get(result.tool) ?? 0) + 1);
    const place = places.find(result);
    if (place === null) continue;
    // Some tools say the same of a line for each way that leads there.
    const said = `${result.id} ${result.cwe} ${placeKey(place)} ${result.message}`;
    const key = `${result.suppressed ?? ''} ${said}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const plain = findingOf(result, place, fingerprintKey);
    const finding = compiled.grade(plain, plain.file);
    const same = saying.get(placeKey(finding))?.find((one) => saysAsMuch(one, finding));
    if (same === undefined) found.push(finding);
    else also.set(same, [...(also.get(same) ?? []), `${result.tool} (${result.rule})`]);
  }
  const own = found.sort((a, b) => severityRank(a.severity) - severityRank(b.severity));
  const listed = own.slice(0, REPORTS.FINDINGS_MAX);
  if (own.length > listed.length) {
    const message = `the report has ${own.length} findings in this change, of which the worst ${listed.length} are listed`;
    listed.push(plainFinding({ id: 'report-unlisted', gate: 'risk', severity: 'medium', message }));
  }
  const shown = redactFindings(listed, compiled, new Work(cancel), (text) => text);
  const accepted = acceptedIn(repoName, rules.accepted, nowMs);
  const checked = applySuppressions(shown, { markers: [], accepted, trustsNew: false });
  const repo = { tenant_id: tenantId, repo_name: repoName };
  const findings = await suppressAccepted(checked, repo, findAccepted);
  return { tools: names, results: count, findings, also };
}

interface Place {
  file: string;
  line: number | null;
  excerpt: string | null;
}

/** The lines that a change adds, found by paths as tools write them. */
class ChangedLines {
  private readonly bytes: Uint8Array;
  private readonly files = new Map<string, DiffFile>();
  /** Files by the last part of their paths. */
  private readonly byName = new Map<string, DiffFile[]>();
  private readonly lines = new Map<DiffFile, AddedLines>();

  constructor(bytes: Uint8Array, files: readonly DiffFile[]) {
    this.bytes = bytes;
    for (const file of files) {
      if (file.change === 'deleted') continue;
      this.files.set(file.path, file);
      const name = lastPart(file.path);
      this.byName.set(name, [...(this.byName.get(name) ?? []), file]);
    }
  }

  /** Where a result stands in what the change adds; null: it does not. */
  find({ path, line, endLine }: ReportedResult): Place | null {
    const file = path === null ? null : this.fileOf(path);
    if (file === null) return null;
    if (line === null) {
      return file.change === 'added' ? { file: file.path, line: null, excerpt: null } : null;
    }
    const { numbers, texts } = this.addedIn(file);
    const at = firstFrom(numbers, line);
    const number = numbers[at];
    if (number === undefined || number > (endLine ?? line)) return null;
    return { file: file.path, line: number, excerpt: texts[at] ?? null };
  }

  /** Tools run in another folder, or write the folder of the build machine before the path. */
  private fileOf(path: string): DiffFile | null {
    const exact = this.files.get(path);
    if (exact !== undefined) return exact;
    const near = (this.byName.get(lastPart(path)) ?? []).filter((file) => {
      return path.endsWith(`/${file.path}`) || file.path.endsWith(`/${path}`);
    });
    const longest = [...near].sort((a, b) => b.path.length - a.path.length);
    const isWithin = longest[0] !== undefined && path.endsWith(`/${longest[0].path}`);
    return isWithin || near.length === 1 ? (longest[0] ?? null) : null;
  }

  private addedIn(file: DiffFile): AddedLines {
    const known = this.lines.get(file);
    if (known !== undefined) return known;
    const added: AddedLines = { numbers: [], texts: [] };
    const cursor = new LineCursor(this.bytes);
    for (const hunk of file.hunks) {
      cursor.open(hunk);
      while (cursor.next()) {
        if (cursor.kind !== LINE.ADDED) continue;
        const end = Math.min(cursor.end, cursor.start + EXCERPT_BYTES_MAX);
        const text = asBuffer(this.bytes).toString('utf8', cursor.start, end);
        added.numbers.push(cursor.newLine);
        added.texts.push(text.trim());
      }
    }
    this.lines.set(file, added);
    return added;
  }
}

/** Lines of a file in their order: the number in the new file, and the text of each. */
interface AddedLines {
  numbers: number[];
  texts: string[];
}

/** Index of the first of ascending numbers that is not below another; their count: all are. */
function firstFrom(numbers: readonly number[], least: number): number {
  const at = lineIndex(numbers, least);
  return (numbers[at] ?? least) < least ? at + 1 : at;
}

/** Longer than an excerpt that is shown: it is cut later, when its secrets are hidden. */
const EXCERPT_BYTES_MAX = 512;

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function findingOf(result: ReportedResult, place: Place, key: Uint8Array): GateFinding {
  const { id, tool, rule, severity, message, title, fix, cwe, column, line, suppressed } = result;
  const about = result.fingerprint ?? `${place.file}\0${place.excerpt ?? ''}`;
  const isAtStart = place.line !== null && place.line === line;
  return plainFinding({
    id,
    gate: 'risk',
    severity,
    title: `${tool}: ${title ?? rule}`.slice(0, TITLE_CHARS_MAX).toWellFormed(),
    message: `${message} (${tool}, ${rule})`,
    file: place.file,
    line: place.line,
    end_line: place.line,
    column: isAtStart ? column : null,
    excerpt: place.excerpt,
    fingerprint: createHmac('sha256', key).update(`${id}\0${about}`).digest('hex'),
    cwe,
    fix,
    suppressed: suppressed === null ? null : { by: tool, reason: suppressed },
  });
}

/** As FLOW.TITLE_CHARS_MAX of the model. */
const TITLE_CHARS_MAX = 200;

/** Findings by file and line. */
function byPlace(findings: readonly GateFinding[]): Map<string, GateFinding[]> {
  const places = new Map<string, GateFinding[]>();
  for (const one of findings) {
    if (one.line === null) continue;
    const here = places.get(placeKey(one));
    if (here === undefined) places.set(placeKey(one), [one]);
    else here.push(one);
  }
  return places;
}

function placeKey({ file, line }: Pick<GateFinding, 'file' | 'line'>): string {
  return `${line} ${file}`;
}

/** Whether a finding names the same weakness, as gravely. */
function saysAsMuch(one: GateFinding, reported: GateFinding): boolean {
  const isSame = reported.cwe !== null && one.cwe === reported.cwe;
  return isSame && severityRank(one.severity) <= severityRank(reported.severity);
}
