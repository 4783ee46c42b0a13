import {
  type GateFinding,
  plainFinding,
  SEVERITIES,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import { FINDINGS_PER_RFC_MAX } from '../../model/limits.ts';
import type { Fragment } from '../../rpc/contract.ts';
import { LESSER_PATH } from '../coverage/names.ts';
import { clip, fingerprint, overflowFinding } from './findings.ts';
import type { Locator } from './parser.ts';
import { type Danger, lesserId } from './sinks/sink.ts';
import type { SyntaxNode } from './taint/node.ts';
import type { Source } from './taint/value.ts';

const STRENGTH_WORDS: Readonly<Record<Source['strength'], string>> = {
  strong: 'data from outside',
  checked: 'data from outside that only a validator has seen',
  weak: 'a parameter of an exported function',
  operator: 'the command line or environment',
};

/** Findings of one fragment; more would only fill messages: an RFC shows fewer. */
const FINDINGS_MAX = 2 * FINDINGS_PER_RFC_MAX;

/** Thrown when only the gravest findings are left and no further one could be listed. */
export class ReporterFull extends Error {}

/** Keeps the worst finding of each place. */
export class Reporter {
  readonly #found = new Map<string, GateFinding>();
  readonly #flows = new WeakMap<GateFinding, string>();
  /** Keys of what was found, by severity: the least grave make room. */
  readonly #keys: Readonly<Record<Severity, Set<string>>> = {
    critical: new Set(),
    high: new Set(),
    medium: new Set(),
    low: new Set(),
    info: new Set(),
  };
  readonly #fragment: Fragment;
  readonly #lines: readonly string[];
  readonly #key: Uint8Array;
  /** The first line with a finding for which there was no more room. */
  #firstLeft: number | null = null;
  locator: Omit<Locator, 'isSynthetic'> | null = null;

  constructor(fragment: Fragment, key: Uint8Array) {
    this.#fragment = fragment;
    this.#lines = fragment.text.split('\n');
    this.#key = key;
  }

  get findings(): GateFinding[] {
    const found = [...this.#found.values()];
    if (this.#firstLeft === null) return found;
    const message = `more than ${FINDINGS_MAX} findings stand close together; the worst are listed`;
    const where = { path: this.#fragment.path, line: this.#firstLeft, message };
    return [...found, overflowFinding(this.#key, where)];
  }

  /** As `FragmentResult.flows`. */
  flowOf(finding: GateFinding): string {
    return this.#flows.get(finding) ?? '';
  }

  /** Reports when the diff touches the sink, the source, or the text built on the way. */
  report(danger: Danger, at: SyntaxNode, last: SyntaxNode, name: string): void {
    const { locator } = this;
    if (locator === null || at.span === undefined || last.span === undefined) return;
    const line = locator.lineAt(at.span.start);
    const endLine = Math.max(line, locator.lineAt(last.span.end - 1));
    const column = locator.columnAt(at.span.start);
    const { builtOn } = danger.value;
    const source = sourceOf(danger);
    const isTouched =
      this.#isAdded(line, endLine) ||
      (source !== null && this.#isAdded(source.line, source.line)) ||
      (builtOn !== null && this.#isAdded(builtOn[0], builtOn[1]));
    // One class of mistake is one finding a place, whatever ways lead there.
    const key = `${danger.cwe}:${line}:${column}`;
    const known = this.#found.get(key);
    const { id, severity } = gradeAt(danger, this.#fragment.path);
    if (!isTouched) return;
    if (known !== undefined && severityRank(known.severity) <= severityRank(severity)) return;
    if (known === undefined && this.#found.size >= FINDINGS_MAX) {
      this.#firstLeft ??= line;
      if (this.#keys.critical.size >= FINDINGS_MAX) throw new ReporterFull();
      if (!this.#makeRoom(severity)) return;
    }
    if (known !== undefined) this.#keys[known.severity].delete(key);
    this.#keys[severity].add(key);
    const text = locator.textOf(at.span.start, last.span.end);
    const finding = plainFinding({
      id,
      gate: 'ast',
      severity,
      message: message(danger, name, line),
      file: this.#fragment.path,
      line,
      end_line: endLine,
      column,
      excerpt: clip(this.#lines[line - this.#fragment.startLine] ?? ''),
      fingerprint: fingerprint(this.#key, id, text),
      cwe: danger.cwe,
      fix: danger.fix,
    });
    this.#found.set(key, finding);
    const steps = source?.steps.map((step) => step.name) ?? [];
    const flow = [text, source?.text ?? '', ...steps].join('\0');
    this.#flows.set(finding, fingerprint(this.#key, danger.cwe, flow));
  }

  /** Drops a finding that is less grave; false when it is absent. */
  #makeRoom(severity: Severity): boolean {
    for (const least of SEVERITIES.slice(severityRank(severity) + 1).reverse()) {
      const [key] = this.#keys[least];
      if (key === undefined) continue;
      this.#keys[least].delete(key);
      this.#found.delete(key);
      return true;
    }
    return false;
  }

  /** Whether the diff adds one of these lines of the new file. */
  #isAdded(first: number, last: number): boolean {
    const from = first - this.#fragment.startLine;
    const to = last - this.#fragment.startLine;
    return this.#fragment.added.some(([start, after]) => start <= to && from < after);
  }
}

function sourceOf(danger: Danger): Source | null {
  return danger.source === undefined ? danger.value.source : danger.source;
}

/**
 * Id and severity of a danger: one step lower where the path says that the code does not run in
 * production. A `vuln-NN` is always critical; below that the same class has an id of its own.
 */
function gradeAt(danger: Danger, path: string): { id: string; severity: Severity } {
  if (!LESSER_PATH.test(path)) return danger;
  const severity = SEVERITIES[severityRank(danger.severity) + 1] ?? danger.severity;
  const isLess = danger.severity === 'critical';
  return { id: isLess ? lesserId(danger) : danger.id, severity };
}

/** Source, sink, and the names and lines between them. */
function message(danger: Danger, name: string, line: number): string {
  const { pieces } = danger.value;
  const source = sourceOf(danger);
  const place = `${danger.sink} in ${name} (line ${line})`;
  if (source !== null) {
    const from = source.line > 0 ? `${source.text} (line ${source.line})` : source.text;
    return `${place} is made from ${STRENGTH_WORDS[source.strength]}: ${from}${way(source)}`;
  }
  if (danger.value.isTrusted || danger.value.role !== null) return place;
  const is =
    pieces === null ? 'is not a literal' : 'is put together from values that are not literals';
  return `${place} ${is}`;
}

function way(source: Source): string {
  const steps = source.steps
    .filter((step) => step.line !== source.line)
    .map((step) => `${step.name} (line ${step.line})`);
  return steps.length === 0 ? '' : `, by way of ${steps.join(', ')}`;
}
