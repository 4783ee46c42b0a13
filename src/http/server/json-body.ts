import { parseJsonBody } from '../../model/json-body.ts';
import { createValidator, type JsonSchema } from '../../model/validate.ts';
import type { Request } from './exchange.ts';

/**
 * Creates the reader of an endpoint's JSON body: for small bodies, which the main thread may parse
 * itself. INVALID_ARGUMENT names what is wrong. No body at all is `{}` where `isOptional`.
 */
export function createBodyReader<T>(
  schema: JsonSchema,
  isOptional = false,
): (request: Request) => Promise<T> {
  const validate = createValidator<T>(schema, 'body');
  return async (request) => {
    const body = await request.body();
    if (isOptional && body.length === 0) return validate({});
    return validate(parseJsonBody(Buffer.from(body)));
  };
}
