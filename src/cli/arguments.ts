import { CraError } from '../model/errors.ts';

/** A whole number given as an option. Throws INVALID_ARGUMENT naming the option and its range. */
export function wholeNumber(
  option: string,
  text: string | undefined,
  fallback: number,
  max: number,
): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new CraError('INVALID_ARGUMENT', `--${option} must be a whole number from 1 to ${max}`);
}
