import { isUtf8 } from 'node:buffer';
import { CraError } from './errors.ts';

/** The value of a JSON body. Throws INVALID_ARGUMENT that quotes nothing of it. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) {
    throw invalidField('body', 'must be UTF-8; replace or escape bytes that are not');
  }
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (thrown) {
    // The parser's own message quotes the body, which may hold secrets.
    const position = /position (\d+)/.exec(String(thrown))?.[1];
    const where = position === undefined ? '' : ` at character ${position}`;
    throw invalidField('body', `is not JSON${where}`);
  }
}

/** INVALID_ARGUMENT that names a field and says what is wrong with it. */
export function invalidField(field: string, problem: string): CraError {
  return new CraError('INVALID_ARGUMENT', `${field}: ${problem}`, { details: { field } });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const COMMA = 0x2c;

/** INVALID_ARGUMENT for a body whose sheer number of values would fill the heap of the thread. */
export function checkJsonValues(bytes: Buffer, max: number): void {
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
  if (values > max) {
    throw invalidField('body', `more than ${max} values`);
  }
}
