/** A range of the diff that no excerpt may show, but for its first `visible` bytes. */
export interface Mask {
  start: number;
  end: number;
  visible: number;
}

/** The part of a secret that is shown, so that its owner can tell which one it is. */
const VISIBLE_BYTES_MAX = 4;
const VISIBLE_SHARE = 1 / 4;

/** A mask over a secret. */
export function maskOf(start: number, end: number): Mask {
  const visible = Math.min(VISIBLE_BYTES_MAX, Math.floor((end - start) * VISIBLE_SHARE));
  return { start, end, visible };
}

/** Masks in order, overlapping ones joined; of those, the most secretive decides what is seen. */
export function joinMasks(masks: readonly Mask[]): Mask[] {
  const joined: Mask[] = [];
  for (const mask of [...masks].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || mask.start >= last.end) {
      joined.push({ ...mask });
      continue;
    }
    last.end = Math.max(last.end, mask.end);
    last.visible = Math.min(last.visible, mask.visible + mask.start - last.start);
  }
  return joined;
}

/** Those of joined masks that reach into the range. */
export function masksWithin(
  joined: readonly Mask[],
  range: { start: number; end: number },
): Mask[] {
  let low = 0;
  let high = joined.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((joined[middle]?.end ?? 0) <= range.start) low = middle + 1;
    else high = middle;
  }
  const within: Mask[] = [];
  for (let index = low; index < joined.length; index += 1) {
    const mask = joined[index];
    if (mask === undefined || mask.start >= range.end) break;
    within.push(mask);
  }
  return within;
}
