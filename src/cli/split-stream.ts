import type { Readable } from 'node:stream';

/** What stood between two delimiters. */
export interface Part {
  /** At most the limit; what came after is dropped. */
  bytes: Buffer;
  /** True size. */
  size: number;
}

/**
 * Cuts a stream at a delimiter, without it; the last part ends with the stream. Linear in the
 * stream, holds one part and one chunk. `bytesMax` tells how much to keep of the n-th part, from 0.
 */
export async function* splitStream(
  stream: Readable,
  delimiter: Buffer,
  bytesMax: (index: number) => number,
): AsyncGenerator<Part> {
  let index = 0;
  let part = createPart(bytesMax(index));
  // The end of what has come, which may be the start of a delimiter.
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, from)) {
      part.add(text.subarray(from, at));
      yield part.end();
      index += 1;
      part = createPart(bytesMax(index));
      from = at + delimiter.length;
    }
    const kept = Math.max(from, text.length - delimiter.length + 1);
    part.add(text.subarray(from, kept));
    rest = text.subarray(kept);
  }
  part.add(rest);
  yield part.end();
}

function createPart(bytesMax: number): { add(bytes: Buffer): void; end(): Part } {
  const pieces: Buffer[] = [];
  let size = 0;
  return {
    add(bytes) {
      const room = Math.max(0, bytesMax - size);
      if (room > 0 && bytes.length > 0) pieces.push(bytes.subarray(0, room));
      size += bytes.length;
    },
    end: () => ({ bytes: Buffer.concat(pieces), size }),
  };
}
