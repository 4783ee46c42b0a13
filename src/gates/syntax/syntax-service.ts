import {
  type GateFinding,
  plainFinding,
  SEVERITIES,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import { FINDINGS_PER_RFC_MAX } from '../../model/limits.ts';
import type { Fragment, FragmentResult, Syntax } from '../../rpc/contract.ts';
import type { Implementation } from '../../rpc/service.ts';
import { LESSER_PATH } from '../coverage/names.ts';
import { AST_GATE, TAINT } from '../limits.ts';
import { clip, fingerprint, overflowFinding, unparsedFinding } from './findings.ts';
import { readFragment } from './fragment-tree.ts';
import { createLocator, type Locator, mapLines, type Tree } from './parser.ts';
import { SINKS } from './prefilter.ts';
import { dialectOf } from './script-files.ts';
import { pollutionDanger } from './sinks/pollution.ts';
import {
  type AssignSite,
  type CallSite,
  type Danger,
  lesserId,
  type PropertySite,
} from './sinks/sink.ts';
import { Interpreter } from './taint/interpreter.ts';
import { bare, child, type SyntaxNode } from './taint/node.ts';
import type { Flaw, Observer } from './taint/run.ts';
import type { Source } from './taint/value.ts';

/**
 * The service of an AST child: syntax trees of fragments and the sinks in them. It is synchronous
 * and stateless; the process that forked it limits its time and survives its end. `cpuMs` reads
 * the CPU time of the child so far, ms.
 */
export function createSyntaxService(cpuMs: () => number = () => 0): Implementation<typeof Syntax> {
  return {
    inspect({ fragments, fingerprintKey }) {
      const before = cpuMs();
      const results = fragments.map((fragment) => inspect(fragment, fingerprintKey));
      return { results, cpuMs: cpuMs() - before };
    },
  };
}

function inspect(fragment: Fragment, key: Uint8Array): FragmentResult {
  // What has no extension of its own is a script by its first line, which is in another hunk.
  const dialect = dialectOf(fragment.path) ?? 'js';
  const { text, startLine, added } = fragment;
  const lines = mapLines(text);
  const { trees, unparsed, refused, parsedLength } = readFragment(text, added, dialect);
  const reporter = new Reporter(fragment, key);
  const findings: GateFinding[] = [];
  let interpreter: Interpreter | null = null;
  for (const tree of trees) {
    const locator = createLocator(text, lines, startLine, tree);
    interpreter ??= new Interpreter(reporter, locator);
    if (!follow(interpreter, reporter, tree, locator)) {
      const line = lines.lineAt(tree.start);
      findings.push(lost(fragment, key, line, 'it nests too deeply to be followed'));
    }
  }
  const lostAt = interpreter?.calls.lostAt ?? null;
  if (lostAt !== null) {
    const reason = 'its functions call each other more often or deeper than is followed';
    findings.push(lost(fragment, key, Math.max(0, lostAt - startLine), reason));
  }
  const [first] = unparsed;
  if (refused && first !== undefined) {
    findings.push(lost(fragment, key, first, 'it would end the parser'));
  }
  const all = [...reporter.findings, ...findings];
  const flows = all.map((finding) => reporter.flowOf(finding));
  const steps = interpreter === null ? 0 : TAINT.STEPS_MAX - interpreter.stepsLeft();
  const work = parsedLength + steps * AST_GATE.STEP_WORK;
  return { findings: all, flows, unparsed: ranges(unparsed), work };
}

/** Runs a tree past the sinks; false when it is too deep for the stack. */
function follow(
  interpreter: Interpreter,
  reporter: Reporter,
  tree: Tree,
  locator: Locator,
): boolean {
  try {
    reporter.locator = locator;
    interpreter.run(tree.module, locator);
    return true;
  } catch (thrown) {
    // The reporter says that there is more; nothing of it is graver.
    if (thrown instanceof ReporterFull) return true;
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

function lost(fragment: Fragment, key: Uint8Array, index: number, reason: string): GateFinding {
  const { path, text, startLine } = fragment;
  const where = { line: startLine + index, excerptLine: index };
  return unparsedFinding(key, { path, text, reason, severity: 'high', ...where });
}

function ranges(lines: readonly number[]): [number, number][] {
  const result: [number, number][] = [];
  for (const line of [...lines].sort((left, right) => left - right)) {
    const last = result.at(-1);
    if (last !== undefined && last[1] === line) last[1] = line + 1;
    else result.push([line, line + 1]);
  }
  return result;
}

const STRENGTH_WORDS: Readonly<Record<Source['strength'], string>> = {
  strong: 'data from outside',
  checked: 'data from outside that only a validator has seen',
  weak: 'a parameter of an exported function',
  operator: 'the command line or environment',
};

/** Findings of one fragment; more would only fill messages: an RFC shows fewer. */
const FINDINGS_MAX = 2 * FINDINGS_PER_RFC_MAX;

/** Thrown when only the gravest findings are left and no further one could be listed. */
class ReporterFull extends Error {}

/** Shows calls, properties and assignments to the sinks and keeps the worst of each place. */
class Reporter implements Observer {
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
  locator: Locator | null = null;

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

  onCall(site: CallSite, node: SyntaxNode, argumentNodes: readonly (SyntaxNode | null)[]): void {
    for (const sink of SINKS) {
      const danger = sink.inCall?.(site) ?? null;
      if (danger === null) continue;
      const argument = argumentNodes[danger.argument] ?? null;
      this.#report(danger, nameSpan(node), argument ?? node, site.name);
      return;
    }
  }

  onTag(site: CallSite, node: SyntaxNode): void {
    for (const sink of SINKS) {
      const danger = sink.inTag?.(site) ?? null;
      if (danger !== null) this.#report(danger, node, node, site.name || 'a tag');
    }
  }

  onProperty(site: PropertySite, node: SyntaxNode): void {
    for (const sink of SINKS) {
      const danger = sink.inProperty?.(site) ?? null;
      if (danger === null) continue;
      this.#report(danger, child(node, 'key') ?? node, child(node, 'value') ?? node, site.name);
    }
  }

  onAssign(site: AssignSite, node: SyntaxNode): void {
    for (const sink of SINKS) {
      const danger = sink.inAssign?.(site) ?? null;
      if (danger !== null) this.#report(danger, node, node, site.name || 'an assignment');
    }
  }

  onPollution({ node, isRead }: Flaw, name: string): void {
    const danger = pollutionDanger(isRead ? 'medium' : 'high');
    this.#report(danger, node, node, name || 'a function');
  }

  /** Reports when the diff touches the sink, the source, or the text built on the way. */
  #report(danger: Danger, at: SyntaxNode, last: SyntaxNode, name: string): void {
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

/** From the callee's last name on a line of its own, else from the start of the call. */
function nameSpan(node: SyntaxNode): SyntaxNode {
  const callee = bare(child(node, 'callee'));
  return child(callee, 'property') ?? node;
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
