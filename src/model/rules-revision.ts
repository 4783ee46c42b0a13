import { createHash } from 'node:crypto';
import type { RuleSet } from './rules.ts';

const REVISION_HEX_DIGITS = 16;

/** The revision of a rule set: a hash of its content, so that equal rules have one revision. */
export function rulesRevision(rules: RuleSet): string {
  const json = JSON.stringify(sorted(rules));
  return createHash('sha256').update(json).digest('hex').slice(0, REVISION_HEX_DIGITS);
}

/** The same value with the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]));
}
