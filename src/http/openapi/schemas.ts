import { RULES_FILE } from '../../model/rules.ts';
import { FULL_NAME, WHOLE, WORDS } from '../../model/text-patterns.ts';
import { ANALYZE_ANSWER } from '../api/analyze.ts';
import { DECISION, DECISION_ANSWER } from '../api/decisions.ts';
import { PRINCIPAL } from '../api/fields.ts';
import { PROD_DECISION } from '../api/prod-check.ts';
import { FINDING, GATE, RFC, RFC_SUMMARY, STATS } from '../api/rfc.ts';
import { REVISION_ANSWER } from '../api/rules.ts';
import { STATUS_REPORT } from '../api/status.ts';
import { TASK } from '../api/tasks.ts';
import { USAGE_DAY } from '../api/usage.ts';

/**
 * Control and format characters (Unicode, Cc and Cf). Those beyond the first plane are written
 * literally: no escape for them works in all languages.
 */
const INVISIBLE = [
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2',
  '\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb',
  '\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}',
  '\u{e0001}\u{e0020}-\u{e007f}',
].join('');

/**
 * Our patterns as expressions that mean the same in Python, Go, Rust and ECMAScript: without
 * Unicode classes, and without lone surrogates, which text in those languages cannot hold.
 */
const PORTABLE: ReadonlyMap<unknown, string> = new Map([
  [WHOLE, '^[^\\u0000]*$'],
  [WORDS, `^[^\\u0000]*[^\\s${INVISIBLE}][^\\u0000]*$`],
  // Go and Rust have no look-ahead, so this pattern does not exclude `..` and `.git`.
  [FULL_NAME, '^[0-9A-Za-z_.][0-9A-Za-z_.-]*(?:/[0-9A-Za-z_.][0-9A-Za-z_.-]*)+$'],
]);

/** Schemas that stand once in the document, under these names. */
export const NAMED_SCHEMAS: ReadonlyMap<object, string> = new Map<object, string>([
  [ANALYZE_ANSWER, 'Analysis'],
  [RFC, 'Rfc'],
  [RFC_SUMMARY, 'RfcSummary'],
  [GATE, 'GateResult'],
  [FINDING, 'Finding'],
  [STATS, 'DiffStats'],
  [PRINCIPAL, 'Principal'],
  [DECISION, 'Decision'],
  [DECISION_ANSWER, 'Decided'],
  [PROD_DECISION, 'ProdDecision'],
  [TASK, 'WorkerTask'],
  [USAGE_DAY, 'UsageDay'],
  [RULES_FILE, 'RulesFile'],
  [REVISION_ANSWER, 'RulesRevision'],
  [STATUS_REPORT, 'StatusReport'],
]);

/**
 * The schema with a reference in place of each named schema (itself too, unless it `isDefinition`)
 * and with portable patterns.
 */
export function withReferences(schema: unknown, isDefinition = false): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((entry) => withReferences(entry));
  const name = NAMED_SCHEMAS.get(schema);
  if (name !== undefined && !isDefinition) return { $ref: `#/components/schemas/${name}` };
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'pattern' ? (PORTABLE.get(value) ?? value) : withReferences(value),
    ]),
  );
}
