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
