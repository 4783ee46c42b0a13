/**
 * A made-up token for examples: it has the shape of a real one, but says what it is. Put together
 * at run time, so that no scanner takes this source for a leak.
 */
export function fake(
  prefix: string,
  length: number,
  alphabet: keyof typeof TEXTS = 'mixed',
): string {
  const text = TEXTS[alphabet];
  return prefix + text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

const TEXTS = {
  mixed: 'F4keT0kenN0tARealS3cretJustAnExamp1eQwZxVbYgHiDmUp',
  upper: 'FAKEKEY2NOT3REAL',
  digits: '1029384756',
  hex: 'fa4e0deadbeef1c0ffee2bad3cab9de7',
} as const;
