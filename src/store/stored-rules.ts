import { CraError } from '../model/errors.ts';

/** For a change that finds another revision than it was told. */
export function staleRules(number: number): CraError {
  return new CraError('ABORTED', `the rules have changed: revision ${number} is the newest`, {
    details: { number },
  });
}
