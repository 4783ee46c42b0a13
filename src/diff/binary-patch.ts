import { isBlank, isDigit, startsAt } from './bytes.ts';
import type { Reader } from './reader.ts';

/**
 * Passes the data under a "GIT binary patch" line: one block for the new content and possibly one
 * for the old, each `literal SIZE` or `delta SIZE`, lines of base 85, a blank line. Returns false
 * where it isn't of that form; the reader then stands on the first line that isn't.
 * https://git-scm.com/docs/git-diff#Documentation/git-diff.txt---binary
 */
export function skipBinaryPatch(reader: Reader): boolean {
  for (let block = 0; block < 2; block += 1) {
    const literal = startsAt(reader.bytes, reader.at, 'literal ');
    const size = reader.at + (literal ? 'literal ' : 'delta ').length;
    if (!literal && !startsAt(reader.bytes, reader.at, 'delta ')) return block === 1;
    if (!isDigit(reader.bytes[size])) return false;
    reader.skip();
    while (isDataLine(reader.bytes, reader.at)) reader.skip();
    // Whoever trimmed the text took the last blank line.
    if (reader.done) return true;
    if (!isBlank(reader.bytes, reader.at)) return false;
    reader.skip();
  }
  return true;
}

/** One letter for the number of bytes, then 5 characters for each 4 of them. */
function isDataLine(bytes: Buffer, at: number): boolean {
  const letter = bytes[at] ?? 0;
  const upper = letter >= 0x41 && letter <= 0x5a;
  if (!upper && !(letter >= 0x61 && letter <= 0x7a)) return false;
  const size = upper ? letter - 0x41 + 1 : letter - 0x61 + 27;
  const dataEnd = at + 1 + Math.ceil(size / 4) * 5;
  for (let index = at + 1; index < dataEnd; index += 1) {
    if (BASE85[bytes[index] ?? 0] !== 1) return false;
  }
  return dataEnd === bytes.length || isBlank(bytes, dataEnd);
}

/** git base85.c. */
const BASE85 = new Uint8Array(256);
for (const character of '0123456789!#$%&()*+-;<=>?@^_`{|}~') {
  BASE85[character.charCodeAt(0)] = 1;
}
for (let letter = 0; letter < 26; letter += 1) {
  BASE85[0x41 + letter] = 1;
  BASE85[0x61 + letter] = 1;
}
