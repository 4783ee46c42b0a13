import { createHmac } from 'node:crypto';
import {
  type GateFinding,
  plainFinding,
  SEVERITIES,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import type { ReviewChunk, ReviewLine, ReviewPlan } from '../../model/review.ts';
import { reviewClass } from './classes.ts';
import { type ReviewPrompt, visible } from './prompt.ts';

/** JSON Schema of an answer, for vendors that hold a model to one. */
export const ANSWER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['receipt_start', 'receipt_end', 'files', 'findings'],
  properties: {
    receipt_start: { type: 'string' },
    receipt_end: { type: 'string' },
    files: { type: 'array', items: { type: 'integer' } },
    findings: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['file', 'side', 'line', 'quote', 'why', 'class', 'attacker_input', 'guard'],
        properties: {
          file: { type: 'integer' },
          side: { type: 'string', enum: ['added', 'removed', 'context'] },
          line: { type: 'integer' },
          quote: { type: 'string' },
          why: { type: 'string' },
          class: { type: 'string' },
          attacker_input: { type: 'string', enum: ['yes', 'no', 'unclear'] },
          guard: { type: 'string' },
        },
      },
    },
  },
} as const;

/** A finding of one answer, checked and graded by our table. */
export interface ReviewFinding {
  class: string;
  severity: Severity;
  path: string;
  line: number;
  side: ReviewLine['side'];
  /** The line as it was sent: redacted. */
  text: string;
  /** The model's words: untrusted, at most 400 plain characters. */
  why: string;
  /** No model has found it now: an earlier review blocked this line. */
  isCarried?: true;
}

/** What a model found in a chunk that it has read. */
export interface Reading {
  findings: ReviewFinding[];
  /** Findings whose line is not in the data: shown as informational, never dropped. */
  unlocated: number;
}

/** What an answer is worth: findings that were checked, or why it does not count as a reading. */
export type CheckedAnswer = ({ kind: 'read' } & Reading) | { kind: 'invalid'; why: string };

const FINDINGS_MAX = 200;
const WHY_CHARS_MAX = 400;
/** Fewer tokens than bytes divided by this mean that the server clipped the prompt. */
const BYTES_PER_TOKEN_MAX = 6;

/**
 * Checks an answer: it is JSON of the schema, repeats both receipts, lists every file, and was
 * made from the whole prompt. A finding that is odd is not a reason to drop the others.
 */
export function checkAnswer(
  text: string,
  chunk: ReviewChunk,
  prompt: ReviewPrompt,
  promptTokens: number,
): CheckedAnswer {
  const answer = parseObject(text);
  if (answer === null) return { kind: 'invalid', why: 'the answer is not a JSON object' };
  const bytes = Buffer.byteLength(prompt.system) + Buffer.byteLength(prompt.user);
  if (promptTokens < bytes / BYTES_PER_TOKEN_MAX) {
    const why = `the server counted ${promptTokens} tokens for ${bytes} bytes, so it cut the prompt`;
    return { kind: 'invalid', why };
  }
  if (answer['receipt_start'] !== prompt.receiptStart) {
    return { kind: 'invalid', why: 'the first line of the data was not repeated' };
  }
  if (answer['receipt_end'] !== prompt.receiptEnd) {
    return { kind: 'invalid', why: 'the last line of the data was not repeated' };
  }
  const { files, findings } = answer;
  if (!Array.isArray(files) || !prompt.files.every((_, index) => files.includes(index + 1))) {
    return { kind: 'invalid', why: 'the answer does not list every file' };
  }
  if (!Array.isArray(findings) || findings.length > FINDINGS_MAX) {
    return { kind: 'invalid', why: `findings is not a list of at most ${FINDINGS_MAX}` };
  }
  const checked = findings.map((each: unknown) => locate(each, chunk, prompt.files));
  const found = checked.filter((each) => each !== null);
  return { kind: 'read', findings: found, unlocated: checked.length - found.length };
}

/** Models like to put JSON into a code block. */
function parseObject(text: string): Record<string, unknown> | null {
  const bare = text.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, '$1');
  try {
    const value: unknown = JSON.parse(bare);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The finding with its line in the data; null: no such line was sent. */
function locate(
  given: unknown,
  chunk: ReviewChunk,
  files: readonly string[],
): ReviewFinding | null {
  if (typeof given !== 'object' || given === null) return null;
  const {
    file,
    side,
    line,
    quote,
    why,
    class: name,
    attacker_input,
    guard,
  } = given as Record<string, unknown>;
  const path = files[Number(file) - 1];
  const known = typeof name === 'string' ? reviewClass(name) : undefined;
  if (path === undefined || typeof quote !== 'string') return null;
  const lines = chunk.hunks.filter((hunk) => hunk.path === path).flatMap((hunk) => hunk.lines);
  const same = lines.filter((each) => normalized(visible(each.text)) === normalized(quote));
  const exact = same.find((each) => each.number === line && each.side === side);
  const located = exact ?? (same.length === 1 ? same[0] : undefined);
  if (located === undefined || normalized(quote) === '') return null;
  const isProven = attacker_input === 'yes' && (guard === '' || guard === undefined);
  return {
    class: known?.id ?? 'other',
    severity: grade(known?.severity ?? 'medium', isProven),
    path,
    line: located.number,
    side: located.side,
    text: located.text,
    why: plainText(why),
  };
}

function normalized(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** One step lower when the model does not claim input of an attacker, or sees a guard. */
function grade(severity: Severity, isProven: boolean): Severity {
  if (isProven) return severity;
  return SEVERITIES[Math.min(severityRank(severity) + 1, severityRank('low'))] ?? 'low';
}

/** The model's explanation without links, markup, mentions and control characters. */
function plainText(why: unknown): string {
  if (typeof why !== 'string') return '';
  return why
    .replaceAll(/[^\p{L}\p{N}\p{P}\p{Zs}+=$^~|]/gu, ' ')
    .replaceAll(/[a-z]+:\/\/\S+/gi, '[link]')
    .replaceAll(/[<>`@[\]()]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, WHY_CHARS_MAX)
    .toWellFormed();
}

/** The finding as the RFC shows it; `fingerprint` is the keyed hash of class and line. */
export function toGateFinding(finding: ReviewFinding, fingerprint: string): GateFinding {
  const known = reviewClass(finding.class);
  return plainFinding({
    id: `llm-${finding.class}`,
    gate: 'llm',
    severity: finding.severity,
    message: known?.message ?? '',
    file: finding.path,
    line: finding.side === 'removed' ? null : finding.line,
    excerpt: finding.text.slice(0, EXCERPT_CHARS_MAX).toWellFormed(),
    fingerprint,
    cwe: known?.cwe ?? null,
    fix: known?.fix ?? null,
  });
}

const EXCERPT_CHARS_MAX = 200;

/** What blocked once stays with its line: to ask a model again must not be worth it. */

/** Shorter lines, white space left out, stand in too many places to tell one apart. */
const LINE_CHARS_MIN = 8;
/** 64 bits tell the lines of a repository apart. */
const KEY_DIGITS = 16;

/** The key of a line, whatever file it stands in; empty: nothing is remembered of it. */
export function lineKey(
  key: Uint8Array,
  { side, text }: Pick<ReviewLine, 'side' | 'text'>,
): string {
  const words = text.replaceAll(/\s+/g, ' ').trim();
  if (side === 'context' || words.replaceAll(' ', '').length < LINE_CHARS_MIN) return '';
  const hash = createHmac('sha256', key).update(`line\0${side}\0${words}`).digest('hex');
  return hash.slice(0, KEY_DIGITS);
}

/** A finding as it is remembered. */
export function remembered(finding: ReviewFinding): { kind: string; json: string } {
  const { class: kind, severity } = finding;
  return { kind, json: JSON.stringify({ class: kind, severity }) };
}

/** The findings that earlier reviews have left on lines of a change. */
export function carriedFindings(
  { chunks }: ReviewPlan,
  lineKeys: readonly (readonly string[])[],
  recalled: readonly { line_key: string; json: string }[],
): ReviewFinding[] {
  const byKey = new Map<string, string[]>();
  for (const { line_key, json } of recalled) {
    byKey.set(line_key, [...(byKey.get(line_key) ?? []), json]);
  }
  return chunks.flatMap(({ hunks }, index) => {
    const keys = lineKeys[index] ?? [];
    const lines = hunks.flatMap(({ path, lines: own }) => own.map((line) => ({ path, ...line })));
    return lines.flatMap((line, at) =>
      (byKey.get(keys[at] ?? '') ?? []).flatMap((json) => carriedTo(line, json)),
    );
  });
}

function carriedTo(
  { path, number, side, text }: ReviewLine & { path: string },
  json: string,
): ReviewFinding[] {
  const { class: name, severity: given } = JSON.parse(json) as Record<string, unknown>;
  const severity = SEVERITIES.find((each) => each === given);
  if (typeof name !== 'string' || severity === undefined || reviewClass(name) === undefined) {
    return [];
  }
  return [{ class: name, severity, path, line: number, side, text, why: '', isCarried: true }];
}
