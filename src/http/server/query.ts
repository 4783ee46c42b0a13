import { CraError } from '../../model/errors.ts';
import type { JsonSchema } from '../../model/validate.ts';

/**
 * A query string as an object, with the values of integer properties as numbers; other text stays
 * text and fails the schema. A repeated parameter is INVALID_ARGUMENT: which of the two counts
 * would be a guess. Parameters that the schema does not know are ignored, or left for it to refuse
 * when it allows no additional ones.
 */
export function readQuery(query: string, schema: JsonSchema): Record<string, string | number> {
  const properties = schema['properties'] as Readonly<Record<string, { type?: unknown }>>;
  const isStrict = schema['additionalProperties'] === false;
  const values: Record<string, string | number> = Object.create(null);
  if (query === '') return values;
  for (const [name, value] of new URLSearchParams(query)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined && !isStrict) continue;
    if (name in values) {
      throw new CraError('INVALID_ARGUMENT', `${name}: is given twice`, {
        details: { field: name },
      });
    }
    values[name] = property?.type === 'integer' && INTEGER.test(value) ? Number(value) : value;
  }
  return values;
}

const INTEGER = /^-?\d{1,15}$/;
