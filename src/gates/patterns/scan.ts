import { hasMatch } from '../../core/aho-corasick.ts';
import type { CancelFlag } from '../../core/deadline.ts';
import { asBuffer, startsAt } from '../../diff/bytes.ts';
import {
  type DiffFile,
  type FileChange,
  type Hunk,
  kindAt,
  LINE,
  LineCursor,
} from '../../diff/diff.ts';
import type { GateFinding } from '../../model/finding.ts';
import { RISK_GATE } from '../limits.ts';
import type { CompiledRule, CompiledRules, RuleGroup } from './compiled-rules.ts';
import { DerivedScan, PlainText } from './derived.ts';
import { Decoder } from './encoded.ts';
import { HeaderSink, HunkSink, HunkText, LineSink, PathSink } from './hunk-text.ts';
import { forEachRuleHit } from './keyword-search.ts';
import { Literals } from './literals.ts';
import { keywordWindows, type LineRange, matchPiece, matchWindow, Work } from './match.ts';
import { Report } from './report.ts';
import { asUtf8, continuation, dividesText, isBlank, type Scratch } from './unicode.ts';
import { type FileRules, type Waker, type Workspace, workspaceOf } from './waker.ts';

export interface RiskScan {
  /** The diff and what the parser found in it. */
  bytes: Uint8Array;
  files: readonly DiffFile[];
  rules: CompiledRules;
  /** HMAC key of fingerprints. */
  fingerprintKey: Uint8Array;
  cancel: CancelFlag;
}

/** What gate 1 found, and how to keep the secrets among it out of other texts. */
export interface RiskResult {
  findings: GateFinding[];
  /** Hides the secrets in a piece of the diff's text that somebody else is going to show. */
  redact: (text: string) => string | null;
}

/**
 * Gate 1: runs the rules over the added lines, headers and paths of a diff; rules for several
 * lines over the new side of each hunk, as far as the change touches what they match. Time is
 * linear in the diff, whatever it holds. Throws CANCELLED when the flag is raised; nothing else.
 */
export function scanRisk(input: RiskScan): RiskResult {
  const { report } = runScan(input);
  return { findings: report.hidePaths(report.findings()), redact: report.redactor() };
}

/** The same, with what the findings don't tell: which rules they are of, and the work done. */
export function runScan(input: RiskScan): { report: Report; work: Work } {
  const scan = new Scanner(input);
  for (const file of input.files) scan.file(file);
  return scan;
}

const PLUS = 0x2b;
const MINUS = 0x2d;
const LOWER_D = 0x64;
const LF = 0x0a;
/** Tokens at the start of a line are woken as behind one (rules/secrets/delimited). */
const TAB = 0x09;
const CR = 0x0d;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const QUOTE = 0x22;
const NEW_NAME: ReadonlySet<FileChange> = new Set<FileChange>(['added', 'renamed', 'copied']);
/** U+FEFF in UTF-8, byte by byte. */
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
const DIVIDED = 'Characters that nobody sees stand in it, or it is UTF-16.';

class Scanner {
  readonly report: Report;
  readonly work: Work;
  private readonly bytes: Buffer;
  private readonly rules: CompiledRules;
  private readonly space: Workspace;
  private readonly scratch: Scratch;
  private readonly lineSink: LineSink;
  private readonly cursor: LineCursor;
  /** Made when a rule first needs it: most diffs have no use for its buffer. */
  private hunkText: HunkText | null = null;
  private path: Buffer = Buffer.alloc(0);
  /** Rules to be run on every hunk of the current file. */
  private always: readonly CompiledRule[] = [];
  private readonly fileRules: FileRules;
  private readonly waker: Waker;
  private readonly decoder: Decoder;
  private readonly literals: Literals;
  private readonly derived: DerivedScan;
  private plainText: PlainText | null = null;
  /** What of the current hunk reads otherwise than it stands there. */
  private hasDivided = false;
  private hasContinued = false;

  constructor(input: RiskScan) {
    const { bytes } = input;
    this.bytes = asBuffer(bytes);
    this.rules = input.rules;
    this.space = workspaceOf(input.rules);
    this.scratch = this.space.scratch;
    this.fileRules = this.space.fileRules;
    this.waker = this.space.waker;
    this.report = new Report(this.bytes, input.fingerprintKey);
    this.work = new Work(input.cancel);
    this.lineSink = new LineSink(this.bytes, this.report);
    this.cursor = new LineCursor(this.bytes);
    const derived = new DerivedScan(this.rules, this.space, this.work, this.report);
    this.derived = derived;
    this.decoder = new Decoder(this.bytes, derived, this.space.decoded, this.report);
    this.literals = new Literals(this.bytes, derived, this.space.literals);
  }

  file(file: DiffFile): void {
    this.work.check();
    // Some tools drop a blank at the end, and rules ask for the end of a name.
    this.path = Buffer.from(file.path.trimEnd());
    this.fileRules.open(this.path);
    this.waker.open();
    this.report.openFile(file.path, this.path);
    if (file.change !== 'deleted') this.matchPath();
    if (NEW_NAME.has(file.change)) this.matchSecretsInPath();
    this.matchHeader(file);
    this.report.settle();
    if (file.hunks.length === 0) return;
    this.always = this.alwaysRules();
    for (const hunk of file.hunks) {
      if (file.change === 'deleted' && hunk.additions === 0) continue;
      if (file.change !== 'added') this.wakeAlways();
      if (hunk.additions > 0) this.hunk(hunk);
      else this.cutHunk(hunk);
    }
  }

  /** Wakes the `hunk` rules whose keywords cannot be searched in the text before the change. */
  private wakeAlways(): void {
    for (const id of this.rules.contextKeywords.always) this.wakeHunkRule(id);
  }

  /**
   * Wakes the `hunk` rules whose keywords stand between added lines. One in a removed line wakes
   * its rule for nothing, which is cheaper than to tell the kinds of lines.
   */
  private wakeByContext(start: number, end: number): void {
    this.rules.contextKeywords.search(this.bytes, start, end, this.wakeHunkRule);
  }

  private readonly wakeHunkRule = (id: number): void => {
    const rule = this.rules.rules[id];
    if (rule !== undefined && this.waker.isWanted(rule)) this.waker.hunkRules.add(rule);
  };

  private alwaysRules(): readonly CompiledRule[] {
    if (!this.fileRules.suitsAlways()) return [];
    return this.rules.alwaysRules.filter((rule) => this.fileRules.isActive(rule));
  }

  /** Rules on the path alone. */
  private matchPath(): void {
    const { path } = this;
    const texts = { secret: path, match: path, line: path };
    for (const rule of wokenRules(this.rules.pathRules, path, { start: 0, end: path.length })) {
      if (!this.fileRules.isActive(rule)) continue;
      this.report.add({ rule, place: null, shown: null, texts, secretAt: [] });
    }
  }

  /** A token in a name is as public as one in a file. */
  private matchSecretsInPath(): void {
    const text = Buffer.from(this.path);
    // Names of files and folders each stand by themselves, as between quotes.
    for (let at = 0; at < text.length; at += 1) if (text[at] === SLASH) text[at] = QUOTE;
    const { textKeywords, rules } = this.rules;
    if (!hasMatch(textKeywords.automaton, text, 0, text.length)) return;
    const woken = new Set<CompiledRule>();
    forEachRuleHit(textKeywords, text, { start: 0, end: text.length }, (id) => {
      const rule = rules[id];
      if (rule?.kind === 'secret' && this.fileRules.isActive(rule)) woken.add(rule);
    });
    const sink = new PathSink(text, this.report);
    const piece = { text, base: 0, from: 0, own: Number.POSITIVE_INFINITY };
    for (const rule of woken) matchPiece(rule, piece, this.work, sink);
    this.report.settle();
  }

  private matchHeader(file: DiffFile): void {
    const range = extendedHeader(this.bytes, file);
    const rules = wokenRules(this.rules.headerRules, this.bytes, range);
    if (rules.length === 0) return;
    const text = asUtf8(this.bytes.subarray(range.start, range.end), this.scratch);
    const piece = { text, base: range.start, from: 0, own: Number.POSITIVE_INFINITY };
    const sink = new HeaderSink(this.bytes, this.report, range);
    for (const rule of rules) {
      if (this.fileRules.isActive(rule)) matchPiece(rule, piece, this.work, sink);
    }
  }

  private hunk(hunk: Hunk): void {
    this.decoder.openHunk();
    this.report.openHunk(hunk);
    this.hasDivided = false;
    this.hasContinued = false;
    this.walk(hunk);
    this.literals.flush();
    const { always } = this;
    if (this.waker.hunkRules.size > 0 || always.length > 0) this.joined(hunk, always);
    if (this.hasDivided || this.hasContinued) this.plain(hunk);
    this.report.settle();
  }

  /** A hunk that only removes lines: what stood around them now stands together. */
  private cutHunk(hunk: Hunk): void {
    this.report.openHunk(hunk);
    this.wakeByContext(hunk.start, hunk.end);
    const always = this.always.filter(({ target }) => target === 'hunk');
    if (this.waker.hunkRules.size > 0 || always.length > 0) this.joined(hunk, always);
    this.report.settle();
  }

  /** Runs rules over the lines as they read; last, as it reports only new findings. */
  private plain(hunk: Hunk): void {
    this.plainText ??= new PlainText(this.bytes, this.space.plain);
    const plain = this.plainText;
    plain.open(hunk);
    while (plain.next()) {
      if (this.hasDivided) this.derived.scan(plain.text, plain.origin(DIVIDED), 'all');
      else this.derived.scan(plain.text, plain.origin(null));
    }
  }

  /**
   * The hot loop: every byte of every added line goes through the keyword automaton here, and
   * only lines that woke a rule leave it. What stands between is looked through in leaps.
   */
  private walk(hunk: Hunk): void {
    const { bytes, waker } = this;
    const { next, classes, firstOutput } = this.rules.textKeywords.automaton;
    const lineStart = next[classes[TAB] ?? 0] ?? 0;
    const { end, markers } = hunk;
    let left = hunk.additions;
    let line = hunk.newStart;
    let at = hunk.start;
    /** What follows the last added line starts here. */
    let context = at;
    while (at < end && left > 0) {
      const kind = kindAt(bytes, at, markers);
      if (kind !== LINE.ADDED) {
        if (kind !== LINE.REMOVED && bytes[at] !== BACKSLASH) line += 1;
        if (kind === LINE.REMOVED && at > context) this.wakeByContext(context, at);
        const lineEnd = bytes.indexOf(LF, at);
        at = lineEnd === -1 ? end : lineEnd + 1;
        if (kind === LINE.REMOVED) context = at;
        continue;
      }
      if (at > context) this.wakeByContext(context, at);
      let start = markers === 1 ? at + 1 : this.contentStart(at, markers);
      if (line === 1 && startsAt(bytes, start, BYTE_ORDER_MARK)) start += BYTE_ORDER_MARK.length;
      let state = lineStart;
      waker.next();
      for (at = start; at < end; at += 1) {
        const byte = bytes[at] ?? LF;
        if (byte === LF) break;
        state = next[state + (classes[byte] ?? 0)] ?? 0;
        if (state >= firstOutput) waker.wake(state);
      }
      if (waker.lineCount > 0) this.matchLine(line, start, at);
      if (waker.hasInvisible && !this.hasDivided) this.hasDivided = dividesText(bytes, start, at);
      const last = bytes[at - 1];
      if (last === BACKSLASH || isBlank(last)) {
        this.hasContinued ||= continuation(bytes, start, at) !== -1;
      }
      this.literals.offer(line, start, at, waker.hasJoint);
      if (at - start >= RISK_GATE.ENCODED_RUN_BYTES_MIN) this.decoder.line(line, start, at);
      line += 1;
      left -= 1;
      at += 1;
      context = at;
    }
    if (context < end) this.wakeByContext(context, end);
  }

  /** Behind the marker columns, all of which need not be there in a line that was trimmed. */
  private contentStart(at: number, markers: number): number {
    const lineEnd = this.bytes.indexOf(LF, at);
    return lineEnd === -1 ? at + markers : Math.min(at + markers, lineEnd);
  }

  /** Runs the woken rules on the added line whose bytes are `[start, end)`. */
  private matchLine(line: number, start: number, end: number): void {
    const range = { start, end: end > start && this.bytes[end - 1] === CR ? end - 1 : end };
    this.lineSink.open(line, range);
    if (range.end - range.start > RISK_GATE.LINE_WINDOW_BYTES) {
      this.matchLongLine(range);
      return;
    }
    const text = asUtf8(this.bytes.subarray(range.start, range.end), this.scratch);
    const piece = { text, base: start, from: 0, own: Number.POSITIVE_INFINITY };
    for (let index = 0; index < this.waker.lineCount; index += 1) {
      const rule = this.rules.rules[this.waker.lineRules[index] ?? 0];
      if (rule !== undefined) matchPiece(rule, piece, this.work, this.lineSink);
    }
  }

  private matchLongLine(range: LineRange): void {
    const tools = { work: this.work, scratch: this.scratch, sink: this.lineSink };
    const all = keywordWindows(this.rules.textKeywords, this.bytes, range);
    for (const [id, windows] of all) {
      const rule = this.rules.rules[id];
      if (rule === undefined || rule.target !== 'line' || !this.fileRules.isActive(rule)) continue;
      for (let index = 0; index < windows.length; index += 2) {
        const window = { start: windows[index] ?? 0, end: windows[index + 1] ?? 0 };
        matchWindow(rule, this.bytes, range, window, tools);
      }
    }
  }

  /** Runs what needs the lines of the new side joined: `hunk` rules, and the prefilters. */
  private joined(hunk: Hunk, always: readonly CompiledRule[]): void {
    this.hunkText ??= new HunkText(this.bytes, this.space.hunk);
    const text = this.hunkText;
    const sink = new HunkSink(text, this.bytes, this.report);
    const multiline = [...this.waker.hunkRules, ...always.filter((rule) => rule.target === 'hunk')];
    const everyLine = new Set(always.filter((rule) => rule.target === 'line' && !rule.prefilter));
    const resume = new Map<CompiledRule, number>();
    this.waker.hunkRules.clear();
    text.open(hunk);
    while (text.next()) {
      const { piece } = text;
      for (const rule of multiline) {
        const from = Math.max(piece.from, (resume.get(rule) ?? 0) - piece.base);
        resume.set(rule, matchPiece(rule, { ...piece, from }, this.work, sink));
      }
      for (const rule of always) {
        if (rule.prefilter === null || everyLine.has(rule)) continue;
        this.work.count(piece.text.length);
        if (rule.prefilter.test(piece.text)) everyLine.add(rule);
      }
    }
    if (everyLine.size > 0) this.matchEveryLine(hunk, everyLine);
  }

  /** Runs rules without keywords on each added line. */
  private matchEveryLine(hunk: Hunk, rules: ReadonlySet<CompiledRule>): void {
    const { cursor, bytes } = this;
    const tools = { work: this.work, scratch: this.scratch, sink: this.lineSink };
    cursor.open(hunk);
    while (cursor.next()) {
      if (cursor.kind !== LINE.ADDED) continue;
      const { start, end } = cursor;
      const range = { start, end: end > start && bytes[end - 1] === CR ? end - 1 : end };
      this.lineSink.open(cursor.newLine, range);
      for (const rule of rules) matchWindow(rule, bytes, range, range, tools);
    }
  }
}

/**
 * The header lines that say what happened to the file: modes, renames, its kind. The names around
 * them are left out: rules have `path` for these, and a name could be made to look like a mode.
 */
function extendedHeader(bytes: Buffer, file: DiffFile): LineRange {
  const { headerStart, headerEnd } = file;
  let start = headerStart;
  if (bytes[start] === LOWER_D) start = bytes.indexOf(LF, start) + 1 || headerEnd;
  let end = start;
  while (end < headerEnd && bytes[end] !== MINUS && bytes[end] !== PLUS) {
    end = bytes.indexOf(LF, end) + 1 || headerEnd;
  }
  return { start: Math.min(start, headerEnd), end: Math.min(end, headerEnd) };
}

/** The rules of the group that the text wakes. Most texts wake none, and cost no allocation. */
function wokenRules(group: RuleGroup, bytes: Buffer, range: LineRange): readonly CompiledRule[] {
  const { automaton } = group.keywords;
  if (!hasMatch(automaton, bytes, range.start, range.end)) return group.always;
  const woken = new Set<number>();
  forEachRuleHit(group.keywords, bytes, range, (rule) => woken.add(rule));
  return group.rules.filter((rule) => rule.keywords.length === 0 || woken.has(rule.index));
}
