import { RISK_GATE } from '../../limits.ts';
import type { DerivedScan, SourceLine } from './derived.ts';
import {
  decodeRun,
  type Encoding,
  encodingOf,
  nextRun,
  type Run,
  type RunSearch,
  uriAround,
} from './encoded-runs.ts';
import type { Report } from './report.ts';
import type { Scratch } from './utf8.ts';

const ZERO = 0x30;
const LOWER_X = 0x78;
const TO_LOWER = 0x20;

/** A run that is decoded, and what was decoded before to get to its text. */
interface Step {
  encoding: Encoding;
  /** For people: "base64 in hex". */
  via: string;
  depth: number;
  /** Where the outermost run stands in the diff. */
  source: Run;
}

/**
 * Decodes what is encoded in added lines (base64, hex, percent-encoding, to ENCODED_DEPTH_MAX) and
 * has the secret rules run over it. The bytes decoded per line, hunk and diff are bounded; text
 * that is left out is reported, as it could hide something.
 *
 * What is decoded: runs of ENCODED_RUN_BYTES_MIN or more characters whose beginning decodes to
 * text. A run that starts with something else (a path, an identifier) is not tried at other
 * offsets, and base64 that is broken into several lines is decoded line by line.
 */
export class Decoder {
  private readonly bytes: Buffer;
  private readonly scan: DerivedScan;
  private readonly report: Report;
  /** One buffer for each depth. */
  private readonly buffers: readonly Scratch[];
  private readonly first: RunSearch = { from: 0, limit: 0, start: 0, end: 0 };
  private lineLeft = 0;
  private hunkLeft = 0;
  private diffLeft: number = RISK_GATE.DECODED_BYTES_PER_DIFF_MAX;
  private source: SourceLine = { number: 0, start: 0, end: 0 };

  constructor(bytes: Buffer, scan: DerivedScan, buffers: readonly Scratch[], report: Report) {
    this.buffers = buffers;
    this.bytes = bytes;
    this.scan = scan;
    this.report = report;
  }

  openHunk(): void {
    this.hunkLeft = RISK_GATE.DECODED_BYTES_PER_HUNK_MAX;
  }

  /** `line` is the 1-based number in the new file, `[start, end)` its content in the diff. */
  line(line: number, start: number, end: number): void {
    const { first } = this;
    first.from = start;
    first.limit = end;
    // Most lines hold no run, and cost nothing but this look.
    if (!nextRun(this.bytes, first)) return;
    this.lineLeft = RISK_GATE.DECODED_BYTES_PER_LINE_MAX;
    this.source = { number: line, start, end };
    this.runs(this.bytes, first.start, { start, end }, null);
  }

  /** Decodes the runs from `from` on in `range` of a text; `outer` says how it was got. */
  private runs(text: Buffer, from: number, range: Run, outer: Step | null): void {
    const search = { from, limit: range.end, start: from, end: from };
    while (nextRun(text, search)) {
      const run = afterHexMark(text, search);
      const encoding = encodingOf(text, run);
      if (encoding === null) continue;
      const isUri = encoding === 'percent-encoding';
      const chosen = isUri ? uriAround(text, run, range.start, range.end) : run;
      search.from = Math.max(search.from, chosen.end);
      const via = outer === null ? encoding : `${encoding} in ${outer.via}`;
      const depth = outer === null ? 0 : outer.depth + 1;
      this.decode(text, chosen, { encoding, via, depth, source: outer?.source ?? chosen });
    }
  }

  private decode(text: Buffer, run: Run, step: Step): void {
    const { encoding, via, depth, source } = step;
    const decoded = this.decoded(text, run, encoding, depth);
    if (decoded.length === 0) return;
    const shown = this.source;
    this.scan.scan(decoded, {
      lineAt: () => shown,
      sourceOf: () => [[source.start, source.end]],
      via: `It stands here encoded (${via}).`,
    });
    if (depth + 1 === RISK_GATE.ENCODED_DEPTH_MAX) return;
    this.runs(decoded, 0, { start: 0, end: decoded.length }, step);
  }

  /** The decoded text, as much as the budgets have left. */
  private decoded(text: Buffer, run: Run, encoding: Encoding, depth: number): Buffer {
    const room = Math.min(this.lineLeft, this.hunkLeft, this.diffLeft);
    // Decoded text is never longer than its encoding.
    const wanted = run.end - run.start;
    const taken = Math.min(wanted, room);
    if (taken < wanted) this.report.leaveEncoded(this.source.number);
    this.lineLeft -= taken;
    this.hunkLeft -= taken;
    this.diffLeft -= taken;
    const target = this.buffers[depth]?.take(taken) ?? Buffer.alloc(taken);
    const cut = { start: run.start, end: run.start + taken };
    return target.subarray(0, decodeRun(text, cut, encoding, target));
  }
}

/** `0x` belongs to the notation, not to the digits. */
function afterHexMark(text: Uint8Array, run: Run): Run {
  const hasMark = text[run.start] === ZERO && ((text[run.start + 1] ?? 0) | TO_LOWER) === LOWER_X;
  return hasMark ? { start: run.start + 2, end: run.end } : run;
}
