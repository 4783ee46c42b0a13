import {
  type GateFinding,
  plainFinding,
  SEVERITIES,
  type Severity,
  severityRank,
} from '../../model/finding.ts';
import type { ReviewChunk, ReviewLine } from '../../model/review.ts';
import { reviewClass } from './classes.ts';
import { createPlacer } from './placement.ts';
import type { ReviewPrompt } from './prompt.ts';

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
  /** Null: it is about a file that the chunk does not have, so about the change. */
  path: string | null;
  /** Null, with `side`: the model quoted no line of the change, so the finding has no place. */
  line: number | null;
  side: ReviewLine['side'] | null;
  /** The line as it was sent: redacted; empty without a line. */
  text: string;
  /** The model's words: untrusted, at most 400 plain characters. */
  why: string;
  /** No model has found it now: an earlier review blocked this line. */
  isCarried?: true;
}

/** What a model found in a chunk that it has read. */
export interface Reading {
  findings: ReviewFinding[];
  /** Entries that are not objects, so not findings. */
  malformed: number;
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
  const given: readonly unknown[] = findings;
  const objects = given.filter(isObject);
  const place = createPlacer(chunk);
  const found = objects.map((each) => toFinding(each, place, prompt.files));
  return { kind: 'read', findings: found, malformed: given.length - objects.length };
}

/** Models like to put JSON into a code block. */
function parseObject(text: string): Record<string, unknown> | null {
  const bare = text.trim().replace(/^```(?:json)?\s*\n([\s\S]*)\n```$/, '$1');
  try {
    const value: unknown = JSON.parse(bare);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The finding with the line that it quotes, else about its file, else about the change. */
function toFinding(
  given: Record<string, unknown>,
  place: ReturnType<typeof createPlacer>,
  files: readonly string[],
): ReviewFinding {
  const { file, side, line, quote, why, class: name, attacker_input, guard } = given;
  const named = files[Number(file) - 1];
  const known = typeof name === 'string' ? reviewClass(name) : undefined;
  const placed = place({ path: named, side, line, quote });
  const isProven = saysYes(attacker_input) && !namesGuard(guard);
  return {
    class: known?.id ?? 'other',
    severity: grade(known?.severity ?? 'medium', isProven),
    path: placed?.path ?? named ?? null,
    line: placed?.number ?? null,
    side: placed?.side ?? null,
    text: placed?.text ?? '',
    why: plainText(why),
  };
}

/** Models without a strict schema spell it in their own way. */
function saysYes(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^\W*(?:yes|true)\W*$/i.test(value));
}

/** Words by which models say that they see no guard. */
const NO_GUARD =
  /^\W*(?:(?:no|not|none|nothing|null|nil|undefined|false|n\W?a)(?:\W+(?:guard|guarded|found))?)?\W*$/i;

/** Longer texts describe a guard; the bound also keeps the expression fast. */
const NO_GUARD_CHARS_MAX = 40;

/** Whether a model names a guard against the input; only a text can. */
function namesGuard(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const words = value.trim();
  return words.length > NO_GUARD_CHARS_MAX || !NO_GUARD.test(words);
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
    ...(known === undefined ? {} : { title: known.title }),
    message: [known?.message ?? '', ...(finding.line === null ? [UNPLACED] : [])].join(' '),
    file: finding.path,
    line: finding.side === 'removed' ? null : finding.line,
    excerpt: finding.line === null ? null : finding.text.slice(0, EXCERPT_CHARS_MAX).toWellFormed(),
    fingerprint,
    cwe: known?.cwe ?? null,
    fix: known?.fix ?? 'Look at the lines, and mend what the message names.',
  });
}

const EXCERPT_CHARS_MAX = 200;
const UNPLACED = 'The text that the model quotes is not in the change, so its line is not known.';
