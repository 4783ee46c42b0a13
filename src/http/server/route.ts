import type { AuthRow } from '../../auth/access.ts';
import type { JsonSchema } from '../../model/validate.ts';

/** One endpoint: everything that auth, validation and the API description need to know of it. */
export interface Route {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * Segments that start with `:` are parameters, `:name.end` those of which `.end` is not a part; a
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
  /** Other types of the reply, by the request's Accept; the first may be any. */
  otherTypes?: readonly string[];
  /** Type of the body; absent: JSON. */
  bodyType?: string;
  /** What the envelope has besides `data`. */
  beside?: Readonly<Record<string, JsonSchema>>;
  /** A webhook: its signature stands for a credential. */
  isDelivery?: boolean;
  /**
   * The places that it takes; absent: ordinary. Health and status, and decisions, are answered
   * however many others are under way.
   */
  places?: 'ordinary' | 'status' | 'decisions';
  /** Whether the body may be left out. */
  isBodyOptional?: boolean;
  /** Headers that it goes by, besides those with credentials. */
  headers?: readonly ('Idempotency-Key' | 'If-Match' | 'If-None-Match')[];
  /** Whether the answer names the revision of what it shows in an ETag. */
  hasEtag?: boolean;
  /** Refusals that not every such endpoint has: 404, 409, 412, 429. */
  refusals?: readonly number[];
}
