import { CraError } from '../domain/errors.ts';
import { parseJsonBody } from '../domain/json-body.ts';

/**
 * The payload of a webhook: JSON, or a form with the JSON in its field `payload` (what GitHub's
 * API sets up when it is not told otherwise). Throws INVALID_ARGUMENT.
 */
export function readDeliveryBody(body: Uint8Array, isForm: boolean): unknown {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isForm) return parseJsonBody(bytes);
  const payload = new URLSearchParams(bytes.toString()).get('payload');
  if (payload === null) {
    throw new CraError('INVALID_ARGUMENT', 'payload: is missing in the form', {
      details: { field: 'payload' },
    });
  }
  return parseJsonBody(Buffer.from(payload));
}
