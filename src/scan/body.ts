import { asBuffer } from '../diff/bytes.ts';
import { ANALYZE_REQUEST, type AnalyzeRequest } from '../domain/analyze-request.ts';
import { invalidField, parseJsonBody } from '../domain/json-body.ts';
import { createValidator } from '../domain/validate.ts';
import { BODY } from '../limits.ts';

const validate = createValidator<AnalyzeRequest>(ANALYZE_REQUEST, 'body');

const NAMES = ['repo_name', 'branch', 'commitSha', 'repoFullName'] as const;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const COMMA = 0x2c;

/**
 * Reads the body of `POST analyze`. Throws INVALID_ARGUMENT naming what is wrong: no UTF-8, no
 * JSON, a missing or wrong field, a name with a lone surrogate. The diff itself may hold
 * anything; what it can't encode becomes U+FFFD.
 */
export function readAnalyzeBody(body: Uint8Array): AnalyzeRequest {
  const bytes = asBuffer(body);
  if (bytes.length > BODY.UNCOUNTED_BYTES_MAX) checkValues(bytes);
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

/** Refuses a body whose sheer number of values would fill the heap of the thread. */
function checkValues(bytes: Buffer): void {
  let inString = false;
  let values = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte === QUOTE) inString = !inString;
    else if (inString && byte === BACKSLASH) i += 1;
    else if (!inString && (byte === OPEN_BRACKET || byte === OPEN_BRACE || byte === COMMA)) {
      values += 1;
    }
  }
  if (values > BODY.VALUES_MAX) {
    throw invalidField('body', `more than ${BODY.VALUES_MAX} values`);
  }
}
