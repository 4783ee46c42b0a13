import { createHmac } from 'node:crypto';
import {
  flowBytes,
  type GateFinding,
  lesserId,
  plainFinding,
  SEVERITIES,
  type Severity,
  severityRank,
  withoutFlow,
} from '../../../model/finding.ts';
import { FINDINGS_PER_RFC_MAX, FLOW } from '../../../model/limits.ts';
import type { AskedName, Fragment } from '../../../rpc/contract.ts';
import { words } from '../../../rules/catalogue/line.ts';
import { BUILDS } from '../../../rules/risk/paths.ts';
import { isLesserPath } from '../../coverage/paths.ts';
import { isTreeLanguage, languageOf } from '../languages.ts';
import { Lexer } from '../parse/lexer.ts';
import type { SyntaxNode } from '../parse/swc-node.ts';
import type { Danger } from '../sinks/sink.ts';
import type { Source } from '../sinks/value.ts';
import { type Locator, lineIn, messageOf, stepsOf, titleOf } from './wording.ts';

const UNPARSED_ID = 'ast-unparsed';

/** Code that gate 2 could not look at. */
interface Unparsed {
  path: string;
  /** Why, as part of a sentence. */
  reason: string;
  /** 1-based line of the new file. */
  line: number;
  /** The code, for excerpt and fingerprint; the excerpt is its line `excerptLine` (from 0). */
  text: string;
  excerptLine: number;
  /**
   * `high` for what was kept from the parser or broke it, and for text that it refuses and that may
   * hold a sink; `medium` where a generator wrote it, and for such text among tests; `low` for text
   * that is not a program.
   */
  severity: Extract<Severity, 'high' | 'medium' | 'low'>;
}

/** The finding for code that could not be looked at. */
export function unparsedFinding(key: Uint8Array, unparsed: Unparsed): GateFinding {
  const { path, reason, line, text, excerptLine, severity } = unparsed;
  return plainFinding({
    id: UNPARSED_ID,
    gate: 'ast',
    severity,
    message: `added code was not checked for injection: ${reason}`,
    file: path,
    line,
    end_line: line,
    excerpt: clip(text.split('\n', excerptLine + 1)[excerptLine] ?? ''),
    fingerprint: fingerprint(key, UNPARSED_ID, `${path}\0${text}`),
    fix: UNPARSED_FIX,
  });
}

const UNPARSED_FIX =
  'Write it as plain, well-formed code in short lines; if a generator or another project wrote ' +
  'the file, name its path in ast.generated_paths of the rules.';

const HUNKS_ONLY_ID = 'ast-hunks-only';

/** Files that were not looked at whole, and why, as part of a sentence. */
interface SomeFiles {
  readonly reason: string;
  readonly files: readonly { readonly path: string }[];
}

function andMore({ length }: SomeFiles['files']): string {
  return length === 1 ? '' : ` (and ${length - 1} more ${length === 2 ? 'file' : 'files'})`;
}

/** Says which files were judged by the lines that the diff shows, though the rest was at hand. */
export function hunksOnlyFinding(key: Uint8Array, { reason, files }: SomeFiles): GateFinding {
  const path = files[0]?.path ?? '';
  const message =
    `only the lines that the diff shows of this file${andMore(files)} were checked for ` +
    `injection, not what they do to the rest of it: ${reason}`;
  return plainFinding({
    id: HUNKS_ONLY_ID,
    gate: 'ast',
    severity: 'low',
    message,
    file: path,
    fingerprint: fingerprint(key, HUNKS_ONLY_ID, `${path}\0${reason}`),
    fix: 'Look at sources, checks and sinks elsewhere in the file, or split it.',
  });
}

/** Says how much of a file that is too large to be parsed whole was looked at. */
export function partOnlyFinding(
  key: Uint8Array,
  part: { readonly file: { readonly path: string }; readonly kept: number; readonly all: number },
): GateFinding {
  const { file, kept, all } = part;
  const message =
    'only the changed functions of this file, what names them and what they name were checked ' +
    `for injection, ${kept} of ${all} declarations: the file is too large to be parsed whole`;
  return plainFinding({
    id: HUNKS_ONLY_ID,
    gate: 'ast',
    severity: 'low',
    message,
    file: file.path,
    fingerprint: fingerprint(key, HUNKS_ONLY_ID, `${file.path}\0part`),
    fix: 'Look at sources, checks and sinks elsewhere in the file, or split it.',
  });
}

const PROGRAM_PARTIAL_ID = 'ast-program-partial';

/** Says that flows lead to files that were not followed. */
export function programPartialFinding(
  key: Uint8Array,
  cut: readonly { readonly path: string; readonly asked: readonly AskedName[] }[],
): GateFinding {
  const all = cut.flatMap(({ asked }) => asked);
  const [first] = cut;
  const named = [...new Set(all.map(({ name }) => name))].slice(0, CUT_NAMES_SHOWN).join(', ');
  const message =
    `flows of ${cut.length === 1 ? 'this file' : `${cut.length} files`} lead to more of the ` +
    `repository than is followed for one change: ${named}`;
  return plainFinding({
    id: PROGRAM_PARTIAL_ID,
    gate: 'ast',
    severity: all.some(({ isData }) => isData) ? 'low' : 'info',
    message,
    file: first?.path ?? null,
    fingerprint: fingerprint(key, PROGRAM_PARTIAL_ID, first?.path ?? ''),
    fix: 'Look at what these functions do with what they are given.',
  });
}

const CUT_NAMES_SHOWN = 5;

/** Says which new files were judged by themselves, not by what they call in other files. */
export function newAloneFinding(key: Uint8Array, { reason, files }: SomeFiles): GateFinding {
  const path = files[0]?.path ?? '';
  return plainFinding({
    id: PROGRAM_PARTIAL_ID,
    gate: 'ast',
    severity: 'info',
    message: `flows of this new file${andMore(files)} into other files were not followed: ${reason}`,
    file: path,
    fingerprint: fingerprint(key, PROGRAM_PARTIAL_ID, `${path}\0${reason}`),
    fix: 'Look at what the functions of other files do with what they are given.',
  });
}

/** Whether a finding says that something was not looked at or not listed. */
export function isLoss({ id }: GateFinding): boolean {
  return id === UNPARSED_ID || id === OVERFLOW_ID;
}

/** One finding of this kind a file: the worst, and of those the first line. */
export function worstPerFile(findings: readonly GateFinding[]): GateFinding[] {
  const others = findings.filter((finding) => finding.id !== UNPARSED_ID);
  const worst = new Map<string | null, GateFinding>();
  for (const finding of findings) {
    if (finding.id !== UNPARSED_ID) continue;
    const known = worst.get(finding.file);
    if (known === undefined || isWorse(finding, known)) worst.set(finding.file, finding);
  }
  return [...others, ...worst.values()];
}

function isWorse(left: GateFinding, right: GateFinding): boolean {
  const order = severityRank(left.severity) - severityRank(right.severity);
  return order < 0 || (order === 0 && (left.line ?? 0) < (right.line ?? 0));
}

const OVERFLOW_ID = 'findings-overflow';

/**
 * The finding as it counts in a test or an example, where nothing runs in production: listed, but
 * it blocks nothing and never has the id of a `vuln-NN`. What could not be looked at stays what it
 * is.
 */
export function asInTest(finding: GateFinding): GateFinding {
  const { id, cwe, severity } = finding;
  if (id === UNPARSED_ID || id === OVERFLOW_ID) return finding;
  const isGrave = severityRank(severity) < severityRank('medium');
  const lesser = { id: lesserId({ id, cwe: cwe ?? '' }), severity: 'medium' } as const;
  return isGrave ? { ...finding, ...lesser } : finding;
}

/** Where findings begin that are not listed. */
interface Overflow {
  path: string;
  /** 1-based line of the new file. */
  line: number;
  message: string;
}

/** Says that there is more: what is listed may all be suppressed, and nobody knows the rest. */
export function overflowFinding(key: Uint8Array, { path, line, message }: Overflow): GateFinding {
  return plainFinding({
    id: OVERFLOW_ID,
    gate: 'ast',
    severity: 'high',
    message,
    file: path,
    line,
    end_line: line,
    fingerprint: fingerprint(key, OVERFLOW_ID, path),
    fix: 'Fix the listed findings, or split the change, and submit it again.',
  });
}

/** More than is shown: the scan thread hides secrets first, and knows none that was cut. */
const EXCERPT_CHARS_MAX = 512;

/** Keyed HMAC of a rule and what it matched, hex; white space does not count. */
function fingerprint(key: Uint8Array, id: string, text: string): string {
  const normalised = text.replace(/\s+/g, ' ').trim();
  return createHmac('sha256', key).update(`${id}\0${normalised}`).digest('hex');
}

/** A line as shown: without its indent, clipped. */
export function clip(line: string): string {
  const text = line.trim();
  return text.length > EXCERPT_CHARS_MAX ? `${text.slice(0, EXCERPT_CHARS_MAX - 1)}…` : text;
}

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
  /** For the steps of findings, bytes of JSON. */
  #room: number = FLOW.RECORD_BYTES_MAX;
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

  /**
   * Reports when the diff touches the sink, the source, or the text built on the way. `beyond`: the
   * sink stands there in another file, to which the place leads.
   */
  report(
    danger: Danger,
    at: SyntaxNode,
    last: SyntaxNode,
    name: string,
    beyond?: Required<SyntaxNode>['span'],
  ): void {
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
    const sink = beyond ?? { start: at.span.start, end: last.span.end };
    const text = locator.textOf(sink.start, sink.end);
    // Who accepts `exec(cmd)` has accepted what reaches it there, not what does elsewhere.
    const match = source === null ? text : `${text}\0${source.text}`;
    const end = beyond === undefined ? { line, column } : placeOf(locator, beyond.start);
    const file = locator.fileAt(sink.start);
    const isBeyond = beyond !== undefined || this.#fragment.isUnchanged === true;
    const place = { name, ...end, file, isBeyond };
    const finding = plainFinding({
      id,
      gate: 'ast',
      severity,
      title: titleOf(danger, source),
      message: messageOf(danger, source, place, ({ line: at, offset }) => {
        const { path, isUnchanged } = this.#fragment;
        const from = offset === undefined ? path : locator.fileAt(offset);
        return lineIn(at, from === path && isUnchanged !== true ? null : from);
      }),
      ...(source === null ? {} : { flow: stepsOf(danger, source, place, locator) }),
      file: this.#fragment.path,
      line,
      end_line: endLine,
      column,
      excerpt: clip(this.#lines[line - this.#fragment.startLine] ?? ''),
      fingerprint: fingerprint(this.#key, id, match),
      cwe: danger.cwe,
      fix: danger.fix,
    });
    const named = source?.steps.filter(({ how }) => how !== 'result') ?? [];
    const parts = [text, source?.text ?? '', ...named.map(({ name: step }) => step)];
    const isMinified = this.#isMinified(line, endLine);
    const flow = isMinified ? [danger.sink, ...withoutDrawnNames(parts, isName(at))] : parts;
    const kept = this.#withinRoom(finding);
    this.#found.set(key, kept);
    this.#flows.set(kept, fingerprint(this.#key, danger.cwe, flow.join('\0')));
  }

  /** The finding with its steps while an answer has room for them: a path may have 4 KiB. */
  #withinRoom(finding: GateFinding): GateFinding {
    this.#room -= flowBytes(finding);
    return this.#room >= 0 || finding.flow === undefined ? finding : withoutFlow(finding);
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

  /** Whether a line is as long as only programs write them. */
  #isMinified(first: number, last: number): boolean {
    if (isTreeLanguage(languageOf(this.#fragment.path))) return false;
    const from = first - this.#fragment.startLine;
    const lines = this.#lines.slice(from, last - this.#fragment.startLine + 1);
    return lines.some((line) => line.length > MINIFIED_LINE_CHARS_MIN);
  }

  /** Whether the diff adds one of these lines of the new file. */
  #isAdded(first: number, last: number): boolean {
    const from = first - this.#fragment.startLine;
    const to = last - this.#fragment.startLine;
    return this.#fragment.added.some(([start, after]) => start <= to && from < after);
  }
}

/** Lines of minified code are longer, in UTF-16 units; nobody writes such lines. */
export const MINIFIED_LINE_CHARS_MIN = 1_000;

/** Whether a sink is found by the name of a member or property, which no build changes. */
function isName({ type }: SyntaxNode): boolean {
  return type === 'Identifier';
}

/** Names as minifiers draw them, other ones with each build. */
const DRAWN_NAME = /^[A-Za-z_$][\w$]{0,2}$/;
const NEVER_DRAWN = words(`
  CSS Map NaN Set URL as do for if in is let new of top try var
`);
/** A longer text is compared as it is: each finding may have nearly all of the file. */
const FOLDED_CHARS_MAX = 16_384;

/**
 * Texts of one finding in minified code with its short names numbered by where they first stand.
 * Members, keys, literals and longer names stay: these are what a source or a sink is known by.
 * `startsWithMember`: the first name of the first text is one.
 */
function withoutDrawnNames(parts: readonly string[], startsWithMember: boolean): string[] {
  if (parts.some((part) => part.length > FOLDED_CHARS_MAX)) return [...parts];
  const numbers = new Map<string, number>();
  return parts.map((part, index) => {
    const lexer = new Lexer(part, false);
    let folded = '';
    let copied = 0;
    let before = '';
    while (lexer.next()) {
      const { start, end } = lexer;
      const token = part.slice(start, end);
      const isMember =
        before === '.' || before === '?.' || (startsWithMember && index + start === 0);
      const isKey = (before === '{' || before === ',') && /^\s*:/.test(part.slice(end, end + 9));
      const isDrawn = DRAWN_NAME.test(token) && !NEVER_DRAWN.has(token);
      if (lexer.kind === 'word' && isDrawn && !isMember && !isKey) {
        const number = numbers.get(token) ?? numbers.size;
        numbers.set(token, number);
        folded += `${part.slice(copied, start)}#${number}`;
        copied = end;
      }
      before = token;
    }
    return folded + part.slice(copied);
  });
}

const BUILD_PATH = new RegExp(BUILDS, 'i');

function placeOf({ lineAt, columnAt }: Locator, offset: number) {
  return { line: lineAt(offset), column: columnAt(offset) };
}

function sourceOf(danger: Danger): Source | null {
  return danger.source === undefined ? danger.value.source : danger.source;
}

/**
 * Id and severity of a danger: one step lower where the path says that the code does not run in
 * production, and for a build's own commands. A `vuln-NN` is always critical; below that the same
 * class has an id of its own.
 */
function gradeAt(danger: Danger, path: string): { id: string; severity: Severity } {
  if (!isLesserPath(path)) {
    const isOwn = danger.id === 'ast-command' && danger.severity === 'medium';
    const source = sourceOf(danger);
    // A build's command that nobody outside is seen to have a hand in.
    const isOfBuild = isOwn && (source === null || source.strength === 'operator');
    return isOfBuild && BUILD_PATH.test(path) ? { id: danger.id, severity: 'low' } : danger;
  }
  const severity = SEVERITIES[severityRank(danger.severity) + 1] ?? danger.severity;
  const isLess = danger.severity === 'critical';
  return { id: isLess ? lesserId(danger) : danger.id, severity };
}
