import { asBuffer } from '../../diff/bytes.ts';
import { BODY } from '../../limits.ts';
import { ANALYZE_REQUEST, type AnalyzeRequest } from '../../model/analyze-request.ts';
import { checkJsonValues, invalidField, parseJsonBody } from '../../model/json-body.ts';
import { createValidator } from '../../model/validate.ts';

const validate = createValidator<AnalyzeRequest>(ANALYZE_REQUEST, 'body');

const NAMES = ['repo_name', 'branch', 'commitSha', 'repoFullName'] as const;

/**
 * Reads the body of `POST analyze`. Throws INVALID_ARGUMENT naming what is wrong: no UTF-8, no
 * JSON, a missing or wrong field, a name with a lone surrogate. The diff itself may hold
 * anything; what it can't encode becomes U+FFFD.
 */
export function readAnalyzeBody(body: Uint8Array): AnalyzeRequest {
  const bytes = asBuffer(body);
  if (bytes.length > BODY.UNCOUNTED_BYTES_MAX) checkJsonValues(bytes, BODY.VALUES_MAX);
  const request = validate(parseJsonBody(bytes));
  for (const name of NAMES) {
    if (request[name]?.isWellFormed() === false) {
      throw invalidField(name, 'holds a lone surrogate');
    }
  }
  if (request.postVcsStatus === true) {
    if (!request.commitSha) throw invalidField('commitSha', 'is required with postVcsStatus');
    if (!request.repoFullName) {
      throw invalidField('repoFullName', 'is required with postVcsStatus');
    }
  }
  return request;
}
