import { ANALYZE_ANSWER, type AnalyzeAnswer } from '../model/answer.ts';
import { CraError } from '../model/errors.ts';
import { type RfcStatus, STATUSES } from '../model/rfc.ts';

/**
 * Whether an answer has the fields of analyze, of their types. Fields, severities and bounds that
 * the schema does not have are accepted: the service may be newer. (TypeBox would refuse them, and
 * loading it takes longer than the rest of the command.)
 */
export function isAnswer(data: unknown): data is AnalyzeAnswer {
  if (!hasTypes(data, ANALYZE_ANSWER)) return false;
  const { overall_status: status } = data as AnalyzeAnswer;
  return STATUSES.includes(status);
}

/** The error for an answer that is not of analyze. */
export function notOurAnswer(): CraError {
  const message = 'the server did not answer like a cra service: check the address';
  return new CraError('UNKNOWN', message);
}

/** The exit code for a status: 0 accepted, 1 blocked or rejected, 2 not decided yet. */
export function exitCode(status: RfcStatus): 0 | 1 | 2 {
  if (status === 'PASSED' || status === 'APPROVED' || status === 'OVERRIDDEN') return 0;
  return status === 'DRAFT' ? 2 : 1;
}

/** The keywords of JSON Schema that say of which type a value is. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
}

function hasTypes(value: unknown, shape: Shape): boolean {
  const { type, anyOf, properties = {}, required = [], items } = shape;
  if (anyOf !== undefined) return anyOf.some((one) => hasTypes(value, one));
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return false;
  if (Array.isArray(value))
    return items === undefined || value.every((one) => hasTypes(one, items));
  const fields = Object(value) as Record<string, unknown>;
  // The RFC itself has null where the answer of analyze has no field.
  const isAbsent = (name: string) =>
    fields[name] === undefined || (fields[name] === null && !required.includes(name));
  return (
    required.every((name) => fields[name] !== undefined) &&
    Object.entries(properties).every(([name, own]) => isAbsent(name) || hasTypes(fields[name], own))
  );
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
