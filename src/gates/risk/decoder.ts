import { RISK_GATE } from '../../limits.ts';
import type { DerivedScan, SourceLine } from './derived.ts';
import {
  decodeRun,
  type Encoding,
  encodingOf,
  forEachRun,
  type Run,
  uriAround,
} from './encoded-runs.ts';
import type { Report } from './report.ts';
import type { Scratch } from './utf8.ts';

const ZERO = 0x30;
const LOWER_X = 0x78;
const TO_LOWER = 0x20;

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
    this.lineLeft = RISK_GATE.DECODED_BYTES_PER_LINE_MAX;
    this.source = { number: line, start, end };
    let low = start;
    forEachRun(this.bytes, this.source, (runStart, runEnd) => {
      const run = afterHexMark(this.bytes, { start: runStart, end: runEnd });
      const encoding = runEnd <= low ? null : encodingOf(this.bytes, run);
      if (encoding === null) return;
      const chosen = encoding === 'percent-encoding' ? uriAround(this.bytes, run, low, end) : run;
      low = chosen.end;
      this.decode(this.bytes, chosen, { encoding, via: encoding, depth: 0, source: chosen });
    });
  }

  private decode(
    text: Buffer,
    run: Run,
    step: { encoding: Encoding; via: string; depth: number; source: Run },
  ): void {
    const { encoding, via, depth, source } = step;
    const decoded = this.decoded(text, run, encoding, depth);
    if (decoded.length === 0) return;
    const shown = this.source;
    this.scan.scan(decoded, {
      lineAt: () => shown,
      sourceOf: () => [[source.start, source.end]],
      via,
    });
    if (depth + 1 === RISK_GATE.ENCODED_DEPTH_MAX) return;
    let low = 0;
    forEachRun(decoded, { start: 0, end: decoded.length }, (start, end) => {
      const inner = afterHexMark(decoded, { start, end });
      const innerEncoding = end <= low ? null : encodingOf(decoded, inner);
      if (innerEncoding === null) return;
      const isPercent = innerEncoding === 'percent-encoding';
      const chosen = isPercent ? uriAround(decoded, inner, low, decoded.length) : inner;
      low = chosen.end;
      this.decode(decoded, chosen, {
        encoding: innerEncoding,
        via: `${innerEncoding} in ${via}`,
        depth: depth + 1,
        source,
      });
    });
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
