import type { Static } from 'typebox';
import { parseJsonBody } from '../../model/json-body.ts';
import { createValidator, type JsonSchema } from '../../model/validate.ts';
import type { Request } from './exchange.ts';

/**
 * Creates the reader of an endpoint's JSON body, typed by its schema: for small bodies, which the
 * main thread may parse itself. INVALID_ARGUMENT names the wrong field. An absent body is `{}` if
 * `isOptional`.
 */
export function createBodyReader<S extends JsonSchema>(
  schema: S,
  isOptional = false,
): (request: Request) => Promise<Static<S>> {
  const validate = createValidator<Static<S>>(schema, 'body');
  return async (request) => {
    const body = await request.body();
    if (isOptional && body.length === 0) return validate({});
    return validate(parseJsonBody(Buffer.from(body)));
  };
}
