import { RULES_FILE } from '../../model/rules.ts';
import {
  ANALYZE_ANSWER,
  DECISION,
  DECISION_ANSWER,
  FINDING,
  GATE,
  PRINCIPAL,
  RFC,
  RFC_SUMMARY,
  STATS,
} from '../api/schemas.ts';
import {
  PROD_DECISION,
  REVISION_ANSWER,
  STATUS_REPORT,
  TASK,
  USAGE_DAY,
} from '../api/schemas-desk.ts';
import { PORTABLE } from './patterns.ts';

/** Schemas that the document has once, under a name. */
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
 * A schema in which each named one is a reference (itself too, unless it `isDefinition`) and each
 * pattern an expression for all languages.
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
