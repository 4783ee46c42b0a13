import { createHmac } from 'node:crypto';
import { SEVERITIES } from '../../model/finding.ts';
import type { ReviewLine, ReviewPlan } from '../../model/review.ts';
import type { ReviewFinding } from './answer.ts';
import { reviewClass } from './classes.ts';

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
