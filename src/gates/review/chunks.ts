import type { ReviewHunk, ReviewLine, ReviewPlan } from '../../model/review.ts';

/**
 * Bounds of one call. Errors of models grow with the length of what they read (SWE-PRBench: all of
 * 8 models get worse with more context), so a call reads a few thousand tokens (3.2 to 3.8 bytes
 * each).
 */
const TARGET_BYTES = 28_000;
const CHUNK_BYTES_MAX = 80_000;
const CALLS_MAX = 8;
/** More text than all calls together can read. */
export const REVIEW_BYTES_MAX = CALLS_MAX * CHUNK_BYTES_MAX;
/** A line that is longer is cut into lines of this length, each with the same number. */
const LINE_CHARS_MAX = 2_000;

/** Spreads the hunks of a change over calls, the riskiest first. */
export function planReview(hunks: readonly ReviewHunk[]): ReviewPlan {
  const ordered = hunks
    .flatMap(splitHunk)
    .map((hunk, index) => ({ hunk, index, bytes: bytesOf(hunk) }))
    .sort((one, other) => other.hunk.priority - one.hunk.priority || one.index - other.index);
  const chunks: ReviewPlan['chunks'] = [];
  const left = new Set<string>();
  for (const { hunk, bytes } of ordered) {
    const last = chunks.at(-1);
    if (last !== undefined && last.bytes + bytes <= TARGET_BYTES) {
      last.hunks.push(hunk);
      last.bytes += bytes;
    } else if (chunks.length < CALLS_MAX) {
      chunks.push({ hunks: [hunk], bytes });
    } else {
      left.add(hunk.path);
    }
  }
  const paths = [...new Set(hunks.map(({ path }) => path))];
  return { chunks, paths, left: [...left] };
}

/** A hunk above the bound of a call becomes several; a long line becomes several lines. */
function splitHunk(hunk: ReviewHunk): ReviewHunk[] {
  const parts: ReviewHunk[] = [];
  let lines: ReviewLine[] = [];
  let bytes = 0;
  for (const line of hunk.lines.flatMap(splitLine)) {
    const size = Buffer.byteLength(line.text) + LINE_OVERHEAD_BYTES;
    if (bytes + size > CHUNK_BYTES_MAX && lines.length > 0) {
      parts.push({ ...hunk, lines });
      lines = [];
      bytes = 0;
    }
    lines.push(line);
    bytes += size;
  }
  if (lines.length > 0) parts.push({ ...hunk, lines });
  return parts;
}

function splitLine(line: ReviewLine): ReviewLine[] {
  if (line.text.length <= LINE_CHARS_MAX) return [line];
  const parts: ReviewLine[] = [];
  for (let at = 0; at < line.text.length; at += LINE_CHARS_MAX) {
    const text = line.text.slice(at, at + LINE_CHARS_MAX).toWellFormed();
    parts.push({ ...line, text });
  }
  return parts;
}

/** Number and mark of a line in the prompt. */
const LINE_OVERHEAD_BYTES = 14;

function bytesOf({ lines, path }: ReviewHunk): number {
  const overhead = lines.length * LINE_OVERHEAD_BYTES + Buffer.byteLength(path);
  return lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), overhead);
}
