import { Timestamp } from 'mongodb';
import { decodePlace, encodePlace } from '../list-cursor.ts';

const PLACE = /^([1-9]\d{0,9}):(0|[1-9]\d{0,9})$/;
const UINT32_MAX = 2 ** 32 - 1;

/** A place in the order of the store, as callers carry it. */
export function encodeSequence({ t, i }: Timestamp): string {
  return encodePlace(`${t}:${i}`);
}

/** The place that `encodeSequence` was given; INVALID_ARGUMENT for any other text. */
export function decodeSequence(cursor: string): Timestamp {
  return decodePlace(cursor, (text) => {
    const match = PLACE.exec(text);
    const [t, i] = [Number(match?.[1]), Number(match?.[2])];
    return match !== null && t <= UINT32_MAX && i <= UINT32_MAX ? new Timestamp({ t, i }) : null;
  });
}
