/**
 * Copying to another thread costs less than moving below this: 3 KB take 8 us against 9, 16 KB
 * take 18 against 15, and a call through the pool that moves anything takes 27 us more.
 */
const TRANSFER_BYTES_MIN = 16 * 1024;

/**
 * The buffers of these values, and of those in lists among them, that are worth moving to another
 * thread instead of being copied: large ones, each wholly used by its view, so that no neighbour
 * moves with it.
 */
export function movableBuffers(values: readonly unknown[]): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  for (const value of values) {
    if (!Array.isArray(value)) addMovable(found, value);
    else for (const item of value) addMovable(found, item);
  }
  return [...found];
}

function addMovable(found: Set<ArrayBuffer>, value: unknown): void {
  if (!(value instanceof Uint8Array) || value.byteLength < TRANSFER_BYTES_MIN) return;
  const { buffer, byteLength } = value;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) found.add(buffer);
}
