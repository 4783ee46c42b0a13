import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Binary } from 'mongodb';
import { RULES, STORE } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * A text that may be as large as a document; compressed it fits. INVALID_ARGUMENT, with `name` in
 * the sentence, when even that does not.
 */
export async function packText(text: string, name: string): Promise<Binary> {
  const bytes = await compress(text);
  if (bytes.length <= STORE.RECORD_BYTES_MAX) return new Binary(bytes);
  throw new CraError('INVALID_ARGUMENT', `${name} are too large to be stored`);
}

/** The text that `packText` was given; DATA_LOSS when that can't be. */
export async function unpackText(data: Binary | Uint8Array, name: string): Promise<string> {
  const bytes = data instanceof Uint8Array ? data : data.buffer;
  try {
    const text = await decompress(bytes, { maxOutputLength: TEXT_BYTES_MAX });
    return text.toString();
  } catch (thrown) {
    throw new CraError('DATA_LOSS', `${name} that are stored are damaged`, { cause: thrown });
  }
}

/** What is stored was written as JSON: that may be longer than the file. */
const TEXT_BYTES_MAX = 8 * RULES.FILE_BYTES_MAX;
