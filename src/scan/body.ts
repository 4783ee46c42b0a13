import { isUtf8 } from 'node:buffer';
import { asBuffer } from '../diff/bytes.ts';
import { ANALYZE_REQUEST, type AnalyzeRequest } from '../domain/analyze-request.ts';
import { CraError } from '../domain/errors.ts';
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
  if (!isUtf8(bytes)) throw invalid('body: must be UTF-8; replace or escape bytes that are not');
  if (bytes.length > BODY.UNCOUNTED_BYTES_MAX) checkValues(bytes);
  const request = validate(parseJson(bytes));
  for (const name of NAMES) {
    if (request[name]?.isWellFormed() === false) {
      throw invalid(`${name}: holds a lone surrogate`, name);
    }
  }
  if (request.postVcsStatus === true) {
    if (!request.commitSha) throw invalid('commitSha: is required with postVcsStatus', 'commitSha');
    if (!request.repoFullName) {
      throw invalid('repoFullName: is required with postVcsStatus', 'repoFullName');
    }
  }
  return request;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (thrown) {
    // The parser's own message quotes the body, which may hold secrets.
    const position = /position (\d+)/.exec(String(thrown))?.[1];
    throw invalid(`body: is not JSON${position === undefined ? '' : ` at character ${position}`}`);
  }
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
    throw invalid(`body: more than ${BODY.VALUES_MAX} values`);
  }
}

function invalid(message: string, field = 'body'): CraError {
  return new CraError('INVALID_ARGUMENT', message, { details: { field } });
}
