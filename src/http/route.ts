import type { AuthRow } from '../auth/access.ts';
import type { JsonSchema } from '../domain/validate.ts';

/** One endpoint: everything that auth, validation and the API description need to know of it. */
export interface Route {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * Segments that start with `:` are parameters, `:name.end` those of which `.end` is no part; a
   * last `*` takes the rest of the path. Of several that fit, the first one counts.
   */
  path: string;
  summary: string;
  auth: AuthRow;
  query: JsonSchema | null;
  body: JsonSchema | null;
  /** Most bytes of body; 0 when it takes none. */
  bodyBytesMax: number;
  /** What `data` holds on success; with a `contentType`, the whole body. */
  data: JsonSchema;
  /** Type of a reply without the envelope; absent: JSON in the envelope. */
  contentType?: string;
}
