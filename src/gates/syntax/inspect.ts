import { type CancelFlag, isRaised } from '../../core/deadline.ts';
import { CraError } from '../../model/errors.ts';
import type { GateFinding } from '../../model/finding.ts';
import { FINDINGS_PER_RFC_MAX } from '../../model/limits.ts';
import type { OwnTable } from '../../model/rules.ts';
import type { Fragment, FragmentResult, SettledCall, Syntax } from '../../rpc/contract.ts';
import type { Client } from '../../rpc/service.ts';
import { isLesserPath } from '../coverage/paths.ts';
import { AST_GATE } from '../limits.ts';
import type { Collected } from './collect.ts';
import { languageOf, nameOfLanguage, type SinkFilter, sinkFilterWith } from './languages.ts';
import { clip, overflowFinding, unparsedFinding, worstPerFile } from './report/findings.ts';

interface InspectFragmentsInput extends Collected {
  /** The child process that parses. It may end at any time. */
  client: Client<typeof Syntax>;
  fingerprintKey: Uint8Array;
  cancel: CancelFlag;
  /** Rows of the rules for the catalogue; absent: they have none. */
  catalogue?: readonly OwnTable[];
}

/**
 * Has fragments looked at by the AST child and gives all findings of gate 2. Files whose code ends
 * the child, or takes it too much CPU time, are tried once more alone and then reported as
 * `ast-unparsed`, as is all that is left when the bounds of an RFC are reached. No clock decides
 * what is found. Throws CANCELLED.
 */
export async function inspectFragments(input: InspectFragmentsInput): Promise<Inspected> {
  const inspection = new Inspection(input);
  for (const batch of batches(input.fragments)) await inspection.inspect(batch);
  inspection.tellOfSkipped();
  const findings = worstPerFile([...input.unparsed, ...inspection.findings]);
  return { findings, settled: inspection.settled };
}

interface Inspected {
  findings: GateFinding[];
  /** By path of a file that was looked at whole: calls that get only what it says itself. */
  settled: ReadonlyMap<string, readonly SettledCall[]>;
}

/** Why a call has no answer, as part of a sentence about its text. Throws what is CANCELLED. */
export function failureOf(thrown: unknown): { code: string; reason: string } {
  const { code, details } = CraError.fromUnknown(thrown);
  if (code === 'CANCELLED') throw thrown;
  if (code === 'DEADLINE_EXCEEDED') return { code, reason: 'it took the parser too long' };
  if (code === 'INTERNAL') return { code, reason: 'the parser failed, a defect of this service' };
  const isAbsent = details['not_started'] === true;
  return { code, reason: isAbsent ? 'the parser did not start' : 'it broke the parser' };
}

class Inspection {
  readonly findings: GateFinding[] = [];
  readonly settled = new Map<string, readonly SettledCall[]>();
  readonly #input: InspectFragmentsInput;
  readonly #filter: SinkFilter;
  /** Work of the child so far, as AST_GATE counts it, and its CPU time, ms. */
  #work = 0;
  #cpuMs = 0;
  /** Files that broke the child twice: nothing of them is sent again. */
  readonly #lost = new Set<string>();
  #failures = 0;
  /** Findings that nothing can suppress, of the gravest kind. */
  #vulnerabilities = 0;
  readonly #skipped: Fragment[] = [];

  constructor(input: InspectFragmentsInput) {
    this.#input = input;
    this.#filter = sinkFilterWith(input.catalogue ?? []);
  }

  /**
   * With more of the gravest findings than an RFC lists, the change is blocked and the list is full
   * whatever else there is: the rest is counted, not inspected.
   */
  async inspect(batch: readonly Fragment[]): Promise<void> {
    if (this.#vulnerabilities >= FINDINGS_PER_RFC_MAX) {
      this.#skipped.push(...batch);
      return;
    }
    const fragments = batch.filter(({ path }) => !this.#lost.has(path));
    if (fragments.length === 0 || (await this.#send(fragments)) === null) return;
    const byFile = groupByFile(fragments);
    for (const [path, own] of byFile) {
      const failure = await this.#send(own);
      if (failure === null) continue;
      this.#lost.add(path);
      this.#report(own, failure);
    }
  }

  /** Null when the fragments are done with, else what came in between. */
  async #send(fragments: readonly Fragment[]): Promise<string | null> {
    const { client, fingerprintKey, cancel } = this.#input;
    if (isRaised(cancel)) throw new CraError('CANCELLED', 'the analysis was cancelled');
    const usedUp = this.#usedUp();
    if (usedUp !== null) {
      this.#report(fragments, usedUp);
      return null;
    }
    const timeoutMs = Math.ceil(Math.min(AST_GATE.RFC_CPU_MS - this.#cpuMs, AST_GATE.CALL_CPU_MS));
    try {
      const { catalogue = [] } = this.#input;
      const input = { fragments: [...fragments], fingerprintKey, catalogue };
      const { results, cpuMs } = await client.inspect(input, { timeoutMs });
      this.#cpuMs += cpuMs;
      for (const [index, fragment] of fragments.entries()) this.#take(fragment, results[index]);
      return null;
    } catch (thrown) {
      const { code, reason } = failureOf(thrown);
      this.#failures += 1;
      if (code === 'DEADLINE_EXCEEDED') this.#cpuMs += timeoutMs;
      return reason;
    }
  }

  /** Which bound of an RFC is reached, as part of a sentence; null when absent. */
  #usedUp(): string | null {
    const { RFC_WORK_MAX, RFC_CPU_MS, CHILD_RESTART_MAX_PER_RFC } = AST_GATE;
    if (this.#work >= RFC_WORK_MAX) {
      return 'this change holds more code than is parsed for one change';
    }
    if (this.#cpuMs >= RFC_CPU_MS) return 'the time for this change was used up';
    if (this.#failures < CHILD_RESTART_MAX_PER_RFC) return null;
    return 'other code of this change broke the parser too often';
  }

  #take(fragment: Fragment, result: FragmentResult | undefined): void {
    if (result === undefined) {
      this.#report([fragment], 'the parser gave no answer');
      return;
    }
    this.#work += result.work;
    const original = this.#input.originals?.get(fragment);
    if (result.settled !== undefined) this.settled.set(fragment.path, result.settled);
    for (const finding of result.findings) {
      const shown = original?.lines[(finding.line ?? 0) - original.startLine];
      this.findings.push(shown === undefined ? finding : { ...finding, excerpt: clip(shown) });
      if (finding.id.startsWith('vuln-')) this.#vulnerabilities += 1;
    }
    const [first] = result.unparsed;
    if (first === undefined) return;
    const { path, text, startLine } = fragment;
    const language = languageOf(path);
    const unknown = `it is not ${nameOfLanguage(language)} that the parser knows`;
    const sink = sinkLine(fragment, result.unparsed, this.#filter);
    // Texts that are wrong on purpose stand among tests.
    const severity = sink === null ? 'low' : isLesserPath(path) ? 'medium' : 'high';
    const excerptLine = sink ?? first[0];
    const unparsed = {
      path,
      text,
      line: startLine + excerptLine,
      excerptLine,
      reason: sink === null ? unknown : `${unknown}, and a dangerous call may stand on this line`,
      severity,
    } as const;
    this.findings.push(unparsedFinding(this.#input.fingerprintKey, unparsed));
  }

  /** One finding for all that was left out because enough had been found. */
  tellOfSkipped(): void {
    const [first] = this.#skipped;
    if (first === undefined) return;
    const { path, startLine } = first;
    const line = startLine + (first.added[0]?.[0] ?? 0);
    const message =
      `${this.#skipped.length} more places were not looked at: ${this.#vulnerabilities} ` +
      'vulnerabilities before them are enough';
    this.findings.push(overflowFinding(this.#input.fingerprintKey, { path, line, message }));
  }

  /** One finding a file, at its first added line. */
  #report(fragments: readonly Fragment[], reason: string): void {
    for (const [path, own] of groupByFile(fragments)) {
      const [first] = own;
      if (first === undefined) continue;
      const excerptLine = first.added[0]?.[0] ?? 0;
      const text = own.map((fragment) => fragment.text).join('\n');
      const line = first.startLine + excerptLine;
      const unparsed = { path, text, reason, severity: 'high', line, excerptLine } as const;
      this.findings.push(unparsedFinding(this.#input.fingerprintKey, unparsed));
    }
  }
}

/**
 * The first of these lines that may hold a sink by itself, or the first of all if only together
 * they may; null when absent.
 */
function sinkLine(
  { path, text }: Fragment,
  ranges: FragmentResult['unparsed'],
  { mayHold }: SinkFilter,
): number | null {
  const lines = text.split('\n');
  const language = languageOf(path) ?? 'js';
  const isSink = (code: string) => mayHold(Buffer.from(code), language);
  const numbers = ranges.flatMap(([start, end]) =>
    [...Array(end - start).keys()].map((index) => start + index),
  );
  const single = numbers.find((line) => isSink(lines[line] ?? ''));
  if (single !== undefined) return single;
  const all = numbers.map((line) => lines[line] ?? '').join('\n');
  return isSink(all) ? (numbers[0] ?? null) : null;
}

function groupByFile(fragments: readonly Fragment[]): Map<string, Fragment[]> {
  const groups = new Map<string, Fragment[]>();
  for (const fragment of fragments) {
    const group = groups.get(fragment.path);
    if (group === undefined) groups.set(fragment.path, [fragment]);
    else group.push(fragment);
  }
  return groups;
}

/** Fragments in order, in groups that take the child well under its deadline. */
export function* batches(fragments: readonly Fragment[]): Generator<Fragment[]> {
  let batch: Fragment[] = [];
  let length = 0;
  for (const fragment of fragments) {
    if (batch.length > 0 && length + fragment.text.length > AST_GATE.BATCH_BYTES) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(fragment);
    length += fragment.text.length;
  }
  if (batch.length > 0) yield batch;
}
