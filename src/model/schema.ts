/** Parts of the JSON Schemas that entities and routes are declared with; types come from them. */

export const TEXT = { type: 'string' } as const;
export const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
export const COUNT = { type: 'integer', minimum: 0 } as const;
export const SCORE = { type: 'integer', minimum: 0, maximum: 100 } as const;
export const TIME = { type: 'string', description: 'ISO 8601, UTC' } as const;

/** An object with exactly these fields, all of them required. */
export function exactly<const P extends Record<string, object>>(properties: P): Exactly<P> {
  return {
    type: 'object',
    required: Object.keys(properties) as Names<keyof P>,
    properties,
    additionalProperties: false,
  };
}

type Exactly<P> = {
  readonly type: 'object';
  readonly required: Names<keyof P>;
  readonly properties: P;
  readonly additionalProperties: false;
};

/** `Static` takes as required what it finds in a tuple, so the names have to be one. */
type Names<Name> = [Name] extends [never] ? [] : [...Names<Exclude<Name, Last<Name>>>, Last<Name>];

/** One member of a union: the result of the last overload, as the compiler infers it. */
type Last<Union> = (Union extends unknown ? (each: () => Union) => void : never) extends (
  each: infer Overloads,
) => void
  ? Overloads extends () => infer Member
    ? Member
    : never
  : never;
