import type { Document, IndexDescription } from 'mongodb';

interface IndexOptions {
  /** Only these documents are in it. */
  where?: Document;
  unique?: true;
  sparse?: true;
  /** The server removes a document so long after the date in it. */
  keptSeconds?: number;
}

/** An index by these fields, in this order; a `-` stands before one that descends. */
export function index(name: string, fields: string, options: IndexOptions = {}): IndexDescription {
  const { where, keptSeconds, ...rest } = options;
  const key = fields.split(' ').map((field) => {
    return field.startsWith('-') ? ([field.slice(1), -1] as const) : ([field, 1] as const);
  });
  return {
    name,
    key: Object.fromEntries(key),
    ...rest,
    ...(where === undefined ? {} : { partialFilterExpression: where }),
    ...(keptSeconds === undefined ? {} : { expireAfterSeconds: keptSeconds }),
  };
}
