import { signal } from '@preact/signals';
import type { RfcStatus } from '../model/rfc.ts';

/** The terms of a search (`GET rfcs?q=`), as links change them. */

/** A term of a search: a value with blanks stands in quotation marks. */
export function termFor(key: string, value: string): string {
  return `${key}:${/[\s"\\]/.test(value) ? quoted(value) : value}`;
}

/** Text in quotation marks, as a search has it. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;
}

/** A term of a search, and the spaces before it. */
function termPattern(key: string): RegExp {
  return new RegExp(`(?:^|\\s+)${key}:(?:"((?:[^"\\\\]|\\\\.)*)"|(\\S+))`, 'is');
}

/** The value of a term of a search; null when it is absent. */
export function termOf(q: string, key: string): string | null {
  const match = termPattern(key).exec(q);
  return match === null ? null : (match[1]?.replace(/\\(.)/gs, '$1') ?? match[2] ?? '');
}

/** The search with another value of a term; null: without the term. */
export function withTerm(q: string, key: string, value: string | null): string {
  const rest = q.replace(termPattern(key), '').trim();
  return value === null ? rest : `${termFor(key, value)} ${rest}`.trim();
}

/** How many changes of each status a search finds without its status. */
export const statusCounts = signal<{ rest: string; of(status: RfcStatus): string } | null>(null);
