import { CraError } from '../model/errors.ts';

/** Reads a stream to its end. Throws OUT_OF_RANGE when it holds more than `bytesMax`. */
export async function readAll(
  stream: AsyncIterable<Buffer>,
  bytesMax: number,
  what: string,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new CraError('OUT_OF_RANGE', `${what} is larger than ${bytesMax} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
