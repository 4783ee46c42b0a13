import { Compile } from 'typebox/schema';
import { CraError } from './errors.ts';
import { PATTERN_PROBLEMS } from './ids.ts';

/** A JSON Schema, written as data so that no builder has to be loaded in threads. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What is wrong with a field, named like `risk_patterns.0.id`. */
export interface FieldProblem {
  field: string;
  problem: string;
}

/**
 * Compiles a schema into a check. The check returns the value, typed, or throws INVALID_ARGUMENT
 * with a message that names the first wrong field (`details.field`) and what is wrong with it.
 * `what` names the whole in messages: "body", "query".
 */
export function createValidator<T>(schema: JsonSchema, what: string): (value: unknown) => T {
  const find = createProblemFinder(schema, what);
  return (value) => {
    const [first] = find(value);
    if (first === undefined) return value as T;
    const { field, problem } = first;
    throw new CraError('INVALID_ARGUMENT', `${field}: ${problem}`, { details: { field } });
  };
}

/** The same check, but it lists everything that is wrong; nothing: the value fits. */
export function createProblemFinder(
  schema: JsonSchema,
  what: string,
): (value: unknown) => FieldProblem[] {
  let compiled: ReturnType<typeof Compile> | null = null;
  return (value) => {
    // At its first use: a start would wait for the schemas of all routes.
    compiled ??= Compile(schema);
    const validator = compiled;
    if (validator.Check(value)) return [];
    const errors = validator.Errors(value)[1] as readonly SchemaError[];
    if (errors.length === 0) return [{ field: what, problem: 'is not valid' }];
    return errors.map((error) => ({ field: fieldOf(error, what), problem: problemOf(error) }));
  };
}

interface SchemaError {
  keyword: string;
  instancePath: string;
  params: Readonly<Record<string, unknown>>;
  message: string;
}

function fieldOf(error: SchemaError, what: string): string {
  const named = error.params['requiredProperties'] ?? error.params['additionalProperties'];
  const name = Array.isArray(named) ? `/${String(named[0])}` : '';
  return `${error.instancePath}${name}`.slice(1).replaceAll('/', '.') || what;
}

function problemOf(error: SchemaError): string {
  const { limit, allowedValues } = error.params;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known field';
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'pattern':
      return (
        PATTERN_PROBLEMS.get(error.params['pattern']) ?? 'holds a character that is not allowed'
      );
    case 'enum':
      return `must be one of ${Array.isArray(allowedValues) ? allowedValues.join(', ') : '...'}`;
    default:
      return error.message;
  }
}
