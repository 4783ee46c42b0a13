import { deserialize, serialize } from 'node:v8';
import { RPC } from '../limits.ts';

/** Messages on a byte stream: [4 bytes length, little endian][V8 structured clone]. */
const LENGTH_BYTES = 4;

/** One message as a frame. */
export function encodeFrame(message: unknown): Buffer {
  const body = serialize(message);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length);
  frame.writeUInt32LE(body.length, 0);
  body.copy(frame, LENGTH_BYTES);
  return frame;
}

/**
 * Returns a function that takes the bytes of a stream as they come and calls `onMessage` for
 * each whole frame. Throws a RangeError on a frame above RPC.FRAME_BYTES_MAX.
 */
export function createFrameDecoder(onMessage: (message: unknown) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let needed = LENGTH_BYTES;
  return (chunk) => {
    parts.push(chunk);
    held += chunk.length;
    if (held < needed) return;
    let bytes = parts.length === 1 ? chunk : Buffer.concat(parts);
    for (;;) {
      needed = LENGTH_BYTES;
      if (bytes.length < LENGTH_BYTES) break;
      const length = bytes.readUInt32LE(0);
      if (length > RPC.FRAME_BYTES_MAX) throw new RangeError('frame too large');
      needed = LENGTH_BYTES + length;
      if (bytes.length < needed) break;
      onMessage(deserialize(bytes.subarray(LENGTH_BYTES, needed)));
      bytes = bytes.subarray(needed);
    }
    parts = bytes.length === 0 ? [] : [bytes];
    held = bytes.length;
  };
}
