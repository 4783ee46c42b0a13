import { Compile } from 'typebox/schema';
import { CraError } from './errors.ts';

/** A JSON Schema, written as data so that no builder has to be loaded in threads. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Compiles a schema into a check. The check returns the value, typed, or throws INVALID_ARGUMENT
 * with a message that names the first wrong field (`details.field`) and what is wrong with it.
 * `what` names the whole in messages: "body", "query".
 */
export function createValidator<T>(schema: JsonSchema, what: string): (value: unknown) => T {
  const validator = Compile(schema);
  return (value) => {
    if (validator.Check(value)) return value as T;
    const [, errors] = validator.Errors(value);
    throw invalid(errors[0] as SchemaError | undefined, what);
  };
}

interface SchemaError {
  keyword: string;
  instancePath: string;
  params: Readonly<Record<string, unknown>>;
  message: string;
}

function invalid(error: SchemaError | undefined, what: string): CraError {
  const missing = error?.params['requiredProperties'];
  const name = Array.isArray(missing) ? `/${String(missing[0])}` : '';
  const field = `${error?.instancePath ?? ''}${name}`.slice(1).replaceAll('/', '.') || what;
  return new CraError('INVALID_ARGUMENT', `${field}: ${problemOf(error)}`, { details: { field } });
}

function problemOf(error: SchemaError | undefined): string {
  if (error === undefined) return 'is not valid';
  const { limit, allowedValues } = error.params;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'pattern':
      return 'holds a character that is not allowed';
    case 'enum':
      return `must be one of ${Array.isArray(allowedValues) ? allowedValues.join(', ') : '...'}`;
    default:
      return error.message;
  }
}
