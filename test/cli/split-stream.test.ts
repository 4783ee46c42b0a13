import { Readable } from 'node:stream';
import test from 'ava';
import fc from 'fast-check';
import { type Part, splitStream } from '../../src/cli/split-stream.ts';

const DELIMITER = 'abab';

async function split(chunks: readonly string[], bytesMax = 1000): Promise<Part[]> {
  const stream = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: true },
  );
  const parts: Part[] = [];
  for await (const part of splitStream(stream, Buffer.from(DELIMITER), () => bytesMax)) {
    parts.push(part);
  }
  return parts;
}

test('splitStream gives the parts of the whole text, however it is cut into chunks', async (t) => {
  const pieces = fc.constantFrom('a', 'b', 'ab', 'aba', DELIMITER, 'x', '');
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 30 }), async (chunks) => {
      const parts = await split(chunks);
      t.deepEqual(
        parts.map((part) => part.bytes.toString()),
        chunks.join('').split(DELIMITER),
      );
    }),
    { numRuns: 500 },
  );
});

test('splitStream keeps no more than the limit and says how much there was', async (t) => {
  const parts = await split(['0123', '456789', 'abab', '0'], 5);
  t.deepEqual(
    parts.map(({ bytes, size }) => [bytes.toString(), size]),
    [
      ['01234', 10],
      ['0', 1],
    ],
  );
});
